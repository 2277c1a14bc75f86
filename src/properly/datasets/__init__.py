"""The bundled example, and forecasts whose truth is known.

`crash` has forecasts of death in car crashes, by five models. `tournament` draws forecasters who
skip questions.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
