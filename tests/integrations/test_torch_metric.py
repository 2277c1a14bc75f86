"""Scores that are added up batch by batch are those of all rows at once."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.integrations.test_torch_rules import RULES

import properly
from properly.errors import DataError
from properly.rules import (
    PBS,
    RPS,
    BinaryRule,
    Bounded,
    Brier,
    ClassRule,
    Log,
    Ranked,
    RankedLog,
    Rule,
    Spherical,
)

if TYPE_CHECKING:
    from properly import Tally

torch = pytest.importorskip(
    "torch", reason="torch is not installed; `make test-integrations` installs it"
)
from properly.integrations.torch import DecompositionMetric, TallyMetric, _metric  # noqa: E402

COLUMNS = ("value", "weight", "events", "event_squares", "nonevent_squares")
PARTS = ("score", "miscalibration", "discrimination", "uncertainty")
every_rule = pytest.mark.parametrize("rule", RULES, ids=repr)


def sample(rows: int = 3000, kind: Any = torch.float32) -> tuple[Any, Any]:
    """Return forecasts, some of them exactly 0 or 1 or on the border of a cell, and outcomes."""
    rng = torch.Generator().manual_seed(3)
    p = torch.rand(rows, generator=rng, dtype=torch.float64) ** 2
    p = torch.cat([p, torch.tensor([0.0, 0.0, 1.0, 1.0, 0.5, 0.25, 1 / 1024, 1023 / 1024])])
    y = torch.rand(len(p), generator=rng, dtype=torch.float64) < p
    return p.to(kind), y


def classes(rows: int = 800) -> tuple[Any, Any]:
    """Return logits of four classes, and what happened."""
    rng = torch.Generator().manual_seed(4)
    logits = 1.5 * torch.randn(rows, 4, generator=rng, dtype=torch.float64)
    return logits, torch.multinomial((0.7 * logits).softmax(1), 1, generator=rng)[:, 0]


def fed(metric: Any, *columns: Any, batch: int = 700) -> Any:
    """Update a metric batch by batch."""
    for start in range(0, len(columns[0]), batch):
        metric.update(*(x[start : start + batch] for x in columns))
    return metric


def assert_same(found: Tally, expected: Tally, tolerance: float = 1e-12) -> None:
    assert found.cells == expected.cells
    for name in COLUMNS:
        column, reference = getattr(found, name), getattr(expected, name)
        if reference is None:
            assert column is None
        elif reference.dtype == np.int64:
            np.testing.assert_array_equal(column, reference)
        else:
            np.testing.assert_allclose(column, reference, rtol=tolerance, atol=0)


# One event


@every_rule
def test_the_mean_is_that_of_all_rows(rule: BinaryRule) -> None:
    p, y = sample()
    metric = fed(TallyMetric(rule), p, y)
    assert metric.compute().dtype == torch.float64
    assert metric.compute().shape == ()
    assert float(metric.compute()) == pytest.approx(rule(y.numpy(), p.numpy()), rel=1e-13)
    weight = torch.rand(len(p), generator=torch.Generator().manual_seed(1))
    weighted = fed(TallyMetric(rule), p, y, weight)
    expected = rule(y.numpy(), p.numpy(), weight.double().numpy())
    assert float(weighted.compute()) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("cells", [1, 2, 1024, 16384])
def test_the_tally_is_that_of_all_rows(kind: Any, cells: int) -> None:
    p, y = sample(kind=kind)
    found = fed(TallyMetric(Brier(), cells=cells), p, y).tally()
    assert_same(found, properly.tally(y.numpy(), p.double().numpy(), cells=cells))
    assert len(found) == 3 if cells == 1 else len(found) > 3


@pytest.mark.parametrize("kind", [torch.int64, torch.float32, torch.float64])
def test_weights_are_added_up_with_their_squares_whole_or_not(kind: Any) -> None:
    p, y = sample()
    rng = torch.Generator().manual_seed(1)
    weight = torch.randint(0, 5, (len(p),), generator=rng).to(kind)
    found = fed(TallyMetric(Brier()), p, y, weight).tally()
    expected = properly.tally(y.numpy(), p.numpy(), weight=weight.numpy(), cells=1024)
    assert_same(found, expected)
    # Whole sums are exact, and no numbers of cases.
    assert found.weight.dtype == torch.int64
    assert found.event_squares is not None
    if weight.is_floating_point():
        weight = weight / 3
        metric = fed(TallyMetric(Brier()), p, y, weight)
        # Rows without weights count as much as those of weight 1.
        metric.update(p, y)
        ones = np.concatenate([weight.numpy(), np.ones(len(p))])
        twice = np.tile(y.numpy(), 2), np.tile(p.numpy(), 2)
        assert_same(metric.tally(), properly.tally(*twice, weight=ones, cells=1024))


@pytest.mark.parametrize("unit", [1, 3, 0.1, 2e-7, 1e30])
def test_equal_weights_are_no_weights(unit: float) -> None:
    p, y = sample()
    weight = torch.full((len(p),), unit, dtype=torch.float64)
    weight[::5] = 0
    used = (weight > 0).numpy()
    expected = properly.tally(y.numpy()[used], p.numpy()[used], cells=1024)
    found = fed(TallyMetric(Brier()), p, y, weight)
    assert found.tally().event_squares is None
    assert_same(found.tally(), expected)
    half = fed(TallyMetric(Brier()), p[:1500], y[:1500], weight[:1500])
    half.merge_state(fed(TallyMetric(Brier()), p[1500:], y[1500:], weight[1500:]))
    assert_same(half.tally(), expected)
    half.update(p[:1500], y[:1500], torch.zeros(1500))
    assert_same(half.tally(), expected)
    half.update(p[:1], y[:1], weight[1:2] * (1 + 1e-15))
    assert half.tally().event_squares is not None
    half.reset()
    half.update(p, y)
    assert_same(half.tally(), properly.tally(y.numpy(), p.numpy(), cells=1024))


def test_logits_are_not_saturated() -> None:
    logit = torch.tensor([-120.0, -20.0, 0.3, 20.0, 35.0], dtype=torch.float32)
    y = torch.tensor([1, 0, 1, 0, 1])
    metric = fed(TallyMetric(Log(), from_logits=True), logit, y)
    exact = logit.double().numpy()
    assert float(metric.compute()) == pytest.approx(Log().logit_loss(y.numpy(), exact).mean())
    tally = metric.tally()
    assert_same(tally, properly.tally(y.numpy(), 1 / (1 + np.exp(-exact)), cells=1024))
    assert float(tally.value.max()) < 1


@pytest.mark.parametrize("threads", [1, 3])
def test_pieces_and_threads_change_nothing(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    p, y = sample(20_000)
    whole = fed(TallyMetric(Brier()), p, y, batch=30_000)
    monkeypatch.setattr(_metric, "FEW", 100)
    monkeypatch.setattr(_metric, "MANY", 1000)
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    pieces = fed(TallyMetric(Brier()), p, y, batch=30_000)
    assert_same(pieces.tally(), properly.tally(y.numpy(), p.numpy(), cells=1024))
    assert float(pieces.compute()) == pytest.approx(float(whole.compute()), rel=1e-14)
    logits, labels = classes()
    for rule in (RPS(), PBS()):
        found = TallyMetric(rule, from_logits=True)(logits, labels)
        assert float(found) == pytest.approx(
            rule.logit_loss(labels.numpy(), logits.numpy()).mean(), rel=1e-13
        )
    with pytest.raises(DataError, match="batch 0, row 15000 is nan"):
        TallyMetric(Log(), from_logits=True)(
            torch.where(torch.arange(len(p)) == 15_000, torch.nan, p), y
        )


def test_shapes_are_flattened_and_gradients_left_alone() -> None:
    p, y = sample()
    p = p[:3000].reshape(10, 30, 10).requires_grad_()
    found = fed(TallyMetric(Brier()), p, y[:3000].reshape(10, 30, 10), batch=3)
    expected = Brier()(y[:3000].numpy(), p.detach().reshape(-1).numpy())
    assert float(found.compute()) == pytest.approx(expected, rel=1e-13)
    assert not found.compute().requires_grad
    logits, labels = classes()
    image = logits.reshape(40, 5, 4, 4).movedim(-1, 1)
    assert float(TallyMetric(RPS(), from_logits=True)(image, labels.reshape(40, 5, 4))) == (
        pytest.approx(float(TallyMetric(RPS(), from_logits=True)(logits, labels)), rel=1e-13)
    )


def test_rows_of_weight_0_do_not_count() -> None:
    p = torch.tensor([0.2, torch.nan, 7.0, 0.0])
    y = torch.tensor([1.0, 0.0, -100.0, 1.0])
    metric = TallyMetric(Log())
    metric.update(p, y, torch.tensor([2.0, 0.0, 0.0, 0.0]))
    assert float(metric.compute()) == pytest.approx(-np.log(np.float32(0.2)))
    assert metric.tally().total == 1
    metric.update(p[:1], y[:1], torch.zeros(1))
    assert metric.tally().total == 1
    metric.update(p[:1], y[:1], torch.tensor([3.0]))
    assert metric.tally().total == 5


# Parts


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.is_proper], ids=repr)
def test_the_parts_are_those_of_the_tally_and_add_up_to_the_exact_score(rule: BinaryRule) -> None:
    p, y = sample(kind=torch.float64)
    p = p.clamp(1e-9, 1 - 1e-9)
    found = {k: float(v) for k, v in fed(DecompositionMetric(rule), p, y).compute().items()}
    assert tuple(found) == PARTS
    assert found["score"] == pytest.approx(rule(y.numpy(), p.numpy()), rel=1e-13)
    grouped = properly.decompose(properly.tally(y.numpy(), p.numpy(), cells=1024), rule)
    assert found["discrimination"] == pytest.approx(grouped.discrimination, abs=1e-13)
    assert found["uncertainty"] == pytest.approx(grouped.uncertainty, rel=1e-13)
    together = found["miscalibration"] - found["discrimination"] + found["uncertainty"]
    assert found["score"] == pytest.approx(together, rel=1e-12)
    exact = properly.decompose(properly.tally(y.numpy(), p.numpy()), rule)
    assert -1e-12 < exact.miscalibration - found["miscalibration"] < 0.05 * exact.uncertainty


CUTS = [RPS(), RPS([1, 0, 2]), RankedLog(), Ranked(Bounded(Brier(), (0.1, 0.9)))]


@pytest.mark.parametrize("rule", [*CUTS, Brier(), Brier(scale="half")], ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_parts_of_classes_are_those_of_their_questions(rule: ClassRule, weighted: bool) -> None:
    logits, y = classes()
    p, y = with_few_values(logits, y, 32)
    given = [torch.arange(len(y)) % 3 + 0.5] if weighted else []
    cases = properly.Cases(y.numpy(), p.numpy(), weight=given[0].numpy() if weighted else None)
    exact = properly.decompose(cases, rule)
    found = fed(DecompositionMetric(rule, classes=4), p, y, *given, batch=99).compute()
    for name in PARTS:
        assert float(found[name]) == pytest.approx(getattr(exact, name), abs=1e-12)


def with_few_values(logits: Any, y: Any, parts: int) -> tuple[Any, Any]:
    """Round forecasts so that each is alone in its cell: then grouping changes nothing."""
    counts = (logits.softmax(1) * parts).round()
    counts[:, 0] += parts - counts.sum(1)
    possible = (counts > 0).all(1)
    return (counts / parts)[possible], y[possible]


@pytest.mark.parametrize("rule", [RPS(), Brier()], ids=repr)
def test_logits_of_classes_have_the_parts_of_their_probabilities(rule: ClassRule) -> None:
    # Not on the borders of cells, beyond which rounding would carry them.
    p, y = with_few_values(*classes(), 33)
    found = DecompositionMetric(rule, classes=4)(p, y)
    again = DecompositionMetric(rule, classes=4, from_logits=True)(p.log(), y)
    for name in PARTS:
        assert float(again[name]) == pytest.approx(float(found[name]), abs=1e-12)


@pytest.mark.parametrize("rule", [PBS(), Spherical(), Log(), RankedLog(), Brier()], ids=repr)
def test_a_rule_of_classes_has_its_mean(rule: ClassRule) -> None:
    logits, y = classes()
    p = logits.softmax(1)
    found = fed(TallyMetric(rule), p, y, batch=99).compute()
    assert float(found) == pytest.approx(rule(y.numpy(), p.numpy()), rel=1e-13)
    found = fed(TallyMetric(rule, from_logits=True), logits, y, batch=99).compute()
    assert float(found) == pytest.approx(
        rule.logit_loss(y.numpy(), logits.numpy()).mean(), rel=1e-12
    )


# What a metric is


@pytest.mark.parametrize("make", [TallyMetric, DecompositionMetric])
def test_a_metric_says_what_it_is(make: Any) -> None:
    metric = make(Brier())
    assert metric.is_differentiable is False
    assert metric.higher_is_better is False
    assert metric.full_state_update is False
    assert repr(metric) == f"{make.__name__}(Brier(), from_logits=False, cells=1024)"
    ranked = DecompositionMetric(RPS(), cells=2, classes=3)
    assert repr(ranked) == "DecompositionMetric(RPS(), from_logits=False, cells=2, classes=3)"


def test_a_call_returns_the_batch_and_keeps_the_sum() -> None:
    p, y = sample()
    metric = TallyMetric(Log(), from_logits=True)
    found = [metric(p[i : i + 500], y[i : i + 500]) for i in range(0, 1500, 500)]
    for i, value in enumerate(found):
        rows = slice(500 * i, 500 * i + 500)
        expected = Log().logit_loss(y[rows].numpy(), p[rows].numpy()).mean()
        assert float(value) == pytest.approx(expected, rel=1e-12)
    assert float(metric.compute()) == pytest.approx(float(sum(found)) / 3, rel=1e-12)
    assert metric.update_count == 3


def test_a_refused_batch_leaves_what_was_there() -> None:
    p, y = sample()
    metric = TallyMetric(Brier())
    before = metric(p, y)
    for call in (metric, metric.update):
        with pytest.raises(DataError):
            call(p + 1, y)
        assert metric.compute() == before
    assert metric.tally().total == len(p)


def test_metrics_of_parts_merge_to_that_of_the_whole() -> None:
    p, y = sample()
    one, two, three = (TallyMetric(Brier()) for _ in range(3))
    one.update(p[:900], y[:900])
    one.compute()
    two.update(p[900:], y[900:])
    one.merge_state(two)
    three.merge_state(one.metric_state)
    for metric in (one, three):
        assert_same(metric.tally(), properly.tally(y.numpy(), p.numpy(), cells=1024))
        assert float(metric.compute()) == pytest.approx(Brier()(y.numpy(), p.numpy()), rel=1e-14)


@pytest.mark.parametrize(
    "metric", [TallyMetric(Log()), DecompositionMetric(Brier()), TallyMetric(RPS())], ids=repr
)
def test_a_metric_is_copied_and_stored(metric: Any) -> None:
    rows = classes() if metric.rule == RPS() else sample()
    metric = copy.deepcopy(metric)
    metric.from_logits = metric.rule == RPS()
    metric.update(*rows)
    before = metric.compute()
    for other in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):  # noqa: S301
        assert other.compute() == before
        other.update(*rows)
        assert other.update_count == 2
    assert dict(metric.state_dict()) == {}
    metric.persistent(mode=True)
    model = torch.nn.ModuleDict({"metric": metric, "layer": torch.nn.Linear(1, 1)})
    stored = copy.deepcopy(model.state_dict())
    metric.reset()
    model.load_state_dict(stored)
    assert metric.compute() == before


def test_a_state_of_another_rule_is_not_loaded() -> None:
    metric = fed(TallyMetric(Brier()), *sample())
    metric.persistent(mode=True)
    other = TallyMetric(Log())
    other.persistent(mode=True)
    with pytest.raises(RuntimeError, match="sums_of_Brier"):
        other.load_state_dict(metric.state_dict())


def test_states_are_never_rounded_to_the_type_of_a_model() -> None:
    p, y = sample()
    metric = fed(TallyMetric(Brier()), p, y)
    before = metric.compute()
    model = torch.nn.ModuleDict({"metric": metric})
    for moved in (model.half(), model.to(torch.bfloat16), model.float(), model.to("cpu")):
        assert moved["metric"].counts.dtype == torch.float64
        assert metric.compute() == before
    metric.reset()
    assert metric.counts.dtype == torch.float64


def test_a_device_without_double_precision_has_single_precision(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    p, y = sample()
    expected = properly.tally(y.numpy(), p.numpy(), cells=1024)
    early = TallyMetric(Brier())
    monkeypatch.setattr(_metric, "SINGLE", ("cpu",))
    for metric in (early.to("cpu"), TallyMetric(Brier())):
        metric.update(p, y)
        assert metric.compute().dtype == torch.float32
        assert_same(metric.tally(), expected, tolerance=1e-6)


def test_inference_mode_may_begin_and_end() -> None:
    p, y = sample()
    metric = TallyMetric(Brier())
    with torch.inference_mode():
        metric.reset()
        metric.update(p, y)
    metric.update(p, y)
    assert float(metric.compute()) == pytest.approx(Brier()(y.numpy(), p.numpy()), rel=1e-14)


def test_a_collection_of_torchmetrics_keeps_rules_apart() -> None:
    from torchmetrics import MetricCollection

    y = torch.tensor([0, 1])
    made: dict[str, Rule] = {"brier": Brier(), "log": Log(), "bounded": Bounded(Log(), (0.1, 0.9))}
    means = {name: TallyMetric(rule) for name, rule in made.items()}
    metrics = MetricCollection(means | {"parts": DecompositionMetric(Brier())})
    # All three cost nothing in the first batch, where torchmetrics looks for equal states.
    metrics.update(torch.tensor([0.0, 1.0]), y)
    metrics.update(torch.tensor([0.25, 0.5]), y)
    found = metrics.compute()
    p = np.array([0.0, 1.0, 0.25, 0.5])
    for name, rule in made.items():
        assert float(found[name]) == pytest.approx(float(rule([0, 1, 0, 1], p)))
    assert float(found["score"]) == pytest.approx(Brier()([0, 1, 0, 1], p))
    batch = metrics(torch.tensor([0.25, 0.5]), y)
    assert float(batch["log"]) == pytest.approx(Log()([0, 1], [0.25, 0.5]))
    assert metrics["brier"].tally().total == metrics["parts"].tally().total == 6
