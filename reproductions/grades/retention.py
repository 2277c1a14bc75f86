"""Table 1: what is left after the worst forecasts are removed.

On injuries in car crashes, whose classes have an order, and on the outputs of a user's own
classifiers, with an order or without.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._record import columns_of, plain
from properly._boundary._text import printable, table
from properly.decisions import rejection_scores, retention_study
from properly.decisions._retention import ORACLE
from properly.rules import PBS, PLL, RPS, Brier, Log, QuadraticRPS, SquaredAbsoluteRPS
from reproductions.grades.reference import PRINTED, printed_table
from reproductions.tables import Table, prose, section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from properly.decisions._removal import Metric, NamedMetric
    from properly.decisions._retention import RetentionStudy
    from properly.rules import ClassRule
    from properly.rules._penalty import Cost
    from reproductions.grades.forecasts import Forecasts


RULES: dict[str, ClassRule] = {
    "Brier": Brier(),
    "neg. log": Log(),
    "RPS": RPS(),
    "sa-RPS": SquaredAbsoluteRPS(),
    "quadratic RPS": QuadraticRPS(),
}
PAIRS = (("RPS", "Brier"), ("sa-RPS", "RPS"), ("quadratic RPS", "sa-RPS"))
METRICS: dict[str, NamedMetric] = {"QWK": "quadratic_weighted_kappa", "EC": "expected_cost"}
MEANT = (
    "AURSC, the area under the retention curve: a metric of the cases that are",
    "left while the worst by a score are removed, 0 to 20 % in steps of 1 %, with",
    "the x axis in percent. QWK: quadratic weighted kappa, more is better, at",
    "most 20. EC: expected cost, the mean squared distance of the likeliest class",
    "from the true one, less is better. Mean ± standard deviation of",
)
THEOREM = (
    "The oracle removes the cases whose decision cost most, so nothing has a smaller area of EC:",
    "that is a theorem. AURSC tells how closely a score follows that cost, not how good a score",
    "it is. No labels: ranked by the forecast's own expected score, which is what can be done",
    "before anybody knows what happened.",
)
EXPLAINED = prose(*THEOREM, "Of what a score gains by looking at labels, little is left.")


class Difference(NamedTuple):
    """A difference of two areas in the same resamples: its mean and standard deviation."""

    first: str
    second: str
    mean: float
    standard_deviation: float

    @property
    def clear(self) -> bool:
        """Whether it is more than two standard deviations from zero."""
        return abs(self.mean) > 2 * self.standard_deviation


@dataclass(frozen=True, eq=False)
class Ranked:
    """Areas under the curves of one metric.

    Attributes
    ----------
    study : RetentionStudy
        Ranked by the scores, which use the labels, and by the hard cost.
    unlabelled : RetentionStudy
        Ranked by the forecasts' own expected scores.
    """

    study: RetentionStudy
    unlabelled: RetentionStudy


@dataclass(frozen=True, eq=False)
class RetentionTable(Table):
    """Table 1 on the forecasts of injuries.

    Attributes
    ----------
    metrics : dict of str to Ranked
        Under QWK and EC.
    n, replicates : int
        Number of cases and of resamples.
    """

    metrics: dict[str, Ranked]
    n: int
    replicates: int

    @property
    def accidents(self) -> int:
        """Number of accidents, which are resampled whole."""
        return self.metrics["EC"].study.clusters or self.n

    def difference(
        self, metric: str, first: str, second: str, *, labels: bool = True
    ) -> Difference:
        """Compare two scores in the same resamples."""
        found = self.metrics[metric]
        return paired(found.study if labels else found.unlabelled, first, second)

    def best(self, metric: str) -> str:
        """Return the score with the best area, the oracle left out."""
        study, sign = self.metrics[metric].study, -1 if metric == "QWK" else 1
        return min(RULES, key=lambda name: sign * mean_and_spread(study, name)[0])

    def differences(self, metric: str) -> tuple[Difference, ...]:
        """Return the comparisons that the paper's claims are about, and that with the oracle."""
        pairs = (*PAIRS, (ORACLE, self.best(metric)))
        return tuple(self.difference(metric, *pair) for pair in pairs)

    def as_in_the_paper(self, metric: str) -> bool:
        """Whether the paper's four scores are in its order: Brier, neg. log, RPS, sa-RPS."""
        study, sign = self.metrics[metric].study, 1 if metric == "QWK" else -1
        means = [sign * mean_and_spread(study, name)[0] for name in PRINTED["TMED"][metric]]
        return means == sorted(means)

    def to_dict(self) -> dict[str, Any]:
        """Return the areas by metric and score, and the differences."""
        return {
            metric: {
                "areas": areas(found.study, (*RULES, ORACLE)),
                "unlabelled": areas(found.unlabelled, RULES),
                "differences": [plain(d._asdict()) for d in self.differences(metric)],
            }
            for metric, found in self.metrics.items()
        }

    def areas(self) -> Iterator[dict[str, Any]]:
        """Return one row a metric and score."""
        for metric, found in self.to_dict().items():
            for labels, key in ((True, "areas"), (False, "unlabelled")):
                for name, area in found[key].items():
                    yield {"metric": metric, "labels": labels, "score": name, **area}

    def _columns(self) -> Any:
        return columns_of(self.areas())

    def __str__(self) -> str:
        """Print the areas, the differences, and the table that cannot be had."""
        return section(
            f"Table 1 on injuries in car crashes, {self.n:,} persons",
            prose(
                *MEANT,
                f"{self.replicates:,} resamples, the same for all, of whole accidents,",
                f"{self.accidents:,} of them: persons in one are not independent.",
            ),
            *self.lines(),
            EXPLAINED,
            "",
            printed_table(),
        )

    def lines(self) -> list[str]:
        """Lay out the areas, the differences, and whether their order is the paper's."""
        head = ["ranked by", *METRICS, *(f"{metric}, no labels" for metric in METRICS)]
        return [
            table(head, [self._line(name) for name in (*RULES, ORACLE)]),
            "",
            table(["paired difference", *head[1:]], self._compared()),
            "* more than two standard deviations.",
            *(_tell_order(metric, same=self.as_in_the_paper(metric)) for metric in METRICS),
        ]

    def _line(self, name: str) -> list[str]:
        labelled = [shown(self.metrics[m].study, name) for m in METRICS]
        free = [self.metrics[m].unlabelled for m in METRICS]
        return [name, *labelled, *("" if name == ORACLE else shown(s, name) for s in free)]

    def _compared(self) -> list[list[str]]:
        lines = [
            [
                f"{first} - {second}",
                *(
                    _tell_difference(self.difference(metric, first, second, labels=labels))
                    for labels in (True, False)
                    for metric in METRICS
                ),
            ]
            for first, second in PAIRS
        ]
        best = (_tell_difference(self.differences(metric)[-1]) for metric in METRICS)
        named = dict.fromkeys(self.best(metric) for metric in METRICS)
        return [*lines, [f"oracle - best ({', '.join(named)})", *best, "", ""]]


