# Where each public name lives; it is imported from there when it is first used.

from ._choice import Recalibrated, recalibrate
from ._cross_fit import cross_fit
from ._foreign_map import Foreign
from ._gain import Gain, recalibration_gain
from ._group_maps import GroupShift, Separate
from ._isotonic_map import Isotonic
from ._log_odds_maps import Beta, Identity, Intercept, Logistic, PriorShift
from ._map import Map
from ._reduction_maps import Cuts, OneVsRest
from ._softmax_maps import Dirichlet, Vector
from ._stored_map import load, loads
from ._temperature import Temperature
from ._training import Training
from ._venn_abers import VennAbers

__all__ = [
    "Beta",
    "Cuts",
    "Dirichlet",
    "Foreign",
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
    "Separate",
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
