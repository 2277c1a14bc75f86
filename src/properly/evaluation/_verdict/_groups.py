"""Whether a model is worse for some groups."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from properly._boundary._plain import printable
from properly.evaluation._verdict._words import NAMED, chances, counted, few, listed, named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.comparison._group_table import Groups
    from properly.comparison._group_words import WorstGroup
    from properly.evaluation._verdict._standing import Standing


def groups(evaluation: Any, found: Standing) -> Iterator[str]:
    """Say of the models that one might use which group is the worst, if any can be shown to be."""
    known = {name: evaluation.groups[name] for name in found.top if name in evaluation.groups}
    alike = []
    for name, split in known.items():
        if split.worst is None:
            continue
        if _is_worse(split.worst):
            yield _worst(split, printable(name), split.worst)
        else:
            alike.append(name)
        yield from _miscalibrated(split, printable(name))
    if alike:
        yield _no_difference([known[name] for name in alike], alike)
    yield from _too_small(known)


def _is_worse(worst: WorstGroup) -> bool:
    low, high = worst.simultaneous
    return worst.difference * (1 if worst.measure == "score" else -1) > 0 and not low <= 0 <= high


def _worst(split: Groups, model: str, worst: WorstGroup) -> str:
    """Name the group with the worst score, and say whether the skill is lower there too."""
    low, high = worst.simultaneous
    level = f"{100 * worst.level:g} % interval for all groups at once"
    size = f"{few(worst.difference)} ({level} {few(low)} to {few(high)})"
    told = f"Of {counted(worst.groups)} groups, {model} scores worst for '{printable(worst.name)}'"
    skill = split.worst_skill
    if skill is not None and skill.name == worst.name and _is_worse(skill):
        return f"{told}: by {size} worse than for the rest, and its skill is lower there too."
    if skill is not None and _is_worse(skill):
        other = f"the skill is lowest for '{printable(skill.name)}'"
        return f"{told}: by {size} worse than for the rest; {other}."
    common = "what happens there may only be harder to foresee, since no lower skill can be shown"
    return f"{told}: by {size} worse than for the rest; {common}."


def _no_difference(splits: list[Groups], names: list[str]) -> str:
    """Say that groups may be alike, with the test of whether they are."""
    p = [split.homogeneity.p_value for split in splits]
    known = not any(map(math.isnan, p)) and len(p) <= NAMED
    tested = f" (test of no difference at all: p {chances(p)})" if known else ""
    differ = known and any(x <= 1 - split.level for x, split in zip(p, splits, strict=True))
    which = "No single group" if differ else "No group"
    return f"{which} can be shown to be worse than the rest for {named(names)}{tested}."


def _miscalibrated(split: Groups, model: str) -> Iterator[str]:
    """Name the groups within which forecasts are miscalibrated."""
    if split.calibration is None:
        return
    p_values = zip(split.name, split.calibration.adjusted_p_value.tolist(), strict=True)
    names = [f"'{printable(name)}'" for name, p in p_values if p <= 1 - split.level]
    if names:
        yield f"{model} is miscalibrated within {listed(names)}."


def _too_small(known: dict[str, Groups]) -> Iterator[str]:
    """Name the groups that are too small, which are the same for all models."""
    for split in list(known.values())[:1]:
        pairs = zip(split.name, split.enough.tolist(), strict=True)
        small = [f"'{printable(name)}'" for name, enough in pairs if not enough]
        if small:
            yield f"Too small to say anything: {listed(small)}."
