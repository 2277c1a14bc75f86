"""Outputs of a user's own classifiers, read from files.

Table 1 as it is printed.
"""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._tables import table
from properly.errors import DataError
from reproductions._output import prose
from reproductions.ordinal.figures import Forecasts

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt


Array: TypeAlias = "npt.NDArray[Any]"

ARRAYS = ("scores", "targets")
HINT = "each file has an array scores, one row a case and one column a class, and one targets."
# What numpy and zipfile raise for files that are damaged, hold objects, or claim to be huge.
UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    TypeError,
    KeyError,
    MemoryError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
    SyntaxError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


def read(folder: str | Path) -> dict[str, Forecasts]:
    """Read every ``.npz`` file of a folder, by its name without the ending."""
    place = Path(folder)
    if not place.is_dir():
        message = f"data must be a folder with .npz files; {str(folder)!r} is not a folder"
        raise DataError(message, hint=HINT)
    paths = sorted(place.glob("*.npz"))
    if not paths:
        message = f"data must be a folder with .npz files; {str(folder)!r} has none"
        raise DataError(message, hint=HINT)
    return {path.stem: _read_one(path) for path in paths}


def _read_one(path: Path) -> Forecasts:
    try:
        arrays = _load(path)
    except UNREADABLE as error:
        reason = getattr(error, "strerror", None) or error
        message = f"data must be .npz files that can be read; {path.name!r} cannot: {reason}"
        raise DataError(message, hint=HINT) from None
    missing = [name for name in ARRAYS if name not in arrays]
    if missing:
        message = (
            f"every .npz file must have the arrays {' and '.join(ARRAYS)}; {path.name!r} has no "
            f"{' and no '.join(missing)}"
        )
        raise DataError(message, hint=HINT)
    return _forecasts(arrays, path.name)


def _load(path: Path) -> dict[str, Array]:
    """Read the two arrays, and never run what a file contains."""
    with zipfile.ZipFile(path):
        # numpy would take any other file for an array, or for a pickle.
        pass
    with np.load(path, allow_pickle=False) as archive:
        found = {name: archive[name] for name in ARRAYS if name in archive.files}
    for name, array in found.items():
        # numpy hands out the bytes of what it does not know.
        if not isinstance(array, np.ndarray):
            message = f"{name} is no array"
            raise TypeError(message)
    return found


def _forecasts(arrays: Mapping[str, Array], name: str) -> Forecasts:
    """Check both arrays and turn scores into probabilities."""
    scores, targets = arrays["scores"], arrays["targets"]
    _check_shapes(scores, targets, name)
    for key, array in arrays.items():
        if array.dtype.kind not in "iuf":
            message = f"{key} must be numbers; those of {name!r} are of the type {array.dtype}"
            raise DataError(message)
    values = scores.astype(np.float64)
    best = values.max(axis=1)
    bad = np.isnan(values).any(axis=1) | ~np.isfinite(best)
    if bad.any():
        message = (
            "scores must be logits or logarithms of probabilities, with no NaN, no +inf and a "
            f"finite one in each row; row {int(np.argmax(bad))} of {name!r} is "
            f"{values[np.argmax(bad)].tolist()}"
        )
        raise DataError(message)
    return Forecasts(_class_numbers(targets, values.shape[1], name), _softmax(values))


def _check_shapes(scores: Array, targets: Array, name: str) -> None:
    right = scores.ndim == 2 and scores.shape[0] > 0 and scores.shape[1] > 1
    if not right or targets.shape != scores.shape[:1]:
        message = (
            "scores must have one row a case and one column a class, two or more, and targets one "
            f"entry a case; in {name!r} their shapes are {scores.shape} and {targets.shape}"
        )
        raise DataError(message)


def _class_numbers(targets: Array, classes: int, name: str) -> npt.NDArray[np.int64]:
    bad = ~((targets >= 0) & (targets < classes) & (targets == np.floor(targets)))
    if bad.any():
        row = int(np.argmax(bad))
        message = (
            f"targets must be class numbers, 0 to {classes - 1}; row {row} of {name!r} is "
            f"{targets[row].item()!r}"
        )
        raise DataError(message)
    return targets.astype(np.int64)


def _softmax(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    # What overflows here is minus infinity: a class without a chance.
    with np.errstate(over="ignore"):
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: npt.NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return found


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


def tell_printed() -> str:
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
