# Where each public name lives; it is imported from there when it is first used.

from ._coupled import CoupledClasses, CoupledGaussian
from ._crash import Crash, crash
from ._nelson import NELSON_CASES, nelson
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
