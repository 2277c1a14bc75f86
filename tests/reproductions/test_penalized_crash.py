"""What a penalized score is made of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from reproductions.penalties.crash import Injuries, Rivalry, injuries, rounded
from tests.score_oracles import corrected

from properly.datasets import crash
from properly.rules import PBS


@pytest.fixture(scope="module")
def found() -> Injuries:
    return injuries()


def test_the_columns_by_hand(found: Injuries) -> None:
    data = crash()
    known = data.severity >= 0
    y, p = data.severity[known], data.severity_probabilities[known]
    assert (found.n, found.classes) == (len(y), 5)
    hot = np.eye(5)[y]
    model, flat = found.by_name["model"], found.by_name["class shares"]
    assert model.brier == pytest.approx(np.mean(np.sum((p - hot) ** 2, axis=1)))
    assert model.error == pytest.approx(np.mean(np.argmax(p, axis=1) != y))
    often = np.bincount(y) / len(y)
    # A constant that is right on average costs what it expects to.
    assert flat.brier == pytest.approx(1 - often @ often)
    assert flat.error == pytest.approx(1 - often.max())


def test_pbs_is_the_brier_score_and_the_error_rate(found: Injuries) -> None:
    for model in found.models:
        assert model.pbs == pytest.approx(model.brier + 0.8 * model.error, abs=1e-12)


def test_sharpening_keeps_the_decisions(found: Injuries) -> None:
    assert len({found.by_name[n].error for n in ("model", "sharpened p^2", "sharpened p^4")}) == 1
    sharpened = next(r for r in found.rivals if r.second == "sharpened p^2")
    assert (sharpened.error, sharpened.error_error) == (0, 0)
    assert sharpened.switch is None
    assert {sharpened.prefers(x) for x in (0, 1, 100)} == {"model"}


def test_each_pair_changes_sides_where_pbs_does(found: Injuries) -> None:
    data = crash()
    known = data.severity >= 0
    y, p = data.severity[known], data.severity_probabilities[known]
    sharp = p**4 / np.sum(p**4, axis=1, keepdims=True)
    flat = np.tile(np.bincount(y) / len(y), (len(y), 1))
    (pair,) = (r for r in found.rivals if r.switch is not None)
    assert (pair.first, pair.second) == ("sharpened p^4", "class shares")
    assert pair.switch is not None
    assert pair.switch == pytest.approx(0.9333, abs=5e-5)
    for penalty, better in ((0.99 * pair.switch, flat), (1.01 * pair.switch, sharp)):
        worse = sharp if better is flat else flat
        assert PBS(penalty=penalty)(y, better) < PBS(penalty=penalty)(y, worse)
        assert pair.prefers(penalty) == (pair.second if better is flat else pair.first)
    # The scale of the published package, and no other, is on the far side.
    assert {n: pair.prefers(x) for n, x in found.penalties.items()} == {
        "least": "class shares",
        "paper": "class shares",
        "package": "sharpened p^4",
    }
    assert found.penalties == pytest.approx({"least": 0.3, "paper": 0.8, "package": 4.0})
    package = PBS(scale="published_code")
    assert package(y, sharp) < package(y, flat)


def test_rounding_pays_if_ties_are_right(found: Injuries) -> None:
    model, tenths = found.by_name["model"], found.by_name["rounded to tenths"]
    assert tenths.brier > model.brier
    assert tenths.pbs > model.pbs
    assert tenths.pbs_any_correct < model.pbs_any_correct == model.pbs
    text = " ".join(str(found).split())
    assert "if ties are shared: model; if every tied class is right: rounded to tenths." in text


def test_rounded_rows_are_multiples_that_sum_to_one() -> None:
    p = np.array([[0.26, 0.26, 0.48], [1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]])
    # Remainders of 0.6, 0.6 and 0.8 share two tenths: the largest, then the first.
    assert rounded(p, 10).tolist() == [[0.3, 0.2, 0.5], [1, 0, 0], [0.4, 0.3, 0.3]]


def test_a_penalty_decides_between_two_that_win_one_each() -> None:
    both = Rivalry("a", "b", -0.1, 0.01, -0.2, 0.01, None)
    assert both.prefers(0) == both.prefers(1000) == "a"
    split = replace(both, error=0.2, switch=0.5)
    assert (split.prefers(0.4), split.prefers(0.6)) == ("a", "b")


def test_pairs_are_told_by_who_wins(found: Injuries) -> None:
    lines = str(found).splitlines()
    (always,) = (line for line in lines if line.startswith("model - class shares"))
    assert always.endswith("  model, always")
    (turns,) = (line for line in lines if line.startswith("sharpened p^4 - class shares"))
    assert turns.endswith("  as below")
    told = "sharpened p^4 and class shares change sides at a penalty of 0.9333. The better one by"
    assert told in " ".join(lines)


def test_standard_errors_allow_for_accidents(found: Injuries) -> None:
    data = crash()
    known = data.severity >= 0
    y, p, accident = data.severity[known], data.severity_probabilities[known], data.cluster[known]
    often = np.bincount(y) / len(y)
    gap = np.sum((p - np.eye(5)[y]) ** 2, axis=1) - np.sum((often - np.eye(5)[y]) ** 2, axis=1)
    totals = [np.sum(gap[accident == a] - gap.mean()) for a in np.unique(accident)]
    factor, _ = corrected(np.unique(accident, return_counts=True)[1])
    by_hand = np.sqrt(np.sum(factor * np.square(totals))) / len(y)
    pair = next(r for r in found.rivals if (r.first, r.second) == ("model", "class shares"))
    assert (pair.brier, pair.brier_error) == pytest.approx((gap.mean(), by_hand))
    # Persons in one accident are alike: alone, they would seem to tell more.
    assert pair.brier_error > np.std(gap, ddof=1) / np.sqrt(len(y))
