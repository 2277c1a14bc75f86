"""Which is better, for whom and when? Models, groups, folds, periods, epochs of training."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
