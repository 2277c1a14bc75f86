"""What shows in answers once forecasters are compared: parts, bridges, easy questions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly._boundary._infinities import infinities
from properly._boundary._text import first_of, many, quoted
from properly.comparison._gaps import effects, shared_questions
from properly.evaluation._checkup._answer_graph import bridges, parts_of
from properly.evaluation._checkup._symptom import Symptom, of_column, of_rows
from properly.rules._brier import Brier

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from properly.comparison._gaps import Effects
    from properly.comparison._two_way import TwoWay
    from properly.counts._answer_rows import AnswerRows
    from properly.counts._answers import Answers, Losses
    from properly.typing import Column

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
    yield _named(
        "not-connected", of_column("problem", "forecaster", len(looked.used), what, advice)
    )


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
    yield _named("one-question-bridge", of_rows("oddity", "question", flags, what, advice))


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
        yield _named("few-answers", of_rows("oddity", "forecaster", flags, what, advice))


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
        yield _named(name, of_rows("oddity", "forecaster", flags, what, advice))


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
        yield _named("near-copies", of_rows("note", "forecaster", flags, what, advice))


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
    yield _named("certain-and-wrong", of_rows("oddity", "probability", wrong, what, advice))


def _named(name: str, symptom: Symptom) -> Symptom:
    return replace(symptom, name=name)
