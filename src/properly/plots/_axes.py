"""What is drawn on, with the lines, colours and names that all pictures share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np

from properly._boundary._notices import import_extra
from properly._boundary._tolerances import SAME_SUM
from properly.errors import ArgumentTypeError, DataError
from properly.plots import _names
from properly.plots._names import Box, Size, fold, from_matplotlib, inches, legible, points
from properly.rules._interval import Interval, as_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation, Text

    from properly.decisions._roc import RocBand
    from properly.inference._band import Band


Record = TypeVar("Record")
Limits: TypeAlias = Interval | tuple[float, float]
Corner: TypeAlias = Literal["upper left", "upper right", "center right", "lower right"]
Color: TypeAlias = str | Mapping[str, str]
Ends: TypeAlias = tuple[float, float]
Array: TypeAlias = np.ndarray[Any, Any]

# Okabe and Ito's palette: told apart by colour-blind readers too. Without its yellow, which is too
# pale for a line; an eighth model repeats a colour with another line style.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES = ("-", "--", ":", "-.")
GREY, PALE, SLATE, TEXT = "#8A8A8A", "#CBD0D6", "#4A6A8F", "#3C3C3C"
RIBBON = 0.18
# Marks by which a second call on one Axes finds what the first has drawn.
CURVE, DIAGONAL, ZERO = "curve", "diagonal", "zero"
# The darkest shade; the lightest is white.
DEEP = "#0B3C6F"
# Of what has no share, because there is nothing to be shared out.
NOTHING = "#EFEFEF"
# Of the map named cividis, whose lightness alone tells the order: without its ends, one of which is
# as bright as paper and the other as dark as ink.
LIGHTEST, DARKEST = 0.9, 0.12
# Probabilities that reach less far leave out the upper part of the axes.
FAR, SMALLEST = 0.55, 1e-4
# So that dots at the ends are whole, in shares of the axis.
AIR = 0.02
# Below this luminance, white letters have more contrast than black ones.
DARK = 0.18
# Points from the end of a curve to its name, and lines of text from one name to the next.
BESIDE, APART = 16, 1.3
NAME = "name at the end"
# Inches of a figure that names must leave to the picture.
LEAST = 4.6
# Shares of the picture across, data up.
MIXED = ("axes fraction", "data")
# How long the lines in a key are, in sizes of letters.
HANDLE = 1.8
# Inches of an entry of a key beside its words.
GAP = 0.5


class Ink(NamedTuple):
    """How the line of one model looks."""

    color: str
    linestyle: str


class Picture:
    """The Axes of the caller, or one in a figure of our own, and what all pictures draw on it.

    Attributes
    ----------
    ax : matplotlib Axes
        What is drawn on.
    own : bool
        Whether the figure is ours, so that names may widen it and the layout makes room.
    """

    def __init__(
        self,
        ax: Axes | None,
        width: float = 5.2,
        height: float = 3.7,
        *,
        layout: str = "constrained",
        own: bool | None = None,
        **margin: float,
    ) -> None:
        self.own = ax is None if own is None else own
        if ax is None:
            figure = new_figure(width, height, layout=layout)
            cast("Any", figure.get_layout_engine()).set(**margin)
            ax = figure.add_subplot()
            open_frame(ax)
        self.ax = ax

    @property
    def figure(self) -> Figure:
        """The figure around the Axes."""
        return cast("Figure", self.ax.figure)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the Axes in inches."""
        box, dpi = self.ax.get_window_extent(), self.figure.dpi
        return float(box.width) / dpi, float(box.height) / dpi

    @property
    def curves(self) -> list[Line2D]:
        """The curves drawn so far, one per model."""
        return [line for line in self.ax.get_lines() if line.get_gid() == CURVE]

    def has(self, mark: str) -> bool:
        """Return whether a line or an area with this mark has been drawn."""
        return any(x.get_gid() == mark for x in (*self.ax.get_lines(), *self.ax.patches))

    def square(self, limits: Limits | None = None, reach: float = 1.0) -> None:
        """Make the picture square, unless its owner has set the limits.

        It shows probabilities from 0 as far as those that are to be drawn reach.
        """
        # An Axes that shares its limits with one of ours has them already, but not its shape.
        across = _reach_of_axis(self.ax.get_xlim(), free=self.ax.get_autoscalex_on())
        up = _reach_of_axis(self.ax.get_ylim(), free=self.ax.get_autoscaley_on())
        if limits is None and (across is None or up is None):
            return
        shown = as_interval(limits or (0, max(reach, across or 0, up or 0)))
        air, ticks = AIR * (shown.upper - shown.lower), round_numbers(shown)
        ends = (shown.lower - air, shown.upper + air)
        self.ax.set(xlim=ends, ylim=ends, aspect="equal", xticks=ticks, yticks=ticks)

    def show_limits(self, limits: Limits | None) -> None:
        """Show probabilities from 0 to 1, or those asked for, unless the owner has decided."""
        if limits is not None or self.ax.get_autoscalex_on():
            shown = as_interval((0, 1) if limits is None else limits)
            self.ax.set(xlim=(shown.lower, shown.upper), xticks=round_numbers(shown))

    def draw_curve(self, corners: tuple[Any, Any], ink: Ink, name: str, **look: Any) -> None:
        """Draw the line by which a model is known in the legend."""
        label = legible(name) if name else None
        look = {"zorder": 2.5, "gid": CURVE, "label": label, "linewidth": 1.4, **look}
        self.ax.plot(*corners, color=ink.color, linestyle=ink.linestyle, **look)

    def draw_diagonal(self) -> None:
        """Draw the line from corner to corner, once."""
        if not self.has(DIAGONAL):
            self.ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, zorder=1.5, gid=DIAGONAL)

    def draw_zero(self) -> None:
        """Draw the line at zero, once."""
        if not self.has(ZERO):
            self.ax.axhline(0, color=GREY, linewidth=0.8, zorder=1.5, gid=ZERO)

    def bands(self, records: Mapping[str, Any]) -> dict[str, Any]:
        """Return the band of a curve that is alone: several would hide one another."""
        bands = {name: record.band for name, record in records.items()}
        alone = len(records) == 1 and not self.curves
        return {name: bounds for name, bounds in bands.items() if alone and bounds is not None}

    def draw_band(self, band: Band | RocBand, color: str, bars: float = 0, *at: Any) -> None:
        """Draw a band as a pale ribbon or as bars; one on the diagonal has no model's colour."""
        kind = getattr(band, "kind", "confidence")
        look: dict[str, Any] = {"color": SLATE if kind == "consistency" else color, "zorder": 1}
        look |= {"label": f"{100 * band.level:.4g} % {kind} band", "linewidth": bars}
        outline = at or band.outline()
        draw: Any = self.ax.fill if len(outline) == 2 else self.ax.fill_between
        draw, look["alpha"] = (self.ax.vlines, 2 * RIBBON) if bars else (draw, RIBBON)
        draw(*outline, gid="band", **look)

    def draw_curves(
        self,
        records: Mapping[str, Record],
        ink: Mapping[str, Ink],
        corners: Callable[[Record], tuple[Any, Any]],
        bands: Mapping[str, Any],
    ) -> None:
        """Draw the curves, each on its band if it has one."""
        for name, record in records.items():
            if name in bands:
                self.draw_band(bands[name], ink[name].color)
            self.draw_curve(corners(record), ink[name], name)

    def write(
        self, text: str, at: Ends, offset: Ends = (0, 0), coords: Any = "data", **look: Any
    ) -> Annotation:
        """Write a text some points from a place; names in it are data, not TeX."""
        look = {"textcoords": "offset points", "color": TEXT} | look
        result = self.ax.annotate(text, at, offset, xycoords=coords, **look)
        set_as_text([result])
        return result

    def write_side(
        self, side: Literal["top", "right"], words: Mapping[Any, str], **look: Any
    ) -> Any:
        """Write words beside a picture; an axis of their own lets the layout make room for them."""
        ax, across = cast("Any", self.ax), side == "top"
        result = ax.secondary_xaxis(side) if across else ax.secondary_yaxis(side)
        (result.set_xticks if across else result.set_yticks)(list(words), list(words.values()))
        result.tick_params(**{"length": 0} | look)
        result.spines[:].set_visible(False)
        set_as_text(result.get_xticklabels() if across else result.get_yticklabels())
        return result

    def emptier_corner(self) -> Corner:
        """Return the corner, above or below the diagonal, that has fewer corners of curves."""
        back = self.ax.transAxes.inverted()
        corners = [x.get_transform().transform(x.get_xydata()) for x in self.curves]
        x, y = back.transform(np.concatenate(corners)).T
        above, below = np.sum((x < 0.45) & (y > 0.6)), np.sum((x > 0.55) & (y < 0.4))
        return "upper left" if above <= below else "lower right"

    def legend(
        self, handles: Sequence[Any], loc: str, *, paper: float | None = None, **look: Any
    ) -> None:
        """Draw a legend without a frame, on paper of some strength if it may stand on lines."""
        behind: dict[str, Any] = {"frameon": False}
        if paper is not None:
            behind = {"framealpha": paper, "facecolor": "white", "edgecolor": "none"}
        look = {"loc": loc, "fontsize": "small", "title_fontsize": "small"} | behind | look
        where: Any = self.figure if loc.startswith("outside") else self.ax
        legend = where.legend(handles=handles, **look)
        set_as_text([legend.get_title(), *legend.get_texts()])

    def name_curves(self, loc: Corner, **look: Any) -> None:
        """Name the curves in a legend, and nothing else."""
        self.legend([line for line in self.curves if is_named(line)], loc, **look)

    def draw_key(
        self, handles: Sequence[Any], loc: str = "best", *, in_rows: bool = False, **look: Any
    ) -> None:
        """Say what is what: below the picture where a layout makes room, else inside.

        Names and ticks must have been drawn: the key stands below them, in as many columns as have
        room if it may stand in rows.
        """
        if not handles:
            return
        ax, figure = self.ax, self.figure
        below = figure.get_layout_engine() is not None and not (in_rows and not self.own)
        window: Any = ax.get_tightbbox() if below else ax.get_window_extent()
        room: Any = figure.bbox if self.own else window
        wide = room.width / figure.dpi - (HANDLE + 3) * points("small") / 72
        for handle in handles:
            handle.set_label(fold(handle.get_label(), wide, "small"))
        if in_rows and self.own:
            most = wide / (inches((x.get_label() for x in handles), "small") + GAP)
            look["ncols"] = math.ceil(len(handles) / math.ceil(len(handles) / max(1, int(most))))
        look = {"handlelength": HANDLE} | look
        if self.own:
            self.legend(handles, "outside lower center", **look)
        elif below:
            # Below the Axes and its labels, whatever size the layout gives.
            depth = (window.y0 - ax.get_window_extent().y0) / figure.dpi
            transforms = from_matplotlib("transforms")
            shift = transforms.ScaledTranslation(0, depth, figure.dpi_scale_trans)
            look |= {"bbox_to_anchor": (0.5, 0), "bbox_transform": ax.transAxes + shift}
            self.legend(handles, "upper center", borderpad=0.2, **look)
        else:
            self.legend(handles, loc, paper=0.8, **look)

    def draw_title(self, name: str, width: float) -> None:
        """Put a name above a panel, in lines and letters that do not reach into the next one."""
        title = self.ax.set_title(fold(legible(name), width), fontsize="medium")
        set_as_text([title])
        # Letters are as wide as pixels allow, which is not quite in proportion to their size.
        room = width * self.figure.dpi
        while (taken := title.get_window_extent().width) > room:
            title.set_fontsize(room / taken * float(title.get_fontsize()))

    def name_columns(
        self,
        names: Sequence[str],
        *,
        side: Literal["bottom", "top"] = "bottom",
        size: Size = "medium",
    ) -> None:
        """Name 0, 1, ... along the x axis: broken between words, or turned, if room is short."""
        below, (left, right) = side == "bottom", self.ax.transData.transform([(0, 0), (1, 0)])
        self.ax.tick_params(axis="x", labelbottom=below, labeltop=not below, labelsize=size)
        room = _names.ROOM * float(abs(right[0] - left[0]))
        folded = [fold(name, room / self.figure.dpi, size) for name in names]
        labels = self._set_columns(folded, below=below)
        lines = max(name.count("\n") + 1 for name in folded)
        if max(x.get_window_extent().width for x in labels) <= room and lines <= _names.LINES:
            return
        for label in self._set_columns(names, below=below):
            label.set(rotation=_names.TURNED, rotation_mode="anchor")
            label.set(ha="right" if below else "left", va="center" if below else "bottom")

    def _set_columns(self, names: Sequence[str], *, below: bool) -> list[Any]:
        self.ax.set_xticks(range(len(names)), names)
        labels = [tick.label1 if below else tick.label2 for tick in self.ax.xaxis.get_major_ticks()]
        set_as_text(labels)
        return labels

    def name_ends(self) -> None:
        """Write the name of each curve at its right end.

        A figure of our own has room for all of them; elsewhere, more than fit stand in a legend.
        """
        for text in [text for text in self.ax.texts if text.get_gid() == NAME]:
            text.remove()
        ends = {line: end for line in self.curves if is_named(line) and (end := _end_of(line))}
        if not ends:
            return
        texts = [self._write_end(line, end) for line, end in ends.items()]
        gap, figure = APART * points(), self.figure
        if self.own:
            # Long names widen a figure, and many make it higher. Then the layout makes room for
            # them, and decides how far apart the ends are.
            names = [text.get_text() for text in texts]
            figure.set_figwidth(max(figure.get_figwidth(), LEAST + inches(names)))
            figure.set_figheight(max(figure.get_figheight(), 1 + gap * len(names) / 72))
            figure.draw_without_rendering()
        self.ax.get_xlim(), self.ax.get_ylim()  # limits that are not settled yet, are now
        point = figure.dpi / 72
        bottom, top = (float(edge) / point for edge in self.ax.get_window_extent().intervaly)
        height = self.ax.transData.transform(list(ends.values()))[:, 1] / point
        if gap * (len(texts) - 1) > top - bottom:
            for text in texts:
                text.remove()
            self.legend(sorted(ends, key=lambda line: -ends[line][1]), "best")
            return
        moved = _names.spread(height, gap, bottom, top)
        for text, before, after in zip(texts, height, moved, strict=True):
            text.set_position((BESIDE, after - before))

    def _write_end(self, line: Line2D, end: Ends) -> Annotation:
        color: Any = line.get_color()
        arrow = {"arrowstyle": "-", "color": color, "linewidth": 0.7, "relpos": (0, 0.5)}
        look = {"ha": "left", "va": "center", "color": color, "annotation_clip": False, "gid": NAME}
        arrow |= {"shrinkA": 1, "shrinkB": 2}
        return self.write(str(line.get_label()), end, (BESIDE, 0), arrowprops=arrow, **look)

    def place_names(
        self, texts: Sequence[Annotation], bars: Iterable[Box] = (), dots: Iterable[Any] = ()
    ) -> None:
        """Put each name where it covers least of points, bars, dots, other names and the margin.

        A dot has a place and half its width in points.
        """
        if self.own:
            # The layout moves the points, and names follow them.
            self.figure.draw_without_rendering()
        frame, scale = self.ax.get_window_extent(), 72 / self.figure.dpi

        def place(x: float, y: float) -> Ends:
            """Return points of print, from the upper left corner."""
            right, up = self.ax.transData.transform((x, y))
            return float(right - frame.x0) * scale, float(frame.y1 - up) * scale

        boxes = (text.get_window_extent() for text in texts)
        # A point of air above and below: what is drawn is rounded to pixels.
        sizes = [(float(box.width) * scale, float(box.height) * scale + 2) for box in boxes]
        corners = [(place(left, top), place(right, bottom)) for left, bottom, right, top in bars]
        taken = [(x - 1, high - 1, end + 1, low + 1) for (x, high), (end, low) in corners]
        places = [(*place(x, y), half) for x, y, half in dots]
        taken += [(x - half, y - half, x + half, y + half) for x, y, half in places]
        whole = (0.0, 0.0, float(frame.width) * scale, float(frame.height) * scale)
        stands = _names.label_places([place(*text.xy) for text in texts], sizes, whole, taken)
        for text, stand in zip(texts, stands, strict=True):
            text.set_position((stand.dx, -stand.dy))
            text.set(ha=stand.align, va="center" if stand.baseline == "middle" else stand.baseline)


