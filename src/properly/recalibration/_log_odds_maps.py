r"""Maps that are lines in the logarithms of a forecast and of its complement.

All of them are :math:`\operatorname{logit} q = c + a \ln p - b \ln(1 - p)`: with a = b a line of
the log odds, with a = b = 1 a shift of them. Forecasts of exactly 0 and 1, whose log odds are
infinite, are no part of a fit; they have a place of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple, Self, get_args

import numpy as np

from properly._boundary._arrays import refuse
from properly._boundary._chunks import one_blas_thread, sweep
from properly._boundary._libraries import count_true, infinities, is_numpy, namespace
from properly._boundary._notices import notice
from properly._boundary._options import as_number, check_choice, check_flag, check_inside
from properly._boundary._text import amount_of, many
from properly.counts._prevalence_shift import ALMOST, HARDLY
from properly.errors import DataError
from properly.inference._logistic import fit_columns, refit
from properly.recalibration._map import Map, Monotone, expit
from properly.recalibration._rule_fit import fit_by_rule, smooth_rule
from properly.recalibration._training import Sample, Training, require_both_outcomes
from properly.rules import Rule
from properly.rules._rule import as_rule, require_binary
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
# The column that each coefficient multiplies: of log odds; of a, b and c of forecasts.
COLUMNS: dict[str, Callable[[Column], Column]] = {
    "intercept": np.ones_like,
    "slope": np.asarray,
    "a": np.log,
    "b": lambda p: -np.log1p(-p),
    "c": np.ones_like,
}
SLOPES = ("slope", "a", "b")
# Log odds beyond these are those of the least double, and of the greatest below 1; within them,
# the exponential neither overflows nor vanishes.
LOWEST, HIGHEST = -744.4, 36.5


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
    fits_cells: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_flag(self.smooth, "smooth")
        check_choice(self.certain, get_args(Certain), "certain")
        object.__setattr__(self, "atoms", as_atoms(self.atoms, self.range))
        if hasattr(self, "rule"):
            object.__setattr__(self, "rule", as_rule(self.rule))
        for name in self.parameters:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, value := as_number(value, name))
                if not math.isfinite(value) or (name in SLOPES and value < 0):
                    rule = "finite" if name in ("intercept", "c") else "finite and not negative"
                    message = f"{name} must be {rule}; got {value!r}"
                    raise DataError(message)

    @property
    def coefficients(self) -> LineCoefficients:
        """The coefficients of ln p and of -ln(1 - p), and the constant."""
        slope = getattr(self, "slope", None)
        slope = 1.0 if slope is None else slope
        return LineCoefficients(slope, slope, getattr(self, "intercept", None) or 0.0)

    def _fit(self, source: Any) -> Self:
        sample = Sample.of(source)
        inside = sample.inside()
        self._require_usable(sample, inside)
        parameters, notes = self._estimate(inside)
        notes += few_notes(sample)
        if source.cells is not None:
            notes.append(f"fitted to forecasts grouped into {source.cells} cells")
        ends = (float(inside.value[0]), float(inside.value[-1]))
        fitted = replace(self, **parameters, range=ends, atoms=NO_ATOMS)
        atoms, more = fitted._learn_certain(sample)  # noqa: SLF001
        return fitted.learnt(notes + more, atoms=atoms, training=Training.of(source))

    def _require_usable(self, sample: Sample, inside: Sample) -> None:
        """Refuse forecasts that no line goes through, and certain ones where none may be."""
        if not len(inside.value):
            message = "a line in the log odds needs forecasts inside (0, 1); all are 0 or 1"
            raise DataError(message, hint="Isotonic and VennAbers take certain forecasts.")
        where = "" if len(inside.value) == len(sample.value) else " inside (0, 1)"
        require_both_outcomes(inside, where)
        if self.certain == "refuse" and where:
            count = sample.weight.sum() - inside.weight.sum()
            shown = amount_of(int(count) if sample.event_squares is None else float(count))
            message = f"forecasts must not be certain for this map; {shown} have 0 or 1"
            raise DataError(message, hint='certain="learn" gives them a place of their own.')
        if len(inside.value) == 1 and self._slopes:
            message = "one distinct forecast has no slope"
            raise DataError(message, hint="Intercept() shifts it to the event rate.")
        if len(inside.value) < len(self.parameters):
            message = "a curve of three coefficients needs three distinct forecasts; got 2"
            raise DataError(message, hint="Logistic() needs two.")

    @property
    def _slopes(self) -> list[str]:
        """The coefficients of columns that vary, none of which may be negative."""
        return [name for name in self.parameters if name in SLOPES]

    def _estimate(self, sample: Sample) -> tuple[dict[str, Any], list[str]]:
        """Return what was fitted, by name, and what is to be noted."""
        slopes = self._slopes
        separated = bool(slopes) and is_separated(sample)
        notes = [GUESS] if separated else []
        best = self._from_here(sample)
        if best is None:
            _, best = self._best(sample, self.parameters, separated or len(slopes) > 1)
        if slopes and min(best[name] for name in slopes) < 0:
            best = self._constrained(sample, best)
        if rule := smooth_rule(getattr(self, "rule", None), require_binary):
            best = self._by_rule(rule, sample, best)
        if slopes and not any(best[name] for name in slopes):
            notes.append(REVERSED)
        return {**best, "separated": separated}, notes

    def _by_rule(self, rule: Rule, sample: Sample, best: dict[str, float]) -> dict[str, float]:
        """Go on from the best of the likelihood to the least mean loss."""
        ones, slopes = np.ones(len(sample.value)), self._slopes
        events = smooth_events(sample) if self.smooth else sample.events
        sides = [(events, ones > 0), (sample.weight - events, ones < 0)]
        columns = np.stack([ones if z is None else z for z in self._columns(sample)])
        lowest = [0.0 if name in slopes else -math.inf for name in best]
        offset, start = 0.0 if slopes else sample.log_odds, list(best.values())
        place = fit_by_rule(rule, columns, sides, start, lowest, offset=offset, prior=None)
        return dict(zip(best, place.tolist(), strict=True))

    def _columns(self, sample: Sample) -> tuple[Column | None, ...]:
        """Return the column of each coefficient; None is a column of ones."""
        return tuple(sample.log_odds if name == "slope" else None for name in self.parameters)

    def _from_here(self, sample: Sample) -> dict[str, float] | None:
        """Fit a fitted map anew from its own coefficients, which are near those of its folds."""
        start = [getattr(self, name) for name in self.parameters]
        if not self.smooth or None in start:
            return None
        offset = None if self._slopes else sample.log_odds
        counts = smooth_events(sample), sample.weight
        with one_blas_thread():
            place = refit(self._columns(sample), *counts, np.array(start), offset)
        return None if place is None else dict(zip(self.parameters, place.tolist(), strict=True))

    def _best(
        self, sample: Sample, names: Sequence[str], may_separate: bool = True
    ) -> tuple[float, dict[str, float]]:
        """Fit some coefficients, the others being 0; return the log-likelihood, and all of them.

        Outcomes that separate are refused, if they are not drawn together: those that are have a
        best line always.
        """
        zeros = dict.fromkeys(self.parameters, 0.0)
        if not names:
            return 0.0, zeros

        def columns(x: Column) -> tuple[Column, Column]:
            offset = np.zeros(len(x)) if self._slopes else x
            return np.stack([COLUMNS[name](x) for name in names]).T, offset

        x = sample.log_odds if "c" not in self.parameters else sample.value
        events = smooth_events(sample) if self.smooth else sample.events
        may_separate = may_separate and not self.smooth
        with one_blas_thread():
            fitted = fit_columns(columns, x, events, sample.weight, may_separate=may_separate)
        if fitted.separated:
            raise DataError(SEPARATED, hint="smooth=True draws outcomes a little together.")
        place = zip(names, fitted.coefficients.tolist(), strict=True)
        return fitted.log_likelihood, {**zeros, **dict(place)}

    def _constrained(self, sample: Sample, free: dict[str, float]) -> dict[str, float]:
        """Find the best line without a negative slope, given the best of all.

        The likelihood has one hill: on the way to its top, a slope that ends below 0 is 0 while
        the other still is as it should. So those that are negative are left out in turn.
        """
        slopes, names = self._slopes, self.parameters
        tried = [
            self._best(sample, [name for name in names if name != left_out])
            for left_out in slopes
            if free[left_out] < 0
        ]
        feasible = [one for one in tried if min(one[1][name] for name in slopes) >= 0]
        if not feasible:
            return self._best(sample, [name for name in names if name not in slopes])[1]
        return max(feasible, key=lambda one: one[0])[1]

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
        if a == b == 0:
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
        if count and self.certain == "refuse":
            hint = 'certain="keep" leaves 0 at 0 and 1 at 1.'
            refuse(p, (p == 0) | (p == 1), "forecasts must not be certain for this map", hint)
        if count:
            what = many(count, "forecast")
            notice(f"{what} of exactly 0 or 1, none of which this map was fitted to")

    def write(self, x: Any, language: Any) -> Any:
        a, b, c = self.coefficients
        zero, half, one = self.mapped(np.array([0.0, 0.5, 1.0])).tolist()
        if self.certain == "refuse":
            zero = one = None
        q: Any = half
        if a > 0 or b > 0:
            some = language.inside(x)
            if a == b:
                eta = c + a * (some / (1.0 - some)).log()
            else:
                up = c + a * some.log() if a > 0 else c
                eta = up - b * (1.0 - some).log() if b > 0 else up
            power = language.clip(eta, LOWEST, HIGHEST).exp()
            q = self._held(x, power / (1.0 + power), language)
        return language.cases((x == 0.0, zero), (x == 1.0, one), ((x > 0.0) & (x < 1.0), q))

    def _held(self, x: Any, q: Any, language: Any) -> Any:
        """Hold forecasts beyond those that were seen at what 0, or 1, becomes."""
        if self.atoms == NO_ATOMS or self.range is None:
            return q
        (low, high), (zero, one) = self.range, self.atoms
        floor = None if zero is None else language.cases((x < low, zero), other=0.0)
        ceiling = None if one is None else language.cases((x > high, one), other=1.0)
        return language.clip(q, floor, ceiling)


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
    pieces = sweep(lambda e, w: e * upper + (w - e) * lower, sample.events, sample.weight)
    return np.concatenate(pieces) if len(pieces) > 1 else np.asarray(pieces[0])


SEPARATED = "no finite line fits best: some threshold tells all events from all others"
GUESS = "some threshold tells all events from all others; the map is a guess"
REVERSED = (
    "forecasts rank cases the wrong way round: no increasing line is better than the event rate"
)


def is_separated(sample: Sample) -> bool:
    """Tell whether some threshold has all events on one side and all others on the other."""
    sides = (sample.events > 0, sample.events < sample.weight)
    events, none = ((x.argmax(), len(x) - 1 - x[::-1].argmax()) for x in sides)
    return bool(none[1] <= events[0] or events[1] <= none[0])


@dataclass(frozen=True, eq=False, repr=False)
class Identity(Map):
    """The map that leaves forecasts as they are.

    Examples
    --------
    >>> from properly.recalibration import Identity
    >>> Identity().at(0.3)
    0.3
    """

    def _fit(self, source: Any) -> Self:
        """Learn nothing; remember what it was not learnt from."""
        return replace(self, training=Training.of(source))

    @property
    def monotone(self) -> Monotone:
        """Strictly."""
        return "strictly"

    def mapped(self, p: Array) -> Array:
        return p

    def write(self, x: Any, language: Any) -> Any:
        # There is no negative zero among forecasts.
        return language.cases(((x >= 0) & (x <= 1), x + 0.0))


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
    rule : Rule, optional
        The rule whose mean loss the fit minimises, from the fit by likelihood on; proper, and
        without jumps. Left out, the fit is by likelihood, as it is with `Log`.
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

    parameters: ClassVar[tuple[str, ...]] = ("intercept",)
    intercept: float | None = None
    rule: Rule | str | None = field(default=None, kw_only=True)


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
    rule : Rule, optional
        The rule whose mean loss the fit minimises, from the fit by likelihood on; proper, and
        without jumps. Left out, the fit is by likelihood, as it is with `Log`.
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

    parameters: ClassVar[tuple[str, ...]] = ("intercept", "slope")
    intercept: float | None = None
    slope: float | None = None
    rule: Rule | str | None = field(default=None, kw_only=True)


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
    rule : Rule, optional
        The rule whose mean loss the fit minimises, from the fit by likelihood on; proper, and
        without jumps. Left out, the fit is by likelihood, as it is with `Log`.
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

    parameters: ClassVar[tuple[str, ...]] = ("a", "b", "c")
    a: float | None = None
    b: float | None = None
    c: float | None = None
    rule: Rule | str | None = field(default=None, kw_only=True)

    @property
    def coefficients(self) -> LineCoefficients:
        """The coefficients of ln p and of -ln(1 - p), and the constant."""
        a, b = (1.0 if x is None else x for x in (self.a, self.b))
        return LineCoefficients(a, b, self.c or 0.0)

    def _columns(self, sample: Sample) -> tuple[Column | None, ...]:
        return (*sample.logarithms, None)


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

    def _fit(self, source: Any) -> Self:
        """Learn nothing: both rates are given."""
        return replace(self, training=Training.of(source))

    def inspect(self, p: Array) -> None:
        """Forecasts of exactly 0 and 1 stay what they are under any rate."""
