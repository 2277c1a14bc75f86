"""Results, gathered."""

import json
import math
import pickle
import tracemalloc
from functools import partial
from typing import Any

import numpy as np
import pytest

import properly
from properly import Cases, decompose, tally
from properly.rules import Bounded, Brier, Elementary, Log, Regret, Spherical

# What is drawn is tested below; the rest needs no draws.
evaluate = partial(properly.evaluate, replicates=0)
Y, P = [0, 1, 1], {"good": [0.1, 0.8, 0.7], "wrong": [0.5, 0.0, 0.6]}


def test_an_evaluation_gathers_what_decompose_says() -> None:
    e = evaluate(Y, P, rules=[Spherical()], weight=[1, 2, 3])
    assert e.decompositions["good"]["spherical"] == decompose(
        tally(Y, P["good"], weight=[1, 2, 3]), Spherical()
    )
    assert (e.total, round(e.event_rate, 6)) == (6, 0.833333)


def test_the_dictionary_is_strict_json_with_infinity_spelled_out() -> None:
    text = json.dumps(evaluate(Y, P).to_dict(), allow_nan=False)
    assert json.loads(text)["models"]["wrong"]["log"]["score"] == "Infinity"
    assert json.loads(text)["data"] == {
        "cases": 3,
        "task": "binary",
        "event_rate": 2 / 3,
        "rows": 3,
        "events": 2,
        "design": "3 independent cases",
        "summed": False,
        "level": 0.95,
        "within": None,
        "replicates": 0,
        "seed": None,
    }
    assert json.loads(evaluate(Y, P).to_json()) == json.loads(text)


def test_skill_that_does_not_exist_is_a_dash() -> None:
    lines = str(evaluate([1, 1], [0.5, 0.5], rules=Brier())).split("\n")
    assert lines[6].split() == ["(event", "rate)", "0.00000", "-", "-", "0.00000", "0.00000"]


def test_a_model_may_be_called_as_what_it_is_compared_with() -> None:
    lines = str(evaluate(Y, {"(event rate)": P["good"]}, rules=Brier())).split("\n")
    assert [line.split("  ")[0] for line in (lines[3], lines[6])] == ["(event rate)"] * 2
    assert lines[3] != lines[6]


def test_baselines_stand_below_the_models_and_skill_is_measured_against_the_last() -> None:
    e = evaluate([0, 0, 0, 1], {"model": [0.25, 0.0, 0.25, 0.5]}, rules=Brier())
    assert list(e.baselines) == ["treat all", "treat none", "event rate"]
    scores = [parts["brier"].score for parts in e.baselines.values()]
    assert scores == [0.75, 0.25, 0.1875]
    assert e.baselines["event rate"]["brier"].skill == 0
    assert e.decompositions["model"]["brier"].skill == 0.5
    names = [line.split("  ")[0] for line in str(e).splitlines()[3:7]]
    assert names == ["model", "(treat all)", "(treat none)", "(event rate)"]
    assert e.to_dict()["baselines"]["treat none"]["brier"]["skill"] == pytest.approx(-1 / 3)


@pytest.mark.parametrize(
    ("within", "rules", "expected"),
    [
        ((0.05, 0.2), None, (Brier(), Log())),
        ((0.0, 0.2), None, (Brier(), Log())),
        ((0.5, 1.0), None, (Brier(), Log())),
        ((0.1, 0.2), Spherical(), (Spherical(),)),
        ((0.1, 0.2), Elementary(0.5), (Elementary(0.5),)),
        ((0.1, 0.3), [Regret((0.05, 0.2)), Brier()], (Regret((0.05, 0.2)), Brier())),
    ],
)
def test_a_range_of_thresholds_brings_the_mean_regret_over_it_first(
    within: tuple[float, float], rules: Any, expected: tuple[Any, ...]
) -> None:
    e = evaluate(Y, P["good"], rules=rules, within=within)
    assert e.rules == (Regret(within), *expected)
    assert e.primary == Regret(within).name
    assert math.isfinite(e.scores["forecast"][e.primary].value)


