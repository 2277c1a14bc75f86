"""The evaluator that MLflow finds under the name ``properly``, and the forecasts that it judges.

Forecasts are probabilities of a model or of columns of a data set; the keys of ``evaluator_config``
say what each column stands for. They are checked, and any other is refused. MLflow imports this
file whenever its models are imported, so what computes, draws or writes is imported once there is
something to evaluate.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from mlflow.models.evaluation.base import ModelEvaluator

from properly._boundary._arrays import distinct, event_label
from properly._boundary._classes import (
    as_labels,
    check_labels,
    check_probabilities,
    nearest,
    require_columns,
)
from properly._boundary._options import check_flag
from properly.errors import ArgumentTypeError, DataError, DataWarning, ProperlyError

if TYPE_CHECKING:
    from properly.evaluation._record import Evaluation


# Columns of the data by name, or arrays.
COLUMNS = ("weight", "count", "clusters", "strata", "time", "groups")
# What `properly.evaluate` takes as it is.
OPTIONS = ("rules", "within", "level", "replicates", "rng")
WORDS = ("cases", "event")
FLAGS = ("figures", "report")
OURS = (*OPTIONS, "labels", "pos_label", "ordered", "forecasts", *COLUMNS, *WORDS, *FLAGS)
# A config that MLflow hands to all evaluators may have keys of its own ones.
THEIRS = (
    "average calibration_classifier_name calibration_n_bins col_mapping eval_results_mode "
    "eval_results_path explainability_algorithm explainability_kernel_link explainability_nsamples "
    "ignore_exceptions label_list log_explainer log_model_explainability "
    "max_classes_for_multiclass_roc_pr metric_prefix sample_weights"
)


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
    unknown = [key for key in config if key not in (*OURS, *THEIRS.split())]
    if unknown:
        near = nearest(str(unknown[0]), OURS)
        message = f"evaluator_config must have only keys that are known; got {unknown[0]!r}"
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(OURS)}."
        raise DataError(message, hint=hint)
    columns = {name: config[name] for name in COLUMNS if config.get(name) is not None}
    if config.get("sample_weights") is not None:
        # Weights by the name that MLflow's own evaluators know are not dropped.
        columns = {"weight": config["sample_weights"]} | columns
    labels = config.get("labels")
    logging: dict[str, Any] = {name: config[name] for name in WORDS if name in config}
    logging = {"words": logging, "prefix": config.get("metric_prefix") or ""}
    logging |= {name: check_flag(config[name], name) for name in FLAGS if name in config}
    return Config(
        options={name: config[name] for name in OPTIONS if name in config},
        columns=columns,
        labels=None if labels is None else as_labels(labels),
        pos_label=config.get("pos_label"),
        ordered=check_flag(config.get("ordered", False), "ordered"),
        forecasts=config.get("forecasts"),
        logging=logging,
        # Which label is the event concerns MLflow's own evaluators as well.
        is_ours=bool(set(config) & set(OURS) - {"pos_label"}),
    )


YES_AND_NO = (0, 1)


class ForecastTable(NamedTuple):
    """Probabilities of one event or of classes, and what the columns stand for, if that is known.

    The names of columns may be those of classes, or mere names.
    """

    p: Any
    classes: tuple[Any, ...] | None = None
    names: tuple[str, ...] = ()


def forecasts_of(
    tables: Mapping[str, ForecastTable], y: Any, config: Config
) -> tuple[dict[str, Any], tuple[Any, ...] | None, object]:
    """Turn tables into forecasts by model as `properly.evaluate` takes them, labels and event."""
    result = {name: _of_table(table, y, config) for name, table in tables.items()}
    labels = next(iter(result.values())).classes
    models = {name: _in_order(each, labels) for name, each in result.items()}
    # The last of two labels is the event, so that no other need be named.
    derived = labels is not None and labels != config.labels
    return models, labels, None if derived else config.pos_label


def _of_table(table: ForecastTable, y: Any, config: Config) -> ForecastTable:
    if table.p.ndim == 1:
        return ForecastTable(table.p, config.labels)
    classes = _classes(table, y, config)
    if table.p.shape[1] == 2 and not config.ordered:
        return _event(table.p, classes, config)
    order = config.labels or classes
    if order is None:
        return ForecastTable(table.p, None)
    if config.ordered and config.labels is None:
        _require_numbers(order)
        order = tuple(sorted(order))
    return ForecastTable(table.p[:, _places(order, classes)], order)


def _in_order(record: ForecastTable, labels: tuple[Any, ...] | None) -> Any:
    """Put the classes of a model in the order of those of the first one."""
    if record.p.ndim == 1 or labels is None or record.classes in (None, labels):
        return record.p
    return record.p[:, _places(labels, record.classes)]


def _classes(table: ForecastTable, y: Any, config: Config) -> tuple[Any, ...] | None:
    """Say what columns stand for: the model's classes, else the labels in order, else names."""
    count = table.p.shape[1]
    if table.classes is not None:
        return check_labels(table.classes, count)
    if config.labels is not None:
        named = _read(table.names, config.labels)
        same = named is not None and set(named) == set(config.labels)
        return named if same else check_labels(config.labels, count)
    seen = distinct(np.asarray(y))
    named = _read(table.names, seen)
    if named is not None:
        return named
    return YES_AND_NO if count == 2 and all(label in YES_AND_NO for label in seen) else None


