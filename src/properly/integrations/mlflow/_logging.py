"""An evaluation logged to a run of MLflow, its numbers under names that MLflow takes.

MLflow imports this file whenever its models are imported, so evaluations and pages are imported
once there is one to log.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import mlflow
from mlflow.entities import Metric
from mlflow.models.evaluation.base import EvaluationArtifact, EvaluationResult

from properly._boundary._files import write_whole
from properly._boundary._options import check_flag
from properly.errors import DataError

if TYPE_CHECKING:
    from properly.evaluation._record import Evaluation

    Named = Iterator[tuple[str, float]]


# MLflow takes no more at once.
BATCH = 1000


def log_evaluation(
    evaluation: Evaluation,
    *,
    run_id: str | None = None,
    artifact_path: str = "properly",
    prefix: str = "",
    figures: bool = True,
    report: bool = True,
    title: str | None = None,
    cases: str = "cases",
    event: str = "the event",
) -> Any:
    """Log an evaluation to a run of MLflow: scores, figures and the page.

    Parameters
    ----------
    evaluation : Evaluation
        From `properly.evaluate`.
    run_id : str, optional
        The run to log to. Left out, the active one.
    artifact_path : str
        The folder of the files among the run's artifacts.
    prefix : str
        Stands in front of the name of each metric.
    figures, report : bool
        Whether to draw figures, as PNG, and to write the page, ``report.html``.
    title, cases, event : str, optional
        Words of the page, as in `properly.report.write`.

    Returns
    -------
    mlflow.models.EvaluationResult
        Its ``metrics`` are what was logged, its ``artifacts`` the files by their paths in the run.

    Notes
    -----
    Metrics are named by rule: ``brier``, ``brier_lower`` and ``brier_upper`` for the ends of its
    interval, ``brier_skill``, ``brier_miscalibration``, ``brier_discrimination`` and
    ``brier_uncertainty``. If there were replicates, ``brier_miscalibration_corrected`` is the part
    less its estimated bias, and the interval is about that. MLflow takes no brackets:
    ``regret[0.05,0.2]`` is ``regret_0.05_0.2``. Of one event there are
    ``event_rate`` and ``auc`` besides, of classes ``accuracy`` and ``macro_f1``. Of several models
    each has its own name in front, such as ``logistic/brier``. All numbers are in ``scores.json``
    as well.

    What has no value, such as an interval that is not known, is not logged. An infinite score is
    logged as infinite; MLflow's databases keep the largest number that there is in its place,
    while ``scores.json`` says ``"Infinity"``.

    Everything is drawn before anything is logged.

    Examples
    --------
    >>> import properly
    >>> from properly.integrations.mlflow import log_evaluation
    >>> e = properly.evaluate([0, 1, 1, 0], {"model": [0.1, 0.8, 0.7, 0.2]}, replicates=0)
    >>> log_evaluation(e)
    Traceback (most recent call last):
    properly.errors.DataError: there must be an active run of MLflow, or run_id; got neither
    <BLANKLINE>
    Hint: with mlflow.start_run(): log_evaluation(evaluation)
    """
    from properly.evaluation._record import require_evaluation

    require_evaluation(evaluation, "what is logged must be an Evaluation")
    return log_to_run(
        evaluation,
        _run(run_id),
        {},
        artifact_path=artifact_path,
        prefix=prefix,
        figures=check_flag(figures, "figures"),
        report=check_flag(report, "report"),
        words={"title": title, "cases": cases, "event": event},
    )


def log_to_run(
    evaluation: Evaluation,
    run_id: str,
    about: Mapping[str, Any],
    *,
    artifact_path: str = "properly",
    prefix: str = "",
    **wanted: Any,
) -> Any:
    """Write all files, then log metrics and files; `about` says which model and data they tell."""
    metrics = metrics_of(evaluation, prefix)
    client, now = mlflow.MlflowClient(), int(time.time() * 1000)
    entities = [Metric(key, value, now, 0, **about) for key, value in metrics.items()]
    with TemporaryDirectory() as name:
        files = _written(Path(name), evaluation, **wanted)
        for start in range(0, len(entities), BATCH):
            client.log_batch(run_id, metrics=entities[start : start + BATCH])
        client.log_artifacts(run_id, name, artifact_path)
        artifacts = {}
        for file in files:
            place = f"{artifact_path}/{file.name}"
            artifacts[place] = _artifact(f"runs:/{run_id}/{place}", file)
    return EvaluationResult(metrics=metrics, artifacts=artifacts, run_id=run_id)


class PageArtifact(EvaluationArtifact):  # type: ignore[misc]
    """A page of HTML, as text."""

    def _save(self, output_artifact_path: str) -> None:
        write_whole(output_artifact_path, self.content)

    def _load_content_from_file(self, local_artifact_path: str) -> str:
        return Path(local_artifact_path).read_text(encoding="utf-8")


def _written(
    folder: Path,
    evaluation: Evaluation,
    words: Mapping[str, Any],
    figures: bool = True,
    report: bool = True,
) -> list[Path]:
    """Write what is to be logged, and return the files."""
    from properly import report as pages

    # Letters that MLflow would read in the encoding of the machine are spelled out.
    numbers = json.dumps(evaluation.to_dict(), indent=2, allow_nan=False)
    files = [write_whole(folder / "scores.json", numbers)]
    if report:
        files.append(pages.write(folder / "report.html", evaluation, **words))
    if figures:
        files += pages.figures(folder, evaluation, formats="png")
    return files


def _artifact(uri: str, file: Path) -> Any:
    """Load a file while it is here, so that the result can be saved."""
    from mlflow.models.evaluation.artifacts import ImageEvaluationArtifact, JsonEvaluationArtifact

    kinds = {".png": ImageEvaluationArtifact, ".json": JsonEvaluationArtifact}
    artifact = kinds.get(file.suffix, PageArtifact)(uri=uri)
    artifact._load(str(file))  # noqa: SLF001  # as MLflow's own evaluators do
    return artifact


def _run(run_id: str | None) -> str:
    active = mlflow.active_run()
    if run_id is None and active is None:
        message = "there must be an active run of MLflow, or run_id; got neither"
        raise DataError(message, hint="with mlflow.start_run(): log_evaluation(evaluation)")
    return run_id or str(active.info.run_id)


PARTS = ("miscalibration", "discrimination", "uncertainty")
# MLflow takes 250 letters; the longest ending and a model come on top.
LONGEST = 160


def metrics_of(evaluation: Evaluation, prefix: str = "") -> dict[str, float]:
    """Name all numbers that there are; what has no value is left out.

    Of several models each has its name in front, as far as it is letters and digits, and a slash.
    """
    from properly.report._figures import slugs_of

    result = {f"{prefix}cases": float(evaluation.total)}
    if evaluation.event_rate is not None:
        result[f"{prefix}event_rate"] = float(evaluation.event_rate)
    slugs = slugs_of(evaluation.models)
    for model in evaluation.models:
        place = f"{prefix}{slugs[model]}/" if len(evaluation.models) > 1 else prefix
        for name, value in _of_model(evaluation, model):
            if not math.isnan(value):
                result[_distinct(f"{place}{name}", result)] = float(value)
    return result


def metric_name(name: str) -> str:
    """Write the name of a rule in letters, digits, points, dashes and low lines.

    Examples
    --------
    >>> from properly.rules import Bounded, Brier
    >>> metric_name(Bounded(Brier(), (0.05, 0.2)).name)
    'bounded_brier_0.05_0.2'
    """
    return re.sub(r"[^\w.\-]+", "_", name, flags=re.ASCII)[:LONGEST].strip("._-") or "rule"


def _of_model(evaluation: Evaluation, model: str) -> Named:
    from properly.evaluation._record import DECIDED

    for rule in evaluation.rules:
        for ending, value in _of_rule(evaluation, model, rule.name):
            yield f"{metric_name(rule.name)}{ending}", value
    if evaluation.task == "binary":
        if model in evaluation.aucs:
            yield from _around("auc", evaluation.aucs[model])
    else:
        hard = evaluation.decisions[model].argmax
        for name in DECIDED if evaluation.task == "ordinal" else DECIDED[:2]:
            yield name, getattr(hard, name)
    if model in evaluation.calibration_tests:
        test = evaluation.calibration_tests[model]
        yield "calibration_test_p_value", test.p_value
        yield "calibration_test_p_is_bound", float(test.p_is_bound)


def _of_rule(evaluation: Evaluation, model: str, rule: str) -> Named:
    """Give a score, its interval, skill and parts, each with the ending of its name."""
    score, parts = evaluation.scores[model][rule], evaluation.parts[model][rule]
    yield from _around("", score)
    yield from _around("_skill", evaluation.skills[model][rule])
    for part in PARTS:
        yield f"_{part}", getattr(parts, part)
    around = parts.intervals
    for part in PARTS[:2] if around is not None else ():
        yield f"_{part}_corrected", getattr(around, f"corrected_{part}")
        yield from _ends(f"_{part}", *getattr(around, part))
    if score.infinite_cases:
        yield "_infinite_cases", float(score.infinite_cases)


def _around(name: str, estimate: Any) -> Named:
    yield name, estimate.value
    yield from _ends(name, *estimate.interval)


def _ends(name: str, lower: float, upper: float) -> Named:
    yield f"{name}_lower", lower
    yield f"{name}_upper", upper


def _distinct(name: str, taken: dict[str, float]) -> str:
    """Add a number to a name that two rules would share."""
    result, number = name, 1
    while result in taken:
        number += 1
        result = f"{name}_{number}"
    return result
