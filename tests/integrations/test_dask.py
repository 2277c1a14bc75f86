"""Files on a Dask cluster, and clusters that lose workers: nothing is lost or counted twice."""

from __future__ import annotations

import gzip
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.command_line import run
from tests.integrations import slow_parts
from tests.integrations.awkward_files import COLUMNS, parqueted, written

import properly
from properly.engines._files import _clusters, _dask
from properly.engines._files._clusters import translated
from properly.engines._files._dask import open_dask
from properly.errors import DataError
from properly.recalibration import Logistic

WHY = "dask is not installed; `make test-integrations` installs it"
dd = pytest.importorskip("dask.dataframe", reason=WHY)
distributed = pytest.importorskip("distributed", reason=WHY)
pd = pytest.importorskip("pandas", reason=WHY)

ROOT = Path(__file__).parents[2]


def two_workers() -> Any:
    """Start two workers, each with a nanny that is to start it again."""
    return distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    )


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """Start workers that no test kills."""
    with two_workers() as found:
        yield found.scheduler_address


@pytest.fixture
def doomed() -> Iterator[str]:
    """Start workers for one test, since a nanny does not always succeed."""
    with two_workers() as found:
        yield found.scheduler_address


@contextmanager
def process(*command: str, before: str = "") -> Iterator[subprocess.Popen[bytes]]:
    """Run a part of Dask as a process of its own, which never outlives the test.

    It looks for modules in a folder before all others.
    """
    path = os.pathsep.join([*filter(None, [before]), str(ROOT), str(ROOT / "src")])
    running = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "dask", *command],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield running
    finally:
        running.kill()
        running.wait()


