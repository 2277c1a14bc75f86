"""Shades of amounts, colours of ordered classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from properly.plots._axes import DEEP, NOTHING, class_colors, ink_on, shades

WHITE, BLACK = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)


def luminance(rgb: Any) -> float:
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_shades_go_from_white_to_the_deepest_and_nothing_is_grey() -> None:
    colors = shades([0, 1, np.nan])
    np.testing.assert_allclose(colors, [WHITE, to_rgb(DEEP), to_rgb(NOTHING)], atol=1e-15)
    ramp = [luminance(color) for color in shades(np.linspace(0, 1, 21))]
    assert np.all(np.diff(ramp) < 0)


@pytest.mark.parametrize("classes", [2, 3, 5, 10])
def test_the_order_of_classes_can_be_seen_without_colours(classes: int) -> None:
    light = np.array([luminance(color) for color in class_colors(classes)])
    assert np.all(np.diff(light) < 0)
    # As perceived, which goes with the cube root, all steps are alike and none is small.
    steps = -np.diff(np.cbrt(light))
    assert steps.min() > 0.5 * steps.max()
    assert steps.sum() > 0.5
    assert light[0] < 0.8  # can be told from paper


@pytest.mark.parametrize("share", np.linspace(0, 1, 11))
def test_letters_have_the_greater_contrast(share: float) -> None:
    color = shades(share)
    lightness = luminance(color)
    contrast = {"black": (lightness + 0.05) / 0.05, "white": 1.05 / (lightness + 0.05)}
    assert contrast[ink_on(color)] == max(contrast.values()) >= 4.5
