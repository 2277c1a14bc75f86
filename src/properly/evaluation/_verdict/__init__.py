"""An evaluation in plain sentences, by rules."""
