"""One page of HTML, printed from an evaluation, that needs nothing else."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from properly._boundary._extras import import_extra
from properly._boundary._plain import printable
from properly._boundary._writing import write_whole
from properly.errors import ArgumentTypeError
from properly.evaluation._class_evaluation import ClassEvaluation
from properly.evaluation._event_evaluation import Evaluation
from properly.report._contents import contents
from properly.report._embedding import embedded
from properly.report._theme import theme

if TYPE_CHECKING:
    from pathlib import Path

    from properly.report._contents import Words

NO_BREAK = "\N{NO-BREAK SPACE}"


def write(
    path: str | Path,
    evaluation: Evaluation | ClassEvaluation,
    *,
    title: str | None = None,
    cases: str = "cases",
    event: str = "the event",
    command: str | None = None,
    python: str | None = None,
    overwrite: bool = True,
) -> Path:
    """Write an evaluation as one HTML page that needs nothing else.

    The page begins with a verdict in words and a table of scores; below it are charts to explore,
    and the fine print. It opens without a network, obeys a strict content security policy, prints,
    and can be read by keyboard and by ear.

    Parameters
    ----------
    path : str or Path
        Where to write. The file appears whole or not at all.
    evaluation : Evaluation or ClassEvaluation
        From `properly.evaluate`.
    title : str, optional
        Stands above all.
    cases, event : str
        What the cases are, such as ``"people"``, and what may happen to them, such as ``"death"``,
        in the words of the verdict.
    command, python : str, optional
        How to make the page again, for the fine print.
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
    words: Words = {"title": title, "cases": cases, "event": event}
    text = page(evaluation, **words, command=command, python=python)
    return write_whole(path, text, overwrite=overwrite)


def page(
    evaluation: Evaluation | ClassEvaluation,
    *,
    title: str | None = None,
    cases: str = "cases",
    event: str = "the event",
    command: str | None = None,
    python: str | None = None,
) -> str:
    """Return the page as text."""
    if not isinstance(evaluation, Evaluation | ClassEvaluation):
        message = f"a report is printed from an Evaluation; got {type(evaluation).__name__}"
        raise ArgumentTypeError(message, hint="make one with properly.evaluate(y, forecasts).")
    jinja = import_extra("jinja2", extra="report")
    # What users wrote is data: escaped, and without characters that steer a terminal or a page.
    environment = jinja.Environment(
        autoescape=True,
        undefined=jinja.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_legible,
    )
    words: Words = {"title": title, "cases": cases, "event": event}
    known: dict[str, Any] = contents(evaluation, words, command, python)
    style, script = _ours("page.css"), _ours("page.js")
    runtime = import_extra("vl_convert", extra="report").javascript_bundle()
    found: str = environment.from_string(_ours("page.html.jinja")).render(
        **known | {name: embedded(known[name]) for name in ("numbers", "specs")},
        theme=embedded(theme()),
        style=style,
        script=script,
        runtime=runtime,
        policy=_policy([style], [runtime, script]),
    )
    return found


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
