"""Rules by name: wherever a rule is taken, its name will do, and often none is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import properly
from properly.comparison import confidence_set
from properly.decisions import rejection_scores, worst_cases
from properly.errors import DataError
from properly.inference import skill_interval
from properly.integrations import sklearn
from properly.rules import Bounded, Brier, Penalized, Ranked, audit, is_superior, superior_penalty

if TYPE_CHECKING:
    from collections.abc import Callable


RNG = np.random.default_rng(1)
P = RNG.random(200)
Q = RNG.random(200)
Y = RNG.random(200) < P
CASES = properly.Cases(Y, P, groups=np.arange(200) % 2)
TIMED = properly.Cases(Y, P, time=np.arange(200) // 2)
FRAME = pd.DataFrame({"y": Y, "p": P})
MODELS = {"first": P, "second": Q}
FOLDS = np.arange(200) % 4
CALLS: dict[str, Callable[..., Any]] = {
    "decompose": lambda *rule: properly.decompose(Y, P, *rule),
    "by_group": lambda *rule: properly.by_group(CASES, *rule, rng=1),
    "skill": lambda *rule: properly.skill(Y, P, *rule),
    "skill_interval": lambda *rule: skill_interval(Y, P, *rule),
    "score_interval": lambda *rule: properly.score_interval(Y, P, *rule),
    "over_time": lambda *rule: properly.over_time(TIMED, *rule, periods=2),
    "compare": lambda *rule: properly.compare(Y, P, Q, *rule),
    "worst_cases": lambda *rule: worst_cases(Y, P, *rule),
}
CALLS["by_fold"] = lambda *rule: properly.by_fold(
    Y, MODELS, FOLDS, **dict(zip(["rule"], rule, strict=False))
)
NEEDED: dict[str, Callable[[Any], Any]] = {
    "evaluate": lambda rule: properly.evaluate(Y, P, rules=rule, replicates=0).models,
    "several": lambda rule: properly.evaluate(Y, P, rules=[rule], replicates=0).models,
    "summarize": lambda rule: properly.summarize(FRAME, "p", outcome="y", rules=[rule]).rules,
    "calibration_test": lambda rule: properly.calibration_test(Y, P, rule=rule, rng=1),
    "recalibrate": lambda rule: properly.recalibrate(Y, P, "beta", rule=rule, rng=1).gain,
    "confidence_set": lambda rule: confidence_set(Y, MODELS, rule=rule, rng=1),
    "rejection_scores": lambda rule: rejection_scores(P, rule).tolist(),
    "Monitor": lambda rule: properly.Monitor(rule=rule),
    "Bounded": lambda rule: Bounded(rule, (0.1, 0.2)),
    "Ranked": Ranked,
    "ranked cuts": lambda rule: Ranked([rule, rule]),
    "Penalized": Penalized,
    "superior_penalty": lambda rule: superior_penalty(rule, 3),
    "audit": lambda rule: audit(rule).verdict,
    "is_superior": is_superior,
    "sklearn": lambda rule: sklearn.rule_loss(Y, P, rule=rule),
    "scorer": sklearn.make_rule_scorer,
    "scorers": lambda rule: list(sklearn.rule_scorers([rule])),
}


@pytest.mark.parametrize("name", CALLS | NEEDED)
def test_a_name_stands_for_its_rule(name: str) -> None:
    call = (CALLS | NEEDED)[name]
    assert repr(call("brier")) == repr(call(Brier()))


@pytest.mark.parametrize("name", CALLS)
def test_the_brier_score_needs_no_name(name: str) -> None:
    assert repr(CALLS[name]()) == repr(CALLS[name](Brier()))


@pytest.mark.parametrize("name", CALLS)
def test_what_is_no_name_is_refused_with_names_like_it(name: str) -> None:
    with pytest.raises(DataError, match=r"did you mean one of Brier\?"):
        CALLS[name]("breir")
