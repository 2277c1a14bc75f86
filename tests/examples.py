"""How many examples a test draws: as many as it asks for in a full run, a share of them else."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

FULL = settings.get_profile("full").max_examples


def examples(count: int, **options: Any) -> settings:
    """Ask for so many examples, scaled as the profile of the run scales them."""
    share = count * settings().max_examples // FULL
    return settings(max_examples=max(share, 2), **options)
