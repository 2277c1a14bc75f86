"""Published results, computed again.

Each function here does a paper's tables and figures over, and its result prints them beside what
was printed there.
"""

from reproductions.corp.paper import CorpReproduction, corp
from reproductions.decisions.paper import ConsequentialistReproduction, consequentialist
from reproductions.means.paper import NelsonReproduction, nelson
from reproductions.ordinal.paper import OrdinalReproduction, ordinal
from reproductions.penalized.paper import PenalizedReproduction, penalized
from reproductions.selection.paper import SelectionReproduction, selection

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
