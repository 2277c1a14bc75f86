"""Published results, computed again.

Each function here does a paper's tables and figures over, and its result prints them beside what
was printed there. A package holds the scripts of one paper.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
