"""Forecasts of classes: of injuries in car crashes, and of a user's own classifiers.

The former come with `properly.datasets`, the latter are read from files.
"""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly.counts import Cases
from properly.datasets import crash
from properly.errors import DataError

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


class Forecasts(NamedTuple):
    """What happened, the probabilities of all classes, and which cases belong together, if any."""

    y: npt.NDArray[np.int64]
    p: npt.NDArray[np.float64]
    clusters: npt.NDArray[np.int64] | None = None

    @property
    def classes(self) -> int:
        """Number of classes."""
        return int(self.p.shape[1])

    @property
    def likeliest(self) -> npt.NDArray[np.int64]:
        """The likeliest class, the lowest if there are several."""
        found: npt.NDArray[np.int64] = np.argmax(self.p, axis=1)
        return found

    @property
    def accuracy(self) -> float:
        """Share of cases in which it happened."""
        return float(np.mean(self.likeliest == self.y))


def severity() -> Forecasts:
    """Return the injuries that are known, their forecasts, and the accidents they are from."""
    data = crash()
    known = data.severity_known
    return Forecasts(data.severity[known], data.severity_probabilities[known], data.cluster[known])


def severity_cases() -> Cases:
    """Return the same as cases with labels."""
    found, labels = severity(), crash().severity_labels
    return Cases(np.array(labels)[found.y], found.p, labels=labels, clusters=found.clusters)


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
