"""What is said to a user without refusing anything."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING

import pytest

import properly
from properly._boundary._notices import notice
from properly.errors import DataWarning
from properly.rules import PBS, Brier, Penalized, parse_rule

if TYPE_CHECKING:
    from collections.abc import Callable

SAID = "a word to the user"
# A mistake that costs less than the right answer.
CHEAP = ((1.0, 0.0), (0.0, 1.0))


def call() -> None:
    """Stand for what a module calls."""
    notice(SAID)


def ask() -> None:
    call()


def called_in(name: str | None, inner: Callable[[], object]) -> Callable[[], object]:
    """Return what calls `inner` from a module of this name, without a file."""
    known = {"call": inner} if name is None else {"call": inner, "__name__": name}
    return FunctionType(ask.__code__.replace(co_filename=f"<{name}>"), known)


def through(*names: str | None) -> Callable[[], object]:
    """Return what ends in a notice, through one module after the other, the outermost first."""
    # What calls `notice` is a room of the package, never the user.
    room = {"__name__": "properly._room", "notice": notice, "SAID": SAID}
    found: Callable[[], object] = FunctionType(call.__code__, room)
    for name in reversed(names):
        found = called_in(name, found)
    return found


@pytest.mark.parametrize(
    "rooms",
    [
        ["properly._a", "properly._b", "properly._c"],
        ["properly.rules._a"],
        ["properly._a", "properly.rules._b", "properly.reproduce._c", "properly.cli._d"],
    ],
    ids=len,
)
def test_no_room_of_the_package_is_pointed_at(rooms: list[str]) -> None:
    with pytest.warns(DataWarning) as said:
        through(*rooms)()
    assert said[0].filename == __file__


def test_what_a_user_is_called_back_for_is_the_users() -> None:
    with pytest.warns(DataWarning) as said:
        through("properly._outer", "mine", "properly._inner")()
    assert said[0].filename == "<mine>"


@pytest.mark.parametrize(
    "asked",
    [
        lambda: properly.decisions.decide([[0.5, 0.5]], CHEAP),
        lambda: properly.decisions.hard_decisions(properly.Cases([0], [[0.5, 0.5]]), CHEAP),
        lambda: Penalized(Brier(), 1, cost=CHEAP),
        lambda: PBS(1, cost=CHEAP),
        lambda: parse_rule(f"PBS(1, cost={CHEAP})"),
        lambda: properly.expected_cost([0, 1], [0, 1], CHEAP),
        lambda: properly.expected_cost([0, 0], [0, 0], classes=2, normalized=True),
        lambda: properly.retention_curve(
            [1, 2], [0, 1], [0, 1], cost=CHEAP, metric="expected_cost"
        ),
        lambda: properly.decisions.retention_study(
            {"s": [1, 2]}, [0, 1], [0, 1], cost=CHEAP, rng=1
        ),
        lambda: properly.quadratic_weighted_kappa([0, 0], [0, 0], 2),
        lambda: properly.decisions.confusion([0, 0], [0, 0], 2).kappa(),
    ],
)
def test_whatever_warns_points_here(asked: Callable[[], object]) -> None:
    with pytest.warns(DataWarning) as said:
        asked()
    assert [warning.filename for warning in said] == [__file__]
