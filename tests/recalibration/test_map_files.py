"""A file of a map is read with suspicion: whatever is wrong with it is refused in words."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.recalibration_numbers import CLASSES, class_cases, fitted, quiet, tally_of

from properly import recalibration
from properly.errors import DataError, ProperlyError
from properly.recalibration import Beta, Dirichlet, Isotonic, Logistic, Vector, VennAbers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = quiet

KINDS = ("intercept", "temperature", "logistic", "beta", "isotonic", "venn_abers")


def record_of(name: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(fitted("cases", name).dumps())
    return record


def holder(record: Any, key: str) -> dict[str, Any]:
    """Find the part of a record that has a key."""
    if isinstance(record, dict):
        if key in record:
            return record
        for part in record.values():
            if isinstance(part, dict):
                try:
                    return holder(part, key)
                except KeyError:
                    continue
    raise KeyError(key)


def changed(name: str, change: Callable[[dict[str, Any]], None]) -> str:
    record = record_of(name)
    change(record)
    return json.dumps(record)


def put(**fields: Any) -> Callable[[dict[str, Any]], None]:
    """Return what changes the top of a record."""
    return lambda record: record.update(fields)


def drop(key: str) -> Callable[[dict[str, Any]], None]:
    """Return what takes a key away."""

    def change(record: dict[str, Any]) -> None:
        del record[key]

    return change


def assert_refused(text: str, match: str | None = None) -> None:
    with pytest.raises(DataError, match=match) as refusal:
        recalibration.loads(text)
    assert len(str(refusal.value)) < 2000


@pytest.mark.parametrize("name", KINDS)
def test_what_was_not_changed_is_read(name: str) -> None:
    text = changed(name, lambda _: None)
    assert recalibration.loads(text).dumps() == fitted("cases", name).dumps()


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.6, 0.99])
def test_a_truncated_map_is_refused(name: str, share: float) -> None:
    text = fitted("cases", name).dumps().strip()
    assert_refused(text[: int(share * len(text))])


@pytest.mark.parametrize(
    "text", ["null", "[]", "3", '"map"', "{}", "{" * 50, "[" * 100_000, '{"a":' * 100_000, "\x00"]
)
def test_what_is_no_map_is_refused(text: str) -> None:
    assert_refused(text)


@pytest.mark.parametrize("name", KINDS)
def test_another_version_is_refused_and_both_are_named(name: str) -> None:
    with pytest.raises(DataError) as refusal:
        recalibration.loads(changed(name, put(version=2)))
    assert "version 2" in str(refusal.value)
    assert "1" in str(refusal.value)
    for version in (0, "1", None, 1.5, True):
        assert_refused(changed(name, put(version=version)))


@pytest.mark.parametrize("kind", ["spline", "os.system", "", None, 3, "__class__", "Map"])
def test_an_unknown_kind_is_refused(kind: Any) -> None:
    assert_refused(changed("logistic", put(kind=kind)), "kind")


def test_another_format_is_refused() -> None:
    assert_refused(changed("logistic", put(format="pickle")))


@pytest.mark.parametrize("name", KINDS)
def test_keys_too_many_and_too_few_are_refused(name: str) -> None:
    assert_refused(changed(name, put(hook="rm")), "hook")
    for key in record_of(name):
        if key in ("format", "version", "kind", "of", "parameters"):
            assert_refused(changed(name, drop(key)))


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999", '"0.5"', "null", "[1]"])
@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("intercept", "intercept"),
        ("temperature", "slope"),
        ("logistic", "intercept"),
        ("logistic", "slope"),
        ("beta", "a"),
        ("beta", "b"),
        ("beta", "c"),
    ],
)
def test_a_coefficient_that_is_no_number_is_refused(name: str, key: str, value: str) -> None:
    text = changed(name, lambda record: holder(record, key).update({key: "HERE"}))
    assert text.count('"HERE"') == 1
    assert_refused(text.replace('"HERE"', value))


@pytest.mark.parametrize("value", [10**400, True, {"a": 1}], ids=["huge", "flag", "table"])
def test_odd_numbers_are_refused(value: Any) -> None:
    assert_refused(changed("logistic", lambda r: holder(r, "slope").update(slope=value)))


@pytest.mark.parametrize(
    ("name", "key"), [("temperature", "slope"), ("logistic", "slope"), ("beta", "a"), ("beta", "b")]
)
def test_a_slope_that_falls_is_refused(name: str, key: str) -> None:
    assert_refused(changed(name, lambda record: holder(record, key).update({key: -0.1})))


@pytest.mark.parametrize(
    ("mapping", "name", "value", "rule"),
    [
        (Logistic, "slope", -0.5, "finite and not negative"),
        (Logistic, "slope", float("inf"), "finite and not negative"),
        (Logistic, "intercept", float("nan"), "finite"),
        (Beta, "a", -1.0, "finite and not negative"),
        (Beta, "b", -1.0, "finite and not negative"),
        (Beta, "c", float("-inf"), "finite"),
    ],
)
def test_a_coefficient_that_no_fit_gives_is_refused(
    mapping: Any, name: str, value: float, rule: str
) -> None:
    known = {"a": 1.0, "b": 1.0, "c": 0.0} if mapping is Beta else {"intercept": 0.0, "slope": 1.0}
    with pytest.raises(DataError) as refused:
        mapping(**known | {name: value})
    assert str(refused.value) == f"{name} must be {rule}; got {value!r}"


def knots_of(record: dict[str, Any]) -> dict[str, Any]:
    knots: dict[str, Any] = holder(record, "knots")["knots"]
    return knots


def swap(values: list[float]) -> None:
    values[1], values[2] = values[2], values[1]


@pytest.mark.parametrize(
    ("name", "column"), [("isotonic", "p"), ("isotonic", "q"), ("venn_abers", "p")]
)
def test_knots_that_fall_are_refused(name: str, column: str) -> None:
    assert_refused(changed(name, lambda record: swap(knots_of(record)[column])))


@pytest.mark.parametrize("column", ["p0", "p1"])
def test_tables_that_fall_are_refused(column: str) -> None:
    def fall(record: dict[str, Any]) -> None:
        table = knots_of(record)[column]
        table[0], table[-1] = table[-1], table[0]

    assert_refused(changed("venn_abers", fall))


def test_a_pair_whose_first_is_larger_is_refused() -> None:
    def cross(record: dict[str, Any]) -> None:
        knots = knots_of(record)
        knots["p0"], knots["p1"] = knots["p1"], knots["p0"]

    assert_refused(changed("venn_abers", cross))


def test_equal_knots_are_refused() -> None:
    def repeat(record: dict[str, Any]) -> None:
        knots = knots_of(record)
        knots["p"][1] = knots["p"][0]

    assert_refused(changed("isotonic", repeat))


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1.5", "-0.25", '"x"', "null", "1e999"])
@pytest.mark.parametrize(
    ("name", "column"),
    [("isotonic", "p"), ("isotonic", "q"), ("venn_abers", "p"), ("venn_abers", "p0")],
)
def test_a_knot_that_is_no_probability_is_refused(name: str, column: str, value: str) -> None:
    def spoil(record: dict[str, Any]) -> None:
        knots_of(record)[column][1] = "HERE"

    assert_refused(changed(name, spoil).replace('"HERE"', value))


@pytest.mark.parametrize("name", ["isotonic", "venn_abers"])
def test_columns_of_different_length_and_none_are_refused(name: str) -> None:
    assert_refused(changed(name, lambda record: knots_of(record)["p"].pop()))

    def empty(record: dict[str, Any]) -> None:
        for column in knots_of(record).values():
            column.clear()

    assert_refused(changed(name, empty))
    assert_refused(changed(name, lambda record: holder(record, "knots").update(knots=[1, 2])))


@pytest.mark.parametrize("kind", [Vector(), Dirichlet()], ids=repr)
def test_class_maps_are_checked_too(kind: Any) -> None:
    assert len(CLASSES["rows"]) == 13
    record = json.loads(kind.fit(class_cases()).dumps())
    recalibration.loads(json.dumps(record))
    shift = holder(record, "shift")["shift"]
    shift[0] = float("nan")
    assert_refused(json.dumps(record))
    shift.pop()
    assert_refused(json.dumps(record))


def test_a_sequence_is_checked_part_by_part() -> None:
    both = Isotonic().fit(tally_of("cases")) @ Beta(a=1.0, b=2.0, c=0.1)
    record = json.loads(both.dumps())
    assert record["kind"] == "sequence"
    recalibration.loads(json.dumps(record))
    maps = holder(record, "maps")["maps"]
    maps[0]["extra"] = 1
    assert_refused(json.dumps(record))
    maps.clear()
    assert_refused(json.dumps(record))


def test_a_sequence_of_sequences_without_end_is_refused() -> None:
    inner = json.loads((Isotonic().fit(tally_of("cases")) @ Beta(a=1.0, b=2.0, c=0.1)).dumps())
    text = json.dumps(inner)
    for _ in range(400):
        holder(inner, "maps")["maps"] = ["HERE"]
        text = json.dumps(inner).replace('"HERE"', text)
    assert_refused(text)


# Files


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    for content in (b"\xff\xfe\x00\x01", b"", os.urandom(4096)):
        path.write_bytes(content)
        with pytest.raises(DataError):
            recalibration.load(path)


def test_a_file_that_is_not_there_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises((ProperlyError, FileNotFoundError), match=r"nowhere\.json"):
        recalibration.load(tmp_path / "nowhere.json")


class Trap:
    """Leaves a mark if it is unpickled."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (self.path,)


