"""``properly monitor``: what is read, said and kept between runs, and what is refused."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.command_line import run

import properly
from properly.recalibration import Logistic
from properly.rules import Log

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

RNG = np.random.default_rng(11)
P = RNG.beta(1.0, 3.0, 200).round(3)
Q = np.clip(P + 0.1, 0, 1).round(3)
Y = (RNG.random(200) < P).astype(int)
SEX = np.array(["f", "m"] * 100)
HOUSE = np.repeat(np.arange(100), 2)
IDS = [f"case {k}" for k in range(200)]
ONE = ("--outcome", "y", "--forecast", "p")
TWO = (*ONE, "--forecast", "q")
# So many events at so small a forecast are an alarm.
WRONG = {"y": [1] * 12, "p": [0.1] * 12}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(path: Path, **columns: Any) -> Path:
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def watch(folder: Path, *arguments: str | Path) -> Result:
    return run("monitor", *arguments, "--state", folder / "watch.json")


def state(folder: Path) -> properly.Monitor:
    return properly.Monitor.load(folder / "watch.json")


def same(found: properly.Monitor, expected: properly.Monitor) -> bool:
    # How late outcomes came is known in addition.
    late = {"overlap": expected.to_dict()["overlap"]}
    return found.to_dict() | late == expected.to_dict() and found.cases > 0


def test_what_is_new_is_added_and_told(tmp_path: Path) -> None:
    file = write(tmp_path / "new.csv", y=Y, p=P)
    result = watch(tmp_path, "new.csv", *ONE)
    expected = properly.Monitor()
    expected.add(Y, {"p": P})
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"new.csv: 200 new cases, 200 new outcomes.\n\n{expected}\n"
    assert same(state(tmp_path), expected)
    # Told again without files, nothing is added.
    before = (tmp_path / "watch.json").read_bytes()
    assert watch(tmp_path).stdout == f"{expected}\n"
    assert watch(tmp_path, file).stdout.startswith(
        f"{file}: 0 new cases, 0 new outcomes, 200 rows known already.\n"
    )
    assert (tmp_path / "watch.json").read_bytes() == before


def test_files_are_batches_in_turn_and_one_that_grows_is_read_on(tmp_path: Path) -> None:
    write(tmp_path / "day-1.csv", y=Y[:50], p=P[:50])
    write(tmp_path / "day-2.csv", y=Y[50:90], p=P[50:90])
    found = watch(tmp_path, "day-*.csv", *ONE).stdout.splitlines()
    assert found[:2] == [
        "day-1.csv: 50 new cases, 50 new outcomes.",
        "day-2.csv: 40 new cases, 40 new outcomes.",
    ]
    write(tmp_path / "day-1.csv", y=Y[:60], p=P[:60])
    found = watch(tmp_path, "day-1.csv").stdout.splitlines()
    assert found[0] == "day-1.csv: 10 new cases, 10 new outcomes, 50 rows known already."
    expected = properly.Monitor()
    for rows in (slice(50), slice(50, 90), slice(50, 60)):
        expected.add(Y[rows], {"p": P[rows]}, once=True)
    assert same(state(tmp_path), expected)


def test_outcomes_follow_by_their_ids_in_any_order(tmp_path: Path) -> None:
    write(tmp_path / "forecasts.csv", id=IDS, p=P)
    write(tmp_path / "outcomes.csv", id=IDS[::-1], y=Y[::-1])
    some = [y if k % 3 else "" for k, y in enumerate(Y.tolist())]
    write(tmp_path / "some.csv", id=IDS, p=P, y=some)
    expected = properly.Monitor()
    expected.add(Y, {"p": P}, ids=IDS)
    said = {
        ("forecasts.csv",): "forecasts.csv: 200 new cases, 0 new outcomes.",
        ("outcomes.csv",): "outcomes.csv: 0 new cases, 200 new outcomes.",
    }
    for files, line in said.items():
        assert watch(tmp_path, *files, *ONE, "--id", "id").stdout.startswith(line)
    assert same(state(tmp_path), expected)
    for order in (("outcomes.csv", "forecasts.csv"), ("some.csv", "outcomes.csv")):
        (tmp_path / "watch.json").unlink()
        assert watch(tmp_path, *order, *ONE, "--id", "id").exit_code == 0
        assert same(state(tmp_path), expected)


def test_an_id_is_the_same_however_a_file_writes_it(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", id=["12e4", "ab", "7"], p=[0.5] * 3)
    write(tmp_path / "b.csv", id=["12e4"], y=[1])
    write(tmp_path / "c.csv", id=["7.0", " ab"], y=[1, 0])
    watch(tmp_path, "a.csv", "b.csv", "c.csv", *ONE, "--id", "id")
    assert (state(tmp_path).cases, state(tmp_path).early) == (3, 0)


@pytest.mark.parametrize(
    ("arguments", "options", "beside"),
    [
        ((*TWO, "--against", "q"), {"against": "q"}, {}),
        ((*TWO, "--against", "0.25", "--rule", "log"), {"against": 0.25, "rule": Log()}, {}),
        ((*TWO, "--level", "0.9", "--groups", "sex"), {"level": 0.9}, {"groups": SEX}),
        ((*TWO, "--clusters", "house"), {}, {"clusters": HOUSE}),
        (
            (*TWO, "--map", "q=q=.json", "--map", "p=p.json"),
            {"maps": {"q": Logistic(0.2, 0.9), "p": Logistic(0.1, 1.1)}},
            {},
        ),
        ((*TWO, "--restart-after-alarm"), {"run_length": 10_000.0}, {}),
        ((*TWO, "--restart-after-alarm", "50"), {"run_length": 50.0}, {}),
        ((*TWO, "--lag", "3"), {"lag": 3}, {}),
    ],
)
def test_options_are_those_of_the_monitor(
    tmp_path: Path, arguments: tuple[str, ...], options: dict[str, Any], beside: dict[str, Any]
) -> None:
    write(tmp_path / "a.csv", y=Y, p=P, q=Q, sex=SEX, house=HOUSE)
    Logistic(0.2, 0.9).save(tmp_path / "q=.json")
    Logistic(0.1, 1.1).save(tmp_path / "p.json")
    result = watch(tmp_path, "a.csv", *arguments)
    expected = properly.Monitor(**options)
    expected.add(Y, {"p": P, "q": Q}, **beside)
    assert result.stderr == ""
    assert str(expected) in result.stdout
    assert same(state(tmp_path), expected)
    # Left out or given once more, they hold.
    assert watch(tmp_path).stdout.startswith(str(expected))
    assert watch(tmp_path, *arguments).stdout == watch(tmp_path).stdout


@pytest.mark.parametrize(
    ("labels", "event"),
    [(("no", "yes"), "yes"), ((1, 2), "2"), (("2.0", "1.0"), "1"), (("false", "true"), "TRUE")],
)
def test_the_event_has_the_label_that_is_given(
    tmp_path: Path, labels: tuple[Any, Any], event: str
) -> None:
    write(tmp_path / "a.csv", y=[labels[y] for y in Y], p=P)
    # A later file may have only one of the labels.
    write(tmp_path / "b.csv", y=[labels[0]] * 3, p=P[:3])
    write(tmp_path / "c.csv", y=[labels[1]] * 3, p=P[:3])
    assert watch(tmp_path, "a.csv", *ONE, "--event", event).stderr == ""
    assert watch(tmp_path, "b.csv", "c.csv").exit_code == 0
    expected = properly.Monitor()
    expected.add(np.concatenate([Y, [0] * 3, [1] * 3]), {"p": np.concatenate([P, P[:3], P[:3]])})
    assert same(state(tmp_path), expected)


def test_after_a_restart_only_new_alarms_exit_with_3(tmp_path: Path) -> None:
    write(tmp_path / "wrong.csv", **WRONG)
    write(tmp_path / "right.csv", y=[0, 0], p=[0.1, 0.1])
    first = watch(tmp_path, "wrong.csv", *ONE, "--restart-after-alarm", "100")
    assert first.exit_code == 3
    assert "\nFalse alarms are 100 cases or more apart on average if each " in first.stdout
    raised = len(state(tmp_path).alarms)
    assert watch(tmp_path, "right.csv").exit_code == 0
    assert watch(tmp_path).exit_code == 0
    assert len(state(tmp_path).alarms) == raised
    write(tmp_path / "more.csv", y=[1] * 15, p=[0.11] * 15)
    assert watch(tmp_path, "more.csv").exit_code == 3


def test_a_better_model_is_to_be_compared(tmp_path: Path) -> None:
    p = RNG.choice([0.1, 0.9], 200)
    y = (RNG.random(200) < p).astype(int)
    write(tmp_path / "a.csv", y=y, **{"a b": [0.5] * 200, "p": p})
    models = ("--outcome", "y", "--forecast", "a b", "--forecast", "p", "--against", "p")
    result = watch(tmp_path, "a.csv", *models)
    assert result.exit_code == 3
    assert result.stdout.endswith(
        "What to do: compare them on recent cases.\n\n"
        "  properly compare recent.csv --outcome y --forecast 'a b' --forecast p\n"
    )


@pytest.mark.slow
def test_what_to_do_is_a_command_that_runs(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    p = rng.uniform(5, 30, 600).round(1)
    y = np.where(rng.random(600) < 2 * p / 100, "it's", "no")
    write(tmp_path / "recent.csv", **{"a y": y, "p": p, "k": np.arange(600)})
    columns = ("--outcome", "a y", "--forecast", "p", "--clusters", "k")
    found = watch(tmp_path, "recent.csv", *columns, "--event", "it's", "--percent").stdout
    line = found.splitlines()[-1].strip()
    assert line == (
        "properly recalibrate fit recent.csv --outcome 'a y' --forecast p --clusters k "
        "--event 'it'\"'\"'s' --percent --output map.json"
    )
    assert run(*shlex.split(line)[1:]).exit_code == 0
    again = ("recent.csv", *columns, "--event", "it's", "--percent", "--map", "map.json")
    assert run("monitor", *again, "--state", "new.json").exit_code == 0


def test_json_has_all_numbers(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", y=Y, p=P)
    write(tmp_path / "wrong.csv", y=[1] * 60, p=[0.1] * 60)
    result = watch(tmp_path, "a.csv", "wrong.csv", *ONE, "--format", "json", "--output", "out.json")
    assert (result.exit_code, result.stdout) == (3, "")
    found = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    now = state(tmp_path)
    assert found == {
        "added": [
            {"file": name, "forecasts": n, "outcomes": n, "again": 0, "early": 0}
            for name, n in (("a.csv", 200), ("wrong.csv", 60))
        ],
        "given_up": 0,
        "raised": [alarm.to_dict() for alarm in now.alarms],
        **now.to_dict(),
    }


FIRST = ("a.csv", *ONE)


def test_a_run_that_is_refused_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", y=Y, p=P)
    write(tmp_path / "b.csv", y=Y, p=1 - P)
    write(tmp_path / "large.csv", y=[0, 1], p=[0.1, 10])
    watch(tmp_path, *FIRST)
    # Nor does a good batch before it.
    refused(tmp_path, ("b.csv", "large.csv"), "forecasts of 'p' must be probabilities", 1)
    refused(tmp_path, ("b.csv", "--level", "0.9"), "--level is 0.9, but {} was begun with", 2)


def refused(folder: Path, arguments: tuple[str, ...], message: str, code: int) -> None:
    """Require that a run is refused in words, and that the state is as it was."""
    path = folder / "watch.json"
    before = path.read_bytes() if path.exists() else None
    result = watch(folder, *arguments)
    _, _, said = result.stderr.partition("Error: ")
    assert said.startswith(message.format(path))
    assert result.exit_code == code
    assert (path.read_bytes() if path.exists() else None) == before


def test_a_state_appears_with_what_is_written_beside_it_or_not_at_all(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", y=Y, p=P)
    (tmp_path / "out.txt").write_text("mine", encoding="utf-8")
    refused(tmp_path, (*FIRST, "--output", "out.txt"), "out.txt exists already", 1)
    result = watch(tmp_path, *FIRST, "--output", "out.txt", "--force")
    assert (result.exit_code, result.stdout) == (0, "")
    assert (tmp_path / "out.txt").read_text(encoding="utf-8").startswith("a.csv: 200 new cases")
    refused(tmp_path, ("a.csv", "--output", "none/out.txt"), "the folder none does not exist", 1)


@pytest.mark.parametrize(
    ("name", "opening"), [("a.PNG", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")]
)
def test_a_picture_is_drawn_as_its_name_says(tmp_path: Path, name: str, opening: bytes) -> None:
    write(tmp_path / "none.csv", y=[], p=[])
    result = watch(tmp_path, "none.csv", *ONE, "--plot", name)
    said = f"No case is counted yet; {name} is not drawn.\n"
    assert (result.exit_code, result.stderr, (tmp_path / name).exists()) == (0, said, False)
    write(tmp_path / "a.csv", y=Y, p=P)
    assert watch(tmp_path, "a.csv", "--plot", name).exit_code == 0
    assert (tmp_path / name).read_bytes().startswith(opening)
    # Drawn again as it stands, over the one that is there.
    refused(tmp_path, ("a.csv", "--plot", name), f"{name} exists already and is not overwritten", 1)
    before = (tmp_path / name).read_bytes()
    assert watch(tmp_path, "--plot", name, "--force").exit_code == 0
    assert (tmp_path / name).read_bytes() == before


def test_a_state_that_python_began_is_gone_on_with(tmp_path: Path) -> None:
    began = properly.Monitor(pos_label=2, level=0.9)
    began.add(Y + 1, {"p": P})
    began.save(tmp_path / "watch.json")
    write(tmp_path / "a.csv", y=Y + 1, p=P)
    refused(tmp_path, ("a.csv",), "A new state needs --outcome COLUMN and --forecast COLUMN.", 2)
    assert watch(tmp_path, *FIRST, "--event", "2").exit_code == 0
    began.add(Y + 1, {"p": P})
    assert same(state(tmp_path), began)


@pytest.mark.slow
def test_two_runs_at_once_both_count(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", y=Y, p=P)
    write(tmp_path / "b.csv", y=Y[-70:], p=P[-70:])
    command = [sys.executable, "-m", "properly", "monitor", "--state", "watch.json", *ONE]
    runs = [subprocess.Popen([*command, name]) for name in ("a.csv", "b.csv")]  # noqa: S603
    assert [each.wait(timeout=60) for each in runs] == [0, 0]
    assert state(tmp_path).cases == 270