def _read(names: tuple[str, ...], labels: Collection[Any]) -> tuple[Any, ...] | None:
    """Read the names of columns as labels, in words or in numbers; None if a label has none."""
    for classes in (names, tuple(map(_as_number, names))):
        if classes and all(label in classes for label in labels):
            return classes
    return None


def _as_number(name: str) -> object:
    """Read a number or a truth value that is written as text; other text stays as it is."""
    with suppress(ValueError, SyntaxError):
        return ast.literal_eval(name)
    return name


def _event(p: Any, classes: tuple[Any, ...] | None, config: Config) -> ForecastTable:
    """Take the column of the event, of two."""
    if classes is None:
        message = "two columns of forecasts need labels, which say what each stands for; got none"
        raise DataError(message, hint='evaluator_config={"labels": [the other, the event]}')
    if config.labels is not None:
        event = event_label(config.labels, config.pos_label)
        _places(config.labels, classes)
    elif config.pos_label is not None:
        event = config.pos_label
        _places((event,), classes)
    elif set(classes) == set(YES_AND_NO):
        event = 1
    else:
        first, last = classes
        message = "pos_label must say which class is the event, unless they are 0 and 1; "
        message += f"they are {first!r} and {last!r}"
        raise DataError(message, hint=f'evaluator_config={{"pos_label": {last!r}}}')
    column = classes.index(event)
    other = classes[1 - column]
    return ForecastTable(p[:, column], None if (other, event) == YES_AND_NO else (other, event))


def _places(labels: tuple[Any, ...], classes: tuple[Any, ...] | None) -> list[int]:
    """Find the column of each label."""
    columns = labels if classes is None else classes
    for label in labels:
        if label not in columns:
            listed = ", ".join(map(repr, columns))
            message = f"labels must be those of the model's classes, {listed}; got {label!r}"
            raise DataError(message)
    return [columns.index(label) for label in labels]


def _require_numbers(classes: tuple[Any, ...]) -> None:
    """Refuse an order that the alphabet, or that of the columns, would have to know."""
    for label in classes:
        if not isinstance(label, int | float):
            message = f"ordered classes in words need labels, in order; a class is {label!r}"
            hint = 'evaluator_config={"ordered": True, "labels": [lowest, …, highest]}'
            raise DataError(message, hint=hint)


def tables_of(
    model: Any, dataset: Any, predictions: str | None, config: Config
) -> dict[str, ForecastTable]:
    """Ask the model for probabilities, or take them from the data if there is no model."""
    if model is None:
        return _of_data(dataset, config)
    if config.forecasts is not None:
        message = "forecasts names columns of data without a model; there is a model as well"
        raise DataError(message, hint="leave out the model, or forecasts.")
    raw = raw_model(model)
    data = _seen_by(model, raw, dataset, config)
    if hasattr(raw, "predict_proba"):
        p = check_probabilities(np.asarray(raw.predict_proba(data)))
        classes = getattr(raw, "classes_", None)
        return {
            type(raw).__name__: ForecastTable(p, None if classes is None else as_labels(classes))
        }
    what = "what the model predicts"
    if hasattr(raw, "classes_"):
        message = f"labels are no forecasts: {what} must be probabilities; it has no predict_proba"
        raise DataError(message, hint="fit a model with predict_proba, or calibrate this one.")
    return {"model": _from_output(model.predict(data), predictions, what)}


