"""Pictures: results in, matplotlib Axes out.

Nothing here computes, changes a global style or shows a window. Needs the extra ``plots``.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
