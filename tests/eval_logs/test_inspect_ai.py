"""Logs of inspect_ai: what is read from a real one, and what is refused."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import properly
from properly.errors import ArgumentTypeError, DataError, DataWarning
from properly.integrations import _eval_logs, inspect_ai
from properly.integrations._eval_logs import entry_of

LOG = Path(__file__).parent / "sums.eval"
EXPECTED = {
    "correct": [1, 1, 1, 0],
    "confidence": [1.0, 0.9, 0.99, 0.85],
    "question": ["sums/sums-1", "sums/sums-2", "sums/sums-1", "sums/sums-2"],
    "task": ["sums"] * 4,
    "epoch": [1, 1, 2, 2],
    "model": ["mockllm/model"] * 4,
}


def entries() -> dict[str, Any]:
    """Return the JSON of each entry of the real log that is an object."""
    with LOG.open("rb") as file, ZipFile(file) as archive:
        names = ["header.json", "_journal/start.json"]
        names += [name for name in archive.namelist() if name.startswith("samples/")]
        return {name: entry_of(archive, file, archive.getinfo(name)) for name in names}


def written(path: Path, content: dict[str, Any], compression: int = ZIP_DEFLATED) -> Path:
    with ZipFile(path, "w", compression) as archive:
        for name, value in content.items():
            archive.writestr(name, value if isinstance(value, str) else json.dumps(value))
    return path


def log_of(folder: Path, samples: list[Any], **header: Any) -> Path:
    """Write a log in JSON with these samples."""
    path = folder / "log.json"
    log = {"version": 2, "eval": {"task": "t", "model": "m"}, "samples": samples} | header
    path.write_text(json.dumps(log), encoding="utf-8")
    return path


def sample(
    value: Any = "C", confidence: Any = 0.9, number: int | str = 1, **more: Any
) -> dict[str, Any]:
    score = {"value": value, "metadata": {"confidence": confidence}}
    return {"id": number, "epoch": 1, "scores": {"stated": score}} | more


def lists(columns: dict[str, Any]) -> dict[str, Any]:
    return {name: column.tolist() for name, column in columns.items()}


# What is read


def test_a_real_log() -> None:
    columns = inspect_ai.read(LOG)
    assert lists(columns) == EXPECTED
    assert columns["confidence"].dtype == np.float64


def test_reading_loads_no_other_library() -> None:
    code = (
        "import sys; from properly.integrations import inspect_ai, lm_eval; "
        f"inspect_ai.read({str(LOG)!r}); "
        "print([m for m in ('inspect_ai', 'lm_eval', 'pandas', 'duckdb') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)  # noqa: S603
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize("compression", [ZIP_STORED, ZIP_DEFLATED])
def test_older_logs_are_compressed_otherwise(tmp_path: Path, compression: int) -> None:
    path = written(tmp_path / "old.eval", entries(), compression)
    assert lists(inspect_ai.read(path)) == EXPECTED


def test_a_log_of_a_run_that_has_not_ended(tmp_path: Path) -> None:
    content = entries()
    del content["header.json"]
    assert lists(inspect_ai.read(written(tmp_path / "on.eval", content))) == EXPECTED


def test_a_log_in_json_has_the_same_answers(tmp_path: Path) -> None:
    content = entries()
    samples = [x for name, x in content.items() if name.startswith("samples/")]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(content["header.json"] | {"samples": samples}), encoding="utf-8")
    assert lists(inspect_ai.read(str(path))) == EXPECTED


def test_a_sample_that_was_written_again_counts_as_it_is_now(tmp_path: Path) -> None:
    content = entries()
    name = next(name for name in content if name.startswith("samples/"))
    path = written(tmp_path / "twice.eval", content)
    content[name]["scores"]["stated"]["value"] = "I"
    with ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr(name, json.dumps(content[name]))
    assert inspect_ai.read(path)["correct"].tolist() == [0, 1, 1, 0]


def test_several_logs_are_one_below_the_other(tmp_path: Path) -> None:
    other = log_of(tmp_path, [sample(number=7), sample("I", 0.4, number="x")])
    columns = inspect_ai.read([LOG, other])
    assert columns["task"].tolist() == ["sums"] * 4 + ["t"] * 2
    assert columns["question"].tolist()[4:] == ["t/7", "t/x"]
    assert columns["model"].tolist()[4:] == ["m", "m"]


def test_columns_are_ready_to_be_evaluated() -> None:
    a = inspect_ai.read(LOG)
    with pytest.warns(DataWarning, match="with 2 clusters, intervals may cover less"):
        curve = properly.retention_curve(
            -a["confidence"], a["correct"], metric="error_rate", clusters=a["question"]
        )
    assert curve.aurc is not None
    assert curve.aurc.value == pytest.approx(1 / 16)
    assert properly.tally(a["correct"], a["confidence"]).event_rate == 0.75


@pytest.mark.parametrize(
    ("value", "grade"),
    [("C", 1), ("I", 0), ("N", 0), (1, 1), (0.0, 0), (True, 1), (False, 0), ("yes", 1), ("No", 0)],
)
def test_grades_are_read_as_inspect_reads_them(tmp_path: Path, value: Any, grade: int) -> None:
    assert inspect_ai.read(log_of(tmp_path, [sample(value)]))["correct"].tolist() == [grade]


def test_the_confidence_is_where_it_is_said_to_be(tmp_path: Path) -> None:
    scores = {
        "match": {"value": "C", "metadata": {"sure": 0.1}},
        "confidence": {"value": 0.2},
        "judge": {"value": "I", "metadata": None},
    }
    path = log_of(tmp_path, [{"id": 1, "scores": scores, "metadata": {"own": "0.3", "sure": 0.4}}])

    def found(confidence: str, scorer: str) -> tuple[int, float]:
        a = inspect_ai.read(path, confidence=confidence, scorer=scorer)
        return a["correct"].item(), a["confidence"].item()

    assert found("sure", "match") == (1, 0.1)
    assert found("confidence", "match") == (1, 0.2)
    assert found("own", "judge") == (0, 0.3)
    assert found("sure", "judge") == (0, 0.4)


def test_a_scorer_that_is_the_confidence_says_nothing_about_right(tmp_path: Path) -> None:
    scores = {"match": {"value": "C"}, "confidence": {"value": 0.2}}
    a = inspect_ai.read(log_of(tmp_path, [{"id": 1, "scores": scores}]))
    assert (a["correct"].item(), a["confidence"].item()) == (1, 0.2)


def test_a_confidence_that_was_not_stated_is_missing(tmp_path: Path) -> None:
    a = inspect_ai.read(log_of(tmp_path, [sample(), sample(confidence=None, number=2)]))
    assert a["confidence"][0] == 0.9
    assert math.isnan(a["confidence"][1])


def test_samples_without_a_score_are_left_out_and_told(tmp_path: Path) -> None:
    samples = [sample(), sample(number=2, scores=None), sample(math.nan, number=3)]
    with pytest.warns(DataWarning, match="^2 samples without a score are left out$"):
        a = inspect_ai.read(log_of(tmp_path, samples))
    assert a["question"].tolist() == ["t/1"]


# What is refused


DAMAGED = (
    "{path} is damaged, or is not a log of inspect_ai\n\n"
    "Hint: inspect_ai writes them as .eval or .json files: inspect log list."
)
SAMPLES: list[tuple[list[Any], dict[str, Any], str]] = [
    (
        [sample("P")],
        {},
        (
            'answers must be graded as right or wrong; sample t/1, epoch 1 is "P"\n\n'
            "Hint: scorer= may name another one; else grade with 'C' and 'I', or with 1 and 0."
        ),
    ),
    (
        [sample({"a": 1})],
        {},
        (
            'answers must be graded as right or wrong; sample t/1, epoch 1 is {"a": 1}\n\n'
            "Hint: scorer= may name another one; else grade with 'C' and 'I', or with 1 and 0."
        ),
    ),
    (
        [sample(confidence="90 %")],
        {},
        (
            'a confidence must be a number; that of sample t/1, epoch 1 is "90 %"\n\n'
            "Hint: let the scorer write a number, or None."
        ),
    ),
    (
        [sample(confidence=None)],
        {},
        (
            "answers must come with a confidence; none of 1 answer has 'confidence' "
            "in the metadata of its score, as a scorer or in the sample's metadata\n\n"
            "Hint: confidence= names the key, or the scorer, that has it."
        ),
    ),
    (
        [sample()],
        {"scorer": "judge"},
        (
            "there is no scorer 'judge'; sample t/1, epoch 1 has scores by 'stated'\n\n"
            "Hint: scorer= names the one whose scores say what is right."
        ),
    ),
    (
        [sample(scores={"a": {"value": "C"}, "b": {"value": "C"}})],
        {},
        (
            "one scorer must be chosen; sample t/1, epoch 1 has scores by 'a', 'b'\n\n"
            "Hint: scorer= names the one whose scores say what is right."
        ),
    ),
    (
        [sample(scores={})],
        {},
        (
            "logs must have scored samples; got 1 sample without a score\n\n"
            "Hint: inspect score adds scores to a log."
        ),
    ),
    (
        [],
        {},
        (
            "logs must have scored samples; got 0 samples without a score\n\n"
            "Hint: inspect score adds scores to a log."
        ),
    ),
]


@pytest.mark.parametrize(("samples", "options", "message"), SAMPLES)
def test_samples_that_break_a_rule_are_refused(
    tmp_path: Path, samples: list[Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        inspect_ai.read(log_of(tmp_path, samples), **options)


def assert_refused(path: Path) -> None:
    with pytest.raises(DataError, match=f"^{re.escape(DAMAGED.format(path=path))}$"):
        inspect_ai.read(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"y,p\n1,0.5\n",
        b"PK\x03\x04",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b"[]",
        b"{}",
        b'{"eval": 1, "samples": [1]}',
        b'{"eval": {"task": "t"}, "samples": 3}',
        b'{"eval": {"task": "t"}, "samples": [{"epoch": 1}]}',
        b'{"eval": {"task": "t"}, "samples": [{"id": 1, "scores": [1]}]}',
    ],
)
def test_what_is_no_log_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(content)
    assert_refused(path)


def test_an_archive_of_something_else_is_refused(tmp_path: Path) -> None:
    assert_refused(written(tmp_path / "other.eval", {"word/document.xml": "<w/>"}))


@settings(deadline=None)
@given(st.integers(0, LOG.stat().st_size - 1))
def test_a_log_that_is_cut_short_is_refused(cut: int) -> None:
    """Cut anywhere, it lacks the list of its entries, which stands at the end."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cut.eval"
        path.write_bytes(LOG.read_bytes()[:cut])
        assert_refused(path)


