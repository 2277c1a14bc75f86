"""Draw the pictures of comparisons, of groups, of thresholds, and of a leaderboard.

All but one show forecasts of death in car crashes, which are part of the package. Those who were in
the same accident make a cluster. The leaderboard is that of the simulated tournament.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import properly
from properly import plots
from properly.rules import Brier
from studies.pictures.canvas import NAMES, SEED, figure_of, save

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.figure import Figure


def comparison() -> Figure:
    """Show which of four models are told apart by their Brier scores over the whole country."""
    crash = properly.datasets.crash()
    # The balanced forecasts are so much worse that all other differences would look like none.
    chosen = {NAMES[name]: p for name, p in crash.forecasts.items() if "balanced" not in name}
    found = properly.compare(
        crash.died,
        chosen,
        rule=Brier(),
        weight=crash.weight,
        clusters=crash.cluster,
        margin=0.001,
        rng=SEED,
    )
    return figure_of(plots.comparison(found))


def matrix() -> Figure:
    """Show the differences between the areas under the ROC curves of all five."""
    crash = properly.datasets.crash()
    forecasts = {NAMES[name]: p for name, p in crash.forecasts.items()}
    found = properly.compare(crash.died, forecasts, rule="auc", clusters=crash.cluster, rng=SEED)
    return figure_of(plots.comparison_matrix(found))


def cases_of(model: str, **known: object) -> properly.Cases:
    crash = properly.datasets.crash()
    p = crash.forecasts[model]
    return properly.Cases(crash.died, p, clusters=crash.cluster, **known)  # type: ignore[arg-type]


def groups() -> Figure:
    """Show the score of women and men, with and without a seat belt."""
    crash = properly.datasets.crash()
    belt = {"belted": "with belt", "none": "no belt"}
    labels = [f"{sex}, {belt[worn]}" for sex, worn in zip(crash.sex, crash.seatbelt, strict=True)]
    cases = cases_of("logistic", groups=labels)
    found = properly.by_group(cases, Brier(), replicates=99, rng=SEED)
    return figure_of(plots.groups(found))


def dominance() -> Figure:
    """Show at which thresholds one of two models is better."""
    found = properly.decisions.dominance(
        cases_of("logistic"), cases_of("naive_bayes"), within=(0, 0.6), rng=SEED
    )
    names = NAMES["logistic"], NAMES["naive_bayes"]
    return figure_of(plots.dominance(found, names=names))


def leaderboard() -> Figure:
    """Show who is best of those who took part in a tournament, each in some of its questions."""
    tournament = properly.datasets.tournament()
    return figure_of(plots.leaderboard(properly.leaderboard(tournament.answers, rng=1)))


PICTURES: dict[str, Callable[[], Figure]] = {
    "comparison": comparison,
    "comparison_matrix": matrix,
    "groups": groups,
    "dominance": dominance,
    "leaderboard": leaderboard,
}


def draw(folder: Path) -> None:
    """Save all pictures to a folder."""
    save(PICTURES, folder)
