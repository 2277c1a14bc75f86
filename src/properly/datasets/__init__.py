"""The bundled example, and forecasts and outcomes whose truth is known.

`crash` has forecasts of death in car crashes, by five models. `nelson` draws what a paper draws.
A `CoupledGaussian` has heavy tails, normal ones or none; `CoupledClasses` are told apart by numbers
from several of them, and know the `Posterior` probability of each class.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
