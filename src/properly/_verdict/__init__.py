"""An evaluation in plain sentences, by rules."""

from properly._verdict._sentences import Sentence, Verdict, verdict

__all__ = ["Sentence", "Verdict", "verdict"]