def raw_model(model: Any) -> Any:
    """Return what MLflow wrapped, if its flavour tells."""
    inside: Any = getattr(model, "_model_impl", None)
    return inside.get_raw_model() if hasattr(inside, "get_raw_model") else None


def column_of(dataset: Any, name: str, what: str) -> Any:
    """Take a column of the data by its name."""
    frame = dataset.features_data
    if not hasattr(frame, "columns"):
        message = f"{what} by name needs data in a frame; got {type(frame).__name__}"
        raise DataError(message, hint=f"pass the values themselves as {what}.")
    require_columns([name], list(frame.columns), "the data")
    return frame[name].to_numpy()


def _seen_by(model: Any, raw: Any, dataset: Any, config: Config) -> Any:
    """Copy the data for a model, without columns that are weights and the like only."""
    data = dataset.features_data
    if not hasattr(data, "columns"):
        return np.array(data)
    inputs = set(getattr(raw, "feature_names_in_", ())) | _inputs(model)
    named = {x for x in config.columns.values() if isinstance(x, str)}
    return data.drop(columns=[x for x in data.columns if x in named and x not in inputs])


def _inputs(model: Any) -> set[str]:
    """Return the names of the inputs in the model's signature, if it has one."""
    metadata = getattr(model, "metadata", None)
    schema = None if metadata is None else metadata.get_input_schema()
    return set(schema.input_names()) if schema is not None and schema.has_input_names() else set()


def _of_data(dataset: Any, config: Config) -> dict[str, ForecastTable]:
    """Take columns that are named, or the one that MLflow was told of."""
    columns = config.forecasts
    if columns is None:
        if dataset.predictions_data is None:
            message = "data without a model must have forecasts; neither predictions nor forecasts "
            message += "names a column"
            raise DataError(message, hint='evaluator_config={"forecasts": ["name of a column"]}')
        name = str(dataset.predictions_name or "forecast")
        return {name: _from_output(dataset.predictions_data, None, f"the column {name!r}")}
    if isinstance(columns, str):
        columns = [columns]
    if not isinstance(columns, Mapping):
        columns = {name: name for name in columns}
    return {str(model): _from_columns(dataset, names) for model, names in columns.items()}


def _from_columns(dataset: Any, names: str | Sequence[str]) -> ForecastTable:
    columns = [names] if isinstance(names, str) else list(names)
    result = [
        _require_floats(column_of(dataset, name, "forecasts"), f"the column {name!r}")
        for name in columns
    ]
    if len(result) == 1:
        return ForecastTable(result[0])
    return ForecastTable(check_probabilities(np.stack(result, axis=1)), names=tuple(columns))


def _from_output(output: Any, column: str | None, what: str) -> ForecastTable:
    """Take what a model gave back: a column or a table, of whatever library."""
    if isinstance(output, Mapping) or (
        isinstance(output, list) and all(isinstance(row, Mapping) for row in output)
    ):
        import pandas as pd

        output = pd.DataFrame(output)
    names = _names(output)
    if column is not None and names:
        require_columns([column], names, what)
        output, names = output[column], ()
    p = np.asarray(output)
    if p.dtype == object and p.ndim == 1 and all(np.ndim(row) == 1 for row in p):
        p = np.stack([np.asarray(row) for row in p])
    p = _require_floats(p, what)
    if p.ndim == 2 and p.shape[1] == 1:
        return ForecastTable(p[:, 0])
    return ForecastTable(check_probabilities(p), names=names) if p.ndim == 2 else ForecastTable(p)


def _names(output: Any) -> tuple[str, ...]:
    """Return the names of columns; a frame without any numbers them."""
    columns = tuple(getattr(output, "columns", ()))
    return () if columns == tuple(range(len(columns))) else tuple(map(str, columns))


def _require_floats(p: Any, what: str) -> Any:
    """Refuse whole numbers, words and truth values: decisions, of which none is a probability."""
    if p.dtype.kind != "f":
        kind, first = p.dtype.name, p.flat[0] if p.size else None
        first = first.item() if isinstance(first, np.generic) else first
        message = f"labels are no forecasts: {what} must be probabilities; got {kind} such as "
        message += repr(first)
        hint = "pass probabilities, as floats: predict_proba, or a column of them."
        raise DataError(message, hint=hint)
    return p


