"""A comparison to read: sentences and a matrix of a few models, a table of many."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from properly._boundary._plain import many, printable
from properly._boundary._tables import table, wrapped
from properly.comparison._pair import told_apart

if TYPE_CHECKING:
    from properly.comparison._pairs import Comparison

# More models than this have too many pairs to be told one by one.
FEW = 4
# p-values below this are not told more exactly.
SMALLEST = 0.001


def lay_out(found: Comparison) -> str:
    """Say it in sentences, and of three or four models as a matrix too; of more, in a table."""
    if len(found.models) > FEW:
        return _ranked(found)
    lines = [pair.sentence + "." for pair in found]
    if len(found.models) > 2:
        lines += ["", _matrix(found)]
    return "\n".join(lines)


def _matrix(found: Comparison) -> str:
    """Lay differences out by models; a star stands where two are told apart."""
    numbers, rows = found.matrix(), []
    for i, name in enumerate(found.models):
        cells = []
        for j, other in enumerate(found.models):
            value = numbers[i, j]
            star = _star(found, name, other) if not math.isnan(value) else " "
            cells.append("- " if math.isnan(value) else f"{value:.4g}{star}")
        rows.append((name, *cells))
    return table(("row minus column", *found.models), rows)


def _star(found: Comparison, name: str, other: str) -> str:
    return "*" if told_apart(found[name, other], 1 - found.level) else " "


def _ranked(found: Comparison) -> str:
    """Lay models out, the best first, each against the best one or against the reference."""
    sign = -1 if found.higher_is_better else 1
    order = sorted(found.models, key=lambda name: sign * found.scores[name].value)
    compared = {second for _, second in found.pairs}
    other = compared.pop() if len(compared) == 1 else order[0]
    rows = [_row(found, name, other) for name in order]
    level = f"{100 * found.level:g} %"
    adjusted = "p by Holm" if found.adjust == "holm" else "p"
    shown = printable(other)
    head = ("model", found.unit, level, f"minus {shown}", level, adjusted)
    title = f"{many(len(found.models), 'model')}, the best first; {found.design}"
    note = (
        f"A star stands where a model is told apart from {shown}, allowing for "
        f"{many(len(found), 'pair')}; every pair has a sentence of its own, and "
        "plots.comparison_matrix shows all."
    )
    return "\n\n".join([title, table(head, rows), wrapped(note)])


def _row(found: Comparison, name: str, other: str) -> tuple[str, ...]:
    score = found.scores[name]
    own = (name, f"{score.value:.4g}", _range(*score.interval))
    if name == other:
        return (*own, "- ", "-", "-")
    pair = found[name, other]
    p = pair.adjusted_p_value
    chance = "-" if math.isnan(p) else f"<{SMALLEST}" if p < SMALLEST else f"{p:.3f}"
    apart = f"{pair.difference:+.4g}{_star(found, name, other)}"
    return (*own, apart, _range(*pair.interval), chance)


def _range(low: float, high: float) -> str:
    return "-" if math.isnan(low) or math.isnan(high) else f"{low:.4g} to {high:.4g}"
