"""Tables 2 and 3 of the paper on penalized scores, as they are printed."""

from __future__ import annotations

from typing import TypeAlias

# By data and way, in the order of the columns: a mean, and what stands behind the sign ±.
Row: TypeAlias = tuple[tuple[float, float], ...]
Table: TypeAlias = dict[str, dict[str, Row]]

COLUMNS = ("brier", "pbs", "log", "pll")
# Each set has two lines, with a tick for early stopping or for checkpointing. The first is taken
# to be the one of early stopping, as that column comes first.
# Correlations with F1 on validation data.
TABLE2: Table = {
    "walking": {
        "early stopping": ((0.957, 0.02), (0.969, 0.01), (0.837, 0.08), (0.900, 0.06)),
        "checkpoint": ((0.964, 0.01), (0.980, 0.01), (0.526, 0.47), (0.640, 0.30)),
    },
    "WISDM": {
        "early stopping": ((0.963, 0.04), (0.983, 0.02), (0.764, 0.17), (0.845, 0.11)),
        "checkpoint": ((0.699, 0.46), (0.926, 0.09), (0.520, 0.53), (0.589, 0.45)),
    },
    "older people": {
        "early stopping": ((0.721, 0.17), (0.740, 0.22), (0.731, 0.15), (0.745, 0.14)),
        "checkpoint": ((0.607, 0.49), (0.748, 0.45), (0.306, 0.53), (0.508, 0.45)),
    },
    "JSI": {
        "early stopping": ((0.690, 0.73), (0.748, 0.45), (0.567, 0.53), (0.619, 0.49)),
        "checkpoint": ((0.667, 1.00), (0.674, 0.72), (0.317, 0.65), (0.378, 0.65)),
    },
    "motor": {
        "early stopping": ((0.717, 0.61), (0.728, 0.61), (0.275, 0.70), (0.292, 0.71)),
        "checkpoint": ((0.739, 0.63), (0.740, 0.63), (0.384, 0.60), (0.425, 0.55)),
    },
    "power": {
        "early stopping": ((0.965, 0.08), (0.987, 0.03), (0.592, 0.16), (0.664, 0.13)),
        "checkpoint": ((0.995, 0.01), (0.997, 0.01), (0.419, 0.65), (0.446, 0.66)),
    },
    "air": {
        "early stopping": ((0.680, 0.31), (0.899, 0.05), (0.595, 0.48), (0.777, 0.25)),
        "checkpoint": ((0.665, 0.30), (0.813, 0.13), (0.378, 0.71), (0.802, 0.14)),
    },
    "RSSI": {
        "early stopping": ((0.572, 0.48), (0.597, 0.27), (0.694, 0.23), (0.724, 0.21)),
        "checkpoint": ((0.444, 0.48), (0.704, 0.21), (0.434, 0.61), (0.498, 0.53)),
    },
    "drivers": {
        "early stopping": ((0.874, 0.14), (0.924, 0.07), (0.450, 0.38), (0.553, 0.32)),
        "checkpoint": ((0.916, 0.12), (0.953, 0.06), (0.391, 0.52), (0.629, 0.32)),
    },
}
# F1 on test data, in percent; the numbers behind ± must be shares.
TABLE3: Table = {
    "walking": {
        "early stopping": ((45.00, 0.05), (51.65, 0.07), (64.76, 0.09), (65.85, 0.08)),
        "checkpoint": ((55.47, 0.05), (60.03, 0.07), (70.00, 0.08), (71.82, 0.07)),
    },
    "WISDM": {
        "early stopping": ((53.01, 0.06), (57.60, 0.04), (53.90, 0.08), (55.48, 0.05)),
        "checkpoint": ((55.37, 0.04), (58.03, 0.05), (55.74, 0.06), (57.63, 0.07)),
    },
    "older people": {
        "early stopping": ((28.24, 0.07), (32.48, 0.09), (30.08, 0.04), (30.62, 0.04)),
        "checkpoint": ((32.30, 0.08), (34.28, 0.09), (31.65, 0.08), (31.80, 0.05)),
    },
    "JSI": {
        "early stopping": ((58.27, 0.20), (59.14, 0.19), (56.79, 0.14), (59.55, 0.13)),
        "checkpoint": ((66.51, 0.06), (67.49, 0.05), (68.21, 0.11), (69.78, 0.08)),
    },
    "motor": {
        "early stopping": ((43.66, 0.34), (50.81, 0.32), (51.12, 0.32), (59.69, 0.26)),
        "checkpoint": ((48.00, 0.09), (54.83, 0.16), (64.12, 0.18), (66.82, 0.22)),
    },
    "power": {
        "early stopping": ((80.93, 0.08), (83.20, 0.07), (77.87, 0.06), (80.13, 0.08)),
        "checkpoint": ((82.08, 0.08), (83.88, 0.07), (80.22, 0.06), (83.42, 0.06)),
    },
    "air": {
        "early stopping": ((50.13, 0.09), (53.51, 0.07), (55.59, 0.08), (56.33, 0.08)),
        "checkpoint": ((52.04, 0.11), (53.63, 0.10), (51.73, 0.07), (52.39, 0.07)),
    },
    "RSSI": {
        "early stopping": ((27.09, 0.02), (27.77, 0.03), (23.10, 0.04), (23.75, 0.02)),
        "checkpoint": ((26.51, 0.05), (29.37, 0.04), (26.77, 0.04), (27.39, 0.05)),
    },
    "drivers": {
        "early stopping": ((66.50, 0.03), (66.53, 0.03), (65.39, 0.06), (65.81, 0.05)),
        "checkpoint": ((67.85, 0.03), (68.36, 0.02), (66.64, 0.04), (67.07, 0.05)),
    },
}
