# Where each public name lives; it is imported from there when it is first used.

from ._coupled import NELSON_CASES, CoupledClasses, CoupledGaussian, nelson
from ._crash import Crash, crash
from ._tournament import tournament

__all__ = [
    "NELSON_CASES",
    "CoupledClasses",
    "CoupledGaussian",
    "Crash",
    "crash",
    "nelson",
    "tournament",
]
