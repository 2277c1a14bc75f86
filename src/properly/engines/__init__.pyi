# Where each public name lives; it is imported from there when it is first used.

from ._files._read import read
from ._summary import Summary
from ._tally import tally

__all__ = ["Summary", "read", "tally"]
