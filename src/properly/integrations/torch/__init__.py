"""PyTorch: rules as losses to train with, and scores that are added up batch by batch.

`RuleLoss` is a loss function. `TallyMetric` adds up a mean score and, of one event, the counts that
everything else follows from; `DecompositionMetric` splits the score. Both are metrics of
torchmetrics. Needs the extra ``torch``.
"""

from properly._boundary._notices import import_extra

import_extra("torch", extra="torch")
import_extra("torchmetrics", extra="torch")

from properly.integrations.torch._loss import RuleLoss  # noqa: E402
from properly.integrations.torch._metric import DecompositionMetric, TallyMetric  # noqa: E402

__all__ = ["DecompositionMetric", "RuleLoss", "TallyMetric"]
