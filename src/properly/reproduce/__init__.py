"""Published results, computed again.

Each function here does a paper's tables and figures over, and its result prints them beside what
was printed there.
"""

from properly.reproduce._consequentialist import ConsequentialistReproduction, consequentialist
from properly.reproduce._corp import CorpReproduction, corp
from properly.reproduce._nelson import NelsonReproduction, nelson
from properly.reproduce._ordinal import OrdinalReproduction, ordinal
from properly.reproduce._penalized import PenalizedReproduction, penalized
from properly.reproduce._selection import SelectionReproduction, selection

__all__ = [
    "ConsequentialistReproduction",
    "CorpReproduction",
    "NelsonReproduction",
    "OrdinalReproduction",
    "PenalizedReproduction",
    "SelectionReproduction",
    "consequentialist",
    "corp",
    "nelson",
    "ordinal",
    "penalized",
    "selection",
]
