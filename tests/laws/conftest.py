"""Sixty digits for every law."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .oracles import sixty_digits

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _sixty_digits() -> Iterator[None]:
    with sixty_digits():
        yield
