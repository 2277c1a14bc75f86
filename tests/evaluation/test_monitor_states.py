"""States of monitors in files: whole, ours and unchanged, or refused in words."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.monitors import drawn, state

import properly
from properly import Monitor
from properly.errors import DataError
from properly.evaluation._monitor._monitor import STATES, alone
from properly.recalibration import Beta, Isotonic, Logistic
from properly.rules import Log

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DRAWN = drawn(60)
CHANGED = "was cut or changed after it was written; it is not used"


def some_of_all() -> Monitor:
    """Watch models with all that a state can hold."""
    monitor = Monitor(against="q", rule=Log(), maps={"p": Logistic(intercept=0.1, slope=0.9)})
    y = np.where(np.isin(np.arange(60), [41, 43, 50]), np.nan, DRAWN.y)
    monitor.add([1, 0], ids=["later", "never"])
    labels: dict[str, Any] = {"clusters": DRAWN.clusters, "groups": DRAWN.groups}
    monitor.add(y, {"p": DRAWN.p, "q": 1 - DRAWN.p}, ids=DRAWN.ids, **labels)
    monitor.drop([DRAWN.ids[41]])
    assert monitor.alarms
    assert min(monitor.open, monitor.waiting, monitor.early, monitor.dropped) > 0
    return monitor


def restarting() -> Monitor:
    monitor = Monitor(run_length=20.0, level=0.8, pos_label="yes")
    monitor.add(["yes"] * 30, [0.2] * 29 + [0.0])
    assert monitor.alarms
    return monitor


def infinite() -> Monitor:
    monitor = Monitor(against=0.5)
    monitor.add([1, 0, 1], [0.0, 0.3, 0.2], once=True)
    monitor.add([1, 1, 0], [0.1, 0.3, 0.2], once=True)
    return monitor


def with_odd_names() -> Monitor:
    monitor = Monitor(against="a\ud800\n")
    models = {"a\ud800\n": [0.2], '"}': [0.3]}
    monitor.add([None], models, ids=["\x00"], groups=["\u2028</script>"])
    return monitor


def with_maps() -> Monitor:
    many = drawn(300)
    cases = properly.tally(many.y, many.p)
    maps = {"p": Isotonic().fit(cases), "q": Beta().fit(cases)}
    monitor = Monitor(maps=maps)
    monitor.add(DRAWN.y, DRAWN.models, ids=DRAWN.ids)
    return monitor


def lagged() -> Monitor:
    monitor = Monitor(lag=2, against=0.5)
    y = np.where(np.arange(60) < 57, DRAWN.y, np.nan)
    for rows in (slice(40), slice(40, 60)):
        monitor.add(y[rows], DRAWN.p[rows], ids=DRAWN.ids[rows])
    monitor.add(DRAWN.y[57:58], ids=DRAWN.ids[57:58])
    return monitor


def early_only() -> Monitor:
    monitor = Monitor()
    monitor.add([1, 0], ids=["a", "b"])
    return monitor


MONITORS = {
    f.__name__: f
    for f in (
        Monitor,
        some_of_all,
        restarting,
        infinite,
        with_odd_names,
        with_maps,
        lagged,
        early_only,
    )
}


@pytest.fixture(params=MONITORS)
def monitor(request: pytest.FixtureRequest) -> Monitor:
    return MONITORS[request.param]()


def more(monitor: Monitor) -> None:
    """Add cases of which all monitors here know what to do."""
    found = monitor.evidence
    against = monitor.options["against"]
    begun = ["p", *([against] if isinstance(against, str) and against != "p" else [])]
    models = list(dict.fromkeys(x.model for x in found)) or begun
    yes = monitor.options["pos_label"] or 1
    known: dict[str, Any] = {"groups": ["north"] * 40} if any(x.group for x in found) else {}
    by_id = monitor.open or monitor.early or monitor.dropped or len(monitor._register.counted)
    known |= {"ids": DRAWN.ids[20:60]} if by_id else {"once": True}
    monitor.add([yes] * 40, {name: [0.4] * 40 for name in models}, **known)


# There and back


def test_a_state_that_was_saved_and_read_is_the_same(monitor: Monitor, tmp_path: Path) -> None:
    path = monitor.save(tmp_path / "watch.json")
    again = Monitor.load(path)
    assert state(again) == state(monitor) == path.read_text(encoding="utf-8")
    assert again.to_dict() == monitor.to_dict()
    assert str(again) == str(monitor)


@pytest.mark.filterwarnings("ignore:.*differed from what had been told")
def test_a_monitor_goes_on_as_if_it_had_not_been_saved(monitor: Monitor, tmp_path: Path) -> None:
    again = Monitor.load(monitor.save(tmp_path / "watch.json"))
    more(monitor)
    more(again)
    assert state(again) == state(monitor)


def refused(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        Monitor.load(path)
    return str(caught.value)


# Forged, with a checksum that fits


WRONG: list[Any] = [
    None, True, -1, 0, 1, 2, 3, 10**9, 2**53, 10**40, 0.5, -0.5, 1e308, "", "x", "Infinity",
    "-Infinity", [], [1], [[1]], [None], {}, {"x": 1}, "AAAAAAAAAAA=", "AAAA",
]  # fmt: skip


def places(x: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Go through all that a content holds; of long lists, their first, second and last entry."""
    yield at
    if isinstance(x, dict):
        for key in x:
            yield from places(x[key], (*at, key))
    elif isinstance(x, list):
        for k in sorted({0, 1, len(x) - 1} & set(range(len(x)))):
            yield from places(x[k], (*at, k))


