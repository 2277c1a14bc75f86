"""The records of groups, each against the rest, with their tables and notes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary import _text as text
from properly._boundary._classes import one_kind
from properly._boundary._record import Record, ends_apart, plain
from properly.typing import Column

if TYPE_CHECKING:
    from properly.comparison._group_variance import Homogeneity


# With fewer expected events, or non-events, a group is counted and scored, but has no interval.
# Expected, not observed: a choice by outcomes would keep the groups that are high by chance.
FOR_INTERVAL = 10
# With 10 to 25 expected events in each of ten equal groups, some skill is called different in 5 to
# 30 % of samples instead of 5, by rule and calibration; with 35 in 8 %, as the coverage study says.
FOR_SKILL = 30
# What is worse: a higher score, a lower skill.
WORSE = {"score": 1, "skill": -1}

EVENTS = (
    "Scores depend on how common the event is, so groups of other event rates score differently "
    "however good the forecasts: compare skill and O:E as well."
)
CLASSES = (
    "Scores depend on how common the classes are, so groups of other shares score differently "
    "however good the forecasts: compare skill as well."
)
# What the cases of a group must come from, by the text of the design.
WHENCE = {"cluster": ", from five clusters", "time": ", at 20 times"}
SHRUNK = (
    "Shrunk scores are drawn towards the mean of the groups, the more the less is known; they "
    "stand beside the raw ones, not in their place."
)
WORDS = ("rule", "unit", "design", "level", "replicates")
COUNTS = ("cases", "events", "event_rate", "mean_forecast", "units", "enough")


class WorstGroup(NamedTuple):
    """The group that differs most from the rest, for the worse.

    Attributes
    ----------
    name : str
        The group.
    measure : str
        What was compared: ``"score"`` or ``"skill"``.
    difference : float
        Group minus rest.
    simultaneous : pair of floats
        An interval that allows for having looked at all groups.
    adjusted_p_value : float
        Of no difference, adjusted for all groups: at most 1 - level exactly where the interval
        excludes zero.
    groups : int
        How many groups were tested, two or more.
    level : float
        Coverage aimed at by the interval.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> died, p = [1, 0] * 50, [0.8, 0.2] * 25 + [0.6, 0.4] * 25
    >>> cases = properly.Cases(died, p, groups=["a", "b", "b", "a"] * 10 + ["a"] * 20 + ["b"] * 40)
    >>> properly.by_group(cases, Brier(), replicates=19, rng=1).worst.name
    'b'
    """

    name: str
    measure: str
    difference: float
    simultaneous: tuple[float, float]
    adjusted_p_value: float
    groups: int
    level: float

    @property
    def sentence(self) -> str:
        """The same in words, with a warning."""
        lower, upper = self.simultaneous
        score = WORSE[self.measure] > 0
        biased = "maximum is biased upward" if score else "minimum is biased downward"
        return (
            f"Among the {self.groups} groups tested, '{text.printable(self.name)}' has the worst "
            f"{self.measure}: {self.difference:+.4g} against the rest, simultaneous "
            f"{100 * self.level:g} % interval {lower:.4g} to {upper:.4g}. A {biased}: "
            "some group is the worst even if all are alike."
        )


def find_worst(groups: Groups, measure: str, least: int = 2) -> WorstGroup | None:
    """Find the worst of the groups that were tested; None if these are fewer than `least`."""
    if measure not in groups.measures:
        return None
    contrast = groups.measures[measure]
    tested = ~np.isnan(contrast.simultaneous[:, 0])
    if tested.sum() < least:
        return None
    g = int(np.argmax(np.where(tested, WORSE[measure] * contrast.difference, -np.inf)))
    lower, upper = contrast.simultaneous[g].tolist()
    own = contrast.difference[g].item(), (lower, upper), contrast.adjusted_p_value[g].item()
    return WorstGroup(groups.name[g], measure, *own, int(tested.sum()), groups.level)


def is_small(groups: Groups, measure: str) -> Column:
    """Mark the groups that are too small for an interval of a measure."""
    contrast, small = groups.measures.get(measure), ~groups.enough
    if measure == "skill" and contrast is not None:
        # Where the skill varies and has no interval, its size is the only reason left.
        varies = np.isfinite(contrast.value) & (contrast.standard_error > 0)
        small |= varies & np.isnan(contrast.interval[:, 0])
    return small


@dataclass(frozen=True, eq=False, repr=False)
class Contrast(Record):
    """One number of every group, and how it differs from that of the rest.

    Arrays have one entry a group; NaN where a group, or the rest, is too small for an interval, or
    where nothing varied. Ratios such as observed to expected are compared by their logarithms:
    `difference` and what is said about it is one of logarithms, the logarithm of a factor.

    Attributes
    ----------
    value, standard_error : array
        The number, and its standard error.
    interval : array of shape (groups, 2)
        Lower and upper end of its interval.
    rest : array
        The number of all cases outside the group.
    difference, difference_error : array
        Group minus rest, and its standard error.
    difference_interval : array of shape (groups, 2)
        The interval of the difference, taken alone.
    p_value, adjusted_p_value : array
        Of no difference; adjusted by the single-step max-t method, so that it is at most 1 - level
        exactly where the simultaneous interval excludes zero.
    simultaneous : array of shape (groups, 2)
        Intervals that hold the true differences of all groups at once.
    shrunk, shrunk_error : array
        The number drawn towards the mean of all groups, the more the less is known of the group,
        and its standard error. To be shown beside the raw number, not in its place.
    homogeneity : Homogeneity
        Whether groups differ at all: `statistic`, `degrees`, `p_value`.
    overall : float
        The number of all cases.
    degrees : array
        Degrees of freedom of each difference: few, if the group or the rest has few cases, or few
        clusters.
    quantile : array
        How many standard errors the simultaneous interval of each reaches, but for skewness.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> died, p = [1, 0, 0] * 40, [0.6, 0.2, 0.3, 0.4, 0.2] * 24
    >>> cases = properly.Cases(died, p, groups=["a"] * 60 + ["b"] * 60)
    >>> skill = properly.by_group(cases, Brier(), replicates=19, rng=1).measures["skill"]
    >>> skill
    Contrast(2 groups)
    >>> bool(skill.difference[0] == -skill.difference[1])
    True
    """

    value: Column
    standard_error: Column
    interval: Column
    rest: Column
    difference: Column
    difference_error: Column
    difference_interval: Column
    p_value: Column
    adjusted_p_value: Column
    simultaneous: Column
    shrunk: Column
    shrunk_error: Column
    homogeneity: Homogeneity
    overall: float
    degrees: Column
    quantile: Column

    def __repr__(self) -> str:
        return f"Contrast({len(self.value)} groups)"

    def columns(self) -> dict[str, list[float]]:
        """Return one column a number, with the ends of intervals in two."""
        return ends_apart({name: x for name, x in vars(self).items() if isinstance(x, np.ndarray)})

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers by name, as JSON can hold them."""
        others = {"homogeneity": self.homogeneity._asdict(), "overall": self.overall}
        return dict(plain(self.columns() | others))