def test_the_bounded_brier_score_is_there_as_a_rule_and_twice_the_mean_regret() -> None:
    bounded = Bounded(Brier(), (0.1, 0.3))
    e = evaluate(Y, P["good"], rules=[bounded, Regret((0.1, 0.3))], within=(0.1, 0.3))
    assert e.rules == (bounded, Regret((0.1, 0.3)))
    assert e.primary == "regret[0.1,0.3]"
    by_rule = e.scores["forecast"]
    assert by_rule[bounded.name].value == pytest.approx(2 * by_rule[e.primary].value, rel=1e-14)
    assert evaluate(Y, P["good"], rules=bounded, within=(0.1, 0.3)).primary == e.primary


# The definition: c for each false alarm and 1 - c for each missed event, a case, on average.
def test_the_score_over_a_range_is_the_mean_of_the_regret_curve_there() -> None:
    rng = np.random.default_rng(4)
    p = rng.random(300).round(2)
    y, weight = rng.random(300) < p**1.4, rng.integers(1, 4, 300)
    lower, upper = 0.1, 0.35
    steps = np.linspace(lower, upper, 250_001)
    c = (steps[1:] + steps[:-1]) / 2
    order = np.argsort(p)
    place = np.searchsorted(p[order], c)
    missed = np.append(0, np.cumsum((weight * y)[order]))[place] / weight.sum()
    alarms = np.append(np.cumsum((weight * ~y)[order][::-1])[::-1], 0)[place] / weight.sum()
    counted = float(np.mean(c * alarms + (1 - c) * missed))
    e = evaluate(y, p, weight=weight, within=(lower, upper))
    score = e.scores["forecast"][e.primary].value
    assert score == pytest.approx(counted, rel=1e-9)
    curve = e.regret["forecast"].area((lower, upper)) / (upper - lower)
    assert score == pytest.approx(curve, rel=1e-13)
    assert e.to_dict()["models"]["forecast"][e.primary]["score"] == pytest.approx(score, rel=1e-14)


def test_the_last_of_two_labels_is_the_event() -> None:
    words = ["yes", "no", "no"]
    e = evaluate(words, P, labels=["yes", "no"])
    assert e.decompositions == evaluate(Y, P).decompositions
    assert e.event_rate == 2 / 3


# What evaluate gathers


@pytest.fixture(scope="module")
def crash() -> Any:
    return properly.datasets.crash()


@pytest.fixture(scope="module")
def some(crash: Any) -> Any:
    """A part of the example, with clusters, groups and years."""
    rows = slice(None, None, 10)
    return {
        "y": crash.died[rows],
        "models": {name: crash.forecasts[name][rows] for name in ("logistic", "forest")},
        "known": {"clusters": crash.cluster[rows], "groups": crash.sex[rows]},
        "time": crash.year[rows],
    }


@pytest.fixture(scope="module")
def gathered(some: Any) -> Any:
    options: dict[str, Any] = {"within": (0.01, 0.1), "rng": 3, "replicates": 19, "level": 0.9}
    return properly.evaluate(
        some["y"], some["models"], time=some["time"], **some["known"], **options
    )


