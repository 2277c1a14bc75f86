"""Can it be repaired? Maps from forecasts to better ones, and what they really save."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
