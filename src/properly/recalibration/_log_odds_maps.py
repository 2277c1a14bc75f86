r"""Maps that are lines in the logarithms of a forecast and of its complement.

All of them are :math:`\operatorname{logit} q = c + a \ln p - b \ln(1 - p)`: with a = b a line of
the log odds, with a = b = 1 a shift of them. Forecasts of exactly 0 and 1, whose log odds are
infinite, are no part of a fit; they have a place of their own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, get_args

import numpy as np

from properly._boundary._arrays import refuse
from properly._boundary._blas import one_blas_thread
from properly._boundary._chunks import sweep
from properly._boundary._infinities import infinities
from properly._boundary._libraries import count_true, is_numpy, namespace
from properly._boundary._notices import notice
from properly._boundary._options import as_number, check_choice, check_flag, check_inside
from properly._boundary._text import amount_of, many
from properly.calibration._event_tests import line, shift
from properly.counts._prevalence_shift import ALMOST, HARDLY
from properly.errors import DataError
from properly.inference._logistic import Fitted, fit_columns, refit
from properly.recalibration._map import Map, Monotone, expit
from properly.recalibration._training import (
    Sample,
    Training,
    require_both_outcomes,
)

if TYPE_CHECKING:
    from properly.counts._tally import Tally
    from properly.inference._logistic import Columns
    from properly.typing import Array, Column

Certain = Literal["learn", "keep", "refuse"]
# With fewer events, or others, a map is mostly noise; with fewer than the second, intervals of its
# gain hold somewhat less often than they say.
FEW, SOME = 10, 20


class LineCoefficients(NamedTuple):
    """The coefficients of ln p and of -ln(1 - p), and the constant."""

    a: float
    b: float
    c: float


class Atoms(NamedTuple):
    """What forecasts of exactly 0 and of exactly 1 become; None if none were seen."""

    zero: float | None = None
    one: float | None = None


NO_ATOMS = Atoms()


def as_atoms(given: Atoms | Mapping[str, float | None], ends: object) -> Atoms:
    """Take what 0 and 1 become: probabilities, of a map that has a range."""
    atoms = Atoms(**given) if isinstance(given, Mapping) else Atoms(*given)
    for name, value in atoms._asdict().items():
        if value is not None and not (ends is not None and 0 <= value <= 1):
            message = f"what {name} becomes must be in [0, 1], of a map with a range; got {value!r}"
            raise DataError(message)
    return atoms


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LogOddsMap(Map):
    """A map that is a line in ln p and -ln(1 - p)."""

    smooth: bool = True
    certain: Certain = "learn"
    atoms: Atoms = field(default=NO_ATOMS, repr=False)
    separated: bool = field(default=False, repr=False)

    options: ClassVar[tuple[str, ...]] = ("smooth", "certain", "atoms", "separated")

    def __post_init__(self) -> None:
        check_flag(self.smooth, "smooth")
        check_choice(self.certain, get_args(Certain), "certain")
        object.__setattr__(self, "atoms", as_atoms(self.atoms, self.range))
        for name in self.parameters:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, as_number(value, name))
                self._check_parameter(name, getattr(self, name))

    def _check_parameter(self, name: str, value: float) -> None:
        if not math.isfinite(value) or (name in ("slope", "a", "b") and value < 0):
            rule = "finite" if name in ("intercept", "c") else "finite and not negative"
            message = f"{name} must be {rule}; got {value!r}"
            raise DataError(message)

    @property
    def coefficients(self) -> LineCoefficients:
        """The coefficients of ln p and of -ln(1 - p), and the constant."""
        slope = getattr(self, "slope", None)
        slope = 1.0 if slope is None else slope
        return LineCoefficients(slope, slope, getattr(self, "intercept", None) or 0.0)

    def _fit(self, tally: Tally) -> Self:
        inside = self._usable(Sample.of(tally))
        return self._filled(tally, *self._estimate(inside))

    def _usable(self, sample: Sample) -> Sample:
        """Return the forecasts that are not certain; refuse those that no line goes through."""
        inside = sample.inside()
        if not len(inside.value):
            message = "a line in the log odds needs forecasts inside (0, 1); all are 0 or 1"
            raise DataError(message, hint="Isotonic and VennAbers take certain forecasts.")
        where = "" if len(inside.value) == len(sample.value) else " inside (0, 1)"
        require_both_outcomes(inside, where)
        if self.certain == "refuse" and where:
            _refuse_certain(sample)
        self._require_distinct(len(inside.value))
        return inside

    def _filled(self, tally: Tally, parameters: dict[str, Any], notes: list[str]) -> Self:
        """Return the map with what was fitted, and with places for 0 and 1."""
        sample = Sample.of(tally)
        inside = sample.inside()
        notes = notes + few_notes(sample)
        if tally.cells is not None:
            notes.append(f"fitted to forecasts grouped into {tally.cells} cells")
        fitted = replace(
            self,
            **parameters,
            range=(float(inside.value[0]), float(inside.value[-1])),
            training=Training.of(tally),
            atoms=NO_ATOMS,
        )
        atoms, more = fitted._learn_certain(sample)  # noqa: SLF001
        return fitted.learnt(notes + more, atoms=atoms)

    def _require_distinct(self, distinct: int) -> None:
        """Refuse to draw a line through one point."""
        if distinct == 1:
            message = "one distinct forecast has no slope"
            raise DataError(message, hint="Intercept() shifts it to the event rate.")

    def _estimate(self, sample: Sample) -> tuple[dict[str, Any], list[str]]:
        """Return what was fitted, by name, and what is to be noted."""
        raise NotImplementedError

    def _from_here(
        self, sample: Sample, columns: tuple[Column | None, ...], offset: Column | None = None
    ) -> list[float] | None:
        """Fit a fitted map anew from its own coefficients, which are near those of its folds."""
        start = [getattr(self, name) for name in self.parameters]
        if not self.smooth or None in start:
            return None
        with one_blas_thread():
            place = refit(columns, smooth_events(sample), sample.weight, np.array(start), offset)
        return None if place is None else place.tolist()

    def _learn_certain(self, sample: Sample) -> tuple[Atoms, list[str]]:
        """Give 0 and 1 the rates with which they came true, drawn a case to their neighbour."""
        if self.certain != "learn" or self.range is None:
            return NO_ATOMS, []
        rates: list[float | None] = []
        notes = []
        for end, near in zip((0.0, 1.0), self.range, strict=True):
            rows = sample.some(sample.value == end)
            if not len(rows.value):
                rates.append(None)
                continue
            count, rate = rows.effective, float(rows.events[0] / rows.weight[0])
            neighbour = float(self._line(np.array([near]))[0])
            drawn = (count * rate + neighbour) / (count + 1)
            rates.append(drawn)
            if drawn > neighbour if end == 0 else drawn < neighbour:
                often, others = ("more", "lowest") if end == 0 else ("less", "highest")
                notes.append(
                    f"forecasts of exactly {end:g} came true {often} often than the {others} others"
                )
        return Atoms(*rates), notes

    @property
    def monotone(self) -> Monotone:
        """Whether larger forecasts stay larger: "strictly", "weakly", or not (False)."""
        slopes = self.coefficients
        if self.atoms == NO_ATOMS or self.range is None:
            return "strictly" if slopes.a + slopes.b > 0 else "weakly"
        low, high = self._line(np.array(self.range)).tolist()
        zero, one = self.atoms
        falls = (zero is not None and zero > low) or (one is not None and one < high)
        # Forecasts beyond those that were seen are held at what 0, or 1, becomes.
        return False if falls else "weakly"

    def mapped(self, p: Array) -> Array:
        q = self._line(p)
        if self.atoms == NO_ATOMS or self.range is None:
            return q
        xp, (low, high), (zero, one) = namespace(p), self.range, self.atoms
        if zero is not None:
            floor = xp.full_like(q, zero)
            q = xp.where(p == 0, floor, xp.where(p < low, xp.maximum(q, floor), q))
        if one is not None:
            ceiling = xp.full_like(q, one)
            q = xp.where(p == 1, ceiling, xp.where(p > high, xp.minimum(q, ceiling), q))
        return q

    def _line(self, p: Array) -> Array:
        """Follow the line, and its limits at 0 and 1."""
        a, b, c = self.coefficients
        if a == 0 and b == 0:
            return namespace(p).full_like(p, _constant(c))
        return _numpy_line(p, a, b, c) if is_numpy(p) else _tensor_line(p, a, b, c)

    def inspect(self, p: Array) -> None:
        super().inspect(p)
        zero, one = self.atoms
        if self.certain == "keep":
            return
        xp = namespace(p)
        # Counted only where there are some, which the least and the greatest tell.
        unseen = ((0, zero, xp.min(p)), (1, one, xp.max(p)))
        count = sum(count_true(p == x) for x, seen, end in unseen if seen is None and end == x)
        if not count:
            return
        if self.certain == "refuse":
            hint = 'certain="keep" leaves 0 at 0 and 1 at 1.'
            refuse(p, (p == 0) | (p == 1), "forecasts must not be certain for this map", hint)
        notice(f"{many(count, 'forecast')} of exactly 0 or 1, none of which this map was fitted to")

    def write(self, x: Any, language: Any) -> Any:
        from properly.recalibration._expression import write_line

        return write_line(self, x, language)

    def _joined(self, first: Map) -> Map | None:
        """Join two lines of the log odds into one; those with places for 0 and 1 stay two."""
        if not isinstance(first, LogOddsMap):
            return None
        both = (self, first)
        if any(x.atoms != NO_ATOMS or x.certain != "learn" for x in both):
            return None
        (a, b, c), (d, e, f) = self.coefficients, first.coefficients
        if a != b or d != e:
            return None
        return Logistic(intercept=c + a * f, slope=a * d, range=first.range)

    def _inverse(self) -> Map:
        a, b, c = self.coefficients
        if a != b:
            return super()._inverse()
        return Logistic(intercept=-c / a, slope=1 / a)


@infinities()
def _numpy_line(p: Column, a: float, b: float, c: float) -> Column:
    """Compute the line in place; infinities at 0 and 1 are meant."""
    if a == b:
        # The rounding of the odds moves their logarithm by less than its own.
        eta = np.log(p / (1 - p))
        eta *= -a
    else:
        eta = np.zeros_like(p)
        if a > 0:
            eta -= a * np.log(p)
        if b > 0:
            # Rounding 1 - p moves its logarithm, which is small then, by no more than 1e-16.
            eta += b * np.log(1 - p)
    eta -= c
    np.exp(eta, out=eta)
    eta += 1
    q: Column = np.divide(1, eta, out=eta)
    # What is uncertain stays so, however far the line carries it.
    if q.min() == 0 or q.max() == 1:
        inside = (p > 0) & (p < 1)
        # Where one over it is infinite, it may still be a number below all normal ones.
        lost = inside & (q == 0)
        q[lost] = np.exp(c + a * np.log(p[lost]) - b * np.log1p(-p[lost]))
        q[inside] = np.clip(q[inside], HARDLY, ALMOST)
    return q


def _constant(c: float) -> float:
    """Return the forecast whose log odds are c, which is never certain."""
    q = 1 / (1 + math.exp(-c)) if c > -700 else math.exp(c)
    return min(max(q, HARDLY), ALMOST)


def _tensor_line(p: Array, a: float, b: float, c: float) -> Array:
    """Compute the line with finite gradients, those of 0 and 1 set apart."""
    xp = namespace(p)
    inside = (p > 0) & (p < 1)
    some = xp.where(inside, p, xp.full_like(p, 0.5))
    eta = c + a * xp.log(some) - b * xp.log1p(-some)
    q = xp.clip(expit(eta), HARDLY, ALMOST)
    # With one coefficient 0, the limit at one end is a number like others.
    zero, one = (0.0 if a > 0 else _constant(c)), (1.0 if b > 0 else _constant(c))
    ends = xp.where(p <= 0, xp.full_like(p, zero), xp.full_like(p, one))
    return xp.where(inside, q, ends)


def _refuse_certain(sample: Sample) -> None:
    certain = (sample.value == 0) | (sample.value == 1)
    count = sample.weight[certain].sum()
    shown = amount_of(int(count) if sample.event_squares is None else float(count))
    message = f"forecasts must not be certain for this map; {shown} have 0 or 1"
    raise DataError(message, hint='certain="learn" gives them a place of their own.')


def few_notes(sample: Sample) -> list[str]:
    """Say that there are few events, or few others."""
    events, none = sample.event_numbers
    count, what = (events, "event") if events <= none else (none, "non-event")
    text = many(round(count), what)
    if count < FEW:
        return [f"only {text}: the map is mostly noise"]
    if count < SOME:
        return [f"only {text}: intervals of its gain may hold less often than they say"]
    return []


def smooth_events(sample: Sample) -> Column:
    """Draw outcomes a little towards the other side, as Platt does: one case's worth each."""
    events, none = sample.event_numbers
    upper, lower = (events + 1) / (events + 2), 1 / (none + 2)
    result = np.empty(len(sample.value))

    def fill(out: Column, happened: Column, weight: Column) -> None:
        out[...] = happened * upper + (weight - happened) * lower

    sweep(fill, result, sample.events, sample.weight)
    return result


