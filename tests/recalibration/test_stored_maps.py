"""A map that was written is read back to the last digit, and nothing else is read."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.forging import forged, put, signed
from tests.recalibration.map_examples import fitted, forecasts, given, of_classes

import properly
from properly.errors import DataError
from properly.recalibration import Isotonic, Logistic, Map, load, loads
from properly.recalibration._knot_maps import Knots
from properly.recalibration._map_registry import KINDS, fitted_to

GAIN = {
    "rule": "log",
    "folds": 5,
    "design": "clusters",
    "estimate": 0.05328,
    "low": 0.01801,
    "high": 0.1062,
    "nested": False,
}
MAPS = {
    **fitted(),
    **given(),
    **of_classes(),
    "gain": Logistic(intercept=0.1, slope=0.9, gain=GAIN, notices=("ünläut", "\ud800")),
}
ALL = pytest.mark.parametrize("mapping", MAPS.values(), ids=list(MAPS))


def quiet(mapping: Map, p: np.ndarray) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result: np.ndarray = mapping.at(p)
    return result


@ALL
def test_a_map_is_read_back_to_the_last_digit(mapping: Map, tmp_path: Path) -> None:
    text = mapping.dumps()
    again = loads(text)
    assert type(again) is type(mapping)
    assert again.dumps() == loads(text.encode()).dumps() == text
    assert load(mapping.save(tmp_path / "map.json")).dumps() == text
    assert again.to_dict() == mapping.to_dict()
    for name in ("range", "notices", "monotone", "labels", "gain"):
        assert getattr(again, name) == getattr(mapping, name)
    p = forecasts(mapping)
    if mapping.of == "classes":
        p = np.random.default_rng(1).dirichlet(np.ones(len(mapping.labels)), 50)
    np.testing.assert_array_equal(quiet(again, p), quiet(mapping, p))


def test_the_checksum_tells_the_cases_it_was_fitted_to() -> None:
    y, p = [0, 1, 0, 1] * 6, [0.2, 0.4, 0.5, 0.9] * 6
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = loads(Isotonic().fit(properly.tally(y, p)).dumps())
    assert again.training is not None
    assert again.training.is_of(properly.tally(y, p))
    assert not again.training.is_of(properly.tally(y[::-1], p))


def test_names_may_stand_in_any_order_and_lines_anywhere() -> None:
    text = MAPS["VennAbers log"].dumps()
    turned = json.dumps(dict(reversed(json.loads(text).items())), sort_keys=True)
    assert loads(turned).dumps() == text


@pytest.mark.parametrize("count", [10**4, pytest.param(10**6, marks=pytest.mark.slow)])
def test_many_knots_are_read(count: int) -> None:
    p = (np.arange(count) + 0.123) / count
    curve = Isotonic(knots=Knots(p, 0.1 + p / 2))
    again = loads(curve.dumps())
    assert isinstance(again, Isotonic)
    np.testing.assert_array_equal(np.stack(again.knots or ()), np.stack(curve.knots or ()))


def test_every_kind_that_is_written_is_read() -> None:
    assert {mapping.kind for mapping in MAPS.values()} | {"group_shift"} == set(KINDS)
    for kind, one in KINDS.items():
        assert object.__new__(one.make).kind == kind


def test_maps_that_are_asked_for_by_name_are_those_that_need_no_argument() -> None:
    events = ("intercept", "temperature", "logistic", "beta", "isotonic", "venn_abers")
    classes = ("temperature", "vector", "cuts", "dirichlet", "one_vs_rest")
    assert (fitted_to("event"), fitted_to("classes")) == (events, classes)
    for kind in (*events, *classes):
        assert KINDS[kind].new().kind == kind


# Forged, with a checksum that fits

WRONG: list[Any] = [
    None, True, False, -1, 0, 2, 10**9, 10**400, 0.5, -0.5, 1.5, 1e308, "", "x", "0.5", "__class__",
    "\ud800", [], [1], [0.9, 0.1], [[1]], [None], {}, {"x": 1}, ["a", "a"],
]  # fmt: skip
KNOTS: list[tuple[str, dict[str, Any], str]] = [
    ("Isotonic linear 1", {"p": [0.1, 0.1], "q": [0.2, 0.3]}, "increasing; p has 0.1 in row 1"),
    ("Isotonic linear 1", {"p": [0.1, 0.2], "q": [0.3, 0.2]}, "never falling; q has 0.2 in row 1"),
    ("Isotonic linear 1", {"p": [0.1, 0.2], "q": [0.3]}, "equally many"),
    ("Isotonic linear 1", {"p": [], "q": []}, "at least one"),
    ("Isotonic linear 1", {"p": [0.1], "q": [1.5]}, r"in \[0, 1\]; q has 1.5 in row 0"),
    ("Isotonic linear 1", {"p": [[0.1]], "q": [[0.5]]}, "equally many"),
    ("VennAbers log", {"p": [0.1], "p0": [0.5], "p1": [0.4]}, "p0 <= p1"),
    ("VennAbers log", {"p": [0.1], "p0": [1.0], "p1": [1.0]}, "p0 < 1"),
    ("VennAbers log", {"p": [0.1], "p0": [0.0], "p1": [0.0]}, "p1 > 0"),
    ("VennAbers log", {"p": [0.1, 0.2], "p0": [0.2, 0.1], "p1": [0.3, 0.4]}, "falling; p0 has 0.1"),
]
CHANGES: list[tuple[str, tuple[str | int, ...], Any, str]] = [
    *((name, ("parameters", "knots"), knots, said) for name, knots, said in KNOTS),
    ("Logistic", ("kind",), "spline", "of a kind that is known here; got 'spline'"),
    ("Logistic", ("parameters", "slope"), -0.5, "slope must be finite and not negative; got -0.5"),
    ("Logistic", ("parameters", "slope"), "0.5", "slope must be a number; got '0.5'"),
    ("Logistic", ("parameters", "atoms", "zero"), 1.5, r"zero becomes must be in \[0, 1\]"),
    ("Logistic", ("range",), None, "of a map with a range"),
    ("Logistic", ("parameters", "certain"), "cubic", "certain must be"),
    ("PriorShift", ("parameters", "old"), 1.0, "old must"),
    ("Beta by a rule", ("parameters", "rule"), "Brie()", "a rule must have a name"),
    ("Isotonic linear 1", ("parameters", "shrink"), -1.0, "0 or more; got -1.0"),
    ("Vector", ("parameters", "labels"), ["a", "a", "b"], "labels must differ"),
    ("Dirichlet", ("parameters", "matrix"), [[1.0, 2.0], [3.0, 4.0]], "equally many classes"),
    ("OneVsRest", ("parameters", "maps", 0), MAPS["Vector"].to_dict(), "a map for one event"),
]


def refused(text: str) -> str:
    with pytest.raises(DataError) as refusal:
        loads(text)
    assert "\n\nHint: " in str(refusal.value)
    assert len(str(refusal.value)) < 2000
    return str(refusal.value)


@pytest.mark.parametrize(("name", "path", "value", "match"), CHANGES)
def test_what_no_constructor_makes_is_refused_in_its_words(
    name: str, path: tuple[str | int, ...], value: Any, match: str
) -> None:
    text = refused(forged(MAPS[name].dumps(), put(*path, to=value)))
    assert text.startswith("the map cannot be used: ") or value == "spline"
    assert re.search(match, text)


def places(x: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """List all places in a record; of long lists the first two."""
    inside = x.items() if isinstance(x, dict) else enumerate(x[:2]) if isinstance(x, list) else ()
    return [place for key, part in inside for place in [(*at, key), *places(part, (*at, key))]]


@pytest.mark.parametrize("name", ["Logistic", "gain", "Isotonic linear 1", "Cuts"])
def test_no_forged_map_does_harm(name: str) -> None:
    mapping = MAPS[name]
    for place in places(mapping.to_dict()):
        for value in WRONG:
            text = forged(mapping.dumps(), put(*place, to=value))
            try:
                again = loads(text)
            except DataError:
                continue
            # What is read is written again as it was read, and can be applied.
            assert json.loads(again.dumps())["content"] == json.loads(text)["content"]
            assert repr(again)
            p = np.array([0.0, 0.2, 1.0])
            if mapping.of == "classes":
                p = np.full((2, len(again.labels)), 1 / len(again.labels))
            if getattr(again, "certain", None) != "refuse":
                q = quiet(again, p)
                assert ((q >= 0) & (q <= 1)).all()


@pytest.mark.parametrize("name", MAPS)
def test_a_name_too_few_or_too_many_is_refused(name: str) -> None:
    record = MAPS[name].to_dict()
    for at in ((), ("parameters",)):
        part = record[at[0]] if at else record
        # Without its rule it is a map by likelihood.
        changed = [{x: part[x] for x in part if x != key} for key in part if key != "rule"]
        for content in (*changed, part | {"hook": "rm"}):
            whole = record | {"parameters": content} if at else content
            refused(signed(json.loads(MAPS[name].dumps()) | {"content": whole}))


@pytest.mark.parametrize("depth", [60, 200])
def test_maps_without_end_are_refused(depth: int) -> None:
    # The first is no deeper than Python itself reads.
    def nest(content: dict[str, Any]) -> dict[str, Any]:
        for _ in range(depth):
            content = content | {"parameters": {"maps": [content]}}
        return content

    said = "OneVsRest needs a map for one event"
    assert said in refused(forged(MAPS["OneVsRest"].dumps(), nest))


@pytest.mark.parametrize("name", ["none.json", "", "a\0b", "x" * 5000])
def test_a_file_that_cannot_be_read_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot read the map"):
        load(f"{tmp_path}/{name}")


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
    path.write_text(MAPS["Isotonic linear 1"].dumps()[:500])
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
    assert done.stdout.startswith("refused: a map can have at most 128 MiB")


# Constructors


def test_odd_columns_of_sql_are_quoted_or_refused() -> None:
    line = Logistic(intercept=0.1, slope=0.9)
    assert '"");' in line.sql('p"); DROP TABLE t; --')
    with pytest.raises(DataError, match="dialect"):
        line.sql("p", dialect="cobol")


def test_options_are_written_as_they_are_typed() -> None:
    mapping = Logistic(intercept=0.1, slope=0.4, certain="refuse")
    assert repr(mapping) == "Logistic(certain='refuse', intercept=0.1, slope=0.4)"
    assert repr(loads(mapping.dumps())) == repr(mapping)