@dataclass(frozen=True, eq=False, repr=False)
class GroupCalibration(Record):
    """How well forecasts are calibrated within each group.

    Arrays have one entry a group, NaN where a group is too small to say.

    Attributes
    ----------
    slope : array
        The calibration slope; below 1, forecasts are too extreme.
    slope_interval : array of shape (groups, 2)
        Its interval.
    miscalibration : array
        What recalibration would save at most, less its bias.
    miscalibration_interval : array of shape (groups, 2)
        Its interval.
    p_value, adjusted_p_value : array
        Of the calibration test, and adjusted by Holm's method.
    p_is_bound, adjusted_p_is_bound : array of bool
        Whether no draw reached what was observed: the p-value is then at most this; and whether
        the adjusted one is at most what it says.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> died, p = [1, 0] * 50, [0.8, 0.2, 0.6, 0.4] * 25
    >>> cases = properly.Cases(died, p, groups=["a"] * 40 + ["b"] * 60)
    >>> found = properly.by_group(cases, Brier(), replicates=19, rng=1).calibration
    >>> found
    GroupCalibration(2 groups)
    >>> found.p_value
    array([0.001998, 0.001998])
    """

    slope: Column
    slope_interval: Column
    miscalibration: Column
    miscalibration_interval: Column
    p_value: Column
    adjusted_p_value: Column
    p_is_bound: Column
    adjusted_p_is_bound: Column

    def __repr__(self) -> str:
        return f"GroupCalibration({text.many(len(self.slope), 'group')})"

    def columns(self) -> dict[str, list[float]]:
        """Return one column a number, with the ends of intervals in two."""
        return ends_apart(vars(self))

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers by name, as JSON can hold them."""
        return dict(plain(self.columns()))


def _of_score(name: str, meaning: str) -> Any:
    """Return a property of groups that is a number of their scores."""
    return property(lambda groups: getattr(groups.measures["score"], name), doc=meaning)


@dataclass(frozen=True, eq=False, repr=False)
class Groups(Record):
    """Groups of cases, one row each, and how each differs from the rest.

    Arrays have one entry a group, NaN where a group is too small. What is not named otherwise is
    about the score; `measures` has the same about the skill, and about observed to expected.

    Attributes
    ----------
    labels : tuple
        The groups as they were given.
    name : list of str
        The same as text.
    cases : array
        Cases of positive weight.
    events, event_rate, mean_forecast : array or None
        How many of them had the event, its share of the weight, and the mean probability forecast;
        None for classes.
    measures : dict of Contrast
        ``"score"``, ``"skill"`` (not for an improper rule without a reference) and, of an event,
        ``"observed_expected"``.
    calibration : GroupCalibration or None
        Calibration within the groups; None for classes.
    units : array
        What the cases of a group come from that is independent, or nearly so: how many clusters or
        times, or the cases themselves.
    enough : array of bool
        Whether ten events and ten non-events are expected by the forecasts, and so there is an
        interval; for classes, ten cases outside the class with the highest mean forecast. With
        clusters, from five of them; with times, at 20. The skill needs 30 instead of ten.
    rule, unit, design : str
        The name of the rule, the rule as it is written, and how cases were taken to be sampled.
    level : float
        Coverage aimed at by the intervals.
    replicates : int
        Random draws.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> died, p = [1, 0] * 50, [0.8, 0.2, 0.6, 0.4] * 25
    >>> cases = properly.Cases(died, p, groups=["a"] * 40 + ["b"] * 60)
    >>> found = properly.by_group(cases, Brier(), replicates=19, rng=1)
    >>> found
    Groups(2 groups, brier)
    >>> found.name, found.cases, found.events
    (['a', 'b'], array([40, 60]), array([20, 30]))
    """

    labels: tuple[Any, ...]
    name: list[str]
    cases: Column
    events: Column | None
    event_rate: Column | None
    mean_forecast: Column | None
    measures: dict[str, Contrast]
    calibration: GroupCalibration | None
    units: Column
    enough: Column
    rule: str
    unit: str
    design: str
    level: float
    replicates: int

    def __len__(self) -> int:
        """Count the groups."""
        return len(self.name)

    def __repr__(self) -> str:
        return f"Groups({text.many(len(self), 'group')}, {self.rule})"

    score = _of_score("value", "The mean score of each group.")
    standard_error = _of_score("standard_error", "The standard error of the score.")
    interval = _of_score("interval", "The interval of the score.")
    difference = _of_score("difference", "The score of the group minus that of the rest.")
    difference_interval = _of_score(
        "difference_interval", "The interval of the difference, unadjusted."
    )
    simultaneous = _of_score(
        "simultaneous", "Intervals of the differences that hold for all groups at once."
    )
    p_value = _of_score("p_value", "Of no difference from the rest.")
    adjusted_p_value = _of_score("adjusted_p_value", "The same, adjusted for all groups.")
    shrunk = _of_score("shrunk", "The score drawn towards the mean of the groups.")
    shrunk_error = _of_score("shrunk_error", "The standard error of that.")
    homogeneity = _of_score("homogeneity", "Whether the scores of the groups differ at all.")

    @property
    def skill(self) -> Column:
        """The skill of each group; how it differs from the rest is in `measures`."""
        return self._value("skill")

    @property
    def observed_expected(self) -> Column:
        """Events observed to events expected; how it differs from the rest is in `measures`."""
        return self._value("observed_expected")

    @property
    def slope(self) -> Column:
        """The calibration slope, of groups with 20 events and 20 non-events."""
        return self._nothing() if self.calibration is None else self.calibration.slope

    @property
    def miscalibration(self) -> Column:
        """Miscalibration less its bias, of groups with 200 cases."""
        return self._nothing() if self.calibration is None else self.calibration.miscalibration

    @property
    def worst(self) -> WorstGroup | None:
        """The group whose score is the most above that of the rest.

        None if fewer than two groups were tested. Its simultaneous interval allows for the choice;
        its difference is biased upward.
        """
        return find_worst(self, "score")

    @property
    def worst_skill(self) -> WorstGroup | None:
        """The group whose skill is the most below that of the rest.

        None if fewer than two groups were tested. Its simultaneous interval allows for the choice;
        its difference is biased downward.
        """
        return find_worst(self, "skill")

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of these numbers must know, in sentences."""
        sentences = [_looked_at(self), CLASSES if self.events is None else EVENTS]
        small = is_small(self, "score")
        if small.any():
            whence = next((x for kind, x in WHENCE.items() if kind in self.design), "")
            lack = f"{_lack(self, 'ten')}{whence}"
            sentences.append(f"No interval without {lack}: {_some(self, small)}.")
        few = is_small(self, "skill") & ~small
        if few.any():
            sentences.append(f"No test of skill without {_lack(self, '30')}: {_some(self, few)}.")
        worst = (x.sentence for x in (self.worst, self.worst_skill) if x is not None)
        return (*sentences, *_differ(self), *worst, SHRUNK)

    def __str__(self) -> str:
        """Lay out the groups by themselves, then against the rest, and what is to be said."""
        title = f"{self.unit} of {text.many(len(self), 'group')}; {self.design}"
        parts = [title, _by_themselves(self)]
        parts += ["Against the rest, adjusted p-values:", _against_the_rest(self)]
        if self.calibration is not None:
            parts += ["Calibration within groups:", _within(self, self.calibration)]
        return "\n\n".join([*parts, "\n".join(map(text.wrapped, self.notes))])

    def _value(self, measure: str) -> Column:
        return self.measures[measure].value if measure in self.measures else self._nothing()

    def _nothing(self) -> Column:
        return np.full(len(self), np.nan)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers by name, as JSON can hold them, and the notes."""
        about = {name: getattr(self, name) for name in ("measures", "calibration", *WORDS, "notes")}
        return dict(plain({"group": self.labels} | self._counts() | about))

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row a group.

        Columns about the skill and about observed to expected begin with these words.
        """
        columns: dict[str, list[Any]] = {"group": one_kind(self.labels)} | self._counts()
        for measure, contrast in self.measures.items():
            prefix = "" if measure == "score" else f"{measure}_"
            named = {f"{prefix}{name}": column for name, column in contrast.columns().items()}
            columns |= {measure: named.pop(f"{prefix}value")} | named
        if self.calibration is not None:
            result = self.calibration.columns()
            # Beside the p-values of the scores.
            columns |= {name.replace("p_", "calibration_p_"): x for name, x in result.items()}
        return columns

    def _counts(self) -> dict[str, list[Any]]:
        """Return the counts, as far as there are any."""
        columns = ((name, getattr(self, name)) for name in COUNTS)
        return {name: x.tolist() for name, x in columns if x is not None}


