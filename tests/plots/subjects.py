"""Records to draw, and every picture that takes them by name."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

import properly
from properly import decisions, plots, probability
from properly.calibration import binned_reliability
from properly.rules import Brier

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

    from properly import Tally

Y = np.array([0, 0, 1, 0, 1, 0, 1, 1, 0, 1])
P = np.array([0.05, 0.051, 0.2, 0.3, 0.3, 0.45, 0.6, 0.7, 0.81, 0.95])
CONTINUOUS = properly.tally(Y, P)
DISCRETE = properly.tally(Y, np.round(P, 1))
ONE_CASE = properly.tally([1], [0.25])

# What is computed, and what draws it, for several models by name.
PICTURES: dict[str, tuple[Callable[[Tally], Any], Callable[..., Axes]]] = {
    "reliability": (properly.reliability, plots.reliability),
    "binned_reliability": (binned_reliability, plots.binned_reliability),
    "murphy": (properly.murphy_curve, plots.murphy),
    "roc": (properly.roc_curve, plots.roc),
    "risk_profile": (probability.risk_profile, plots.risk_profile),
    "mcb_dsc": (lambda t: properly.decompose(t, Brier()), plots.mcb_dsc),
}
BOTH = {"one": CONTINUOUS, "two": DISCRETE}
ORDERED = properly.Cases([0, 2, 1, 1], [[0.8, 0.1, 0.1], [0.7, 0.2, 0.1]] * 2)


def watched() -> properly.Monitor:
    monitor = properly.Monitor()
    monitor.add([1] * 8, [0.2] * 8)
    return monitor


# The record of every other picture that takes one.
OTHERS: dict[str, Callable[[], Any]] = {
    "regret": lambda: properly.regret_curve(CONTINUOUS),
    "decision": lambda: properly.decision_curve(CONTINUOUS),
    "decision_difference": lambda: decisions.decision_difference(CONTINUOUS, DISCRETE),
    "dominance": lambda: decisions.dominance(
        properly.Cases(Y, P), properly.Cases(Y, P[::-1]), replicates=19, rng=1
    ),
    "range_map": lambda: decisions.best_by_range(BOTH),
    "threshold_ranks": lambda: decisions.rank_by_threshold(BOTH),
    "comparison": lambda: properly.compare(Y, {"one": P, "two": P[::-1]}, rule=Brier()),
    "groups": lambda: properly.by_group(
        properly.Cases(Y, P, groups=np.arange(10) % 2), Brier(), replicates=19, rng=1
    ),
    "leaderboard": lambda: properly.leaderboard(properly.datasets.tournament().answers, rng=1),
    "confusion": lambda: decisions.confusion([0, 0, 1, 2], [0, 1, 1, 1], 3),
    "means_bars": lambda: properly.means(CONTINUOUS),
    "model_source": lambda: probability.source_table(CONTINUOUS),
    "retention": lambda: properly.retention_curve(P, Y, Y[::-1]),
    "worst_cases": lambda: decisions.worst_cases(ORDERED, Brier(), k=2),
    "cumulative_forecast": lambda: decisions.cumulative_forecast(0, [0.25, 0.5, 0.25]),
    "monitor": watched,
}
RECORDS: dict[str, Callable[[], Any]] = OTHERS | {
    "comparison_matrix": OTHERS["comparison"],
    **{name: partial(make, CONTINUOUS) for name, (make, _) in PICTURES.items()},
}


HOSTILE = ("$\\alpha$", "_hidden", "</script>", "x" * 200, "two\nlines")


def watched_names() -> properly.Monitor:
    monitor = properly.Monitor()
    monitor.add([1] * 8, dict.fromkeys(HOSTILE, [0.2] * 8))
    return monitor


def several(picture: str) -> dict[str, Any]:
    return dict.fromkeys(HOSTILE, OTHERS[picture]())


# Records of models, groups or classes with such names.
NAMED: dict[str, Callable[[], Any]] = {
    **{
        name: partial(dict.fromkeys, HOSTILE, make(CONTINUOUS))
        for name, (make, _) in PICTURES.items()
    },
    **{
        name: partial(several, name)
        for name in ("regret", "decision", "decision_difference", "means_bars", "retention")
    },
    "comparison": lambda: properly.compare(Y, dict.fromkeys(HOSTILE, P), rule=Brier(), rng=1),
    "groups": lambda: properly.by_group(
        properly.Cases(Y, P, groups=np.resize(HOSTILE, 10)), Brier(), replicates=19, rng=1
    ),
    "confusion": lambda: decisions.Confusion(np.eye(5), HOSTILE),
    "threshold_ranks": lambda: decisions.rank_by_threshold(dict.fromkeys(HOSTILE, CONTINUOUS)),
    "worst_cases": lambda: decisions.worst_cases(
        properly.Cases(["_hidden"], [[0.2] * 5], labels=HOSTILE), Brier(), k=1
    ),
    "cumulative_forecast": lambda: decisions.cumulative_forecast("_hidden", [0.2] * 5, HOSTILE),
    "monitor": watched_names,
}


def legend_of(ax: Axes) -> Legend:
    legend = ax.get_legend()
    assert legend is not None
    return legend


def legend_texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in legend_of(ax).get_texts()]


def lines_of(ax: Axes, gid: str = "curve") -> list[Any]:
    return [line for line in ax.get_lines() if line.get_gid() == gid]


def parts_of(ax: Axes, gid: str) -> list[Any]:
    """Return areas, dots and bars of some kind."""
    return [x for x in (*ax.collections, *ax.patches) if x.get_gid() == gid]


def figure_of(ax: Axes, *, drawn: bool = True) -> Figure:
    """Return the figure around some axes, laid out."""
    figure = ax.figure
    assert isinstance(figure, Figure)
    if drawn:
        figure.draw_without_rendering()
    return figure


def ends_of(ax: Axes, gid: str) -> dict[float, list[float]]:
    """Return where each row has a line of some kind."""
    drawn = lines_of(ax, gid)
    return {
        np.atleast_1d(line.get_ydata())[0]: np.asarray(line.get_xdata()).tolist() for line in drawn
    }


def key_texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in figure_of(ax, drawn=False).legends[0].get_texts()]


def texts_of(ax: Axes, gid: str) -> list[str]:
    return [text.get_text() for text in ax.texts if text.get_gid() == gid]