def forged(content: Any, at: tuple[Any, ...], change: Any) -> Any:
    """Replace a part of a content, or change it by a function."""
    if not at:
        return change(content) if callable(change) else change
    result = copy.copy(content)
    result[at[0]] = forged(content[at[0]], at[1:], change)
    return result


def check_forged(content: Any, path: Path) -> None:
    """Require that a content is refused in words, or taken as it is by a monitor that goes on."""
    text, _ = STATES.written(content)
    path.write_text(text, encoding="ascii")
    try:
        monitor = Monitor.load(path)
    except DataError as refusal:
        if CHANGED not in str(refusal) and "cannot be used: " not in str(refusal):
            raise
        return
    assert state(monitor) == text
    assert str(monitor)
    json.dumps(monitor.to_dict(), allow_nan=False)
    if monitor.options["pos_label"] in (None, "yes"):
        more(monitor)
        assert state(monitor) != text


def drop_last(x: Any) -> Any:
    return x[:-1] if isinstance(x, str | list) else {k: x[k] for k in list(x)[1:]}


def double(x: Any) -> Any:
    return x | {"more": 1} if isinstance(x, dict) else x + x


def turn(x: Any) -> Any:
    return dict(reversed(x.items())) if isinstance(x, dict) else x[::-1]


def forgeries(monitor: Monitor) -> Iterator[Any]:
    """Go through contents with a part that is another, of a kind that is wrong, or turned."""
    content = json.loads(json.dumps(monitor._content()))
    for at in places(content):
        part = content
        for key in at:
            part = part[key]
        has_parts = isinstance(part, str | list | dict)
        for change in [*WRONG, *([drop_last, double, turn] if has_parts else [])]:
            if change != part or type(change) is not type(part):
                yield forged(content, at, change)


@pytest.mark.filterwarnings("ignore:.*differed from what had been told")
@pytest.mark.parametrize("name", ["some_of_all", "restarting", "infinite", "lagged", "early_only"])
def test_no_forged_state_does_harm(name: str, tmp_path: Path) -> None:
    for content in islice(forgeries(MONITORS[name]()), 0, None, 41):
        check_forged(content, tmp_path / "watch.json")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*differed from what had been told")
@pytest.mark.parametrize("name", ["some_of_all", "restarting", "infinite", "lagged", "early_only"])
def test_no_forged_state_at_all_does_harm(name: str, tmp_path: Path) -> None:
    for content in forgeries(MONITORS[name]()):
        check_forged(content, tmp_path / "watch.json")


@pytest.mark.parametrize("name", ["counted", "dropped", "early"])
def test_ids_in_a_table_are_refused(name: str, tmp_path: Path) -> None:
    content = json.loads(json.dumps(early_only()._content()))
    table = content[name] | {"shape": [1, *content[name]["shape"]]}
    path = tmp_path / "watch.json"
    path.write_text(STATES.written(content | {name: table})[0], encoding="ascii")
    assert CHANGED in refused(path)


# Writing


def test_of_two_who_add_to_one_state_the_second_is_refused(tmp_path: Path) -> None:
    path = early_only().save(tmp_path / "watch.json")
    one, other = Monitor.load(path), Monitor.load(path)
    one.add([1], ids=["c"])
    one.save(path)
    other.add([1], ids=["d"])
    saved = path.read_bytes()
    with pytest.raises(DataError, match=r"was written by another since it was read"):
        other.save(path)
    assert path.read_bytes() == saved
    one.add([1], ids=["e"])
    one.save(path)
    other.save(path, overwrite=True)
    assert Monitor.load(path).early == 3


def test_a_monitor_that_was_not_read_replaces_no_file(tmp_path: Path) -> None:
    path = tmp_path / "watch.json"
    path.write_text("mine")
    with pytest.raises(DataError, match=r"exists already and is not overwritten"):
        Monitor().save(path)
    assert path.read_text() == "mine"
    Monitor().save(path, overwrite=True)
    assert Monitor.load(path).cases == 0


def test_a_file_that_became_something_else_is_not_replaced(tmp_path: Path) -> None:
    monitor = early_only()
    path = monitor.save(tmp_path / "watch.json")
    path.write_text("mine")
    with pytest.raises(DataError, match=r"is not a state that properly has written"):
        monitor.save(path)
    assert path.read_text() == "mine"
    path.unlink()
    assert state(Monitor.load(monitor.save(path))) == state(monitor)


@pytest.mark.slow
def test_others_wait_while_a_folder_is_kept_for_oneself(tmp_path: Path) -> None:
    path = early_only().save(tmp_path / "watch.json")
    code = "import sys; from properly import Monitor; m = Monitor(); m.save(sys.argv[1])"
    writer = [sys.executable, "-c", code, str(tmp_path / "other.json")]
    with alone(path):
        process = subprocess.Popen(writer)  # noqa: S603
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(3)
        assert not (tmp_path / "other.json").exists()
    assert process.wait(60) == 0
    assert (tmp_path / "other.json").exists()


@pytest.mark.parametrize("path", ["none/watch.json", "a\0b"])
def test_where_no_file_can_be_nothing_is_kept(path: str, tmp_path: Path) -> None:
    with alone(tmp_path / path), pytest.raises(DataError):
        Monitor().save(tmp_path / path)