@settings(deadline=None)
@given(st.integers(0, LOG.stat().st_size - 1), st.integers(1, 255))
def test_a_log_with_a_changed_byte_is_read_right_or_refused(place: int, change: int) -> None:
    """Sums of the content tell; a byte may also be of what is not read, such as a date."""
    import tempfile

    content = bytearray(LOG.read_bytes())
    content[place] ^= change
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "changed.eval"
        path.write_bytes(content)
        try:
            columns = lists(inspect_ai.read(path))
        except DataError:
            return
        # An entry whose name is no longer that of a sample is not one.
        rows = set(zip(*EXPECTED.values(), strict=True))
        assert set(zip(*columns.values(), strict=True)) <= rows


def test_a_large_sample_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_eval_logs, "MOST_OF_SAMPLE", 1 << 20)
    bomb = {"header.json": {"eval": {"task": "t"}}, "samples/1.json": " " * (3 << 20)}
    path = written(tmp_path / "bomb.eval", bomb)
    assert path.stat().st_size < 1 << 14
    message = "a sample may have up to 1 MiB; samples/1.json has 3"
    with pytest.raises(DataError, match=f"^{message}$"):
        inspect_ai.read(path)


def test_a_large_text_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspect_ai, "MOST_OF_TEXT", 1 << 20)
    path = log_of(tmp_path, [sample()], padding=" " * (1 << 20))
    message = (
        f"a log in JSON may have up to 1 MiB; {path} has more\n\n"
        "Hint: inspect log convert --to eval: those are read in parts."
    )
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        inspect_ai.read(path)


