"""The page of an evaluation, on the screen."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from properly._boundary._writing import write_whole
from properly.report._page import page

if TYPE_CHECKING:
    from properly.evaluation._class_evaluation import ClassEvaluation
    from properly.evaluation._event_evaluation import Evaluation

# Pixels of the page in a notebook: most of a small screen.
HEIGHT = 720
# Scripts may run, since the charts are drawn by some, but they can reach neither the notebook nor
# its cookies.
FRAME = (
    '<iframe title="Evaluation of forecasts" sandbox="allow-scripts allow-downloads" srcdoc="{}" '
    'style="box-sizing:border-box;width:100%;height:{}px;border:1px solid"></iframe>'
)


def show(evaluation: Evaluation | ClassEvaluation, **options: Any) -> Path | None:
    """Show the page of an evaluation in the notebook, or else in a browser.

    Parameters
    ----------
    evaluation : Evaluation or ClassEvaluation
        From `properly.evaluate`.
    **options
        Those of `write` that say what the page is to say, such as `title`.

    Returns
    -------
    Path or None
        Where there is no notebook, the temporary file that the browser was asked to open. Only its
        owner may read it, and it stays until the system tidies up.

    Examples
    --------
    >>> import properly
    >>> e = properly.evaluate([0, 1, 1], [0.1, 0.8, 0.7], replicates=0)
    >>> properly.report.show(e)  # doctest: +SKIP
    """
    text = page(evaluation, **options)
    if _in_notebook():
        # Raw, since IPython's class for HTML warns of frames.
        shown = {"text/html": _frame(text), "text/plain": repr(evaluation)}
        import_module("IPython.display").display(shown, raw=True)
        return None
    path = _write_private(text)
    webbrowser.open(path.as_uri())
    return path


def _in_notebook() -> bool:
    """Tell a kernel, which can show HTML, from a terminal; without IPython there is none."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def _frame(text: str) -> str:
    """Put a whole page into a frame of another, as text that is read once."""
    # What is no text, a lone surrogate, could not be sent to the notebook.
    sendable = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return FRAME.format(escape(sendable), HEIGHT)


def _write_private(text: str) -> Path:
    """Write a temporary file that nobody else can read."""
    handle, name = tempfile.mkstemp(prefix="properly-", suffix=".html")
    os.close(handle)
    try:
        # What is replaced keeps its permissions.
        return write_whole(name, text)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
