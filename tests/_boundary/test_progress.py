"""The bar of progress: when it appears, how it moves, and where it does not."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import pytest

import properly
from properly._boundary import _progress
from properly._boundary._chunks import share_out
from properly._boundary._progress import ProgressBar, RichDisplay, counted, is_watched, shown

Y, P = [0, 1, 1, 0], {"good": [0.1, 0.8, 0.7, 0.2], "poor": [0.5, 0.5, 0.6, 0.4]}


class Clock:
    """A clock that goes on by a step each time somebody looks at it."""

    def __init__(self, step: float = 0.0) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


class Record:
    """A display that keeps what it was told."""

    def __init__(self) -> None:
        self.shown: list[tuple[float, int, str]] = []
        self.closed = False

    def update(self, done: float, total: int, what: str) -> None:
        self.shown.append((done, total, what))

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def record(monkeypatch: pytest.MonkeyPatch) -> Record:
    """Somebody looks at a display, and every look at the clock takes a second."""
    record, clock = Record(), Clock(step=1.0)
    monkeypatch.setattr(_progress, "is_watched", lambda: True)
    monkeypatch.setattr(_progress, "RichDisplay", lambda: record)
    monkeypatch.setattr(_progress, "ProgressBar", lambda make, wait: ProgressBar(make, wait, clock))
    return record


def test_a_bar_appears_after_two_seconds() -> None:
    clock, record = Clock(), Record()
    bar = ProgressBar(lambda: record, clock=clock)
    bar(0, 3, "first")
    clock.now = 1.99
    bar(1, 3, "second")
    assert record.shown == []
    clock.now = 2.0
    bar(2, 3, "third")
    bar.close()
    assert record.shown == [(2.0, 3, "third")]
    assert record.closed


def test_a_bar_moves_within_draws_ten_times_a_second() -> None:
    clock, record = Clock(), Record()
    bar = ProgressBar(lambda: record, clock=clock)
    bar(1, 4, "draws")
    for _ in bar.count(range(1000), 1000):
        clock.now += 0.01
    places = [done for done, _, _ in record.shown]
    assert 70 <= len(places) <= 80
    assert places == sorted(places)
    assert places[0] == pytest.approx(1.1)
    assert 1.49 < places[-1] <= 1.5
    for _ in bar.count(range(10), 10):
        clock.now += 0.2
    assert record.shown[-1][0] == pytest.approx(1.75)


def test_a_loop_within_a_loop_moves_nothing() -> None:
    record = Record()
    bar = ProgressBar(lambda: record, clock=Clock(step=1.0))
    bar(0, 1, "draws")
    for _ in bar.count(range(2), 2):
        assert list(bar.count(range(5), 5)) == [0, 1, 2, 3, 4]
    assert [done for done, _, _ in record.shown] == [0.25, 0.5]


def test_an_evaluation_shows_a_bar_and_removes_it(record: Record) -> None:
    quiet = properly.evaluate(Y, P, rng=1, progress=False)
    assert record.shown == []
    found = properly.evaluate(Y, P, rng=1)
    assert [what for _, _, what in record.shown][-1] == "thresholds"
    places = [done for done, _, _ in record.shown]
    assert places == sorted(places)
    assert record.closed
    assert str(found) == str(quiet)


def test_a_stopped_evaluation_removes_its_bar(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(record, "update", interrupt)
    with pytest.raises(KeyboardInterrupt):
        properly.evaluate(Y, P, replicates=0)
    assert record.closed
    assert list(counted("ab", 2)) == ["a", "b"]


def test_there_is_one_bar_at_a_time(record: Record) -> None:
    with shown(None) as outer, shown(None) as inner:
        assert isinstance(outer, ProgressBar)
        assert inner is None
    assert record.shown == []


def test_threads_move_the_bar_of_their_caller(record: Record) -> None:
    with shown(None) as bar:
        assert bar is not None
        bar(0, 1, "threads")
        share_out(lambda k: list(counted(range(k), k)), [3, 3, 3, 3])
    assert len(record.shown) > 1


def test_only_terminals_and_notebooks_are_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: True))
    assert not is_watched()
    for name in ("CI", "PYTEST_CURRENT_TEST"):
        monkeypatch.delenv(name, raising=False)
    assert is_watched()
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert not is_watched()
    kernel = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    monkeypatch.setattr(_progress, "find_spec", lambda name: name)
    assert is_watched()
    monkeypatch.setattr(_progress, "find_spec", lambda name: name if name == "rich" else None)
    assert not is_watched()
    monkeypatch.setattr(_progress, "find_spec", lambda _: None)
    assert not is_watched()


def test_a_bar_is_drawn_and_wiped_and_names_are_no_markup() -> None:
    stream = io.StringIO()
    display = RichDisplay(stderr=False, file=stream, force_terminal=True, width=80)
    display.update(1.5, 3, "draws of [bold]model")
    display.progress.refresh()
    display.close()
    assert "draws of [bold]model" in stream.getvalue()
    assert "50%" in stream.getvalue()
    assert stream.getvalue().endswith("\x1b[2K")
