"""A tally counts what happened at each forecast; cases keep the rows.

`Tally` is a sorted table of distinct forecasts with cases and events, `Cases` are checked rows with
what else is known of each. Classes become events by `cumulative`, `one_vs_rest` and `top_label`.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
