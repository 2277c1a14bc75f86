"""XGBoost: rules as objectives of boosted trees, and as metrics that stop the training.

Both work with ``xgboost.train`` and with its scikit-learn classes, for one event and for several
classes. Needs the extra ``xgboost``.
"""

from properly._boundary._notices import import_extra

import_extra("xgboost", extra="xgboost")

from properly.integrations._xgboost_training import metric, objective  # noqa: E402

__all__ = ["metric", "objective"]