@contextmanager
def bare_cluster(
    scheduler_path: str = "", worker_path: str = ""
) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Start a scheduler and two workers that nobody starts again."""
    with socket.socket() as link:
        link.bind(("127.0.0.1", 0))
        port = link.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    here = ("--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", "127.0.0.1:0")
    worker = ("worker", address, "--no-nanny", "--nthreads", "1", *here)
    with (
        process("scheduler", "--port", str(port), *here, before=scheduler_path) as scheduler,
        process(*worker, before=worker_path) as one,
        process(*worker, before=worker_path) as other,
    ):
        with distributed.Client(address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        yield address, [scheduler, one, other]


def slow_frame(folder: Path, seconds: float = 0.3) -> Any:
    """Make a frame of several parts, each of which takes its time."""
    meta = pd.DataFrame({"p": np.zeros(0), "y": np.zeros(0, np.int64)})

    def read(part: int) -> Any:
        p, y = slow_parts.slowly(part, str(folder), seconds)
        return pd.DataFrame({"p": p, "y": y})

    return dd.from_map(read, range(slow_parts.PARTS), meta=meta)


class TestLosingOneWorker:
    """A worker is killed while some parts are done and others not begun."""

    @pytest.mark.parametrize("count", [slow_parts.grouped, slow_parts.tallied])
    def test_changes_no_count(
        self, doomed: str, tmp_path: Path, count: Callable[[Any], Any]
    ) -> None:
        with distributed.Client(doomed) as client, ThreadPoolExecutor(1) as pool:
            client.wait_for_workers(2, timeout=60)
            frame = slow_frame(tmp_path)
            killed = pool.submit(self.kill_one, tmp_path)
            found = count(frame)
            part, victim, done = killed.result()
        assert 2 <= len(done) < slow_parts.PARTS
        # It was working, and never got done with that part: another process did.
        assert (part, victim) not in slow_parts.traces(tmp_path, "done")
        assert {who for what, who in slow_parts.traces(tmp_path, "done") if what == part} - {victim}
        assert found == slow_parts.expected()

    def test_changes_no_score(self, doomed: str, tmp_path: Path) -> None:
        with distributed.Client(doomed) as client, ThreadPoolExecutor(1) as pool:
            client.wait_for_workers(2, timeout=60)
            frame = slow_frame(tmp_path, 0.2)
            killed = pool.submit(self.kill_one, tmp_path)
            found = properly.evaluate(properly.summarize(frame, ["p"], outcome="y"))
            part, victim, _ = killed.result()
        assert (part, victim) not in slow_parts.traces(tmp_path, "done")
        assert slow_parts.close_to_known(found.to_dict()["models"]["p"])

    @staticmethod
    def kill_one(folder: Path) -> tuple[int, int, set[tuple[int, int]]]:
        part, victim = slow_parts.in_the_middle(folder)
        done = slow_parts.traces(folder, "done")
        os.kill(victim, signal.SIGKILL)
        return part, victim, done


class TestLosingEverything:
    """What cannot end well ends, and in our words."""

    def test_the_scheduler(self, tmp_path: Path) -> None:
        with (
            bare_cluster() as (address, (scheduler, *_)),
            distributed.Client(address, timeout=2),
            ThreadPoolExecutor(1) as pool,
        ):
            frame = slow_frame(tmp_path)
            killed = pool.submit(self.kill_all, tmp_path, [scheduler])
            with pytest.raises(DataError) as caught, translated("dask"):
                slow_parts.grouped(frame)
        assert 2 <= len(killed.result()) < slow_parts.PARTS
        said = "Dask must run until the work is done; it ended before; Dask says: "
        assert str(caught.value).startswith(said)

    def test_what_is_not_ours_goes_on(self, cluster: str, tmp_path: Path) -> None:
        """Work that someone else asked the same client for is not cancelled."""
        with distributed.Client(cluster) as client:
            client.wait_for_workers(2, timeout=60)
            before = client.submit(lambda x: x + 1, 1)
            with translated("dask"):
                assert slow_parts.grouped(slow_frame(tmp_path, 0.01)) == slow_parts.expected()
            assert before.result(timeout=30) == 2

    @staticmethod
    def kill_all(folder: Path, victims: list[subprocess.Popen[bytes]]) -> set[tuple[int, int]]:
        slow_parts.in_the_middle(folder)
        done = slow_parts.traces(folder, "done")
        for victim in victims:
            victim.kill()
        return done

    def test_a_part_that_no_worker_survives(self, doomed: str) -> None:
        def deadly(_: int) -> Any:
            os.kill(os.getpid(), signal.SIGKILL)

        frame = dd.from_map(deadly, [0], meta=pd.DataFrame({"p": np.zeros(0)}))
        with distributed.Client(doomed) as client:
            client.run_on_scheduler(lambda dask_scheduler: allow(dask_scheduler, 0))
            with pytest.raises(DataError) as caught, translated("dask"):
                frame.compute()
        said = "workers of Dask must have the memory that the work needs; Dask says: "
        assert str(caught.value).startswith(said)

    def test_what_a_function_of_the_user_raises_is_left_alone(self, cluster: str) -> None:
        def wrong(_: int) -> Any:
            message = "mine"
            raise ZeroDivisionError(message)

        frame = dd.from_map(wrong, [0], meta=pd.DataFrame({"p": np.zeros(0)}))
        with (
            distributed.Client(cluster),
            pytest.raises(ZeroDivisionError, match=r"^mine$"),
            translated("dask"),
        ):
            frame.compute()


class TestAClusterWithoutTheLibrary:
    """Workers would end at the first part of the work, and be started again without end."""

    HINT = (
        "\n\nHint: pip install 'properly[dask]', as it is here, for every worker and the scheduler."
    )

    @pytest.fixture
    def hidden(self, tmp_path: Path) -> str:
        """Make a folder that hides the library from who looks there first."""
        said = "raise ModuleNotFoundError(\"No module named 'properly'\", name='properly')\n"
        (tmp_path / "properly.py").write_text(said)
        return str(tmp_path)

    def test_files_are_read_without_it(self, tmp_path: Path, hidden: str) -> None:
        path = write(tmp_path, "csv", slice(None), "a")
        with bare_cluster(hidden, hidden) as (address, _), open_dask(path, ASKED, address) as frame:
            assert values_of(frame) == sorted_fields()

    def test_a_map_is_not_sent_there(self, hidden: str) -> None:
        frame = dd.from_pandas(pd.DataFrame({"p": [0.1, 0.9]}), npartitions=2)
        with (
            bare_cluster(worker_path=hidden) as (address, _),
            distributed.Client(address),
            pytest.raises(DataError, match=r"^all of a cluster of Dask must have the packages"),
        ):
            Logistic(-0.5, 0.8).at(frame, forecast="p")

    def test_what_needs_no_library_there_is_counted(self, hidden: str) -> None:
        with bare_cluster(hidden, hidden) as (address, _), distributed.Client(address):
            frame = dd.from_pandas(pd.DataFrame({"p": [0.5, 0.5], "y": [0, 1]}), npartitions=2)
            assert properly.tally(frame, outcome="y", forecast="p").weight.sum() == 2


def allow(scheduler: Any, failures: int) -> None:
    scheduler.allowed_failures = failures


NAMES = ["the forecast, in %", "died", "sent", "code", "id"]
ASKED = {f"c{i}": name for i, name in enumerate(NAMES)}
write = partial(written, NAMES)


def values_of(frame: Any) -> dict[str, list[Any]]:
    """Bring all columns here, rows in the order of the forecasts."""
    rows = frame.compute().sort_values("c0")
    return {
        name: [None if pd.isna(value) else value for value in rows[name]] for name in rows.columns
    }


def sorted_fields() -> dict[str, list[Any]]:
    order = np.argsort(COLUMNS[0])
    return {f"c{i}": [values[j] for j in order] for i, values in enumerate(COLUMNS)}


class TestFiles:
    @pytest.mark.parametrize("kind", ["parquet", "csv", "csv.gz", "jsonl"])
    def test_every_value_arrives(
        self, cluster: str, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Also over several files, each cut into several parts."""
        monkeypatch.setattr(_dask, "BYTES", 80)
        # A mark of a pattern in the name of a folder is no pattern.
        folder = tmp_path / "year=2024 [a]"
        folder.mkdir()
        paths = [
            write(folder, kind, rows, name)
            for rows, name in ((slice(4), "a"), (slice(4, None), "b"))
        ]
        with open_dask(paths, ASKED, cluster) as frame:
            assert frame.npartitions == 2 if kind[-2:] in ("gz", "et") else frame.npartitions > 2
            assert values_of(frame) == sorted_fields()
            kinds = [str(frame[name].dtype).partition("[")[0] for name in ASKED]
        assert kinds == ["double", "int64", "bool", "string", "int64"]

    def test_a_pattern_and_an_address(self, cluster: str, tmp_path: Path) -> None:
        for name, rows in (("a", slice(4)), ("b", slice(4, None))):
            write(tmp_path, "parquet", rows, name)
        for path in (tmp_path / "*.parquet", f"file://{tmp_path}/?.parquet"):
            with open_dask(path, ASKED, cluster) as frame:
                assert values_of(frame) == sorted_fields()

    def test_the_tally_is_that_of_the_file(self, cluster: str, tmp_path: Path) -> None:
        path = tmp_path / "a.csv"
        lines = (f"{y},{float(p)!r}\n" for p, y in zip(*slow_parts.all_rows(), strict=True))
        path.write_text("died,forest\n" + "".join(lines))
        with open_dask(path, {"y": "died", "p": "forest"}, cluster) as frame:
            assert slow_parts.tallied(frame) == slow_parts.expected()

    def test_a_cluster_of_ones_own_goes_with_the_files(self, tmp_path: Path) -> None:
        path = write(tmp_path, "parquet", slice(None), "a")
        with open_dask(path, ASKED) as frame:
            client = distributed.default_client()
            assert all(address.startswith("tcp://127.0.0.1:") for address in client.nthreads())
            pids = client.run(os.getpid).values()
            assert os.getpid() not in pids
            assert values_of(frame) == sorted_fields()
        with pytest.raises(ValueError, match="No clients found"):
            distributed.default_client()
        assert not any(is_alive(pid) for pid in pids)

    def test_a_cluster_that_was_there_before_stays(self, cluster: str, tmp_path: Path) -> None:
        path = write(tmp_path, "parquet", slice(None), "a")
        with distributed.Client(cluster) as client:
            with open_dask(path, ASKED, cluster) as frame:
                assert values_of(frame) == sorted_fields()
            assert distributed.default_client() is client
            assert client.submit(sum, [1, 2]).result(timeout=30) == 3


