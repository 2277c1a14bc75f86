"""Pairs of models, compared: numbers, sentences and matrices."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from properly._boundary._frames import to_frame
from properly._boundary._libraries import freeze
from properly._boundary._options import as_number, check_choice, check_inside
from properly._boundary._plain import many, plain
from properly.comparison._comparison_words import lay_out
from properly.comparison._pair import Pair, Told, flat, sentence
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly._boundary._frames import Backend
    from properly.inference._estimate import Estimate

Column: TypeAlias = np.ndarray[Any, Any]
What: TypeAlias = Literal[
    "difference",
    "standard_error",
    "p_value",
    "adjusted_p_value",
    "equivalence_p_value",
    "adjusted_equivalence_p_value",
]
# One entry a pair.
COLUMNS = (
    "difference",
    "standard_error",
    "interval",
    "p_value",
    "adjusted_p_value",
    "simultaneous",
    "differing",
    "ratio",
    "ratio_error",
    "ratio_interval",
    "equivalence_p_value",
    "adjusted_equivalence_p_value",
)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
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
    simultaneous : array of shape (pairs, 2)
        Intervals that hold the true differences of all pairs at once.
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
    logistic is better than forest by 0.007263 Brier (95 % interval 0.005886 to 0.00864)
    """

    models: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    difference: Column
    standard_error: Column
    interval: Column
    p_value: Column
    adjusted_p_value: Column
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

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self.pairs)

    def __iter__(self) -> Iterator[Pair]:
        """Go through the pairs."""
        return (self._pair(k) for k in range(len(self)))

    def __getitem__(self, pair: tuple[str, str]) -> Pair:
        """Return the comparison of two models, the first minus the second."""
        named = tuple(map(str, pair)) if isinstance(pair, tuple) else ()
        if named in self.pairs:
            return self._pair(self.pairs.index(named))
        if named[::-1] in self.pairs:
            return self._pair(self.pairs.index(named[::-1]), turned=True)
        message = f"a pair is two names of models that were compared; got {pair!r}"
        raise DataError(message, hint=f"models: {', '.join(map(repr, self.models))}.")

    def __repr__(self) -> str:
        about = f"{many(len(self.models), 'model')}, {many(len(self), 'pair')}"
        return f"Comparison({about}, {self.rule}, {self.design})"

    def __str__(self) -> str:
        """Say it in sentences and as a matrix; of more than four models, in a table."""
        return lay_out(self)

    def matrix(self, what: What = "difference") -> Column:
        """Lay a number of each pair out by models, row against column.

        Parameters
        ----------
        what : str
            ``"difference"`` (row minus column), ``"standard_error"``, or a p-value by the name of
            its field.

        Returns
        -------
        array of shape (models, models)
            In the order of `models`; NaN on the diagonal and where a pair was not compared.
        """
        check_choice(what, get_args(What), "what")
        found = np.full((len(self.models),) * 2, np.nan)
        sign = -1.0 if what == "difference" else 1.0
        for (first, second), value in zip(self.pairs, getattr(self, what), strict=True):
            i, j = self.models.index(first), self.models.index(second)
            found[i, j], found[j, i] = value, sign * value
        return found

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

        wanted = self.difference if difference is None else as_number(difference, "difference")
        reach = ndtri((1 + self.level) / 2) + ndtri(check_inside(power, "power"))
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = self.cases * (reach * self.standard_error / wanted) ** 2
        return np.where(wanted == 0, np.inf, np.ceil(needed))

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as JSON can hold them."""
        about = (
            *("rule", "unit", "higher_is_better", "level", "margin", "adjust"),
            *("design", "degrees", "cases", "effective_cases"),
        )
        found: dict[str, Any] = plain(
            {name: getattr(self, name) for name in about}
            | {"scores": {name: score.to_dict() for name, score in self.scores.items()}}
            | {"pairs": [pair.to_dict() for pair in self]}
        )
        return found

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a pair as a polars, pandas or pyarrow frame."""
        rows = [flat(asdict(pair)) for pair in self]
        return to_frame({name: [row[name] for row in rows] for name in rows[0]}, backend)

    def _pair(self, k: int, *, turned: bool = False) -> Pair:
        found: dict[str, Any] = {name: getattr(self, name)[k].tolist() for name in COLUMNS}
        row: dict[str, Any] = {
            name: tuple(x) if isinstance(x, list) else x for name, x in found.items()
        }
        first, second = self.pairs[k]
        pair = Pair(first, second, **row, method=self.methods[k], sentence="")
        pair = pair.turned() if turned else pair
        return replace(pair, sentence=self._sentence(pair))

    def _sentence(self, pair: Pair) -> str:
        """Say which of two models is better, if that can be told."""
        lost = {name: many(x.infinite_cases, "case") for name, x in self.scores.items()}
        ends = f"{100 * self.level:g} % interval"
        about = Told(self.unit, ends, 1 - self.level, self.higher_is_better, self.margin)
        return sentence(pair, about, len(self), lost)
