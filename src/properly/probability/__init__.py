"""Scores on the scale of probabilities: generalized means, sources behind a model, information."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