def by_name(given: object, kind: type[Record], maker: str) -> dict[str, Record]:
    """Take one record, or several by the names of their models; "" is no name."""
    records = given if isinstance(given, Mapping) else {"": given}
    if not records:
        message = f"there must be at least one {kind.__name__} to draw; got none"
        raise DataError(message)
    result = {str(name): require(record, kind, maker) for name, record in records.items()}
    if len(result) < len(records):
        message = f"models must have names that differ as text; got {list(records)}"
        raise DataError(message)
    return result


def require(record: object, kind: type[Record], maker: str) -> Record:
    """Refuse what is not the record that a picture is drawn from."""
    if isinstance(record, kind):
        return record
    message = f"this picture is drawn from a {kind.__name__}; got {type(record).__name__}"
    raise ArgumentTypeError(message, hint=f"make one with {maker}.")


def require_one(values: Iterable[float], what: str, *, relative: bool = False) -> float:
    """Return what is the same for all models of the same cases, but for rounding."""
    result = sorted(values)
    least, most = result[0], result[-1]
    if most - least > SAME_SUM * (most if relative else 1.0):
        message = f"models are compared on the same cases, which have one {what}; "
        message += f"got {least:.6g} to {most:.6g}"
        raise DataError(message, hint="draw the models of each data set on Axes of their own.")
    return least