def table1(data: Forecasts, replicates: int, seed: int) -> RetentionTable:
    """Rank the forecasts in all ways and compute the areas, with the same resamples for all."""
    found = {
        metric: ranked(data, RULES, metric=name, cost="quadratic", replicates=replicates, seed=seed)
        for metric, name in METRICS.items()
    }
    return RetentionTable(found, len(data.y), replicates)


def ranked(
    data: Forecasts,
    rules: Mapping[str, ClassRule],
    *,
    metric: Metric,
    cost: Cost,
    replicates: int,
    seed: int,
) -> Ranked:
    """Remove cases by each score, and by each forecast's own expected score."""
    labelled = {name: rule.loss(data.y, data.p) for name, rule in rules.items()}
    free = {name: rejection_scores(data.p, rule) for name, rule in rules.items()}
    studies = (
        retention_study(
            scores,
            data.y,
            data.p,
            metric=metric,
            replicates=replicates,
            rng=np.random.default_rng(seed),
            clusters=data.clusters,
            oracle=oracle,
            cost=cost,
        )
        for scores, oracle in ((labelled, True), (free, False))
    )
    return Ranked(*studies)


def mean_and_spread(study: RetentionStudy, name: str) -> tuple[float, float]:
    """Return the mean area in percent units and its standard deviation."""
    found = study.area_percent[name]
    return found.mean, found.standard_deviation


