"""Whether a model is better than none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from properly.evaluation._verdict._words import NAMED, digits_apart, listed, named, saved, sure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from properly.evaluation._verdict._standing import Standing
    from properly.inference._estimate import Estimate

# What one would do without a model, and what that is called in an evaluation.
DONE = {"treat all": "acting every time", "treat none": "never acting"}

# Greater losses, in percent, are not told more exactly.
MOST = 1000


def baseline(evaluation: Any, found: Standing) -> Iterator[str]:
    """Say of several models which are better than none; of each, what would have been better."""
    if len(found.models) > 1:
        useful = [name for name in found.order if found.is_useful(name)]
        harmful = [name for name in found.order if found.is_harmful(name)]
        lacking = [name for name in found.order if _lacks_interval(found.skills[name])]
        rest = [name for name in found.order if name not in (*useful, *harmful, *lacking)]
        kinds = (useful, harmful, rest, lacking)
        yield from (against_none(found, names) for names in kinds if names)
    yield from _without_a_model(evaluation, found)


def against_none(found: Standing, names: Sequence[str], where: str = "") -> str:
    """Compare models of one kind, all better, all worse or all open, with none."""
    without, skills = found.scope.without, [found.skills[name] for name in names]
    one, who = len(names) == 1, named(names)
    if found.is_useful(names[0]):
        told = f"{who} {'is' if one else 'are'} better than {without}{where}"
        return f"{told}: {'it saves' if one else 'they save'} {_shares(skills)} of its loss."
    if found.is_harmful(names[0]):
        told = f"{who} {'is' if one else 'are'} worse than {without}{where}"
        cost = "its loss is" if one else "their losses are"
        return f"{told}, and to have no model is better: {cost} higher by {_shares(skills, -1)}."
    told = f"It cannot be told whether {who} {'is' if one else 'are'} better than {without}{where}"
    if _lacks_interval(skills[0]):
        return f"{told}: {'its skill has' if one else 'their skills have'} no interval."
    loss = "its loss may be" if one else "their losses may be"
    return f"{told}: {loss} anything {_ranges(skills)} ({sure(found.level)}{'s' * (not one)})."


def _lacks_interval(skill: Estimate) -> bool:
    """Tell whether nothing is known of a skill, as where there was no loss at all."""
    return any(map(math.isnan, skill.interval))


def _ranges(skills: Sequence[Estimate]) -> str:
    """Write between which limits losses may lie; of many, the widest limits of all."""
    ends = [skill.interval for skill in skills]
    if len(ends) > NAMED:
        lows, highs = zip(*ends, strict=True)
        ends = [(min(lows), max(highs))]
    return listed(f"from {_much(-low)} higher to {saved(high)} lower" for low, high in ends)


def _much(share: float, digits: int = 2) -> str:
    return f"more than {MOST:,} %" if 100 * share > MOST else saved(share, digits)


def _shares(skills: Sequence[Estimate], sign: int = 1) -> str:
    """Write shares with their intervals; of many, only the least and the greatest."""
    values = sorted(sign * skill.value for skill in skills)
    if len(skills) > NAMED:
        return f"{_much(values[0])} to {_much(values[-1])}"
    told: list[str] = []
    for skill in skills:
        low, high = sorted(sign * end for end in skill.interval)
        digits = digits_apart((100 * low, 100 * high))
        value, *ends = (_much(x, digits) for x in (sign * skill.value, low, high))
        level = "" if told else f"{sure(skill.level)} "
        told.append(f"{value} ({level}{' to '.join(ends)})")
    return listed(told)


def _without_a_model(evaluation: Any, found: Standing) -> Iterator[str]:
    """Say for which models acting every time, or never, would have scored better."""
    known = evaluation.baselines
    for name, done in DONE.items():
        if name not in known:
            continue
        score = known[name][evaluation.primary].score
        parts = evaluation.decompositions
        worse = [m for m in found.models if score < parts[m][evaluation.primary].score]
        if worse:
            yield f"By the score alone, {done} would have been better than {named(worse)}."
