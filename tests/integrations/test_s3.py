"""Files in a store of S3, on a server of this machine: every engine reads what was put there."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.command_line import run
from tests.integrations.awkward_files import COLUMNS, parqueted, written
from tests.integrations.slow_parts import all_rows, expected, tallied

import properly
from properly.engines._files import open_files
from properly.engines._files._dask import open_dask
from properly.errors import DataError, DataWarning, MissingExtraError

WHY = "it is not installed; `make test-integrations` installs it"
moto = pytest.importorskip("moto.server", reason=WHY)
pytest.importorskip("s3fs", reason=WHY)
fsspec: Any = import_module("fsspec")

NAMES = ["the forecast, in %", "died", "sent", "code", "id"]
ASKED = {f"c{i}": name for i, name in enumerate(NAMES)}
write = partial(written, NAMES)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Start a server on an address that only this machine has."""
    running = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def settings(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Say where the store is, and who asks, as users do."""
    for name, value in {
        "AWS_ENDPOINT_URL": server,
        "AWS_ACCESS_KEY_ID": "someone",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "NO_PROXY": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)
    fsspec.get_filesystem_class("s3").clear_instance_cache()


@pytest.fixture
def store(settings: None, request: pytest.FixtureRequest) -> Any:  # noqa: ARG001
    """Make a bucket for one test."""
    system = fsspec.filesystem("s3", use_listings_cache=False)
    bucket = f"b{abs(hash(request.node.nodeid)):x}"
    system.mkdir(bucket)
    return Bucket(system, f"s3://{bucket}")


class Bucket:
    """Where a test puts its files."""

    def __init__(self, system: Any, address: str) -> None:
        self.system, self.address = system, address

    def put(self, name: str, content: bytes) -> str:
        self.system.pipe_file(f"{self.address}/{name}", content)
        return f"{self.address}/{name}"


def half_and_half(store: Bucket, folder: Path, kind: str) -> list[Path]:
    """Put rows into two files of a folder of the store, and leave them here too."""
    paths = [
        write(folder, kind, rows, name) for name, rows in (("a", slice(4)), ("b", slice(4, None)))
    ]
    for path in paths:
        store.put(f"scores/{path.name}", path.read_bytes())
    return paths


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "jsonl"])
def test_a_store_is_read_as_this_machine_is(store: Bucket, tmp_path: Path, kind: str) -> None:
    paths = half_and_half(store, tmp_path, kind)
    for addresses in (
        f"{store.address}/scores/*.{kind}",
        [f"{store.address}/scores/{path.name}" for path in paths],
    ):
        with pytest.warns(DataWarning, match=r"^dropped 1 of 6 rows"):
            there = properly.read(addresses, ["the forecast, in %", "code"], missing="drop")
        with pytest.warns(DataWarning, match=r"^dropped 1 of 6 rows"):
            here = properly.read(paths, ["the forecast, in %", "code"], missing="drop")
        for name, column in here.items():
            np.testing.assert_array_equal(there[name], column)
            assert there[name].dtype == column.dtype


def test_columns_may_be_in_another_order_in_each_file(store: Bucket) -> None:
    store.put("a.csv", b"y,p\n1,0.5\n")
    store.put("b.csv", b"p,y\n0.25,0\n")
    data = properly.read(f"{store.address}/*.csv")
    assert data["y"].tolist() == [1, 0]
    assert data["p"].tolist() == [0.5, 0.25]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_rows_that_are_not_read_into_memory(store: Bucket, tmp_path: Path, kind: str) -> None:
    half_and_half(store, tmp_path, kind)
    with open_files(f"{store.address}/scores/?.{kind}", memory="500MB") as files:
        relation, _ = files.relation({"c0": "the forecast, in %", "c1": "id"}, missing="drop")
        assert max(relation.fetchall()) == (1.0, 2**60 + 3)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_command_line_says_the_same(store: Bucket, tmp_path: Path, kind: str) -> None:
    lines = [f"{y},{float(p)!r}\n" for p, y in zip(*all_rows(), strict=True)]
    content = ("died,forest\n" + "".join(lines)).encode()
    if kind == "parquet":
        p, y = all_rows()
        content = parqueted(died=list(y), forest=list(p))
    local = tmp_path / f"a.{kind}"
    local.write_bytes(content)
    options = ("--outcome", "died", "--forecast", "forest", "--format", "json")
    found = [
        json.loads(run("score", place, *options).stdout)["models"]
        for place in (store.put(f"a.{kind}", content), str(local))
    ]
    assert found[0] == found[1]


@pytest.fixture
def rows(store: Bucket) -> str:
    """Put known rows into two files."""
    p, y = all_rows()
    for i, part in enumerate((slice(0, 100), slice(100, None))):
        store.put(f"{i}.parquet", parqueted(p=list(p[part]), y=list(y[part])))
    return f"{store.address}/*.parquet"


class TestFramesOfTheUser:
    """What polars, pyarrow, pandas and Dask read from a store is a frame like any other."""

    def test_polars(self, rows: str) -> None:
        polars = import_module("polars")
        assert tallied(polars.scan_parquet(rows)) == expected()

    def test_pyarrow(self, rows: str) -> None:
        folder = rows.removesuffix("/*.parquet")
        table = import_module("pyarrow.dataset").dataset(folder, format="parquet").to_table()
        assert tallied(table) == expected()

    def test_pandas(self, rows: str) -> None:
        pandas = import_module("pandas")
        folder = rows.removesuffix("/*.parquet")
        frames = [pandas.read_parquet(f"{folder}/{i}.parquet") for i in range(2)]
        assert tallied(pandas.concat(frames)) == expected()

    # Dask does not know the newest pandas yet.
    @pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")
    def test_dask(self, rows: str) -> None:
        dask = pytest.importorskip("dask.dataframe", reason=WHY)
        assert tallied(dask.read_parquet(rows)) == expected()


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "jsonl"])
def test_workers_of_dask_read_a_store(store: Bucket, tmp_path: Path, kind: str) -> None:
    pytest.importorskip("distributed", reason=WHY)
    half_and_half(store, tmp_path, kind)
    with open_dask(f"{store.address}/scores/*.{kind}", ASKED) as frame:
        there = frame.compute()["c4"].dropna().tolist()
    assert there == [x for x in COLUMNS[4] if x is not None]


# What is in the store, what is asked for, and what is said; @ stands for the bucket.
SAID: list[tuple[Mapping[str, bytes], str, str]] = [
    (
        {},
        "@/a.csv",
        "a file elsewhere must be one that duckdb reaches; '@/a.csv' is not: there is no such file",
    ),
    (
        {},
        "s3://nowhere-at-all/a.csv",
        (
            "a file elsewhere must be one that duckdb reaches; 's3://nowhere-at-all/a.csv' is not: "
            "there is no such file"
        ),
    ),
    (
        {"a.csv": b"y\n1\n"},
        "@/*.parquet",
        "a pattern must match a file; '@/*.parquet' matches none",
    ),
    ({"a.csv": b"y\n1\n"}, "@", "a pattern must match a file; '@' matches none"),
    (
        {"a.csv": b"y,p\n1,0.5\n1\n"},
        "@/a.csv",
        (
            "each line of a CSV file must have as many fields as its header; line 3 of '@/a.csv' "
            "has 1 instead of 2\n\nHint: text that contains the separator must be quoted."
        ),
    ),
    (
        {"a.parquet": parqueted(p=[0.5])[:40]},
        "@/a.parquet",
        (
            "a file must be whole and in one format; '@/a.parquet' is not valid Parquet"
            "\n\nHint: it may be cut short."
        ),
    ),
    (
        {"a.csv": b"y,p\n1,0.5\n", "b.csv": b"y,q\n1,0.5\n"},
        "@/*.csv",
        (
            "files must have the same columns; compared with '@/a.csv', '@/b.csv' lacks 'p' and "
            "has 'q' besides"
        ),
    ),
    (
        {"a.arrow": b"ARROW1"},
        "@/a.arrow",
        "an Arrow file must lie on this machine; got '@/a.arrow'",
    ),
]


class TestMessages:
    @pytest.mark.parametrize(("files", "asked", "said"), SAID)
    def test_are_these(
        self, store: Bucket, files: Mapping[str, bytes], asked: str, said: str
    ) -> None:
        for name, content in files.items():
            store.put(name, content)
        with pytest.raises(DataError) as caught:
            properly.read(asked.replace("@", store.address))
        assert str(caught.value) == said.replace("@", store.address)

    def test_a_file_that_is_given_twice(self, store: Bucket) -> None:
        address = store.put("a.csv", b"y\n1\n")
        with pytest.raises(DataError) as caught:
            properly.read([address, f"{store.address}/*.csv"])
        assert str(caught.value) == f"each file must be given once; got {address!r} again"

    @pytest.mark.usefixtures("settings")
    def test_no_keys(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
        with pytest.raises(DataError) as caught:
            properly.read("s3://bucket/a.csv")
        assert str(caught.value) == (
            "a file elsewhere must be one that duckdb reaches; 's3://bucket/a.csv' is not: "
            "Unable to locate credentials"
        )

    def test_nobody_answers(self, settings: None, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG002
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
        with pytest.raises(DataError) as caught:
            properly.read("s3://bucket/a.csv")
        assert str(caught.value).startswith(
            "a file elsewhere must be one that duckdb reaches; 's3://bucket/a.csv' is not: "
            'Could not connect to the endpoint URL: "http://127.0.0.1:9/bucket'
        )

    def test_dask_without_the_package(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("distributed", reason=WHY)
        monkeypatch.setitem(sys.modules, "s3fs", None)
        with pytest.raises(MissingExtraError) as caught, open_dask("s3://b/a.csv", {"y": "y"}):
            pass
        assert str(caught.value) == (
            "this needs s3fs, which is not installed\n\nHint: pip install 'properly[s3]'"
        )

    def test_nothing_is_written_to_a_store(
        self, store: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Not as a folder of this machine with that name either."""
        address = store.put("a.csv", b"y,p\n" + b"1,0.5\n0,0.25\n" * 20)
        monkeypatch.chdir(tmp_path)
        stream = properly.stream()
        stream.add([1, 0], {"p": [0.5, 0.25]})
        with pytest.raises(DataError) as caught:
            stream.save(f"{store.address}/a.summary")
        folder = store.address.replace("//", "/")
        said = f"the folder {folder} does not exist"
        assert str(caught.value) == said + "\n\nHint: make it first, or write elsewhere."
        found = run("report", address, "--output", f"{store.address}/report.html")
        assert found.exit_code != 0
        assert said in found.stderr
        assert store.system.ls(store.address) == [address.removeprefix("s3://")]
        assert list(tmp_path.iterdir()) == []
