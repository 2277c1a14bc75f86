# Where each public name lives; it is imported from there when it is first used.

from ._assel import SimulatedModels, assel
from ._corp import Simulation, corp
from ._coupled import CoupledClasses, CoupledGaussian, Posterior
from ._crash import Crash, crash
from ._nelson import NELSON_CASES, NelsonCase, nelson
from ._tournament import Tournament, tournament

__all__ = [
    "NELSON_CASES",
    "CoupledClasses",
    "CoupledGaussian",
    "Crash",
    "NelsonCase",
    "Posterior",
    "SimulatedModels",
    "Simulation",
    "Tournament",
    "assel",
    "corp",
    "crash",
    "nelson",
    "tournament",
]
