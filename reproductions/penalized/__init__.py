"""Penalized, "superior" scores."""
