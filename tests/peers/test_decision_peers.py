"""Our numbers about decisions are those of other libraries, where both have them."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import properly
from properly.rules import BetaWeighted, Bounded, Brier, Log

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from properly.inference._intervals import Prior

# Both sides round the same few operations, in another order.
TOLERANCE = 1e-12
RANGES = [(0.05, 0.2), (0.1, 0.9), (0.0, 0.3), (0.7, 1.0), (0.0, 1.0), (0.37, 0.370001)]
HUNDREDTHS = np.arange(1, 100) / 100
PERCENT = HUNDREDTHS.tolist()


def peer(name: str) -> Any:
    """Import another library, or skip the test and say why."""
    return pytest.importorskip(
        name, reason=f"{name} is not installed; `make test-peers` installs it"
    )


def sample(seed: int = 7, n: int = 500) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return tied and miscalibrated forecasts, some of them certain, and right or wrong."""
    rng = np.random.default_rng(seed)
    p = np.round(rng.beta(0.7, 1.5, n), 2)
    p[:6] = [0, 0, 0, 1, 1, 1]
    y = (rng.random(n) < np.sqrt(p)).astype(np.int64)
    y[:6] = [0, 0, 1, 1, 1, 0]
    return y, p


def close(got: Any, expected: Any, tolerance: float = TOLERANCE) -> None:
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance)


# scores weighs the thresholds of the squared error. Half of its Bregman divergence of phi,
# phi'' = 4 on [a, b) and 0 elsewhere, is 2 * (the integral of |y - t| over the thresholds between
# forecast and outcome in [a, b)): the weight 2 of the Brier score, hence a factor of 1.


@pytest.mark.parametrize("within", RANGES)
def test_the_bounded_brier_loss_is_the_threshold_weighted_squared_error(
    within: tuple[float, float],
) -> None:
    scores, xr = peer("scores.continuous"), peer("xarray")
    y, p = sample()
    pair = (xr.DataArray(x.astype(np.float64), dims=["case"]) for x in (p, y))
    theirs = scores.tw_squared_error(*pair, interval_where_one=within, preserve_dims="all")
    rule = Bounded(Brier(), within, scale="integral")
    close(rule.loss(y, p), theirs.to_numpy())
    close(rule(y, p), float(theirs.mean()))
    # A mean over the range divides by its length.
    mean = float(theirs.mean()) / (within[1] - within[0])
    assert Bounded(Brier(), within)(y, p) == pytest.approx(mean, rel=1e-9)


def test_weights_are_those_of_the_threshold_weighted_squared_error() -> None:
    scores, xr = peer("scores.continuous"), peer("xarray")
    y, p = sample()
    weight = np.random.default_rng(8).random(len(y))
    columns = [xr.DataArray(x.astype(np.float64), dims=["case"]) for x in (p, y, weight)]
    theirs = scores.tw_squared_error(
        *columns[:2], interval_where_one=(0.05, 0.2), weights=columns[2]
    )
    close(Bounded(Brier(), (0.05, 0.2), scale="integral")(y, p, weight), float(theirs))


def frame_of(name: str) -> Any:
    """Read one of the examples that dcurves brings with it."""
    peer("dcurves")
    path = files("dcurves") / "data" / f"{name}.csv"
    with path.open(encoding="utf-8") as file:
        return peer("pandas").read_csv(file)


def dca(frame: Any, outcome: str, model: str, **options: Any) -> tuple[Any, Any]:
    """Return what dcurves says about a model and about acting on all, at hundredths."""
    found = peer("dcurves").dca(
        data=frame, outcome=outcome, modelnames=[model], thresholds=PERCENT, **options
    )
    return found[found["model"] == model], found[found["model"] == "all"]


def hold(curve: properly.decisions.DecisionCurve, model: Any, everyone: Any) -> None:
    close(curve.net_benefit, model["net_benefit"])
    close(curve.treat_all, everyone["net_benefit"])
    # What is avoided is a difference divided by odds, down to a hundredth.
    close(curve.interventions_avoided, model["net_intervention_avoided"], 1e-11)
    assert curve.event_rate == pytest.approx(model["prevalence"].iloc[0], abs=TOLERANCE)


