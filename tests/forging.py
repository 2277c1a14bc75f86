"""Stored things that someone has changed, with a checksum that fits again."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from properly._boundary._stored import canonical

if TYPE_CHECKING:
    from collections.abc import Callable


def signed(record: dict[str, Any]) -> str:
    """Write a record with the checksum of its content, whatever is in that."""
    checksum = sha256(canonical(record["content"])).hexdigest()
    return json.dumps(record | {"sha256": checksum})


def forged(text: str, change: Callable[[dict[str, Any]], Any]) -> str:
    """Change the content of what was written."""
    record = json.loads(text)
    changed = change(record["content"])
    return signed(record if changed is None else record | {"content": changed})


def put(*path: str | int, to: Any) -> Callable[[dict[str, Any]], None]:
    """Return a change that puts a value to a place."""

    def change(content: Any) -> None:
        for key in path[:-1]:
            content = content[key]
        content[path[-1]] = to

    return change
