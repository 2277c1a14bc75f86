"""`evaluate` says what looks like a mistake, as it happens to newcomers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import properly
from properly import evaluate

if TYPE_CHECKING:
    from pathlib import Path

RNG = np.random.default_rng(11)
P = RNG.beta(1, 3, 400).round(4)
Y = (RNG.random(400) < P).astype(int)
TABLE = RNG.dirichlet([2, 2, 2], 400)
GRADES = RNG.integers(0, 3, 400)
COPY = "the model other is a copy of one: their forecasts are the same in every row"


def notes(forecasts: Any, y: Any = Y, **options: Any) -> tuple[str, ...]:
    return evaluate(y, forecasts, replicates=0, **options).notes


def test_nothing_is_said_of_sound_forecasts() -> None:
    assert notes({"one": P, "other": P**0.9}) == ()
    crash = properly.datasets.crash()
    assert notes(crash.forecasts, crash.died, within=(0.01, 0.1)) == ()


def test_decisions_in_place_of_probabilities() -> None:
    said = "all forecasts of forecast are 0 or 1, as decisions are; scores and calibration need"
    decided = (P > 0.5).astype(int)  # what predict gives
    assert notes(decided)[0].startswith(said)
    assert notes(decided, weight=RNG.random(400))[0].startswith(said)
    assert not notes(np.where(P > 0.8, 0.9, decided))
    labels = np.eye(3)[TABLE.argmax(axis=1)]
    assert notes(labels, GRADES)[0].startswith(said)
    labels[7] = 1 / 3
    assert not notes(labels, GRADES)


def test_the_probability_of_the_other_outcome() -> None:
    (note,) = notes({"one": P, "first column": 1 - P})
    assert note.startswith(
        "events have lower forecasts than non-events by first column, with an AUC "
    )
    assert note.endswith(": is it 1 - p, the probability of the other outcome?")
    assert not notes(RNG.random(400))


def test_a_note_that_asks_ends_with_its_question_mark_in_the_verdict() -> None:
    e = properly.evaluate(Y, {"one": P, "first column": 1 - P}, replicates=0)
    (asked,) = [x for x in str(e.verdict()).split("\n\n") if "1 - p" in x]
    assert asked.endswith("other outcome?")


def test_percentages_that_were_divided_twice() -> None:
    (note,) = notes({"one": P, "percent": P / 100})
    assert note.startswith("no forecast of percent is above 0.0")
    assert note.endswith("the event rate, 0.22: were percentages divided by 100 twice?")
    rare = RNG.random(40_000) / 300
    assert not notes(rare, (RNG.random(40_000) < rare * 2).astype(int))


@pytest.mark.parametrize("order", [[0, 1, 2], [1, 0, 2], [1, 2, 0], [2, 1, 0]])
def test_columns_in_another_order_are_named(order: list[int]) -> None:
    happened = (RNG.random(400)[:, None] > np.cumsum(TABLE, axis=1)).sum(axis=1)
    said = " ".join(notes(TABLE[:, order], happened))
    named = f"right if its columns were {', '.join(map(str, order))}: are they in the order"
    assert (named in said) is (order != [0, 1, 2])


def test_a_copy() -> None:
    assert notes({"one": P, "other": P.copy(), "third": P**2}) == (COPY,)
    thrice = notes({"one": P, "other": P, "third": P})
    assert thrice == (COPY, COPY.replace("other", "third"))
    assert notes({"one": TABLE, "other": TABLE}, GRADES) == (COPY,)
    # The same scores of other rows are none.
    assert not notes({"one": np.full(400, 0.2), "other": np.full(400, 0.2 + 1e-9)})


def test_a_frame_that_was_summed_up_is_doubted_as_far_as_sums_go() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"y": Y, "p": 1 - P, "d": (P > 0.5).astype(float)})
    summary = properly.summarize(frame, ["p", "d"], outcome="y")
    said = evaluate(summary, replicates=0).notes
    assert said[0].startswith("events have lower forecasts than non-events by p, ")
    assert said[1].startswith("all forecasts of d are 0 or 1")


def test_verdict_and_page_say_it_once(tmp_path: Path) -> None:
    e = evaluate(Y, {"one": P, "other": P}, replicates=0)
    assert " ".join(str(e.verdict()).split()).count(COPY[1:]) == 1
    assert COPY[1:] in e.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert COPY in str(e)


def test_names_are_shown_and_not_obeyed() -> None:
    assert "\x1b" not in "".join(notes({"one": P, "\x1b[2Jred": P}))
