"""States of monitors: what a file holds of one, read back strictly."""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._files import require
from properly._boundary._stored import StoredKind, packed, unpacked
from properly.evaluation._monitor._cases import LAST_BIT, OPEN, Register, Waiting
from properly.evaluation._monitor._claims import MOST_TIMES, Claim, Ledger, Track, claim_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.evaluation._monitor._claims import MonitorPlan
    from properly.typing import Column

STATES = StoredKind(
    "state",
    writers="Monitor.save writes them, and so does properly monitor, which begins new files.",
    remedy="put back a copy of it, or begin a new one from all cases.",
    # Some tens of millions of cases; more are watched by groups of their own files.
    smaller="begin another one, for the cases to come.",
    largest=2**30,
)
# More than is ever counted, and less than arithmetic can hold.
MOST = 2**53
# The columns of a file that are not forecasts.
READ = ("outcome", "id", "clusters", "groups")
COUNTS = ("first_groups", "units", "cases", "step")
# Folders that this thread keeps for itself.
KEPT = threading.local()


@contextmanager
def alone(path: str | os.PathLike[str]) -> Iterator[None]:
    """Keep others from reading and writing the states in a folder meanwhile; they wait."""
    kept = vars(KEPT).setdefault("folders", set())
    with ExitStack() as stack:
        # There is no folder of a name that no file can have. Where one cannot be locked, a state
        # that changed meanwhile is refused.
        with suppress(ValueError, ImportError, OSError):
            folder = Path(os.path.realpath(path)).parent
            if folder not in kept:
                import fcntl

                handle = os.open(folder, os.O_RDONLY)
                stack.callback(os.close, handle)
                fcntl.flock(handle, fcntl.LOCK_EX)
                kept.add(folder)
                stack.callback(kept.remove, folder)
        yield


def content_of(ledger: Ledger, waiting: Waiting, register: Register) -> dict[str, Any]:
    """Write the evidence, the cases that wait, and what is known of others."""
    claims = list(ledger.tracks)
    alarms = [(claims.index(claim_of(x)), x.case) for x in ledger.alarms]
    counts = (*(getattr(ledger, name) for name in COUNTS), register.overlap)
    # Outcomes are written one larger, since they may be -1.
    cases = vars(waiting) | {"y": waiting.y + 1}
    early = sorted(i | y for i, y in register.early.items())
    return {
        "models": list(ledger.plan.models),
        "groups": ledger.groups,
        "counts": packed(np.array(counts, np.uint64)),
        "times": packed(np.array(ledger.times, np.uint64)),
        "tracks": [packed(track.numbers()) for track in ledger.tracks.values()],
        "alarms": packed(np.array(alarms, np.uint64).reshape(-1, 2)),
        "evidence": packed(np.array([x.evidence for x in ledger.alarms], np.float64)),
        "waiting": {name: packed(x) for name, x in cases.items()},
        "counted": packed(register.counted),
        "dropped": packed(register.dropped),
        "early": packed(np.array(early, np.uint64)),
        "batches": sorted([n, text] for n, texts in register.batches.items() for text in texts),
    }