# Single functions warn of few events; the evaluation notes it.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")
def test_with_a_seed_every_number_is_that_of_its_own_function(gathered: Any, some: Any) -> None:
    drawn: dict[str, Any] = {"replicates": 19, "rng": 3}
    for name, p in some["models"].items():
        cases = Cases(some["y"], p, **some["known"])
        alone = decompose(cases, Brier(), interval=True, level=0.9, **drawn)
        assert gathered.decompositions[name]["brier"] == alone
        score, alone = (
            (x.value, x.standard_error, *x.interval)
            for x in (
                gathered.scores[name]["brier"],
                properly.score_interval(cases, Brier(), level=0.9),
            )
        )
        assert score == pytest.approx(alone, rel=1e-12)
        skill = properly.inference.skill_interval(cases, Log(), level=0.9)
        assert gathered.skills[name]["log"] == skill
        assert gathered.aucs[name] == properly.inference.auc_interval(cases, level=0.9)
        test = properly.calibration_test(cases, **drawn)
        assert gathered.calibration_tests[name].p_value == test.p_value
        summary = properly.calibration_summary(cases, level=0.9, **drawn)
        assert str(gathered.calibration[name]) == str(summary)
        band = properly.reliability(cases, band="consistency", level=0.9, rng=3).band
        assert band is not None
        assert np.array_equal(gathered.reliability[name].band.upper, band.upper)
        assert gathered.regret[name].area() == properly.regret_curve(cases).area()
        assert gathered.roc[name].area == properly.roc_curve(cases).area
        assert str(gathered.means[name]) == str(properly.means(cases.tally()))
        rule = Regret((0.01, 0.1))
        groups = properly.by_group(cases, rule, level=0.9, **drawn)
        assert np.array_equal(gathered.groups[name].difference, groups.difference)
        dated = Cases(some["y"], p, **some["known"], time=some["time"])
        over = properly.over_time(dated, rule, level=0.9)
        assert np.array_equal(gathered.over_time[name].score, over.score, equal_nan=True)
        worst = properly.decisions.worst_cases(cases, Log())
        assert np.array_equal(gathered.worst[name].row, worst.row)


@pytest.mark.parametrize(("task", "width"), [("binary", None), ("ordinal", 3)])
def test_cases_are_evaluated_as_their_columns_are(task: Any, width: int | None) -> None:
    rng, n = np.random.default_rng(5), 60
    models = {k: rng.random(n) if width is None else rng.dirichlet([1] * 3, n) for k in "ab"}
    y, groups = rng.integers(0, width or 2, n), rng.integers(0, 2, n)
    columns: dict[str, Any] = {"weight": rng.random(n), "groups": groups}
    columns["clusters"] = np.arange(n) // 3
    held = {name: Cases(y, p, **columns) for name, p in models.items()}
    options: dict[str, Any] = {"task": task, "rng": 1, "replicates": 9, "show": np.arange(n)}
    wanted = properly.evaluate(y, models, **columns, **options).to_dict()
    assert properly.evaluate(held, **options).to_dict() == wanted
    alone = properly.evaluate(held["a"], **options).to_dict()
    assert alone == properly.evaluate(y, models["a"], **columns, **options).to_dict()


def test_models_are_compared_by_every_rule_and_the_best_by_threshold(
    gathered: Any, some: Any
) -> None:
    assert list(gathered.comparisons) == [rule.name for rule in gathered.rules]
    assert gathered.primary == "regret[0.01,0.1]"
    clusters = some["known"]["clusters"]
    found = properly.compare(
        some["y"], some["models"], rule=Brier(), clusters=clusters, level=0.9, rng=3
    )
    assert gathered.comparisons["brier"].to_dict() == found.to_dict()
    (pair,) = gathered.dominances
    scores = {name: by_rule[gathered.primary].value for name, by_rule in gathered.scores.items()}
    assert pair == tuple(sorted(scores, key=scores.__getitem__))
    one, other = (Cases(some["y"], some["models"][name], clusters=clusters) for name in pair)
    alone = properly.decisions.dominance(one, other, within=(0.01, 0.1), level=0.9, rng=3)
    assert gathered.dominances[pair].to_dict() == alone.to_dict()


def test_baselines_have_curves_too(gathered: Any) -> None:
    c, rate = 0.05, gathered.event_rate
    at = {name: float(curve.at(c)) for name, curve in gathered.baseline_regret.items()}
    expected = {"treat all": c * (1 - rate), "treat none": (1 - c) * rate}
    expected["event rate"] = expected["treat all" if c <= rate else "treat none"]
    assert at == pytest.approx(expected)


