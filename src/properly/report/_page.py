"""One page of HTML, printed from an evaluation."""

from __future__ import annotations

import io
import math
import os
import secrets
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, cast

from properly._class_evaluation import ClassEvaluation
from properly._decomposition import COLUMNS
from properly._evaluation import Evaluation
from properly._extras import import_extra
from properly.errors import ArgumentTypeError
from properly.plots import reliability

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from properly._calibration import Reliability


def write(path: str | Path, evaluation: Evaluation) -> Path:
    """Write an evaluation as one HTML page that needs nothing else.

    Parameters
    ----------
    path : str or Path
        Where to write. The file appears whole or not at all.
    evaluation : Evaluation
        From `properly.evaluate`.

    Returns
    -------
    Path
        Where the page is.

    Examples
    --------
    >>> import properly, tempfile
    >>> e = properly.evaluate([0, 1, 1], [0.1, 0.8, 0.7])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     properly.report.write(f"{folder}/report.html", e).name
    'report.html'
    """
    if not isinstance(evaluation, Evaluation):
        message = f"a report is printed from an Evaluation; got {type(evaluation).__name__}"
        hint = "make one with properly.evaluate(y, forecasts)."
        if isinstance(evaluation, ClassEvaluation):
            hint = "pages are of forecasts of one event; print(e) and e.to_frame() show classes."
        raise ArgumentTypeError(message, hint=hint)
    return _write_whole(Path(path), _render(evaluation))


def _render(evaluation: Evaluation) -> str:
    jinja = import_extra("jinja2", extra="report")
    # Names of models are data: everything is escaped but our own pictures, which hold no names.
    environment = jinja.Environment(
        autoescape=True, undefined=jinja.StrictUndefined, trim_blocks=True
    )
    template = files("properly.report").joinpath("page.html.jinja").read_text(encoding="utf-8")
    pictures = {name: _svg(record) for name, record in evaluation.reliability.items()}
    page: str = environment.from_string(template).render(
        evaluation=evaluation, pictures=pictures, parts=COLUMNS, isinf=math.isinf, shown=_shown
    )
    return page


def _shown(value: float) -> str:
    """Write a number as people read it."""
    if math.isnan(value):
        return "not defined"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:.5f}"


def _svg(record: Reliability) -> str:
    matplotlib = import_extra("matplotlib", extra="plots")
    style = import_extra("matplotlib.style", extra="plots")
    text = io.StringIO()
    # The default style, a fixed salt and no date: the same evaluation gives the same bytes. Letters
    # stay letters, for those who read with their ears.
    with (
        style.context("default"),
        matplotlib.rc_context({"svg.hashsalt": "properly", "svg.fonttype": "none"}),
    ):
        figure = cast("Figure", reliability(record).figure)
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()[text.getvalue().index("<svg") :]


def _write_whole(path: Path, text: str) -> Path:
    """Write beside the file and rename; a link is followed, so that what it names is replaced."""
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with temporary.open("x", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return path
