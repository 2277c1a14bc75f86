"""The figures of an evaluation or a leaderboard as files, for a paper."""

from __future__ import annotations

import io
import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from properly import plots
from properly._boundary import _files as files
from properly._boundary._notices import import_extra
from properly._boundary._options import check_choice
from properly.comparison._leaderboard_record import Leaderboard
from properly.errors import DataError
from properly.evaluation._record import Evaluation, require_evaluation
from properly.plots._evaluation import best_pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from properly.evaluation import Monitor

    # A name without the ending, and how to draw what it names.
    Drawing: TypeAlias = tuple[str, Callable[[], Axes]]

FORMATS = ("svg", "png", "pdf")
# The same evaluation gives the same bytes: no date, and no random salt.
METADATA: dict[str, Any] = {"svg": {"Date": None}, "png": {}, "pdf": {"CreationDate": None}}
# Letters stay letters: text can be searched and read aloud, and publishers refuse outlines.
SETTINGS = {"svg.hashsalt": "properly", "svg.fonttype": "none", "pdf.fonttype": 42}
DOTS_PER_INCH = 200
# Letters of the name of a model in the name of a file.
LONGEST = 40
# A list of the pairs of more models is a long one; the matrix stays.
MOST_LISTED = 8
# Where thresholds are small, small ones need room.
SMALL, RARE = 0.3, 0.1


def figures(
    folder: str | Path,
    evaluation: Evaluation | Leaderboard,
    *,
    formats: Iterable[str] | str = ("svg",),
    overwrite: bool = True,
) -> list[Path]:
    """Draw an evaluation or a leaderboard and write one file a figure, for a paper.

    Parameters
    ----------
    folder : str or Path
        Where to write. It is made if it is not there.
    evaluation : Evaluation or Leaderboard
        From `properly.evaluate` or `properly.leaderboard`.
    formats : str or iterable of str
        Of ``"svg"``, ``"png"`` (200 dots per inch) and ``"pdf"``: each figure is written in all of
        them.
    overwrite : bool
        Whether files that exist are replaced. If not, and there is one, nothing is written.

    Returns
    -------
    list of Path
        The files, in the order of the page.

    Notes
    -----
    Of an event: ``reliability``, ``regret``, ``decision``, ``roc``, ``mcb-dsc`` (by the first rule
    that models are judged by) and ``means``; of several models ``comparison``, for more than two
    ``comparison-matrix``, and ``dominance`` of the best two. Of classes: ``reliability`` and
    ``confusion`` of each model, ``retention``, and the comparisons. Of each model ``groups``, if
    there are any, and ``worst-cases``. What belongs to one model has its name behind, of which
    only letters and digits are left.

    All files appear, each of them whole, or none does. The same evaluation gives the same bytes,
    whatever the style that is set elsewhere.

    Examples
    --------
    >>> import properly, tempfile
    >>> e = properly.evaluate([0, 1, 1], [0.1, 0.8, 0.7], replicates=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = properly.report.figures(folder, e, formats="png")
    >>> [file.name for file in files[:3]]
    ['reliability.png', 'regret.png', 'decision.png']
    """
    names = [formats] if isinstance(formats, str) else formats
    kinds = list(dict.fromkeys(check_choice(kind, FORMATS, "a format") for kind in names))
    if not kinds:
        message = "formats must name at least one of svg, png and pdf; got none"
        raise DataError(message)
    drawings = list(_drawings(evaluation))
    place = Path(folder)
    paths = [place / f"{name}.{kind}" for name, _ in drawings for kind in kinds]
    # What could not be written is refused before anything is drawn.
    files.require_folder(place)
    for path in paths if place.exists() else ():
        files.require_writable(path, overwrite=overwrite)
    drawn = [content for _, draw in drawings for content in _render(draw, kinds)]
    with files.together():
        files.make_folder(place)
        both = zip(paths, drawn, strict=True)
        return [files.write_whole(*each, overwrite=overwrite) for each in both]


def picture(record: Leaderboard | Monitor, kind: str) -> bytes:
    """Draw a leaderboard or a monitor as the content of a file."""
    draw: Any = plots.leaderboard if isinstance(record, Leaderboard) else plots.monitor
    (content,) = _render(partial(draw, record), [kind])
    return content


