"""States of monitors: JSON with a version and a checksum, read back strictly. Nothing is run."""

from __future__ import annotations

import json
import os
import re
import threading
from base64 import b64decode, b64encode
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from properly._boundary._files import ODD, Damaged, read_bytes, require
from properly._boundary._text import printable
from properly.errors import DataError
from properly.evaluation._monitor._batch import OPEN
from properly.evaluation._monitor._ledger import MOST_TIMES, Found, Ledger
from properly.evaluation._monitor._register import DIGEST, LAST_BIT, Register
from properly.evaluation._monitor._track import BETS_ABOUT, Claim, Track
from properly.evaluation._monitor._waiting import Waiting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.evaluation._monitor._ledger import Plan
    from properly.typing import Column

# Version 1 had neither lag nor overlap; where they are 0 they are left out, so it is read as it is.
FORMAT, VERSION = "properly-monitor", 2
# Some tens of millions of cases; more are watched by groups of their own files.
LARGEST = 2**30
# More than is ever counted, and less than arithmetic can hold.
MOST = 2**53
# The columns of a file that are not forecasts.
READ = ("outcome", "id", "clusters", "groups")
WORDS = {"Infinity": np.inf, "-Infinity": -np.inf}
BEGIN = f'{{"format": "{FORMAT}", "version": '.encode()
HEAD = re.compile(re.escape(BEGIN) + rb'([1-9]\d{0,8}), ("sha256": "([0-9a-f]{64})", "content": )?')
# Folders that this thread keeps for itself.
KEPT = threading.local()


def written(content: dict[str, Any]) -> tuple[str, str]:
    """Return the text of a file, and the checksum of what it says."""
    said = json.dumps(content, sort_keys=True, allow_nan=False)
    checksum = sha256(said.encode()).hexdigest()
    text = f'{BEGIN.decode()}{VERSION}, "sha256": "{checksum}", "content": {said}}}\n'
    if len(text) > LARGEST:
        message = f"a state can be {LARGEST:,} bytes long; this one would be {len(text):,}"
        raise DataError(message, hint="begin another one, for the cases to come.")
    return text, checksum


def read(path: str | os.PathLike[str]) -> tuple[bytes, str]:
    """Read what was written, and its checksum; refuse what is not ours, was cut or was changed."""
    shown = printable(str(path))
    data = read_bytes(path, "state", LARGEST)
    if not data.startswith(BEGIN):
        message = f"{shown} is not a state that properly monitor has written"
        raise DataError(message, hint="give another --state; a new file is begun.")
    head = HEAD.match(data)
    if head and int(head[1]) > VERSION:
        message = (
            f"the state {shown} has format {int(head[1])}; this version of properly reads {VERSION}"
        )
        raise DataError(message, hint="pip install --upgrade properly")
    with undamaged(shown):
        if head is None or head[3] is None:
            raise Damaged
        require(data.endswith(b"}\n") and len(data) <= LARGEST)
        said, checksum = data[head.end() : -2], head[3].decode()
        require(sha256(said).hexdigest() == checksum)
        return said, checksum


def parsed(said: bytes) -> dict[str, Any]:
    """Read JSON, which has neither infinity nor what is no number."""
    return dict(json.loads(said, parse_constant=_refuse_constant))


@contextmanager
def undamaged(shown: str) -> Iterator[None]:
    """Say that a state was cut or changed, whatever it is that shows it."""
    try:
        yield
    except (Damaged, RecursionError, *ODD):
        message = f"the state {shown} was cut or changed after it was written; it is not used"
        hint = "put back a copy of it, or begin a new one from all cases."
        raise DataError(message, hint=hint) from None


def _refuse_constant(_: str) -> NoReturn:
    raise Damaged


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


def as_text(numbers: Column) -> str:
    """Write whole numbers of 64 bits as text."""
    return b64encode(np.ascontiguousarray(numbers, "<u8").tobytes()).decode()


def _from_text(text: Any) -> Column:
    require(type(text) is str)
    return np.frombuffer(b64decode(text, validate=True), "<u8").astype(np.uint64)


