"""Forecasts and outcomes whose truth is known.

`corp`, `assel` and `nelson` draw what three papers draw. A `CoupledGaussian` has heavy tails,
normal ones or none; `CoupledClasses` are told apart by numbers from several of them, and know the
`Posterior` probability of each class.
"""

from properly.simulate._assel import SimulatedModels, assel
from properly.simulate._corp import Simulation, corp
from properly.simulate._coupled import CoupledGaussian
from properly.simulate._coupled_classes import CoupledClasses, Posterior
from properly.simulate._nelson import NELSON_CASES, NelsonCase, nelson

__all__ = [
    "NELSON_CASES",
    "CoupledClasses",
    "CoupledGaussian",
    "NelsonCase",
    "Posterior",
    "SimulatedModels",
    "Simulation",
    "assel",
    "corp",
    "nelson",
]
