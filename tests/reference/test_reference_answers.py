"""Long tables with gaps: comparisons, boards and their scores, against an independent program.

Sources, columns and tolerances: ``tests/reference/README.md``.
"""

from __future__ import annotations

from functools import cache, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import properly
from properly.comparison._gaps import effects
from properly.comparison._two_way import two_way
from properly.counts._answer_rows import OF_QUESTION, REQUIRED, faults, read_rows, taken_columns
from properly.errors import DataError
from properly.inference._multiplicity import holm
from properly.rules import Brier, Log

from .held import FOLDER, once

if TYPE_CHECKING:
    from properly import Answers
    from properly.comparison._two_way import TwoWay
    from properly.rules import BinaryRule

    from .held import Areas

    Found = dict[str, float]

# Seven questions were answered by all.
pytestmark = pytest.mark.filterwarnings("ignore:with .* events and:properly.errors.DataWarning")

RULES: dict[str, BinaryRule] = {"brier": Brier(), "log": Log()}
NAMES = "ABCDEF"
PAIRS = list(combinations(range(len(NAMES)), 2))
# What is known of the questions, by the word in the names of published values.
KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "weighted": {"weight": "weight"},
    "clusters": {"clusters": "cluster"},
    "time": {"when": "day"},
}
WINDOWS: dict[str, Any] = {name: name for name in ("time", "opens", "closes", "resolved")}


@cache
def read(name: str) -> pl.DataFrame:
    return pl.read_csv(FOLDER / "real_data" / f"{name}.csv")


@cache
def answers_of(kind: str) -> Answers:
    return properly.Answers(read("long"), **KINDS[kind])


@cache
def board_of(rule: str, kind: str = "plain") -> Any:
    others: Any = {"relative_skill": True, "baseline": "F", "peer": True}
    return properly.leaderboard(answers_of(kind), rule=RULES[rule], level=0.9, rng=1, **others)


def names_of(pair: tuple[int, int]) -> str:
    return "-".join(NAMES[k] for k in pair)


def of_pairs(fit: TwoWay, tag: str, pairs: list[tuple[int, int]]) -> Found:
    first, second = np.array(pairs).T
    columns = {
        "diff": fit.differences(first, second),
        "se": fit.errors(first, second),
        "df": fit.degrees[first, second],
    }
    return {
        f"{tag}.{names_of(pair)}.{what}": float(x[k])
        for what, x in columns.items()
        for k, pair in enumerate(pairs)
    }


def of_table() -> Found:
    answers = answers_of("plain")
    alone = np.bincount(answers.question) == 1
    return {
        "long.rows": len(answers),
        "long.questions": len(answers.questions),
        "long.complete_cases": len(answers.complete().questions),
        "long.one_forecaster": alone.sum(),
    }


def of_coverage() -> Found:
    kinds = {"coverage": "plain", "coverage_weighted": "weighted"}
    found = {tag: answers_of(kind).coverage for tag, kind in kinds.items()}
    return {f"{tag}.{name}": x for tag, known in found.items() for name, x in known.items()}


def of_twoway(rule: str, kind: str) -> Found:
    answers = answers_of(kind)
    losses = answers.losses(RULES[rule])
    fit = effects(answers, losses).fit
    tag = f"twoway.{rule}.{kind}"
    result = of_pairs(fit, tag, PAIRS)
    if kind == "time":
        return {name: x for name, x in result.items() if not name.endswith("diff")}
    units = result[f"{tag}.units"] = fit.compares.sum()
    questions, clusters = np.arange(len(answers.questions)), np.asarray(answers.clusters)
    family = questions if kind != "clusters" else np.unique(clusters, return_inverse=True)[1]
    influence: Any = two_way(losses, len(NAMES), family[losses.question], influences=True).influence
    for j, k in PAIRS:
        name = f"{tag}.{names_of((j, k))}"
        plain = ((influence[j] - influence[k]) ** 2).sum() * units / (units - 1)
        result[f"{name}.se_cr0"] = np.sqrt(plain)
        t = abs(result[f"{name}.diff"]) / result[f"{name}.se"]
        result[f"{name}.p"] = 2 * stats.t.sf(t, result[f"{name}.df"])
    return result


