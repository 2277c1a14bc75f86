"""All of it at once, for several models: `evaluate`, its `verdict`, and `check` of the data."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
