"""The keys of ``evaluator_config``, checked; any other is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from properly._boundary._labels import as_labels, nearest
from properly._boundary._options import check_flag
from properly.errors import ArgumentTypeError, DataError

# Columns of the data by name, or arrays.
COLUMNS = ("weight", "count", "clusters", "strata", "time", "groups")
# What `properly.evaluate` takes as it is.
OPTIONS = ("rules", "within", "level", "replicates", "rng")
WORDS = ("cases", "event")
FLAGS = ("figures", "report")
OURS = (*OPTIONS, "labels", "pos_label", "ordered", "forecasts", *COLUMNS, *WORDS, *FLAGS)
# A config that MLflow hands to all evaluators may have keys of its own ones.
THEIRS = frozenset({
    "average",
    "calibration_classifier_name",
    "calibration_n_bins",
    "col_mapping",
    "eval_results_mode",
    "eval_results_path",
    "explainability_algorithm",
    "explainability_kernel_link",
    "explainability_nsamples",
    "ignore_exceptions",
    "label_list",
    "log_explainer",
    "log_model_explainability",
    "max_classes_for_multiclass_roc_pr",
    "metric_prefix",
    "sample_weights",
})  # fmt: skip


@dataclass(frozen=True, eq=False)
class Config:
    """What was asked for.

    Attributes
    ----------
    options : dict
        For `properly.evaluate`, as they are.
    columns : dict
        Names of columns, or arrays, by what they are.
    labels, pos_label, ordered, forecasts
        As in the config.
    logging : dict
        For `log_evaluation`.
    is_ours : bool
        Whether anything was said to us. Other evaluators may be meant if not.
    """

    options: dict[str, Any]
    columns: dict[str, Any]
    labels: tuple[Any, ...] | None
    pos_label: object
    ordered: bool
    forecasts: Any
    logging: dict[str, Any]
    is_ours: bool


def as_config(given: Mapping[str, Any] | None) -> Config:
    """Check the keys, and sort them by what they are for."""
    if not isinstance(given, Mapping | None):
        message = f"evaluator_config must be a dict; got {type(given).__name__}"
        raise ArgumentTypeError(message)
    config = dict(given or {})
    for key in config:
        _require_key(key)
    labels = config.get("labels")
    logging = {name: config[name] for name in WORDS if name in config}
    logging |= {name: check_flag(config[name], name) for name in FLAGS if name in config}
    return Config(
        options={name: config[name] for name in OPTIONS if name in config},
        columns=_columns(config),
        labels=None if labels is None else as_labels(labels),
        pos_label=config.get("pos_label"),
        ordered=check_flag(config.get("ordered", False), "ordered"),
        forecasts=config.get("forecasts"),
        logging=logging | {"prefix": config.get("metric_prefix") or ""},
        # Which label is the event concerns MLflow's own evaluators as well.
        is_ours=bool(set(config) & set(OURS) - {"pos_label"}),
    )


def _require_key(key: object) -> None:
    if key in OURS or key in THEIRS:
        return
    near = nearest(str(key), OURS)
    message = f"evaluator_config must have only keys that are known; got {key!r}"
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(OURS)}."
    raise DataError(message, hint=hint)


def _columns(config: Mapping[str, Any]) -> dict[str, Any]:
    """Take columns; weights by the name that MLflow's own evaluators know are not dropped."""
    result = {name: config[name] for name in COLUMNS if config.get(name) is not None}
    weights = config.get("sample_weights")
    return result if weights is None else {"weight": weights} | result
