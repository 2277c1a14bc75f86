"""Every message about evaluations of summaries, word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.evaluation.test_evaluate_class_summary import gathered, summary_of
from tests.evaluation.test_summed_groups import found_of
from tests.evaluation.test_summed_groups import summary_of as groups_of

from properly.errors import DataError
from properly.rules import RPS, Brier

if TYPE_CHECKING:
    from collections.abc import Callable

ORDER = "\n\nHint: task='ordinal' takes the columns in their order."
SAID: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: gathered(summary_of([Brier()]), "binary"),
        "the summary is of 3 classes; the task is 'binary'",
    ),
    (
        lambda: gathered(summary_of([RPS()]), "multiclass"),
        f"RPS() needs ordered classes; the task is 'multiclass'{ORDER}",
    ),
    (
        lambda: found_of(groups_of(Brier(), groups=["all"]), Brier()),
        (
            "a group is compared with the rest; got the single group 'all'\n\n"
            "Hint: score_interval judges all cases together."
        ),
    ),
]


@pytest.mark.parametrize(("call", "said"), SAID, ids=[said[:30] for _, said in SAID])
def test_a_message_is_word_for_word(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(DataError) as error:
        call()
    assert str(error.value) == said
