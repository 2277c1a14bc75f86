"""Files on Spark, and a cluster of Spark that loses workers: nothing is lost or counted twice."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.integrations import slow_parts
from tests.integrations.awkward_files import COLUMNS, parqueted, written
from tests.integrations.conftest import SWIFT, require_java

from properly.engines._files import _spark
from properly.engines._files._clusters import translated
from properly.engines._files._spark import open_spark
from properly.errors import DataError

WHY = "pyspark is not installed; `make test-integrations` installs it"
psutil = pytest.importorskip("psutil", reason=WHY)
ROOT = Path(__file__).parents[2]
HERE = "127.0.0.1"


def free_port() -> int:
    with socket.socket() as link:
        link.bind((HERE, 0))
        return int(link.getsockname()[1])


@contextmanager
def process(*command: str, **settings: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program; neither it nor what it started outlives the test."""
    running = subprocess.Popen(  # noqa: S603
        command,
        cwd=ROOT,
        env=os.environ | settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield running
    finally:
        kill(running.pid)
        running.wait()


def kill(pid: int) -> None:
    """Kill a process and all below it at once, as if their machine were gone."""
    with suppress(psutil.NoSuchProcess):
        top = psutil.Process(pid)
        for each in [top, *top.children(recursive=True)]:
            with suppress(psutil.NoSuchProcess):
                each.kill()


class Cluster:
    """A master and two workers, each a process with one core."""

    def __init__(self, folder: Path) -> None:
        self.master = f"spark://{HERE}:{free_port()}"
        self.page = free_port()
        self.folder = folder
        self.workers: list[subprocess.Popen[bytes]] = []

    @contextmanager
    def running(self) -> Iterator[Cluster]:
        pyspark = pytest.importorskip("pyspark", reason=WHY)
        home = Path(pyspark.__file__).parent
        settings = {
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": HERE,
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": SWIFT,
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")]),
            "PYSPARK_PYTHON": sys.executable,
        }
        start = str(home / "bin" / "spark-class")
        deploy = "org.apache.spark.deploy"
        port = self.master.rpartition(":")[2]
        ui = ("--host", HERE, "--webui-port")
        worker = (start, f"{deploy}.worker.Worker", *ui, "0", "--cores", "1", "--memory", "512m")
        work = ("--work-dir", str(self.folder), self.master)
        with (
            process(
                start, f"{deploy}.master.Master", *ui, str(self.page), "--port", port, **settings
            ),
            process(*worker, *work, **settings) as one,
            process(*worker, *work, **settings) as other,
        ):
            self.workers = [one, other]
            self.wait_for(2)
            yield self

    def wait_for(self, count: int) -> None:
        deadline = time.monotonic() + 180
        while self.alive() != count:
            assert time.monotonic() < deadline, f"{self.alive()} workers instead of {count}"
            time.sleep(0.1)

    def alive(self) -> int:
        """Ask the master how many workers it has."""
        with suppress(OSError, ValueError), urlopen(f"http://{HERE}:{self.page}/json/") as page:
            return sum(worker["state"] == "ALIVE" for worker in json.load(page)["workers"])
        return 0

    def worker_of(self, pid: int) -> subprocess.Popen[bytes]:
        """Find the worker whose process it is that makes a part."""
        above = {parent.pid for parent in psutil.Process(pid).parents()}
        return next(worker for worker in self.workers if worker.pid in above)


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Run a program on a cluster, and kill one worker in the middle."""
    require_java()
    folder = tmp_path_factory.mktemp("cluster")
    p, y = slow_parts.all_rows()
    parquet.write_table(pa.table({"the forecast": p, "died": y}), folder / "a.parquet")
    settings = folder / "conf"
    settings.mkdir()
    (settings / "spark-defaults.conf").write_text(
        f"spark.driver.extraJavaOptions {SWIFT}\n"
        f"spark.executor.extraJavaOptions {SWIFT}\n"
        "spark.executor.memory 512m\n"
        "spark.sql.shuffle.partitions 2\n"
    )
    with Cluster(folder / "work").running() as cluster:
        command = (sys.executable, "-m", "tests.integrations.spark_driver", cluster.master)
        program = process(
            *command, str(folder), SPARK_CONF_DIR=str(settings), PYSPARK_PYTHON=sys.executable
        )
        with program as running:
            told: dict[str, Any] = {}
            for name in ("one",):
                part, pid = slow_parts.in_the_middle(folder / name)
                told[name] = {
                    "part": part,
                    "pid": pid,
                    "done": slow_parts.traces(folder / name, "done"),
                }
                kill(cluster.worker_of(pid).pid)
            running.wait(timeout=180)
            told["code"] = running.returncode
    told["later"] = {name: slow_parts.traces(folder / name, "done") for name in ("one", "none")}
    told |= json.loads((folder / "found.json").read_text())
    return told


class TestAClusterThatLosesItsWorkers:
    def test_the_workers_read_the_files(self, story: dict[str, Any]) -> None:
        assert tuple(story["files"]) == slow_parts.expected()

    def test_one_was_killed_in_the_middle(self, story: dict[str, Any]) -> None:
        killed = story["one"]
        assert 2 <= len(killed["done"]) < slow_parts.PARTS
        makers = {pid for part, pid in story["later"]["one"] if part == killed["part"]}
        assert makers
        assert killed["pid"] not in makers

    def test_no_count_changed(self, story: dict[str, Any]) -> None:
        assert tuple(story["grouped"]) == slow_parts.expected()

    def test_the_other_goes_on_alone(self, story: dict[str, Any]) -> None:
        assert {part for part, _ in story["later"]["none"]} == set(range(slow_parts.PARTS))
        assert tuple(story["tallied"]) == slow_parts.expected()
        assert slow_parts.close_to_known(story["scores"])


NAMES = ["the `forecast`, in %", "died.", "Died.", "code", "id"]
ASKED = {f"c{i}": name for i, name in enumerate(NAMES)}
write = partial(written, NAMES)


def values_of(frame: Any) -> list[tuple[Any, ...]]:
    """Bring all rows here, in the order of the forecasts."""
    return sorted((tuple(row) for row in frame.collect()), key=lambda row: row[0])


ROWS = sorted(zip(*COLUMNS, strict=True), key=lambda row: row[0])


class TestFiles:
    @pytest.mark.parametrize("kind", ["parquet", "csv", "csv.gz", "jsonl"])
    def test_every_value_arrives(self, spark: Any, tmp_path: Path, kind: str) -> None:
        """Also over several files; a mark of a pattern in the name of a folder is no pattern."""
        folder = tmp_path / "year=2024 [a]{b}"
        folder.mkdir()
        halves = ((slice(4), "a"), (slice(4, None), "b"))
        paths = [write(folder, kind, rows, name) for rows, name in halves]
        with open_spark(paths, ASKED) as frame:
            assert values_of(frame) == ROWS
            assert [kind for _, kind in frame.dtypes] == [
                "double",
                "bigint",
                "boolean",
                "string",
                "bigint",
            ]
        assert spark.range(3).count() == 3  # it was not ours to stop

    def test_a_pattern_and_an_address(self, spark: Any, tmp_path: Path) -> None:  # noqa: ARG002
        for name, rows in (("a", slice(4)), ("b", slice(4, None))):
            write(tmp_path, "csv", rows, name)
        for path in (tmp_path / "*.csv", f"file://{tmp_path}/?.csv"):
            with open_spark(path, ASKED) as frame:
                assert values_of(frame) == ROWS

    @pytest.mark.parametrize("ansi", ["true", "false"])
    def test_the_tally_is_that_of_the_file(self, spark: Any, tmp_path: Path, ansi: str) -> None:
        """Whether Spark is strict about what cannot be converted, or makes it null."""
        path = tmp_path / "a.csv"
        lines = (f"{y},{float(p)!r}\n" for p, y in zip(*slow_parts.all_rows(), strict=True))
        path.write_text("died,forest\n" + "".join(lines))
        session = spark.newSession()
        session.conf.set("spark.sql.ansi.enabled", ansi)
        frame = _spark.read_files(session, path, {"y": "died", "p": "forest"})
        assert slow_parts.grouped(frame) == slow_parts.expected()
        assert slow_parts.tallied(frame) == slow_parts.expected()

    def test_the_settings_of_the_user_stay(self, spark: Any, tmp_path: Path) -> None:
        before = spark.conf.get("spark.sql.caseSensitive")
        with open_spark(write(tmp_path, "parquet", slice(None), "a"), ASKED) as frame:
            assert frame.sparkSession.conf.get("spark.sql.caseSensitive") == "true"
        assert spark.conf.get("spark.sql.caseSensitive") == before


READ = "Spark must be able to read the files; Spark says: "
# What the files hold, the column that is asked for, and what is said.
SAID: list[tuple[Mapping[str, bytes], str, str]] = [
    (
        {"a.csv": b"y,forest\n1,0.5\n"},
        "forrest",
        (
            "the file must have the column 'forrest'; it has 2 others"
            "\n\nHint: did you mean one of 'forest'?"
        ),
    ),
    (
        {"a.parquet": parqueted(p=[0.5]), "b.parquet": parqueted(p=[0.5])},
        "q",
        "each file must have the column 'q'; it has 1 others\n\nHint: did you mean one of 'p'?",
    ),
    (
        {"a.parquet": parqueted(p=[0.5]), "b.parquet": parqueted(p=["x"])},
        "p",
        READ,
    ),
    ({"a.parquet": parqueted(p=[0.5])[:40]}, "p", READ),
    ({"a.csv": b"y,p\n1,0.5\n1\n"}, "p", READ),
    ({"a.jsonl": b'{"p": 1}\n{"p":'}, "p", READ),
]


class TestMessages:
    @pytest.mark.parametrize(("files", "column", "said"), SAID)
    def test_are_these(
        self,
        spark: Any,  # noqa: ARG002
        tmp_path: Path,
        *,
        files: Mapping[str, bytes],
        column: str,
        said: str,
    ) -> None:
        for name, data in files.items():
            (tmp_path / name).write_bytes(data)
        paths = [tmp_path / name for name in files]
        with pytest.raises(DataError) as caught, open_spark(paths, {"c0": column}):
            pass
        assert str(caught.value).startswith(said)

    @pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
    def test_a_file_that_a_worker_does_not_see(
        self,
        spark: Any,  # noqa: ARG002
        tmp_path: Path,
        kind: str,
    ) -> None:
        path = write(tmp_path, kind, slice(None), "a")
        with open_spark(path, ASKED) as frame:
            path.unlink()
            with pytest.raises(DataError) as caught, translated("spark"):
                frame.collect()
        assert str(caught.value).startswith(
            "every worker of Spark must see the files; Spark says: "
        )
        assert path.name in str(caught.value)

    @pytest.mark.parametrize(
        ("address", "said"),
        [
            (
                "file:///nowhere/a.csv",
                (
                    "a file elsewhere must be one that Spark reaches; 'file:///nowhere/a.csv' is "
                    "not: [PATH_NOT_FOUND] Path does not exist: file:/nowhere/a.csv. "
                    "SQLSTATE: 42K03"
                ),
            ),
            (
                "file:///nowhere/*.csv",
                "a pattern must match a file; 'file:///nowhere/*.csv' matches none",
            ),
            (
                "moon://a.parquet",
                (
                    "a file elsewhere must be one that Spark reaches; 'moon://a.parquet' is not: "
                    'No FileSystem for scheme "moon"'
                ),
            ),
        ],
    )
    def test_an_address_of_no_file(
        self,
        spark: Any,  # noqa: ARG002
        address: str,
        said: str,
    ) -> None:
        with pytest.raises(DataError) as caught, open_spark(address, {"p": "p"}):
            pass
        assert str(caught.value) == said

    def test_a_column_that_spark_does_not_know(self, spark: Any) -> None:
        with pytest.raises(DataError) as caught, translated("spark"):
            spark.range(2).select("q")
        said = "Spark must be able to do the work; Spark says: [UNRESOLVED_COLUMN.WITH_SUGGESTION] "
        assert str(caught.value).startswith(said)
        assert "\n" not in str(caught.value)

    def test_two_masters(self, spark: Any, tmp_path: Path) -> None:
        path = write(tmp_path, "csv", slice(None), "a")
        with pytest.raises(DataError) as caught, open_spark(path, ASKED, "spark://127.0.0.1:7077"):
            pass
        assert str(caught.value) == (
            "one process has one Spark; it runs on 'local[2]', not on 'spark://127.0.0.1:7077'\n\n"
            "Hint: stop it first, or leave the master out."
        )
        assert spark.range(3).count() == 3


class TestASparkOfOnesOwn:
    """In processes of their own, since one process has one Spark."""

    SCRIPT = (
        "import sys\n"
        "from properly.engines._files._spark import open_spark\n"
        "from properly.errors import ProperlyError\n"
        "try:\n"
        "    with open_spark('a.csv', {'y': 'died.'}, *sys.argv[1:]) as frame:\n"
        "        print(sorted(row[0] for row in frame.dropna().collect()))\n"
        "    from pyspark import SparkContext\n"
        "    print(SparkContext._active_spark_context)\n"
        "except ProperlyError as error:\n"
        "    print(error)\n"
    )

    def run(self, folder: Path, *arguments: str, **settings: str) -> tuple[str, str]:
        pytest.importorskip("pyspark", reason=WHY)
        write(folder, "csv", slice(None), "a")
        found = subprocess.run(  # noqa: S603
            [sys.executable, "-c", self.SCRIPT, *arguments],
            cwd=folder,
            env=os.environ | settings,
            capture_output=True,
            text=True,
            timeout=180,
            check=True,
        )
        return found.stdout, found.stderr

    def test_starts_and_stops_without_a_word(self, tmp_path: Path) -> None:
        require_java()
        assert self.run(tmp_path) == ("[0, 0, 1, 1, 1]\nNone\n", "")

    def test_a_java_that_does_not_start(self, tmp_path: Path) -> None:
        java = tmp_path / "bin" / "java"
        java.parent.mkdir()
        java.write_text("#!/bin/sh\nexit 1\n")
        java.chmod(0o755)
        found, _ = self.run(tmp_path, JAVA_HOME=str(tmp_path))
        assert found.startswith("Spark must start; Java ended before it did; Spark says: ")
        assert found.endswith("Hint: Spark needs Java 17 or later, which JAVA_HOME may name.\n")

    def test_a_master_that_does_not_answer(self, tmp_path: Path) -> None:
        require_java()
        with socket.socket() as link:
            link.bind((HERE, 0))
            master = f"spark://{HERE}:{link.getsockname()[1]}"
            found, _ = self.run(tmp_path, master)
        assert found == (
            f"a master of Spark must answer within 10 seconds; that at {master!r} does not\n\n"
            "Hint: without a master, this machine works alone.\n"
        )