def areas(study: RetentionStudy, names: Iterable[str]) -> dict[str, Any]:
    """Return the areas in percent units, by score."""
    return {name: plain(asdict(study.area_percent[name])) for name in names}


def paired(study: RetentionStudy, first: str, second: str) -> Difference:
    """Compare two areas in the same resamples, in percent units."""
    drawn = dict(zip(study.areas, study.drawn_areas.T, strict=True))
    share = study.curves[first].removed
    difference = 100 * (share[-1] - share[0]) * (drawn[first] - drawn[second])
    return Difference(first, second, float(difference.mean()), float(difference.std(ddof=1)))


def shown(study: RetentionStudy, name: str, digits: int = 2) -> str:
    """Write an area as the paper does."""
    mean, spread = mean_and_spread(study, name)
    return f"{mean:.{digits}f} ± {spread:.{digits}f}"


def _tell_difference(found: Difference) -> str:
    mark = "*" if found.clear else " "
    return f"{found.mean:+.3f} ± {found.standard_deviation:.3f}{mark}"


def _tell_order(metric: str, *, same: bool) -> str:
    answer = "the same here" if same else "another one here"
    order = ", ".join(PRINTED["TMED"][metric])
    return f"The paper's order by {metric}, {order} from worst to best: {answer}."


CLASSIFIER_RULES: dict[str, ClassRule] = {
    "neg. log": Log(),
    "Brier": Brier(),
    "PBS": PBS(),
    "PLL": PLL(),
}
ABSENT = """\
Table 1 can be had for your own classifiers, too, whose classes need no order. Put .npz files with
an array scores (logits or logarithms of probabilities, one row a case and one column a class) and
one targets (class numbers, from 0) into a folder, and name it; if the columns are in the order of
the classes, say so:
    properly reproduce ordinal --data FOLDER --ordered
    reproductions.ordinal("FOLDER", ordered=True)"""
ROUNDING = 1e-9
# Areas of good classifiers are small.
DIGITS = 3


@dataclass(frozen=True, eq=False)
class Classifier:
    """Areas under the curves of the error rate of one classifier.

    Attributes
    ----------
    areas : Ranked
        By score, with labels and without.
    n, classes : int
        Number of cases and of classes.
    accuracy : float
        Share of cases in which the likeliest class happened.
    """

    areas: Ranked
    n: int
    classes: int
    accuracy: float

    @property
    def as_the_oracle(self) -> tuple[str, ...]:
        """The scores whose area is that of the oracle in every resample."""
        gaps = {name: paired(self.areas.study, name, ORACLE) for name in CLASSIFIER_RULES}
        return tuple(
            name for name, d in gaps.items() if abs(d.mean) + d.standard_deviation < ROUNDING
        )


