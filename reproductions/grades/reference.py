"""Table 1 of the paper on ordered classes, as it is printed."""

from __future__ import annotations

from properly._boundary._text import table
from reproductions.tables import prose

# By data, metric and score: mean and standard deviation.
PRINTED: dict[str, dict[str, dict[str, tuple[float, float]]]] = {
    "TMED": {
        "QWK": {
            "Brier": (13.46, 0.35),
            "neg. log": (13.56, 0.35),
            "RPS": (14.76, 0.28),
            "sa-RPS": (14.95, 0.25),
        },
        "EC": {
            "Brier": (3.76, 0.21),
            "neg. log": (3.62, 0.2),
            "RPS": (2.68, 0.14),
            "sa-RPS": (2.53, 0.12),
        },
    },
    "Eyepacs": {
        "QWK": {
            "Brier": (17.36, 0.04),
            "neg. log": (17.44, 0.04),
            "RPS": (17.81, 0.03),
            "sa-RPS": (17.86, 0.03),
        },
        "EC": {
            "Brier": (2.84, 0.07),
            "neg. log": (2.67, 0.07),
            "RPS": (1.99, 0.04),
            "sa-RPS": (1.88, 0.04),
        },
    },
}


def printed_table() -> str:
    """Lay out the table, and say why it stands alone."""
    columns = [(data, metric) for data in PRINTED for metric in PRINTED[data]]
    head = ["Table 1 as printed", *(f"{data}, {metric}" for data, metric in columns)]
    rows = [
        [name, *("{:.2f} ± {:.2f}".format(*PRINTED[d][m][name]) for d, m in columns)]
        for name in PRINTED["TMED"]["QWK"]
    ]
    return "\n".join(
        [
            table(head, rows),
            prose(
                "Its images of hearts and retinas, and the network's forecasts, are not",
                "available: only the layout and the order can be compared. Its cost and range are",
                "not stated.",
            ),
        ]
    )
