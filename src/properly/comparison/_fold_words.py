"""What may be concluded from a cross-validation, in words and in a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from properly._boundary._plain import many, printable
from properly._boundary._tables import table, wrapped

if TYPE_CHECKING:
    from properly.comparison._fold_table import Folds, FoldScores

# Fold scores that are laid out at most.
SHOWN = 10
# Pairs that are told one by one at most.
FEW_PAIRS = 6

POOLED = (
    "Pooled: each case was forecast by a model that had not seen it. The interval is about these "
    "fitted models on the population of the cases. About the method that fits them it is too "
    "narrow: other training data would have given other models, and that is not in it."
)
SPREAD = (
    "Spread: the standard deviation of the folds' scores mixes chance in who was tested with "
    "differences between the fitted models. Folds share their training data, so their scores "
    "depend on one another: the spread is no standard error, and no t-test is made over folds."
)
PAIRS = (
    "In how many folds one model is better than another is in `better`: a description, not a test. "
    "What is tested is their pooled difference, case by case."
)
AREAS = (
    "AUC: pooling compares forecasts of different fitted models with one another, which is right "
    "only if they mean the same on the same scale. The mean over folds does not do so: if the two "
    "differ, trust the mean."
)


def lay_out(found: Folds) -> str:
    """Lay out the scores of the models, their comparisons, and what may be concluded."""
    cases = many(int(found.cases.sum()), "case")
    parts = [f"{found.rule} of {cases} in {many(len(found), 'fold')}", _scores(found)]
    if found.comparison is not None:
        parts.append(str(found.comparison))
    return "\n\n".join([*parts, "\n".join(map(wrapped, conclude(found)))])


def _scores(found: Folds) -> str:
    areas = found.rule != "auc" and all(m.fold_areas is not None for m in found.models.values())
    head = ["model", "pooled", "interval", "mean of folds", "spread"]
    head += ["pooled AUC", "mean AUC"] if areas else []
    folds = len(found) if len(found) <= SHOWN else 0
    head += [f"fold {name}" for name in found.name[:folds]]
    rows = [_row(name, model, folds, areas=areas) for name, model in found.models.items()]
    return table(head, rows)


def _row(name: str, model: FoldScores, folds: int, *, areas: bool) -> list[str]:
    numbers = [model.mean_of_folds, model.spread]
    if areas and model.pooled_area is not None and model.mean_area is not None:
        numbers += [model.pooled_area, model.mean_area]
    numbers += model.fold_scores[:folds].tolist()
    lower, upper = (_number(x) for x in model.pooled.interval)
    interval = "-" if lower == upper == "-" else f"{lower} to {upper}"
    return [name, _number(model.pooled.value), interval, *map(_number, numbers)]


def _number(x: float) -> str:
    return "-" if math.isnan(x) else f"{x:.4f}"


def conclude(found: Folds) -> list[str]:
    """Say what each number is about, and what it is not."""
    told = [POOLED, SPREAD, *([PAIRS] if len(found.pairs) > FEW_PAIRS else _pair_by_pair(found))]
    if all(model.fold_areas is not None for model in found.models.values()):
        told.append(AREAS)
    return told


def _pair_by_pair(found: Folds) -> list[str]:
    """Say of each pair in how many folds which model is better."""
    told, word = [], "higher" if found.higher_is_better else "lower"
    for (first, second), better, equal in zip(
        found.pairs, found.better.tolist(), found.equal.tolist(), strict=True
    ):
        same = f", and the same in {equal}" if equal else ""
        told.append(
            f"{printable(first)} scores {word}, which is better, than {printable(second)} in "
            f"{better} of {many(len(found), 'fold')}{same}: a description, not a test. What is "
            "tested is their pooled difference, case by case."
        )
    return told
