"""Clusters that are not there, or do not answer; what else they say is in ``engines.txt``."""

from __future__ import annotations

import os
import re
import socket
import sys
from typing import TYPE_CHECKING

import pytest

from properly.engines._files import _spark
from properly.engines._files._clusters import KINDS, kind_of, translated
from properly.engines._files._dask import open_dask
from properly.engines._files._spark import open_spark
from properly.errors import DataError, MissingExtraError

if TYPE_CHECKING:
    from pathlib import Path

ALONE = "\n\nHint: without a master, this machine works alone."


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "host-1.lan:8786", "tls://[::1]:8786"])
def test_an_address_that_looks_like_one_is_tried(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "dask.dataframe", None)
    with pytest.raises(MissingExtraError):
        open_dask("a.csv", {}, address).__enter__()


@pytest.mark.parametrize(
    "master", ["local", "local[2]", "local[*]", "yarn", "k8s://https://h:6443", "spark://h:1,k:2"]
)
def test_a_master_that_looks_like_one_is_tried(
    master: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingExtraError):
        open_spark("a.csv", {}, master).__enter__()


def test_java_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hint = "\n\nHint: install Java 17 or later, or set JAVA_HOME to it."
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(MissingExtraError) as caught:
        _spark._require_java()
    assert str(caught.value) == "Spark needs Java, which is not installed" + hint
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(MissingExtraError) as caught:
        _spark._require_java()
    said = "Spark needs Java, which is not installed in JAVA_HOME = '/nowhere'"
    assert str(caught.value) == said + hint


def test_a_master_that_does_not_answer() -> None:
    with socket.socket() as link:
        link.bind(("127.0.0.1", 0))
        master = f"spark://127.0.0.1:{link.getsockname()[1]}"
        with pytest.raises(DataError) as caught:
            _spark._own_address(master)
        said = f"a master of Spark must answer within 10 seconds; that at {master!r} does not"
        assert str(caught.value) == said + ALONE
        # One of several is enough.
        with socket.create_server(("127.0.0.1", 0)) as there:
            several = f"{master},127.0.0.1:{there.getsockname()[1]}"
            assert _spark._own_address(several) == "127.0.0.1"
    assert _spark._own_address("yarn") is None


def dask_says(name: str) -> Exception:
    """Make an exception as an engine that is not loaded would raise it."""
    made: Exception = type(name, (Exception,), {"__module__": "distributed.somewhere"})()
    return made


def test_what_an_engine_raises_is_the_cause() -> None:
    error = dask_says("KilledWorker")
    with pytest.raises(DataError) as caught, translated("dask"):
        raise error
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("engine", ["dask", "spark", "polars"])
def test_what_is_left_alone(engine: str) -> None:
    for error in (ZeroDivisionError("mine"), DataError("ours"), KeyboardInterrupt()):
        with pytest.raises(type(error)) as caught, translated(engine):
            raise error
        assert caught.value is error


def fitting(*values: str) -> str:
    """Choose the kind of a column of these texts, as workers do."""
    fits = (k for k, pattern in KINDS.items() if all(re.fullmatch(pattern, x) for x in values))
    return kind_of(fits)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", " -2 ", "+3"], "whole"),
        (["0", "8999999999999999999", "-8999999999999999999"], "whole"),
        (["9000000000000000000"], "text"),
        (["12345678901234567890123"], "text"),
        (["007"], "text"),
        (["0.5", "1", ".5", "5.", "1e-3", "-Inf"], "number"),
        (["true", "FALSE"], "truth"),
        (["true", "1"], "text"),
        (["1_000"], "text"),
        (["nan"], "text"),
        ([], "whole"),
    ],
)
def test_the_narrowest_kind_is_chosen(values: list[str], kind: str) -> None:
    assert fitting(*values) == kind