def test_nothing_in_a_file_is_run(tmp_path: Path) -> None:
    mark, path = tmp_path / "mark", tmp_path / "map.json"
    path.write_bytes(pickle.dumps(Trap(str(mark))))
    with pytest.raises(DataError):
        recalibration.load(path)
    code = f"__import__('os').mkdir({str(mark)!r})"
    for key in ("kind", "format", "made_with", "monotone", "of"):
        text = changed("logistic", put(**{key: code}))
        with contextlib.suppress(DataError):
            recalibration.loads(text)
        assert not mark.exists()
    text = changed("logistic", put(notices=[code]))
    assert recalibration.loads(text).notices == (code,)
    assert not mark.exists()


HEADER = (
    '{"format": "properly-map", "version": 1, "kind": "isotonic", "of": "event", '
    '"parameters": {"interpolation": "linear", "shrink": 1.0}, "knots": {"p": ['
)
READ = """
import resource, sys
import properly.recalibration as recalibration
from properly.errors import DataError
recalibration.Isotonic, recalibration.loads
# From here on, little more memory is to be had.
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 512 * 2**20,) * 2)
try:
    recalibration.load(sys.argv[1])
except DataError as refusal:
    print("refused:", str(refusal)[:500])
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux for its memory")
def test_a_billion_knots_are_refused_in_little_memory(tmp_path: Path) -> None:
    # A forged file: the beginning of a map, and then nothing for twenty gigabytes.
    path = tmp_path / "map.json"
    path.write_text(HEADER)
    os.truncate(path, 20 * 10**9)
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", READ, str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("refused:")


def test_many_knots_are_read() -> None:
    # Honest maps of many forecasts are no attack.
    rng = np.random.default_rng(0)
    p = rng.random(50_000)
    y = (rng.random(50_000) < p).astype(int)
    fit = VennAbers().fit(y, p)
    back = recalibration.loads(fit.dumps())
    x = np.linspace(0, 1, 1001)
    np.testing.assert_array_equal(back.at(x), fit.at(x))


def test_a_long_ladder_in_sql_is_refused_with_a_hint_of_a_table() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(50_000)
    y = (rng.random(50_000) < p).astype(int)
    fit = VennAbers().fit(y, p)
    with pytest.raises(DataError) as refusal:
        fit.sql("p")
    assert "table()" in str(refusal.value).partition("Hint:")[2]
    assert len(fit.table()) > 256


def test_odd_columns_of_sql_are_quoted_or_refused() -> None:
    line = Logistic(intercept=0.1, slope=0.9)
    try:
        text = line.sql('p"); DROP TABLE t; --')
    except DataError:
        return
    assert '"");' in text
    with pytest.raises(DataError, match="dialect"):
        line.sql("p", dialect="cobol")


def test_options_are_written_as_they_are_typed() -> None:
    mapping = Logistic(intercept=0.1, slope=0.4, certain="refuse")
    assert repr(mapping) == "Logistic(certain='refuse', intercept=0.1, slope=0.4)"
