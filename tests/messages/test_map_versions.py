"""A map of another version, or of a kind that is not known yet, is refused with both versions."""

from __future__ import annotations

import json

import pytest

import properly
from properly.recalibration import Logistic, loads


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("version", 2, "version 2"),
        ("kind", "spline", "kind 'spline'"),
        ("hook", "rm", "name 'hook'"),
    ],
)
def test_both_versions_are_named(name: str, value: object, what: str) -> None:
    record = json.loads(Logistic(intercept=0.1, slope=0.9).dumps())
    record |= {"made_with": "properly 9.8.7", name: value}
    with pytest.raises(properly.errors.DataError) as refusal:
        loads(json.dumps(record))
    version = record["version"]
    assert str(refusal.value) == (
        f"a stored map must be of version 1, and of a kind that is known here; the {what} is not. "
        f"It has version {version} and was made with 'properly 9.8.7'; this is properly "
        f"{properly.__version__}\n\nHint: pip install --upgrade properly"
    )
