# Where each public name lives; it is imported from there when it is first used.

from ._answers import Answers
from ._baselines import baselines
from ._cases import Cases
from ._prevalence_shift import with_event_rate
from ._reductions import cumulative, one_vs_rest, top_label
from ._tally import Tally

__all__ = [
    "Answers",
    "Cases",
    "Tally",
    "baselines",
    "cumulative",
    "one_vs_rest",
    "top_label",
    "with_event_rate",
]
