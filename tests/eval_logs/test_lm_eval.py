"""Samples of lm-eval: what is read from real ones, and what is refused."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import properly
from properly.errors import DataError
from properly.integrations import _eval_logs, lm_eval

HERE = Path(__file__).parent
STAMP = "2026-11-18T02-58-08.960680"
FACTS = HERE / f"samples_facts_{STAMP}.jsonl"
WORDS = HERE / f"samples_words_{STAMP}.jsonl"
HINT = "\n\nHint: lm_eval --log_samples --output_path DIR writes samples_TASK_DATE.jsonl."


def line(*likelihoods: float, target: Any = 0, **more: Any) -> dict[str, Any]:
    responses = [[x, False] for x in likelihoods]
    return {"doc_id": 3, "target": target, "filtered_resps": responses, "filter": "none"} | more


def file_of(folder: Path, *lines: Any, name: str = f"samples_t_{STAMP}.jsonl") -> Path:
    path = folder / name
    texts = (x if isinstance(x, str) else json.dumps(x) for x in lines)
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


# What is read


def test_a_real_file() -> None:
    columns = lm_eval.read(FACTS)
    lines = [json.loads(text) for text in FACTS.read_text(encoding="utf-8").splitlines()]
    assert list(columns) == ["correct", "confidence", "question", "task", "probabilities", "target"]
    assert columns["target"].tolist() == [1, 0, 1]
    assert columns["correct"].tolist() == [x["acc"] for x in lines]
    assert columns["question"].tolist() == [x["doc_hash"] for x in lines]
    assert columns["task"].tolist() == ["facts"] * 3
    for k, one in enumerate(lines):
        raw = [math.exp(float(value)) for value, _ in one["filtered_resps"]]
        p = [x / sum(raw) for x in raw] + [0.0] * (3 - len(raw))
        np.testing.assert_allclose(columns["probabilities"][k], p, rtol=1e-14)
    np.testing.assert_array_equal(columns["confidence"], columns["probabilities"].max(axis=1))


def test_columns_are_ready_to_be_scored() -> None:
    a = lm_eval.read([FACTS])
    assert properly.rules.Brier()(a["target"], a["probabilities"]) > 0
    curve = properly.retention_curve(
        -a["confidence"], a["target"], a["probabilities"], metric="error_rate"
    )
    alone = properly.retention_curve(-a["confidence"], a["correct"], metric="error_rate")
    assert curve.aurc == alone.aurc


def test_numbers_as_numbers_and_as_text(tmp_path: Path) -> None:
    old = line(math.log(3), 0.0, target=0)
    new = old | {"target": "0", "filtered_resps": [[str(math.log(3)), "False"], ["0.0", "False"]]}
    a = lm_eval.read(file_of(tmp_path, old, new))
    np.testing.assert_allclose(a["probabilities"], [[0.75, 0.25]] * 2, rtol=1e-15)
    assert (a["correct"].tolist(), a["target"].tolist()) == ([1, 1], [0, 0])
    assert a["question"].tolist() == ["t/3", "t/3"]


def test_hopeless_likelihoods_are_no_trouble(tmp_path: Path) -> None:
    a = lm_eval.read(file_of(tmp_path, line(-1e5, -1e5 - math.log(4), -math.inf)))
    np.testing.assert_allclose(a["probabilities"], [[0.8, 0.2, 0]], rtol=1e-10)


def test_right_is_what_acc_says(tmp_path: Path) -> None:
    """Of tasks whose target is text, or several choices, only this knows."""
    several = line(0.0, -1.0, target="[0, 1]", acc=1.0), line(0.0, -1.0, target="a", acc=0.0)
    a = lm_eval.read(file_of(tmp_path, *several))
    assert a["correct"].tolist() == [1, 0]
    assert "target" not in a


def test_one_filter_of_several_is_enough(tmp_path: Path) -> None:
    lines = line(0.0, -1.0), line(-1.0, 0.0, filter="other"), line(0.0, -2.0)
    assert len(lm_eval.read(file_of(tmp_path, *lines))["correct"]) == 2


def test_choices_without_the_question_are_no_choices(tmp_path: Path) -> None:
    a = lm_eval.read(file_of(tmp_path, line(0.0, 0.0, -5.0, -6.0, acc_mutual_info=0.0)))
    assert a["probabilities"].tolist() == [[0.5, 0.5]]


def test_tasks_are_named_by_their_files(tmp_path: Path) -> None:
    names = f"samples_a_b_{STAMP}.jsonl", "mine.jsonl", "samples_old_2024-05-01T10-00-00.jsonl"
    paths = [file_of(tmp_path, "", line(0.0, -1.0), name=name) for name in names]
    a = lm_eval.read(paths)
    assert a["task"].tolist() == ["a_b", "mine", "old"]
    assert a["question"].tolist() == ["a_b/3", "mine/3", "old/3"]


# What is refused


def test_free_text_has_no_confidence() -> None:
    message = (
        f"a confidence needs log-likelihoods of choices; line 1 of {WORDS} has free text, judged "
        "by exact_match\n\nHint: tasks with output_type: multiple_choice have them."
    )
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        lm_eval.read(WORDS)


def test_a_choice_that_nobody_judged_is_refused(tmp_path: Path) -> None:
    path = file_of(tmp_path, line(0.0, -1.0), line(0.0, -1.0, target="a"))
    message = (
        f"choices must be right or wrong; line 2 of {path} has no 'acc' of 0 or 1\n\n"
        "Hint: metric_list of the task must have the metric acc."
    )
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        lm_eval.read(path)


@pytest.mark.parametrize(
    "content",
    [
        "y,p",
        "[1, 2]",
        "{}",
        '{"filtered_resps": []}',
        '{"filtered_resps": [["a", "b"], ["c", "d"]], "target": 0, "doc_id": 1}',
        '{"filtered_resps": [[NaN, 0], [0, 0]], "target": 0, "doc_id": 1}',
        '{"filtered_resps": [[0, 0]], "target": 0, "doc_id": 1}',
        '{"filtered_resps": [[-Infinity, 0], [-Infinity, 0]], "target": 0, "doc_id": 1}',
        '{"filtered_resps": [[0, 0], [0, 0]], "target": 0}',
    ],
)
def test_what_is_no_log_is_refused(tmp_path: Path, content: str) -> None:
    path = file_of(tmp_path, content)
    message = f"{path} is damaged, or is not a log of lm_eval{HINT}"
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        lm_eval.read(path)


def test_a_file_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    text = FACTS.read_text(encoding="utf-8").rstrip()
    with pytest.raises(DataError, match="is damaged, or is not a log of lm_eval"):
        lm_eval.read(file_of(tmp_path, text[:-1]))


def test_a_file_without_lines_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=f"^{re.escape(f'logs must have samples; got none{HINT}')}$"
    ):
        lm_eval.read(file_of(tmp_path))


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lm_eval, "MOST_OF_SAMPLE", 1 << 20)
    path = file_of(tmp_path, line(0.0, -1.0, padding=" " * (1 << 20)))
    message = f"a sample may have up to 1 MiB; one in {path} has more"
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        lm_eval.read(path)
    assert _eval_logs.MOST_OF_SAMPLE == 1 << 28
