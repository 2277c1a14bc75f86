"""Reports: an evaluation or a leaderboard as one HTML page, or figures for a paper.

Pages need the extra ``app``, figures the extra ``plots``.
"""

from properly.report._figures import figures
from properly.report._methods import methods
from properly.report._page import show, write

__all__ = ["figures", "methods", "show", "write"]
