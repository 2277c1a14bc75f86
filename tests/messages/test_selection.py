"""Every error message about training runs and the epochs they select, word for word."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from properly.comparison._agreement import metric_agreement
from properly.comparison._blocks import BlockCrossValidation
from properly.comparison._epochs import BestEpoch, EarlyStopping, as_names, read_history
from properly.comparison._selection import TrainingRun, selection_report
from properly.errors import ArgumentTypeError, DataError
from properly.plots._training import training

TWO = {"log": [0.2, 0.1], "macro_f1": [0.3, 0.4]}
RUN = TrainingRun(TWO, TWO)


def fed(watch: Any, *values: float) -> Any:
    for epoch, value in enumerate(values):
        watch.update(epoch, value)
    return watch


def select(**known: Any) -> Any:
    asked: dict[str, Any] = {"by": "log", "report": "macro_f1"} | known
    runs = asked.pop("runs", [RUN, RUN])
    return selection_report(runs, **asked)


SAID: list[tuple[type[Exception], str, Any]] = [
    # best epochs
    (DataError, "mode must be 'min' or 'max'; got 'least'", lambda: BestEpoch(mode="least")),  # type: ignore[arg-type]
    (
        DataError,
        "min_delta must be zero or more, and finite; got -0.1",
        lambda: BestEpoch(min_delta=-0.1),
    ),
    (
        DataError,
        "min_delta must be zero or more, and finite; got nan",
        lambda: BestEpoch(min_delta=math.nan),
    ),
    (
        ArgumentTypeError,
        "the min_delta must be a number; got 'much'",
        lambda: EarlyStopping(3, min_delta="much"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "an epoch must be a whole number, 0 or more; got 1.5",
        lambda: BestEpoch().update(1.5, 0.1),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "an epoch must be a whole number, 0 or more; got -1",
        lambda: BestEpoch().update(-1, 0.1),
    ),
    (
        DataError,
        (
            "epochs must come in order, each of them once; epoch 1 came after epoch 1"
            "\n\nHint: each training run needs an object of its own."
        ),
        lambda: fed(BestEpoch(), 0.2, 0.1).update(1, 0.3),
    ),
    (
        DataError,
        (
            "the best epoch needs values that can be ordered; got NaN at epoch 7"
            "\n\nHint: training has diverged: stop it, or take smaller steps."
        ),
        lambda: BestEpoch().update(7, math.nan),
    ),
    (
        ArgumentTypeError,
        "the value of epoch 3 must be a number; got None",
        lambda: BestEpoch().update(3, None),  # type: ignore[arg-type]
    ),
    (DataError, "patience must be a whole number, 1 or more; got 0", lambda: EarlyStopping(0)),
    (
        DataError,
        (
            "training was to stop at epoch 1; got epoch 2 after it"
            "\n\nHint: leave the loop as soon as update returns True."
        ),
        lambda: fed(EarlyStopping(1), 0.1, 0.2, 0.3),
    ),
    # histories
    (
        ArgumentTypeError,
        (
            "a history must be a dict of values by metric, or a data frame; got list"
            "\n\nHint: write {'log': [0.9, 0.7], 'macro_f1': [0.2, 0.4]}."
        ),
        lambda: read_history([0.1, 0.2]),
    ),
    (
        DataError,
        "a history must have metrics, with names that differ as text; got []",
        lambda: read_history({}),
    ),
    (
        DataError,
        "a history must have metrics, with names that differ as text; got [1, '1']",
        lambda: read_history({1: [0.1], "1": [0.2]}),
    ),
    (
        DataError,
        (
            "a history must have as many values of each metric as there are epochs; got "
            "2 of 'log' and 1 of 'brier'"
        ),
        lambda: read_history({"log": [0.1, 0.2], "brier": [0.1]}),
    ),
    (
        DataError,
        (
            "values of 'log' in a history must be known at every epoch; that of epoch 1 is nan (2 such epochs)"
            "\n\nHint: leave such epochs out of all metrics."
        ),
        lambda: read_history({"log": np.array([0.1, np.nan, np.nan], dtype=np.float32)}),
    ),
    (
        DataError,
        (
            "values of 'log' in a validation history must be known at every epoch; that of epoch 0 is None"
            "\n\nHint: leave such epochs out of all metrics."
        ),
        lambda: TrainingRun({"log": [None, 0.1]}, TWO),
    ),
    (
        DataError,
        (
            "values of 'log' in a test history must be numbers; row 0 is 'low'"
            "\n\nHint: convert text to numbers first."
        ),
        lambda: TrainingRun(TWO, {"log": ["low", 0.1]}),
    ),
    (
        DataError,
        "values of 'log' in a history must not be empty; got 0 rows",
        lambda: read_history({"log": []}),
    ),
    (
        DataError,
        "values of 'log' in a history must be one-dimensional; got an array of shape (2, 1)",
        lambda: read_history({"log": [[0.1], [0.2]]}),
    ),
    (
        DataError,
        "by must be names of metrics, each of them once; got []",
        lambda: as_names([], "by"),
    ),
    (
        DataError,
        "report must be names of metrics, each of them once; got ['log', 'log']",
        lambda: select(report=["log", "log"]),
    ),
    (
        DataError,
        "larger must be names of metrics, each of them once; got 3",
        lambda: select(larger=3),
    ),
    # agreement
    (
        DataError,
        (
            "a history must have the column 'macro_f1'; it has 1 others"
            "\n\nHint: did you mean one of 'macro_F1'?"
        ),
        lambda: metric_agreement({"macro_F1": [0.1]}),
    ),
    (
        DataError,
        (
            "a history must have the column 'accuracy'; it has 2 others"
            "\n\nHint: did you mean one of 'log', 'macro_f1'?"
        ),
        lambda: metric_agreement(TWO, larger=["macro_f1", "accuracy"]),
    ),
    (
        DataError,
        "agreement needs another metric beside the reference; got 'macro_f1' alone",
        lambda: metric_agreement({"macro_f1": [0.1]}),
    ),
    (
        DataError,
        "top must be a whole number, 1 or more; got 0",
        lambda: metric_agreement(TWO, top=0),
    ),
    (
        DataError,
        (
            "top must be at most the number of epochs; got 3 of 2 epochs"
            "\n\nHint: top=1 compares the best epochs alone."
        ),
        lambda: metric_agreement(TWO),
    ),
    # blocks
    (
        DataError,
        "blocks must be a whole number, 1 or more; got 2.5",
        lambda: BlockCrossValidation(2.5),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "window must be a whole number, 1 or more; got 0",
        lambda: BlockCrossValidation(window=0),
    ),
    (
        DataError,
        "step must be a whole number, 1 or more; got 0",
        lambda: BlockCrossValidation(step=0),
    ),
    (
        DataError,
        ("validation must lie between 0 and 1, both left out; got 20\n\nHint: write 0.2 for 20 %."),
        lambda: BlockCrossValidation(validation=20),
    ),
    (
        DataError,
        "test must lie between 0 and 1, both left out; got 0",
        lambda: BlockCrossValidation(test=0),
    ),
    (
        DataError,
        "gap must be a whole number of samples, 0 or more; got -1",
        lambda: BlockCrossValidation(gap=-1),
    ),
    (
        DataError,
        "gap must be a whole number of samples, 0 or more; got 0.5",
        lambda: BlockCrossValidation(gap=0.5),  # type: ignore[arg-type]
    ),
    (
        DataError,
        (
            "blocks must be more than those to validate and to test; got 2 blocks, of which 1 to validate and 1 to test"
            "\n\nHint: take more blocks, or smaller shares."
        ),
        lambda: BlockCrossValidation(2),
    ),
    (
        DataError,
        (
            "blocks must be more than those to validate and to test; got 10 blocks, of which 5 to validate and 6 to test"
            "\n\nHint: take more blocks, or smaller shares."
        ),
        lambda: BlockCrossValidation(validation=0.5, test=0.6),
    ),
    (
        DataError,
        (
            "each block must hold a window of 5 samples; series 1 has 49 samples in 10 blocks, which leaves 4"
            "\n\nHint: take fewer blocks, or shorter windows."
        ),
        lambda: BlockCrossValidation(window=5).splits([50, 49]),
    ),
    (
        DataError,
        (
            "each block must hold a window of 1 sample; series 'b' has 2 samples in 3 blocks, which leaves 0"
            "\n\nHint: take fewer blocks, or shorter windows."
        ),
        lambda: BlockCrossValidation(3).split(np.zeros(6), groups=list("aaaabb")),
    ),
    (
        DataError,
        (
            "each split must have a window to train on; split 0 has none, with a gap of 4 samples"
            "\n\nHint: take a smaller gap, or fewer blocks."
        ),
        lambda: BlockCrossValidation(3, gap=4).splits(12),
    ),
    (
        DataError,
        (
            "each split must have a window to validate on; split 0 has none, with a gap of 1 sample"
            "\n\nHint: take a smaller gap, or fewer blocks."
        ),
        lambda: BlockCrossValidation(10, validation=0.1, test=0.1, gap=1).splits(10),
    ),
    (
        DataError,
        (
            "each split must have a window to train on; split 0 has none, with a gap of 9 samples"
            "\n\nHint: take a smaller gap, or fewer blocks."
        ),
        lambda: BlockCrossValidation(3, gap=9).split(np.zeros(12)),
    ),
    (
        DataError,
        "the number of samples must be a whole number, 1 or more; got 0",
        lambda: BlockCrossValidation().splits(0),
    ),
    (
        DataError,
        "the number of samples must be a whole number, 1 or more; got 10.0",
        lambda: BlockCrossValidation().splits([20, 10.0]),  # type: ignore[list-item]
    ),
    (
        DataError,
        "there must be at least one series; got none",
        lambda: BlockCrossValidation().splits([]),
    ),
    (
        DataError,
        (
            "rows are windows of one sample, so window must be 1; got 4"
            "\n\nHint: splits(n) gives where longer windows start."
        ),
        lambda: BlockCrossValidation(window=4).split(np.zeros(100)),
    ),
    (ArgumentTypeError, "X must have rows; got int", lambda: BlockCrossValidation().split(100)),
    (
        DataError,
        "groups and rows must be equally long; got 2 and 12",
        lambda: BlockCrossValidation().split(np.zeros(12), groups=[0, 1]),
    ),
    (
        DataError,
        ("groups must not be missing; row 1 is None\n\nHint: drop those rows first."),
        lambda: BlockCrossValidation().split(np.zeros(2), groups=["a", None]),
    ),
    # selection
    (
        DataError,
        "validation and test histories must be of the same epochs; got 2 and 1",
        lambda: TrainingRun(TWO, {"log": [0.1]}),
    ),
    (
        ArgumentTypeError,
        (
            "runs must be a list of TrainingRun; run 1 is of type dict"
            "\n\nHint: make them by TrainingRun(validation, test)."
        ),
        lambda: select(runs=[RUN, TWO]),
    ),
    (
        DataError,
        "there must be at least one training run; got none",
        lambda: select(runs=[]),
    ),
    (
        DataError,
        (
            "the validation history of run 1 must have the column 'log'; it has 1 others"
            "\n\nHint: did you mean one of 'brier'?"
        ),
        lambda: select(runs=[RUN, TrainingRun({"brier": [0.1]}, {"macro_f1": [0.1]})]),
    ),
    (
        DataError,
        (
            "the test history of run 0 must have the column 'macro_F1'; it has 2 others"
            "\n\nHint: did you mean one of 'macro_f1'?"
        ),
        lambda: select(report="macro_F1"),
    ),
    (
        DataError,
        (
            "the histories must have the column 'f1'; it has 2 others"
            "\n\nHint: did you mean one of 'log', 'macro_f1'?"
        ),
        lambda: select(larger=["f1"]),
    ),
    (
        DataError,
        "baseline must be 'log' or 'macro_f1'; got 'brier'",
        lambda: select(by=["log", "macro_f1"], baseline="brier"),
    ),
    (
        DataError,
        "patience must be a whole number, 1 or more; got 0",
        lambda: select(patience=0),
    ),
    (
        DataError,
        "clusters and runs must be equally long; got 3 and 2",
        lambda: select(clusters=[0, 1, 2]),
    ),
    (
        DataError,
        (
            "clusters must be one-dimensional; got an array of shape (2, 1)"
            "\n\nHint: one entry per run is needed in clusters."
        ),
        lambda: select(clusters=[[0], [1]]),
    ),
    (
        DataError,
        ("clusters must not be missing; row 0 is nan\n\nHint: drop those rows first."),
        lambda: select(clusters=[math.nan, 1]),
    ),
    (
        DataError,
        ("a level must lie between 0 and 1, both left out; got 95\n\nHint: write 0.95 for 95 %."),
        lambda: select(level=95),
    ),
    (
        ArgumentTypeError,
        "rng must be a whole number, a numpy Generator or None; got 'seed'",
        lambda: select(rng="seed"),
    ),
    (
        DataError,
        (
            "a selection is found by its way, by what selects and what is told; got ('best', 'log')"
            "\n\nHint: such as ('checkpoint', 'log', 'macro_f1')."
        ),
        lambda: select()["best", "log"],
    ),
    # pictures
    (
        DataError,
        (
            "a history must have the column 'f1'; it has 2 others"
            "\n\nHint: did you mean one of 'log', 'macro_f1'?"
        ),
        lambda: training(TWO, reference="f1"),
    ),
]


@pytest.mark.parametrize(
    ("error", "message", "call"), SAID, ids=[said[1].split("\n")[0][:70] for said in SAID]
)
def test_a_message_is_word_for_word(error: type[Exception], message: str, call: Any) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message
