"""A map that was written is read back to the last digit, and nothing else is read."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.recalibration.map_examples import fitted, forecasts, given, of_classes

import properly
from properly.errors import ArgumentTypeError, DataError
from properly.recalibration import Beta, Isotonic, Logistic, Map, PriorShift, load, loads
from properly.recalibration import _stored_map as stored
from properly.recalibration._isotonic_map import Knots
from properly.recalibration._map import Composition, Inverse

if TYPE_CHECKING:
    from pathlib import Path

GAIN = {
    "rule": "log",
    "folds": 5,
    "design": "clusters",
    "estimate": 0.05328,
    "low": 0.01801,
    "high": 0.1062,
    "nested": False,
}
UNDONE = Inverse(map=Beta(a=1.0, b=2.0, c=0.3))
CLASSES = of_classes()
MAPS = {
    **fitted(),
    **given(),
    **CLASSES,
    "inverse": UNDONE,
    "sequence with it": PriorShift(0.5, 0.1) @ UNDONE,
}
ALL = pytest.mark.parametrize("mapping", MAPS.values(), ids=list(MAPS))


def record(name: str = "Logistic") -> dict[str, Any]:
    content: dict[str, Any] = json.loads(MAPS[name].dumps())
    return content


def quiet(mapping: Map, p: np.ndarray) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result: np.ndarray = mapping.at(p)
    return result


def refuse(content: object, match: str) -> None:
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    with pytest.raises(DataError, match=match) as refusal:
        loads(text)
    words = str(refusal.value)
    assert "\n\nHint: " in words
    assert len(words) < 1000


@ALL
def test_a_map_is_read_back_to_the_last_digit(mapping: Map) -> None:
    text = mapping.dumps()
    again = loads(text)
    assert type(again) is type(mapping)
    assert again.dumps() == text
    assert loads(text.encode()).dumps() == text
    p = forecasts(mapping)
    if mapping.of == "classes":
        p = np.random.default_rng(1).dirichlet(np.ones(len(mapping.labels)), 50)
        assert again.labels == mapping.labels
    np.testing.assert_array_equal(quiet(again, p), quiet(mapping, p))


def test_all_that_is_known_about_a_map_comes_back() -> None:
    for mapping in (MAPS["Logistic"], MAPS["Beta inside"], MAPS["separated"]):
        again = loads(mapping.dumps())
        assert again.range == mapping.range
        assert again.notices == mapping.notices
        assert again.monotone == mapping.monotone
        assert again.atoms == mapping.atoms  # type: ignore[attr-defined]
        assert again.certain == mapping.certain  # type: ignore[attr-defined]
        assert again.training is not None
        assert mapping.training is not None
        assert again.training.to_dict() == mapping.training.to_dict()
    assert loads(MAPS["separated"].dumps()).separated is True  # type: ignore[attr-defined]


def test_the_checksum_tells_the_cases_it_was_fitted_to() -> None:
    y, p = [0, 1, 0, 1] * 6, [0.2, 0.4, 0.5, 0.9] * 6
    tally = properly.tally(y, p)
    again = loads(quiet_fit(tally).dumps())
    assert again.training is not None
    assert again.training.is_of(tally)
    assert not again.training.is_of(properly.tally(y[::-1], p))


def quiet_fit(tally: Any) -> Map:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Isotonic().fit(tally)


def test_a_gain_comes_back() -> None:
    mapping = Logistic(intercept=0.1, slope=0.9, gain=GAIN, notices=("ünläut", "two"))
    again = loads(mapping.dumps())
    assert again.gain == GAIN
    assert again.notices == ("ünläut", "two")
    assert again.dumps() == mapping.dumps()


def test_a_file_is_read_as_text_is(tmp_path: Path) -> None:
    path = MAPS["Beta"].save(tmp_path / "map.json")
    assert load(path).dumps() == MAPS["Beta"].dumps()
    assert load(str(path)).dumps() == MAPS["Beta"].dumps()


def test_names_may_stand_in_any_order() -> None:
    content = record("VennAbers log")
    knots = content["parameters"]["knots"]
    content["parameters"]["knots"] = dict(reversed(knots.items()))
    content["certain"] = dict(reversed(content["certain"].items()))
    turned = json.dumps(dict(reversed(content.items())))
    assert loads(turned).dumps() == MAPS["VennAbers log"].dumps()


def test_whole_numbers_are_floats_where_floats_are_due() -> None:
    content = json.loads(Logistic(intercept=1.0, slope=2.0).dumps())
    content["parameters"].update(intercept=1, slope=2)
    again = loads(json.dumps(content))
    assert again.dumps() == Logistic(intercept=1.0, slope=2.0).dumps()
    content = json.loads(Isotonic(knots=Knots(np.array([0.0, 1.0]), np.array([0.1, 0.2]))).dumps())
    content["parameters"]["knots"]["p"] = [0, 1]
    content["parameters"]["shrink"] = 1
    assert '"shrink": 1.0' in loads(json.dumps(content)).dumps()


@pytest.mark.parametrize("count", [10**4, pytest.param(10**6, marks=pytest.mark.slow)])
def test_many_knots_are_read(count: int) -> None:
    p = (np.arange(count) + 0.123) / count
    curve = Isotonic(knots=Knots(p, 0.1 + p / 2))
    again = loads(json.dumps(curve.to_dict()))
    assert isinstance(again, Isotonic)
    assert again.knots is not None
    np.testing.assert_array_equal(again.knots, curve.knots)


CHANGES: list[tuple[str, tuple[str, ...], Any, str]] = [
    ("Logistic", ("format",), "pickle", "a map that properly has saved"),
    ("Logistic", ("version",), 2, "version 1.*version 2"),
    ("Logistic", ("version",), True, "version"),
    ("Logistic", ("version",), 1.0, "version"),
    ("Logistic", ("kind",), "spline", "kind 'spline'"),
    ("Logistic", ("kind",), ["logistic"], "kind"),
    ("Logistic", ("of",), "classes", "of of a stored map must be \"event\"; got 'classes'"),
    ("Logistic", ("of",), None, "of of a stored map"),
    ("Logistic", ("monotone",), True, "monotone"),
    ("Logistic", ("monotone",), 0, "monotone"),
    ("Logistic", ("made_with",), 3, "made_with .* must be text"),
    ("Logistic", ("made_with",), "\ud800", "made_with .* must be text"),
    ("Logistic", ("notices",), "none", "notices .* a list"),
    ("Logistic", ("notices",), [1], r"notices\[0\] .* text"),
    ("Logistic", ("range",), [0.9, 0.1], "the lesser first"),
    ("Logistic", ("range",), [0.1], "two numbers"),
    ("Logistic", ("range",), [0.1, 1.5], r"range\[1\] .* in \[0, 1\]"),
    ("Logistic", ("range",), None, "range .* where 0 or 1 has a place"),
    ("Logistic", ("certain",), "learn", 'certain .* "keep" or "refuse"'),
    ("Logistic", ("certain",), {"0": None}, "1 is missing"),
    ("Logistic", ("certain", "0"), 1.5, r"certain.0 .* in \[0, 1\]"),
    ("Logistic", ("certain", "0"), True, "certain.0 .* finite number"),
    ("Isotonic linear 1", ("certain", "0"), 0.5, "certain .* null at 0 and 1 for this kind"),
    ("Isotonic linear 1", ("certain",), "keep", "certain .* null at 0 and 1 for this kind"),
    ("Logistic", ("parameters",), [], "parameters .* an object"),
    ("Logistic", ("parameters", "slope"), -0.5, "slope .* 0 or more; got -0.5"),
    ("Logistic", ("parameters", "slope"), True, "slope .* finite number; got True"),
    ("Logistic", ("parameters", "slope"), "0.5", "slope .* finite number; got '0.5'"),
    ("Logistic", ("parameters", "slope"), None, "slope .* finite number; got None"),
    ("Logistic", ("parameters", "intercept"), 10**400, "intercept .* finite number"),
    ("Logistic", ("parameters", "smooth"), 1, "smooth .* true or false; got 1"),
    ("Logistic", ("parameters", "more"), 1, "parameters .* 'more' is another"),
    ("Logistic", ("more",), 1, "'more' is not"),
    ("Beta", ("parameters", "a"), -1e-9, "parameters.a .* 0 or more"),
    ("PriorShift", ("parameters", "old"), 1.0, "old .* both left out; got 1.0"),
    ("Isotonic linear 1", ("parameters", "shrink"), -1, "shrink .* 0 or more"),
    ("Isotonic linear 1", ("parameters", "interpolation"), "cubic", '"linear" or "step" or "flat"'),
    ("VennAbers log", ("parameters", "merge"), "mean", '"log" or "brier"; got \'mean\''),
    ("Logistic", ("training", "cases"), 1.5, "training.cases .* whole number"),
    ("Logistic", ("training", "distinct"), 0, "training.distinct .* 1 or more"),
    ("Logistic", ("training", "weight"), -1, "training.weight .* 0 or more"),
    ("Logistic", ("training", "mean_forecast"), 2, r"mean_forecast .* in \[0, 1\]"),
    ("Logistic", ("training", "sha256"), "00", "64 hexadecimal digits; got '00'"),
    ("Logistic", ("training", "sha256"), "G" * 64, "64 hexadecimal digits"),
    ("Logistic", ("training", "sha256"), "0" * 64 + "\n", "64 hexadecimal digits"),
    ("Logistic", ("training", "rows"), [], "training .* 'rows' is another"),
    ("Logistic", ("gain",), {"rule": "log"}, "gain .* folds is missing"),
    ("Logistic", ("gain",), GAIN | {"low": None}, "gain.low .* finite number"),
    ("Logistic", ("gain",), GAIN | {"folds": True}, "gain.folds .* whole number"),
    ("Vector", ("parameters", "labels"), ["a", "a", "b"], "labels must differ"),
    ("Vector", ("parameters", "labels"), ["a"], "labels must name each column"),
    ("Vector", ("parameters", "labels"), [None, "a", "b"], r"labels\[0\] .* text"),
    ("Vector", ("parameters", "labels"), [[1], [2], [3]], r"labels\[0\] .* text"),
    ("Vector", ("parameters", "labels"), ["a", "b"], "labels must name each column"),
    ("Vector", ("parameters", "shift"), [0.1], "equally many classes"),
    ("Vector", ("parameters", "prior"), 0, "prior .* above 0"),
    ("Vector", ("of",), "event", 'must be "classes"'),
    ("Dirichlet", ("parameters", "matrix"), [[1, 2], [3]], "rows of equal length"),
    ("Dirichlet", ("parameters", "matrix"), [[1, 2], [3, 4]], "equally many classes"),
    ("OneVsRest", ("parameters", "changes_top_class"), -1, "whole number, 0 or more"),
    ("OneVsRest", ("parameters", "maps"), [record("Vector")] * 3, "needs a map for one event"),
    ("vector after temperature", ("parameters", "maps"), [record("Vector"), record()], "same"),
    ("isotonic after beta", ("parameters", "maps"), [], "maps .* not empty"),
    ("isotonic after beta", ("parameters", "maps"), [1], r"maps\[0\] must be a map"),
    ("VennAbers log cross", ("parameters", "maps"), [record()], "of kind venn_abers; got 'log"),
    ("inverse", ("parameters", "map"), record("Isotonic step 1"), "strictly increasing"),
    ("inverse", ("parameters", "map", "parameters", "a"), -1, "map.parameters.a .* 0 or more"),
]


@pytest.mark.parametrize(("name", "path", "value", "match"), CHANGES)
def test_what_was_changed_is_refused_with_its_place(
    name: str, path: tuple[str, ...], value: Any, match: str
) -> None:
    content = record(name)
    part = content
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    refuse(content, match)


KNOTS: list[tuple[str, dict[str, Any], str]] = [
    ("Isotonic linear 1", {"p": [0.1, 0.1], "q": [0.2, 0.3]}, r"knots.p .* increasing"),
    ("Isotonic linear 1", {"p": [0.2, 0.1], "q": [0.2, 0.3]}, r"increasing; got \[0.2, 0.1\]"),
    ("Isotonic linear 1", {"p": [0.1, 0.2], "q": [0.3, 0.2]}, r"knots.q .* never falling"),
    ("Isotonic linear 1", {"p": [0.1, 0.2], "q": [0.3]}, r"equal length; got \(2, 1\)"),
    ("Isotonic linear 1", {"p": [], "q": []}, "not empty"),
    ("Isotonic linear 1", {"p": [0.1], "q": [1.5]}, r"knots.q .* in \[0, 1\]; got 1.5"),
    ("Isotonic linear 1", {"p": [0.1], "q": [0.0]}, "unless shrink is 0"),
    ("Isotonic linear 1", {"p": [0.1], "q": [1]}, "unless shrink is 0"),
    ("Isotonic linear 1", {"p": [True], "q": [0.5]}, "a list of numbers"),
    ("Isotonic linear 1", {"p": ["0"], "q": [0.5]}, "a list of numbers"),
    ("Isotonic linear 1", {"p": [10**400], "q": [0.5]}, "finite numbers"),
    ("Isotonic linear 1", {"p": [[0.1]], "q": [0.5]}, "a list of numbers"),
    ("Isotonic linear 1", {"p": [0.1]}, "q is missing"),
    ("Isotonic linear 1", {"p": 10**9, "q": 10**9}, "a list of numbers"),
    ("VennAbers log", {"p": [0.1], "p0": [0.5], "p1": [0.4]}, "p0 <= p1"),
    ("VennAbers log", {"p": [0.1], "p0": [1.0], "p1": [1.0]}, "p0 < 1"),
    ("VennAbers log", {"p": [0.1], "p0": [0.0], "p1": [0.0]}, "p1 > 0"),
    ("VennAbers log", {"p": [0.1, 0.2], "p0": [0.2, 0.1], "p1": [0.3, 0.4]}, "p0 .* never falling"),
    ("VennAbers log", {"p": [0.1, 0.2], "p0": [0.1, 0.2], "p1": [0.4, 0.3]}, "p1 .* never falling"),
]


@pytest.mark.parametrize(("name", "knots", "match"), KNOTS)
def test_knots_that_are_none_are_refused(name: str, knots: dict[str, Any], match: str) -> None:
    content = record(name)
    content["parameters"]["knots"] = knots
    refuse(content, match)


@pytest.mark.parametrize("name", ["events", "mean_forecast"])
def test_totals_of_other_classes_than_the_map_has_are_refused(name: str) -> None:
    of_event, of_classes = record(), record("Vector")
    of_event["training"][name] = [0.5, 0.5]
    refuse(of_event, rf"^training.{name} of a stored map must be one number; got \(0.5, 0.5\)")
    for value in (0.5, [0.5, 0.5]):
        of_classes["training"][name] = value
        refuse(
            of_classes, rf"^training.{name} of a stored map must be \d numbers, one a class; got"
        )


def test_certain_values_are_read_where_nothing_was_shrunk() -> None:
    content = record("Isotonic linear 0")
    content["parameters"]["knots"] = {"p": [0, 1], "q": [0, 1]}
    assert loads(json.dumps(content)).at(0.25) == 0.25


@pytest.mark.parametrize("name", MAPS)
def test_a_name_that_is_missing_is_refused(name: str) -> None:
    whole = record(name)
    for key in whole:
        refuse({x: value for x, value in whole.items() if x != key}, "must be|is missing")
    for key in whole["parameters"]:
        if key != "separated":
            left = {x: value for x, value in whole["parameters"].items() if x != key}
            refuse({**whole, "parameters": left}, f"{key} is missing")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "must be JSON; line 1"),
        ("null", "a map that properly has saved"),
        ("[]", "a map that properly has saved"),
        ('{"a": 1, "a": 2}', "'a' is there twice"),
        ('{"a": NaN}', "finite; got NaN"),
        ('{"a": [-Infinity]}', "finite; got -Infinity"),
        (b"\xff\xfe{}", "UTF-8; byte 0"),
        (b"\xef\xbb\xbf{}", "JSON"),
        ("[" * 200_000, "nested this deeply"),
        ('{"a":' * 200_000, "nested this deeply"),
        ('{"a": ' + "1" * 5000 + "}", "thousands of digits"),
        ('{"a": "\x01"}', "JSON"),
        ("{} {}", "JSON"),
    ],
)
def test_what_is_no_json_of_ours_is_refused(text: str | bytes, match: str) -> None:
    refuse(text, match)


@ALL
def test_a_text_that_ends_too_early_is_refused(mapping: Map) -> None:
    text = mapping.dumps()
    for end in np.linspace(0, len(text) - 1, 30).astype(int):
        refuse(text[:end], "must be JSON")


def test_infinity_may_hide_in_an_exponent() -> None:
    text = Logistic(intercept=0.125, slope=0.5).dumps()
    refuse(text.replace("0.125", "1e999"), "intercept .* finite number; got inf")


def test_maps_without_end_are_refused() -> None:
    inner = record("isotonic after beta")
    for _ in range(300):
        inner = {**inner, "parameters": {"maps": [inner]}}
    refuse(inner, "nested this deeply")


def test_both_versions_are_named() -> None:
    content = record() | {"version": 2, "made_with": "properly 9.8.7"}
    with pytest.raises(DataError) as refusal:
        loads(json.dumps(content))
    words = str(refusal.value)
    assert "version 2" in words
    assert "properly 9.8.7" in words
    assert f"this is properly {properly.__version__}" in words
    assert "pip install --upgrade" in words


@pytest.mark.parametrize(
    ("limit", "value", "match"),
    [("LARGEST", 100, "at most 0 MiB"), ("ENTRIES", 5, "at most 5 entries"), ("GROUPS", 1, "1 li")],
)
def test_what_is_too_large_is_refused(
    limit: str, value: int, match: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = MAPS["Logistic"].save(tmp_path / "map.json")
    monkeypatch.setattr(stored, limit, value)
    for text in (MAPS["Logistic"].dumps(), MAPS["Logistic"].dumps().encode()):
        refuse(text, match)
    with pytest.raises(DataError, match=match):
        load(path)


def test_a_file_without_end_is_read_no_further_than_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stored, "LARGEST", 2**20)
    with pytest.raises(DataError, match="at most 1 MiB"):
        load("/dev/zero")


@pytest.mark.parametrize("name", ["none.json", "", "a\0b", "x" * 5000])
def test_a_file_that_cannot_be_read_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot read the map"):
        load(f"{tmp_path}/{name}")


@pytest.mark.parametrize("text", [None, 3, {"format": "properly-map"}])
def test_what_is_no_text_is_refused(text: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="must be text"):
        loads(text)


def test_every_kind_that_is_written_is_read() -> None:
    kinds = {mapping.kind for mapping in MAPS.values()}
    assert kinds | {"group_shift", "separate"} == {name for name, _ in stored.KINDS}
    assert isinstance(MAPS["three"], Composition)