@pytest.mark.parametrize("model", ["cancerpredmarker", "famhistory"])
@pytest.mark.parametrize("harm", [0.0, 0.0333])
def test_net_benefit_is_that_of_dcurves_on_its_own_example(model: str, harm: float) -> None:
    frame = frame_of("df_binary")
    theirs = dca(frame, "cancer", model, harm={model: harm})
    tally = properly.tally(frame["cancer"], frame[model])
    assert tally.total == 750
    hold(properly.decision_curve(tally, HUNDREDTHS, harm=harm), *theirs)
    exact = properly.decision_curve(tally, "every", harm=harm)
    close(exact.at(HUNDREDTHS), theirs[0]["net_benefit"])


@pytest.mark.parametrize("event_rate", [0.05, 0.2, 0.6])
def test_another_event_rate_is_the_prevalence_of_dcurves(event_rate: float) -> None:
    frame = frame_of("df_case_control")
    theirs = dca(frame, "casecontrol", "cancerpredmarker", prevalence=event_rate)
    sampled = properly.tally(frame["casecontrol"], frame["cancerpredmarker"])
    assert sampled.event_rate != pytest.approx(event_rate, abs=0.01)
    tally = properly.counts.with_event_rate(sampled, event_rate)
    hold(properly.decision_curve(tally, HUNDREDTHS), *theirs)


@pytest.mark.parametrize("threshold", [0.01, 0.1, 0.35])
def test_a_single_threshold_is_a_row_of_dcurves(threshold: float) -> None:
    frame = frame_of("df_binary")
    model, everyone = (
        rows[rows["threshold"] == threshold].iloc[0]
        for rows in dca(frame, "cancer", "cancerpredmarker", harm={"cancerpredmarker": 0.02})
    )
    tally = properly.tally(frame["cancer"], frame["cancerpredmarker"])
    found = properly.at_threshold(tally, threshold, harm=0.02)
    # What dcurves calls rates are shares of all cases.
    close(
        [found.acted, found.true_positives, found.false_positives, found.net_benefit],
        [model[name] for name in ("test_pos_rate", "tp_rate", "fp_rate", "net_benefit")],
    )
    close(found.treat_all, everyone["net_benefit"])
    close(found.interventions_avoided, model["net_intervention_avoided"], 1e-11)


def test_at_the_threshold_0_we_act_on_forecasts_of_0_too() -> None:
    # dcurves moves forecasts of 0 below every threshold; p >= 0 holds for all, and costs nothing.
    frame = frame_of("df_binary")
    theirs = peer("dcurves").dca(frame, "cancer", ["famhistory"], thresholds=[0.0])
    related = theirs[theirs["model"] == "famhistory"]["net_benefit"].item()
    tally = properly.tally(frame["cancer"], frame["famhistory"])
    assert properly.at_threshold(tally, 0.0).net_benefit == tally.event_rate == 105 / 750
    assert related == pytest.approx(properly.at_threshold(tally, 0.01).true_positives, abs=1e-15)
    assert related < tally.event_rate


@pytest.mark.parametrize(("prior", "ratio"), [("hand", 1), ("severity", None), ("event_rate", -1)])
@pytest.mark.parametrize("seed", range(5))
def test_the_h_measure_is_that_of_hmeasure(prior: Prior, ratio: float | None, seed: int) -> None:
    hmeasure = peer("hmeasure")
    y, p = sample(seed)
    theirs = hmeasure.h_score(y, p, severity_ratio=ratio)
    assert 0.05 < theirs < 0.95
    close(properly.inference.h_measure(properly.tally(y, p), prior), theirs)


@pytest.mark.parametrize("ratio", [0.25, 3.0])
def test_a_severity_ratio_of_hmeasure_is_a_beta_prior(ratio: float) -> None:
    hmeasure = peer("hmeasure")
    y, p = sample()
    theirs = hmeasure.h_score(y, p, severity_ratio=ratio)
    close(
        properly.inference.h_measure(properly.tally(y, p), BetaWeighted(2, 1 + 1 / ratio)), theirs
    )


@pytest.mark.parametrize("within", RANGES)
def test_bounded_scores_are_integrals_in_briertools(within: tuple[float, float]) -> None:
    briertools = peer("briertools")
    y, p = sample()
    theirs = briertools.BrierScorer().score(y, p, threshold_range=within)
    close(Bounded(Brier(), within, scale="integral")(y, p), theirs)


@pytest.mark.parametrize("within", RANGES[:2])
def test_bounded_log_scores_are_integrals_in_briertools(within: tuple[float, float]) -> None:
    briertools = peer("briertools")
    y, p = sample()
    theirs = briertools.LogLossScorer().score(y, p, threshold_range=within)
    close(Bounded(Log(), within, scale="integral")(y, p), theirs)
