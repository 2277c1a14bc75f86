"""The coverage study itself, a few repetitions of a few settings; and its pages are up to date."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.integrate import quad
from tests.coverage_scripts import DOCS, KEPT, page, parts, script, study

import properly
from properly.calibration import _components as components
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from pathlib import Path

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

cells, cells_page = script("cells"), script("cells_page")
front_page = script("front_page")
decisions = script("decisions")
decisions_page = script("decisions_page")
meanings = script("meanings")
tables = script("tables")


OF_INFERENCE = (
    "study",
    "weights",
    "clusters",
    "uneven",
    "losses",
    "rho",
    "horizon",
    "differences",
    "better",
    "best",
)


def setting(part: str, **facts: Any) -> Any:
    return parts.Setting(part, 1, facts)


FEW = [
    setting(
        "pointwise",
        band="consistency",
        distribution="uniform",
        values=50,
        n=100,
        curve="calibrated",
    ),
    setting("pointwise", band="confidence", distribution="uniform", values=10, n=100, curve="step"),
    setting("simultaneous", distribution="uniform", values=None, n=100, curve="step"),
    setting("intervals", n=200, curve="mild"),
    setting("test", distribution="rare", values=None, n=50, curve="calibrated"),
    setting("clusters", forecasts="constant", curve="calibrated"),
    setting("weights", n=1000, curve="calibrated"),
    setting("decisions", sample="independent", event_rate=0.06, model="miscalibrated", n=200),
    setting("decisions", sample="clusters", event_rate=0.32, forecasts="constant", n=1000),
    setting("decisions", sample="case-control", event_rate=0.1, model="calibrated", n=400),
    setting("inference", study="series", losses="normal", rho=0.5, n=100),
    setting("inference", study="small", differences="skewed", n=15),
    # Too few forecasts for cells, which changes nothing about the rows.
    setting("cells", n=300, slope=0.75),
    setting("recalibration", study="gains", curve="slope 1/2", n=200),
    setting("recalibration", study="gains in clusters", slope=0.5, folds="clusters", n=1000),
    setting("recalibration", study="choice", curve="steps", n=200),
    setting("rare", forecasts="47 values from 0.001 to 0.03", n=500),
    setting("meanings", n=200),
    setting("time", forecasts="persistent", rho=0.5, n=200),
    setting("panels", study="panel", world="both", clusters=10, times=200),
    setting("panels", study="curves", rho=0.5, n=200),
    setting("gaps", world="half of them, at random", n=100),
    setting("gaps", world="families", families=25, size=4),
    setting("monitors", study="looks", forecasts="rare, Beta(1, 49)"),
    setting("monitors", study="designs", world="late outcomes"),
    setting("monitors", study="delays", shift=1.0, slope=1.0, late=0),
    setting("monitors", study="detectors", run_length=500, models=1),
    setting("groups", expected="35", forecasts="calibrated"),
    setting("designs", design="weights", slope=1.0),
]


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """Repeat a few settings as seldom as the study ever does."""
    few: dict[str, Any] = study.study(FEW, 1, 7)
    return few


def test_every_part_of_the_study_gives_rows(found: dict[str, Any]) -> None:
    assert {row["part"] for row in found["rows"]} == set(page.PARTS)


def test_a_row_has_shares_with_standard_errors(found: dict[str, Any]) -> None:
    for row in found["rows"]:
        if row["part"] in ("cells", "designs") or row.get("study") == "detectors":
            continue
        names = ("coverage", "worst", "rejected_at_5", "alarmed")
        shares = [row[name] for name in names if name in row]
        assert shares
        if row.get("what") == "decision_difference":
            # Twelve events are too few for a band of a difference.
            assert (shares, row["given"][0]) == ([[None, None]], 0)
            continue
        for share, error in shares:
            assert 0 <= share <= 1
            assert 0 <= error <= 0.5
        assert row["repetitions"] == 4


def test_the_json_of_a_run_has_the_shape_of_the_kept_one(found: dict[str, Any]) -> None:
    again = json.loads(study.to_json(found))
    assert again.keys() == KEPT.keys()
    shapes = {
        part: {frozenset(r) for r in KEPT["rows"] if r["part"] == part} for part in page.PARTS
    }
    for row in again["rows"]:
        assert frozenset(row) in shapes[row["part"]]


def test_the_kept_numbers_are_those_of_all_settings() -> None:
    def told(rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
        return [tuple(f"{name}={row.get(name)}" for name in names) for row in rows]

    of_bands = ("part", "band", "distribution", "values", "n", "curve", "forecasts")
    names = (*of_bands, "slope", "sample", "event_rate", "model", *OF_INFERENCE)
    wanted = told([{"part": s.part, **s.facts} for s in parts.settings()])
    kept = told(KEPT["rows"])
    # Bands of clusters, weights and rare events are named in the rows, not in the settings.
    for part in set(page.PARTS) - {"clusters", "weights", "rare"}:
        start = f"part={part}"
        assert {t for t in kept if t[0] == start} == {t for t in wanted if t[0] == start}


PAGES: dict[str, str] = page.render(KEPT)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_its_template_and_the_numbers_give(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name]


def test_every_page_has_a_template_and_every_table_a_page() -> None:
    written = [DOCS / "coverage.md", *(DOCS / "coverage").glob("*.md")]
    assert {path.relative_to(DOCS).as_posix() for path in written} == set(PAGES)
    asked = {name for template in page.templates().values() for name in template.get_identifiers()}
    assert set(page.TABLES) - asked == set()


def test_every_line_of_the_front_page_has_settings_of_one_level() -> None:
    for family in front_page.PROMISES + front_page.TESTS:
        chosen = family.rows(KEPT["rows"])
        for facts in family.facts:
            assert any(all(row.get(k) == v for k, v in facts.items()) for row in chosen), facts
        assert len({row.get("level", 0.9) for row in chosen if "coverage" in row}) < 2


def test_the_same_seed_gives_the_same_numbers_however_many_settings_follow() -> None:
    chosen = [s for s in parts.settings() if s.part == "test" and s.facts["n"] == 50]
    one, two = (study.study(chosen[:count], 0.01, 3)["rows"] for count in (1, 2))
    assert one == two[: len(one)]


def test_only_one_part_is_written_into_the_numbers_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "numbers.json"
    few = [s for s in FEW if s.part in ("test", "decisions")]
    monkeypatch.setattr(study, "settings", lambda: few)
    study.main(["--scale", "0.5", "--out", str(path)])
    whole = path.read_text()
    study.main(["--scale", "0.5", "--only", "decisions", "--out", str(path)])
    assert path.read_text() == whole
    with pytest.raises(SystemExit, match="differs"):
        study.main(["--scale", "1", "--only", "decisions", "--out", str(path)])
    assert path.read_text() == whole


def test_a_share_of_one_has_an_error() -> None:
    estimate, error = study.share([True] * 98)
    assert estimate == 1
    assert error == pytest.approx(np.sqrt(0.99 * 0.01 / 98))
    assert tables.share_error(1, 98) == pytest.approx(error)


def test_draws_are_in_cells_on_one_side_of_the_comparison_only() -> None:
    rng = np.random.default_rng(8)
    t = properly.tally(rng.random(cells.CASES) < 0.5, rng.random(cells.CASES))

    def are_cells() -> list[bool]:
        null, worlds = components.NullDraws(t, [Brier()], rng), components.Worlds.of(t)
        return [null.start is not None, worlds.fine is not None, worlds.start is not None]

    assert are_cells() == [True, True, True]
    with cells.without_cells():
        assert are_cells() == [False, False, False]
    assert are_cells() == [True, True, True]


@pytest.mark.parametrize("curve", parts.INTERVAL_CURVES)
def test_population_values_are_the_integrals_of_divergence_and_entropy(curve: str) -> None:
    c = parts.CURVES[curve]

    def integral(f: Any) -> float:
        return float(quad(f, 0, 0.5)[0] + quad(f, 0.5, 1)[0])

    mean = integral(c)
    brier = parts.population(curve, Brier())
    assert brier["miscalibration"] == pytest.approx(integral(lambda x: (x - c(x)) ** 2), abs=1e-8)
    assert brier["discrimination"] == pytest.approx(
        integral(lambda x: (c(x) - mean) ** 2), abs=1e-8
    )

    def divergence(a: Any, b: Any) -> Any:
        return a * np.log(a / b) + (1 - a) * np.log((1 - a) / (1 - b))

    log = parts.population(curve, Log())
    assert log["miscalibration"] == pytest.approx(integral(lambda x: divergence(c(x), x)), abs=1e-7)
    assert log["discrimination"] == pytest.approx(
        integral(lambda x: divergence(c(x), mean)), abs=1e-7
    )


@pytest.mark.parametrize("model", decisions.MODELS)
@pytest.mark.parametrize("event_rate", decisions.PROBABILITIES)
def test_what_is_true_of_decisions_is_what_many_cases_come_to(
    event_rate: float, model: str
) -> None:
    rng = np.random.default_rng(5)
    a, b = decisions.PROBABILITIES[event_rate]
    q = rng.beta(a, b, 400_000)
    y, p = rng.random(len(q)) < q, decisions.forecast(model, q, rng)
    t = properly.tally(y, p)
    for c in decisions.THRESHOLDS:
        at: Any = properly.at_threshold(t, c, interval=True, level=0.99999)
        truths = decisions.truths(event_rate, model, c)
        assert set(truths) == set(decisions.OF_INTEREST)
        for name, truth in truths.items():
            low, high = at.intervals[name]
            assert low < truth < high
    money = properly.decisions.regret_in_money(
        t, cost=decisions.COSTS, loss=decisions.LOSS, per=1, level=0.99999
    )
    low, high = money.interval
    assert low < decisions.LOSS * decisions.mean_regret(event_rate, model) < high


def test_what_is_true_of_decisions_by_calibrated_forecasts_has_a_closed_form() -> None:
    # With a Beta(1, 9), event probabilities of c or more have the density 9 (1 - q)**8.
    c = 0.2
    true = quad(lambda q: q * 9 * (1 - q) ** 8, c, 1)[0]
    false = quad(lambda q: (1 - q) * 9 * (1 - q) ** 8, c, 1)[0]
    found = decisions.truths(0.1, "calibrated", c)
    assert found["net_benefit"] == pytest.approx(true - false / 4, abs=1e-12)
    assert found["regret"] == pytest.approx(c * false + (1 - c) * (0.1 - true), abs=1e-12)
    assert found["skill"] == pytest.approx(1 - found["regret"] / 0.08, abs=1e-12)
    assert found["precision"] == pytest.approx(true / (true + false), abs=1e-12)
    assert found["true_positive_rate"] == pytest.approx(10 * true, abs=1e-12)
    # All who are not acted upon, less the events among them, each of which is worth four.
    avoided = (0.9 - false) - 4 * (0.1 - true)
    assert found["interventions_avoided"] == pytest.approx(avoided, abs=1e-12)


def test_whole_numbers_are_read_as_weights_and_as_counts_of_the_same_data() -> None:
    chosen = [setting("meanings", n=n) for n in meanings.SIZES]
    rows = study.study(chosen, 1, 7)["rows"]
    asked = [(row["n"], row["read_as"], row["what"]) for row in rows]
    whats = ("likelihood band", "Brier score", "score test")
    assert asked == [(n, r, w) for n in meanings.SIZES for r in ("weight", "count") for w in whats]
    for one, other in zip(rows, rows[3:], strict=False):
        if one["read_as"] == "weight" and "width" in one:
            # Read as counts, the weights claim cases that are not there.
            assert other["width"][0] < 0.6 * one["width"][0]
    for row in rows:
        share, error = row["rejected_at_5" if row["what"] == "score test" else "coverage"]
        assert 0 <= share <= 1
        assert 0 <= error <= 0.5
        assert row["repetitions"] == 4
