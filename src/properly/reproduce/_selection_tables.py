"""Tables 2 and 3 on networks trained here: what agrees with macro-F1, and what selects well."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._record import columns_of, plain, to_frame
from properly.comparison._agreement import metric_agreement
from properly.comparison._epochs import EarlyStopping
from properly.comparison._selection import CHECKPOINT, EARLY, selection_report
from properly.reproduce._selection_runs import LARGER, PATIENCE, SELECTORS, mode_of
from properly.reproduce._selection_words import tell_training

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly._boundary._record import Backend
    from properly.comparison._selection import SelectionReport
    from properly.reproduce._selection_runs import Run


WAYS = (EARLY, CHECKPOINT)
# What is told on test data.
REPORTED = ("macro_f1", "log", "miscalibration")
# What others are compared with: it is the paper's proposal.
BASELINE = "pbs"
REFERENCE = "macro_f1"


class Correlation(NamedTuple):
    """A correlation with macro-F1 over epochs: mean and standard deviation over runs.

    Runs in which it is not defined, since macro-F1 never changed, are left out and counted.
    """

    mean: float
    standard_deviation: float
    undefined: int


@dataclass(frozen=True, eq=False)
class Training:
    """Networks trained on activities, and what each metric would have selected.

    Attributes
    ----------
    runs : tuple of Run
        Metrics by epoch, of each set, seed and split.
    reports : dict of SelectionReport
        By set: test metrics at the selected epochs, with differences from PBS. Seeds are
        independent, splits of one seed are not.
    overall : SelectionReport
        The same of all sets together.
    correlations : dict of Correlation
        By set, way and metric: agreement with macro-F1 on validation data.
    """

    runs: tuple[Run, ...]
    reports: dict[str, SelectionReport]
    overall: SelectionReport
    correlations: dict[tuple[str, str, str], Correlation]

    @property
    def seeds(self) -> int:
        """How many seeds there were."""
        return len({run.seed for run in self.runs})

    @property
    def epochs(self) -> int:
        """How many epochs a run had."""
        return self.runs[0].history.epochs

    @property
    def best_f1(self) -> dict[str, float]:
        """The mean of the best macro-F1 of any epoch on test data, by set: no one can select it."""
        return {
            name: float(np.mean([max(run.test[REFERENCE]) for run in self.of(name)]))
            for name in self.reports
        }

    @property
    def restored(self) -> float:
        """By how much a test metric changed, at most, when selected weights were put back."""
        return max(run.restored for run in self.runs)

    def of(self, name: str) -> list[Run]:
        """Return the runs of one set."""
        return [run for run in self.runs if run.data == name]

    def compared(self, first: str, second: str) -> tuple[int, int, int]:
        """Count sets and ways where one selector has a higher, the same or a lower mean F1."""
        apart = [
            report[way, first, REFERENCE].mean - report[way, second, REFERENCE].mean
            for report in self.reports.values()
            for way in WAYS
        ]
        signs = np.sign(apart)
        return int((signs > 0).sum()), int((signs == 0).sum()), int((signs < 0).sum())

    def ordered(self, score: str, penalized: str) -> int:
        """Count sets and ways where the error rate agrees best, then the penalized score."""
        rows = [
            [self.correlations[name, way, metric].mean for metric in (score, penalized, "error")]
            for name in self.reports
            for way in WAYS
        ]
        return sum(first < second < third for first, second, third in rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of all tables."""
        agreement = [
            {"data": data, "way": way, "metric": metric, **found._asdict()}
            for (data, way, metric), found in self.correlations.items()
        ]
        found: dict[str, Any] = plain(
            {
                "correlations": agreement,
                "reports": {name: one.to_dict() for name, one in self.reports.items()},
                "overall": self.overall.to_dict(),
                "best_f1": self.best_f1,
                "seeds": self.seeds,
                "epochs": self.epochs,
                "restored": self.restored,
            }
        )
        return found

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a set, way, selector and reported metric, as a frame."""
        rows = []
        for name, report in (*self.reports.items(), ("all", self.overall)):
            for one in report:
                row = asdict(one) | {"data": name}
                row["lower"], row["upper"] = row.pop("interval")
                rows.append({k: x for k, x in row.items() if k not in ("epochs", "values")})
        return to_frame(columns_of(rows), backend)

    def __str__(self) -> str:
        """Print all tables, with the paper's numbers beside them."""
        return tell_training(self)


def training(runs: Sequence[Run], rng: np.random.Generator) -> Training:
    """Compare what metrics select, over runs that are done."""
    names = list(dict.fromkeys(run.data for run in runs))
    reports = {name: _report([run for run in runs if run.data == name], rng) for name in names}
    correlations = {
        (name, way, metric): _correlation([r for r in runs if r.data == name], way, metric)
        for name in names
        for way in WAYS
        for metric in SELECTORS
        if metric != REFERENCE
    }
    return Training(tuple(runs), reports, _report(runs, rng), correlations)


def _report(runs: Sequence[Run], rng: np.random.Generator) -> SelectionReport:
    return selection_report(
        [run.history for run in runs],
        by=SELECTORS,
        report=REPORTED,
        larger=LARGER,
        patience=PATIENCE,
        baseline=BASELINE,
        clusters=[run.seed for run in runs],
        rng=rng,
    )


def _correlation(runs: Sequence[Run], way: str, metric: str) -> Correlation:
    found = [_pearson(run, way, metric) for run in runs]
    known = [x for x in found if not math.isnan(x)]
    spread = float(np.std(known, ddof=1)) if len(known) > 1 else math.nan
    mean = float(np.mean(known)) if known else math.nan
    return Correlation(mean, spread, len(found) - len(known))


def _pearson(run: Run, way: str, metric: str) -> float:
    """Correlate a metric with macro-F1, up to where training by it would have stopped."""
    end = None if way == CHECKPOINT else _stop(run.validation[metric], metric)
    history = {name: run.validation[name][:end] for name in (metric, REFERENCE)}
    return metric_agreement(history, REFERENCE, larger=LARGER, top=1).pearson[metric]


def _stop(values: Sequence[float], metric: str) -> int:
    """Count the epochs until early stopping stops, all of them if it never does."""
    mode: Any = mode_of(metric)
    watch = EarlyStopping(PATIENCE, mode=mode)
    for epoch, value in enumerate(values):
        if watch.update(epoch, value):
            return epoch + 1
    return len(values)
