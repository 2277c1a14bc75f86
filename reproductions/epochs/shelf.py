"""Finished runs, kept in files so that a later start goes on where an earlier one stopped."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._files import require_folder, write_whole
from properly._boundary._record import plain
from properly.errors import DataError
from reproductions.epochs.networks import BLOCKS, PATIENCE, SELECTORS, TEST, VALIDATION, Run

if TYPE_CHECKING:
    from reproductions.epochs.data import ActivitySet
    from reproductions.epochs.networks import Recipe


HINT = "name another folder for the runs (--work), or remove the file."


@dataclass(frozen=True)
class Shelf:
    """A folder with one file a finished run; without a folder nothing is kept.

    Attributes
    ----------
    folder : Path or None
        Where the files are.
    made_with : dict of dicts
        By set, what its runs depend on. A file says it too, and if it is not the same the file is
        refused: runs of different data or settings must not be mixed.
    """

    folder: Path | None
    made_with: dict[str, dict[str, Any]]

    def get(self, data: str, seed: int, split: int) -> Run | None:
        """Return a run if it is there."""
        if self.folder is None:
            return None
        path = self._path(data, seed, split)
        return self._read(path, (data, seed, split)) if path.exists() else None

    def put(self, run: Run) -> None:
        """Keep a run, in a file that is there whole or not at all."""
        if self.folder is not None:
            content = {"made_with": self.made_with[run.data]} | asdict(run)
            text = json.dumps(plain(content), allow_nan=False)
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._path(run.data, run.seed, run.split), text + "\n")

    def _path(self, data: str, seed: int, split: int) -> Path:
        folder: Any = self.folder
        found: Path = folder / f"{data.replace(' ', '_')}-seed{seed}-split{split}.json"
        return found

    def _read(self, path: Path, key: tuple[str, int, int]) -> Run:
        try:
            content = json.loads(path.read_bytes())
            made_with = dict(content.pop("made_with"))
            run = _as_run(content, key)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            message = f"a finished run must be as it was written; {path.name!r} is not"
            raise DataError(message, hint=HINT) from None
        wanted = self.made_with[run.data]
        for name in wanted:
            if made_with.get(name) != wanted[name]:
                message = (
                    f"the runs of one folder must be made alike; {path.name!r} was made with "
                    f"{name} {made_with.get(name)} instead of {wanted[name]}"
                )
                raise DataError(message, hint=HINT)
        return run


def open_shelf(
    folder: str | Path | None, sets: dict[str, ActivitySet], root: int, recipe: Recipe
) -> Shelf:
    """Return the finished runs in a folder, which is made with the first of them."""
    place = None if folder is None else Path(folder)
    if place is not None and place.parent.exists():
        require_folder(place)
    return Shelf(place, {name: _made_with(one, root, recipe) for name, one in sets.items()})


def _made_with(found: ActivitySet, root: int, recipe: Recipe) -> dict[str, Any]:
    digest = hashlib.sha256()
    for label, one in zip(found.labels, found.series, strict=True):
        digest.update(f"{label} {one.shape} ".encode())
        digest.update(np.ascontiguousarray(one, dtype="<f8").tobytes())
    return {
        "data": digest.hexdigest()[:16],
        "seed": root,
        "window": found.kind.window,
        "step": found.kind.step,
        "blocks": [BLOCKS, VALIDATION, TEST],
        "patience": PATIENCE,
        **recipe._asdict(),
    }


def _as_run(content: dict[str, Any], key: tuple[str, int, int]) -> Run:
    """Take a run as it was written; infinity was written as a word."""
    if key != tuple(content[name] for name in ("data", "seed", "split")):
        raise KeyError
    curves = [
        {str(name): [float(x) for x in values] for name, values in content.pop(part).items()}
        for part in ("validation", "test")
    ]
    if not all(name in found for found in curves for name in SELECTORS):
        raise KeyError
    windows = tuple(int(x) for x in content.pop("windows"))
    return Run(**content, validation=curves[0], test=curves[1], windows=windows)
