"""Names in options that nothing has, and the nearest that something has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from properly._boundary._nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable


def unknown(message: str, wanted: str, known: Iterable[str]) -> click.UsageError:
    """Make an error that names what is near, or all there is."""
    names = list(known)
    near = nearest(wanted, names)
    listed = ", ".join(repr(name) for name in names)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {listed}."
    return click.UsageError(f"{message}\n\nHint: {hint}", click.get_current_context(silent=True))