def _by_themselves(groups: Groups) -> str:
    score, level = groups.measures["score"], f"{100 * groups.level:g} % interval"
    columns = {"group": groups.name, "cases": [f"{n:,}" for n in groups.cases.tolist()]}
    if groups.events is not None and groups.event_rate is not None:
        columns["events"] = [f"{n:,}" for n in groups.events.tolist()]
        columns["event rate"] = text.numbers(groups.event_rate)
    columns |= {groups.unit: text.numbers(score.value), level: text.ranges(score.interval)}
    columns |= {"shrunk": text.numbers(score.shrunk), "skill": text.numbers(groups.skill)}
    return text.table([*columns], zip(*columns.values(), strict=True))


def _against_the_rest(groups: Groups) -> str:
    score = groups.measures["score"]
    columns = {
        "group": groups.name,
        groups.unit: text.numbers(score.difference, "+.4f"),
        "simultaneous": text.ranges(score.simultaneous),
        "p": [text.chance(p) for p in score.adjusted_p_value.tolist()],
    }
    if "skill" in groups.measures:
        skill = groups.measures["skill"]
        columns["skill"] = text.numbers(skill.difference, "+.4f")
        columns["p of skill"] = [text.chance(p) for p in skill.adjusted_p_value.tolist()]
    if "observed_expected" in groups.measures:
        ratio = groups.measures["observed_expected"]
        columns["O:E"] = [f"x {x}" for x in text.numbers(np.exp(ratio.difference), ".3f")]
        columns["p of O:E"] = [text.chance(p) for p in ratio.adjusted_p_value.tolist()]
    return text.table([*columns], zip(*columns.values(), strict=True))


