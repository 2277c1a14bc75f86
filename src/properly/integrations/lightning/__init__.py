"""Lightning: scores of each validation epoch, and reliability diagrams of it.

`ScoreCallback` logs the scores of any rules, for ``ModelCheckpoint`` and ``EarlyStopping`` to
watch; `ReliabilityCallback` draws how forecasts compare with what happens. A single score needs no
callback: ``self.log("val_pbs", metric)`` with a `properly.integrations.torch.TallyMetric` does.
Needs the extra ``lightning``.
"""

from properly._boundary._notices import import_extra

import_extra("lightning.pytorch", extra="lightning")

from properly.integrations.lightning._callbacks import (  # noqa: E402
    ReliabilityCallback,
    ScoreCallback,
)

__all__ = ["ReliabilityCallback", "ScoreCallback"]