def _render(draw: Callable[[], Axes], kinds: list[str]) -> list[bytes]:
    """Draw in a style that depends on nothing but us, and save in each format."""
    matplotlib = import_extra("matplotlib", extra="plots")
    style = import_extra("matplotlib.style", extra="plots")
    contents = []
    with style.context("default"), matplotlib.rc_context(SETTINGS), warnings.catch_warnings():
        if kinds == ["svg"]:
            # Letters that our font lacks are taken from one of the reader's.
            warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        for kind in kinds:
            file = io.BytesIO()
            # Drawn anew, since saving moves what is in a figure a little. It is none of pyplot's,
            # so that nobody needs to close it.
            figure: Any = draw().figure
            figure.savefig(file, format=kind, metadata=METADATA[kind], dpi=DOTS_PER_INCH)
            contents.append(file.getvalue())
    return contents


def _drawings(e: object) -> Iterator[Drawing]:
    if isinstance(e, Leaderboard):
        yield "leaderboard", partial(plots.leaderboard, e)
        return
    e = require_evaluation(e, "figures are drawn from an evaluation")
    if e.task == "binary":
        yield from _curves(e)
    else:
        decided = {name: decisions.argmax.confusion for name, decisions in e.decisions.items()}
        yield from _each(e, "reliability", e.reliability, lambda x: plots.reliability_grid(x)[0])
        yield from _each(e, "confusion", decided, plots.confusion)
        if e.retention:
            yield "retention", partial(plots.retention, e.retention)
    comparison = e.comparisons.get(e.primary)
    if comparison is not None and len(comparison.models) <= MOST_LISTED:
        yield "comparison", partial(plots.comparison, comparison)
    if comparison is not None and len(comparison.models) > 2:
        yield "comparison-matrix", partial(plots.comparison_matrix, comparison)
    if best_pair(e) in (e.dominances or {}):
        yield "dominance", partial(plots.dominance, e)
    yield from _each(e, "groups", e.groups, plots.groups)
    yield from _each(e, "worst-cases", e.worst, plots.worst_cases)


def _curves(e: Evaluation) -> Iterator[Drawing]:
    """Draw all models of an event in one figure."""
    parts = {name: by_rule[e.primary] for name, by_rule in e.decompositions.items()}
    ends = e.within
    small = e.event_rate < RARE if ends is None else ends.upper <= SMALL
    axis: Any = "log-odds" if small else "linear"
    yield "reliability", lambda: plots.reliability_grid(e.reliability, decompositions=parts)[0]
    yield "regret", partial(plots.regret, e, axis=axis)
    yield "decision", lambda: _decision(e, axis)
    if e.roc:
        yield "roc", partial(plots.roc, e.roc)
    yield "mcb-dsc", partial(plots.mcb_dsc, parts)
    if e.means:
        yield "means", partial(plots.means_bars, e.means)


def _decision(e: Evaluation, axis: Any) -> Axes:
    """Draw net benefit, near the range of thresholds if there is one that has a mean."""
    ends = e.within
    if ends is None or ends.upper == 1 or not all(curve.exact for curve in e.decision.values()):
        return plots.decision(e.decision, axis=axis)
    around = (ends.upper - ends.lower) / 2
    limits = (max(0.0, ends.lower - around), min(1.0, ends.upper + around))
    return plots.decision(e.decision, within=ends, limits=limits)


def _each(e: Evaluation, what: str, records: Any, draw: Callable[[Any], Any]) -> Iterator[Drawing]:
    """Draw one figure per model."""
    slugs = slugs_of(e.scores)
    for name, record in records.items():
        yield f"{what}-{slugs[name]}", partial(draw, record)


def slugs_of(models: Iterable[str]) -> dict[str, str]:
    """Make of each name a word of letters, digits and dashes that no other name has."""
    slugs: dict[str, str] = {}
    for name in models:
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        base = re.sub("[^a-z0-9]+", "-", plain.lower()).strip("-")[:LONGEST].strip("-") or "model"
        every = chain([base], (f"{base}-{k}" for k in count(2)))
        slugs[name] = next(slug for slug in every if slug not in slugs.values())
    return slugs