def test_names_of_entries_lead_nowhere(tmp_path: Path) -> None:
    content = {"../outside.json": "{}", "/samples/x.json": "{}", "samples/../../y.json": sample()}
    path = written(tmp_path / "odd.eval", {"header.json": {"eval": {"task": "t"}}} | content)
    before = sorted(tmp_path.parent.iterdir())
    assert inspect_ai.read(path)["question"].tolist() == ["t/1"]
    assert sorted(tmp_path.parent.iterdir()) == before
    assert list(tmp_path.iterdir()) == [path]


def test_words_of_a_log_do_not_steer_the_terminal(tmp_path: Path) -> None:
    with pytest.raises(DataError) as refused:
        inspect_ai.read(log_of(tmp_path, [sample("\x1b[31mred", number="\x1b[2J")]))
    assert "\x1b" not in str(refused.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    path = tmp_path / "none.eval"
    with pytest.raises(DataError, match=f"^cannot read the log {path}: no such file or directory$"):
        inspect_ai.read(path)
    with pytest.raises(DataError, match=r"is a directory$"):
        inspect_ai.read(tmp_path)
    with pytest.raises(DataError, match=r"no file can have such a name$"):
        inspect_ai.read("a\0b")


def test_no_logs_are_refused() -> None:
    message = (
        "there must be a log to read; got an empty list\n\n"
        "Hint: if it came from a pattern, no file has such a name."
    )
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        inspect_ai.read([])
    message = "logs must be a path, or a list of paths; got int"
    with pytest.raises(ArgumentTypeError, match=f"^{message}$"):
        inspect_ai.read(5)  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match=f"^{message}$"):
        inspect_ai.read([LOG, 5])  # type: ignore[list-item]


@pytest.mark.skipif(_eval_logs.KNOWS_ZSTANDARD, reason="this Python unpacks Zstandard itself")
def test_what_unpacks_a_log_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    message = "this needs pyarrow, which is not installed\n\nHint: pip install 'properly[app]'"
    with pytest.raises(properly.errors.MissingExtraError, match=f"^{re.escape(message)}$"):
        inspect_ai.read(LOG)
