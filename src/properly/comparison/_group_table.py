"""The record of groups, each against the rest, and what is to be said about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._frames import to_frame
from properly._boundary._labels import one_kind
from properly._boundary._libraries import freeze
from properly._boundary._plain import many, plain
from properly.comparison._contrasts import flat
from properly.comparison._group_words import WorstGroup, find_worst, lay_out, tell

if TYPE_CHECKING:
    from properly._boundary._frames import Backend
    from properly.comparison._contrasts import Contrast
    from properly.comparison._shrinkage import Homogeneity

Column: TypeAlias = np.ndarray[Any, Any]

# In a frame, beside the p-values of the score.
RENAMED = {
    "p_value": "calibration_p_value",
    "adjusted_p_value": "adjusted_calibration_p_value",
}
WORDS = ("rule", "unit", "design", "level", "replicates")


@dataclass(frozen=True, eq=False, repr=False)
class GroupCalibration:
    """How well forecasts are calibrated within each group.

    Arrays have one entry a group, NaN where a group is too small to say.

    Attributes
    ----------
    slope : array
        The calibration slope; below 1, forecasts are too extreme.
    slope_interval : array of shape (groups, 2)
        Its interval.
    miscalibration : array
        What recalibration would save, less its bias.
    miscalibration_interval : array of shape (groups, 2)
        Its interval.
    p_value, adjusted_p_value : array
        Of the calibration test, and adjusted by Holm's method.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> died, p = [1, 0] * 50, [0.8, 0.2, 0.6, 0.3] * 25
    >>> cases = properly.Cases(died, p, groups=["a"] * 40 + ["b"] * 60)
    >>> found = properly.by_group(cases, Brier(), replicates=19, rng=1).calibration
    >>> found
    GroupCalibration(2 groups)
    >>> found.p_value
    array([0.05, 0.05])
    """

    slope: Column
    slope_interval: Column
    miscalibration: Column
    miscalibration_interval: Column
    p_value: Column
    adjusted_p_value: Column

    def __post_init__(self) -> None:
        freeze(self)

    def __repr__(self) -> str:
        return f"GroupCalibration({many(len(self.slope), 'group')})"

    def columns(self) -> dict[str, list[float]]:
        """Return one column a number, with the ends of intervals in two."""
        return flat(vars(self))

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers by name, as JSON can hold them."""
        found: dict[str, Any] = plain(self.columns())
        return found


@dataclass(frozen=True, eq=False, repr=False)
class Groups:
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
        Whether a group has ten events and ten non-events, and so an interval. Of classes, ten cases
        outside the commonest. With clusters, from five of them; with times, at 20.
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
    >>> died, p = [1, 0] * 50, [0.8, 0.2, 0.6, 0.3] * 25
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

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        """Count the groups."""
        return len(self.name)

    def __repr__(self) -> str:
        return f"Groups({many(len(self), 'group')}, {self.rule})"

    @property
    def score(self) -> Column:
        """The mean score of each group."""
        return self.measures["score"].value

    @property
    def standard_error(self) -> Column:
        """The standard error of the score."""
        return self.measures["score"].standard_error

    @property
    def interval(self) -> Column:
        """The interval of the score."""
        return self.measures["score"].interval

    @property
    def difference(self) -> Column:
        """The score of the group minus that of the rest."""
        return self.measures["score"].difference

    @property
    def difference_interval(self) -> Column:
        """The interval of the difference, taken alone."""
        return self.measures["score"].difference_interval

    @property
    def simultaneous(self) -> Column:
        """Intervals of the differences that hold for all groups at once."""
        return self.measures["score"].simultaneous

    @property
    def p_value(self) -> Column:
        """Of no difference from the rest."""
        return self.measures["score"].p_value

    @property
    def adjusted_p_value(self) -> Column:
        """The same, adjusted by Holm's method."""
        return self.measures["score"].adjusted_p_value

    @property
    def shrunk(self) -> Column:
        """The score drawn towards the mean of the groups."""
        return self.measures["score"].shrunk

    @property
    def shrunk_error(self) -> Column:
        """The standard error of that."""
        return self.measures["score"].shrunk_error

    @property
    def homogeneity(self) -> Homogeneity:
        """Whether the scores of the groups differ at all."""
        return self.measures["score"].homogeneity

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
        """The group whose score is the most above that of the rest; None if none has an interval.

        Its simultaneous interval allows for the choice; its difference is biased upward.
        """
        return find_worst(self, "score")

    @property
    def worst_skill(self) -> WorstGroup | None:
        """The group whose skill is the most below that of the rest; None if none has an interval.

        Its simultaneous interval allows for the choice; its difference is biased downward.
        """
        return find_worst(self, "skill")

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of these numbers must know, in sentences."""
        return tuple(tell(self))

    def __str__(self) -> str:
        """Lay out the groups by themselves and against the rest, and what is to be said."""
        return lay_out(self)

    def _value(self, measure: str) -> Column:
        return self.measures[measure].value if measure in self.measures else self._nothing()

    def _nothing(self) -> Column:
        return np.full(len(self), np.nan)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers by name, as JSON can hold them, and the notes."""
        columns = {"group": list(self.labels)} | self._columns()
        measures = {name: x.to_dict() for name, x in self.measures.items()}
        calibration = None if self.calibration is None else self.calibration.to_dict()
        words = {name: getattr(self, name) for name in WORDS}
        known = {"measures": measures, "calibration": calibration, **words, "notes": self.notes}
        found: dict[str, Any] = plain(columns | known)
        return found

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a group as a polars, pandas or pyarrow frame.

        Columns about the skill and about observed to expected begin with these words.
        """
        columns: dict[str, list[Any]] = {"group": one_kind(self.labels)} | self._columns()
        for measure, contrast in self.measures.items():
            prefix = "" if measure == "score" else f"{measure}_"
            told = {f"{prefix}{name}": column for name, column in contrast.columns().items()}
            columns |= {measure: told.pop(f"{prefix}value")} | told
        if self.calibration is not None:
            found = self.calibration.columns()
            columns |= {RENAMED.get(name, name): column for name, column in found.items()}
        return to_frame(columns, backend)

    def _columns(self) -> dict[str, list[Any]]:
        """Return the counts, as far as there are any."""
        names = ("cases", "events", "event_rate", "mean_forecast", "units", "enough")
        known = {name: getattr(self, name) for name in names}
        return {name: x.tolist() for name, x in known.items() if x is not None}
