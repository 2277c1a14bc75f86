"""Scores and retention of ordered classes."""
