"""Regret over bounded thresholds: the paper on consequentialist evaluation."""
