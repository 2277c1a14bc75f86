"""Generalized means on the probability scale: the paper by Nelson."""
