"""Does a forecast mean what it says? Reliability diagrams, decompositions, tests of calibration."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
