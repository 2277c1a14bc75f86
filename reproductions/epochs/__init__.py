"""Epochs of training chosen by scores."""
