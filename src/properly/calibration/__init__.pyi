# Where each public name lives; it is imported from there when it is first used.

from ._bins import BinnedReliability, binned_reliability
from ._calibration_curve import CalibrationCurve, calibration_curve
from ._calibration_test import calibration_test
from ._certain import Certain
from ._curve_fits import AbsoluteError
from ._decomposition import ClassDecomposition, Decomposition, PartIntervals, decompose
from ._error import (
    CalibrationError,
    ClassCalibrationError,
    SmoothError,
    calibration_error,
    smooth_calibration_error,
)
from ._grouping_error import GroupingError, grouping_error
from ._murphy import MurphyDecomposition, murphy_decomposition
from ._reliability import Bins, Reliability, reliability
from ._statistics import CalibrationTest
from ._summary import CalibrationSummary, ClassCalibrationSummary, calibration_summary

__all__ = [
    "AbsoluteError",
    "BinnedReliability",
    "Bins",
    "CalibrationCurve",
    "CalibrationError",
    "CalibrationSummary",
    "CalibrationTest",
    "Certain",
    "ClassCalibrationError",
    "ClassCalibrationSummary",
    "ClassDecomposition",
    "Decomposition",
    "GroupingError",
    "MurphyDecomposition",
    "PartIntervals",
    "Reliability",
    "SmoothError",
    "binned_reliability",
    "calibration_curve",
    "calibration_error",
    "calibration_summary",
    "calibration_test",
    "decompose",
    "grouping_error",
    "murphy_decomposition",
    "reliability",
    "smooth_calibration_error",
]
