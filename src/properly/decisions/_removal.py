"""Removal of cases from the worst on: a metric of those that are kept, and areas of risk."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._arrays import as_array, check_counts, check_outcomes, check_rows, refuse
from properly._boundary._classes import as_classes, check_class_rows, is_table
from properly._boundary._libraries import infinities, read_only, to_numpy
from properly._boundary._options import Drawing, as_number, check_choice
from properly._boundary._text import many
from properly._boundary._tolerances import SAME_SUM
from properly.counts._scoring import price
from properly.decisions._confusion import kappa_of
from properly.decisions._hard_decisions import PricedDecisions, priced
from properly.errors import DataError
from properly.inference._auc import logit_interval
from properly.inference._averages import UNKNOWN, Estimate, warn_of_clusters
from properly.inference._design import Design, add_up
from properly.inference._shares import student
from properly.rules import Rule
from properly.rules._penalty import Cost, as_matrix, decide_by_mode
from properly.typing import ArrayLike, Column

Ties: TypeAlias = Literal["stable", "average"]
NamedMetric: TypeAlias = Literal["quadratic_weighted_kappa", "expected_cost", "error_rate"]
Metric: TypeAlias = "NamedMetric | Rule | Callable[[Any, Any], float]"
# Values at some numbers of removed cases, given how many copies of each case there are.
Curve: TypeAlias = Callable[[Column, Column], Column]

KAPPA: NamedMetric = "quadratic_weighted_kappa"
COST: NamedMetric = "expected_cost"
ERRORS: NamedMetric = "error_rate"
# Not np.arange(0, 0.21, 0.01), which drifts: k / 100 is what 0.07 is read as.
PERCENT: Column = read_only(np.arange(21) / 100)
SHARES = "shares of removed cases"
AREAS = ("aurc", "excess_aurc", "augrc")


class Queue(NamedTuple):
    """Rows in the order in which they are removed, in blocks whose cases go in random order.

    Attributes
    ----------
    row : numpy array
        The rows, the first to be removed first.
    start : numpy array
        Where in that order each block begins, and the number of rows at the end.
    """

    row: Column
    start: Column

    def kept_sums(
        self, cell: Column, amount: Column, cells: int, copies: Column, removed: Column
    ) -> Column:
        """Add up amounts of the kept cases in each cell, a row for each number of removed ones.

        Cells and amounts are those of rows in this order. Blocks that a cut goes through count by
        the share of their cases that stay.
        """
        copies = copies[self.row]
        with infinities():
            paid = copies * amount
        # No copies of an infinite loss cost nothing.
        paid[np.isnan(paid)] = 0.0
        passed = np.append(0, np.cumsum(copies))[self.start]
        block = np.searchsorted(passed, removed, side="right") - 1
        edge = np.unique(np.append(0, self.start[[block, block + 1]]))
        # Every block with a cut is a segment of its own.
        segment = np.repeat(np.arange(len(edge)), np.diff(edge, append=len(copies)))
        sums = np.bincount(segment * cells + cell, paid, (len(edge) + 1) * cells)
        sums = sums.reshape(-1, cells)
        # From the end that is kept, so that nothing is left of what is gone.
        after = np.cumsum(sums[::-1], axis=0)[::-1]
        own = np.searchsorted(edge, self.start[block])
        share = (passed[block + 1] - removed) / (passed[block + 1] - passed[block])
        return np.asarray(after[own + 1] + sums[own] * share[:, None])


def queue_by(scores: Column, ties: Ties) -> Queue:
    """Put the highest score first; of equal ones the last row, or a block of all of them."""
    row = np.argsort(scores, kind="stable")[::-1]
    if ties == "stable":
        return Queue(row, np.arange(len(row) + 1))
    # Not by differences, which of two infinite scores there are none.
    falls = np.flatnonzero(scores[row][1:] != scores[row][:-1]) + 1
    return Queue(row, np.concatenate([[0], falls, [len(row)]]))


def numbers_removed(share: Column, cases: int) -> Column:
    """Round shares of the cases down to whole numbers of them, and keep one case at least."""
    exact = share * cases
    nearest = np.rint(exact)
    whole = np.abs(exact - nearest) <= SAME_SUM * np.maximum(nearest, 1)
    rounded = np.where(whole, nearest, np.floor(exact)).astype(np.intp)
    return np.asarray(np.minimum(rounded, cases - 1))


def draw_copies(drawing: Drawing, cases: int, cluster: Column | None) -> Iterator[Column]:
    """Draw cases, or whole clusters, with replacement; yield how often each case was drawn."""
    units = cases if cluster is None else int(cluster.max()) + 1
    for _ in range(drawing.replicates):
        times = np.bincount(drawing.rng.integers(0, units, units), minlength=units)
        yield times if cluster is None else times[cluster]


def decided_on(
    y: ArrayLike,
    P_or_d: ArrayLike,
    labels: int | Iterable[object] | None,
    cost: Cost,
    metric: Metric,
) -> PricedDecisions:
    """Check outcomes and decisions; of class probabilities, the likeliest class is decided for.

    For kappa, which uses no costs, decisions are classes, and squared distances take their place.
    """
    count, names = (None, None) if labels is None else as_classes(labels)
    price: Cost = "quadratic" if metric == KAPPA else cost
    if not is_table(P_or_d):
        return priced(y, P_or_d, price, names or count or _classes_seen(y, P_or_d, cost))
    rows = check_class_rows(y, P_or_d, labels=names, ordered=True)
    classes = int(rows.p.shape[1])
    if count not in (None, classes):
        message = (
            f"class probabilities must have a column for each of {count} classes; got {classes}"
        )
        raise DataError(message)
    return priced(rows.y, decide_by_mode(rows.p), price, classes)


def _classes_seen(y: ArrayLike, d: ArrayLike, cost: Cost) -> int:
    """Count classes up to the highest number, two at least, or the rows of a cost matrix."""
    given = {"outcomes": y, "decisions": d}
    for name, x in given.items():
        column = to_numpy(as_array(x, name))
        texts = column.flat if column.dtype.kind in "OSU" else ()
        if any(words := [isinstance(text, str | bytes) for text in texts]):
            # Nobody has put them in order.
            hint, bad = "labels= gives the classes in order.", np.reshape(words, column.shape)
            refuse(column, bad, f"{name} must be class numbers", hint)
    if not isinstance(cost, str):
        return int(as_matrix(cost).shape[0])
    return 1 + max(1, *(int(to_numpy(check_counts(x, name)).max()) for name, x in given.items()))


class Judged(NamedTuple):
    """Cases that are to be judged by a metric.

    Attributes
    ----------
    metric : str, Rule or callable
        The metric.
    rows : numpy array
        A column with a row for each case.
    decided : PricedDecisions or None
        Their outcomes and decisions, unless none are known.
    loss : numpy array or None
        The losses that the metric is the mean of, if it is one.
    """

    metric: Metric
    rows: Column
    decided: PricedDecisions | None
    loss: Column | None

    def along(self, queue: Queue) -> Curve:
        """Return what computes the metric of the cases that are kept, at all cuts in one pass."""
        if self.loss is not None or self.decided is None:
            loss = np.asarray(self.loss)[queue.row]
            alike = np.zeros(len(loss), dtype=np.intp)

            def mean(copies: Column, removed: Column) -> Column:
                sums = queue.kept_sums(alike, loss, 1, copies, removed)[:, 0]
                return np.asarray(sums / (copies.sum() - removed))

            return mean
        decided, metric, cost = self.decided, self.metric, self.decided.cost
        if callable(metric):

            def called(copies: Column, removed: Column) -> Column:
                drawn, kept, values = copies[queue.row], np.empty_like(copies), []
                for gone in removed.tolist():
                    kept[queue.row] = np.clip(np.cumsum(drawn) - gone, 0, drawn)
                    y, d = (np.repeat(x, kept) for x in (decided.y, decided.d))
                    values.append(as_number(metric(y, d), "value of the metric"))
                return np.array(values)

            return called
        cell = (decided.y * cost.shape[1] + decided.d)[queue.row]
        once = np.ones(len(cell))

        def kappa(copies: Column, removed: Column) -> Column:
            counts = queue.kept_sums(cell, once, cost.size, copies, removed)
            return np.asarray(kappa_of(counts.reshape(-1, *cost.shape), cost))

        return kappa

    def costs(self, cost: Cost) -> Column:
        """Return what each case costs: its loss, or that of the decision on it."""
        if self.loss is not None or self.decided is None:
            return np.asarray(self.loss)
        decided = self.decided
        if self.metric == KAPPA:
            decided = priced(decided.y, decided.d, cost, len(decided.cost))
        return decided.paid()


def judged(
    metric: Metric,
    y: ArrayLike,
    P_or_d: ArrayLike | None,
    labels: int | Iterable[object] | None,
    cost: Cost,
) -> Judged:
    """Check outcomes and what was forecast or decided, as the metric needs them."""
    if P_or_d is None:
        if metric != ERRORS:
            message = f"only {ERRORS!r} is known from outcomes alone; got nothing for {metric!r}"
            raise DataError(message, hint="forecasts or decisions come after the outcomes.")
        wrong = 1.0 - to_numpy(check_outcomes(y)).astype(np.float64)
        return Judged(metric, wrong, None, wrong)
    if isinstance(metric, Rule):
        classes = is_table(P_or_d)
        names = None if labels is None else as_classes(labels)[1]
        rows: Any = (
            check_class_rows(y, P_or_d, labels=names, ordered=True)
            if classes
            else check_rows(y, P_or_d)
        )
        loss = to_numpy(price(metric, rows.y, rows.p, classes=classes))
        return Judged(metric, loss, None, loss)
    decided = decided_on(y, P_or_d, labels, "zero_one" if metric == ERRORS else cost, metric)
    return Judged(metric, decided.y, decided, decided.paid() if metric in (COST, ERRORS) else None)


def check_metric(metric: Metric, ties: Ties) -> str:
    """Take a metric by its name, a rule, or a function; return what it is called."""
    check_choice(ties, ("stable", "average"), "ties")
    if isinstance(metric, Rule):
        return metric.name
    if not callable(metric):
        return check_choice(metric, (KAPPA, COST, ERRORS), "a metric that is no function")
    name = getattr(metric, "__name__", repr(metric))
    if ties == "average":
        message = f"a function needs cases in one order, so ties='stable'; got 'average' for {name}"
        hint = f"the mean is known for {KAPPA!r}, {COST!r}, {ERRORS!r} and rules."
        raise DataError(message, hint=hint)
    return str(name)


class TieBlocks(NamedTuple):
    """Cases of equal scores together, those that are kept longest first.

    Attributes
    ----------
    number : numpy array
        The block of each row.
    cases, loss : numpy array
        How many cases each block has, and the sum of their losses.
    before, paid : numpy array
        How many cases all earlier blocks have, and the sum of their losses.
    """

    number: Column
    cases: Column
    loss: Column
    before: Column
    paid: Column

    @classmethod
    def by(cls, scores: Column, loss: Column) -> TieBlocks:
        """Put cases of equal scores together, from the lowest score on."""
        number = np.unique(scores, return_inverse=True)[1]
        cases, total = np.bincount(number), np.bincount(number, loss)
        return cls(number, cases, total, np.cumsum(cases) - cases, np.cumsum(total) - total)


def areas_of(
    loss: Column, scores: Column, cluster: Column | None, *, level: float, scale: str
) -> dict[str, Any]:
    """Average the risk of what is kept over all numbers of kept cases, each with its interval.

    The risk is selective, the same above that of the best order, or joint. An interval is symmetric
    on the scale of ``"logit"`` or of ``"log"``.
    """
    cases = len(loss)
    units = (cases, "independent case") if cluster is None else (int(cluster.max()) + 1, "cluster")
    warn_of_clusters(Design(np.ones(cases), cluster))
    about: dict[str, Any] = {"level": level, "design": many(*units), "cases": cases}
    about["effective_cases"] = float(cases)
    if lost := int(np.count_nonzero(~np.isfinite(loss))):
        # How far above the best order that is remains unknown.
        about |= {"degrees": math.nan, "method": "none: a loss is infinite"}
        about |= {"infinite_cases": lost, "infinite_share": lost / cases}
        values = math.inf, math.nan, math.inf
        estimates = [Estimate(value, math.nan, UNKNOWN, **about) for value in values]
        return dict(zip(AREAS, estimates, strict=True))
    chosen, best = (TieBlocks.by(x, loss) for x in (scores, loss))
    area, turn = _selective(chosen, loss)
    least, least_turn = _selective(best, loss)
    joint, joint_turn = _joint(chosen, loss)
    turns = np.stack([turn, turn - least_turn, joint_turn])
    error, degrees = _errors(turns, cluster), units[0] - 1.0
    error[error <= SAME_SUM * np.abs(loss).max()] = 0
    about |= {"degrees": degrees, "method": f"infinitesimal jackknife, {scale}"}
    quantile = student(degrees, level)
    # The best order is among those that were averaged, but for rounding.
    values = area, max(area - least, 0.0), joint
    return {
        name: Estimate(value, e, _interval(value, e, quantile, scale), **about)
        for name, value, e in zip(AREAS, values, error.tolist(), strict=True)
    }


def _selective(blocks: TieBlocks, loss: Column) -> tuple[float, Column]:
    r"""Return the mean over k of the mean loss of k cases, and its slope in the weight of each row.

    Of a block of m cases after c others that paid S, with mean loss l, the sum is
    :math:`\sum_{j=1}^m (S + j l) / (c + j) = m l + (S - c l) (\psi(c+m+1) - \psi(c+1))`.
    """
    from scipy.special import digamma, zeta

    cases, before, total = blocks.cases, blocks.before, blocks.cases.sum()
    mean = blocks.loss / cases
    # A block begins where the one before it ends; the derivative of digamma is a zeta function.
    edges = np.append(before, total) + 1
    bend = zeta(2, edges)
    steps, bends = np.diff(digamma(edges)), np.diff(bend)
    surplus = blocks.paid - before * mean
    area = float(np.sum(blocks.loss + surplus * steps) / total)
    # The own block grows by a case; later ones have one case more before them.
    own = surplus * bend[1:] + before / cases * steps * mean
    later = _after(surplus * bends - mean * steps)
    slope = 1 - before / cases * steps + _after(steps)
    k = blocks.number
    return area, (loss * slope[k] + (own + later)[k] - area) / total


def _joint(blocks: TieBlocks, loss: Column) -> tuple[float, Column]:
    """Return the mean over k of the losses of k cases over all cases, and its slope likewise."""
    cases, total = blocks.cases, blocks.cases.sum()
    area = float(np.sum(cases * blocks.paid + blocks.loss * (cases + 1) / 2) / total**2)
    own, slope = blocks.paid + blocks.loss / 2, (cases + 1) / 2 + _after(cases)
    k = blocks.number
    return area, (loss * slope[k] + own[k]) / total**2 - 2 * area / total


def _after(x: Column) -> Column:
    """Add up what comes after each place."""
    return np.cumsum(x[::-1])[::-1] - x


def _errors(turns: Column, cluster: Column | None) -> Column:
    """Return standard errors, given slopes that add up to 0 only but for terms of 1 / n."""
    turns = turns - turns.mean(axis=1, keepdims=True)
    if cluster is not None:
        turns = add_up(turns, cluster, int(cluster.max()) + 1)
    units = turns.shape[1]
    if units < 2:
        return np.full(len(turns), math.nan)
    return np.asarray(np.sqrt((turns**2).sum(axis=1) * units / (units - 1)))


def _interval(value: float, error: float, quantile: float, scale: str) -> tuple[float, float]:
    """Return an interval that is symmetric on a scale; none without an error."""
    if scale == "logit":
        return logit_interval(value, error, quantile)
    if not (error > 0 and value > 0):
        return UNKNOWN
    factor = math.exp(min(quantile * error / value, 700.0))
    return value / factor, value * factor
