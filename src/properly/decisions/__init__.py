"""What is it worth to act on a forecast? Thresholds, ranges, costs, and decisions among classes."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
