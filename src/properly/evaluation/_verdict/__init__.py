"""An evaluation in plain sentences, by rules."""

from properly.evaluation._verdict._verdict import Sentence, Verdict, verdict

__all__ = ["Sentence", "Verdict", "verdict"]
