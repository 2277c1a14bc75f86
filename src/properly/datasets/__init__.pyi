# Where each public name lives; it is imported from there when it is first used.

from ._crash import Crash, crash
from ._tournament import tournament

__all__ = [
    "Crash",
    "crash",
    "tournament",
]