def inks(
    names: Iterable[str],
    color: Color | None = None,
    first: int = 0,
    own: Mapping[str, Ink] | None = None,
) -> dict[str, Ink]:
    """Give each model an ink: the colour asked for, or the next of the palette.

    Names that have an ink of their own take none of the palette.
    """
    result, own = dict[str, Ink](), own or {}
    for name in names:
        k = first + len(result.keys() - own.keys())
        look = Ink(PALETTE[k % len(PALETTE)], STYLES[k // len(PALETTE) % len(STYLES)])
        chosen = color.get(name) if isinstance(color, Mapping) else None if name in own else color
        look = own.get(name, look)
        result[name] = look._replace(color=chosen or look.color)
    return result


def new_figure(width: float, height: float, *, layout: str = "constrained") -> Figure:
    """Make a figure that enters no global list and needs no screen, as one of pyplot would."""
    figure: Figure = from_matplotlib("figure").Figure(figsize=(width, height), layout=layout)
    return figure


def panels(
    names: Sequence[str],
    columns: int | None,
    size: tuple[float, float],
    margin: tuple[float, float],
    *,
    title: float,
    most: int | None = None,
    **options: Any,
) -> Array:
    """Lay out panels with their names above, in rows as near to a square as there are panels."""
    count, (width, height) = len(names), size
    nearest = count if count <= 3 else math.ceil(math.sqrt(count))
    wide = min(count, columns or max(1, min(nearest, most or nearest)))
    high = math.ceil(count / wide)
    layout = options.pop("layout", "constrained")
    figure = new_figure(margin[0] + width * wide, margin[1] + height * high, layout=layout)
    grid = figure.subplots(high, wide, sharey=True, squeeze=False, **options).ravel()
    for ax in grid[count:]:
        ax.remove()
    for ax, name in zip(grid[:count], names, strict=True):
        open_frame(ax)
        Picture(ax).draw_title(name, title)
    for ax in grid[count - wide : count]:
        ax.tick_params(labelbottom=True)
    result: Array = grid[:count]
    return result


def _reach_of_axis(ends: Ends, *, free: bool) -> float | None:
    """Return how far an axis of ours reaches, 0 if it has no limits yet, None if an owner's."""
    if free:
        return 0.0
    reach = (ends[1] - ends[0]) / (1 + 2 * AIR)
    return reach if math.isclose(ends[0], -AIR * reach) else None


def reach_of(records: Iterable[Any]) -> float:
    """Return how far forecasts and event rates reach: a round number, or 1 if that is near."""
    reach = max(SMALLEST, *(max(x.value[-1], x.bins.event_rate[-1]) for x in records))
    if reach >= FAR:
        return 1.0
    step = 10 ** math.floor(math.log10(reach))
    return float(step * math.ceil(round(reach / step * 1.02, 6)))


def round_steps(bins: int, steps: Sequence[float] | None = (1, 2, 5, 10), **options: Any) -> Any:
    """Return a locator of so many round numbers."""
    return from_matplotlib("ticker").MaxNLocator(nbins=bins, steps=steps, **options)


def round_numbers(shown: Interval) -> list[float]:
    """Choose about six ticks; two axes left alone would not choose the same."""
    ticks = round_steps(5, (1, 2, 2.5, 5, 10)).tick_values(shown.lower, shown.upper)
    # Rounding must neither lose a tick at an end nor move the end, which a tick beyond it would.
    inside = np.clip(ticks, shown.lower, shown.upper)
    return [float(t) for t in inside[np.abs(inside - ticks) < 1e-9]]


def span_of(numbers: Iterable[Any], side: float = 0.0) -> Ends:
    """Return the least and the greatest of all finite numbers; two equal ones are moved apart.

    Zero has at least this share of the width on either side, if a share is asked for.
    """
    result = np.concatenate([np.ravel(np.asarray(x, dtype=float)) for x in numbers])
    result = result[np.isfinite(result)]
    least, most = (float(result.min()), float(result.max())) if result.size else (0.0, 1.0)
    if least == most:
        apart = abs(least) / 10 or 1.0
        least, most = least - apart, most + apart
    if side:
        reach = max(-least, most) * side / (1 - side)
        least, most = min(least, -reach), max(most, reach)
    return least, most


def set_as_text(texts: Iterable[Text]) -> None:
    """Keep names away from TeX: they are data, not a program."""
    for text in texts:
        text.set_usetex(False)


def legend_patch(**look: Any) -> Any:
    """Make an area for a legend."""
    return from_matplotlib("patches").Patch(**{"linewidth": 0} | look)


def legend_line(**look: Any) -> Any:
    """Make a line, or a mark, for a legend."""
    return from_matplotlib("lines").Line2D([], [], **look)


def is_named(line: Line2D) -> bool:
    """Return whether a line has a name of its own."""
    return not str(line.get_label()).startswith("_")


def open_frame(ax: Axes) -> None:
    """Leave out the half of the frame that measures nothing."""
    ax.spines[["top", "right"]].set_visible(False)


def _end_of(line: Line2D) -> Ends | None:
    """Return the last point of a line that can be seen."""
    x, y = np.asarray(line.get_xydata(), dtype=float).T
    finite = np.flatnonzero(np.isfinite(y))
    return (float(x[finite[-1]]), float(y[finite[-1]])) if finite.size else None


def rgb(color: Any) -> Array:
    """Return the three parts of a colour."""
    return np.array(from_matplotlib("colors").to_rgb(color))


def shades(share: Any) -> Array:
    """Mix white with the deepest shade, in proportion; NaN is grey."""
    part = np.asarray(share, dtype=float)[..., None]
    result: Array = np.where(np.isnan(part), rgb(NOTHING), 1 - part * (1 - rgb(DEEP)))
    return result


def class_colors(classes: int) -> Array:
    """Give each class a colour, the later the darker, whether one sees colours or not."""
    colormaps = import_extra("matplotlib", extra="plots").colormaps
    result: Array = colormaps["cividis"](np.linspace(LIGHTEST, DARKEST, classes))[:, :3]
    return result


def ink_on(color: str | Sequence[float] | Array) -> str:
    """Choose letters that can be read on a colour, by its luminance from 0, black, to 1, white."""
    parts = rgb(color)
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return "white" if float(linear @ [0.2126, 0.7152, 0.0722]) < DARK else "black"
