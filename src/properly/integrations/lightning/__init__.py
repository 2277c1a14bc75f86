"""Lightning: scores of each validation epoch, and reliability diagrams of it.

`ScoreCallback` logs the scores of any rules, for ``ModelCheckpoint`` and ``EarlyStopping`` to
watch; `ReliabilityCallback` draws how forecasts compare with what happens. A single score needs no
callback: ``self.log("val_pbs", metric)`` with a `properly.integrations.torch.TallyMetric` does.
Needs the extra ``lightning``.
"""

from properly._boundary._extras import import_extra

import_extra("lightning.pytorch", extra="lightning")

from properly.integrations.lightning._lightning_reliability import ReliabilityCallback  # noqa: E402
from properly.integrations.lightning._lightning_scores import ScoreCallback  # noqa: E402

__all__ = ["ReliabilityCallback", "ScoreCallback"]