def test_clusters_go_with_times_if_these_are_enough(gathered: Any, some: Any) -> None:
    clusters = len(np.unique(some["known"]["clusters"]))
    assert gathered.design == f"{clusters} clusters"
    alone = evaluate(some["y"], some["models"], time=np.arange(888) // 10, rules=Brier())
    assert alone.design == "89 times"
    both = evaluate(
        some["y"],
        some["models"],
        clusters=some["known"]["clusters"],
        time=np.arange(888) // 10,
        rules=Brier(),
    )
    assert both.design == f"{clusters} clusters by 89 times"
    few = evaluate(some["y"], some["models"], time=some["time"], rules=Brier())
    assert few.design == "888 independent cases"
    assert few.notes[-1] == (
        "with 2 times, fewer than 20, intervals do not allow for dependence in time"
    )
    assert len(few.over_time["logistic"]) == len(np.unique(some["time"]))


def test_times_are_allowed_for_by_bands_and_tests(some: Any) -> None:
    models = {"logistic": some["models"]["logistic"]}
    found = properly.evaluate(
        some["y"], models, time=np.arange(888) // 10, rules=Brier(), replicates=5, rng=1
    )
    assert found.design == "89 times"
    curve, test = found.reliability["logistic"], found.calibration_tests["logistic"]
    assert curve.band is not None
    assert curve.dependence is not None
    assert curve.band.method == f"dependent draws (rho = {curve.dependence.rho:.2f})"
    assert (test.name, test.method, test.design) == ("score", "F", "89 times")
    parts = found.decompositions["logistic"]["brier"].intervals
    assert parts is not None
    assert parts.p_value > 0
    assert any(note.startswith("a kind of mistake comes in fewer than 10") for note in found.notes)
    assert (
        "bands and tests allow for dependence in time: of logistic phi = "
        f"{curve.dependence.phi:.2f}, psi = {curve.dependence.psi:.2f} and "
        f"{curve.dependence.effective_times:.0f} effective times"
    ) in found.notes
    without = evaluate(some["y"], models, time=np.arange(888) // 10, rules=Brier())
    assert not any("dependence in time" in note for note in without.notes)


@pytest.mark.parametrize("forecast", [0.25, [0.5, 0.25, 0.25]], ids=["event", "classes"])
def test_names_in_notes_and_words_of_progress_do_not_steer_a_terminal(forecast: Any) -> None:
    steps: list[str] = []
    name, p = "a\x1b[31mb\N{RIGHT-TO-LEFT OVERRIDE}", [forecast] * 4
    found = properly.evaluate(
        [0, 1, 0, 1],
        {name: p},
        groups=["one"] * 4,
        replicates=0,
        progress=lambda _done, _all, what: steps.append(what),
    )
    assert found.notes[-1].startswith(r"groups of a\x1b[31mb\u202e: a group is compared")
    assert any(what.endswith(r" of a\x1b[31mb\u202e") for what in steps)
    for text in (str(found), *found.notes, *steps):
        assert "\x1b" not in text
        assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in text


def test_without_draws_nothing_is_drawn(some: Any) -> None:
    found = [evaluate(some["y"], some["models"], groups=some["known"]["groups"]) for _ in range(2)]
    assert found[0].to_dict() == found[1].to_dict()
    assert not found[0].calibration_tests
    assert not found[0].calibration
    assert found[0].decompositions["logistic"]["brier"].intervals is None
    assert found[0].reliability["logistic"].band is None


def test_weights_are_those_of_a_sample(some: Any) -> None:
    weight = np.resize([1, 2, 5], 888)
    options: dict[str, Any] = {"rules": Brier(), "rng": 1, "replicates": 19}
    one, other = (
        properly.evaluate(some["y"], some["models"], weight=w, **options)
        for w in (weight, 10 * weight)
    )
    assert one.rows == other.rows == 888
    assert (one.total, other.total) == (2368, 23680)
    for name in some["models"]:
        a, b = (e.decompositions[name]["brier"].intervals for e in (one, other))
        assert a.miscalibration == pytest.approx(b.miscalibration)
        assert one.scores[name]["brier"].interval == pytest.approx(
            other.scores[name]["brier"].interval
        )


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_a_frame_comes_back_in_the_library_of_the_forecasts(library: str) -> None:
    frames = pytest.importorskip(library)
    e = evaluate(Y, frames.DataFrame(P))
    assert type(e.to_frame()).__module__.partition(".")[0] == library
    assert e.backend == library
    assert type(e.to_frame("pyarrow")).__module__.partition(".")[0] == "pyarrow"


def test_the_frame_has_the_ends_of_intervals(gathered: Any) -> None:
    frame = gathered.to_frame("pandas")
    row = frame[(frame["model"] == "logistic") & (frame["rule"] == "brier")].iloc[0]
    assert (row["score_lower"], row["score_upper"]) == gathered.scores["logistic"]["brier"].interval
    assert frame[frame["baseline"]]["score_lower"].isna().all()


def test_a_notebook_shows_the_table_with_names_as_text() -> None:
    html = evaluate(Y, {"<b>bold</b>": P["good"]})._repr_html_()
    assert "<b>bold</b>" not in html
    assert "&lt;b&gt;bold&lt;/b&gt;" in html
    assert "0.04667" in html


def test_two_columns_are_two_classes_and_it_is_said() -> None:
    p = [[0.9, 0.1], [0.2, 0.8], [0.3, 0.7]]
    note = evaluate(Y, p).notes[-1]
    assert note.startswith("two columns are two classes, whose Brier score is twice")
    assert evaluate(Y, p, task="multiclass").notes[-1] != note


def test_curves_are_made_when_they_are_asked_for() -> None:
    e = evaluate(Y, P)
    assert list(e.regret) == list(P)
    assert "good" in e.roc
    assert "other" not in e.roc
    assert repr(e.decision) == repr({name: e.decision[name] for name in P})
    with pytest.raises(KeyError):
        e.regret["other"]
    again = pickle.loads(pickle.dumps(e))  # noqa: S301
    for name, p in P.items():
        expected = properly.decision_curve(properly.tally(Y, p), "every").to_dict()
        assert e.decision[name].to_dict() == again.decision[name].to_dict() == expected


@pytest.mark.slow
def test_an_evaluation_needs_four_times_the_memory_of_its_input() -> None:
    rng = np.random.default_rng(1)
    p = rng.beta(1, 9, (3, 500_000))
    y = (rng.random(p.shape[1]) < p[0]).astype(np.int64)
    models = {str(k): x for k, x in enumerate(p)}
    evaluate(y[:100], {name: x[:100] for name, x in models.items()}, within=(0.01, 0.1))
    tracemalloc.start()
    try:
        evaluate(y, models, within=(0.01, 0.1), rng=1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * (p.nbytes + y.nbytes)


def test_a_page_of_stations_by_days_has_all_its_curves() -> None:
    rng = np.random.default_rng(4)
    station, day = (x.ravel() for x in np.indices((12, 40)))
    p = rng.beta(2, 2, len(day))
    y = rng.random(len(day)) < p
    models = {"sharp": p, "blunt": np.clip(p + rng.normal(0, 0.3, len(p)), 0.01, 0.99)}
    known: dict[str, Any] = {"clusters": station, "time": day}
    found = properly.evaluate(y, models, rules=Brier(), replicates=0, rng=1, **known)
    assert found.design == "12 clusters by 40 times"
    assert np.isfinite(found.dominances["sharp", "blunt"].upper).any()
    assert found.dominances["sharp", "blunt"].design == found.design
    for name in models:
        assert found.at_thresholds[name][5].intervals is not None
        assert found.over_time[name].design == "clusters"
        assert found.aucs[name].degrees == 4
    assert found.over_ranges is not None
    assert found.over_ranges.standard_error.min() > 0
