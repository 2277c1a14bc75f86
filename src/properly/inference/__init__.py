"""How sure? Standard errors and intervals of scores, skills, areas and net benefit; bootstrap."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
