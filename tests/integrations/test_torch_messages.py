"""What losses and metrics of torch say of what they refuse, word for word."""

# A message is one line, so that it can be searched for.
# ruff: noqa: E501

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from properly.errors import (
    ArgumentTypeError,
    DataError,
    ImproperRuleError,
    ProperlyError,
)
from properly.rules import (
    PBS,
    PLL,
    RPS,
    Brier,
    Elementary,
    Log,
    Misclassification,
    MissedBenefit,
    Ranked,
    SquaredAbsoluteRPS,
)

if TYPE_CHECKING:
    from collections.abc import Callable

torch = pytest.importorskip(
    "torch", reason="torch is not installed; `make test-integrations` installs it"
)
from properly.integrations.torch import DecompositionMetric, RuleLoss, TallyMetric  # noqa: E402

NAN = math.nan
HALF = torch.tensor([0.5, 0.5])
TWO = torch.tensor([0, 1])
ROWS = torch.tensor([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]])


class Said(NamedTuple):
    error: type[ProperlyError]
    message: str
    call: Callable[[], Any]


def tensor(*values: Any) -> Any:
    return torch.tensor(values)


def event(p: Any, y: Any, weight: Any = None, **options: Any) -> Callable[[], Any]:
    return lambda: RuleLoss(Log(), **options)(p, y, weight)


def classes(p: Any, y: Any, weight: Any = None, **options: Any) -> Callable[[], Any]:
    return lambda: RuleLoss(RPS(), **options)(p, y, weight)


def third(metric: Any, *batch: Any) -> Callable[[], Any]:
    """Refuse the third batch."""

    def call() -> None:
        metric(HALF, TWO)
        metric(HALF, TWO)
        metric(*batch)

    return call


def tally_of_classes() -> None:
    metric = TallyMetric(Brier())
    metric.update(ROWS, TWO)
    metric.tally()


def tally_of_questions() -> None:
    metric = DecompositionMetric(RPS(), cells=2, classes=3)
    metric.update(ROWS, TWO)
    metric.tally()


def mixed() -> None:
    metric = TallyMetric(Brier())
    metric.update(ROWS, TWO)
    metric.update(HALF, TWO)


