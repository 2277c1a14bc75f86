"""Two processes that share out the rows know together what one process knows of all rows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import properly
from properly.rules import RPS, Brier, Log

pytest.importorskip("torch", reason="torch is not installed; `make test-integrations` installs it")

# Each process has every other row of a table that it makes itself; the last metric has rows in the
# first process only. Afterwards each still has its own sums, and goes on with them.
SCRIPT = """
import json
import sys
import warnings

rank, store = int(sys.argv[1]), sys.argv[2]
warnings.filterwarnings("ignore", "The ``compute`` method of metric", UserWarning)

import torch
from torch import distributed
from properly.integrations.torch import DecompositionMetric, TallyMetric
from properly.rules import RPS, Brier, Log

torch.set_num_threads(1)
distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
rows = torch.arange(400)
p = ((rows * 37) % 401).double() / 400
y = (rows * 11) % 17 < 17 * p
table = torch.stack([p / 2, (1 - p) / 2, torch.full_like(p, 0.5)], 1)
mean, parts, ranked, alone = (
    TallyMetric(Brier()),
    DecompositionMetric(Brier()),
    DecompositionMetric(RPS(), classes=3),
    TallyMetric(Log(), from_logits=True),
)
for start in range(rank, 400, 80):
    some = slice(start, start + 80, 2)
    batch = mean(p[some], y[some])
    parts.update(p[some], y[some])
    ranked.update(table[some], rows[some] % 3)
if rank == 0:
    alone.update(p, y)
found = {
    "mean": mean.compute().item(),
    "batch": batch.item(),
    "parts": {name: value.item() for name, value in parts.compute().items()},
    "ranked": {name: value.item() for name, value in ranked.compute().items()},
    "alone": alone.compute().item(),
    "weight": mean.tally().weight.tolist(),
}
own = TallyMetric(Brier(), sync_on_compute=False)
own.merge_state(mean)
found["own"] = own.compute().item()
mean.update(p[rank::2], y[rank::2])
found["twice"] = mean.tally().total
# Weights that are equal in each process, and in both.
for name, unit in (("equal", 0.1), ("unequal", 0.1 * (1 + rank))):
    weighted = TallyMetric(Brier())
    weighted.update(p[rank::2], y[rank::2], torch.full((200,), unit, dtype=torch.float64))
    found[name] = [weighted.tally().event_squares is None, weighted.tally().total]
print(json.dumps(found))
distributed.destroy_process_group()
"""


def run(store: Path) -> list[dict[str, Any]]:
    """Run both processes to their end, and return what each found."""
    environment = os.environ | {"GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
    started = [
        subprocess.Popen(  # noqa: S603
            [sys.executable, "-c", SCRIPT, str(rank), str(store)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for rank in range(2)
    ]
    told = [process.communicate(timeout=120) for process in started]
    assert [process.returncode for process in started] == [0, 0], told
    return [json.loads(output) for output, _ in told]


def test_the_sums_of_two_processes_are_those_of_all_rows(tmp_path: Path) -> None:
    rows = np.arange(400)
    p = (rows * 37) % 401 / 400
    y = (rows * 11) % 17 < 17 * p
    table = np.stack([p / 2, (1 - p) / 2, np.full(400, 0.5)], axis=1)
    tally = properly.tally(y, p, cells=1024)
    parts = properly.decompose(tally, Brier())
    for rank, found in enumerate(run(tmp_path / "store")):
        assert found["mean"] == pytest.approx(Brier()(y, p), rel=1e-14)
        assert found["weight"] == tally.weight.tolist()
        assert found["parts"]["discrimination"] == pytest.approx(parts.discrimination)
        assert found["ranked"]["score"] == pytest.approx(RPS()(rows % 3, table), rel=1e-14)
        assert found["alone"] == pytest.approx(Log().logit_loss(y, p).mean(), rel=1e-14)
        last = slice(rank + 320, 400, 2)
        assert found["batch"] == pytest.approx(Brier()(y[last], p[last]), rel=1e-14)
        assert found["own"] == pytest.approx(Brier()(y[rank::2], p[rank::2]), rel=1e-14)
        assert found["twice"] == 800
        assert found["equal"] == [True, 400]
        assert found["unequal"] == [False, pytest.approx(60)]


# The threads of a metric are kept for its next batch, and do not come along into a fork. Those of
# torch itself hang there, which is not ours to mend: it has one.
FORKED = """
import os
import signal
import torch
from properly.integrations.torch import TallyMetric
from properly.rules import Brier

torch.get_num_threads = lambda: 2
p = torch.linspace(0, 1, 200_000)
y = (torch.arange(200_000) % 3 == 0).float()


def score():
    metric = TallyMetric(Brier())
    metric.update(p, y)
    return float(metric.compute())


before = score()
child = os.fork()
if child == 0:
    signal.alarm(60)  # it must not outlive a test that fails
    os._exit(0 if score() == before else 3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork processes")
def test_a_process_that_was_forked_off_counts_as_well() -> None:
    found = subprocess.run(  # noqa: S603
        [sys.executable, "-c", FORKED],
        capture_output=True,
        check=True,
        text=True,
        timeout=120,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert found.stdout == "0\n"
