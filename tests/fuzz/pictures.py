"""A picture of every kind, of what calls with odd rows return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import properly
from properly import calibration, plots

from .calls import CALLS, EVENT
from .odd_rows import FEW, rules

if TYPE_CHECKING:
    from collections.abc import Callable

    Draw = Callable[[Any], Any]

# The call whose record a picture shows, where one is enough.
OF_RECORD = {
    "binned_reliability": "calibration.binned_reliability",
    "comparison": "comparison.compare",
    "comparison_matrix": "comparison.compare",
    "confusion": "decisions.confusion",
    "cumulative_forecast": "decisions.cumulative_forecast",
    "decision": "decisions.decision_curve",
    "decision_difference": "decisions.decision_difference",
    "dominance": "decisions.dominance",
    "groups": "comparison.by_group",
    "leaderboard": "comparison.leaderboard",
    "means_bars": "probability.means",
    "model_source": "probability.source_table",
    "monitor": "evaluation.Monitor",
    "murphy": "decisions.murphy_curve",
    "range_map": "decisions.best_by_range",
    "regret": "decisions.regret_curve",
    "reliability": "calibration.reliability",
    "retention": "decisions.retention_curve",
    "risk_profile": "probability.risk_profile",
    "roc": "decisions.roc_curve",
    "threshold_ranks": "decisions.rank_by_threshold",
    "worst_cases": "decisions.worst_cases",
}


def _triptych(draw: Draw) -> Any:
    cases = draw(EVENT).cases()
    return plots.triptych(
        properly.murphy_curve(cases), properly.reliability(cases), properly.roc_curve(cases)
    )


def _grid(draw: Draw) -> Any:
    odd = draw(EVENT)
    return plots.reliability_grid(
        {name: properly.reliability(odd.cases(p)) for name, p in odd.models.items()}
    )


def _two_classes(draw: Draw) -> Any:
    rows = [draw(EVENT).p for _ in range(5)]
    return plots.two_classes(rows[0], rows[1:3], rows[3:])


def _drawn(name: str, of: str) -> Callable[[Draw], Any]:
    return lambda draw: getattr(plots, name)(CALLS[of](draw))


PICTURES: dict[str, Callable[[Draw], Any]] = {
    **{f"plots.{name}": _drawn(name, of) for name, of in OF_RECORD.items()},
    "plots.mcb_dsc": lambda draw: plots.mcb_dsc(
        calibration.decompose(draw(EVENT).cases(), draw(rules), **FEW)
    ),
    "plots.threshold_weights": lambda draw: plots.threshold_weights(draw(rules)),
    "plots.reliability_grid": _grid,
    "plots.triptych": _triptych,
    "plots.two_classes": _two_classes,
}