def of_board(rule: str) -> Found:
    board = board_of(rule)
    result: Found = {}
    for row in board:
        lowest, highest = row.rank_interval
        result |= {
            f"ranks.{rule}.{row.forecaster}.lowest": lowest,
            f"ranks.{rule}.{row.forecaster}.highest": highest,
            f"raw.{rule}.{row.forecaster}": row.raw,
            f"selection.{rule}.{row.forecaster}": row.selection,
        }
        for name in ("relative_skill", "scaled_relative_skill"):
            result[f"{name}.{rule}.{row.forecaster}"] = row.others[name].value
    # How far from the critical value the pair is that is nearest to being told apart.
    above = np.triu_indices(len(board), 1)
    apart, error = (board.pairs[name][above] for name in ("difference", "standard_error"))
    row = board.standings[1]
    reach = (row.difference_interval[1] - row.difference) / row.difference_error
    # The value published is for the fewest degrees of freedom of any pair.
    alone = stats.t.sf(reach, board.pairs["degrees"][0, 1])
    critical = float(stats.t.isf(alone, board.degrees))
    close = np.abs(np.abs(apart) - critical * error).min() / error.mean()
    return result | {
        f"ranks.{rule}.critical90": critical,
        f"ranks.{rule}.closest_call": close,
    }


def of_adjusted(rule: str, kind: str) -> Found:
    result: Found = {}
    for row in board_of(rule, kind):
        name = f"adjusted.{rule}.{kind}.{row.forecaster}"
        result |= {name: row.score, f"{name}.se": row.standard_error}
    return result


def of_platforms() -> Found:
    words = {"peer": "peer", "peer_sum": "peer_sum", "peer_median": "peer_median"}
    words["baseline"] = "baseline_score"
    # Whatever the rule of the board, these are of the log score.
    rows = board_of("brier")
    return {f"{x}.{row.forecaster}": row.others[y].value for x, y in words.items() for row in rows}


def of_difficulty(rule: str) -> Found:
    """Compare effects of the questions each answered with those of the others, by Welch's t."""
    answers = answers_of("plain")
    level = effects(answers, answers.losses(RULES[rule])).fit.level
    result: Found = {}
    for k, name in enumerate(answers.forecasters):
        taken = np.isin(np.arange(len(level)), answers.question[answers.forecaster == k])
        found = stats.ttest_ind(level[taken], level[~taken], equal_var=False)
        result[f"difficulty_t.{rule}.{name}"] = found.statistic
    return result


def of_classes(rule: str) -> Found:
    known: dict[str, Any] = {"probability": ["p_a", "p_b", "p_c"], "labels": ["a", "b", "c"]}
    answers = properly.Answers(read("classes"), **known)
    fit = effects(answers, answers.losses(RULES[rule])).fit
    return of_pairs(fit, f"classes.{rule}", [(0, 1), (0, 2), (0, 3)])


def of_updates(tag: str) -> Found:
    how: dict[str, Any] = {"repeated": "moments"}
    if tag == "last10":
        how = {"repeated": "last", "horizon": 10}
    answers = properly.Answers(read("updates"), **WINDOWS, **how)
    losses = answers.losses(Brier())
    fit = two_way(losses, 4, losses.question)
    several = np.bincount(losses.cell)[losses.cell] > 1
    numbers = {f"updates.{tag}.rows": several.sum(), f"updates.{tag}.units": fit.compares.sum()}
    return numbers | of_pairs(fit, f"updates.{tag}", [(0, 1), (0, 2), (0, 3)])


def of_mean_losses() -> Found:
    answers = properly.Answers(read("updates"), **WINDOWS, repeated="mean-loss")
    losses = answers.losses(Brier())
    result: Found = {}
    columns = (losses.question[losses.cell], losses.forecaster, losses.loss, losses.weight)
    for question, forecaster, loss, active in zip(*columns, strict=True):
        name = f"updates.{answers.questions[question]}.{answers.forecasters[forecaster]}"
        result |= {f"{name}.mean_loss": loss, f"{name}.active": active}
    return result


def of_ensemble() -> Found:
    rows = [
        (question, float(k < hits), outcome)
        for question, members, hits, outcome in read("ensemble").iter_rows()
        for k in range(members)
    ]
    question, probability, outcome = zip(*rows, strict=True)
    answers = properly.Answers(
        question=question,
        forecaster=["ensemble"] * len(rows),
        probability=probability,
        outcome=outcome,
        repeated="pool",
    )
    return {
        "ensemble.brier": answers.losses(Brier()).loss.mean(),
        "ensemble.fair_brier": answers.losses(Brier(), fair=True).loss.mean(),
    }


