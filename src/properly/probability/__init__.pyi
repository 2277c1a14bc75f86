# Where each public name lives; it is imported from there when it is first used.

from ._means import Means, means, source_table
from ._power_means import confidence_test, generalized_mean
from ._power_profiles import proper_means, risk_profile
from ._sources import EqualCount, EqualWidth, IsotonicSource, Kernel, Neighbours

__all__ = [
    "EqualCount",
    "EqualWidth",
    "IsotonicSource",
    "Kernel",
    "Means",
    "Neighbours",
    "confidence_test",
    "generalized_mean",
    "means",
    "proper_means",
    "risk_profile",
    "source_table",
]