SEPARATED = "no finite line fits best: some threshold tells all events from all others"
GUESS = "some threshold tells all events from all others; the map is a guess"
REVERSED = (
    "forecasts rank cases the wrong way round: no increasing line is better than the event rate"
)


def fit_line(
    sample: Sample, columns: Columns, x: Column, *, smooth: bool, may_separate: bool = True
) -> Fitted:
    """Fit columns of numbers in order; refuse outcomes that separate, if they are not drawn.

    Those that are drawn together have a best line always.
    """
    events = smooth_events(sample) if smooth else sample.events
    may_separate = may_separate and not smooth
    with one_blas_thread():
        fitted = fit_columns(columns, x, events, sample.weight, may_separate=may_separate)
    if fitted.separated:
        raise DataError(SEPARATED, hint="smooth=True draws outcomes a little together.")
    return fitted


def is_separated(sample: Sample) -> bool:
    """Tell whether some threshold has all events on one side and all others on the other."""
    events, none = (_ends(x) for x in (sample.events > 0, sample.events < sample.weight))
    return none[1] <= events[0] or events[1] <= none[0]


def _ends(x: Column) -> tuple[int, int]:
    """Return the first and the last row where it is true."""
    return int(x.argmax()), len(x) - 1 - int(x[::-1].argmax())


