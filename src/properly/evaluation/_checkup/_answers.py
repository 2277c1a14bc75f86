"""A doctor for long tables of answers: what is wrong or odd before forecasters are compared.

Columns are looked at first, then rows, then what shows once forecasters are compared: parts,
bridges, easy questions.
"""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._classes import as_labels
from properly._boundary._libraries import infinities
from properly._boundary._text import first_of, many, quoted
from properly.comparison._gaps import effects, shared_questions
from properly.counts import _answer_rows
from properly.counts._answers import Answers, answers_of
from properly.counts._repeated_answers import check_repeated
from properly.errors import DataError
from properly.evaluation._checkup import _checks
from properly.evaluation._checkup._check import Checkup, by_severity
from properly.evaluation._checkup._sheet import Sheet, read_raw
from properly.evaluation._checkup._symptom import Symptom, finding
from properly.rules._brier import Brier

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from properly.comparison._gaps import Effects
    from properly.comparison._two_way import TwoWay
    from properly.counts._answer_rows import AnswerRows, Fault
    from properly.counts._answers import Losses
    from properly.counts._repeated_answers import Repeated
    from properly.typing import Column, IntoFrame

ROLES = ("question", "forecaster", "outcome", "time", *_answer_rows.OF_QUESTION)
READABLE = tuple(check for check in _checks.COLUMNS if check is not _checks.missing)
# Where there is no forecast, or not yet an outcome, there is no answer; that is no mistake.
MAY_LACK = ("probability", "outcome")
READING = ("repeated", "horizon", "labels", "pos_label")


def check_answers(frame: IntoFrame | None = None, **given: Any) -> Checkup:
    """Look a long table of answers over before forecasters are compared.

    Bad data are never refused here; they are what is looked for. Nothing is changed.

    Parameters
    ----------
    frame : data frame, optional
        The table; without it, all columns are arrays.
    **given
        All else that `properly.Answers` takes: ``question``, ``forecaster``, ``probability``,
        ``outcome`` and further columns, and ``repeated``, ``horizon``, ``labels`` and
        ``pos_label``, by which they are read.

    Returns
    -------
    Checkup

    Notes
    -----
    *Problems* stop every comparison: answers that repeat, questions with two outcomes or weights,
    forecasts made too late, forecasters who share no question, not even through others. *Oddities*
    let differences rest on a single question, or on questions that were easier than the others.
    *Notes* say which rows are set aside.

    What needs a comparison is looked for in the rows that have no problem.

    Examples
    --------
    >>> from properly.evaluation import check_answers
    >>> found = check_answers(
    ...     question=["rain", "rain", "rain", "snow"],
    ...     forecaster=["Ada", "Ben", "Ben", "Cleo"],
    ...     probability=[0.7, 0.4, 0.4, 0.1],
    ...     outcome=[1, 1, 1, None],
    ... )
    >>> found
    Checkup(4 rows, 2 questions, 3 forecasters: 1 problem, 2 oddities, 1 note)
    >>> print(found.problems[0])
    repeated-key: a forecaster answers a question once; 1 key is there more than once: 1
      with identical rows, 0 with different ones (rows 1, 2).
      Drop copies first; repeated="pool" averages rows that are members of an ensemble.
    """
    taking = signature(Answers).bind(frame, **given)
    taking.apply_defaults()
    columns = {name: taking.arguments[name] for name in _answer_rows.ANSWER_COLUMNS}
    taken = _answer_rows.taken_columns(frame, columns)
    repeated, horizon, labels, pos_label = (taking.arguments[name] for name in READING)
    sheet = _sheet(taken, labels, pos_label)
    who, asked = (list(map(str, sheet.beside[x].labels)) for x in ("forecaster", "question"))
    read, found = None, tuple(_column_symptoms(sheet))
    if not found:
        try:
            read = _answer_rows.read_rows(taken, labels, pos_label)
        except DataError as error:
            found = (_refused(error, len(sheet.outcome)),)
    if read is not None:
        check_repeated(repeated, horizon, read)
        who, asked = read.forecasters, read.questions
        found = tuple(_row_symptoms(read, repeated, horizon))
    return Checkup(by_severity(found), len(sheet.outcome), tuple(who), len(asked))


