"""Rows stay where they are: files and frames are counted and summed by the engine that holds them.

`tally` and `read` take what a user has; a `Summary` holds the exact sums and counts of a data set,
and summaries add.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