def is_alive(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False


FIELDS = "each line of a CSV file must have as many fields as its header; one has"
SAYS = "Dask must be able to read the files; Dask says: "
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
        {"a.jsonl": b'{"p": 1}\n', "b.jsonl": b'{"p": 2}\n'},
        "q",
        "each file must have the column 'q'; it has 1 others\n\nHint: did you mean one of 'p'?",
    ),
    (
        {"a.parquet": parqueted(p=[0.5])[:40]},
        "p",
        "Error creating dataset. Could not read schema from",
    ),
    ({"a.csv": b'y,p\n"1\n2",0.5\n"3,0.7\n'}, "p", f"{FIELDS} 1 instead of 2: ['3,0.7\\n']"),
    ({"a.csv": b"y,p\n" + b"1,0.5\n" * 200_000 + b"\xe9,0.5\n"}, "y", "UnicodeDecodeError"),
    ({"a.csv": b"y,p\n1,0.5\n1,0.5,2\n"}, "p", f"{FIELDS} 3 instead of 2: ['1', '0.5', '2']"),
    ({"a.csv": b"y,p\n1,0.5,\n1,0.7,\n"}, "p", f"{FIELDS} 3 instead of 2: ['1', '0.5', '']"),
    ({"a.csv": b"y,p,q\n1,0.5,2\n1,0."}, "p", f"{FIELDS} 2 instead of 3: ['1', '0.']"),
    ({"a.jsonl": b'{"p": 1}\n{"p":'}, "p", "Expecting value: line 1 column 6"),
    (
        {"a.csv.gz": gzip.compress(b"y,p\n" + os.urandom(3_000_000).hex().encode())[:-9]},
        "p",
        "Compressed file ended before the end-of-stream marker was reached",
    ),
]


