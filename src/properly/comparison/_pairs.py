"""Pairs of models, compared: the records, the sentence of each pair, and tables of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from properly._boundary._libraries import infinities
from properly._boundary._options import as_number, check_inside
from properly._boundary._record import Record, columns_of, plain
from properly._boundary._text import chance, many, p_text, printable, span, table, wrapped
from properly.errors import DataError
from properly.inference._averages import Estimate
from properly.typing import Column

# What a pair has beside numbers.
WORDS = ("first", "second", "method", "sentence")
# More models than this have too many pairs to be told one by one.
FEW = 4


@dataclass(frozen=True, repr=False)
class Pair(Record):
    """Two models on the same cases.

    Attributes
    ----------
    first, second : str
        Names of the models.
    difference : float
        Score of the first minus score of the second. Of losses, a negative one favours the first.
    standard_error : float
        Its standard error.
    interval : pair of floats
        Its interval.
    p_value, adjusted_p_value : float
        Of no difference; adjusted for the number of pairs.
    simultaneous : pair of floats
        The interval of the adjusted p-value: those of all pairs hold simultaneously. It decides
        which model is better.
    differing : int
        Cases on which the losses differ.
    ratio, ratio_error : float
        First score over second, and its standard error; NaN for areas under the ROC curve.
    ratio_interval : pair of floats
        The interval of the ratio.
    equivalence_p_value, adjusted_equivalence_p_value : float
        Of a difference as large as the margin; NaN without a margin.
    method : str
        How the p-value was found.
    sentence : str
        The comparison in words.
    p_is_bound, adjusted_p_is_bound : bool
        Whether the p-value is at most this: no change of sign that was drawn reached the
        difference, or changes of sign were only bounded.
    common : int or None
        Cases that both forecast; None if both forecast all of them.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> two = {name: crash.forecasts[name] for name in ("logistic", "boosting")}
    >>> found = properly.compare(crash.died, two, rule=Brier(), clusters=crash.cluster)
    >>> print(found["boosting", "logistic"])
    logistic is better than boosting by 0.0008323 Brier (95 % interval 0.0002055 to 0.001459)
    """

    first: str
    second: str
    difference: float
    standard_error: float
    interval: tuple[float, float]
    p_value: float
    adjusted_p_value: float
    simultaneous: tuple[float, float]
    differing: int
    ratio: float
    ratio_error: float
    ratio_interval: tuple[float, float]
    equivalence_p_value: float
    adjusted_equivalence_p_value: float
    method: str
    sentence: str
    p_is_bound: bool = False
    adjusted_p_is_bound: bool = False
    common: int | None = None

    _optional: ClassVar = ("common",)

    def __repr__(self) -> str:
        names = " - ".join(printable(name) for name in (self.first, self.second))
        p = p_text(self.p_value, is_bound=self.p_is_bound)
        return f"Pair({names}: {self.difference:.4g}, {p})"

    def __str__(self) -> str:
        """Say which is better, if that can be told."""
        return self.sentence

    def turned(self) -> Pair:
        """Subtract the other way round, and put the ratio upside down."""
        low, high = (1 / x if x else math.inf for x in self.ratio_interval[::-1])
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=0.0 - self.difference,
            interval=_opposite(self.interval),
            simultaneous=_opposite(self.simultaneous),
            ratio=1 / self.ratio if self.ratio > 0 else math.nan,
            ratio_error=self.ratio_error / self.ratio / self.ratio if self.ratio > 0 else math.nan,
            ratio_interval=(low, high),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Record):
    """Models compared in pairs, on the same cases.

    Arrays have one entry a pair, in the order of `pairs`; ``comparison["a", "b"]`` is one pair,
    in either order, and iterating gives all of them.

    Attributes
    ----------
    models : tuple of str
        Names of the models.
    pairs : tuple of pairs of str
        Which models are compared: the first minus the second.
    difference : array
        Differences of the scores.
    standard_error : array
        Their standard errors.
    interval : array of shape (pairs, 2)
        Their intervals.
    p_value, adjusted_p_value : array
        Of no difference; adjusted for the number of pairs.
    p_is_bound, adjusted_p_is_bound : array of bool
        Whether the p-value is at most this: no change of sign that was drawn reached the
        difference, or changes of sign were only bounded.
    simultaneous : array of shape (pairs, 2)
        Intervals of the adjusted p-values: they hold simultaneously for all pairs, and decide which
        model is better.
    differing : array
        In how many cases the losses differ.
    ratio, ratio_error : array
        First score over second, and its standard error; NaN for areas under the ROC curve.
    ratio_interval : array of shape (pairs, 2)
        The intervals of the ratios.
    equivalence_p_value, adjusted_equivalence_p_value : array
        Of a difference as large as the margin; adjusted for the number of pairs. NaN without a
        margin.
    methods : tuple of str
        How each p-value was found.
    scores : dict
        An `Estimate` by model.
    degrees : float
        Degrees of freedom of the standard errors.
    level, margin : float
        How sure to be; within what models are as good as each other, or None.
    rule, unit, adjust, design : str
        Name of the rule; the rule as it is written; how p-values were adjusted; how cases were
        taken to be sampled.
    cases : int
        Cases of positive weight.
    effective_cases : float
        As many cases of equal weight would say as much.
    higher_is_better : bool
        Whether a higher score is a better one, as with areas under the ROC curve.
    common : array or None
        How many cases both models of each pair forecast; None if all of them.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> found = properly.compare(
    ...     crash.died, crash.forecasts, rule=Brier(), clusters=crash.cluster, rng=1
    ... )
    >>> found
    Comparison(5 models, 10 pairs, brier, 4,973 clusters)
    >>> print(found["logistic", "forest"])
    logistic is better than forest by 0.007263 Brier
        (95 % simultaneous interval 0.005425 to 0.009101)
    """

    models: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    difference: Column
    standard_error: Column
    interval: Column
    p_value: Column
    adjusted_p_value: Column
    p_is_bound: Column
    adjusted_p_is_bound: Column
    simultaneous: Column
    differing: Column
    ratio: Column
    ratio_error: Column
    ratio_interval: Column
    equivalence_p_value: Column
    adjusted_equivalence_p_value: Column
    methods: tuple[str, ...]
    scores: dict[str, Estimate]
    degrees: float
    level: float
    margin: float | None
    rule: str
    unit: str
    adjust: str
    design: str
    cases: int
    effective_cases: float
    higher_is_better: bool = False
    common: Column | None = None

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self.pairs)

    def __iter__(self) -> Iterator[Pair]:
        """Go through the pairs."""
        return (self._pair(k) for k in range(len(self)))

    def __getitem__(self, pair: tuple[str, str]) -> Pair:
        """Return the comparison of two models, the first minus the second."""
        named = tuple(map(str, pair)) if isinstance(pair, tuple) else ()
        if named in self._place:
            return self._pair(self._place[named])
        if named[::-1] in self._place:
            return self._pair(self._place[named[::-1]], turned=True)
        message = f"a pair is two names of models that were compared; got {pair!r}"
        raise DataError(message, hint=f"models: {', '.join(map(repr, self.models))}.")

    def __repr__(self) -> str:
        about = f"{many(len(self.models), 'model')}, {many(len(self), 'pair')}"
        return f"Comparison({about}, {self.rule}, {self.design})"

    def __str__(self) -> str:
        """Say it in sentences and as a matrix; of more than four models, in a table."""
        if len(self.models) > FEW:
            return _ranked(self)
        lines = [pair.sentence + "." for pair in self]
        if len(self.models) > 2:
            lines += ["", _matrix(self)]
        return "\n".join(lines)

    def matrix(self) -> Column:
        """Lay the differences out by models, row minus column.

        Returns
        -------
        array of shape (models, models)
            In the order of `models`; NaN on the diagonal and where a pair was not compared.
        """
        result = np.full((len(self.models),) * 2, np.nan)
        number = {name: i for i, name in enumerate(self.models)}
        i, j = np.array([(number[first], number[second]) for first, second in self.pairs]).T
        result[i, j], result[j, i] = self.difference, -self.difference
        return result

    def cases_needed(self, power: float = 0.8, difference: float | None = None) -> Column:
        r"""Say roughly how many cases would tell each difference from zero.

        .. math:: n \Big(\frac{(z_{1 - \alpha / 2} + z_{\text{power}})\, e}{D}\Big)^2 ,

        with the difference D and its standard error e from n cases, for two sides at the level of
        the comparison. Infinite if there was no difference.

        Parameters
        ----------
        power : float
            With what probability such a difference is to be found.
        difference : float, optional
            The least difference that matters. Without it, the differences that were found.

        Returns
        -------
        array
            In all, those at hand included: cases like these, as clustered and as weighted.

        Notes
        -----
        A difference that was found is not the true one: where it is near zero the number may be off
        by any factor. To plan a study, give the least difference that matters; half of it needs
        four times the cases. Few clusters need more than this, and so do many pairs: quantiles are
        those of the normal distribution for one pair.
        """
        from scipy.special import ndtri

        target = self.difference if difference is None else as_number(difference, "difference")
        reach = ndtri((1 + self.level) / 2) + ndtri(check_inside(power, "power"))
        with infinities():
            needed = self.cases * (reach * self.standard_error / target) ** 2
        return np.where(target == 0, np.inf, np.ceil(needed))

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as JSON can hold them."""
        names = (
            *("rule", "unit", "higher_is_better", "level", "margin", "adjust"),
            *("design", "degrees", "cases", "effective_cases", "scores"),
        )
        numbers = {name: getattr(self, name) for name in names}
        return dict(plain(numbers | {"pairs": list(self)}))

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row a pair."""
        return columns_of(pair.flat() for pair in self)

    @cached_property
    def _place(self) -> dict[tuple[str, ...], int]:
        """The place of each pair among all."""
        return {pair: k for k, pair in enumerate(self.pairs)}

    @cached_property
    def _wording(self) -> Wording:
        """What all sentences have in common."""
        lost = {name: many(x.infinite_cases, "case") for name, x in self.scores.items()}
        about = f" {self.unit}" if self.unit else "", interval_name(self), 1 - self.level
        return Wording(*about, self.higher_is_better, self.margin, lost)

    def _pair(self, k: int, *, turned: bool = False) -> Pair:
        left = WORDS if self.common is not None else (*WORDS, "common")
        names = (field.name for field in fields(Pair) if field.name not in left)
        numbers = ((name, getattr(self, name)[k].tolist()) for name in names)
        row: dict[str, Any] = {n: tuple(x) if isinstance(x, list) else x for n, x in numbers}
        pair = Pair(*self.pairs[k], **row, method=self.methods[k], sentence="")
        pair = pair.turned() if turned else pair
        return replace(pair, sentence=sentence(pair, self._wording))


def _opposite(interval: tuple[float, float]) -> tuple[float, float]:
    low, high = interval
    return 0.0 - high, 0.0 - low


class Wording(NamedTuple):
    """Words that sentences about pairs have in common; by model, the cases of infinite loss."""

    unit: str
    ends: str
    alpha: float
    higher_is_better: bool
    margin: float | None
    lost: Mapping[str, str]


def is_significant(pair: Pair) -> bool:
    """Return whether the interval that is adjusted for all pairs excludes zero."""
    low, high = pair.simultaneous
    return low > 0 or high < 0


def interval_name(comparison: Comparison) -> str:
    """Name the interval that decides."""
    adjusted = "simultaneous " if len(comparison) > 1 and comparison.adjust != "none" else ""
    return f"{100 * comparison.level:g} % {adjusted}interval"


def sentence(pair: Pair, words: Wording) -> str:
    """Write which of two models is better, if the difference is significant, and on which cases."""
    verdict = _verdict(pair, words)
    alone = pair.common and not pair.method.startswith("two-way")
    return f"{verdict}; {many(pair.common or 0, 'case')} in common" if alone else verdict


def _verdict(pair: Pair, words: Wording) -> str:
    first, second = (printable(name) for name in (pair.first, pair.second))
    if not math.isfinite(pair.difference):
        return _infinite(pair, words)
    if pair.differing == 0 and pair.difference == 0:
        alike = "rank the cases alike" if words.higher_is_better else "never differ"
        return f"{first} and {second} {alike}"
    size = f"{pair.difference:.4g}{words.unit}"
    if not pair.standard_error > 0:
        size = f"{size}, without a standard error"
        return f"{first} and {second} cannot be compared: difference {size}"
    is_close = words.margin is not None and pair.adjusted_equivalence_p_value <= words.alpha
    if is_significant(pair):
        little = f", less than the margin of {words.margin:g}" if is_close else ""
        return _better(pair, words, (first, second)) + little
    if is_close:
        p = p_text(pair.adjusted_equivalence_p_value, digits=2)
        within = f"{words.margin:g}{words.unit} ({p})"
        return f"{first} and {second} are as good as each other within {within}"
    size = f"{size} {_interval(pair.simultaneous, pair, words)}"
    return f"{first} and {second} cannot be told apart: difference {size}"


def _interval(ends: tuple[float, float], pair: Pair, words: Wording) -> str:
    low, high = ends
    return f"({words.ends} {low:.4g} to {high:.4g}{_flips(pair)})"


def _infinite(pair: Pair, words: Wording) -> str:
    names = [pair.first, pair.second]
    if math.isnan(pair.difference):
        first, second = map(printable, names)
        if any(words.lost[name].startswith("0 ") for name in names):
            return f"{first} and {second} cannot be compared: they have no cases in common"
        return f"{first} and {second} both have an infinite{words.unit} score"
    worse, other = names if pair.difference > 0 else names[::-1]
    score = f"an infinite{words.unit} score ({words.lost[worse]} of infinite loss)"
    return f"{printable(worse)} has {score}, {printable(other)} has not"


def _better(pair: Pair, words: Wording, names: tuple[str, str]) -> str:
    better = (pair.difference > 0) == words.higher_is_better
    first, second = names if better else names[::-1]
    ends = pair.simultaneous if pair.difference > 0 else _opposite(pair.simultaneous)
    size = f"{abs(pair.difference):.4g}{words.unit} {_interval(ends, pair, words)}"
    return f"{first} is better than {second} by {size}"


def _flips(pair: Pair) -> str:
    """Say the p-value where it is not that of the interval."""
    if not pair.method.startswith("sign flips"):
        return ""
    if pair.method != "sign flips":
        return f"; p at most {pair.adjusted_p_value:.2g} by sign flips"
    p = p_text(pair.adjusted_p_value, is_bound=pair.adjusted_p_is_bound, digits=2)
    return f"; {p} by sign flips"


def _matrix(comparison: Comparison) -> str:
    """Lay differences out by models; a star marks a significant one."""
    rows = []
    for name, numbers in zip(comparison.models, comparison.matrix().tolist(), strict=True):
        pairs = zip(comparison.models, numbers, strict=True)
        cells = (
            "- " if math.isnan(x) else f"{x:.4g}{_star(comparison[name, y])}" for y, x in pairs
        )
        rows.append((name, *cells))
    return table(("row minus column", *comparison.models), rows)


def _star(pair: Pair) -> str:
    return "*" if is_significant(pair) else " "


def _ranked(comparison: Comparison) -> str:
    """Lay models out, the best first, each against the best one or against the reference."""
    sign = -1 if comparison.higher_is_better else 1
    order = sorted(comparison.models, key=lambda name: sign * comparison.scores[name].value)
    compared = {second for _, second in comparison.pairs}
    other = compared.pop() if len(compared) == 1 else order[0]
    rows = [_row(comparison, name, other) for name in order]
    level, shown = f"{100 * comparison.level:g} %", printable(other)
    none = comparison.adjust == "none"
    tests = (level, "p") if none else (f"{level} simultaneous", "adjusted p")
    head = ("model", comparison.unit, level, f"minus {shown}", *tests)
    title = f"{many(len(comparison.models), 'model')}, the best first; {comparison.design}"
    allowing = "not adjusted" if none else f"adjusted for {many(len(comparison), 'pair')}"
    note = (
        f"A star marks a significant difference from {shown}, {allowing}; every pair has a "
        "sentence of its own, and plots.comparison_matrix shows all."
    )
    return "\n\n".join([title, table(head, rows), wrapped(note)])


def _row(comparison: Comparison, name: str, other: str) -> tuple[str, ...]:
    score = comparison.scores[name]
    own = (name, f"{score.value:.4g}", span(score.interval, ".4g"))
    if name == other:
        return (*own, "- ", "-", "-")
    pair = comparison[name, other]
    p = chance(pair.adjusted_p_value, is_bound=pair.adjusted_p_is_bound)
    return (*own, f"{pair.difference:+.4g}{_star(pair)}", span(pair.simultaneous, ".4g"), p)
