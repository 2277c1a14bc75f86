"""LightGBM: rules as objectives of boosted trees, and as metrics that stop the training.

Both work with ``lightgbm.train`` and with its scikit-learn classes, for one event and for several
classes. Needs the extra ``lightgbm``.
"""

from properly._boundary._notices import import_extra

import_extra("lightgbm", extra="lightgbm")

from properly.integrations._lightgbm_training import metric, objective  # noqa: E402

__all__ = ["metric", "objective"]
