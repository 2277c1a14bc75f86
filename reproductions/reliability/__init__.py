"""Reliability diagrams and decompositions: the paper on CORP."""
