"""What may happen to a file: it is cut, bits flip, parts are overwritten, or somebody forges it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

DEEP = 20_000
NESTED = "[" * DEEP + "]" * DEEP
# Written as they stand: no JSON of Python makes them.
RAW = ("NaN", "Infinity", "-Infinity", "1e999", "-0.0", "5e-324", "9" * 400, "9" * 5000, NESTED)
forged: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([None, True, False, "", "__import__('os')", [], {}, [[]], [None], -1, 0, 1]),
    st.sampled_from([2**63, -(2**63), 10**30, 1e308, -1e-320, "\x00", "\ud800", "Infinity"]),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.lists(st.floats(0, 1), max_size=4),
)


@st.composite
def damaged(draw: DrawFn, content: bytes) -> bytes:
    """Cut a file, flip a bit of it, overwrite a part, leave one out or put one in."""
    size = len(content)
    at = draw(st.integers(0, max(size - 1, 0)))
    kind = draw(st.sampled_from(["cut", "flip", "overwrite", "leave out", "put in", "twice"]))
    if kind == "cut" or not size:
        return content[:at]
    if kind == "flip":
        changed = content[at] ^ (1 << draw(st.integers(0, 7)))
        return content[:at] + bytes([changed]) + content[at + 1 :]
    if kind == "overwrite":
        other = draw(st.binary(min_size=1, max_size=8))
        return content[:at] + other + content[at + len(other) :]
    if kind == "leave out":
        return content[:at] + content[at + draw(st.integers(1, 40)) :]
    if kind == "put in":
        return content[:at] + draw(st.binary(min_size=1, max_size=40)) + content[at:]
    return content + content


@st.composite
def forged_json(draw: DrawFn, text: str) -> str:
    """Change an entry of a JSON text: another value, one that no JSON has, none, or one more."""
    record = json.loads(text)
    place, key = _place(draw, record)
    kind = draw(st.sampled_from(["value", "value", "raw", "leave out", "more", "deep"]))
    if kind == "deep":
        return draw(st.sampled_from([NESTED, '{"a":' * DEEP + "1" + "}" * DEEP]))
    if place is None or kind == "value":
        return _with(record, place, key, draw(forged))
    if kind == "raw":
        mark = "a mark that is in no file"
        return _with(record, place, key, mark).replace(f'"{mark}"', draw(st.sampled_from(RAW)))
    if kind == "leave out":
        del place[key]
    elif isinstance(place, dict):
        place[draw(st.text(max_size=8))] = draw(forged)
    else:
        place.insert(key, draw(forged))
    return json.dumps(record)


def _place(draw: DrawFn, record: Any) -> tuple[Any, Any]:
    """Walk down to some entry; return what holds it and its key, or None for the whole."""
    place, key = None, None
    while isinstance(record, dict | list) and record and draw(st.integers(0, 5)):
        keys = list(record) if isinstance(record, dict) else range(len(record))
        place, key = record, draw(st.sampled_from(keys))
        record = place[key]
    return place, key


def _with(record: Any, place: Any, key: Any, value: Any) -> str:
    if place is None:
        return json.dumps(value)
    place[key] = value
    return json.dumps(record)