class TestMessages:
    @pytest.mark.parametrize(("files", "column", "said"), SAID)
    def test_are_these(
        self,
        cluster: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        *,
        files: Mapping[str, bytes],
        column: str,
        said: str,
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for name, data in files.items():
            Path(name).write_bytes(data)
        with pytest.raises(DataError) as caught, open_dask(list(files), {"c0": column}, cluster):
            pass
        assert str(caught.value).startswith((said, SAYS + said))

    @pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
    def test_a_file_that_a_worker_does_not_see(
        self, cluster: str, tmp_path: Path, kind: str
    ) -> None:
        path = write(tmp_path, kind, slice(None), "a")
        with open_dask(path, ASKED, cluster) as frame:
            path.unlink()
            with pytest.raises(DataError) as caught, translated("dask"):
                frame.compute()
        assert str(caught.value).startswith("every worker of Dask must see the files; Dask says: ")
        assert str(path) in str(caught.value)

    def test_a_file_of_a_frame_of_the_user_that_a_worker_does_not_see(
        self, cluster: str, tmp_path: Path
    ) -> None:
        path = write(tmp_path, "csv", slice(None), "a")
        frame = dd.read_csv(path)
        path.unlink()
        with (
            distributed.Client(cluster),
            pytest.raises(DataError, match=r"^every worker of Dask must see the files; Dask says"),
            translated("dask"),
        ):
            frame.compute()

    @pytest.mark.parametrize("answers", [False, True])
    def test_a_scheduler_that_does_not_answer(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, answers: bool
    ) -> None:
        """Nobody is there, or somebody who is no scheduler."""
        monkeypatch.setattr(_clusters, "ANSWER", 1.0)
        path = write(tmp_path, "csv", slice(None), "a")
        with socket.socket() as link:
            link.bind(("127.0.0.1", 0))
            if answers:
                link.listen()
            address = f"tcp://127.0.0.1:{link.getsockname()[1]}"
            with pytest.raises(DataError) as caught, open_dask(path, ASKED, address):
                pass
        assert str(caught.value) == (
            f"a scheduler of Dask must answer within 1 seconds; that at {address!r} does not\n\n"
            "Hint: without an address, this machine works alone."
        )

    @pytest.mark.parametrize(
        ("address", "said"),
        [
            (
                "file:///nowhere/a.csv",
                (
                    "a file elsewhere must be one that Dask reaches; 'file:///nowhere/a.csv' is "
                    "not: [Errno 2] No such file or directory: '/nowhere/a.csv'"
                ),
            ),
            (
                "file:///nowhere/*.csv",
                "a pattern must match a file; 'file:///nowhere/*.csv' matches none",
            ),
            (
                "moon://a.parquet",
                (
                    "a file elsewhere must be one that Dask reaches; 'moon://a.parquet' is not: "
                    "Protocol not known: moon"
                ),
            ),
        ],
    )
    def test_an_address_of_no_file(self, cluster: str, address: str, said: str) -> None:
        with pytest.raises(DataError) as caught, open_dask(address, {"p": "p"}, cluster):
            pass
        assert str(caught.value).startswith(said)

    def test_a_script_that_does_not_guard_its_work(self, tmp_path: Path) -> None:
        write(tmp_path, "csv", slice(None), "a")
        script = tmp_path / "script.py"
        script.write_text(
            "from properly.engines._files._dask import open_dask\n"
            "from properly.errors import DataError\n"
            "try:\n"
            "    with open_dask('a.csv', {'c0': 'died'}):\n"
            "        print('opened')\n"
            "except DataError as error:\n"
            "    print(error)\n"
        )
        found = subprocess.run(
            [sys.executable, "script.py"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        assert found.stdout.splitlines()[0] == (
            "workers of Dask must start on this machine; they do not"
        )


def test_one_column_alone_can_be_asked_for(cluster: str, tmp_path: Path) -> None:
    path = tmp_path / "forecasts.csv"
    path.write_text("y,p\n" + "0,25\n1,75\n" * 10, encoding="utf-8")
    with open_dask(str(path), {"c0": "y", "c1": "p"}, cluster) as frame:
        assert frame[["c0"]].compute()["c0"].tolist() == [0, 1] * 10


def test_percentages_are_divided_on_the_cluster(cluster: str, tmp_path: Path) -> None:
    path = tmp_path / "forecasts.csv"
    path.write_text("y,p\n" + "0,25\n1,75\n" * 10, encoding="utf-8")
    about = (
        "--outcome",
        "y",
        "--forecast",
        "p",
        "--percent",
        "--rule",
        "brier",
        "--format",
        "json",
    )
    result = run("score", path, *about, "--engine", "dask", "--scheduler", cluster)
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["models"]["p"]["brier"]["score"] == 0.0625