def scale_columns(odds: Column) -> tuple[Column, Column]:
    return odds[:, None], np.zeros(len(odds))


def _logarithms(use: tuple[bool, bool]) -> Columns:
    """Make the columns 1, ln p and -ln(1 - p), or some of them."""

    def columns(p: Column) -> tuple[Column, Column]:
        chosen = [np.ones(len(p))]
        if use[0]:
            chosen.append(np.log(p))
        if use[1]:
            chosen.append(-np.log1p(-p))
        return np.stack(chosen, axis=1), np.zeros(len(p))

    return columns


@dataclass(frozen=True, eq=False, repr=False)
class Identity(Map):
    """The map that leaves forecasts as they are.

    Examples
    --------
    >>> from properly.recalibration import Identity
    >>> Identity().at(0.3)
    0.3
    """

    kind: ClassVar[str] = "identity"

    def _fit(self, tally: Tally) -> Self:
        """Learn nothing; remember what it was not learnt from."""
        return replace(self, training=Training.of(tally))

    @property
    def monotone(self) -> Monotone:
        """Strictly."""
        return "strictly"

    def mapped(self, p: Array) -> Array:
        return p

    def _inverse(self) -> Map:
        return self

    def _joined(self, first: Map) -> Map | None:
        return first

    def write(self, x: Any, language: Any) -> Any:
        from properly.recalibration._expression import write_identity

        return write_identity(x, language)


