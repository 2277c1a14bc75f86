"""What is said of a map, in words and in numbers."""

from __future__ import annotations

import math
import re
import warnings
from typing import Any

import numpy as np
import pytest

import properly
from properly import Cases
from properly.recalibration import Gain
from properly.recalibration._choice import folds_in_words, kind_in_words, saved, texts
from properly.rules import Brier, Elementary, Log

N = 2000
MOST_WORDS = 25


def gain(estimate: float, low: float, high: float, **more: Any) -> Gain:
    numbers: dict[str, Any] = {"standard_error": 1.0, "degrees": 9.0, "level": 0.95, "folds": 10}
    rest = {"design": "cases", "mean_change": 0.1, "in_sample": 0.1}
    return Gain("logistic", "log", estimate, interval=(low, high), **(numbers | rest | more))


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((0.012, 0.0081, 0.0162), "0.012 (95 % interval 0.008 to 0.016)"),
        # An end that is not zero is not written so, with one digit more for all.
        ((0.00134, 0.00044, 0.00266), "0.0013 (95 % interval 0.0004 to 0.0027)"),
        ((0.0152, 0.00000081, 0.031), "0.015 (95 % interval 0.0000008 to 0.031)"),
        ((-0.0000094, -0.000086, 0.000102), "-0.00001 (95 % interval -0.00009 to 0.00010)"),
        ((14.2, 3.1, 25.3), "14 (95 % interval 3 to 25)"),
        ((0.0, -0.2, 0.2), "0 (95 % interval -0.2 to 0.2)"),
        ((0.123456, math.nan, math.nan), "0.123"),
    ],
)
def test_numbers_end_where_the_interval_leaves_them_uncertain(
    numbers: tuple[float, float, float], text: str
) -> None:
    assert saved(gain(*numbers)) == text


@pytest.mark.parametrize(
    ("design", "text"),
    [("cases", "cases"), ("clusters", "whole clusters"), ("times", "blocks of time")],
)
def test_folds_are_named_by_what_they_keep_together(design: str, text: str) -> None:
    assert folds_in_words(gain(0.1, 0.0, 0.2, design=design)) == f"10 folds of {text}"


def test_a_map_of_ones_own_has_its_own_name() -> None:
    assert kind_in_words("beta") == "a beta map"
    assert kind_in_words("my map") == "the map my map"


def simulated(slope: float, shift: float) -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    z = rng.normal(-1, 1.2, N)
    return rng.random(N) < 1 / (1 + np.exp(-z)), 1 / (1 + np.exp(-slope * z - shift))


