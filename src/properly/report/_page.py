"""The page of an evaluation or a leaderboard: written, or shown in a notebook or a browser."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import webbrowser
from base64 import b64encode
from functools import cache, partial
from hashlib import sha256
from html import escape
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from properly._boundary._files import write_whole
from properly._boundary._notices import import_extra
from properly._boundary._text import printable
from properly.comparison._leaderboard_record import Leaderboard
from properly.errors import ArgumentTypeError
from properly.evaluation._monitor._monitor import Monitor
from properly.evaluation._record import Evaluation
from properly.report._board import board_contents
from properly.report._contents import contents
from properly.report._methods import MAKE
from properly.report._vega import theme

if TYPE_CHECKING:
    from properly.report._contents import UserWords


# What could end the element, begin another one, or end a line of a script.
ESCAPED = {c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
# What stands on the page as JSON.
EMBEDDED = ("numbers", "specs", "in_people")
NO_BREAK = "\N{NO-BREAK SPACE}"
# Pixels of the page in a notebook: most of a small screen.
HEIGHT = 720
# Scripts may run, since the charts are drawn by some, but they can reach neither the notebook nor
# its cookies.
FRAME = (
    '<iframe title="Evaluation of forecasts" sandbox="allow-scripts allow-downloads" srcdoc="{}" '
    'style="box-sizing:border-box;width:100%;height:{}px;border:1px solid"></iframe>'
)


def embedded(x: Any) -> str:
    """Write as JSON that can stand inside a script element."""
    dumps = partial(json.dumps, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = dumps(x)
    if "\\" in text or not text.isprintable():
        text = dumps(_printable(x))
    for character, code in ESCAPED.items():
        text = text.replace(character, code)
    return text


def _printable(x: Any) -> Any:
    """Show control characters in strings as what they are; half a surrogate too."""
    if isinstance(x, str):
        return printable(x)
    if isinstance(x, dict):
        return {_printable(key): _printable(value) for key, value in x.items()}
    return [_printable(value) for value in x] if isinstance(x, list | tuple) else x


def write(
    path: str | Path,
    evaluation: Evaluation | Leaderboard,
    *,
    title: str | None = None,
    cases: str = "cases",
    event: str = "the event",
    monitor: Monitor | None = None,
    command: str | None = None,
    python: str | None = None,
    date: str | None = None,
    overwrite: bool = True,
) -> Path:
    """Write an evaluation or a leaderboard as one HTML page that needs nothing else.

    The page of an evaluation begins with a row for each model: what it costs, what that saves,
    whether its forecasts mean what they say, and whether to use it. Below are charts to explore,
    and the methods. That of a leaderboard has a row for each forecaster: its score, the ranks that
    it may have, and how much it answered; below, which of two is better. Pages open without a
    network, obey a strict content security policy, print, and can be read by keyboard and by ear.

    Parameters
    ----------
    path : str or Path
        Where to write. The file appears whole or not at all.
    evaluation : Evaluation or Leaderboard
        From `properly.evaluate` or `properly.leaderboard`.
    title : str, optional
        Stands above all.
    cases, event : str
        What the cases are, such as ``"people"``, and what may happen to them, such as ``"death"``,
        in the words of the verdict. Of an evaluation only.
    monitor : Monitor, optional
        Of models in production: its evidence over time is a section of the page of an evaluation,
        once a case is counted.
    command, python : str, optional
        How to make the page again, for its methods.
    date : str, optional
        When it was made, as it shall be written.
    overwrite : bool
        Replace a file that is there already; otherwise refuse.

    Returns
    -------
    Path
        Where the page is.

    See Also
    --------
    properly.verdict : the words at the top.

    Examples
    --------
    >>> import properly, tempfile
    >>> e = properly.evaluate([0, 1, 1], [0.1, 0.8, 0.7], replicates=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     properly.report.write(f"{folder}/report.html", e).name
    'report.html'
    """
    words: UserWords = {"title": title, "cases": cases, "event": event}
    text = page(evaluation, **words, monitor=monitor, command=command, python=python, date=date)
    return write_whole(path, text, overwrite=overwrite)


def page(
    evaluation: Evaluation | Leaderboard,
    *,
    title: str | None = None,
    cases: str = "cases",
    event: str = "the event",
    monitor: Monitor | None = None,
    command: str | None = None,
    python: str | None = None,
    date: str | None = None,
) -> str:
    """Return the page as text."""
    _require_monitor(monitor, evaluation)
    if isinstance(evaluation, Leaderboard):
        context = board_contents(evaluation, title, command, python)
        return _printed("leaderboard.html.jinja", context, date, runtime="")
    if not isinstance(evaluation, Evaluation):
        what = type(evaluation).__name__
        message = f"a report is printed from an Evaluation or a Leaderboard; got {what}"
        raise ArgumentTypeError(message, hint=MAKE)
    words: UserWords = {"title": title, "cases": cases, "event": event}
    context = contents(evaluation, words, command, python, monitor)
    return _printed("page.html.jinja", context, date, runtime=_ours("vega.js"))


def _require_monitor(monitor: object, evaluation: object) -> None:
    if monitor is not None and not isinstance(monitor, Monitor):
        message = f"monitor must be a properly.Monitor; got {type(monitor).__name__}"
        raise ArgumentTypeError(message, hint="properly.Monitor.load reads a state.")
    if monitor is not None and isinstance(evaluation, Leaderboard):
        message = "monitor goes with an Evaluation; got a Leaderboard"
        raise ArgumentTypeError(message)


def _printed(template: str, context: dict[str, Any], date: str | None, runtime: str) -> str:
    """Put contents into a template; what draws charts is left out where there are none."""
    jinja = import_extra("jinja2", extra="app")
    data = {name: embedded(context[name]) for name in EMBEDDED if name in context}
    style, script = _ours("page.css"), _ours("page.js")
    html: str = (
        _templates(jinja)
        .get_template(template)
        .render(
            **context | data,
            date=date,
            theme=embedded(theme()),
            style=style,
            script=script,
            runtime=runtime,
            policy=_policy([style], [*filter(None, [runtime]), script]),
        )
    )
    return html


@cache
def _templates(jinja: Any) -> Any:
    """Read templates once; what users wrote is data.

    It is escaped, and without characters that steer a terminal or a page.
    """
    return jinja.Environment(
        loader=jinja.FunctionLoader(_ours),
        autoescape=True,
        undefined=jinja.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_legible,
        auto_reload=False,
    )


def _policy(styles: list[str], scripts: list[str]) -> str:
    """Allow the page its own styles and scripts, named by their hashes, and nothing else."""
    own = {"style-src": styles, "script-src": scripts}
    allowed = [f"{kind} {' '.join(map(_hash, texts))}" for kind, texts in own.items()]
    return "; ".join(["default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _ours(name: str) -> str:
    return files("properly.report").joinpath(name).read_text(encoding="utf-8")


def _legible(x: Any) -> Any:
    """Show control characters as what they are; spaces that do not break are ours."""
    if not isinstance(x, str) or hasattr(x, "__html__"):
        return x
    return NO_BREAK.join(map(printable, x.split(NO_BREAK)))


def show(evaluation: Evaluation | Leaderboard, **options: Any) -> Path | None:
    """Show an evaluation or a leaderboard in the notebook, or else in a browser.

    Parameters
    ----------
    evaluation : Evaluation or Leaderboard
        From `properly.evaluate` or `properly.leaderboard`.
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
