"""Pictures: results in, matplotlib Axes out.

Nothing here computes, changes a global style or shows a window. Needs the extra ``plots``.
"""

from properly.plots._reliability import reliability

__all__ = ["reliability"]
