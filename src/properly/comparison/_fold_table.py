"""The records of a cross-validation: scores pooled, and fold by fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._frames import to_frame
from properly._boundary._labels import one_kind
from properly._boundary._libraries import freeze
from properly._boundary._plain import many, plain
from properly.comparison._fold_words import conclude, lay_out

if TYPE_CHECKING:
    from properly._boundary._frames import Backend
    from properly.comparison._pairs import Comparison
    from properly.inference._estimate import Estimate

Column: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False, repr=False)
class FoldScores:
    """What one model scores over all folds together, and in each.

    Attributes
    ----------
    pooled : Estimate
        The mean loss of all cases, each forecast by a model that had not seen it; or the AUC of all
        forecasts together.
    fold_scores : array
        The score in each fold; for the AUC, NaN where all outcomes are alike.
    mean_of_folds : float
        Their mean, in which all folds count alike.
    spread : float
        Their standard deviation. It is not a standard error of anything.
    fold_areas : array or None
        The area under the ROC curve in each fold; None for classes.
    pooled_area, mean_area : float or None
        That of all forecasts together, and the mean of the folds.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> y, p = [0, 1] * 50, [0.2, 0.7, 0.4, 0.9] * 25
    >>> found = properly.by_fold(y, p, [0] * 40 + [1] * 60, rule=Brier())
    >>> found.models["forecast"].fold_scores
    array([0.075, 0.075])
    """

    pooled: Estimate
    fold_scores: Column
    mean_of_folds: float
    spread: float
    fold_areas: Column | None
    pooled_area: float | None
    mean_area: float | None

    def __post_init__(self) -> None:
        freeze(self)

    def __repr__(self) -> str:
        folds = many(len(self.fold_scores), "fold")
        return f"FoldScores({self.pooled.value:.4g} of all, {self.mean_of_folds:.4g} in {folds})"

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name, as JSON can hold them."""
        known = vars(self) | {"pooled": self.pooled.to_dict()}
        lists = {k: x.tolist() if isinstance(x, np.ndarray) else x for k, x in known.items()}
        found: dict[str, Any] = plain(lists)
        return found


@dataclass(frozen=True, eq=False, repr=False)
class Folds:
    """Scores of models in a cross-validation: pooled, and fold by fold.

    Attributes
    ----------
    labels : tuple
        The folds as they were given.
    name : list of str
        The same as text.
    cases : array
        Cases of positive weight in each fold.
    models : dict of FoldScores
        By the names of the models.
    comparison : Comparison or None
        The models compared in pairs on all cases; None for one model.
    pairs : tuple of pairs of str
        The models that were compared.
    fold_differences : array of shape (pairs, folds)
        The score of the first minus that of the second in each fold.
    better, equal : array
        In how many folds the first is better, and in how many both score the same.
    rule : str
        The name of the rule, or ``"auc"``.
    higher_is_better : bool
        Whether a higher score is the better one, as for the AUC.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> y, p = [0, 1] * 50, [0.2, 0.7, 0.4, 0.9] * 25
    >>> folds = [0] * 40 + [1] * 60
    >>> properly.by_fold(y, {"model": p, "coin": [0.5] * 100}, folds, rule=Brier())
    Folds(2 models in 2 folds, brier)
    """

    labels: tuple[Any, ...]
    name: list[str]
    cases: Column
    models: dict[str, FoldScores]
    comparison: Comparison | None
    pairs: tuple[tuple[str, str], ...]
    fold_differences: Column
    better: Column
    equal: Column
    rule: str
    higher_is_better: bool

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        """Count the folds."""
        return len(self.name)

    def __repr__(self) -> str:
        models = many(len(self.models), "model")
        return f"Folds({models} in {many(len(self), 'fold')}, {self.rule})"

    def __str__(self) -> str:
        """Lay out the scores, the comparisons, and what may be concluded."""
        return lay_out(self)

    @property
    def conclusion(self) -> str:
        """What may be concluded from these numbers, and what not."""
        return "\n".join(conclude(self))

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers by name, as JSON can hold them, and the conclusion."""
        compared = None if self.comparison is None else self.comparison.to_dict()
        known = {
            "rule": self.rule,
            "higher_is_better": self.higher_is_better,
            "folds": list(self.labels),
            "cases": self.cases.tolist(),
            "models": {name: x.to_dict() for name, x in self.models.items()},
            "comparison": compared,
            "pairs": [list(pair) for pair in self.pairs],
            "fold_differences": self.fold_differences.tolist(),
            "better": self.better.tolist(),
            "equal": self.equal.tolist(),
            "conclusion": self.conclusion,
        }
        found: dict[str, Any] = plain(known)
        return found

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a model and fold as a polars, pandas or pyarrow frame."""
        folds, cases, count = one_kind(self.labels), self.cases.tolist(), len(self.models)
        columns = {
            "model": [name for name in self.models for _ in folds],
            "fold": folds * count,
            "cases": cases * count,
            "score": [x for m in self.models.values() for x in m.fold_scores.tolist()],
        }
        return to_frame(columns, backend)
