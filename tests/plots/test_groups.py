"""Groups, one row each."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.plots.subjects import ends_of, key_texts, texts_of

from properly import Cases, plots
from properly.comparison import by_group
from properly.errors import DataError, DataWarning
from properly.inference import score_interval
from properly.plots._axes import PALETTE
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from properly.comparison import Groups
    from properly.rules import Rule

RNG = np.random.default_rng(11)
Q = RNG.uniform(size=400)
Y = RNG.random(400) < Q
LABELS = np.array(["a"] * 150 + ["b"] * 150 + ["c"] * 90 + ["few"] * 10)
P = np.where(LABELS == "b", 1 - Q, Q)


def grouped(p: Any = P, rule: Rule | None = None, labels: Any = LABELS) -> Groups:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return by_group(Cases(Y, p, groups=labels), rule or Brier(), replicates=9, rng=1)


GROUPS = grouped()


def test_one_row_a_group_with_its_score_interval_cases_and_events() -> None:
    ax = plots.groups(GROUPS)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "c", "few"]
    assert ends_of(ax, "value") == {k: [x] for k, x in enumerate(GROUPS.score.tolist())}
    assert ends_of(ax, "interval") == {k: GROUPS.interval[k].tolist() for k in range(3)}
    assert texts_of(ax, "cases") == ["150", "150", "90", "10", "cases"]
    events = [str(Y[name == LABELS].sum()) for name in ("a", "b", "c", "few")]
    assert texts_of(ax, "events") == [*events, "events"]
    assert ax.get_xlabel() == "mean Brier score (lower is better)"
    assert ax.yaxis_inverted()


def test_a_group_that_is_too_small_has_no_interval_and_that_is_said() -> None:
    ax = plots.groups(GROUPS)
    assert texts_of(ax, "words") == ["no interval"]
    small: Any = [line for line in ax.get_lines() if line.get_gid() == "value"][3]
    assert small.get_markerfacecolor() == "white"
    assert key_texts(ax)[-2] == "no interval: fewer than 10 expected events, or non-events"
    assert (
        key_texts(plots.groups(grouped(labels=np.where(Q < 0.5, "x", "y"))))[-2]
        == "all other cases"
    )


def test_the_worst_group_is_seen_from_the_rest() -> None:
    ax = plots.groups(GROUPS)
    worst = GROUPS.worst
    assert worst is not None
    assert worst.name == "b"
    ((row, ends),) = ends_of(ax, "simultaneous").items()
    assert 1 < row < 1.5
    rest = GROUPS.measures["score"].rest[1]
    assert ends == pytest.approx([rest + x for x in worst.simultaneous])
    assert ends_of(ax, "rest")[row] == [rest]
    marked = [label.get_color() for label in ax.get_yticklabels()]
    assert [color == PALETTE[1] for color in marked] == [False, True, False, False]
    assert key_texts(ax)[:3] == [
        "95 % interval",
        "worst of 3 groups",
        "its distance from all other cases: 95 % interval, allowing for the choice",
    ]


def test_all_cases_are_a_line() -> None:
    whole = score_interval(Cases(Y, P), Brier())
    ax = plots.groups(GROUPS)
    (line,) = (line for line in ax.get_lines() if line.get_gid() == "overall")
    assert list(line.get_xdata()) == pytest.approx([whole.value] * 2)  # type: ignore[arg-type]
    assert len(ends_of(ax, "rest")) == 1
    assert key_texts(ax)[-1] == f"all cases: .{1000 * whole.value:.0f}"


def test_skill_and_observed_to_expected_events_can_be_drawn() -> None:
    ax = plots.groups(GROUPS, measure="skill")
    assert ends_of(ax, "value") == {k: [x] for k, x in enumerate(GROUPS.skill.tolist())}
    assert ax.get_xlabel() == "Brier skill (higher is better)"
    ((row, _),) = ends_of(ax, "simultaneous").items()
    assert GROUPS.worst_skill is not None
    assert GROUPS.name[int(row)] == GROUPS.worst_skill.name
    assert len([line for line in ax.get_lines() if line.get_gid() == "marked"]) == 1
    ax = plots.groups(GROUPS, measure="observed_expected")
    assert ax.get_xlabel() == "observed to expected events"
    assert ends_of(ax, "marked") == {0: [1, 1]}
    assert not ends_of(ax, "simultaneous")
    assert ends_of(ax, "interval")[0] == GROUPS.measures["observed_expected"].interval[0].tolist()


def test_infinite_scores_are_said() -> None:
    ax = plots.groups(grouped(np.where(Q < 0.5, 0.0, 1.0), Log()))
    assert texts_of(ax, "words") == ["infinite"] * len(texts_of(ax, "words"))
    assert len(texts_of(ax, "words")) >= 3
    assert not ends_of(ax, "simultaneous")


def test_classes_have_no_events() -> None:
    y = np.array([0, 1, 2] * 40)
    p = np.tile([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.4, 0.3, 0.3], [0.3, 0.3, 0.4]], (30, 1))
    groups = np.array(["x"] * 60 + ["y"] * 52 + ["z"] * 8)
    record = by_group(Cases(y, p, groups=groups), Brier(), replicates=9, rng=1)
    ax = plots.groups(record)
    assert texts_of(ax, "events") == []
    assert key_texts(ax)[-2] == "no interval: fewer than 10 expected cases of the rarer classes"
    message = "these groups have no 'observed_expected'; got groups with 'score', 'skill'"
    with pytest.raises(DataError, match=message):
        plots.groups(record, measure="observed_expected")
