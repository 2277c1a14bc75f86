"""What newcomers type: a name or an argument of another library is met by the line to write."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import properly
from properly._boundary._text import read_words
from properly.errors import ArgumentTypeError

WORDS = read_words("properly._boundary", "synonyms.toml")
RNG = np.random.default_rng(1)
p, q = RNG.random((2, 300))
P = np.stack([1 - p, 0.4 * p, 0.6 * p], axis=1)
y, d, t = RNG.random(300) < p, p > 0.5, np.arange(300)
TOLD: dict[str, Any] = {"properly": properly, "y": y, "p": p, "q": q, "P": P, "d": d, "t": t}
CALLS: dict[str, Any] = {
    "evaluate": lambda **named: properly.evaluate(y, p, **named),
    "compare": lambda **named: properly.compare(y, p, q, **named),
    "tally": lambda **named: properly.tally(y, p, **named),
    "Cases": lambda **named: properly.Cases(y, p, **named),
    "decompose": lambda **named: properly.decompose(y, p, **named),
    "by_fold": lambda **named: properly.by_fold(y, p, d, **named),
    "skill": lambda **named: properly.skill(y, p, **named),
}


@pytest.mark.parametrize("name", WORDS["names"])
def test_a_name_of_another_library_is_met_by_a_line_that_works(name: str) -> None:
    line = WORDS["names"][name]
    with pytest.raises(AttributeError) as caught:
        getattr(properly, name)
    assert str(caught.value) == f"module 'properly' has no attribute {name!r}; write {line}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for part in line.split(", or "):
            exec(part, dict(TOLD))  # noqa: S102


@pytest.mark.parametrize("name", ["ECE", "Expected_Calibration_Error", "brier_scores"])
def test_a_name_may_be_written_otherwise(name: str) -> None:
    with pytest.raises(AttributeError, match=r"write properly\.|did you mean properly\."):
        getattr(properly, name)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", sorted(WORDS["arguments"].keys() - {"missing"}))
def test_an_argument_of_another_library_is_met_by_ours(call: str, name: str) -> None:
    with pytest.raises(ArgumentTypeError) as caught:
        CALLS[call](**{name: 1})
    line = WORDS["arguments"][name]
    assert str(caught.value) == f"{call}() has no argument {name!r}\n\nHint: write {line}."


def test_other_unknown_arguments_are_refused_by_python() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        CALLS["evaluate"](colour=1)


@pytest.mark.parametrize(
    ("score", "estimate"),
    [
        ("brier_score", lambda: properly.score_interval(y, p, "brier")),
        ("log_loss", lambda: properly.score_interval(y, p, "log")),
        ("auc", lambda: properly.inference.auc_interval(y, p)),
    ],
)
def test_scores_by_name_are_those_of_their_intervals(score: str, estimate: Any) -> None:
    function = getattr(properly, score)
    assert function(y, p, interval=True) == estimate()
    assert function(y, p) == estimate().value
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of a number alone, nothing is said of its interval
        assert np.isfinite(function([0, 1, 1], [0.2, 0.4, 0.9]))
