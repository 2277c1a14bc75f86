"""Code that stands on a page is run, and what it prints stands below it."""

from __future__ import annotations

import contextlib
import io
import warnings
from importlib.metadata import PackageNotFoundError, version
from textwrap import dedent
from typing import Any, NamedTuple

import numpy as np

ABSENT = "could not be installed here"


class Answer(NamedTuple):
    """What was printed, and whether the code ran to its end."""

    text: str
    ran: bool = True


def printed(code: str, names: dict[str, Any]) -> str:
    """Run code with names that it may add to, and return what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as found, warnings.catch_warnings():
        # What libraries say of one another's versions is no result.
        warnings.simplefilter("ignore")
        exec(dedent(code), names)  # noqa: S102  # the page shows the code that is run
    return found.getvalue()


def asked(code: str, names: dict[str, Any]) -> Answer:
    """Run the code of a peer, which may not be there, or may refuse what it once took."""
    try:
        return Answer(printed(code, names))
    except Exception as error:  # noqa: BLE001  # whatever it is, it is the peer's answer
        return Answer(f"{type(error).__name__}: {error}", ran=False)


def value(expression: str, names: dict[str, Any]) -> np.ndarray[Any, Any] | None:
    """Return what an expression gives as numbers, or None if its library is not there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = eval(expression, names)  # noqa: S307  # likewise
        except NameError:
            return None
    return np.asarray(found, dtype=np.float64)


def imported(lines: str, names: dict[str, Any]) -> None:
    """Run lines of imports one by one; a library that is not there leaves its names unknown."""
    for line in dedent(lines).splitlines():
        with contextlib.suppress(ImportError):
            printed(line, names)


def installed(name: str) -> str:
    """Name a package with its version."""
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} ({ABSENT})"


def code_block(code: str, language: str = "py") -> str:
    """Set code apart. It is called ``py``: what is called ``python`` is run by our own tests."""
    return f"```{language}\n{spaced(code)}\n```"


def spaced(code: str) -> str:
    """Set imports apart from what follows them, as our formatter does."""
    lines = dedent(code).strip().splitlines()
    imports = sum(line.startswith(("import ", "from ")) for line in lines)
    return "\n".join(lines[:imports] + [""] * (0 < imports < len(lines)) + lines[imports:])


def text_block(text: str) -> str:
    """Set apart what was printed."""
    return f"```text\n{text.rstrip()}\n```"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Lay out a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def difference(ours: np.ndarray[Any, Any], theirs: np.ndarray[Any, Any]) -> str:
    """Write the greatest difference of two numbers, or of two columns of them."""
    if ours.shape != theirs.shape:
        return f"{ours.size} numbers and {theirs.size}"
    greatest = float(np.max(np.abs(ours - theirs)))
    return "0" if greatest == 0 else f"{greatest:.0e}"


def shown(x: np.ndarray[Any, Any]) -> str:
    """Write a number or two with ten digits, or say how many there are."""
    if x.size > 2:
        return f"{x.size} numbers"
    return ", ".join(f"{number:.10g}" for number in x.reshape(-1).tolist())
