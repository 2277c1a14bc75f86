# Where each public name lives; it is imported from there when it is first used.

from ._calibration_curve import calibration_curve
from ._calibration_summary import calibration_summary
from ._calibration_test import calibration_test
from ._decomposition import Decomposition, decompose
from ._error import calibration_error
from ._grouping_error import GroupingError, grouping_error
from ._reliability import Reliability, binned_reliability, murphy_decomposition, reliability
from ._statistics import CalibrationTest, Certain

__all__ = [
    "CalibrationTest",
    "Certain",
    "Decomposition",
    "GroupingError",
    "Reliability",
    "binned_reliability",
    "calibration_curve",
    "calibration_error",
    "calibration_summary",
    "calibration_test",
    "decompose",
    "grouping_error",
    "murphy_decomposition",
    "reliability",
]
