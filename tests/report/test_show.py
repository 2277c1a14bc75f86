"""The page on the screen: in a notebook, or else in a browser."""

from __future__ import annotations

import html
import re
import stat
import sys
import tempfile
import webbrowser
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from properly import evaluate
from properly.errors import DataError
from properly.report import _page, show

if TYPE_CHECKING:
    from pathlib import Path

E = evaluate([0, 1, 1] * 10, {"model": [0.1, 0.8, 0.7] * 10}, replicates=0)
PAGE = "<!doctype html>\n<p title=\"a &amp; b\">1 < 2 &lt;script&gt; 'é'</p>"


@pytest.fixture(autouse=True)
def nothing_is_drawn_or_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, list[Any]]:
    """Note what is asked of the page and of the browser."""
    calls: dict[str, list[Any]] = {"page": [], "opened": [], "shown": []}

    def page(evaluation: object, **options: object) -> str:
        calls["page"].append((evaluation, options))
        return PAGE

    def open_browser(address: str) -> bool:
        calls["opened"].append(address)
        return False

    monkeypatch.setattr(_page, "page", page)
    monkeypatch.setattr(webbrowser, "open", open_browser)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    return calls


def start_shell(monkeypatch: pytest.MonkeyPatch, shell: object, shown: list[Any]) -> None:
    """Let IPython run with a shell."""
    ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
    vars(ipython).update(get_ipython=lambda: shell)
    vars(display).update(display=lambda data, *, raw: shown.append((data, raw)))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)


def test_a_notebook_shows_the_page_in_a_frame_that_reaches_nothing(
    nothing_is_drawn_or_opened: dict[str, list[Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = nothing_is_drawn_or_opened
    start_shell(monkeypatch, SimpleNamespace(kernel=object()), calls["shown"])
    assert show(E, title="Mine") is None
    assert calls["page"] == [(E, {"title": "Mine"})]
    assert calls["opened"] == []
    assert list(tmp_path.iterdir()) == []
    ((shown, raw),) = calls["shown"]
    assert raw is True
    assert shown["text/plain"] == "Evaluation(30 cases, models: 1, rules: 2)"
    frame = re.fullmatch(
        r'<iframe title="[^"]+" (.*) srcdoc="([^"]*)" (.*)></iframe>', shown["text/html"]
    )
    assert frame is not None
    assert frame[1] == 'sandbox="allow-scripts allow-downloads"'
    assert html.unescape(frame[2]) == PAGE
    assert "height:720px" in frame[3]


@pytest.mark.parametrize("shell", ["absent", None, SimpleNamespace(), SimpleNamespace(kernel=None)])
def test_elsewhere_a_browser_opens_a_private_file(
    shell: object,
    nothing_is_drawn_or_opened: dict[str, list[Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = nothing_is_drawn_or_opened
    if shell != "absent":
        start_shell(monkeypatch, shell, calls["shown"])
    path = show(E)
    assert path is not None
    assert path.parent == tmp_path
    assert path.suffix == ".html"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_bytes() == PAGE.encode()
    assert calls["opened"] == [path.as_uri()]
    assert calls["shown"] == []
    assert list(tmp_path.iterdir()) == [path]


def test_a_page_that_cannot_be_written_leaves_no_file(
    nothing_is_drawn_or_opened: dict[str, list[Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(DataError, match="no room left"):
        show(E)
    assert list(tmp_path.iterdir()) == []
    assert nothing_is_drawn_or_opened["opened"] == []
