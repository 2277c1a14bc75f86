"""What is to be said about groups, and a table to say it with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._plain import many, printable
from properly._boundary._tables import table, wrapped

if TYPE_CHECKING:
    from properly.comparison._group_table import GroupCalibration, Groups

# What is worse: a higher score, a lower skill.
WORSE = {"score": 1, "skill": -1}
# Groups that are named at most, where they are named in a sentence.
NAMED = 5
# p-values below this are not told more exactly.
SMALLEST = 0.001

EVENTS = (
    "Scores depend on how common the event is, so groups of other event rates score differently "
    "however good the forecasts: compare skill and O:E as well."
)
CLASSES = (
    "Scores depend on how common the classes are, so groups of other shares score differently "
    "however good the forecasts: compare skill as well."
)
# What the cases of a group must come from, by how the design is told.
WHENCE = {"cluster": ", from five clusters", "time": ", at 20 times"}
SHRUNK = (
    "Shrunk scores are drawn towards the mean of the groups, the more the less is known; they "
    "stand beside the raw ones, not in their place."
)


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
        Of no difference, adjusted by Holm's method.
    groups : int
        How many groups it is the worst of.
    level : float
        Coverage aimed at by the interval.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> died, p = [1, 0] * 50, [0.8, 0.2] * 25 + [0.6, 0.3] * 25
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
            f"The worst {self.measure} of {many(self.groups, 'group')} has "
            f"'{printable(self.name)}': {self.difference:+.4g} against the rest, simultaneous "
            f"{100 * self.level:g} % interval {lower:.4g} to {upper:.4g}. A {biased}: "
            "some group is the worst even if all are alike."
        )


def find_worst(found: Groups, measure: str) -> WorstGroup | None:
    """Find the worst of the groups that have an interval, if any has."""
    if measure not in found.measures:
        return None
    contrast = found.measures[measure]
    known = ~np.isnan(contrast.simultaneous[:, 0])
    if not known.any():
        return None
    g = int(np.argmax(np.where(known, WORSE[measure] * contrast.difference, -np.inf)))
    lower, upper = contrast.simultaneous[g].tolist()
    return WorstGroup(
        found.name[g],
        measure,
        contrast.difference[g].item(),
        (lower, upper),
        contrast.adjusted_p_value[g].item(),
        int(known.sum()),
        found.level,
    )


def lay_out(found: Groups) -> str:
    """Lay out the groups by themselves, then against the rest, and what is to be said."""
    title = f"{found.unit} of {many(len(found), 'group')}; {found.design}"
    parts = [title, _by_themselves(found)]
    parts += ["Against the rest, p-values by Holm:", _against_the_rest(found)]
    if found.calibration is not None:
        parts += ["Calibration within groups:", _within(found, found.calibration)]
    return "\n\n".join([*parts, "\n".join(map(wrapped, found.notes))])


def _by_themselves(found: Groups) -> str:
    score, level = found.measures["score"], f"{100 * found.level:g} % interval"
    columns = {"group": found.name, "cases": [f"{n:,}" for n in found.cases.tolist()]}
    if found.events is not None and found.event_rate is not None:
        columns["events"] = [f"{n:,}" for n in found.events.tolist()]
        columns["event rate"] = _numbers(found.event_rate)
    columns |= {found.unit: _numbers(score.value), level: _ranges(score.interval)}
    columns |= {"shrunk": _numbers(score.shrunk), "skill": _numbers(found.skill)}
    return table([*columns], zip(*columns.values(), strict=True))


def _against_the_rest(found: Groups) -> str:
    score = found.measures["score"]
    columns = {
        "group": found.name,
        found.unit: _numbers(score.difference, sign=True),
        "simultaneous": _ranges(score.simultaneous),
        "p": _chances(score.adjusted_p_value),
    }
    if "skill" in found.measures:
        skill = found.measures["skill"]
        columns["skill"] = _numbers(skill.difference, sign=True)
        columns["p of skill"] = _chances(skill.adjusted_p_value)
    if "observed_expected" in found.measures:
        ratio = found.measures["observed_expected"]
        columns["O:E"] = [f"x {x}" for x in _numbers(np.exp(ratio.difference), 3)]
        columns["p of O:E"] = _chances(ratio.adjusted_p_value)
    return table([*columns], zip(*columns.values(), strict=True))


def _within(found: Groups, calibration: GroupCalibration) -> str:
    ratio = found.measures["observed_expected"]
    columns = {
        "group": found.name,
        "O:E": _with_range(ratio.value, ratio.interval, 3),
        "slope": _with_range(calibration.slope, calibration.slope_interval, 3),
        "miscalibration": _with_range(
            calibration.miscalibration, calibration.miscalibration_interval
        ),
        "p by Holm": _chances(calibration.adjusted_p_value),
    }
    return table([*columns], zip(*columns.values(), strict=True))


def tell(found: Groups) -> list[str]:
    """Say what a reader of the table must know."""
    told = [_looked_at(found), CLASSES if found.events is None else EVENTS]
    few = (name for name, x in zip(found.name, found.enough, strict=True) if not x)
    small = [f"'{printable(name)}'" for name in few]
    if small:
        lack = "ten events and ten non-events"
        if found.events is None:
            lack = "ten cases outside the commonest class"
        whence = next((x for kind, x in WHENCE.items() if kind in found.design), "")
        told.append(f"No interval without {lack}{whence}: {_some(small)}.")
    worst = [x.sentence for x in (found.worst, found.worst_skill) if x is not None]
    return [*told, *_differ(found), *worst, SHRUNK]


def _looked_at(found: Groups) -> str:
    compared = int(np.sum(~np.isnan(found.p_value))) if len(found) > 2 else 1
    by_chance = 1 - 0.95**compared
    told = f"{many(len(found), 'group')} were looked at."
    if compared < 2:
        return told
    return (
        f"{told} If none differed from the rest, one or more of {compared} unadjusted p-values "
        f"would be below 0.05 in about {100 * by_chance:.0f} % of such tables."
    )


def _differ(found: Groups) -> list[str]:
    """Say of each measure whether groups differ in it at all."""
    told = []
    for name, contrast in found.measures.items():
        statistic, degrees, p = contrast.homogeneity
        if math.isnan(p):
            continue
        count = int(degrees) + 1
        groups = "all groups" if count == len(found) else f"the {count} groups with an interval"
        words = name.replace("observed_expected", "O:E")
        number = f"Q = {statistic:.4g} with {degrees:g} degree{'s' * (degrees != 1)} of freedom"
        told.append(f"That {groups} have the same {words}: {number}, p = {p:.3g}.")
    return told


def _some(names: list[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _numbers(x: Any, digits: int = 4, *, sign: bool = False) -> list[str]:
    plus = "+" if sign else ""
    return ["-" if math.isnan(v) else f"{v:{plus}.{digits}f}" for v in x.tolist()]


def _chances(p: Any) -> list[str]:
    numbers = zip(p.tolist(), _numbers(p, 3), strict=True)
    return [f"<{SMALLEST}" if x < SMALLEST else told for x, told in numbers]


def _ranges(x: Any, digits: int = 4) -> list[str]:
    ends = zip(_numbers(x[:, 0], digits), _numbers(x[:, 1], digits), strict=True)
    return ["-" if low == high == "-" else f"{low} to {high}" for low, high in ends]


def _with_range(x: Any, ends: Any, digits: int = 4) -> list[str]:
    both = zip(_numbers(x, digits), _ranges(ends, digits), strict=True)
    return [number if between == "-" else f"{number} ({between})" for number, between in both]
