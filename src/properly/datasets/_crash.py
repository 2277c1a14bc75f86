"""The bundled example: forecasts of death in car crashes, by five models."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._libraries import freeze, read_only

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, eq=False, repr=False)
class Crash:
    """Front-seat occupants in US car crashes, with forecasts of their death.

    One row is one person. All arrays are read-only and have one entry per person, in the order of
    the survey.

    Attributes
    ----------
    died : ndarray of bool
        Whether the person died.
    forecasts : dict of str to ndarray of float
        Probabilities of death by model: ``logistic``, ``boosting``, ``balanced_boosting``,
        ``forest``, ``naive_bayes``.
    weight : ndarray of float
        The survey weight: about how many occupants in the country the person stands for. It is
        zero for 19 persons, none of whom died.
    cluster : ndarray of int
        The accident, numbered from 0. Persons in one accident are not independent.
    year : ndarray of int
        The year of the accident, 2001 or 2002.
    sex : ndarray of str
        ``female`` or ``male``.
    seatbelt : ndarray of str
        ``belted`` or ``none``.
    airbag : ndarray of str
        Whether the car had an airbag: ``airbag`` or ``none``.
    severity : ndarray of int
        The injury as the police recorded it, an index into `severity_labels`; -1 where it is
        unknown.
    severity_labels : tuple of str
        The injury classes, from the least to the most severe.
    severity_probabilities : ndarray of float, shape (n, 5)
        Probabilities of the injury classes, by multinomial logistic regression. Rows sum to one.

    Examples
    --------
    >>> from properly.datasets import crash
    >>> people = crash()
    >>> len(people), people.severity_labels[-1]
    (8879, 'killed')
    """

    died: npt.NDArray[np.bool_]
    forecasts: dict[str, npt.NDArray[np.float64]]
    weight: npt.NDArray[np.float64]
    cluster: npt.NDArray[np.int64]
    year: npt.NDArray[np.int64]
    sex: npt.NDArray[np.str_]
    seatbelt: npt.NDArray[np.str_]
    airbag: npt.NDArray[np.str_]
    severity: npt.NDArray[np.int64]
    severity_labels: tuple[str, ...]
    severity_probabilities: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.died)

    def __repr__(self) -> str:
        return f"<Crash: {len(self)} cases, {int(self.died.sum())} deaths>"

    @property
    def severity_known(self) -> npt.NDArray[np.bool_]:
        """Whether the injury severity is known; ordinal evaluations use these rows only."""
        return self.severity >= 0

    def to_dict(self) -> dict[str, npt.NDArray[Any]]:
        """Return one array per column, ready for the data frame of any library.

        Forecasts appear under their model's name, class probabilities as
        ``severity_probability_none`` to ``severity_probability_killed``.
        """
        probabilities = {
            f"severity_probability_{label}": self.severity_probabilities[:, k]
            for k, label in enumerate(self.severity_labels)
        }
        names = ("weight", "cluster", "year", "sex", "seatbelt", "airbag", "severity")
        columns = {name: getattr(self, name) for name in names}
        return {"died": self.died, **self.forecasts, **columns, **probabilities}


def crash() -> Crash:
    """Load forecasts of death in car crashes: 8,879 persons, 4.2 % of whom died.

    Returns
    -------
    Crash
        Outcomes, the forecasts of five models, weights, accidents, groups, and an ordinal outcome
        with class probabilities.

    Notes
    -----
    The models were trained on the crashes of 1997-2000 and forecast those of 2001 and 2002 from
    speed, seat belt, airbag, direction of the impact, sex, age, seat, and the age of the car. Their
    settings are scikit-learn's defaults; survey weights were not used in training. They are
    examples, not contestants: their design was settled with the forecast years in view.

    What there is to find:

    * ``logistic``, ``boosting`` and ``balanced_boosting`` have nearly the same area under the ROC
      curve (0.892, 0.886, 0.882), yet their mean forecasts are 3.9 %, 4.0 % and 23.6 %: balancing
      the classes in training hardly changes the ranking and ruins the probabilities.
    * ``forest`` gives a probability of exactly 0 to 48 persons who died, so its log score is
      infinite. Many of its forecasts are whole percents and tie with thresholds.
    * Deaths are rare. A decision such as sending a trauma team has its threshold between 1 % and
      10 %; what happens above hardly matters.
    * The 8,879 persons were in 4,973 accidents, and severe crashes were sampled more often:
      weighted to the country, the death rate is 0.58 %.

    The severity is unknown (-1) for 133 persons: 64 recorded as unknown and 69 not recorded. It
    comes from the police and does not always agree with `Crash.died`: 13 persons recorded as killed
    did not die, and 36 who died are recorded with a lesser injury.

    The survey covers crashes reported to the police in which a vehicle was towed; the rows are
    front-seat occupants aged 16 and over. The script ``examples/make_crash_data.py`` makes the
    file.

    References
    ----------
    National Highway Traffic Safety Administration, National Automotive Sampling System,
    Crashworthiness Data System (NASS CDS), 1997-2002; as distributed as ``nassCDS`` in the R
    package DAAG by J. H. Maindonald and W. J. Braun.

    M. C. Meyer and T. Finney (2005). Who wants airbags? Chance 18, 3-16.

    Examples
    --------
    >>> from properly.datasets import crash
    >>> data = crash()
    >>> data
    <Crash: 8879 cases, 371 deaths>
    >>> list(data.forecasts)
    ['logistic', 'boosting', 'balanced_boosting', 'forest', 'naive_bayes']
    >>> int(((data.forecasts["forest"] == 0) & data.died).sum())
    48
    """
    file = files("properly.datasets") / "crash.npz"
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
        stored = {name: archive[name] for name in archive.files}
    names = stored["forecast_names"].tolist()
    # Persons with the same features have the same forecasts, which are stored once.
    row, planes = stored["row"], np.ascontiguousarray(stored["severity_bytes"].T)
    others = planes.view("<f8").astype(np.float64).reshape(-1, 4)[row]
    return Crash(
        died=stored["died"],
        forecasts={
            name: read_only(p[row]) for name, p in zip(names, stored["forecasts"], strict=True)
        },
        weight=stored["weight"],
        cluster=stored["cluster"].astype(np.int64),
        year=stored["year"].astype(np.int64),
        sex=stored["sex_names"][stored["sex_code"]],
        seatbelt=stored["seatbelt_names"][stored["seatbelt_code"]],
        airbag=stored["airbag_names"][stored["airbag_code"]],
        severity=stored["severity"].astype(np.int64),
        severity_labels=tuple(stored["severity_labels"].tolist()),
        severity_probabilities=np.column_stack([1 - others.sum(axis=1), others]),
    )
