"""Where results go: to the screen, or into a file that appears whole or not at all."""

from __future__ import annotations

import sys


def require_output(path: str | None, *, force: bool) -> None:
    """Refuse, before long work, what could not be written after it."""
    from properly._boundary._writing import require_writable

    if path is not None:
        require_writable(path, overwrite=force)


def emit(text: str, path: str | None, *, force: bool = False) -> None:
    """Print a text as it is, or write it to a file."""
    from properly._boundary._writing import write_whole

    if path is not None:
        write_whole(path, text, overwrite=force)
        return
    # Not click's echo, which takes letters of names for colours and leaves them out.
    sys.stdout.write(text)
    sys.stdout.flush()
