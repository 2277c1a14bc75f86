"""Stored maps, read back. Nothing in a file is run; constructors check what they are given."""

from __future__ import annotations

import re
import reprlib
from typing import TYPE_CHECKING, Any

from properly._boundary._files import require
from properly._boundary._stored import UPGRADE
from properly._boundary._text import printable
from properly.errors import DataError
from properly.recalibration._map import MAPS, Map
from properly.recalibration._map_registry import KINDS
from properly.recalibration._training import Training

if TYPE_CHECKING:
    import os

# What is known of a training, and of a gain, with the types of each.
TRAINING = {
    "cases": (int, type(None)),
    "weight": (int, float),
    "effective": (int, float),
    "events": (int, float, list),
    "distinct": (int,),
    "mean_forecast": (int, float, list),
    "sha256": (str,),
}
GAIN = {
    "rule": (str,),
    "folds": (int,),
    "design": (str,),
    "estimate": (float,),
    "low": (float,),
    "high": (float,),
    "nested": (bool,),
}


def load(path: str | os.PathLike[str]) -> Map:
    """Read a map that `Map.save` wrote.

    The file is plain JSON and nothing in it is run. A file that was cut or changed is refused by
    its checksum, and a map that no constructor makes is refused in words.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    Map
        The map that was saved, to the last digit.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from properly.recalibration import Logistic, load
    >>> with TemporaryDirectory() as folder:
    ...     path = Logistic(intercept=0.1, slope=0.9).save(Path(folder) / "map.json")
    ...     load(path)
    Logistic(intercept=0.1, slope=0.9)
    """
    return MAPS.made(MAPS.read(path)[0], printable(str(path)), map_of, Map.to_dict)


def loads(text: str | bytes) -> Map:
    """Read a map that `Map.dumps` wrote.

    Parameters
    ----------
    text : str or bytes
        JSON, as UTF-8 if it is bytes.

    Returns
    -------
    Map
        The map that was written, to the last digit.

    Examples
    --------
    >>> from properly.recalibration import Logistic, loads
    >>> loads(Logistic(intercept=0.1, slope=0.9).dumps())
    Logistic(intercept=0.1, slope=0.9)
    """
    return MAPS.made(MAPS.parsed(text)[0], "", map_of, Map.to_dict)


def map_of(record: dict[str, Any]) -> Map:
    """Make a map of what `Map.to_dict` returned."""
    kind = record["kind"]
    if kind not in KINDS:
        message = f"a map must be of a kind that is known here; got {reprlib.repr(kind)}"
        raise DataError(message, hint=UPGRADE)
    training, gain, ends = (record[name] for name in ("training", "gain", "range"))
    if training is not None:
        _require_types(training, TRAINING)
        require(re.fullmatch("[0-9a-f]{64}", training["sha256"]))
        known = {name: _decoded(training[name]) for name in TRAINING if name != "sha256"}
        training = Training(**known, _checksum=training["sha256"])
    if gain is not None:
        _require_types(gain, GAIN)
    if ends is not None:
        low, high = ends
        require(type(low) is type(high) is float and 0 <= low <= high <= 1)
    notices = tuple(record["notices"])
    require(all(type(text) is str for text in notices))
    about: dict[str, Any] = {"range": None if ends is None else (low, high), "training": training}
    parameters = {name: _decoded(x) for name, x in record["parameters"].items()}
    result: Map = KINDS[kind].make(**parameters, **about, gain=gain, notices=notices)
    require(result.is_fitted)
    return result


def _decoded(x: Any) -> Any:
    """Make maps of their records, wherever they are, and tuples of short lists."""
    if isinstance(x, dict):
        if type(x.get("kind")) is str and "parameters" in x:
            return map_of(x)
        return {name: _decoded(value) for name, value in x.items()}
    if isinstance(x, list) and x and isinstance(x[0], dict):
        return tuple(map(_decoded, x))
    return tuple(x) if isinstance(x, list) else x


def _require_types(x: dict[str, Any], types: dict[str, Any]) -> None:
    """Require all names and no other, each of one of its types; lists are of numbers."""
    require(set(x) == set(types))
    for name, value in x.items():
        require(type(value) in types[name])
        require(type(value) is not list or all(type(v) in (int, float) for v in value))
