"""States of monitors: what a file holds of one, read back strictly."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._files import require
from properly._boundary._stored import StoredKind, packed, unpacked
from properly.evaluation._monitor._cases import DIGEST, LAST_BIT, OPEN, Register, Waiting
from properly.evaluation._monitor._claims import (
    BETS_ABOUT,
    MOST_TIMES,
    Claim,
    Found,
    Ledger,
    Track,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.evaluation._monitor._claims import MonitorPlan
    from properly.typing import Column

STATES = StoredKind(
    "state",
    writers="give another --state; a new file is begun.",
    remedy="put back a copy of it, or begin a new one from all cases.",
    # Some tens of millions of cases; more are watched by groups of their own files.
    smaller="begin another one, for the cases to come.",
    largest=2**30,
)
# More than is ever counted, and less than arithmetic can hold.
MOST = 2**53
# The columns of a file that are not forecasts.
READ = ("outcome", "id", "clusters", "groups")
WORDS = {"Infinity": np.inf, "-Infinity": -np.inf}
# Folders that this thread keeps for itself.
KEPT = threading.local()


@contextmanager
def alone(path: str | os.PathLike[str]) -> Iterator[None]:
    """Keep others from reading and writing the states in a folder meanwhile; they wait."""
    kept = vars(KEPT).setdefault("folders", set())
    folder = _folder_of(path)
    if folder is None or folder in kept:
        yield
        return
    handle = _locked(folder)
    kept.add(folder)
    try:
        yield
    finally:
        kept.remove(folder)
        if handle is not None:
            os.close(handle)


def _folder_of(path: str | os.PathLike[str]) -> Path | None:
    """Return the folder that a file is in; None if it cannot be in any."""
    try:
        return Path(os.path.realpath(path)).parent
    except ValueError:
        return None


def _locked(folder: Path) -> int | None:
    """Lock a folder; where that cannot be, a state that changed meanwhile is refused."""
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        return None
    with suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


def content_of(ledger: Ledger, waiting: Waiting, register: Register) -> dict[str, Any]:
    """Write the evidence, the cases that wait, and what is known of others."""
    claims = [_claim_of(claim, track) for claim, track in ledger.tracks.items()]
    alarms = [
        {**found.claim._asdict(), "case": found.case, "log_e": _words([found.log_e])[0]}
        for found in ledger.alarms
    ]
    # Outcomes are written one larger, since they may be -1.
    cases = {name: packed(x) for name, x in (vars(waiting) | {"y": waiting.y + 1}).items()}
    batches = [[n, text] for n, texts in register.batches.items() for text in texts]
    return {
        "models": list(ledger.plan.models),
        **{x: getattr(ledger, x) for x in ("groups", "first_groups", "units", "cases")},
        **{x: getattr(ledger, x) for x in ("times", "step")},
        "claims": claims,
        "alarms": alarms,
        "waiting": cases,
        "counted": packed(register.counted),
        "dropped": packed(register.dropped),
        "early": packed(np.array(sorted(i | y for i, y in register.early.items()), np.uint64)),
        "batches": sorted(batches),
        "overlap": register.overlap,
    }


def _claim_of(claim: Claim, track: Track) -> dict[str, Any]:
    columns = {name: _words(np.ravel(getattr(track, name))) for name in ("sums", "floors", "path")}
    ends = dict(zip(("now", "greatest"), _words([track.now, track.greatest]), strict=True))
    return claim._asdict() | vars(track) | columns | ends


def _words(numbers: Any) -> list[Any]:
    """Write numbers for JSON, which has no infinity."""
    words = {np.inf: "Infinity", -np.inf: "-Infinity"}
    return [words.get(x, x) for x in map(float, numbers)]


def ledger_from(content: dict[str, Any], plan: MonitorPlan) -> Ledger:
    """Read the evidence."""
    groups = [_text(x) for x in content["groups"]]
    first, units, cases, step = (
        _count(content[x]) for x in ("first_groups", "units", "cases", "step")
    )
    times = [_count(x) for x in content["times"]]
    require(
        len(set(groups)) == len(groups) and first <= len(groups) and bool(first) == bool(groups)
    )
    require(step >= 1 and step & (step - 1) == 0 and len(times) == units // step < MOST_TIMES)
    require(all(a < b for a, b in zip([0, *times], times, strict=False)))
    require(units <= cases and (not times or times[-1] <= cases))
    tracks = dict(_claim(x, plan, len(times)) for x in content["claims"])
    expected = [Claim(*x, group) for group in (None, *groups) for x in plan.claims]
    require(list(tracks) == expected)
    require(all(x.cases <= cases and x.units <= units for x in tracks.values()))
    require(all(tracks[Claim(*x)].cases == cases for x in plan.claims))
    alarms = [_found(x) for x in content["alarms"]]
    require(all(x.claim in tracks and 1 <= x.case <= cases for x in alarms))
    require([x.case for x in alarms] == sorted(x.case for x in alarms))
    return Ledger(plan, groups, first, tracks, units, cases, times, step, alarms)


def _claim(x: dict[str, Any], plan: MonitorPlan, times: int) -> tuple[Claim, Track]:
    claim, series = _claimed(x), plan.lag + 1
    path, sums = _numbers(x["path"]), _numbers(x["sums"])
    require(len(sums) == series * BETS_ABOUT[claim.about])
    sums = sums.reshape(series, -1)
    floors = _numbers(x["floors"])
    units, cases, events = (_count(x[name]) for name in ("units", "cases", "events"))
    total, now, greatest = _numbers([x[name] for name in ("total", "now", "greatest")]).tolist()
    require(len(floors) == series and len(path) == times)
    require(plan.restarts or ((sums > -np.inf).all() and (floors > -np.inf).all()))
    require(units <= cases and events <= cases and 0 <= total <= cases * (1 + 1e-9))
    require(greatest >= max(now, 0.0) and bool(units) == bool(cases))
    begun = -np.inf if plan.restarts else 0.0
    require(cases or ((sums == begun).all() and now == greatest == total == 0))
    require(cases or (floors == begun).all())
    return claim, Track(sums, floors, units, cases, events, total, now, greatest, path.tolist())


def _found(x: dict[str, Any]) -> Found:
    return Found(_claimed(x), _count(x["case"]), float(_numbers([x["log_e"]])[0]))


def _claimed(x: dict[str, Any]) -> Claim:
    group = x["group"]
    require(x["about"] in BETS_ABOUT)
    return Claim(_text(x["model"]), x["about"], group if group is None else _text(group))


def require_agreement(ledger: Ledger, waiting: Waiting, register: Register) -> None:
    """Refuse ids in two places, or of some cases only."""
    early = np.array(list(register.early), np.uint64)
    counted = register.counted & ~LAST_BIT
    ids = np.concatenate([counted, register.dropped, waiting.ids, early])
    require(len(np.unique(ids)) == len(ids))
    require(not len(ids) or (len(counted) == ledger.cases and not register.batches))


def waiting_from(content: dict[str, Any], ledger: Ledger) -> Waiting:
    """Read the cases that wait."""
    x, models = content["waiting"], len(ledger.plan.models)
    unit, y, group = (unpacked(x[name]).astype(np.int64) for name in ("unit", "y", "group"))
    y, ids, forecasts = y - 1, unpacked(x["ids"]), unpacked(x["forecasts"])
    require({unit.shape, y.shape, group.shape, ids.shape} == {(len(forecasts),)})
    require(forecasts.shape == (len(unit), models) and forecasts.dtype == np.float64)
    require((y <= 1).all() and ((forecasts >= 0) & (forecasts <= 1)).all())
    require((unit >= 0).all() and (group >= 0).all())
    require(np.isin(np.diff(unit, prepend=ledger.units), (0, 1)).all())
    require(not len(unit) or (unit[0] == ledger.units and (y[unit == unit[0]] == OPEN).any()))
    require((group < max(len(ledger.groups), 1)).all())
    require(not (ids & LAST_BIT).any())
    return Waiting(unit, ids, y.astype(np.int8), group, forecasts)


def register_from(content: dict[str, Any]) -> Register:
    """Read what is known of cases that do not wait."""
    counted, dropped, early = (unpacked(content[name]) for name in ("counted", "dropped", "early"))
    for ids in (counted & ~LAST_BIT, dropped, early & ~LAST_BIT):
        require(ids.ndim == 1 and (ids[1:] > ids[:-1]).all())
    batches: dict[int, set[str]] = {}
    for size, text in content["batches"]:
        require(len(_text(text)) == 2 * DIGEST)
        batches.setdefault(_count(size, 1), set()).add(text)
    outcomes = (early & LAST_BIT).astype(np.int64).tolist()
    known = dict(zip((early & ~LAST_BIT).tolist(), outcomes, strict=True))
    return Register(counted, dropped, known, batches, _count(content["overlap"]))


def reading_from(content: dict[str, Any]) -> dict[str, Any] | None:
    """Read which columns of files the command line reads."""
    given = content["reading"]
    if given is None:
        return None
    require(set(given) == {*READ, "forecast", "percent"} and type(given["percent"]) is bool)
    require(all(given[name] is None or type(given[name]) is str for name in READ))
    return {**given, "forecast": [_text(x) for x in given["forecast"]]}


def _text(x: Any) -> str:
    require(type(x) is str)
    return str(x)


def _count(x: Any, least: int = 0) -> int:
    require(type(x) is int and least <= x < MOST)
    return int(x)


def _numbers(x: Any) -> Column:
    """Read numbers and words for infinity; a number that is not one is refused."""
    require(type(x) is list)
    given = [WORDS.get(v, v) if type(v) is str else v for v in x]
    require(all(type(v) in (float, int) for v in given))
    return np.array(given, np.float64)
