# Where each public name lives; it is imported from there when it is first used.

from ._checkup._answers import check_answers
from ._checkup._check import check
from ._evaluate import evaluate
from ._monitor._claims import Alarm, Evidence
from ._monitor._monitor import Monitor
from ._record import Evaluation, Repair
from ._stream import stream, summarize
from ._verdict._verdict import verdict

__all__ = [
    "Alarm",
    "Evaluation",
    "Evidence",
    "Monitor",
    "Repair",
    "check",
    "check_answers",
    "evaluate",
    "stream",
    "summarize",
    "verdict",
]
