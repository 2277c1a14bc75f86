"""Reports: an evaluation as one self-contained HTML page.

Needs the extras ``report`` and ``plots``.
"""

from properly.report._page import write

__all__ = ["write"]
