"""Frames counted and summed up by the engines that hold them; only counts and sums are fetched."""

from properly.engines._reading import MOST_ROWS, as_roles, count_rows, read_frame
from properly.engines._roles import Roles, as_lazy
from properly.engines._rows import Rows
from properly.engines._summarize import summarize_frame
from properly.engines._tallies import tally_frame

__all__ = [
    "MOST_ROWS",
    "Roles",
    "Rows",
    "as_lazy",
    "as_roles",
    "count_rows",
    "read_frame",
    "summarize_frame",
    "tally_frame",
]
