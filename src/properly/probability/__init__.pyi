# Where each public name lives; it is imported from there when it is first used.

from ._confidence import ConfidenceTest, confidence_test
from ._information import (
    LogSpread,
    conjugate_coupling,
    coupling_from_power,
    cross_entropy_probability,
    divergence_probability,
    entropy_probability,
    log_spread,
    power_from_coupling,
    renyi_entropy,
    tsallis_entropy,
    tsallis_from_coupling,
)
from ._intervals import MeansIntervals
from ._means import ClassMeans, Means, means
from ._power import ThreeMeans, generalized_mean
from ._proper import ProperMeans, proper_means
from ._risk_profile import RiskProfile, risk_profile
from ._source_table import SourceTable, source_table
from ._sources import EqualCount, EqualWidth, Fit, Isotonic, Kernel, Neighbours, Source

__all__ = [
    "ClassMeans",
    "ConfidenceTest",
    "EqualCount",
    "EqualWidth",
    "Fit",
    "Isotonic",
    "Kernel",
    "LogSpread",
    "Means",
    "MeansIntervals",
    "Neighbours",
    "ProperMeans",
    "RiskProfile",
    "Source",
    "SourceTable",
    "ThreeMeans",
    "confidence_test",
    "conjugate_coupling",
    "coupling_from_power",
    "cross_entropy_probability",
    "divergence_probability",
    "entropy_probability",
    "generalized_mean",
    "log_spread",
    "means",
    "power_from_coupling",
    "proper_means",
    "renyi_entropy",
    "risk_profile",
    "source_table",
    "tsallis_entropy",
    "tsallis_from_coupling",
]
