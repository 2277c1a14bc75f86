# Where each public name lives; it is imported from there when it is first used.

from ._coupled import CoupledClasses, CoupledGaussian, Posterior
from ._crash import Crash, crash
from ._nelson import NELSON_CASES, NelsonCase, Simulation, nelson
from ._tournament import Tournament, tournament

__all__ = [
    "NELSON_CASES",
    "CoupledClasses",
    "CoupledGaussian",
    "Crash",
    "NelsonCase",
    "Posterior",
    "Simulation",
    "Tournament",
    "crash",
    "nelson",
    "tournament",
]
