"""How good are probability forecasts, where do they go wrong, and which model is for me.

A rule prices one forecast; a tally counts what happened at each forecast; every evaluation is a
function of the two.
"""

from lazy_loader import attach_stub

__version__ = "0.1.0"

# Names are listed in __init__.pyi, and imported from their rooms when they are first used.
__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
