# Where each function lives; it is imported from there when it is first used.

from .decisions.paper import ConsequentialistReproduction, consequentialist
from .epochs.paper import SelectionReproduction, selection
from .grades.paper import OrdinalReproduction, ordinal
from .means.paper import NelsonReproduction, nelson
from .penalties.paper import PenalizedReproduction, penalized
from .reliability.paper import CorpReproduction, corp

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