def _sheet(taken: dict[str, Any], labels: Sequence[object] | None, pos_label: object) -> Sheet:
    """Lay columns side by side as they were handed in."""
    # Labels that were numbered already are written out.
    coded = {k: x for k, x in taken.items() if isinstance(x, _answer_rows.Coded)}
    plain = taken | {k: np.array(x.labels, dtype=object)[x.number] for k, x in coded.items()}
    raw = {name: read_raw(x, name) for name, x in plain.items() if name in ROLES}
    forecast = read_raw(taken["probability"], "probability")
    task = "multiclass" if forecast.is_table else "binary"
    names = None if labels is None else as_labels(labels)
    return Sheet(raw.pop("outcome"), {"probability": forecast}, task, names, pos_label, raw)


def _column_symptoms(sheet: Sheet) -> Iterator[Symptom]:
    """Find what keeps columns from being read as answers at all."""
    for check in (*READABLE, *_checks.LABELS) if sheet.of_event else READABLE:
        yield from check(sheet)
    for symptom in _checks.missing(sheet):
        if symptom.where not in MAY_LACK:
            yield replace(symptom, advice="Every row says who answered what.")
    for event in sheet.events:
        yield from _checks.scale(event)
    for model in sheet.classes:
        yield from chain.from_iterable(check(model) for check in _checks.TABLES)
    for name, check in (("weight", _checks.bad_weights), ("time", _checks.text_times)):
        if name in sheet.beside and not sheet.beside[name].is_table:
            yield from check(sheet)


def _refused(error: DataError, rows: int) -> Symptom:
    """Say what was refused as it would be refused."""
    what, _, hint = str(error).partition("\n\nHint: ")
    return finding("problem", "rows", rows, what, _sentence(hint) or "Mend this first.")


def _row_symptoms(rows: AnswerRows, repeated: Repeated, horizon: Any) -> Iterator[Symptom]:
    """Find what rows have, then what shows only if forecasters are compared."""
    found = list(_answer_rows.faults(rows, repeated))
    yield from map(_as_symptom, found)
    kept = _sound(rows, found)
    if not (rows.used & kept).any():
        return
    try:
        answers = answers_of(rows.some(kept), repeated, horizon)
        yield from fitted_symptoms(answers, rows, kept)
    except DataError as error:
        yield _refused(error, len(rows.y))


def _as_symptom(fault: Fault) -> Symptom:
    what, advice = f"{fault.rule}; {fault.found}", _sentence(fault.hint)
    return finding(fault.severity, fault.where, fault.rows, what, advice, name=fault.name)


def _sentence(hint: str) -> str:
    """Begin with a capital letter, unless an argument comes first."""
    return hint if "=" in hint.partition(" ")[0] else hint[:1].upper() + hint[1:]


def _sound(rows: AnswerRows, found: list[Fault]) -> Column:
    """Leave out what contradicts itself: of a key, the first row is kept, of a question nothing."""
    kept = np.ones(len(rows.y), dtype=bool)
    for fault in found:
        if fault.name == "repeated-key":
            first = np.zeros(len(kept), dtype=bool)
            first[np.unique(rows.keys, return_index=True)[1]] = True
            kept &= first
        elif fault.name in ("contradictory-outcome", "empty-window"):
            kept &= ~np.isin(rows.question, rows.question[fault.rows])
        elif fault.name == "late-forecast":
            kept &= ~fault.rows
    return kept


# What shows once forecasters are compared

# With fewer questions in common with anybody, a forecaster is not ranked.
LEAST = 10
# Question effects differ by so many standard errors.
FAR = 3.0
# Two forecasters with this share of equal forecasts, of at least so many questions, are one source.
ALIKE, SHARED = 0.95, 20
# Forecasters of whom pairs are looked at together.
BLOCK = 256
# So many names are listed.
LISTED = 8
PARTIAL = " Rows with a problem were left out here."