def ledger_from(content: dict[str, Any], plan: MonitorPlan) -> Ledger:
    """Read the evidence: of each claim about all cases, then about each group."""
    groups, counts = content["groups"], _counts(content["counts"])
    first, units, cases, step, _ = counts
    require(type(groups) is list and all(type(x) is str for x in groups))
    require(first <= len(groups) and units <= cases)
    times = _counts(content["times"])
    require(step >= 1 and len(times) == units // step < MOST_TIMES and times[-1:] <= [cases])
    claims = [Claim(*x, group) for group in (None, *groups) for x in plan.claims]
    tracks = {
        claim: _track(_floats(x), claim, plan, len(times))
        for claim, x in zip(claims, content["tracks"], strict=True)
    }
    require(all(x.cases <= cases and x.units <= units for x in tracks.values()))
    require(all(tracks[Claim(*x)].cases == cases for x in plan.claims))
    rows = zip(unpacked(content["alarms"]).tolist(), _floats(content["evidence"]), strict=True)
    alarms = [plan.alarm(claims[k], case, float(evidence)) for (k, case), evidence in rows]
    require(all(x.case <= cases for x in alarms))
    return Ledger(plan, groups, first, tracks, units, cases, times, step, alarms)


def _track(numbers: Column, claim: Claim, plan: MonitorPlan, times: int) -> Track:
    track = Track.of_numbers(numbers, claim.about, plan.lag + 1)
    begun = np.concatenate([np.ravel(track.sums), track.floors])
    require(len(track.path) == times and len(track.floors) == plan.lag + 1)
    require(plan.restarts or bool((begun > -np.inf).all()))
    require(0 <= track.events <= track.cases and 0 <= track.units <= track.cases)
    require(0 <= track.total <= track.cases * (1 + 1e-9))
    require(track.greatest >= max(track.now, 0.0))
    return track


def require_agreement(ledger: Ledger, waiting: Waiting, register: Register) -> None:
    """Refuse ids in two places, or of some cases only."""
    early = np.array(list(register.early), np.uint64)
    counted = register.counted & ~LAST_BIT
    ids = np.concatenate([counted, register.dropped, waiting.ids, early])
    require(len(np.unique(ids)) == len(ids))
    require(not len(ids) or (len(counted) == ledger.cases and not register.batches))


def waiting_from(content: dict[str, Any], ledger: Ledger) -> Waiting:
    """Read the cases that wait."""
    columns = {name: unpacked(x) for name, x in content["waiting"].items()}
    signed = {name: columns[name].astype(np.int64) for name in ("unit", "y", "group")}
    unit, y, group = signed["unit"], signed["y"] - 1, signed["group"]
    ids, forecasts = columns["ids"], columns["forecasts"]
    require({unit.shape, y.shape, group.shape, ids.shape} == {(len(forecasts),)})
    require(forecasts.shape[1:] == (len(ledger.plan.models),) and forecasts.dtype == np.float64)
    require((y <= 1).all() and ((forecasts >= 0) & (forecasts <= 1)).all())
    require(((group >= 0) & (group < max(len(ledger.groups), 1))).all())
    require(np.isin(np.diff(unit, prepend=ledger.units), (0, 1)).all())
    require(not len(unit) or (unit[0] == ledger.units and (y[unit == unit[0]] == OPEN).any()))
    require(not (ids & LAST_BIT).any())
    return Waiting(unit, ids, y.astype(np.int8), group, forecasts)


def register_from(content: dict[str, Any]) -> Register:
    """Read what is known of cases that do not wait."""
    counted, dropped, early = (unpacked(content[name]) for name in ("counted", "dropped", "early"))
    for ids in (counted & ~LAST_BIT, dropped, early & ~LAST_BIT):
        require(ids.ndim == 1 and (ids[1:] > ids[:-1]).all())
    batches: dict[int, set[str]] = {}
    for size, text in content["batches"]:
        require(type(size) is int and size > 0 and type(text) is str)
        batches.setdefault(size, set()).add(text)
    outcomes = (early & LAST_BIT).astype(np.int64).tolist()
    known = dict(zip((early & ~LAST_BIT).tolist(), outcomes, strict=True))
    return Register(counted, dropped, known, batches, _counts(content["counts"])[-1])


def reading_from(content: dict[str, Any]) -> dict[str, Any] | None:
    """Read which columns of files the command line reads."""
    given: dict[str, Any] | None = content["reading"]
    if given is not None:
        require(set(given) == {*READ, "forecast", "percent"} and type(given["percent"]) is bool)
        require(all(given[name] is None or type(given[name]) is str for name in READ))
        require(type(given["forecast"]) is list and all(type(x) is str for x in given["forecast"]))
    return given


def _counts(x: dict[str, Any]) -> list[int]:
    column = unpacked(x)
    require(column.ndim == 1 and column.dtype == np.uint64 and bool((column < MOST).all()))
    return list(column.tolist())


def _floats(x: dict[str, Any]) -> Column:
    column = unpacked(x)
    require(column.ndim == 1 and not np.isnan(column).any())
    return column