def said(y: Any, p: Any, kind: str = "auto", **options: Any) -> str:
    """Recalibrate, whatever is noted of certain forecasts meanwhile."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", properly.errors.DataWarning)
        return properly.recalibrate(Cases(y, p), kind, **options).sentence


def test_what_a_line_does_is_told() -> None:
    text = said(*simulated(2.0, 1.0), "logistic", name="the model")
    assert text.startswith("Recalibrating the model with a logistic map would save 0.")
    assert " of the log score on new cases." in text
    assert text.endswith("on average and become less extreme and lower throughout.")


def test_a_gain_whose_interval_begins_near_zero_is_said_to_be_too_high() -> None:
    rng = np.random.default_rng(3)
    p = rng.beta(0.5, 0.5, 200).clip(0.001, 0.999)
    y = rng.random(200) < 1 / (1 + np.sqrt(1 / p - 1))
    text = said(y, p, "logistic")
    assert (
        "on new cases. Expect less: a map is advised only if its interval lies above zero" in text
    )
    assert "Expect less" not in said(*simulated(2.0, 1.0), "logistic")


def test_where_a_curve_changes_most_is_told() -> None:
    text = said(*simulated(1.0, 1.5), "isotonic")
    assert re.search(r"on average, most of all those of \d+ % to \d+ %\.$", text), text


def test_the_name_of_a_rule_is_that_of_the_page() -> None:
    y, p = simulated(1.0, 1.5)
    assert " of the Brier score on new cases." in said(y, p, "logistic", rule=Brier())
    assert "mean regret at thresholds of 5 % to 20 % on" in said(y, p, within=(0.05, 0.2))
    at = said(y, p, "logistic", rule=Elementary(0.3))
    assert "regret at a threshold of 30 %" in at


def test_certain_forecasts_that_were_wrong_are_counted() -> None:
    y, p = simulated(2.0, 1.0)
    p[:200] = 0.0
    wrong = int(np.count_nonzero(y[:200]))
    text = said(y, p, "logistic")
    assert f"{wrong} forecasts of exactly 0 came true; forecasts of 0 become " in text
    p[200:260] = 1.0
    text = said(y, p, "isotonic")
    false = int(np.count_nonzero(~y[200:260]))
    assert f"{false} forecasts of exactly 1 did not come true; forecasts of 1 become " in text


def test_an_infinite_score_is_explained() -> None:
    y, p = simulated(2.0, 1.0)
    p[:200] = 0.0
    text = said(y, p, "logistic", rule=Log(), name="model")
    wrong = int(np.count_nonzero(y[:200]))
    assert text.startswith(
        f"{wrong} certain forecasts were wrong: the log score is infinite. Any finite map "
        "saves infinitely much of it; recalibrate model with a logistic map."
    )


@pytest.mark.slow
def test_nothing_to_gain_is_told_with_the_interval() -> None:
    y, p = simulated(1.0, 0.0)
    text = said(y, p, name="sharp")
    assert text.startswith("No recalibration of sharp was found to help: the best, a")
    assert re.search(r"would save -\S+ to \S+ \(95 % interval\) of the log score\.$", text), text
    text = said(y, p, "intercept", name="sharp")
    start = "Recalibrating sharp with a shift of the log odds was not found to help: it would save"
    assert text.startswith(start)
    assert said(y, p, "identity").endswith("it would save 0 of the log score.")


def test_where_nothing_helps_the_interval_is_that_of_the_choice_and_holds_zero() -> None:
    rng = np.random.default_rng(0)
    q = rng.beta(2, 3, 200)
    p = 1 / (1 + (1 / q - 1) ** 1.9)
    y = (rng.random(200) < q).astype(int)
    result = properly.recalibrate(properly.Cases(y, p), rng=1)
    assert not result.recommended
    # The interval of the best map by itself lies above zero.
    assert max(gain.interval[0] for gain in result.gains.values()) > 0 > result.gain.interval[0]
    _, low, high = texts(result.gain)
    assert low.startswith("-")
    assert f"choice included, a map would save {low} to {high} (95 % interval)" in result.sentence


def test_a_hostile_name_is_shown_and_not_obeyed() -> None:
    y, p = simulated(1.0, 1.5)
    assert "\x1b" not in said(y, p, "logistic", name="a\x1b[31mb")


@pytest.mark.slow
@pytest.mark.parametrize("slope", [1.0, 2.0])
@pytest.mark.parametrize("kind", ["auto", "logistic", "venn_abers"])
def test_sentences_are_short(slope: float, kind: str) -> None:
    y, p = simulated(slope, 0.5 * (slope > 1))
    p[:100] = 0.0
    for sentence in said(y, p, kind, within=(0.05, 0.2)).split(". "):
        assert len(re.findall(r"[A-Za-z][\w'-]*", sentence)) <= MOST_WORDS, sentence


def test_shares_near_all_have_no_exponent() -> None:
    p = np.tile([0.05, 0.3, 0.81, 0.9, 0.96, 0.996], 60)
    y = np.arange(360) // 6 < 60 * np.tile([0.05, 0.3, 0.5, 0.6, 0.65, 0.7], 60)
    sentence = said(y, p, "beta", rng=0)
    assert sentence.endswith("on average, most of all those of 81 % to 99.6 %.")