@dataclass(frozen=True, eq=False, repr=False)
class Intercept(LogOddsMap):
    r"""A shift of the log odds.

    .. math:: \operatorname{logit} q = a + \operatorname{logit} p

    Parameters
    ----------
    smooth : bool
        Draw outcomes a little towards the other side, as Platt does, so that few events do not make
        the map too sure. Without it, the fit is by maximum likelihood.
    certain : {"learn", "keep", "refuse"}
        What to do with forecasts of exactly 0 and 1: give them the rate with which they came true,
        leave them, or refuse them.
    intercept : float, optional
        The shift, if it is known already.

    Examples
    --------
    >>> import properly
    >>> from properly.recalibration import Intercept
    >>> tally = properly.Tally.from_counts([0.5], [100], [25])
    >>> round(Intercept(smooth=False).fit(tally).at(0.5), 12)
    0.25
    """

    kind: ClassVar[str] = "intercept"
    parameters: ClassVar[tuple[str, ...]] = ("intercept",)
    intercept: float | None = None

    def _require_distinct(self, distinct: int) -> None:
        """One forecast will do."""

    def _estimate(self, sample: Sample) -> tuple[dict[str, Any], list[str]]:
        place = self._from_here(sample, (None,), sample.log_odds)
        if place is None:
            fitted = fit_line(sample, shift, sample.log_odds, smooth=self.smooth)
            place = fitted.coefficients.tolist()
        return {"intercept": place[0]}, []