@dataclass(frozen=True, eq=False)
class Classifiers(Table):
    """Retention of the error rate, by classifier.

    Attributes
    ----------
    rows : dict of str to Classifier
        By the name of the file.
    replicates : int
        Number of resamples.
    """

    rows: Mapping[str, Classifier]
    replicates: int

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a classifier and score."""
        return columns_of(
            {"classifier": file, "labels": labels, "score": name, **area}
            for file, found in self.rows.items()
            for labels, study, names in (
                (True, found.areas.study, (*CLASSIFIER_RULES, ORACLE)),
                (False, found.areas.unlabelled, tuple(CLASSIFIER_RULES)),
            )
            for name, area in areas(study, names).items()
        )

    def __str__(self) -> str:
        """Print the areas of every classifier."""
        return section(
            "Table 1 on classifiers whose classes are taken to have no order",
            prose(
                "Without an order there is no QWK, no RPS and no sa-RPS, and all errors cost",
                "the same. AURSC-EC is the area of the error rate while the worst 0 to 20 %",
                "are removed, with the x axis in percent; mean ± standard deviation of",
                f"{self.replicates:,} resamples.",
            ),
            *self._table(),
            self._verdict(),
        )

    def _table(self) -> Iterator[str]:
        """Lay out the areas, below a line that describes each classifier."""
        rows = [line for found in self.rows.values() for line in _lines(found)]
        head, *lines = table(["AURSC-EC", *CLASSIFIER_RULES, "oracle"], rows).splitlines()
        yield head
        for (file, found), *two in zip(self.rows.items(), lines[::2], lines[1::2], strict=True):
            yield f"{printable(file)}: {_describe(found)}"
            yield from two

    def _verdict(self) -> str:
        counts = {
            name: sum(name in found.as_the_oracle for found in self.rows.values())
            for name in CLASSIFIER_RULES
        }
        told = ", ".join(f"{name} {count}" for name, count in counts.items())
        return prose(
            f"A score has the oracle's area in so many of {len(self.rows)}: {told}. PBS and PLL",
            "put every error above every correct forecast, but for ties, so they rank as the",
            "oracle does, by construction; for two classes all four do. That their AURSC is best",
            "says nothing of their merit.",
        )


@dataclass(frozen=True, eq=False)
class OrderedClassifiers(Table):
    """Table 1 for each classifier whose classes have an order.

    Attributes
    ----------
    rows : dict of str to RetentionTable
        By the name of the file.
    described : dict of str to str
        How many cases and classes each has, and how often it is right.
    replicates : int
        Number of resamples.
    """

    rows: Mapping[str, RetentionTable]
    described: Mapping[str, str]
    replicates: int

    def to_dict(self) -> dict[str, Any]:
        """Return the areas by metric and score, and the differences, by classifier."""
        return {name: found.to_dict() for name, found in self.rows.items()}

    def _columns(self) -> Any:
        """Return one row a classifier, metric and score."""
        return columns_of(
            {"classifier": name, **row}
            for name, found in self.rows.items()
            for row in found.areas()
        )

    def __str__(self) -> str:
        """Print the table of every classifier."""
        parts = [
            "\n".join([f"{printable(name)}: {self.described[name]}", *found.lines()])
            for name, found in self.rows.items()
        ]
        return section(
            "Table 1 on classifiers whose classes are in the order of their columns",
            prose(*MEANT, f"{self.replicates:,} resamples of cases, the same for all."),
            "",
            "\n\n".join(parts),
            prose(*THEOREM),
        )


def ordered_classifiers(
    data: Mapping[str, Forecasts], replicates: int, seed: int, step: Callable[[str], None]
) -> OrderedClassifiers:
    """Remove cases of every classifier by every score that knows the order."""
    rows = {}
    for name, forecasts in data.items():
        rows[name] = table1(forecasts, replicates, seed)
        step(f"Table 1, {printable(name)}")
    return OrderedClassifiers(rows, {k: _describe(x) for k, x in data.items()}, replicates)


def _describe(found: Classifier | Forecasts) -> str:
    n = found.n if isinstance(found, Classifier) else len(found.y)
    return f"{n:,} cases, {found.classes} classes, accuracy {found.accuracy:.3f}"


def classifiers(
    data: Mapping[str, Forecasts], replicates: int, seed: int, step: Callable[[str], None]
) -> Classifiers:
    """Remove cases of every classifier by every score."""
    rows = {}
    for name, forecasts in data.items():
        # One seed for all: a classifier's numbers do not depend on its neighbours.
        found = ranked(
            forecasts,
            CLASSIFIER_RULES,
            metric="expected_cost",
            cost="zero_one",
            replicates=replicates,
            seed=seed,
        )
        rows[name] = Classifier(found, len(forecasts.y), forecasts.classes, forecasts.accuracy)
        step(f"Table 1, {printable(name)}")
    return Classifiers(rows, replicates)


def _lines(found: Classifier) -> list[list[str]]:
    study, free = found.areas.study, found.areas.unlabelled
    return [
        ["  with labels", *(shown(study, name, DIGITS) for name in (*CLASSIFIER_RULES, ORACLE))],
        ["  no labels", *(shown(free, name, DIGITS) for name in CLASSIFIER_RULES), ""],
    ]
