"""Reports: an evaluation or a leaderboard as one HTML page, or figures for a paper.

Pages need the extra ``app``, figures the extra ``plots``.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
