"""What is said where a package is not installed, word for word."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

import properly
from properly import cli, decompose, evaluate, plots, report, tally
from properly.comparison import confidence_set
from properly.engines._files._dask import open_dask
from properly.engines._files._spark import open_spark
from properly.errors import MissingExtraError
from properly.rules import Brier

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("module", "call", "package", "extra"),
    [
        (
            "matplotlib.figure",
            lambda: plots.reliability(properly.reliability(tally([0, 1], [0.1, 0.2]))),
            "matplotlib",
            "properly[plots]",
        ),
        (
            "jinja2",
            lambda: report.write("report.html", evaluate([0, 1], [0.1, 0.2], replicates=0)),
            "jinja2",
            "properly[app]",
        ),
        ("dask.dataframe", lambda: open_dask("a.csv", {}).__enter__(), "dask", "properly[dask]"),
        ("pyspark.sql", lambda: open_spark("a.csv", {}).__enter__(), "pyspark", "properly[spark]"),
        ("click", cli.command, "click", "properly[app]"),
    ],
)
def test_a_missing_extra_names_the_command_that_installs_it(
    module: str,
    call: Callable[[], Any],
    package: str,
    extra: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError) as caught:
        call()
    install = f"Hint: pip install '{extra}'"
    assert str(caught.value) == f"this needs {package}, which is not installed\n\n{install}"


@pytest.mark.parametrize(
    ("backend", "message"),
    [
        (
            None,
            "a frame needs polars, pandas or pyarrow, which is not installed\n\nHint: pip install polars",
        ),
        ("pandas", "a frame needs pandas, which is not installed\n\nHint: pip install pandas"),
    ],
)
def test_a_frame_without_a_frame_library_names_the_command_that_installs_one(
    backend: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("properly._boundary._record.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError) as caught:
        decompose(tally([0], [0.1]), Brier()).to_frame(backend)
    assert str(caught.value) == message


def test_a_set_of_models_without_arch_names_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "arch.bootstrap", None)
    with pytest.raises(MissingExtraError) as caught:
        confidence_set(
            [0, 1] * 30, {"new": [0.2, 0.7] * 30, "old": [0.3] * 60}, rule=Brier(), rng=1
        )
    assert str(caught.value) == (
        "this needs arch, which is not installed\n\nHint: pip install 'properly[timeseries]'"
    )
