"""Files are small here, and many."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _database(one_database: None) -> None:
    del one_database