class Looked(NamedTuple):
    """Rows as they were handed in, which of them are compared, and what to say of the others."""

    rows: AnswerRows
    used: Column
    more: str

    def of(self, names: Collection[str]) -> Column:
        """Flag the answers of some forecasters."""
        flags = np.array([name in names for name in self.rows.forecasters])
        return np.asarray(flags[self.rows.forecaster] & self.used)


def fitted_symptoms(answers: Answers, rows: AnswerRows, kept: Column) -> Iterator[Symptom]:
    """Compare forecasters by Brier scores, and say what the comparison would rest on."""
    looked = Looked(rows, rows.used & kept, "" if kept.all() else PARTIAL)
    yield from _certain(looked)
    every = answers.losses(Brier())
    present = np.unique(every.forecaster)
    if len(present) < 2:
        return
    names, losses = [answers.forecasters[k] for k in present.tolist()], every.of(present)
    edges = losses.question[losses.cell], losses.forecaster
    shared = shared_questions(losses, len(names))
    yield from _parts(parts_of(*edges), names, looked)
    yield from _bridges(bridges(*edges), answers, looked)
    yield from _few(shared, names, looked)
    yield from _copies(answers, looked)
    if shared.any():
        found = effects(answers, every, corrected=False)
        yield from _selected(found, losses, names, looked)


def _parts(part: Column, names: list[str], looked: Looked) -> Iterator[Symptom]:
    """Find forecasters who share no question, not even through others."""
    count = int(part.max()) + 1
    if count < 2:
        return
    parts = [[names[j] for j in np.flatnonzero(part == k)] for k in range(min(count, LISTED))]
    said = " | ".join(first_of(map(quoted, part), LISTED) for part in parts)
    what = (
        "forecasters are compared by questions in common, their own or those of others; "
        f"{count} parts have none: {said}{' | …' * (count > LISTED)}"
    )
    advice = f"Compare each part by itself; between them nothing can be said.{looked.more}"
    rows = len(looked.used)
    yield finding("problem", "forecaster", rows, what, advice, name="not-connected")


def _bridges(found: list[int], answers: Answers, looked: Looked) -> Iterator[Symptom]:
    """Find questions without which forecasters could not be compared."""
    if not found:
        return
    questions, count = [answers.questions[k] for k in found], len(found)
    what = (
        f"differences should rest on several questions; {many(count, 'question')} "
        f"alone {'connects' if count == 1 else 'connect'} forecasters: "
        f"{first_of(map(quoted, questions), LISTED)}"
    )
    advice = f"What rests on one question has no standard error.{looked.more}"
    named, rows = set(questions), looked.rows
    flags = np.array([name in named for name in rows.questions])[rows.question] & looked.used
    yield finding("oddity", "question", flags, what, advice, name="one-question-bridge")


def _few(shared: Column, names: list[str], looked: Looked) -> Iterator[Symptom]:
    """Find forecasters who share few questions with anybody."""
    few = {name: k for name, k in zip(names, shared.tolist(), strict=True) if k < LEAST}
    if few:
        said = first_of((f"{quoted(name)} ({k})" for name, k in few.items()), LISTED)
        what = (
            f"who is ranked shares {LEAST} questions or more with others; "
            f"{many(len(few), 'forecaster')} {'shares' if len(few) == 1 else 'share'} fewer: {said}"
        )
        advice = f"They are listed, not ranked.{looked.more}"
        flags = looked.of(few)
        yield finding("oddity", "forecaster", flags, what, advice, name="few-answers")


