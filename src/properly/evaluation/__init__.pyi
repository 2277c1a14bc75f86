# Where each public name lives; it is imported from there when it is first used.

from ._checkup._answers import check_answers
from ._checkup._check import Checkup, check
from ._checkup._symptom import Symptom
from ._evaluate import evaluate
from ._monitor._monitor import Monitor
from ._monitor._records import Added, Alarm, Evidence
from ._record import Evaluation
from ._repair import Repair
from ._stream import Stream, stream, summarize
from ._verdict._verdict import Sentence, Verdict, verdict

__all__ = [
    "Added",
    "Alarm",
    "Checkup",
    "Evaluation",
    "Evidence",
    "Monitor",
    "Repair",
    "Sentence",
    "Stream",
    "Symptom",
    "Verdict",
    "check",
    "check_answers",
    "evaluate",
    "stream",
    "summarize",
    "verdict",
]
