"""Two models at all thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from tests.plots.subjects import key_texts

from properly import Cases, plots
from properly.decisions import dominance
from properly.plots._axes import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RNG = np.random.default_rng(5)
Q = RNG.uniform(size=2000)
Y = RNG.random(2000) < Q
TRUTH, NOISE = Cases(Y, Q), Cases(Y, RNG.permutation(Q))
DOMINANCE = dominance(TRUTH, NOISE, replicates=99, rng=1)
NAMES = ("truth", "noise")


def line(ax: Axes, gid: str) -> Any:
    (artist,) = (line for line in ax.get_lines() if line.get_gid() == gid)
    return artist


def spans(ax: Axes) -> list[Any]:
    return [patch for patch in ax.patches if patch.get_gid() == "better"]


def sides(ax: Axes) -> list[tuple[str, float]]:
    """Return the words at the right end, and on which side of zero they stand."""
    texts: list[Any] = [text for text in ax.texts if text.get_gid() == "side"]
    return [(text.get_text(), text.xyann[1]) for text in texts]


def test_the_difference_is_a_line_where_it_has_a_band_and_dotted_elsewhere() -> None:
    ax = plots.dominance(DOMINANCE, names=NAMES)
    banded = np.isfinite(DOMINANCE.upper)
    assert 0 < banded.sum() < len(banded)
    solid = line(ax, "curve").get_ydata()
    np.testing.assert_array_equal(solid[banded], DOMINANCE.difference[banded])
    assert np.isnan(solid[~banded]).all()
    np.testing.assert_array_equal(line(ax, "no band").get_ydata(), DOMINANCE.difference)
    assert line(ax, "no band").get_linestyle() == ":"
    assert key_texts(ax) == [
        "truth better",
        "95 % band for all thresholds at once",
        "no band: fewer than 10 events, or non-events, judged differently",
    ]


def test_the_band_has_no_height_where_too_few_cases_differ() -> None:
    ax = plots.dominance(DOMINANCE)
    (band,) = (x for x in ax.collections if x.get_gid() == "band")
    corners = np.concatenate([np.asarray(path.vertices) for path in band.get_paths()])
    banded = np.isfinite(DOMINANCE.upper)
    assert corners[:, 0].min() == DOMINANCE.threshold[banded][0]
    assert corners[:, 0].max() == DOMINANCE.threshold[banded][-1]
    assert set(DOMINANCE.upper[banded]) <= set(corners[:, 1])
    assert set(DOMINANCE.lower[banded]) <= set(corners[:, 1])


def test_ranges_are_shaded_in_the_colour_of_the_better_model() -> None:
    for record, color, runs in (
        (DOMINANCE, PALETTE[0], DOMINANCE.better),
        (dominance(NOISE, TRUTH, replicates=99, rng=1), PALETTE[1], DOMINANCE.better),
        (DOMINANCE.as_net_benefit(), PALETTE[0], DOMINANCE.better),
    ):
        shaded = spans(plots.dominance(record))
        ends = [(x.get_x(), x.get_x() + x.get_width()) for x in shaded]
        np.testing.assert_allclose(ends, runs)
        assert {x.get_facecolor()[:3] for x in shaded} == {to_rgb(color)}


def test_each_name_stands_where_its_model_is_better() -> None:
    assert sides(plots.dominance(DOMINANCE, names=NAMES)) == [
        ("noise\nbetter", 3),
        ("truth\nbetter", -3),
    ]
    ax = plots.dominance(DOMINANCE.as_net_benefit(), names=NAMES)
    assert sides(ax) == [("truth\nbetter", 3), ("noise\nbetter", -3)]
    assert ax.get_ylabel() == "difference in net benefit"
    assert plots.dominance(DOMINANCE.on_regret_scale()).get_ylabel() == "difference in regret"
    assert sides(plots.dominance(DOMINANCE))[1][0] == "first model\nbetter"


def test_zero_has_room_on_both_sides_unless_the_owner_decides() -> None:
    bottom, top = plots.dominance(DOMINANCE).get_ylim()
    assert min(-bottom, top) / (top - bottom) > 0.12
    assert bottom < np.nanmin(DOMINANCE.lower)
    ax = Figure().add_subplot(ylim=(-2, 1), xlim=(0.2, 0.4))
    assert plots.dominance(DOMINANCE, ax) is ax
    assert ax.get_ylim() == (-2, 1)
    assert ax.get_xlim() == (0.2, 0.4)


def test_a_band_at_a_single_threshold_is_a_line_with_a_dot() -> None:
    record = dominance(TRUTH, NOISE, thresholds=[0.001, 0.5, 0.999], replicates=99, rng=1)
    assert np.isfinite(record.upper).tolist() == [False, True, False]
    ax = plots.dominance(record)
    assert np.asarray(line(ax, "alone").get_xydata()).tolist() == [[0.5, record.difference[1]]]
    bars: list[Any] = [x for x in ax.collections if x.get_gid() == "band"]
    assert [[0.5, record.lower[1]], [0.5, record.upper[1]]] in [
        path.vertices.tolist() for bar in bars for path in bar.get_paths()
    ]
    assert len(spans(ax)) == 1
    one = dominance(TRUTH, NOISE, thresholds=[0.5], replicates=99, rng=1)
    assert plots.dominance(one).get_xlim() == (0, 1)


def test_names_are_text_and_long_ones_leave_room_to_the_picture() -> None:
    ax = plots.dominance(DOMINANCE, names=("$x$", "</script>"))
    assert [words for words, _ in sides(ax)] == ["</script>\nbetter", "\\$x\\$\nbetter"]
    given = Figure(layout="constrained").add_subplot()
    plots.dominance(DOMINANCE, given, names=("two\nlines", "x" * 60))
    assert [words for words, _ in sides(given)] == [
        "x" * 11 + "…" + "x" * 6 + "\nbetter",
        "two\\nlines\nbetter",
    ]
