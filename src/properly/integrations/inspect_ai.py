"""Inspect: right or wrong, and how confident, from the logs of `inspect_ai`.

`read` turns logs, ``.eval`` or JSON, into columns for `properly.evaluate` and
`properly.retention_curve`. It needs neither `inspect_ai` nor the model. Logs that are compressed by
Zstandard, as they are today, need Python 3.14 or the extra ``app``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from properly._boundary._files import require
from properly._boundary._notices import notice
from properly._boundary._text import many, printable
from properly.errors import DataError
from properly.integrations import _eval_logs as eval_logs
from properly.integrations._eval_logs import MOST_OF_TEXT, PathOf
from properly.typing import Column

__all__ = ["read"]

HINT = "inspect_ai writes them as .eval or .json files: inspect log list."
# As inspect_ai itself reads grades; an answer that was not given is not right.
GRADES = {"c": 1, "i": 0, "n": 0, "yes": 1, "no": 0, "true": 1, "false": 0}


def read(
    logs: PathOf | Iterable[PathOf], *, confidence: str = "confidence", scorer: str | None = None
) -> dict[str, Column]:
    """Read which answers were right, and how confident each was, from logs of `inspect_ai`.

    Parameters
    ----------
    logs : path or list of paths
        Logs, ``.eval`` or JSON, of one task each.
    confidence : str
        Where the confidence is: a key in the metadata of the score, the name of another scorer, or
        a key in the metadata of the sample. The first of these that there is counts.
    scorer : str, optional
        Whose scores say which answers are right; needed if a log has several scorers.

    Returns
    -------
    dict of arrays
        A row for each answer. ``correct`` is 1 or 0 and ``confidence`` is as it was written, NaN
        where there is none. ``question`` names task and sample, so that it is the same in all
        epochs: the clusters. ``task`` makes groups; ``epoch`` and ``model`` are there too.

    Notes
    -----
    Grades are read as `inspect_ai` reads them: ``"C"`` is right, ``"I"`` and ``"N"``, no answer,
    are wrong. In part right, ``"P"``, is neither and is refused. Samples without a score, since
    they failed, are left out with a warning. Nothing in a log is run or unpacked to a file.

    Examples
    --------
    >>> import properly
    >>> from properly.integrations import inspect_ai
    >>> answers = inspect_ai.read("run.eval")  # doctest: +SKIP
    >>> properly.evaluate(
    ...     answers["correct"], answers["confidence"],
    ...     groups=answers["task"], clusters=answers["question"],
    ... )  # doctest: +SKIP
    """
    rows, unscored = [], 0
    for path in eval_logs.paths_of(logs):
        with eval_logs.open_log(path, "inspect_ai", HINT) as file:
            found = _samples(path, file)
            spec = next(found)["eval"]
            task, model = str(spec["task"]), str(spec.get("model", ""))
            for sample in found:
                name = f"{task}/{sample['id']}"
                epoch = int(sample.get("epoch", 1))
                where = f"sample {printable(name)}, epoch {epoch}"
                score = _score(sample, scorer, confidence, where)
                grade = None if score is None else _grade(score["value"], where)
                if score is None or grade is None:
                    unscored += 1
                    continue
                sure = _confidence(sample, score, confidence, where)
                row = {"correct": grade, "confidence": sure, "question": name, "task": task}
                rows.append(row | {"epoch": epoch, "model": model})
    _require_answers(rows, unscored, confidence)
    return eval_logs.columns_of_rows(rows)


def _samples(path: Path, file: Any) -> Iterator[dict[str, Any]]:
    """Yield the header of a log, and then its samples one by one."""
    start = file.read(4)
    file.seek(0)
    if start.startswith(b"PK"):
        with ZipFile(file) as archive:
            # Of a run that has not ended there is only what it began with.
            names = dict.fromkeys(archive.namelist())
            header = "header.json" if "header.json" in names else "_journal/start.json"
            yield eval_logs.entry_of(archive, file, archive.getinfo(header))
            for name in names:
                if name.startswith("samples/") and name.endswith(".json"):
                    yield eval_logs.entry_of(archive, file, archive.getinfo(name))
        return
    content = file.read(MOST_OF_TEXT + 1)
    if len(content) > MOST_OF_TEXT:
        most, name = f"{MOST_OF_TEXT >> 20} MiB", printable(str(path))
        message = f"a log in JSON may have up to {most}; {name} has more"
        raise DataError(message, hint="inspect log convert --to eval: those are read in parts.")
    log = eval_logs.json_of(content)
    yield log
    samples = log.get("samples") or []
    require(isinstance(samples, list))
    yield from samples


def _score(
    sample: dict[str, Any], scorer: str | None, confidence: str, where: str
) -> dict[str, Any] | None:
    """Return the score that says whether an answer is right; None if the sample has no score."""
    scores = sample.get("scores") or {}
    if not scores:
        return None
    names = [name for name in scores if name != confidence] if scorer is None else [scorer]
    if len(names) == 1 and names[0] in scores:
        return dict(scores[names[0]])
    there = ", ".join(repr(printable(name)) for name in scores)
    asked = "one scorer must be chosen" if scorer is None else f"there is no scorer {scorer!r}"
    message = f"{asked}; {where} has scores by {there}"
    raise DataError(message, hint="scorer= names the one whose scores say what is right.")


def _grade(value: object, where: str) -> int | None:
    """Read a grade as right or wrong; None if it says that nothing was graded."""
    if isinstance(value, float) and math.isnan(value):
        return None
    found = GRADES.get(value.strip().lower(), value) if isinstance(value, str) else value
    if isinstance(found, bool | int | float) and found in (0, 1):
        return int(found)
    message = f"answers must be graded as right or wrong; {where} is {_text(value)}"
    hint = "scorer= may name another one; else grade with 'C' and 'I', or with 1 and 0."
    raise DataError(message, hint=hint)


def _confidence(sample: dict[str, Any], score: dict[str, Any], key: str, where: str) -> float:
    """Return how confident an answer was, NaN if that is nowhere."""
    other = sample["scores"].get(key)
    places = (score.get("metadata"), other and {key: other["value"]}, sample.get("metadata"))
    value = next((place[key] for place in places if place and key in place), None)
    try:
        return math.nan if value is None else float(value)
    except (TypeError, ValueError):
        message = f"a confidence must be a number; that of {where} is {_text(value)}"
        raise DataError(message, hint="let the scorer write a number, or None.") from None


def _text(value: object) -> str:
    return printable(json.dumps(value, default=str))


def _require_answers(rows: list[dict[str, Any]], unscored: int, confidence: str) -> None:
    """Refuse logs without answers, or without any confidence; tell how many have no score."""
    if not rows:
        message = f"logs must have scored samples; got {many(unscored, 'sample')} without a score"
        raise DataError(message, hint="inspect score adds scores to a log.")
    if all(math.isnan(row["confidence"]) for row in rows):
        message = (
            f"answers must come with a confidence; none of {many(len(rows), 'answer')} has "
            f"{confidence!r} in the metadata of its score, as a scorer or in the sample's metadata"
        )
        raise DataError(message, hint="confidence= names the key, or the scorer, that has it.")
    if unscored:
        notice(f"{many(unscored, 'sample')} without a score are left out")
