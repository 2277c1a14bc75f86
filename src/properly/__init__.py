"""How good are probability forecasts, where do they go wrong, and which model is for me.

A rule prices one forecast; a tally counts what happened at each forecast; every evaluation is a
function of the two.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from properly import errors, rules, typing
from properly._bands import Band
from properly._binned import BinnedReliability, binned_reliability
from properly._calibration import Bins, Reliability, reliability
from properly._calibration_test import CalibrationTest, calibration_test
from properly._cases import Cases
from properly._curves import MurphyCurve, murphy_curve, murphy_difference
from properly._decomposition import (
    Decomposition,
    MurphyDecomposition,
    decompose,
    murphy_decomposition,
)
from properly._evaluation import Evaluation, evaluate
from properly._frames import tally
from properly._histogram import Histogram
from properly._interval import Interval
from properly._part_intervals import PartIntervals
from properly._roc import RocCurve, roc_curve
from properly._roc_band import RocBand
from properly._tally import Tally

__version__ = "0.1.0"

__all__ = [
    "Band",
    "BinnedReliability",
    "Bins",
    "CalibrationTest",
    "Cases",
    "Decomposition",
    "Evaluation",
    "Histogram",
    "Interval",
    "MurphyCurve",
    "MurphyDecomposition",
    "PartIntervals",
    "Reliability",
    "RocBand",
    "RocCurve",
    "Tally",
    "binned_reliability",
    "calibration_test",
    "datasets",
    "decompose",
    "errors",
    "evaluate",
    "murphy_curve",
    "murphy_decomposition",
    "murphy_difference",
    "plots",
    "reliability",
    "report",
    "reproduce",
    "roc_curve",
    "rules",
    "simulate",
    "tally",
    "typing",
]


if TYPE_CHECKING:
    from properly import datasets, plots, report, reproduce, simulate
else:

    def __getattr__(name: str) -> ModuleType:
        """Open the doors that few sessions need only when they are asked for."""
        if name in {"datasets", "plots", "report", "reproduce", "simulate"}:
            return import_module(f"properly.{name}")
        message = f"module 'properly' has no attribute {name!r}"
        raise AttributeError(message)


def __dir__() -> list[str]:
    """List the lazy doors too."""
    return sorted({*globals(), *__all__})
