"""Sixty digits for every law, and some of the rules per law in the quick run."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import pytest

from .oracles import sixty_digits

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parent
# `make test` tries each law on this many rules, maps or means, `make verify` on all of them.
SAMPLE = 12
# Each of these is one record or one engine, tried by no other test.
WHOLE = ("test_engines.py", "test_records.py")


@pytest.fixture(autouse=True)
def _sixty_digits() -> Iterator[None]:
    with sixty_digits():
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the parameters of a law as slow, save a sample that differs from law to law."""
    laws = defaultdict(list)
    for item in items:
        if item.path.is_relative_to(FOLDER) and item.path.name not in WHOLE:
            laws[item.nodeid.partition("[")[0]].append(item)
    for law, tried in laws.items():
        step = -(-len(tried) // SAMPLE)
        for position, item in enumerate(tried, crc32(law.encode())):
            if position % step:
                item.add_marker("slow")
