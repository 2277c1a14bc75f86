"""Means of the probability of what happened: as bars, by power, and against the source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np

from properly._boundary._arrays import as_column, as_numbers
from properly._boundary._libraries import infinities, to_numpy
from properly._boundary._options import check_choice
from properly.counts._pooling import pool
from properly.decisions import _roc
from properly.errors import DataError
from properly.plots import _axes, _diagrams, _names
from properly.plots._axes import PALE, PALETTE, TEXT, Color, Ink, Picture
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import MINUS, from_matplotlib, inches, legible
from properly.probability._means import ClassMeans, Means, SourceTable
from properly.probability._power_means import LABELS, POWERS, ThreeMeans, check_precision
from properly.probability._power_profiles import RiskProfile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    from properly.typing import ArrayLike


# How a mean is drawn: its name, its marker, and its size against the others. The widest is the
# first, so that the others can be seen on it.
MARKS = (("mean_probability", "D", 1.1), ("robustness", "v", 1.0), ("decisiveness", "^", 1.0))
# As they are stacked if all are equal.
STACKED = ("robustness", "mean_probability", "decisiveness")
# Inches of an upright bar with its air: at least for a number above it, at most for a picture.
NARROW, WIDE = 0.62, 1.1
# Inches that upright bars may have together; more lie.
PAGE = 8.0
ROW = 0.4
# The part of its row that a bar has.
THICK = 0.66
# Points of a mark, and from the picture to the numbers.
SIZE, NUMBERS = 7.5, 7.0
# Inches on either side, so that words keep away from the edges of the paper.
MARGIN = 0.1
# Whose probabilities are averaged: how its line is drawn, and how wide.
PARTS = {"model": ("-", 1.8), "source": ("--", 1.3), "expected": (":", 1.6)}
# On which side of its tick the name of each power has room.
SIDES = {"robustness": "right", "mean_probability": "center", "decisiveness": "left"}
NAMED, KEY = "named power", "key"


class Bars(Picture):
    """A picture of bars that stand, or lie if there is no room for their names below them.

    Attributes
    ----------
    lying : bool
        Whether the bars lie.
    """

    def __init__(self, ax: Axes | None, names: list[str]) -> None:
        step, depth = _names.columns_for(names, NARROW, WIDE)
        folded = [_names.fold(name, _names.ROOM * step) for name in names]
        lying = step * len(names) > PAGE or inches(folded) > _names.ROOM * step
        width, height = max(4.6, 1.0 + step * len(names)), 4.0 + depth
        if lying:
            width, height = 4.6 + inches(names), 1.3 + ROW * len(names) * _names.points() / 10
        super().__init__(ax, width, height, w_pad=MARGIN)
        self.lying = lying

    def plot(self, along: Any, across: Any, **look: Any) -> None:
        """Draw along the bars and across them."""
        self.ax.plot(*((along, across) if self.lying else (across, along)), **look)


@draws_evaluation
def means_bars(means: Means | Mapping[str, Means], ax: Axes | None = None) -> Axes:
    """Draw the share of right answers beside three averages of the probabilities.

    The pale bar is the share of cases whose likeliest class happened. The marks are those of
    `model_source`: the diamond is the mean probability, the geometric mean of the probabilities of
    what happened, whose number stands at the end of the bar; the triangle that points up is the
    decisiveness, the one that points down the robustness. They are means of the same probabilities,
    and the line that joins them is no interval of confidence. A model may be right ever more often
    while its mean probability falls: then it is too sure where it is wrong.

    Parameters
    ----------
    means : Means or dict of Means by model
        From `properly.means`. Up to about fifteen stay legible.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Its limits are set.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Bars stand if all names fit below them, and lie otherwise. A mean probability of 0, of a model
    that called impossible what happened, is a diamond at 0.

    References
    ----------
    .. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286. `doi:10.3390/e19060286
       <https://doi.org/10.3390/e19060286>`__, figure 1.

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> y = [0, 1, 0, 1]
    >>> timid, bold = properly.tally(y, [0.4, 0.4, 0.6, 0.7]), properly.tally(y, [0, 1, 1, 1])
    >>> ax = plots.means_bars({"timid": properly.means(timid), "bold": properly.means(bold)})
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['timid', 'bold']
    """
    records = _axes.by_name(means, Means, "properly.means(cases)")
    names, rows = [legible(name) for name in records], list(records.values())
    picture = Bars(ax, names)
    draw = picture.ax.barh if picture.lying else picture.ax.bar
    look: dict[str, Any] = {"color": PALE, "linewidth": 0, "zorder": 1, "gid": "correct"}
    draw(range(len(rows)), [one.correct for one in rows], THICK, **look)
    _draw_means(picture, rows)
    _show_probabilities(picture, len(rows))
    _write_means(picture, rows, names)
    shapes = {name: shape for name, shape, _ in MARKS}
    handles = [_axes.legend_patch(color=PALE, label="share correct")]
    for name in reversed(STACKED):
        mark = {"marker": shapes[name], "linestyle": "", "label": LABELS[name]}
        handles.append(_axes.legend_line(color=PALETTE[0], **mark))
    picture.draw_key(handles, in_rows=True)
    return picture.ax


def _draw_means(picture: Bars, rows: list[Means]) -> None:
    """Draw the three marks of each model, and a thin line that joins them."""
    look = {"color": PALETTE[0], "clip_on": False}
    edge = {"markeredgecolor": "white", "markeredgewidth": 0.7, "zorder": 3} | look
    for k, one in enumerate(rows):
        ends = one.robustness, one.decisiveness
        picture.plot(ends, (k, k), linewidth=0.9, zorder=2.5, gid="reach", **look)
        for name, marker, factor in MARKS:
            shape = {"marker": marker, "markersize": SIZE * factor, "gid": name}
            picture.plot(getattr(one, name), k, **shape, **edge)


def _show_probabilities(picture: Bars, count: int) -> None:
    """Show probabilities from 0 to 1, and the bars in their order, the first on top if they lie."""
    ax, ends = picture.ax, np.linspace(0, 1, 6).round(1)
    said = "probability, share of cases"
    if picture.lying:
        ax.set(xlim=(0, 1), xticks=ends, xlabel=said, ylim=(count - 0.5, -0.5))
    else:
        # One bar or two leave air on either side, else they would be as wide as the picture.
        air = max(0.5, 2 - count / 2)
        ax.set(ylim=(0, 1), yticks=ends, ylabel=said, xlim=(-air, count - 1 + air))
    # Away from marks that stand at 0.
    ax.tick_params(axis="y" if picture.lying else "x", length=0, pad=9)


def _write_means(picture: Bars, rows: list[Means], names: list[str]) -> None:
    """Write the names on one side, and the mean probabilities on the other, with a heading."""
    printed = {k: f"{one.mean_probability:.3f}" for k, one in enumerate(rows)}
    if picture.lying:
        picture.ax.set_yticks(range(len(names)), names)
        _axes.set_as_text(picture.ax.get_yticklabels())
        at, offset, side = (1.0, 1.0), (NUMBERS, 2.0), "left"
    else:
        picture.name_columns(names)
        at, offset, side = (0.0, 1.0), (-2.0, NUMBERS), "right"
    look = {"labelsize": "small", "labelcolor": TEXT, "pad": NUMBERS}
    picture.write_side("right" if picture.lying else "top", printed, **look)
    heading = {"ha": side, "va": "bottom", "fontsize": "small", "annotation_clip": False}
    picture.write(LABELS["mean_probability"], at, offset, "axes fraction", **heading)


def risk_profile(profile: RiskProfile | Mapping[str, RiskProfile], ax: Axes | None = None) -> Axes:
    """Draw the mean probability of what happened against the power of the mean.

    Low powers, on the left, are ruled by the cases that were called least probable, high ones by
    those that were called most probable. The solid line is the model, the dashed one its source,
    and the dotted one what the forecasts expect of themselves. Where the solid line falls below
    the dotted one, what happened was less probable than forecast.

    Robustness, mean probability and decisiveness are the means of the powers -2/3, 0 and 1; dots
    mark them.

    Parameters
    ----------
    profile : RiskProfile or dict of RiskProfile by model
        From `properly.probability.risk_profile`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    The lines of a model that is alone are named at their ends. Several models are named there, and
    a legend says which line is which. Infinite powers, at which the mean is the least or the
    greatest value, are left out.

    References
    ----------
    .. [1] K. P. Nelson, B. J. Scannell, H. Landau (2011). A risk profile for information fusion
       algorithms. Entropy 13:1518-1532. `doi:10.3390/e13081518
       <https://doi.org/10.3390/e13081518>`__
    .. [2] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286. `doi:10.3390/e19060286
       <https://doi.org/10.3390/e19060286>`__

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> ax = plots.risk_profile(properly.probability.risk_profile(t))
    >>> [text.get_text() for text in ax.texts]
    ['model', 'source', 'expected']
    """
    maker = "properly.probability.risk_profile(cases)"
    records = _axes.by_name(profile, RiskProfile, maker)
    picture = Picture(ax, 6.4, 4.2)
    alone = len(records) == 1 and not picture.curves
    first = sum(line.get_linestyle() == "-" for line in picture.curves)
    ink = _axes.inks(records, None, first)
    for name, record in records.items():
        # The lines of a model that is alone are named by what they are.
        names = {part: part for part in PARTS} if alone else {}
        names |= {"model": name or names.get("model", "")}
        _draw_model(picture, record, ink[name], names)
    if not picture.has(NAMED):
        for power in POWERS.values():
            picture.ax.axvline(power, color=PALE, linewidth=0.8, zorder=0.8, gid=NAMED)
    # The limits stay free, so that the next model makes room for itself.
    if picture.ax.get_autoscaley_on():
        picture.ax.set_ylim(0, 1, auto=None)
    if picture.ax.get_autoscalex_on():
        x = np.concatenate([np.asarray(line.get_xdata()) for line in picture.curves])
        least, greatest = _axes.span_of([x])
        air = 0.02 * (greatest - least)
        picture.ax.set_xlim(least - air, greatest + air, auto=None)
    _name_powers(picture, next(iter(records.values())) if alone else None)
    picture.ax.set(xlabel="power of the mean", ylabel="mean probability of what happened")
    if not alone:
        _draw_key(picture.ax)
    picture.name_ends()
    return picture.ax


def _draw_model(picture: Picture, record: RiskProfile, ink: Ink, names: Mapping[str, str]) -> None:
    finite = np.isfinite(record.power)
    x = record.power[finite]
    named = np.isclose(x[:, None], list(POWERS.values()), atol=1e-9).any(axis=1)
    for part, (style, width) in PARTS.items():
        look = Ink(ink.color, style)
        y = getattr(record, part)[finite]
        picture.draw_curve((x, y), look, names.get(part, ""), linewidth=width)
        dot: dict[str, Any] = {"color": ink.color, "zorder": 3, "clip_on": False, "markersize": 5}
        # One by one: no dots at all, unclipped, would count as one in the corner of the figure.
        for place in zip(x[named], y[named], strict=True) if part == "model" else ():
            picture.ax.plot(*place, "o", gid="dot of model", **dot)


def _name_powers(picture: Picture, profile: RiskProfile | None) -> None:
    """Name the three powers above the picture, with the means of a model that is alone."""
    for old in [child for child in picture.ax.child_axes if child.get_gid() == NAMED]:
        old.remove()
    # The name in the middle has two lines, unless it is turned, and half of it must fit.
    left, right = picture.ax.get_xlim()
    gap = abs(POWERS["mean_probability"] - POWERS["robustness"]) / abs(right - left)
    words = LABELS["mean_probability"].split()
    narrow = picture.size[0] * gap < 0.65 * inches(words, "small")
    between = " " if narrow else "\n"
    said = {}
    for name, power in POWERS.items():
        words = LABELS[name].split()
        if profile is not None:
            here = np.flatnonzero(np.isclose(profile.power, power, atol=1e-9))
            words += [f"{mean:.3f}" for mean in profile.model[here[:1]]]
        said[power] = between.join(words)
    look = {"color": PALE, "labelsize": "small", "labelcolor": TEXT, "pad": 2}
    upper = picture.write_side("top", said, length=3, **look)
    upper.set_gid(NAMED)
    for label, name in zip(upper.get_xticklabels(), POWERS, strict=True):
        label.set_horizontalalignment("left" if narrow else SIDES[name])
        if narrow:
            label.set(rotation=_names.TURNED, rotation_mode="anchor")


def _draw_key(ax: Axes) -> None:
    """Say which line is which, in a legend beside that of the names."""
    for old in [one for one in ax.artists if one.get_gid() == KEY]:
        old.remove()
    handles = [
        _axes.legend_line(color=_axes.GREY, linestyle=style, linewidth=width)
        for style, width in PARTS.values()
    ]
    look = {"loc": "lower right", "frameon": False, "fontsize": "small"}
    key = from_matplotlib("legend").Legend(ax, handles, list(PARTS), **look)
    key.set_gid(KEY)
    ax.add_artist(key)


# Two classes, as they are and as they are taken to be; how both are drawn, and the panels.
TWO = ("class 0, source", "class 1, source", "class 0, model", "class 1, model")
BELOW = {"linewidth": 3.4, "alpha": 0.42}, {"linewidth": 1.5, "linestyle": (0, (4, 2))}
PANELS = ("a) parameters", "b) densities", "c) probabilities", "d) ROC curves of class 1")


def two_classes(
    x: ArrayLike,
    source: Sequence[ArrayLike],
    model: Sequence[ArrayLike],
    *,
    parameters: Mapping[str, Sequence[float]] | None = None,
    precision: float | None = None,
) -> Figure:
    r"""Draw two classes, a model of them, and the ROC curves it has and expects.

    Four panels: a) parameters, those of the model in bold where they are not those of the source;
    b) the densities of both classes, broad for the source and dashed for the model; c) the
    probabilities of the classes at each point, which are what the model forecasts; d) ROC curves of
    class 1. The actual curve has the order of the model and the densities of the source. The
    predicted one has the order and the densities of the model: it is what somebody expects who
    believes in it.

    Parameters
    ----------
    x : array-like
        Increasing points, close where densities bend, and as far out as there is any mass to speak
        of. The panels show the middle of it.
    source : pair of array-like
        For each class the logarithms of its density at the points, plus the logarithm of its
        probability.
    model : pair of array-like
        The same, as the model takes both to be.
    parameters : dict of four numbers by name, optional
        What is written in the first panel: of class 0 and class 1 in the source, then of both in
        the model. The probabilities of the classes, if left out.
    precision : float, optional
        Move the probabilities of the model into [precision, 1 - precision]. This makes ties where
        they were nearer to 0 or 1.

    Returns
    -------
    matplotlib Figure

    Notes
    -----
    Masses are by the trapezoidal rule, and those of each class are divided by their sum. Where no
    class has any density, either is drawn with a probability of a half.

    References
    ----------
    .. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286. `doi:10.3390/e19060286
       <https://doi.org/10.3390/e19060286>`__, figures 3 and 4.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.stats import norm
    >>> from properly import plots
    >>> x = np.linspace(-8, 10, 2001)
    >>> source, model = ([norm(k).logpdf(x) - np.log(2) for k in (0, far)] for far in (2, 1))
    >>> figure = plots.two_classes(x, source, model)
    >>> [text.get_text() for text in figure.axes[3].get_legend().get_texts()]
    ['actual, AUC .921', 'predicted, AUC .760']
    """
    columns = parameters or {}
    at, log = _log_densities((x, *source, *model), [len(column) for column in columns.values()])
    with infinities():
        density = np.exp(log)
        # What is 0 for both classes, and so 0 / 0, is a half.
        share = np.nan_to_num(1 / (1 + np.exp(log[:, ::-1] - log)), nan=0.5)
    least = check_precision(precision, 2) or 0.0
    share[1] = share[1].clip(least, 1 - least)
    whole = (density * np.gradient(at)).sum(axis=2, keepdims=True)
    density /= whole
    mass = density * np.gradient(at)
    actual, predicted = (_roc.traced(*pool(share[1, 1], [*side])) for side in mass)
    figure = _axes.new_figure(9.6, 7.2)
    axes = figure.subplots(2, 2).ravel()
    for ax, title in zip(axes, PANELS, strict=True):
        _axes.open_frame(ax)
        ax.set_title(title, loc="left", fontsize="medium")
    _write_parameters(axes[0], columns or {"probability": whole.ravel().tolist()})
    shown = np.interp([0.005, 0.995], np.cumsum(mass.mean(axis=(0, 1))), at)
    for ax, rows, label in (axes[1], density, "density"), (axes[2], share, "probability"):
        for k, row in enumerate(rows.reshape(4, -1)):
            ax.plot(at, row, color=PALETTE[2 - k % 2], label=TWO[k], **BELOW[k // 2])
        ax.set(xlabel="x", ylabel=label, xlim=shown)
    axes[1].legend(frameon=False, fontsize="small")
    curves = {"actual": actual, "predicted": predicted}
    _diagrams.roc(curves, axes[3], color={"actual": TEXT, "predicted": _axes.GREY})
    return figure


def _log_densities(given: Sequence[ArrayLike], named: list[int]) -> tuple[Points, Points]:
    """Take points, and for each side and class the logarithm of its density there."""
    columns = [as_numbers(as_column(row, "densities"), "densities") for row in given]
    at, *rows = (np.asarray(to_numpy(row), dtype=np.float64) for row in columns)
    if [len(row) for row in rows] != 4 * [len(at)] or {*named, 4} != {4}:
        message = "source and model must have two rows each, as long as x, and parameters four each"
        raise DataError(message)
    steps, highest = np.diff(at), np.abs(np.max(rows, axis=1)).max()
    # Beyond 700, densities cannot be written.
    if not (steps.size and 0 < steps.min() <= steps.max() < np.inf and highest < 700):
        message = "x must increase, and logarithms of densities have a maximum from -700 to 700"
        raise DataError(message)
    return at, np.reshape(rows, (2, 2, -1))


def _write_parameters(ax: Axes, parameters: Mapping[str, Sequence[float]]) -> None:
    """Write what both classes are, and what they are taken to be, in bold where that differs."""
    rows = list(zip(*parameters.values(), strict=True))
    cells = [[f"{value:.4g}".replace("-", MINUS) for value in row] for row in rows]
    ax.set_axis_off()
    look: dict[str, Any] = {"edges": "horizontal", "cellLoc": "right", "colLoc": "right"}
    look |= {"rowLabels": TWO, "colLabels": [*map(legible, parameters)]}
    # Room for the names of the rows, to the left.
    written = ax.table(cells, **look | {"bbox": (0.3, 0.3, 0.7, 0.6)})
    for (row, column), cell in written.get_celld().items():
        cell.set_edgecolor(PALE)
        if column < 0:
            cell.set_text_props(color=PALETTE[1 + row % 2])
        elif row > 2 and rows[row - 1][column] != rows[row - 3][column]:
            cell.set_text_props(weight="bold")


Points: TypeAlias = np.ndarray[Any, Any]

# Bubbles of the first classes, and of those whose colour has been used before; and the share of
# its square that each covers, so that areas can be compared.
BUBBLES = (("o", np.pi / 4), ("s", 1.0), ("D", 1.0))
# Square points of the largest bubble, and of all of them together, at most.
LARGEST, TOGETHER = 700.0, 9000.0
# Points of the side of a picture that has these.
USUAL = 230.0
FILL, EDGE = 0.22, 0.75
CROSS = 8.0
# Inches on either side, so that words keep away from the edges of the paper.
ASIDE = 0.12
# Of bins of all classes together, whose bubbles are of none.
POOLED = Ink(_axes.SLATE, "-")
# The highest divergence probability whose ray is drawn to its end.
HIGHEST = 1.25
LARGE, SMALL = 8.5, 5.0
MEAN = "name"
# What the areas of bubbles are, by name: the column of the table, and its words.
AREAS = {
    "contribution": ("size", f"share of {MINUS}log mean probability"),
    "events": ("happened", "number of true events"),
}


def model_source(
    table: SourceTable,
    ax: Axes | None = None,
    *,
    color: Color | None = None,
    size: Literal["contribution", "events"] = "contribution",
) -> Axes:
    r"""Draw what a model called probable against what happened that often.

    A bubble is one bin of forecasts of one class: to the right how often the class happened, up
    the geometric mean of the forecasts of those that did, and its area is what the bin
    adds to :math:`-\log` mean probability. On the dashed line, both probabilities are equal.

    The large dark marks are the means of all cases: a triangle that points up is the decisiveness,
    a diamond the mean probability, a triangle that points down the robustness. The direction of the
    line that joins the triangles is the orientation, 45 degrees if the model varies as its source
    does. The same marks, small and in the colour of a class, are the means of the cases of that
    class.

    The thin ray from the origin through the mean probability ends at x = 1, at the height of the
    divergence probability, the mean probability of the model divided by that of the source.

    Parameters
    ----------
    table : SourceTable
        From `properly.probability.source_table`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.
    color : str or dict of str by class, optional
        Colours of the classes; Okabe and Ito's palette if left out.
    size : {"contribution", "events"}
        What the area of a bubble is: what its bin adds to :math:`-\log` mean probability, or the
        number of true events in it, as in the figures of [1]_.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    The source is to the right and the model up, so that the model is judged by its height. Bins in
    which nothing happened have no bubble. A forecast of 0 for what happened makes the mean
    probability of its bin 0 and its share of :math:`-\log` mean probability infinite: a cross marks
    such a bin. By number of events, it has a bubble at height 0.

    The last bins of an isotonic source hold few cases. Tiny bubbles at a source of 0 or 1, or near
    it, are often one or two of them, however far they are from the line.

    A divergence probability above 1 comes from bins in which forecasts differ. Beyond 1.25, its
    ray is cut off where it leaves the picture.

    Forecasts that are too sure raise the orientation above 45 degrees. So does a bias and, among
    few cases, chance: `properly.probability.confidence_test` says how surprising the three means
    are.

    References
    ----------
    .. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286. `doi:10.3390/e19060286
       <https://doi.org/10.3390/e19060286>`__, figures 2 and 5 to 7.

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> cases = properly.tally([0, 1, 0, 1, 1], [0.1, 0.3, 0.6, 0.9, 0.9])
    >>> ax = plots.model_source(properly.probability.source_table(cases))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('source: how often it happened', 'model: probability given to it')
    """
    _axes.require(table, SourceTable, "properly.probability.source_table(cases)")
    column, words = AREAS[check_choice(size, tuple(AREAS), "size")]
    picture = _square(ax, table.means.divergence)
    ink = _inks(table, color)
    bubbles = _draw_bubbles(picture, table, ink, column)
    _draw_ray(picture, table.means)
    for name, one in table.means.classes.items():
        _draw_three(picture.ax, one.source, one.model, ink[name])
    both = table.means.source, table.means.model
    _draw_three(picture.ax, *both, Ink(TEXT, "-"), large=True)
    picture.ax.set(xlabel="source: how often it happened", ylabel="model: probability given to it")
    title = f"bubbles: bins, area by {words}"
    picture.draw_key(_handles(ink, set(table.name)), title=title, in_rows=True)
    _name_three(picture, table.means, bubbles)
    shown = [*picture.ax.get_xlim(), *picture.ax.get_ylim()]
    if not picture.own and (min(shown[1], shown[3]) < 1 or max(shown[0], shown[2]) > 0):
        # What lies outside is cut off, where the owner of the Axes shows a part only.
        for drawn in (*picture.ax.get_lines(), *picture.ax.collections):
            drawn.set_clip_on(True)
    return picture.ax


def _draw_three(
    ax: Axes, source: ThreeMeans, model: ThreeMeans, ink: Ink, *, large: bool = False
) -> None:
    """Draw three marks, and the line whose direction is the orientation.

    Large marks lie on small ones, but for those at a height of 0, where many may meet.
    """
    front, size, width, edge = (3.0, LARGE, 1.3, 0.8) if large else (2.4, SMALL, 0.8, 0.5)
    corners = [(x.robustness, x.decisiveness) for x in (source, model)]
    line: dict[str, Any] = {"linestyle": ink.linestyle, "linewidth": width, "zorder": front}
    ax.plot(*corners, color=ink.color, gid="orientation", **line)
    look: dict[str, Any] = {"color": ink.color, "markeredgecolor": "white", "clip_on": False}
    for name, marker, factor in MARKS:
        x, y = getattr(source, name), getattr(model, name)
        order = 3.4 if not large and y == 0 else front + 0.2
        shape = look | {"markersize": factor * size, "markeredgewidth": edge, "zorder": order}
        ax.plot(x, y, marker, gid=name, **shape)


def _name_three(picture: Picture, means: Means, bubbles: Points) -> None:
    """Write what the three large marks are beside them, where the names cover least."""
    texts = []
    for name in STACKED:
        at = getattr(means.source, name), getattr(means.model, name)
        look: dict[str, Any] = {"fontweight": "bold"} if name == "mean_probability" else {}
        texts.append(picture.write(f"{LABELS[name]} {at[1]:.2f}", at, zorder=4, gid=MEAN, **look))
        _set_off(texts[-1])
    sizes: list[tuple[Means | ClassMeans, float]] = [(means, LARGE)]
    sizes += [(one, SMALL) for one in means.classes.values()]
    marks = [
        (getattr(one.source, name), getattr(one.model, name), size / 2)
        for one, size in sizes
        for name in POWERS
    ]
    picture.place_names(texts, dots=np.concatenate([bubbles, marks]))


def _set_off(text: Text) -> None:
    """Put a white halo behind words, so that they can be read on bubbles."""
    halo = from_matplotlib("patheffects").withStroke
    text.set_path_effects([halo(linewidth=3, foreground="white", alpha=0.85)])


def _square(ax: Axes | None, divergence: float) -> Picture:
    """Make the picture square, or a little higher for a ray that rises above 1."""
    free = ax is None or ax.get_autoscaley_on()
    # Compressed, so that a picture that must be square leaves no gap to its legend.
    picture = Picture(ax, 5.2, 5.0, layout="compressed", w_pad=ASIDE)
    picture.square()
    if free and divergence > 1:
        picture.ax.set_ylim(top=min(divergence, HIGHEST) + 0.02)
    picture.ax.plot(
        [0, 1], [0, 1], "--", color=_axes.GREY, linewidth=0.9, zorder=1.5, gid=_axes.DIAGONAL
    )
    return picture


def _inks(table: SourceTable, color: Color | None) -> dict[str, Ink]:
    """Give each class an ink; bins of all classes together have one of their own."""
    result = _axes.inks(table.means.classes, color)
    more = [name for name in table.name if name not in result and _bins(table, name).size]
    return result | dict.fromkeys(more, POOLED)


def _bubble(ink: Mapping[str, Ink], name: str) -> tuple[str, float]:
    """Return the shape of the bubbles of a class: another where colours begin anew."""
    turn = 0 if ink[name] is POOLED else list(ink).index(name) // len(PALETTE)
    return BUBBLES[turn % len(BUBBLES)]


def _bins(table: SourceTable, name: str, column: str = "size") -> Points:
    """Return source, mean probability and size of bins in which a class happened, by size."""
    there = (np.array(table.name) == name) & ~np.isnan(table.mean_probability)
    rows = np.stack([table.source, table.mean_probability, getattr(table, column)], axis=1)[there]
    result: Points = rows[np.argsort(-rows[:, 2], kind="stable")]
    return result


def _draw_bubbles(
    picture: Picture, table: SourceTable, ink: Mapping[str, Ink], column: str
) -> Points:
    """Draw all bins; return where they are, and half their widths in points."""
    ax, rgba = picture.ax, from_matplotlib("colors").to_rgba
    bins = {name: _bins(table, name, column) for name in ink}
    every = np.concatenate(list(bins.values()))
    # In a small picture, bubbles are as small as it is.
    small = min(1.0, (72 * min(picture.size) / USUAL) ** 2)
    sizes = every[np.isfinite(every[:, 2]), 2]
    # Square points for a size of 1; many bubbles are small, to be told apart.
    each = min(LARGEST / sizes.max(), TOGETHER / sizes.sum()) if sizes.any() else 1.0
    scale = small * float(each)
    for name, rows in bins.items():
        color, (marker, share) = ink[name].color, _bubble(ink, name)
        x, y, size = rows[np.isfinite(rows[:, 2])].T
        look: dict[str, Any] = {"clip_on": False, "zorder": 1.7, "linewidth": 0.7, "marker": marker}
        look |= {"facecolor": rgba(color, FILL), "edgecolor": rgba(color, EDGE)}
        ax.scatter(x, y, scale * size / share, gid="bubbles", **look)
        cross: dict[str, Any] = {"color": color, "markersize": CROSS, "zorder": 1.9}
        for x in rows[np.isinf(rows[:, 2]), 0]:
            ax.plot(x, 0, "x", clip_on=False, gid="infinite", **cross)
    # Half the width of a bubble, or that of a cross.
    area = scale * every[:, 2]
    half = np.where(np.isfinite(area), np.sqrt(area / np.pi), CROSS / 2)
    return np.column_stack([every[:, :2], half])


def _draw_ray(picture: Picture, means: Means) -> None:
    """Draw the line through the mean probability to the height of the divergence probability."""
    ax, height = picture.ax, means.divergence
    if not np.isfinite(height):
        return
    end = min(1.0, (ax.get_ylim()[1] - 0.02) / height) if height > 1 else 1.0
    place, look = (end, end * height), cast("Any", {"color": TEXT, "clip_on": False})
    ax.plot([0, end], [0, end * height], linewidth=0.7, zorder=2.2, gid="ray", **look)
    cut = "^" if end < 1 else "o"
    ax.plot(*place, cut, markersize=4.5, zorder=3, gid="divergence", **look)
    _set_off(picture.write(f"P_div {height:.3f}", place, (7, 0), va="center", gid="P_div"))


def _handles(ink: Mapping[str, Ink], drawn: set[str]) -> list[Any]:
    """Return what stands for each class: its bubble, or its line if bubbles are of no class."""
    look: dict[str, Any] = {"markersize": 8, "alpha": 0.6, "markeredgewidth": 0}
    result = []
    for name, one in ink.items():
        marker, style = (_bubble(ink, name)[0], "") if name in drawn else ("", one.linestyle)
        shape = {"marker": marker, "linestyle": style}
        result.append(_axes.legend_line(color=one.color, label=legible(name), **shape, **look))
    return result
