"""The bundled example, and forecasts and outcomes whose truth is known.

`crash` has forecasts of death in car crashes, by five models. `corp`, `assel` and `nelson` draw
what three papers draw. A `CoupledGaussian` has heavy tails, normal ones or none; `CoupledClasses`
are told apart by numbers from several of them, and know the `Posterior` probability of each class.
"""

from properly.datasets._assel import SimulatedModels, assel
from properly.datasets._corp import Simulation, corp
from properly.datasets._coupled import CoupledClasses, CoupledGaussian, Posterior
from properly.datasets._crash import Crash, crash
from properly.datasets._nelson import NELSON_CASES, NelsonCase, nelson

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
