# Where each public name lives; it is imported from there when it is first used.

from ._choice import Recalibrated, recalibrate, recalibration_gain
from ._cross_fit import Gain, cross_fit
from ._knot_maps import Isotonic, VennAbers
from ._log_odds_maps import Beta, Identity, Intercept, Logistic, PriorShift
from ._map import Map, load, loads
from ._reduction_maps import Cuts, GroupShift, OneVsRest
from ._softmax_maps import Dirichlet, Temperature, Vector
from ._training import Training

__all__ = [
    "Beta",
    "Cuts",
    "Dirichlet",
    "Gain",
    "GroupShift",
    "Identity",
    "Intercept",
    "Isotonic",
    "Logistic",
    "Map",
    "OneVsRest",
    "PriorShift",
    "Recalibrated",
    "Temperature",
    "Training",
    "Vector",
    "VennAbers",
    "cross_fit",
    "load",
    "loads",
    "recalibrate",
    "recalibration_gain",
]
