"""The paper on consequences, as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reproductions.decisions import paper as _consequentialist

if TYPE_CHECKING:
    from collections.abc import Callable


def test_full_is_as_much_as_the_paper(whole: Callable[[str], Any]) -> None:
    assert _consequentialist.FULL == 1_000_000
    tables = whole("consequentialist").result.appendix_f.values()
    assert {table.n for table in tables} == {2000}
