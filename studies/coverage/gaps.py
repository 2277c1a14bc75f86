"""What the coverage study says of tournaments with gaps.

Five forecasters see the true log-odds of questions with more or less noise, and each answers some
of them: at random, by how hard they are, or by what it happens to know. The best is compared with
the worst by raw means, on the questions that all answered, on those that both answered, and by
two-way effects. Families ask about one event in several ways.
"""

from __future__ import annotations

import math
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

import properly
from properly.errors import DataError, DataWarning
from studies.coverage.findings import interval
from studies.coverage.tables import covered, groups, one, pick, shown, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from studies.coverage.findings import Facts, Finding
    from studies.coverage.tables import Row, Rows

NOISE = np.array([0.3, 0.6, 0.9, 1.2, 1.5])
SPREAD = 1.6
NAMES = tuple("ABCDE")
WORLDS = {
    "half of them, at random": (20, 100),
    "the good the hard, the poor the easy": (20, 100, 400),
    "the best only hard, the worst only easy": (200,),
    "the worst what it happens to know": (100,),
}
FAMILIES = ((25, 4), (10, 10))
METHODS = ("raw means", "complete", "pairwise", "two-way")
UNITS = ("question", "family")
RANK_LEVEL = 0.9


def gap_facts() -> Iterator[Facts]:
    """List who answers, of how many questions; and families of questions."""
    for world, sizes in WORLDS.items():
        for n in sizes:
            yield {"world": world, "n": n}
    for families, size in FAMILIES:
        yield {"world": "families", "families": families, "size": size}


@cache
def true_scores() -> tuple[float, ...]:
    """Average the Brier score of each forecaster over all questions, by quadrature."""
    node, weight = np.polynomial.hermite_e.hermegauss(60)
    weight = weight / weight.sum()
    odds = SPREAD * node
    p = expit(odds)[:, None]
    scores = []
    for noise in NOISE:
        x = expit(odds[:, None] + noise * node)
        scores.append(float(weight @ ((p * (1 - x) ** 2 + (1 - p) * x**2) @ weight)))
    return tuple(scores)