@dataclass(frozen=True, eq=False, repr=False)
class Logistic(LogOddsMap):
    r"""A line of the log odds.

    .. math:: \operatorname{logit} q = a + b \operatorname{logit} p

    With `smooth` the targets of an event and of none are :math:`(n_1 + 1) / (n_1 + 2)` and
    :math:`1 / (n_0 + 2)`, as Platt has them [1]_. Without, it is Cox's line, that of
    `properly.calibration_summary` [2]_. The slope is never negative.

    Parameters
    ----------
    smooth : bool
        Draw outcomes a little towards the other side, as Platt does, so that few events do not make
        the map too sure. Without it, the fit is by maximum likelihood.
    certain : {"learn", "keep", "refuse"}
        What to do with forecasts of exactly 0 and 1: give them the rate with which they came true,
        leave them, or refuse them.
    intercept, slope : float, optional
        The line, if it is known already.

    References
    ----------
    .. [1] J. C. Platt (1999). Probabilistic outputs for support vector machines and comparisons to
       regularized likelihood methods. Advances in Large Margin Classifiers, 61-74.
    .. [2] D. R. Cox (1958). Two further applications of a model for binary regression. Biometrika
       45:562-565. `doi:10.1093/biomet/45.3-4.562 <https://doi.org/10.1093/biomet/45.3-4.562>`__

    Examples
    --------
    >>> import properly
    >>> from properly.recalibration import Logistic
    >>> crash = properly.datasets.crash()
    >>> line = Logistic().fit(crash.died, crash.forecasts["balanced_boosting"])
    >>> line
    Logistic(intercept=-2.701, slope=0.9728)
    >>> round(line.at(0.5), 4), round(line.threshold(0.05), 4)
    (0.0629, 0.4378)
    """

    kind: ClassVar[str] = "logistic"
    parameters: ClassVar[tuple[str, ...]] = ("intercept", "slope")
    intercept: float | None = None
    slope: float | None = None

    def _estimate(self, sample: Sample) -> tuple[dict[str, Any], list[str]]:
        odds, notes = sample.log_odds, []
        separated = is_separated(sample)
        if separated:
            notes.append(GUESS)
        place = self._from_here(sample, (None, odds))
        if place is None:
            options = {"smooth": self.smooth, "may_separate": separated}
            place = fit_line(sample, line, odds, **options).coefficients.tolist()
        intercept, slope = place
        if slope < 0:
            constant = fit_line(sample, _logarithms((False, False)), odds, smooth=self.smooth)
            intercept, slope = float(constant.coefficients[0]), 0.0
            notes.append(REVERSED)
        return {"intercept": intercept, "slope": slope, "separated": separated}, notes


