"""What the paper prints, and what was found before by programs that share nothing with this one."""

from __future__ import annotations

from typing import NamedTuple

# Which text the numbers are from.
READ = (
    "Read was a converted author's manuscript, not the typeset article: signs, subscripts and "
    "numbers of figures may be right there."
)


class Claim(NamedTuple):
    """Where in the paper a case is, and how its angle compares with 45 degrees there."""

    figure: str
    angle: str


CLAIMS = {
    "perfect": Claim("2", "= 45"),
    "mean 1": Claim("5a", "< 45"),
    "mean 3": Claim("5b", "> 45"),
    "variance 0.5": Claim("6a", "> 45"),
    "variance 2": Claim("6b", "< 45"),
    "tail over": Claim("6c, 7", "> 45"),
    "tail under": Claim("6d", "< 45"),
}

# Figure 7: model, source and divergence probability.
FIGURE7 = (0.56, 0.62, 0.90)
# Figure 1: the accuracy of the normal model at its best, in six dimensions, and that of the
# heavy-tailed one in six, eight and ten.
BEST, HEAVY = 0.63, 0.69

# What was found before of two classes on a line, to four digits, angles to one. Means are
# decisiveness, accuracy and robustness; divergences are given the forecast, after isotonic
# recalibration and given the position; areas are the actual and the predicted one.
MODEL_MEANS = {
    "perfect": (0.6873, 0.6145, 0.5418),
    "mean 1": (0.6080, 0.5813, 0.5595),
    "mean 3": (0.7024, 0.5839, 0.4546),
    "variance 0.5": (0.7035, 0.6082, 0.5061),
    "variance 2": (0.6663, 0.6094, 0.5547),
    "tail over": (0.7344, 0.5468, 0.2559),
    "tail over, one class": (0.7005, 0.5432, 0.2924),
    "tail under": (0.7263, 0.6779, 0.6279),
    "tail under, one class": (0.7511, 0.6882, 0.6121),
    "prior 0.8": (0.6446, 0.5293, 0.3955),
    "gaussian": (0.7747, 0.7001, 0.5961),
    "gaussian, mean 1": (0.6903, 0.6512, 0.6157),
    "gaussian, mean 3": (0.7819, 0.6319, 0.3849),
    "gaussian, variance 0.5": (0.7988, 0.6841, 0.4812),
    "gaussian, variance 2": (0.7388, 0.6876, 0.6268),
}
SOURCE_MEANS = {
    "perfect": (0.6873, 0.6145, 0.5418),
    "mean 1": (0.6758, 0.6055, 0.5380),
    "mean 3": (0.6844, 0.6121, 0.5407),
    "variance 0.5": (0.6852, 0.6127, 0.5410),
    "variance 2": (0.6844, 0.6121, 0.5407),
    "tail over": (0.6852, 0.6126, 0.5410),
    "tail over, one class": (0.6671, 0.6001, 0.5363),
    "tail under": (0.7735, 0.6945, 0.5829),
    "tail under, one class": (0.7712, 0.6943, 0.5863),
    "prior 0.8": (0.6873, 0.6145, 0.5418),
    "gaussian": (0.7752, 0.7002, 0.5924),
    "gaussian, mean 1": (0.7752, 0.7003, 0.5929),
    "gaussian, mean 3": (0.7747, 0.6978, 0.5877),
    "gaussian, variance 0.5": (0.7750, 0.6989, 0.5895),
    "gaussian, variance 2": (0.7752, 0.7002, 0.5924),
}
DIVERGENCES: dict[str, tuple[float, ...]] = {
    "perfect": (1, 1, 1),
    "mean 1": (0.9600, 0.9601, 0.9460),
    "mean 3": (0.9540, 0.9540, 0.9503),
    "variance 0.5": (0.9926, 0.9927, 0.9898),
    "variance 2": (0.9956, 0.9956, 0.9917),
    "tail over": (0.8925, 0.8948, 0.8899),
    "tail over, one class": (0.9052, 0.9086, 0.8841),
    "tail under": (0.9761, 0.9761, 0.9680),
    "tail under, one class": (0.9913, 0.9913, 0.9828),
    "prior 0.8": (0.8614, 0.8614, 0.8614),
    "gaussian": (0.9998,),
    "gaussian, mean 1": (0.9299,),
    "gaussian, mean 3": (0.9056,),
    "gaussian, variance 0.5": (0.9789,),
    "gaussian, variance 2": (0.9820,),
}
ANGLES = {
    "perfect": (45.0,),
    "mean 1": (19.4,),
    "mean 3": (59.9,),
    "variance 0.5": (53.9,),
    "variance 2": (37.8,),
    "tail over": (73.2,),
    "tail over, one class": (72.2,),
    "tail under": (27.3,),
    "tail under, one class": (36.9,),
    "prior 0.8": (59.7,),
    "gaussian": (44.3,),
    "gaussian, mean 1": (22.3,),
    "gaussian, mean 3": (64.8,),
    "gaussian, variance 0.5": (59.7,),
    "gaussian, variance 2": (31.5,),
}
AREAS = {
    "perfect": (0.8416, 0.8416),
    "mean 1": (0.8276, 0.7048),
    "mean 3": (0.8373, 0.9146),
    "variance 0.5": (0.8389, 0.8765),
    "variance 2": (0.8373, 0.8104),
    "tail over": (0.8253, 0.9214),
    "tail under": (0.9175, 0.8416),
}


class Figure1Row(NamedTuple):
    """A model of Figure 1 as it was found before, with 400 training sets."""

    mean_probability: float
    error: float
    robustness: float


FIGURE1 = {
    "normal": {
        2: Figure1Row(0.574, 0.002, 0.29),
        4: Figure1Row(0.616, 0.003, 0.00),
        6: Figure1Row(0.628, 0.005, 0.00),
        8: Figure1Row(0.610, 0.006, 0.00),
        10: Figure1Row(0.562, 0.008, 0.00),
    },
    "heavy": {
        2: Figure1Row(0.582, 0.001, 0.50),
        4: Figure1Row(0.639, 0.002, 0.46),
        6: Figure1Row(0.674, 0.003, 0.39),
        8: Figure1Row(0.691, 0.004, 0.26),
        10: Figure1Row(0.690, 0.005, 0.03),
    },
    "compact": {2: Figure1Row(0.007, 0.003, 0.0)}
    | {d: Figure1Row(0.0, 0.0, 0.0) for d in (4, 6, 8, 10)},
}
# The share of cases that the compact model gave no probability.
ZEROS = {2: 0.009, 4: 0.032, 6: 0.046, 8: 0.034, 10: 0.014}
# The accuracy of the normal model, by dimension, if the paper is read in two other ways.
OTHER_READINGS = {
    "variances, by class": (0.592, 0.662, 0.724, 0.773, 0.815),
    "covariances, by class": (0.584, 0.616, 0.604, 0.549, 0.465),
}