def gaps(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Hold one tournament."""
    with warnings.catch_warnings():
        # Few events are what is studied.
        warnings.simplefilter("ignore", DataWarning)
        return _families(facts, rng) if facts["world"] == "families" else _tournament(facts, rng)


def _tournament(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    n, count = facts["n"], len(NOISE)
    odds: Any = rng.normal(0, SPREAD, n)
    y = rng.random(n) < expit(odds)
    own = rng.normal(size=(n, count)) * NOISE
    said = expit(odds[:, None] + own)
    there = rng.random((n, count)) < _wants(facts["world"], odds, own)
    there[~there.any(axis=1), rng.integers(count)] = True
    answers = _answers(y, said, there)
    best, *_, worst = true_scores()
    truth = best - worst
    found = [
        interval("best minus worst", truth, _apart(answers, method), method=method)
        for method in METHODS
    ]
    return [*found, *_places(answers, rng)]


def _wants(world: str, odds: Any, own: Any) -> Any:
    """Return with what probability each answers each question."""
    size, hard = own.shape[1], (1.1 - np.abs(odds))[:, None]
    taste = np.linspace(1, -1, size)
    if world == "half of them, at random":
        return np.full(own.shape, 0.5)
    if world == "the good the hard, the poor the easy":
        return expit(2 * hard * taste)
    if world == "the best only hard, the worst only easy":
        chance = expit(2 * hard * taste)
        chance[:, 0], chance[:, -1] = hard[:, 0] > 0, hard[:, 0] < 0
        return chance
    # What it adds to the truth is what it does not know.
    chance = np.full(own.shape, 0.5)
    chance[:, -1] = expit(4 * (1.0 - np.abs(own[:, -1])))
    return chance


def _answers(y: Any, said: Any, there: Any, **columns: Any) -> properly.Answers:
    question, forecaster = np.nonzero(there)
    return properly.Answers(
        question=question,
        forecaster=np.array(NAMES)[forecaster],
        probability=said[question, forecaster],
        outcome=y[question].astype(int),
        **{name: x[question] for name, x in columns.items()},
    )


def _apart(answers: properly.Answers, method: str) -> tuple[float, float]:
    """Return the interval of the best minus the worst; none where there is too little."""
    first, last = NAMES[0], NAMES[-1]
    if method == "raw means":
        scores = [properly.score_interval(answers.cases(x), _rule()) for x in (first, last)]
        apart = scores[0].value - scores[1].value
        error = math.hypot(*(x.standard_error for x in scores))
        return apart - 1.96 * error, apart + 1.96 * error
    if method == "pairwise":
        answers = answers.keep((first, last))
    try:
        found = properly.compare(answers, rule=_rule(), missing=method, rng=1)  # type: ignore[arg-type]
    except DataError:
        return math.nan, math.nan
    low, high = found[first, last].interval
    return low, high


@cache
def _rule() -> properly.rules.Brier:
    return properly.rules.Brier()


def _places(answers: properly.Answers, rng: np.random.Generator) -> list[Finding]:
    """Ask who stands first, and whether all intervals of ranks hold."""
    board = properly.leaderboard(answers, least=1, level=RANK_LEVEL, rng=rng)
    truth = {name: 1 + k for k, name in enumerate(NAMES)}
    raw = min(board, key=lambda row: row.raw)
    held = all(
        row.rank_interval is not None
        and row.rank_interval[0] <= truth[row.forecaster] <= row.rank_interval[1]
        for row in board
    )
    return [
        _first("the best is first", raw.forecaster == NAMES[0], method="raw means"),
        _first("the best is first", board.standings[0].forecaster == NAMES[0], method="two-way"),
        ({"what": "intervals of all ranks", "level": RANK_LEVEL}, {"held": held}),
    ]


def _first(what: str, held: bool, **about: Any) -> Finding:
    return {"what": what, **about, "level": 0.0}, {"held": held}


def _families(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Ask about each event in several ways: forecasters err alike in each of them."""
    family = np.repeat(np.arange(facts["families"]), facts["size"])
    odds: Any = rng.normal(0, SPREAD, facts["families"])
    y = (rng.random(len(odds)) < expit(odds))[family]
    odds = odds[family]
    shared = rng.normal(size=(facts["families"], len(NOISE)))[family]
    own = (math.sqrt(0.9) * shared + math.sqrt(0.1) * rng.normal(size=shared.shape)) * NOISE
    there = rng.random(own.shape) < 0.7
    said = expit(odds[:, None] + own)
    best, *_, worst = true_scores()
    found = []
    for unit in UNITS:
        clusters = {"clusters": family} if unit == "family" else {}
        answers = _answers(y, said, there, **clusters)
        ends = _apart(answers, "two-way")
        found.append(interval("best minus worst", best - worst, ends, unit=unit))
    return found


def gaps_table(rows: Rows) -> str:
    """Set the ways to compare side by side."""
    chosen = [row for row in pick(rows, part="gaps") if row["world"] != "families"]
    header = ["who answers", "questions", *METHODS, "first by raw means", "first by two-way"]
    header.append(f"intervals of ranks ({100 * RANK_LEVEL:.0f} %)")
    lines = []
    for (world, n), group in groups(chosen, "world", "n").items():
        cells = [covered(one(pick(group, what="best minus worst", method=m))) for m in METHODS]
        firsts = [
            _share(one(pick(group, what="the best is first", method=m)))
            for m in ("raw means", "two-way")
        ]
        ranks = covered(one(pick(group, what="intervals of all ranks")))
        lines.append([world, str(n), *cells, *firsts, ranks])
    return table(header, lines)


def _share(row: Row | None) -> str:
    return "" if row is None else shown(row["coverage"])


def families_table(rows: Rows) -> str:
    """Take questions, and their families, as what is independent."""
    chosen = pick(rows, part="gaps", world="families")
    lines = [
        [f"{families} families of {size}", *(covered(one(pick(group, unit=u))) for u in UNITS)]
        for (families, size), group in groups(chosen, "families", "size").items()
    ]
    return table(["", "by question", "by family"], lines)


TABLES: dict[str, Callable[[Rows], str]] = {"gaps": gaps_table, "families": families_table}