def content_of(ledger: Ledger, waiting: Waiting, register: Register) -> dict[str, Any]:
    """Write the evidence, the cases that wait, and what is known of others."""
    claims = [_claim_of(claim, track) for claim, track in ledger.tracks.items()]
    alarms = [
        {**found.claim._asdict(), "case": found.case, "log_e": _words([found.log_e])[0]}
        for found in ledger.alarms
    ]
    cases = {name: getattr(waiting, name).tolist() for name in ("unit", "y", "group", "forecasts")}
    batches = [[n, text] for n, texts in register.batches.items() for text in texts]
    return {
        "models": list(ledger.plan.models),
        **{x: getattr(ledger, x) for x in ("groups", "first_groups", "units", "cases")},
        **{x: getattr(ledger, x) for x in ("times", "step")},
        "claims": claims,
        "alarms": alarms,
        "waiting": cases | {"ids": as_text(waiting.ids)},
        "counted": as_text(register.counted),
        "dropped": as_text(register.dropped),
        "early": sorted([i, y] for i, y in register.early.items()),
        "batches": sorted(batches),
        **({"overlap": register.overlap} if register.overlap else {}),
    }


def _claim_of(claim: Claim, track: Track) -> dict[str, Any]:
    """Write the state of a claim, with floors where there is a lag."""
    written = {**claim._asdict(), **vars(track)}
    for name in ("sums", "floors", "path"):
        written[name] = _words(np.ravel(getattr(track, name)))
    written["now"], written["greatest"] = _words([track.now, track.greatest])
    if len(track.floors) == 1:
        del written["floors"]
    return written


def _words(numbers: Any) -> list[Any]:
    """Write numbers for JSON, which has no infinity."""
    words = {np.inf: "Infinity", -np.inf: "-Infinity"}
    return [words.get(x, x) for x in map(float, numbers)]


def ledger_from(content: dict[str, Any], plan: Plan) -> Ledger:
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


def _claim(x: dict[str, Any], plan: Plan, times: int) -> tuple[Claim, Track]:
    claim, series = _claimed(x), plan.lag + 1
    path, sums = _numbers(x["path"]), _numbers(x["sums"])
    require(len(sums) == series * BETS_ABOUT[claim.about])
    sums = sums.reshape(series, -1)
    floors = _numbers(x["floors"]) if plan.lag else sums[:, 0]
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
    unit, y, group = (
        np.array([_count(v, least) for v in x[name]], np.int64)
        for name, least in (("unit", 0), ("y", OPEN), ("group", 0))
    )
    forecasts = _numbers([v for row in x["forecasts"] for v in row]).reshape(-1, models)
    ids = _from_text(x["ids"])
    require(all(len(row) == models for row in x["forecasts"]))
    require(len(unit) == len(y) == len(group) == len(forecasts) == len(ids))
    require((y <= 1).all() and ((forecasts >= 0) & (forecasts <= 1)).all())
    require(np.isin(np.diff(unit, prepend=ledger.units), (0, 1)).all())
    require(not len(unit) or (unit[0] == ledger.units and (y[unit == unit[0]] == OPEN).any()))
    require((group < max(len(ledger.groups), 1)).all())
    require(not (ids & LAST_BIT).any())
    return Waiting(unit, ids, y.astype(np.int8), group, forecasts)


def register_from(content: dict[str, Any]) -> Register:
    """Read what is known of cases that do not wait."""
    counted, dropped = (_from_text(content[name]) for name in ("counted", "dropped"))
    for ids in (counted & ~LAST_BIT, dropped):
        require((ids[1:] > ids[:-1]).all())
    early = {i: _count(y) for i, y in content["early"]}
    require(all(type(i) is int and 0 <= i < 2**64 and not i & 1 for i in early))
    require(all(y <= 1 for y in early.values()))
    batches: dict[int, set[str]] = {}
    for size, text in content["batches"]:
        require(len(_text(text)) == 2 * DIGEST)
        batches.setdefault(_count(size, 1), set()).add(text)
    return Register(counted, dropped, early, batches, _count(content.get("overlap", 0)))


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
