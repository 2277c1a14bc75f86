"""Repairs of an evaluation: what recalibration would save on new cases, and what is said of it."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import properly
from properly import Cases, Evaluation
from properly.decisions import murphy_difference
from properly.evaluation import Repair
from properly.recalibration import Gain, Isotonic, Logistic, recalibration_gain
from properly.rules import Brier, Log, Regret

N = 600
WITHIN = (0.1, 0.4)
NAMES = ("sharp", "extreme", "high")


def simulated() -> tuple[Any, dict[str, Any]]:
    """Draw outcomes, and forecasts that are right, too extreme, and too high."""
    rng = np.random.default_rng(3)
    z = rng.normal(-1, 1.2, N)
    y = rng.random(N) < 1 / (1 + np.exp(-z))
    lines = {"sharp": (1, 0), "extreme": (2.5, 0), "high": (1, 1.5)}
    return y, {name: 1 / (1 + np.exp(-a * z - b)) for name, (a, b) in lines.items()}


Y, P = simulated()
CLUSTERS = np.arange(N) // 3


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    options: dict[str, Any] = {"within": WITHIN, "clusters": CLUSTERS, "replicates": 19, "rng": 4}
    return properly.evaluate(Y, P, recalibrate="auto", **options)


def same(one: Gain, other: Gain) -> None:
    """All numbers of two gains are the same, but for how sums are rounded."""
    for field in fields(one):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if isinstance(a, str | bool):
            assert a == b, field.name
        else:
            np.testing.assert_allclose(a, b, rtol=1e-11, err_msg=field.name)


def test_nothing_is_repaired_unless_asked() -> None:
    e = properly.evaluate(Y, P, replicates=0)
    assert e.repairs == {}
    assert "repairs" not in e.to_dict()
    assert not [name for name in e.to_frame("polars").columns if "gain" in name]
    assert "repair" not in {sentence.kind for sentence in e.verdict().sentences}


@pytest.mark.parametrize("name", NAMES)
def test_a_repair_is_what_its_own_functions_give(evaluation: Evaluation, name: str) -> None:
    cases = Cases(Y, P[name], clusters=CLUSTERS)
    alone = properly.recalibrate(cases, "auto", within=WITHIN, rng=4, name=name)
    repair = evaluation.repairs[name]
    assert repair.result.chosen == alone.chosen
    assert repair.result.sentence == alone.sentence
    same(repair.result.gain, alone.gain)
    after = properly.cross_fit(cases, alone.maps[repair.kind], rng=4)
    expected = properly.reliability(after.tally())
    assert repair.after is not None
    np.testing.assert_array_equal(repair.after.value, expected.value)
    np.testing.assert_array_equal(repair.after.recalibrated, expected.recalibrated)
    curve, found = (
        murphy_difference(cases, after, band="confidence").on_regret_scale(),
        repair.difference,
    )
    assert found is not None
    assert found.band is not None
    np.testing.assert_array_equal(found.left, curve.left)
    for rule in (Regret(WITHIN), Brier(), Log()):
        gain = recalibration_gain(cases, alone.maps[repair.kind], rule=rule, rng=4)
        same(repair.by_rule[rule.name], gain)


def net_benefit(p: Any, t: float) -> float:
    """Weigh a false alarm by the odds of the threshold."""
    return float(np.mean((p >= t) & Y) - np.mean((p >= t) & ~Y) * t / (1 - t))


@pytest.mark.parametrize("name", NAMES)
def test_net_benefit_is_gained_as_it_is_defined(evaluation: Evaluation, name: str) -> None:
    repair = evaluation.repairs[name]
    cases = Cases(Y, P[name], clusters=CLUSTERS)
    after = properly.cross_fit(cases, repair.result.maps[repair.kind], rng=4)
    assert sorted(repair.net_benefit) == [0.1, 0.2, 0.4]
    for t, gain in repair.net_benefit.items():
        old, new = (net_benefit(x.p, t) for x in (cases, after))
        assert gain.estimate == pytest.approx(new - old, abs=1e-12)
        assert gain.interval[0] < gain.estimate < gain.interval[1]


def test_only_what_helps_is_recommended(evaluation: Evaluation) -> None:
    advice = {name: repair.recommended for name, repair in evaluation.repairs.items()}
    assert advice == {"sharp": False, "extreme": True, "high": True}
    assert repr(evaluation.repairs["sharp"]).endswith("not recommended)")


def test_a_map_by_name_or_as_an_object() -> None:
    one = {"high": P["high"]}
    by_name = properly.evaluate(Y, one, recalibrate="isotonic", replicates=0, rng=1)
    as_map = properly.evaluate(Y, one, recalibrate=Isotonic(), replicates=0, rng=1)
    chosen = properly.evaluate(Y, one, recalibrate=[Logistic(), Isotonic()], replicates=0, rng=1)
    assert by_name.repairs["high"].kind == "isotonic"
    same(by_name.repairs["high"].result.gain, as_map.repairs["high"].result.gain)
    assert list(chosen.repairs["high"].result.gains) == ["logistic", "isotonic"]
    # Without a range, thresholds are around the event rate.
    assert len(by_name.repairs["high"].net_benefit) == 3


def test_the_rule_is_the_one_that_models_are_judged_by() -> None:
    e = properly.evaluate(
        Y, P["extreme"], rules=[Log(), Brier()], recalibrate="auto", replicates=0, rng=1
    )
    repair = e.repairs["forecast"]
    assert repair.result.gain.rule == "log"
    assert list(repair.by_rule) == ["log", "brier"]
    assert repair.gain("log") is repair.result.gain
    assert repair.gain("brier") is repair.by_rule["brier"]


def test_numbers_are_in_the_dict_and_in_the_frame(evaluation: Evaluation) -> None:
    numbers = json.loads(evaluation.to_json())["repairs"]
    assert set(numbers) == set(NAMES)
    high = numbers["high"]
    assert high["recommended"] is True
    assert high["gain"]["estimate"] == evaluation.repairs["high"].result.gain.estimate
    assert "isotonic" in high["before_the_choice"]
    assert set(high["net_benefit"]) == {"0.1", "0.2", "0.4"}
    frame = evaluation.to_frame("polars")
    row = frame.filter((frame["model"] == "high") & (frame["rule"] == evaluation.primary))
    assert row["gain_lower"][0] == evaluation.repairs["high"].result.gain.interval[0]
    assert math.isnan(frame["gain"][-1])


def test_an_evaluation_with_repairs_can_be_pickled(evaluation: Evaluation) -> None:
    copy = pickle.loads(pickle.dumps(evaluation))  # noqa: S301
    one, other = (e.repairs["high"].difference for e in (copy, evaluation))
    assert one is not None
    assert other is not None
    assert one.area() == other.area()


def test_a_difference_has_a_band_over_time() -> None:
    e = properly.evaluate(
        Y, P["high"], time=np.arange(N), recalibrate="logistic", replicates=0, rng=1
    )
    found = e.repairs["forecast"].difference
    assert found is not None
    assert found.band is not None
    assert found.band.method == "times"


def test_too_few_events_are_noted() -> None:
    y = np.zeros(50, dtype=bool)
    y[:3] = True
    p = np.linspace(0.01, 0.2, 50)[::-1]
    e = properly.evaluate(y, {"model": p}, recalibrate="auto", replicates=0, rng=1)
    assert e.repairs == {}
    assert "repairs of model: with 3 events no map can be judged" in e.notes


def test_a_verdict_has_sentences_about_repairs(evaluation: Evaluation) -> None:
    sentences = evaluation.verdict(cases="people").sentences
    kinds = [sentence.kind for sentence in sentences]
    assert kinds.index("repair") > kinds.index("calibration")
    texts = [sentence.text for sentence in sentences if sentence.kind == "repair"]
    assert sum(text.startswith("Recalibrating ") for text in texts) == 2
    (none,) = (text for text in texts if "No recalibration of sharp was found to help" in text)
    assert none.endswith("is what so many cases show by chance.")
    assert any("per 1,000 people (" in text for text in texts)
    assert texts[-1] == (
        "Maps were fitted on these cases and judged by 10 folds of whole clusters."
    )


def test_three_models_without_help_have_one_sentence() -> None:
    models = {f"model {k}": P["sharp"] for k in range(3)}
    e = properly.evaluate(Y, models, recalibrate="intercept", replicates=0, rng=1)
    texts = [x.text for x in e.verdict().sentences if x.kind == "repair"]
    assert texts[0] == (
        "No recalibration of model 0, model 1 and model 2 was found to help: no interval of what "
        "it would save lies above zero."
    )


def test_a_threshold_that_no_forecast_crosses_is_told() -> None:
    p = np.where(P["high"] > 0.5, 0.9, 0.7)
    e = properly.evaluate(
        Y, p, within=(0.02, 0.05), rules=Brier(), recalibrate="intercept", replicates=0, rng=1
    )
    repair = e.repairs["forecast"]
    assert isinstance(repair, Repair)
    assert {gain.estimate for gain in repair.net_benefit.values()} == {0.0}
