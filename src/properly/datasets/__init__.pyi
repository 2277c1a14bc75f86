# Where each public name lives; it is imported from there when it is first used.

from ._assel import SimulatedModels, assel
from ._corp import Simulation, corp
from ._coupled import CoupledClasses, CoupledGaussian, Posterior
from ._crash import Crash, crash
from ._nelson import NELSON_CASES, NelsonCase, nelson

__all__ = [
    "NELSON_CASES",
    "CoupledClasses",
    "CoupledGaussian",
    "Crash",
    "NelsonCase",
    "Posterior",
    "SimulatedModels",
    "Simulation",
    "assel",
    "corp",
    "crash",
    "nelson",
]