SAID = [
    Said(
        ArgumentTypeError,
        "this needs a rule of properly.rules; got <class 'properly.rules._brier.Brier'>\n\nHint: write the rule with parentheses, as in Brier(); parse_rule reads one from text.",
        lambda: RuleLoss(Brier),  # type: ignore[arg-type]
    ),
    Said(
        DataError,
        "a loss for training must not jump; the penalty of Penalized(rule=Brier()) has no gradient\n\nHint: such rules are for evaluation: TallyMetric(rule) follows one while Log() or Brier() trains.",
        lambda: RuleLoss(PBS()),
    ),
    Said(
        DataError,
        "a loss for training must not jump; the penalty of Penalized(rule=Log()) has no gradient\n\nHint: such rules are for evaluation: TallyMetric(rule) follows one while Log() or Brier() trains.",
        lambda: RuleLoss(PLL(), allow_improper=True),
    ),
    Said(
        DataError,
        "a loss for training must not jump; the jumps of Elementary(threshold=0.3) have no gradient\n\nHint: such rules are for evaluation: TallyMetric(rule) follows one while Log() or Brier() trains.",
        lambda: RuleLoss(Elementary(0.3)),
    ),
    Said(
        DataError,
        "a loss for training must not jump; the jumps of Misclassification() have no gradient\n\nHint: such rules are for evaluation: TallyMetric(rule) follows one while Log() or Brier() trains.",
        lambda: RuleLoss(Misclassification()),
    ),
    Said(
        DataError,
        "a loss for training must not jump; the jumps of Ranked(rule=Elementary(threshold=0.3)) have no gradient\n\nHint: such rules are for evaluation: TallyMetric(rule) follows one while Log() or Brier() trains.",
        lambda: RuleLoss(Ranked(Elementary(0.3))),
    ),
    Said(
        ImproperRuleError,
        "a loss for training must be proper; under SquaredAbsoluteRPS() some other forecast beats the true probability\n\nHint: allow_improper=True trains with it all the same.",
        lambda: RuleLoss(SquaredAbsoluteRPS()),
    ),
    Said(
        DataError,
        "from_logits must be True or False; got 1",
        lambda: RuleLoss(Brier(), from_logits=1),  # type: ignore[arg-type]
    ),
    Said(
        DataError,
        "reduction must be 'mean', 'sum' or 'none'; got 'average'",
        lambda: RuleLoss(Brier(), reduction="average"),  # type: ignore[arg-type]
    ),
    Said(
        DataError,
        "compile must be True or False; got 'yes'",
        lambda: RuleLoss(Brier(), compile="yes"),  # type: ignore[arg-type]
    ),
    Said(
        DataError,
        "allow_improper must be True or False; got None",
        lambda: RuleLoss(Brier(), allow_improper=None),  # type: ignore[arg-type]
    ),
    Said(
        ArgumentTypeError,
        "forecasts must be a tensor; got list\n\nHint: torch.as_tensor makes one.",
        event([0.5], TWO),
    ),
    Said(
        ArgumentTypeError,
        "targets must be a tensor; got list\n\nHint: torch.as_tensor makes one.",
        event(HALF, [0, 1]),
    ),
    Said(
        ArgumentTypeError,
        "weights must be a tensor; got float\n\nHint: torch.as_tensor makes one.",
        event(HALF, TWO, 1.0),
    ),
    Said(
        ArgumentTypeError,
        "forecasts must be floating-point numbers; got torch.int64\n\nHint: forecasts come first, then targets, as in torch; were the two swapped?",
        event(TWO, HALF),
    ),
    Said(
        ArgumentTypeError,
        "targets must be real numbers; got torch.complex64",
        event(HALF, TWO.to(torch.complex64)),
    ),
    Said(
        DataError,
        "forecasts and targets of one event must have the same shape; got (2, 1) and (2,)\n\nHint: write forecasts.squeeze(-1); side by side, each row would meet all others.",
        event(HALF[:, None], TWO),
    ),
    Said(
        DataError,
        "forecasts and targets of one event must have the same shape; got (2,) and (2, 1)\n\nHint: write targets.squeeze(-1); side by side, each row would meet all others.",
        event(HALF, TWO[:, None]),
    ),
    Said(
        DataError,
        "forecasts and targets of one event must have the same shape; got (2,) and (1,)",
        event(HALF, TWO[:1]),
    ),
    Said(
        DataError,
        "forecasts and targets of one event must have the same shape; got (2, 3) and (2,)\n\nHint: MissedBenefit() prices one event; Ranked(rule) prices ordered classes.",
        lambda: RuleLoss(MissedBenefit())(ROWS, TWO),
    ),
    Said(
        DataError,
        "forecasts and targets of one event must have the same shape; got (2, 3) and (3,)",
        event(ROWS, tensor(0, 1, 2)),
    ),
    Said(
        DataError,
        "forecasts of classes must have shape (n, K) or (n, K, …), with K of 2 or more; got (2,)\n\nHint: for the probability of one event, take a rule such as Brier().",
        classes(HALF, TWO),
    ),
    Said(
        DataError,
        "forecasts of classes must have shape (n, K) or (n, K, …), with K of 2 or more; got (2, 1)\n\nHint: for the probability of one event, take a rule such as Brier().",
        classes(HALF[:, None], TWO),
    ),
    Said(
        DataError,
        "targets of classes must have the shape of the forecasts without the class dimension, (2,); got (3,)",
        classes(ROWS, tensor(0, 1, 2)),
    ),
    Said(
        DataError,
        "targets of classes must have the shape of the forecasts without the class dimension, (2,); got (2, 3)\n\nHint: soft labels are refused: a rule prices what happened, not a mixture of it. And rows with a single 1 become class numbers by targets.argmax(1).",
        classes(ROWS, ROWS),
    ),
    Said(
        ArgumentTypeError,
        "targets of classes must be whole numbers; got torch.float32\n\nHint: soft labels are refused: a rule prices what happened, not a mixture of it. Class numbers are targets.long().",
        classes(ROWS, TWO.float()),
    ),
    Said(
        DataError,
        "weights must have one entry for each cut between classes, 3 for 4 classes; got 2",
        lambda: RuleLoss(RPS([1, 2]))(torch.full((2, 4), 0.25), TWO),
    ),
    Said(
        DataError,
        "weights must have the shape of the targets, (2,); got (1,)",
        event(HALF, TWO, HALF[:1]),
    ),
    Said(
        DataError,
        "forecasts and targets must be on one device; got cpu and meta\n\nHint: move them with .to(forecasts.device).",
        event(HALF, TWO.to("meta")),
    ),
    Said(
        DataError,
        "forecasts, targets and weights must be on one device; got cpu and meta\n\nHint: move them with .to(forecasts.device).",
        event(HALF, TWO, HALF.to("meta")),
    ),
    Said(
        DataError,
        "a batch must not be empty; batch 0 has forecasts of shape (0,)",
        event(HALF[:0], TWO[:0]),
    ),
    Said(
        DataError,
        "a batch must not be empty; batch 0 has forecasts of shape (0, 3)",
        classes(ROWS[:0], TWO[:0]),
    ),
    Said(
        DataError,
        "forecasts must not be NaN; batch 0, row 1 is nan (2 such rows)",
        event(tensor(0.5, NAN, NAN), tensor(0, 1, 1)),
    ),
    Said(
        DataError,
        "logits must not be NaN; batch 0, row 1 is nan",
        event(tensor(0.5, NAN), TWO, from_logits=True),
    ),
    Said(
        DataError,
        "forecasts must be probabilities in [0, 1]; batch 0, row 1 is 1.5 (2 such rows)\n\nHint: for logits, pass from_logits=True; nothing is guessed.",
        event(tensor(0.5, 1.5, -0.5), tensor(0, 1, 1)),
    ),
    Said(
        DataError,
        "forecasts must be probabilities in [0, 1]; batch 0, row 0, column 1 is 1.5 (3 such entries)\n\nHint: for logits, pass from_logits=True; nothing is guessed.",
        event(tensor([0.5, 1.5], [7.0, 8.0]), tensor([0, 1], [0, 0])),
    ),
    Said(
        DataError,
        "forecasts must be probabilities in [0, 1]; batch 0, row 0, position (1, 0) is 1.5\n\nHint: for logits, pass from_logits=True; nothing is guessed.",
        event(tensor(0.5, 1.5).reshape(1, 2, 1), TWO.reshape(1, 2, 1)),
    ),
    Said(
        DataError,
        "class probabilities must not be NaN; batch 0, row 1, class 1 is nan",
        classes(tensor([0.5, 0.5, 0.0], [0.5, NAN, 0.5]), TWO),
    ),
    Said(
        DataError,
        "class probabilities must be zero or more; batch 0, row 1, class 1 is -1.5\n\nHint: for logits, pass from_logits=True; nothing is guessed.",
        classes(tensor([0.5, 0.5, 0.0], [2.5, -1.5, 0.0]), TWO),
    ),
    Said(
        DataError,
        "rows of class probabilities must sum to 1 within 0.00035; batch 0, row 1 sums to 4 (2 such rows)\n\nHint: for logits, pass from_logits=True; nothing is guessed.",
        classes(tensor([0.5, 0.6, 0.0], [2.5, 1.5, 0.0]), TWO),
    ),
    Said(
        DataError,
        "rows of class probabilities must sum to 1 within 1e-06; batch 0, row 0 sums to 1.1\n\nHint: for logits, pass from_logits=True; nothing is guessed.",
        classes(tensor([0.5, 0.6, 0.0], [0.2, 0.3, 0.5]).double(), TWO),
    ),
    Said(
        DataError,
        "rows of class probabilities must sum to 1 within 0.031; batch 0, row 0 sums to 1.1001\n\nHint: for logits, pass from_logits=True; nothing is guessed.",
        classes(tensor([0.5, 0.6, 0.0], [0.2, 0.3, 0.5]).half(), TWO),
    ),
    Said(
        DataError,
        "logits must not be NaN; batch 0, row 0 is nan (2 such rows)",
        classes(tensor([0.5, NAN, 0.0], [0.5, NAN, 0.5]), TWO, from_logits=True),
    ),
    Said(
        DataError,
        "targets of one event must be 0 or 1; batch 0, row 1 is 0.25\n\nHint: soft labels are refused: a rule prices what happened, not a mixture of it.",
        event(HALF, tensor(0.0, 0.25)),
    ),
    Said(
        DataError,
        "targets of one event must be 0 or 1; batch 0, row 1 is nan",
        event(HALF, tensor(0.0, NAN)),
    ),
    Said(
        DataError,
        "targets of one event must be 0 or 1; batch 0, row 1 is 2\n\nHint: classes need a rule that prices them, and forecasts with a column for each.",
        event(HALF, tensor(1, 2)),
    ),
    Said(
        DataError,
        "targets of one event must be 0 or 1; batch 0, row 1 is 2",
        event(HALF, tensor(1.0, 2.0)),
    ),
    Said(
        DataError,
        "targets must be class numbers from 0 to 2; batch 0, row 1 is 3",
        classes(ROWS, tensor(0, 3)),
    ),
    Said(
        DataError,
        "targets must be class numbers from 0 to 2; batch 0, row 0 is -1 (2 such rows)",
        classes(ROWS, tensor(-1, 7)),
    ),
    Said(
        DataError,
        "weights must be finite and not negative; batch 0, row 1 is -1",
        event(HALF, TWO, tensor(1.0, -1.0)),
    ),
    Said(
        DataError,
        "weights must be finite and not negative; batch 0, row 0 is nan (2 such rows)",
        event(HALF, TWO, tensor(NAN, math.inf)),
    ),
    Said(
        DataError,
        "a mean needs at least one positive weight; all 2 of batch 0 are 0",
        event(HALF, TWO, tensor(0, 0)),
    ),
    Said(
        DataError,
        "the loss must not be NaN; that of batch 0, row 0 is\n\nHint: what was given there is [inf, 0.0, 0.0].",
        classes(tensor([math.inf, 0.0, 0.0], [0.0, 0.0, 0.0]), TWO, from_logits=True),
    ),
    Said(
        DataError,
        "the loss must not be NaN; that of batch 0, row 0 is (2 such rows)\n\nHint: what was given there is [-inf, -inf, -inf].",
        classes(torch.full((2, 3), -math.inf), TWO, from_logits=True),
    ),
    Said(
        DataError,
        "forecasts must be probabilities in [0, 1]; batch 2, row 1 is 1.5\n\nHint: for logits, pass from_logits=True; nothing is guessed.",
        third(RuleLoss(Brier()), tensor(0.5, 1.5), TWO),
    ),
    Said(
        DataError,
        "forecasts must not be NaN; batch 2, row 1 is nan",
        third(TallyMetric(Brier()), tensor(0.5, NAN), TWO),
    ),
    Said(
        DataError,
        "logits must not be NaN; batch 2, row 1 is nan",
        third(TallyMetric(Brier(), from_logits=True), tensor(0.5, NAN), TWO),
    ),
    Said(
        DataError,
        "targets of one event must be 0 or 1; batch 2, row 1 is 2\n\nHint: classes need a rule that prices them, and forecasts with a column for each.",
        third(TallyMetric(Brier()), HALF, tensor(0, 2)),
    ),
    Said(
        DataError,
        "a metric and its batches must be on one device; got cpu and meta\n\nHint: move the metric: metric.to('meta').",
        third(TallyMetric(Brier()), HALF.to("meta"), TWO.to("meta")),
    ),
    Said(
        ArgumentTypeError,
        "this needs a rule of properly.rules; got <class 'properly.rules._brier.Brier'>\n\nHint: write the rule with parentheses, as in Brier(); parse_rule reads one from text.",
        lambda: TallyMetric(Brier),  # type: ignore[arg-type]
    ),
    Said(
        DataError,
        "cells must be a power of two, 16777216 at most; got 1000\n\nHint: then no forecast is rounded into another cell.",
        lambda: TallyMetric(Brier(), cells=1000),
    ),
    Said(
        DataError,
        "from_logits must be True or False; got 'no'",
        lambda: TallyMetric(Brier(), from_logits="no"),  # type: ignore[arg-type]
    ),
    Said(
        DataError,
        "a score needs at least one case; there was none since the last reset\n\nHint: call update(preds, target) first.",
        lambda: TallyMetric(Brier()).compute(),
    ),
    Said(
        DataError,
        "a score needs at least one case; there was none since the last reset\n\nHint: call update(preds, target) first.",
        lambda: TallyMetric(RPS()).tally(),
    ),
    Said(
        DataError,
        "a tally is that of one event; TallyMetric(Brier(), from_logits=False, cells=1024) was given classes\n\nHint: DecompositionMetric(rule, classes=K) splits a score of classes.",
        tally_of_classes,
    ),
    Said(
        DataError,
        "a tally is that of one event; DecompositionMetric(RPS(), from_logits=False, cells=2, classes=3) was given classes\n\nHint: DecompositionMetric(rule, classes=K) splits a score of classes.",
        tally_of_questions,
    ),
    Said(
        DataError,
        "a metric is of one event or of classes; got one event after classes\n\nHint: make one metric for each.",
        mixed,
    ),
    Said(
        DataError,
        "metrics are merged if they are alike; got TallyMetric(Brier(), from_logits=False, cells=1024) and TallyMetric(Log(), from_logits=False, cells=1024)",
        lambda: TallyMetric(Brier()).merge_state(TallyMetric(Log())),
    ),
    Said(
        DataError,
        "a state to be merged must have all sums and extremes of the metric; it lacks ['sums_of_Brier', 'counts', 'extremes']\n\nHint: metric.metric_state has them.",
        lambda: TallyMetric(Brier()).merge_state({}),
    ),
    Said(
        DataError,
        "RPS() prices classes, whose number must be known; got classes=None\n\nHint: write DecompositionMetric(RPS(), classes=K).",
        lambda: DecompositionMetric(RPS()),
    ),
    Said(
        DataError,
        "MissedBenefit() prices one event, which has no classes; got classes=3\n\nHint: Ranked(rule) prices ordered classes.",
        lambda: DecompositionMetric(MissedBenefit(), classes=3),
    ),
    Said(
        DataError,
        "a score of classes can be decomposed if it adds up scores of yes-or-no questions; Log() is no such sum\n\nHint: RPS(), RankedLog(), Ranked(rule) and Brier() are.",
        lambda: DecompositionMetric(Log(), classes=3),
    ),
    Said(
        DataError,
        "a score of classes can be decomposed if it adds up scores of yes-or-no questions; Penalized(rule=Brier()) is no such sum\n\nHint: RPS(), RankedLog(), Ranked(rule) and Brier() are.",
        lambda: DecompositionMetric(PBS(), classes=3),
    ),
    Said(
        ImproperRuleError,
        "only a proper rule can be decomposed; SquaredAbsoluteRPS() is improper, so the parts would have no meaning\n\nHint: TallyMetric(rule) follows its mean.",
        lambda: DecompositionMetric(SquaredAbsoluteRPS(), classes=3),
    ),
    Said(
        DataError,
        "there must be at least two classes; got 1",
        lambda: DecompositionMetric(Brier(), classes=1),
    ),
    Said(
        DataError,
        "this metric was made for 4 classes; batch 0 has 3 classes\n\nHint: classes= says how many there are; None is one event.",
        lambda: DecompositionMetric(Brier(), classes=4).update(ROWS, TWO),
    ),
    Said(
        DataError,
        "this metric was made for 4 classes; batch 0 has one event\n\nHint: classes= says how many there are; None is one event.",
        lambda: DecompositionMetric(Brier(), classes=4).update(HALF, TWO),
    ),
    Said(
        DataError,
        "this metric was made for one event; batch 0 has 3 classes\n\nHint: classes= says how many there are; None is one event.",
        lambda: DecompositionMetric(Brier()).update(ROWS, TWO),
    ),
]


# torchmetrics warns before it asks us.
@pytest.mark.filterwarnings("ignore:The ``compute`` method of metric:UserWarning")
@pytest.mark.parametrize("said", SAID, ids=lambda said: said.message[:60])
def test_a_message_is_word_for_word(said: Said) -> None:
    with pytest.raises(said.error) as caught:
        said.call()
    assert str(caught.value) == said.message
    assert type(caught.value) is said.error
