"""How good are probability forecasts, where do they go wrong, and which model is for me.

A rule prices one forecast; a tally counts what happened at each forecast; every evaluation is a
function of the two.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from properly import errors, rules, typing
from properly._calibration import Bins, Reliability, reliability
from properly._cases import Cases
from properly._decomposition import Decomposition, decompose
from properly._evaluation import Evaluation, evaluate
from properly._frames import tally
from properly._interval import Interval
from properly._tally import Tally

__version__ = "0.1.0"

__all__ = [
    "Bins",
    "Cases",
    "Decomposition",
    "Evaluation",
    "Interval",
    "Reliability",
    "Tally",
    "datasets",
    "decompose",
    "errors",
    "evaluate",
    "plots",
    "reliability",
    "report",
    "rules",
    "tally",
    "typing",
]


if TYPE_CHECKING:
    from properly import datasets, plots, report
else:

    def __getattr__(name: str) -> ModuleType:
        """Open the doors that few sessions need only when they are asked for."""
        if name in {"datasets", "plots", "report"}:
            return import_module(f"properly.{name}")
        message = f"module 'properly' has no attribute {name!r}"
        raise AttributeError(message)


def __dir__() -> list[str]:
    """List the lazy doors too."""
    return sorted({*globals(), *__all__})
