"""Axes, line styles and colours that all pictures share; names and numbers as they are printed."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np

from properly._boundary._notices import import_extra
from properly.errors import ArgumentTypeError, DataError
from properly.rules._interval import Interval, as_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation, Text

    from properly.inference._band import Band


Record = TypeVar("Record")
Limits: TypeAlias = Interval | tuple[float, float]
Corner: TypeAlias = Literal["upper left", "upper right", "center right", "lower right"]
Color: TypeAlias = str | Mapping[str, str]
Bounds = TypeVar("Bounds")
Bounds_co = TypeVar("Bounds_co", covariant=True)
RGB: TypeAlias = np.ndarray[Any, Any]

LONGEST = 36
MINUS = "\N{MINUS SIGN}"
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


def by_name(
    given: object, kind: type[Record], maker: str, label: str | None = None
) -> dict[str, Record]:
    """Take one record, or several by the names of their models; "" is no name."""
    records = given if isinstance(given, Mapping) else {label or "": given}
    if not records:
        message = f"there must be at least one {kind.__name__} to draw; got none"
        raise DataError(message)
    result: dict[str, Record] = {}
    for name, record in records.items():
        result[str(name)] = require(record, kind, maker)
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


def legible(name: str) -> str:
    """Write a name as it is: no formula, no line break, not endless, not hidden."""
    shown = name if name.isprintable() else repr(name)[1:-1]
    if len(shown) > LONGEST:
        shown = f"{shown[: LONGEST - 13]}…{shown[-12:]}"
    # Matplotlib sets what stands between dollars as a formula, and leaves a label that begins with
    # an underscore out of the legend.
    return ("\N{SPACE}" if shown.startswith("_") else "") + shown.replace("$", r"\$")


MOST_DECIMALS = 15
LONG = 1e12


def number(value: float, digits: int = 4) -> str:
    """Write a number as journals do: without the zero before the point.

    One that needs very many digits is written with an exponent; a picture has no room for them.
    """
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if math.isnan(value):
        return "undefined"
    if (digits > MOST_DECIMALS and value) or abs(value) >= LONG:
        return f"{value:.2e}".replace("-", MINUS)
    digits = min(digits, MOST_DECIMALS)
    return re.sub(r"^(-?)0\.", r"\1.", f"{value:.{digits}f}").replace("-", MINUS)


def digits_for(scale: float) -> int:
    """Count the decimals that show three digits of a scale, and at least four."""
    return 4 if scale <= 0 or math.isinf(scale) else max(4, 2 - math.floor(math.log10(scale)))


class Banded(Protocol[Bounds_co]):
    """A record that may have a band."""

    @property
    def band(self) -> Bounds_co | None:
        """Bounds, if they were asked for."""


class Ink(NamedTuple):
    """How the line of one model looks."""

    color: str
    linestyle: str


def inks(names: Iterable[str], color: Color | None = None, first: int = 0) -> dict[str, Ink]:
    """Give each model an ink: the colour asked for, or the next of the palette."""
    names = list(names)
    colors = color if isinstance(color, Mapping) else dict.fromkeys(names, color)
    return {
        name: Ink(
            colors.get(name) or PALETTE[k % len(PALETTE)], STYLES[k // len(PALETTE) % len(STYLES)]
        )
        for k, name in enumerate(names, first)
    }


def new_figure(width: float, height: float, *, layout: str = "constrained") -> Figure:
    """Make a figure that enters no global list and needs no screen, as one of pyplot would."""
    matplotlib = import_extra("matplotlib.figure", extra="plots")
    figure: Figure = matplotlib.Figure(figsize=(width, height), layout=layout)
    return figure


def plain_axes(ax: Axes | None, width: float = 5.2, height: float = 3.7) -> Axes:
    """Use the given Axes, or make one in a figure of its own."""
    if ax is None:
        ax = new_figure(width, height).add_subplot()
        open_frame(ax)
    return ax


def square_axes(ax: Axes | None, limits: Limits | None = None, reach: float = 1.0) -> Axes:
    """Use the given Axes, or make one; unless its owner has set the limits, make it square.

    It shows probabilities from 0 as far as those that are to be drawn reach.
    """
    ax = plain_axes(ax, 4.2, 4.2)
    # An Axes that shares its limits with one of ours has them already, but not its shape.
    across = _reach_of_axis(ax.get_xlim(), free=ax.get_autoscalex_on())
    up = _reach_of_axis(ax.get_ylim(), free=ax.get_autoscaley_on())
    if limits is None and (across is None or up is None):
        return ax
    shown = as_interval(limits or (0, max(reach, across or 0, up or 0)))
    air = AIR * (shown.upper - shown.lower)
    ends = (shown.lower - air, shown.upper + air)
    ticks = round_numbers(shown)
    ax.set(xlim=ends, ylim=ends, aspect="equal", xticks=ticks, yticks=ticks)
    return ax


def _reach_of_axis(ends: tuple[float, float], *, free: bool) -> float | None:
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


def round_numbers(shown: Interval) -> list[float]:
    """Choose about six ticks; two axes left alone would not choose the same."""
    ticker = import_extra("matplotlib.ticker", extra="plots")
    locator = ticker.MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10])
    ticks = locator.tick_values(shown.lower, shown.upper)
    # Rounding must neither lose a tick at an end nor move the end, which a tick beyond it would.
    inside = np.clip(ticks, shown.lower, shown.upper)
    return [float(t) for t in inside[np.abs(inside - ticks) < 1e-9]]


def set_as_text(texts: Iterable[Text]) -> None:
    """Keep names away from TeX: they are data, not a program."""
    for text in texts:
        text.set_usetex(False)


def annotated(
    ax: Axes,
    text: str,
    at: tuple[float, float],
    offset: tuple[float, float] = (0, 0),
    coords: Any = "data",
    **look: Any,
) -> Annotation:
    """Write a text some points from a place; names in it are data, not TeX."""
    look = {"textcoords": "offset points", "color": TEXT} | look
    result = ax.annotate(text, at, offset, xycoords=coords, **look)
    set_as_text([result])
    return result


def side_axis(
    ax: Axes, side: Literal["top", "right"], words: Mapping[Any, str], **look: Any
) -> Any:
    """Write words beside a picture; an axis of their own lets the layout make room for them."""
    result: Any = ax.secondary_xaxis(side) if side == "top" else ax.secondary_yaxis(side)
    draw = result.set_xticks if side == "top" else result.set_yticks
    draw(list(words), list(words.values()))
    result.tick_params(**{"length": 0} | look)
    result.spines[:].set_visible(False)
    set_as_text(result.get_xticklabels() if side == "top" else result.get_yticklabels())
    return result


def legend_patch(**look: Any) -> Any:
    """Make an area for a legend."""
    return import_extra("matplotlib.patches", extra="plots").Patch(**{"linewidth": 0} | look)


def legend_line(**look: Any) -> Any:
    """Make a line, or a mark, for a legend."""
    return import_extra("matplotlib.lines", extra="plots").Line2D([], [], **look)


def open_frame(ax: Axes) -> None:
    """Leave out the half of the frame that measures nothing."""
    ax.spines[["top", "right"]].set_visible(False)


def curves(ax: Axes) -> list[Line2D]:
    """Return the curves drawn so far, one a model."""
    return [line for line in ax.get_lines() if line.get_gid() == CURVE]


def draw_curve(
    ax: Axes, corners: tuple[Any, Any], ink: Ink, name: str, *, width: float = 1.4
) -> None:
    """Draw the line by which a model is known in the legend."""
    ax.plot(
        *corners,
        color=ink.color,
        linestyle=ink.linestyle,
        linewidth=width,
        zorder=2.5,
        label=legible(name) if name else None,
        gid=CURVE,
    )


def draw_diagonal(ax: Axes) -> None:
    """Draw the line from corner to corner, once an Axes."""
    if all(line.get_gid() != DIAGONAL for line in ax.get_lines()):
        ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, zorder=1.5, gid=DIAGONAL)


def bands_to_draw(
    ax: Axes, records: Mapping[str, Banded[Bounds]], band: bool | None
) -> dict[str, Bounds]:
    """Choose the bands to draw: unless said otherwise, that of a curve that is alone."""
    alone = len(records) == 1 and not curves(ax)
    bands = {name: record.band for name, record in records.items()}
    shown = alone if band is None else band
    return {name: band_of for name, band_of in bands.items() if shown and band_of is not None}


def show_limits(ax: Axes, limits: Limits | None) -> None:
    """Show probabilities from 0 to 1, or those asked for, unless the owner of the Axes decided."""
    if limits is not None or ax.get_autoscalex_on():
        shown = Interval(0, 1) if limits is None else as_interval(limits)
        ax.set(xlim=(shown.lower, shown.upper), xticks=round_numbers(shown))


def draw_band(ax: Axes, band: Band, color: str) -> None:
    """Draw a band as a pale ribbon; one around the diagonal has a colour of no model."""
    tint = SLATE if band.kind == "consistency" else color
    says = f"{100 * band.level:.4g} % {band.kind} band"
    x, lower, upper = band.outline()
    ax.fill_between(
        x, lower, upper, color=tint, alpha=RIBBON, linewidth=0, zorder=1, label=says, gid="band"
    )


def emptier_corner(ax: Axes) -> Corner:
    """Return the corner, above or below the diagonal, that has fewer corners of curves."""
    places = [
        ax.transAxes.inverted().transform(line.get_transform().transform(line.get_xydata()))
        for line in curves(ax)
    ]
    x, y = np.concatenate(places).T
    above = np.sum((x < 0.45) & (y > 0.6))
    below = np.sum((x > 0.55) & (y < 0.4))
    return "upper left" if above <= below else "lower right"


def draw_legend(ax: Axes, loc: Corner, **options: Any) -> None:
    """Name the curves, and nothing else."""
    legend = ax.legend(
        handles=[line for line in curves(ax) if not str(line.get_label()).startswith("_")],
        loc=loc,
        frameon=False,
        fontsize="small",
        **options,
    )
    set_as_text(legend.get_texts())


def shades(share: Any) -> RGB:
    """Mix white with the deepest shade, in proportion; NaN is grey."""
    to_rgb = import_extra("matplotlib.colors", extra="plots").to_rgb
    part = np.asarray(share, dtype=float)[..., None]
    mixed = 1 - part * (1 - np.array(to_rgb(DEEP)))
    result: RGB = np.where(np.isnan(part), np.array(to_rgb(NOTHING)), mixed)
    return result


def class_colors(classes: int) -> RGB:
    """Give each class a colour, the later the darker, whether one sees colours or not."""
    colormaps = import_extra("matplotlib", extra="plots").colormaps
    result: RGB = colormaps["cividis"](np.linspace(LIGHTEST, DARKEST, classes))[:, :3]
    return result


def ink_on(color: str | Sequence[float] | RGB) -> str:
    """Choose letters that can be read on a colour."""
    to_rgb = import_extra("matplotlib.colors", extra="plots").to_rgb
    return "white" if _luminance(np.array(to_rgb(color))) < DARK else "black"


def _luminance(rgb: RGB) -> float:
    """Return the relative luminance of a colour of sRGB, from 0 for black to 1 for white."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])
