"""Legal calls of all public functions end in an answer, or in an error of ours; numpy is silent."""

from __future__ import annotations

import importlib
import inspect
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st
from tests.examples import examples

import properly
from properly.errors import DataWarning, ProperlyError

from .calls import CALLS, WRITERS
from .pictures import PICTURES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# Every public function has a quick test elsewhere.
pytestmark = pytest.mark.slow

PACKAGES = (
    *("calibration", "comparison", "counts", "datasets", "decisions", "engines", "evaluation"),
    *("inference", "plots", "probability", "recalibration", "report", "rules"),
)
# A page takes a second: what fails is shown as it was drawn.
DRAWN = (Phase.explicit, Phase.generate)
SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture)


def public_functions() -> set[str]:
    """Walk through the doors for functions; a name that is at two of them counts at its package."""
    modules = {door: importlib.import_module(f"properly.{door}") for door in PACKAGES}
    return {
        f"{door}.{name}"
        for door, module in modules.items()
        for name in module.__all__
        if inspect.isfunction(getattr(module, name))
    }


def test_every_package_is_walked_through() -> None:
    doors = {name for name in properly.__all__ if inspect.ismodule(getattr(properly, name))}
    assert doors - set(PACKAGES) == {"errors", "integrations"}


def test_every_public_function_has_a_call() -> None:
    called = set(CALLS) | set(WRITERS) | set(PICTURES)
    assert public_functions() - called == set()


def test_every_call_is_of_a_public_name() -> None:
    called = set(CALLS) | set(WRITERS) | set(PICTURES)
    assert called - public_functions() == {"evaluation.Monitor"}


def answer(call: Callable[[], Any]) -> Any:
    """Return what a call answers, and look at it; None if it is refused. Only we may warn."""
    with warnings.catch_warnings(), suppress(ProperlyError):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DataWarning)
        result = call()
        assert isinstance(repr(result), str)
        assert isinstance(str(result), str)
        if hasattr(result, "to_dict"):
            assert result.to_dict()
        return result
    return None


@pytest.mark.parametrize("name", sorted(CALLS))
@examples(10, suppress_health_check=SLOW)
@given(data=st.data())
def test_a_call_is_answered_or_refused(name: str, data: Any) -> None:
    answer(lambda: CALLS[name](data.draw))


@pytest.mark.parametrize("name", sorted(WRITERS))
@examples(3, suppress_health_check=SLOW, phases=DRAWN)
@given(data=st.data())
def test_a_file_is_written_or_refused(
    name: str, data: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webbrowser.open", lambda *_: True)
    answer(lambda: WRITERS[name](data.draw, tmp_path))


@pytest.mark.parametrize("name", sorted(PICTURES))
@examples(5, suppress_health_check=SLOW, phases=DRAWN)
@given(data=st.data())
def test_a_picture_is_drawn_or_refused(name: str, data: Any) -> None:
    import matplotlib.pyplot as plt

    try:
        answer(lambda: PICTURES[name](data.draw))
    finally:
        plt.close("all")
