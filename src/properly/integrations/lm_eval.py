"""LM Evaluation Harness: probabilities of choices, from the samples that `lm_eval` logs.

`read` turns ``samples_TASK_DATE.jsonl``, from ``--log_samples``, into columns for
`properly.evaluate` and `properly.retention_curve`. It needs no other library.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from properly._boundary._files import require
from properly._boundary._text import printable
from properly.errors import DataError
from properly.integrations import _eval_logs as eval_logs
from properly.integrations._eval_logs import MOST_OF_SAMPLE, PathOf
from properly.typing import Column

__all__ = ["read"]

HINT = "lm_eval --log_samples --output_path DIR writes samples_TASK_DATE.jsonl."
NAME = re.compile(r"samples_(.+)_\d{4}-\d\d-\d\dT[-0-9.]+\.jsonl")


def read(logs: PathOf | Iterable[PathOf]) -> dict[str, Column]:
    r"""Read which choices were right, and their probabilities, from samples of `lm_eval`.

    The probability of a choice, given that it is one of them, is the softmax of the log-likelihoods
    :math:`\ell_k` of the choices:

    .. math:: p_k = \frac{e^{\ell_k}}{\sum_j e^{\ell_j}} .

    Parameters
    ----------
    logs : path or list of paths
        Files of samples, of one task with multiple choices each.

    Returns
    -------
    dict of arrays
        A row for each question. ``correct`` is 1 if the likeliest choice was right, else 0, and
        ``confidence`` its probability. ``question`` is the hash of the document, so that one that
        comes again in another task is the same: the clusters. ``task``, from the name of the file,
        makes groups. ``probabilities`` has a column for each choice, 0 for those that a question
        does not have, and ``target`` the number of the right one; it is left out unless all files
        have it.

    Notes
    -----
    Right is what ``acc`` says, which goes by the log-likelihoods as they are. ``acc_norm`` divides
    them by the lengths of the choices, and these are no probabilities. Answers in free text, such
    as those judged by ``exact_match``, have no confidence and are refused.

    Examples
    --------
    >>> import properly
    >>> from properly.integrations import lm_eval
    >>> answers = lm_eval.read("samples_arc_easy_2026-11-18T02-58-08.960680.jsonl")
    ... # doctest: +SKIP
    >>> properly.evaluate(answers["target"], answers["probabilities"])  # doctest: +SKIP
    """
    rows = []
    for path in eval_logs.paths_of(logs):
        matched = NAME.fullmatch(path.name)
        task = matched[1] if matched else path.stem
        with eval_logs.open_log(path, "lm_eval", HINT) as file:
            first: str | None = None
            for number, line in enumerate(_lines(file, path)):
                where = f"line {number + 1} of {printable(str(path))}"
                # Of several filters of the same responses, one is enough.
                first = str(line.get("filter")) if first is None else first
                if str(line.get("filter")) == first:
                    rows.append(_row(line, task, where))
    if not rows:
        message = "logs must have samples; got none"
        raise DataError(message, hint=HINT)
    return _columns(rows)


def _lines(file: Any, path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file, one a line."""
    while line := file.readline(MOST_OF_SAMPLE + 1):
        if len(line) > MOST_OF_SAMPLE:
            message = (
                f"a sample may have up to {MOST_OF_SAMPLE >> 20} MiB; "
                f"one in {printable(str(path))} has more"
            )
            raise DataError(message)
        if line.strip():
            yield eval_logs.json_of(line)


def _row(line: dict[str, Any], task: str, where: str) -> dict[str, Any]:
    likelihood = _likelihoods(line, where)
    scaled = np.exp(likelihood - likelihood.max())
    p = scaled / scaled.sum()
    question = line.get("doc_hash") or f"{task}/{line['doc_id']}"
    target = _index(line.get("target"), len(p))
    right = line.get("acc", None if target is None else int(np.argmax(p)) == target)
    if right is None or float(right) not in (0, 1):
        message = f"choices must be right or wrong; {where} has no 'acc' of 0 or 1"
        raise DataError(message, hint="metric_list of the task must have the metric acc.")
    row = {"correct": int(float(right)), "confidence": float(p.max()), "question": str(question)}
    return row | {"task": task, "probabilities": p} | ({} if target is None else {"target": target})


def _likelihoods(line: dict[str, Any], where: str) -> Column:
    """Return the log-likelihood of each choice; newer logs write numbers as text."""
    responses = line["filtered_resps"]
    require(isinstance(responses, list) and responses)
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in responses):
        metrics = ", ".join(map(str, line.get("metrics") or ()))
        judged = f", judged by {printable(metrics)}" if metrics else ""
        message = f"a confidence needs log-likelihoods of choices; {where} has free text{judged}"
        raise DataError(message, hint="tasks with output_type: multiple_choice have them.")
    found = np.array([float(value) for value, _ in responses])
    if "acc_mutual_info" in line:
        # Behind those of the choices stand those of the choices without the question.
        found = found[: len(found) // 2]
    require(len(found) > 1 and not np.isnan(found).any() and np.isfinite(found.max()))
    return found


def _index(target: object, choices: int) -> int | None:
    """Return the number of the right choice, or None if it is given otherwise."""
    text = str(target).strip()
    return int(text) if text.isascii() and text.isdigit() and int(text) < choices else None


def _columns(rows: list[dict[str, Any]]) -> dict[str, Column]:
    wide = max(len(row["probabilities"]) for row in rows)
    for row in rows:
        p = row["probabilities"]
        row["probabilities"] = np.pad(p, (0, wide - len(p)))
    return eval_logs.columns_of_rows(rows)
