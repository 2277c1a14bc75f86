"""An evaluation in plain sentences, by rules."""

from properly.evaluation._verdict._sentences import Sentence, Verdict, verdict

__all__ = ["Sentence", "Verdict", "verdict"]