def _within(groups: Groups, calibration: GroupCalibration) -> str:
    ratio = groups.measures["observed_expected"]
    adjusted = calibration.adjusted_p_value.tolist(), calibration.adjusted_p_is_bound.tolist()
    columns = {
        "group": groups.name,
        "O:E": _with_range(ratio.value, ratio.interval, ".3f"),
        "slope": _with_range(calibration.slope, calibration.slope_interval, ".3f"),
        "miscalibration": _with_range(
            calibration.miscalibration, calibration.miscalibration_interval
        ),
        "p by Holm": [text.chance(p, is_bound=x) for p, x in zip(*adjusted, strict=True)],
    }
    return text.table([*columns], zip(*columns.values(), strict=True))


def _lack(groups: Groups, number: str) -> str:
    """Describe the expected outcomes that a test needs."""
    if groups.events is None:
        return f"{number} cases expected outside the commonest class"
    return f"{number} expected events and {number} expected non-events"


def _looked_at(groups: Groups) -> str:
    compared = int(np.sum(~np.isnan(groups.p_value))) if len(groups) > 2 else 1
    by_chance = 1 - 0.95**compared
    count = f"{text.many(len(groups), 'group')} were looked at."
    if compared < 2:
        return count
    return (
        f"{count} If none differed from the rest, one or more of {compared} unadjusted p-values "
        f"would be below 0.05 in about {100 * by_chance:.0f} % of such tables."
    )


def _differ(result: Groups) -> list[str]:
    """Say of each measure whether groups differ in it at all."""
    sentences = []
    for name, contrast in result.measures.items():
        statistic, degrees, p = contrast.homogeneity
        # Two groups are compared in the table, by a test that suits few clusters and events.
        if math.isnan(p) or len(result) == 2:
            continue
        count = int(degrees) + 1
        groups = "all groups" if count == len(result) else f"the {count} groups with an interval"
        words = name.replace("observed_expected", "O:E")
        number = f"Q = {statistic:.4g} with {degrees:g} degree{'s' * (degrees != 1)} of freedom"
        sentences.append(f"That {groups} have the same {words}: {number}, {text.p_text(p)}.")
    return sentences


def _some(groups: Groups, chosen: Column) -> str:
    return text.first_of(f"'{text.printable(groups.name[g])}'" for g in np.flatnonzero(chosen))


def _with_range(x: Column, ends: Column, form: str = ".4f") -> list[str]:
    both = zip(text.numbers(x, form), text.ranges(ends, form), strict=True)
    return [value if between == "-" else f"{value} ({between})" for value, between in both]
