"""MLflow: scores, figures and the page of an evaluation, in a run.

`ProperlyEvaluator` is for ``mlflow.models.evaluate(..., evaluators="properly")``; `log_evaluation`
takes what `properly.evaluate` made. Needs the extra ``mlflow``, and ``app`` for the page and the
figures.
"""

from properly._boundary._notices import import_extra

import_extra("mlflow", extra="mlflow")

from properly.integrations.mlflow._evaluator import ProperlyEvaluator  # noqa: E402
from properly.integrations.mlflow._logging import log_evaluation  # noqa: E402

__all__ = ["ProperlyEvaluator", "log_evaluation"]