def compared(rule: str, kind: str, missing: str) -> dict[str, Any]:
    how: Any = {"rule": RULES[rule], "missing": missing, "method": "t", "rng": 1}
    found = properly.compare(answers_of(kind), **how)
    return {names_of(pair): found[NAMES[pair[0]], NAMES[pair[1]]] for pair in PAIRS}


def of_pairwise(rule: str) -> Found:
    result: Found = {}
    pairs = compared(rule, "plain", "pairwise")
    adjusted = dict(zip(pairs, holm(np.array([x.p_value for x in pairs.values()])), strict=True))
    for name, pair in pairs.items():
        numbers = {"n": pair.common, "diff": pair.difference, "se": pair.standard_error}
        numbers |= {"p": pair.p_value, "holm": adjusted[name]}
        result |= {f"pairwise.{rule}.{name}.{what}": x for what, x in numbers.items()}
    for name, pair in compared(rule, "weighted", "pairwise").items():
        tag = f"pairwise.{rule}.{name}.weighted"
        result |= {f"{tag}_diff": pair.difference, f"{tag}_se": pair.standard_error}
    return result


def of_complete(rule: str) -> Found:
    result: Found = {}
    for name, pair in compared(rule, "plain", "complete").items():
        if name.startswith("A"):
            tag = f"complete.{rule}.{name}"
            result |= {f"{tag}.diff": pair.difference, f"{tag}.se": pair.standard_error}
    return result


AREAS: Areas = {
    "table": of_table,
    "coverage": of_coverage,
    "platforms": of_platforms,
    "mean losses": of_mean_losses,
    "ensemble": of_ensemble,
}
for tag in ("moments", "last10"):
    AREAS[f"updates {tag}"] = partial(of_updates, tag)
for rule in RULES:
    for of in (of_board, of_difficulty, of_classes, of_pairwise, of_complete):
        AREAS[f"{of.__name__} {rule}"] = partial(of, rule)
    for kind in KINDS:
        AREAS[f"twoway {rule} {kind}"] = partial(of_twoway, rule, kind)
        if kind != "time":
            AREAS[f"adjusted {rule} {kind}"] = partial(of_adjusted, rule, kind)
AREAS = once(AREAS)


def test_the_reference_files_are_all_there() -> None:
    sizes = {name: len(read(name)) for name in ("long", "classes", "updates", "ensemble", "messy")}
    assert sizes == {"long": 488, "classes": 172, "updates": 261, "ensemble": 40, "messy": 493}


# A table with everything wrong


def messy_faults() -> dict[str, Any]:
    columns = {role: role for role in REQUIRED}
    columns |= dict.fromkeys(("time", *OF_QUESTION)) | {"weight": "weight"}  # type: ignore[arg-type]
    rows = read_rows(taken_columns(read("messy"), columns), None, None)
    return {fault.name: fault for fault in faults(rows)}


def test_everything_wrong_with_the_messy_table_is_found() -> None:
    kinds = {"error": "problem", "note": "note"}
    published = {row["finding"]: row for row in read("messy_findings").iter_rows(named=True)}
    # Whether forecasters are connected is known once the rest is mended.
    del published["not-connected"]
    found = messy_faults()
    assert set(found) == set(published)
    for name, row in published.items():
        assert found[name].found.startswith(f"{row['number']} ")
        assert found[name].severity == kinds[row["kind"]]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("repeated-key", "1 with identical rows, 1 with different ones"),
        ("contradictory-outcome", "'q007'"),
        ("varying-weight", "'q009'"),
        ("unresolved", "'q011'"),
        ("missing-forecast", "'q013'"),
        ("one-forecaster", "'q000', 'z1'"),
    ],
)
def test_a_finding_names_what_is_published(name: str, words: str) -> None:
    assert words in messy_faults()[name].found


def test_the_messy_table_is_refused_and_once_mended_it_falls_into_parts() -> None:
    with pytest.raises(DataError, match="a forecaster answers a question once"):
        properly.Answers(read("messy"), weight="weight")
    mended = (
        read("messy")
        .unique(["question", "forecaster"], keep="first")
        .filter(pl.col("question") != "q007")
    )
    with pytest.raises(DataError, match="the weight belongs to the question"):
        properly.Answers(mended, weight="weight")
    answers = properly.Answers(mended)
    assert answers.set_aside["unresolved"] == 4
    assert answers.set_aside["unanswered"] == 2
    with pytest.raises(DataError) as caught:
        properly.leaderboard(answers)
    assert "2 parts" in str(caught.value)
    assert "A, B, C, D, E, F | Y, Z" in str(caught.value)