@dataclass(frozen=True, eq=False, repr=False)
class Beta(LogOddsMap):
    r"""Beta calibration: a line in the logarithms of the forecast and its complement.

    .. math:: \operatorname{logit} q = c + a \ln p - b \ln(1 - p)

    Neither a nor b is negative, so that the map never falls: of the fits with both, with one and
    with none of them, the best one without a negative coefficient is taken [1]_.

    Parameters
    ----------
    smooth : bool
        Draw outcomes a little towards the other side, as Platt does, so that few events do not make
        the map too sure. Without it, the fit is by maximum likelihood.
    certain : {"learn", "keep", "refuse"}
        What to do with forecasts of exactly 0 and 1: give them the rate with which they came true,
        leave them, or refuse them.
    a, b, c : float, optional
        The coefficients, if they are known already.

    References
    ----------
    .. [1] M. Kull, T. M. Silva Filho, P. Flach (2017). Beyond sigmoids: how to obtain
       well-calibrated probabilities from binary classifiers with beta calibration. Electronic
       Journal of Statistics 11:5052-5080. `doi:10.1214/17-EJS1338SI
       <https://doi.org/10.1214/17-EJS1338SI>`__

    Examples
    --------
    >>> from properly.recalibration import Beta
    >>> Beta(0.5, 1.0, 0.0).at([0.2, 0.5, 0.8]).round(4)
    array([0.3586, 0.5858, 0.8173])
    """

    kind: ClassVar[str] = "beta"
    parameters: ClassVar[tuple[str, ...]] = ("a", "b", "c")
    a: float | None = None
    b: float | None = None
    c: float | None = None

    @property
    def coefficients(self) -> LineCoefficients:
        """The coefficients of ln p and of -ln(1 - p), and the constant."""
        a, b = (1.0 if x is None else x for x in (self.a, self.b))
        return LineCoefficients(a, b, self.c or 0.0)

    def _require_distinct(self, distinct: int) -> None:
        super()._require_distinct(distinct)
        if distinct == 2:
            message = "a curve of three coefficients needs three distinct forecasts; got 2"
            raise DataError(message, hint="Logistic() needs two.")

    def _estimate(self, sample: Sample) -> tuple[dict[str, Any], list[str]]:
        notes = []
        separated = self.smooth and is_separated(sample)
        if separated:
            notes.append(GUESS)
        place = None if self.a is None else self._from_here(sample, (*sample.logarithms, None))
        if place is None:
            c, *slopes = self._fit_some(sample, (True, True)).coefficients.tolist()
            place = [*slopes, c]
        best = dict(zip(self.parameters, place, strict=True))
        if min(best["a"], best["b"]) < 0:
            best = self._constrained(sample, best)
        if best["a"] == best["b"] == 0:
            notes.append(REVERSED)
        return {**best, "separated": separated}, notes

    def _fit_some(self, sample: Sample, use: tuple[bool, bool]) -> Fitted:
        return fit_line(sample, _logarithms(use), sample.value, smooth=self.smooth)

    def _constrained(self, sample: Sample, free: dict[str, float]) -> dict[str, float]:
        """Find the best curve without a negative coefficient, given the best of all.

        The likelihood has one hill: on the way to its top, a coefficient that ends below 0 is 0
        while the other still is as it should. So those that are negative are left out in turn.
        """
        feasible = []
        for name, other, use in (("a", "b", (False, True)), ("b", "a", (True, False))):
            if free[name] >= 0:
                continue
            fitted = self._fit_some(sample, use)
            c, slope = fitted.coefficients.tolist()
            if slope >= 0:
                feasible.append((fitted.log_likelihood, {name: 0.0, other: slope, "c": c}))
        if feasible:
            return max(feasible, key=lambda pair: pair[0])[1]
        constant = float(self._fit_some(sample, (False, False)).coefficients[0])
        return {"a": 0.0, "b": 0.0, "c": constant}


@dataclass(frozen=True, eq=False, repr=False)
class PriorShift(LogOddsMap):
    r"""A known shift of the event rate: the odds are multiplied by those of the rates.

    .. math:: \operatorname{logit} q = \operatorname{logit} p + \operatorname{logit} \pi_\text{new}
        - \operatorname{logit} \pi_\text{old}

    Nothing is fitted. It is for forecasts of a model that was trained where the event had another
    rate, as after undersampling; `properly.counts.with_event_rate` reweights outcomes as well.

    Parameters
    ----------
    old : float
        The event rate that the forecasts were made for.
    new : float
        The event rate where they are used.

    Examples
    --------
    >>> from properly.recalibration import PriorShift
    >>> round(PriorShift(0.5, 0.1).at(0.5), 12)
    0.1
    """

    kind: ClassVar[str] = "prior_shift"
    parameters: ClassVar[tuple[str, ...]] = ("old", "new")
    options: ClassVar[tuple[str, ...]] = ()
    old: float = math.nan
    new: float = math.nan

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.parameters:
            check_inside(getattr(self, name), name)

    @property
    def coefficients(self) -> LineCoefficients:
        """The coefficients of ln p and of -ln(1 - p), and the constant."""
        old, new = (math.log(x) - math.log1p(-x) for x in (self.old, self.new))
        return LineCoefficients(1.0, 1.0, new - old)

    def _fit(self, tally: Tally) -> Self:
        """Learn nothing: both rates are given."""
        return replace(self, training=Training.of(tally))

    def inspect(self, p: Array) -> None:
        """Forecasts of exactly 0 and 1 stay what they are under any rate."""
