"""Shades that stand for amounts, and colours in the order of the classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._extras import import_extra

if TYPE_CHECKING:
    from collections.abc import Sequence

RGB: TypeAlias = np.ndarray[Any, Any]

# The darkest shade; the lightest is white.
DEEP = "#0B3C6F"
# Of what has no share, because there is nothing to be shared out.
NOTHING = "#EFEFEF"
# Of the map named cividis, whose lightness alone tells the order: without its ends, one of which is
# as bright as paper and the other as dark as ink.
LIGHTEST, DARKEST = 0.9, 0.12
# Below this luminance, white letters have more contrast than black ones.
DARK = 0.18


def shades(share: Any) -> RGB:
    """Mix white with the deepest shade, in proportion; NaN is grey."""
    to_rgb = import_extra("matplotlib.colors", extra="plots").to_rgb
    part = np.asarray(share, dtype=float)[..., None]
    mixed = 1 - part * (1 - np.array(to_rgb(DEEP)))
    found: RGB = np.where(np.isnan(part), np.array(to_rgb(NOTHING)), mixed)
    return found


def class_colors(classes: int) -> RGB:
    """Give each class a colour, the later the darker, whether one sees colours or not."""
    colormaps = import_extra("matplotlib", extra="plots").colormaps
    found: RGB = colormaps["cividis"](np.linspace(LIGHTEST, DARKEST, classes))[:, :3]
    return found


def ink_on(color: str | Sequence[float] | RGB) -> str:
    """Choose letters that can be read on a colour."""
    to_rgb = import_extra("matplotlib.colors", extra="plots").to_rgb
    return "white" if _luminance(np.array(to_rgb(color))) < DARK else "black"


def _luminance(rgb: RGB) -> float:
    """Return the relative luminance of a colour of sRGB, from 0 for black to 1 for white."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])