class ProperlyEvaluator(ModelEvaluator):  # type: ignore[misc]
    """Evaluates probability forecasts for ``mlflow.models.evaluate``.

    Asked for by ``evaluators="properly"`` and ``model_type="classifier"``. Scores become metrics of
    the run, named as `properly.integrations.mlflow.log_evaluation` says; the page, the figures and
    all numbers become artifacts in the folder ``properly``.

    Notes
    -----
    Forecasts are probabilities. A model is asked for them by its ``predict_proba``, if scikit-learn
    or a library with its interface made it; otherwise what it predicts must be probabilities, of
    one event in one column or of all classes in several. Data without a model have them in the
    column that ``predictions`` names. Labels are refused.

    Keys of ``evaluator_config``, all optional:

    rules, within, level, replicates, rng
        As in `properly.evaluate`.
    labels
        The classes in order; of an event both labels, the event last.
    pos_label
        The label of the event. Without it the classes must be 0 and 1, or False and True.
    ordered : bool
        Whether the classes are ordered.
    forecasts
        Of data without a model: columns of probabilities of the event, one a model; or a dict with
        the columns of the classes by model.
    weight, count, clusters, strata, time, groups
        As in `properly.evaluate`: the name of a column, or an array. Such a column is not shown to
        the model, unless its signature or ``feature_names_in_`` names it.
    cases, event : str
        What the cases are, and what may happen to them, in the words of the page.
    figures, report : bool
        Whether to draw figures and to write the page.

    Of the keys of MLflow's own evaluators, ``metric_prefix`` stands in front of our metrics as
    well, ``sample_weights`` are the weights unless there is ``weight``, and the others are left to
    them. Any other key is refused.

    MLflow calls all evaluators that it knows unless some are named. If the config says nothing to
    this one, data that it refuses are therefore left to the others with a `DataWarning`.
    ``extra_metrics`` and ``custom_artifacts`` are for MLflow's own evaluators.

    Examples
    --------
    >>> from properly.integrations.mlflow import ProperlyEvaluator
    >>> ProperlyEvaluator.can_evaluate(model_type="classifier", evaluator_config={})
    True
    >>> ProperlyEvaluator.can_evaluate(model_type="regressor", evaluator_config={})
    False
    """

    @classmethod
    def can_evaluate(
        cls,
        *,
        model_type: str | None,
        evaluator_config: Mapping[str, Any] | None,  # noqa: ARG003  # it is checked when it is used
        **kwargs: Any,  # noqa: ARG003  # what later versions of MLflow may add
    ) -> bool:
        """Tell whether the model is a classifier."""
        return model_type == "classifier"

    def evaluate(
        self,
        *,
        model_type: str | None,  # noqa: ARG002  # `can_evaluate` has seen it
        dataset: Any,
        run_id: str,
        evaluator_config: Mapping[str, Any] | None,
        model: Any = None,
        extra_metrics: Any = None,  # noqa: ARG002  # those of MLflow's own evaluators
        custom_artifacts: Any = None,  # noqa: ARG002
        predictions: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Evaluate a model or a column of forecasts, log what was found, and return it."""
        from properly.integrations.mlflow._logging import log_to_run

        config = as_config(evaluator_config)
        try:
            record = _evaluated(dataset, model, predictions, config)
            return log_to_run(record, run_id, _about(dataset, run_id, kwargs), **config.logging)
        except ProperlyError as error:
            if config.is_ours:
                raise
            message = f"properly leaves this to other evaluators: {error}"
            warnings.warn(message, DataWarning, stacklevel=2)
            return None


def _evaluated(dataset: Any, model: Any, predictions: str | None, config: Config) -> Evaluation:
    from properly.evaluation._evaluate import evaluate

    y = dataset.labels_data
    if y is None:
        message = "outcomes are needed, in the column that targets names; it names none"
        raise DataError(message)
    columns = {
        what: column_of(dataset, column, what) if isinstance(column, str) else column
        for what, column in config.columns.items()
    }
    tables = tables_of(model, dataset, predictions, config)
    models, labels, pos_label = forecasts_of(tables, y, config)
    known = {**columns, **config.options, "task": "ordinal" if config.ordered else "auto"}
    result: Evaluation = evaluate(y, models, labels=labels, pos_label=pos_label, **known)
    return result


def _about(dataset: Any, run_id: str, context: Mapping[str, Any]) -> dict[str, Any]:
    """Say which model and data a metric is of; MLflow knows of both since it hands over the id."""
    if "model_id" not in context:
        return {}
    data = {"dataset_name": dataset.name, "dataset_digest": dataset.digest}
    return {"model_id": context["model_id"], "run_id": run_id, **data}
