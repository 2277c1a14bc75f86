"""How tests are run: examples of Hypothesis, an empty folder per test, missing frameworks."""

from __future__ import annotations

import os
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

# The same examples in every run, and no clock. Few of them, since a law is drawn for every rule;
# tests of one subject ask for more by ``tests.examples``. `make verify` names the full profile.
settings.register_profile("full", derandomize=True, deadline=None, max_examples=10)
settings.register_profile("dev", settings.get_profile("full"), max_examples=3)
# `make fuzz` seeds each round anew, and prints the seed.
settings.register_profile("fuzz", deadline=None, max_examples=10, database=None)
settings.load_profile("dev")

# Keras asks for TensorFlow unless it is told otherwise.
os.environ.setdefault("KERAS_BACKEND", "torch")
# The framework that a file or a folder of the doors imports; its examples run where that is.
DOORS = {
    "torch": "torch",
    "torch/_kernels.py": "triton",
    "lightning": "lightning",
    "keras": "keras",
    "xgboost.py": "xgboost",
    "lightgbm.py": "lightgbm",
    "mlflow": "mlflow",
}
MISSING = {door: framework for door, framework in DOORS.items() if find_spec(framework) is None}
collect_ignore = [f"src/properly/integrations/{door}" for door in MISSING]

ROOT = Path(__file__).parent
# The caches of tools, and what `make verify` builds beside its tests.
OTHERS = (
    *(".coverage", ".hypothesis", ".import_linter_cache", ".mypy_cache", ".pytest_cache"),
    *(".ruff_cache", "dist"),
)
WORKPLACE = pytest.StashKey[Path]()
FILES = pytest.StashKey[set[str]]()


def pytest_report_header() -> list[str]:
    """Say which examples in docstrings are not run."""
    if not MISSING:
        return []
    frameworks = ", ".join(dict.fromkeys(MISSING.values()))
    return [f"examples left out, their frameworks are not installed: {frameworks}"]


def pytest_configure(config: pytest.Config) -> None:
    """Make the folder that tests start in, and one for their temporary files."""
    # Workers have folders beside each other: the names of sockets must be short.
    root = os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())
    config.stash[WORKPLACE] = workplace = Path(tempfile.mkdtemp(prefix="properly-tests-", dir=root))
    (workplace / "temporary").mkdir()
    os.environ["TMPDIR"] = tempfile.tempdir = str(workplace / "temporary")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the folder that tests started in."""
    os.chdir(config.invocation_params.dir)
    shutil.rmtree(config.stash[WORKPLACE], ignore_errors=True)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Run each test, with its fixtures, in an empty folder."""
    folder = item.config.stash[WORKPLACE] / "folder"
    if folder.is_dir() and any(folder.iterdir()):
        shutil.rmtree(folder)
    folder.mkdir(exist_ok=True)
    os.chdir(folder)
    return (yield)


def files() -> set[str]:
    """Return what is in the project's folder, and what this library calls temporary."""
    checkout = {x.path for x in os.scandir(ROOT) if not x.name.startswith(OTHERS)}
    # Browsers and frameworks leave files of their own, and `show` leaves a page for the browser.
    ours = [x.path for x in os.scandir(tempfile.gettempdir()) if x.name.startswith("properly-")]
    return checkout | {path for path in ours if not path.endswith(".html")}


def pytest_runtest_call(item: pytest.Item) -> None:
    """Note what is there before a test; fixtures that others share may have made it."""
    item.stash[FILES] = files()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Fail a test that leaves files outside of its folder."""
    result = yield
    before = item.stash.get(FILES, None)
    if before is not None and (left := files() - before):
        pytest.fail(f"the test left files behind: {', '.join(sorted(left))}")
    return result