def _selected(
    found: Effects, losses: Losses, names: list[str], looked: Looked
) -> Iterator[Symptom]:
    """Find forecasters whose questions were easier or harder than those they left out."""
    score = found.fit.score
    total = np.bincount(losses.forecaster, losses.weight)
    raw = np.bincount(losses.forecaster, losses.weight * losses.loss) / total
    t = welch(found.fit, losses)
    with infinities():
        far = (np.abs(t) > FAR) & (np.abs(raw - score) > found.score_errors)
    for name, word, side in (("easy-questions", "easier", -1), ("hard-questions", "harder", 1)):
        some = np.flatnonzero(far & (np.sign(t) == side)).tolist()
        if not some:
            continue
        said = (
            f"{quoted(names[j])} (mean Brier score {raw[j]:.3f}, adjusted {score[j]:.3f})"
            for j in some
        )
        what = (
            f"questions should not be chosen by how hard they are; {many(len(some), 'forecaster')} "
            f"answered {word} ones: {first_of(said, LISTED, count=len(some))}"
        )
        advice = f"Compare by a leaderboard, not by means over own questions.{looked.more}"
        flags = looked.of([names[j] for j in some])
        yield finding("oddity", "forecaster", flags, what, advice, name=name)


def welch(fit: TwoWay, losses: Losses) -> Column:
    """Return Welch's t of the effects of the questions that each answered and did not answer."""
    size = len(fit.effect)
    questions, of_cell = np.unique(losses.question, return_inverse=True)
    weight = np.bincount(of_cell, losses.level)
    level: Column = np.bincount(of_cell, losses.level * _levels(fit, losses)) / weight
    # Which part a question belongs to: nobody else could have answered it.
    part = np.zeros(len(questions), dtype=np.intp)
    part[of_cell[losses.cell]] = fit.part[losses.forecaster]
    level = level - (np.bincount(part, level) / np.bincount(part))[part]
    pair = np.unique(of_cell[losses.cell] * np.intp(size) + losses.forecaster)
    who, own = pair % size, level[pair // size]
    sums = [np.bincount(who, own**k, size) for k in (0, 1, 2)]
    others = [np.bincount(part, level**k)[fit.part] - sums[k] for k in (0, 1, 2)]
    with infinities():
        (m, v), (n, u) = (
            (s1 / s0, np.maximum(s2 - s1**2 / s0, 0) / (s0 - 1) / s0)
            for s0, s1, s2 in (sums, others)
        )
        return np.asarray((m - n) / np.sqrt(v + u))


def _levels(fit: TwoWay, losses: Losses) -> Column:
    """Average what is left of the losses of each cell, in the order in which cells were given."""
    left = losses.weight * (losses.loss - fit.effect[losses.forecaster])
    return np.asarray(np.bincount(losses.cell, left) / np.bincount(losses.cell, losses.weight))


def _copies(answers: Answers, looked: Looked) -> Iterator[Symptom]:
    """Find two forecasters with the same forecasts: one source, counted twice."""
    pairs = near_copies(answers)
    if pairs:
        said = first_of((f"{quoted(a)} and {quoted(b)}" for a, b in pairs), LISTED)
        what = (
            f"forecasters should be different sources; {many(len(pairs), 'pair')} "
            f"{'has' if len(pairs) == 1 else 'have'} equal forecasts on {ALIKE:.0%} of the "
            f"questions in common: {said}"
        )
        flags = looked.of({name for pair in pairs for name in pair})
        advice = "Leave one of the two out, or read them as one source that is counted twice."
        yield finding("note", "forecaster", flags, what, advice, name="near-copies")


def near_copies(answers: Answers) -> list[tuple[str, str]]:
    """Name pairs of forecasters who said the same of nearly all questions that they share."""
    from scipy.sparse import csr_array

    size = len(answers.forecasters)
    pair = answers.question * np.intp(size) + answers.forecaster
    # Of several forecasts of a question, the last.
    last = len(pair) - 1 - np.unique(pair[::-1], return_index=True)[1]
    who, question, p = answers.forecaster[last], answers.question[last], answers.p[last]
    value = np.unique(p, axis=0, return_inverse=True)[1].reshape(-1)
    said = np.unique(question * np.intp(value.max() + 1) + value, return_inverse=True)[1]
    ones = np.ones(len(last), dtype=np.int64)
    asked = csr_array((ones, (who, question)))
    told = csr_array((ones, (who, said)))
    found = []
    for start in range(0, size, BLOCK):
        some = slice(start, start + BLOCK)
        both = (asked[some] @ asked.T).toarray()
        same = (told[some] @ told.T).toarray()
        first, second = np.nonzero((both >= SHARED) & (same >= ALIKE * both))
        found += [(j + start, k) for j, k in zip(first.tolist(), second.tolist(), strict=True)]
    return [(answers.forecasters[j], answers.forecasters[k]) for j, k in found if j < k]


def _certain(looked: Looked) -> Iterator[Symptom]:
    """Find outcomes that were held to be impossible."""
    rows = looked.rows
    happened = np.maximum(rows.y, 0)
    if rows.p.ndim == 1:
        given = np.where(happened == 1, rows.p, 1 - rows.p)
    else:
        given = np.take_along_axis(rows.p, happened[:, None], axis=1)[:, 0]
    wrong = looked.used & (given == 0)
    if not wrong.any():
        return
    count = np.bincount(rows.forecaster[wrong], minlength=len(rows.forecasters))
    some = np.flatnonzero(count)
    said = (f"{quoted(rows.forecasters[j])} ({count[j]})" for j in some.tolist())
    what = (
        f"what happens should have been possible; {many(int(wrong.sum()), 'answer')} gave it "
        f"the probability 0: {first_of(said, LISTED, count=len(some))}"
    )
    advice = (
        "One infinite log loss makes every log comparison with that forecaster infinite; compare "
        "by Brier as well."
    )
    yield finding("oddity", "probability", wrong, what, advice, name="certain-and-wrong")


# Who shares questions with whom


def parts_of(question: Column, forecaster: Column) -> Column:
    """Return the number of the connected part of each forecaster, from 0, in their order."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    questions = int(question.max()) + 1
    size = questions + int(forecaster.max()) + 1
    edges = coo_array((np.ones(len(question)), (question, forecaster + questions)), (size, size))
    part = connected_components(edges, directed=False)[1][questions:]
    _, first, number = np.unique(part, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[number])


def bridges(question: Column, forecaster: Column) -> list[int]:
    """Find the questions without which some forecasters would be connected no more.

    In the graph of questions and of those who answered them, these are the questions that are
    articulation points: below them, no path leads back above [1]_.

    References
    ----------
    .. [1] J. Hopcroft, R. Tarjan (1973). Algorithm 447: efficient algorithms for graph
       manipulation. Communications of the ACM 16:372-378. doi:10.1145/362248.362272.
    """
    questions = int(question.max()) + 1
    start, other = _neighbours(question, forecaster + questions)
    size = len(start) - 1
    # When each was first seen, the earliest reached from below it, and who is looked at next.
    seen, low, place = [0] * size, [0] * size, list(start)
    found, clock = set(), 0
    for root in range(questions, size):
        path = [] if seen[root] else [root]
        while path:
            node = path[-1]
            if not seen[node]:
                clock += 1
                seen[node] = low[node] = clock
            if place[node] < start[node + 1]:
                near = other[place[node]]
                place[node] += 1
                if seen[near]:
                    low[node] = min(low[node], seen[near])
                else:
                    path.append(near)
                continue
            path.pop()
            if path:
                above = path[-1]
                low[above] = min(low[above], low[node])
                if above < questions and low[node] >= seen[above]:
                    found.add(above)
    return sorted(found)


def _neighbours(question: Column, forecaster: Column) -> tuple[list[int], list[int]]:
    """List the neighbours of each, and where those of each begin."""
    ends, others = np.concatenate([[question, forecaster], [forecaster, question]], axis=1)
    order = np.argsort(ends, kind="stable")
    start = np.searchsorted(ends[order], np.arange(int(ends.max()) + 2))
    return start.tolist(), others[order].tolist()
