"""The evaluator that MLflow finds under the name ``properly``.

MLflow imports this file whenever its models are imported, so what computes, draws or writes is
imported once there is something to evaluate.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mlflow.models.evaluation.base import ModelEvaluator

from properly.errors import DataError, DataWarning, ProperlyError

if TYPE_CHECKING:
    from properly.evaluation._record import Evaluation
    from properly.integrations.mlflow._forecasts import Config


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
        from properly.integrations.mlflow._forecasts import as_config
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
    from properly.integrations.mlflow._forecasts import column_of, forecasts_of, tables_of

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
