"""Hypothesis for the whole suite: the same examples in every run, and no clock.

Few examples a test, since a law is drawn for every rule; tests of one subject ask for more.
"""

from hypothesis import settings

settings.register_profile("properly", derandomize=True, deadline=None, max_examples=10)
settings.load_profile("properly")
