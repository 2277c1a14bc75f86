"""What boosted trees are grown on, and how each library grows them."""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from properly.errors import DataError
from properly.rules import Bounded, Brier

NARROW = Bounded(Brier(), (0.05, 0.2))


class Tumours:
    """Biopsies: malignant or not, in a part to learn from and a part to look at."""

    X, benign = load_breast_cancer(return_X_y=True)
    y = 1 - benign
    known = np.arange(len(y)) % 3 > 0


class Digits:
    """Handwritten digits, ten classes."""

    X, y = (part[:600] for part in load_digits(return_X_y=True))
    known = np.arange(600) % 3 > 0


def told(call: Any, error: type[Exception] = DataError) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def probabilities(margin: Any) -> Any:
    if margin.ndim == 1:
        return 1 / (1 + np.exp(-margin))
    share = np.exp(margin - margin.max(axis=1, keepdims=True))
    return share / share.sum(axis=1, keepdims=True)


class Booster:
    """A library of boosted trees: its settings, and one way to train that both understand.

    ``close`` is how near its losses are to ours, ``same`` how near margins of the same trees and
    ``again`` those of weights written as rows: XGBoost adds up in single precision.
    """

    name: str
    event: ClassVar[dict[str, Any]]
    classes: ClassVar[dict[str, Any]]
    own: str
    sklearn: str
    raw: ClassVar[dict[str, Any]]
    close: ClassVar[dict[str, Any]]
    same: ClassVar[float]
    again: ClassVar[float]

    def __init__(self) -> None:
        reason = f"{self.name} is not installed; `make test-integrations` installs it"
        self.library: Any = pytest.importorskip(self.name, reason=reason)
        door: Any = import_module(f"properly.integrations.{self.name}")
        self.metric, self.objective = door.metric, door.objective

    def rows(self, X: Any, y: Any, **more: Any) -> Any:
        """Make a data set."""
        raise NotImplementedError

    def learn(self, cases: Any, **more: Any) -> Any:
        return self.rows(cases.X[cases.known], cases.y[cases.known], **more)

    def train(self, params: Any, data: Any, rounds: int, learner: Any = None) -> Any:
        """Train with an objective, or else with the library's own."""
        raise NotImplementedError

    def watched(
        self, params: Any, cases: Any, rounds: int, learner: Any, metric: Any, **more: Any
    ) -> Any:
        """Train beside others, with a ``weight`` each, and ``stop``; return the losses, too."""
        raise NotImplementedError

    def fitted(
        self, cases: Any, metric: Any, stop: int | None = None, weight: Any = None, **more: Any
    ) -> Any:
        """Fit the class of scikit-learn; return it, what it says of the others, and the losses."""
        raise NotImplementedError

    def margins(self, model: Any, X: Any) -> Any:
        raise NotImplementedError

    def best(self, model: Any) -> int:
        """Return the number of rounds that are best."""
        raise NotImplementedError

    def grown(self, params: Any, data: Any, X: Any, rounds: int, learner: Any = None) -> Any:
        return self.margins(self.train(params, data, rounds, learner), X)


class XGBoost(Booster):
    name = "xgboost"
    event: ClassVar[dict[str, Any]] = {
        "objective": "binary:logistic",
        "base_score": 0.5,
        "max_depth": 3,
        "nthread": 1,
    }
    classes: ClassVar[dict[str, Any]] = {
        "objective": "multi:softprob",
        "num_class": 10,
        "max_depth": 2,
        "nthread": 1,
    }
    own = "binary:logistic"
    sklearn = "XGBClassifier"
    raw: ClassVar[dict[str, Any]] = {"output_margin": True}
    close: ClassVar[dict[str, Any]] = {"abs": 2e-6}
    same: ClassVar[float] = 1e-5
    again: ClassVar[float] = 1e-4

    def rows(self, X: Any, y: Any, **more: Any) -> Any:
        return self.library.DMatrix(X, y, nthread=1, **more)

    def train(self, params: Any, data: Any, rounds: int, learner: Any = None) -> Any:
        return self.library.train(params, data, rounds, obj=learner)

    def watched(
        self, params: Any, cases: Any, rounds: int, learner: Any, metric: Any, **more: Any
    ) -> Any:
        weight = more.get("weight")
        judge = self.rows(cases.X[~cases.known], cases.y[~cases.known], weight=weight)
        log: dict[str, Any] = {}
        options = {"evals": [(judge, "judge")], "evals_result": log, "verbose_eval": False}
        options |= {"custom_metric": metric, "early_stopping_rounds": more.get("stop")}
        model = self.library.train(params, self.learn(cases), rounds, obj=learner, **options)
        return model, log["judge"][metric.name]

    def fitted(
        self, cases: Any, metric: Any, stop: int | None = None, weight: Any = None, **more: Any
    ) -> Any:
        options = {"n_jobs": 1, "max_depth": 2, "eval_metric": metric, **more}
        model = self.library.XGBClassifier(early_stopping_rounds=stop, **options)
        X, y = cases.X[~cases.known], cases.y[~cases.known]
        seen = {
            "eval_set": [(X, y)],
            "sample_weight_eval_set": None if weight is None else [weight],
        }
        model.fit(cases.X[cases.known], cases.y[cases.known], verbose=False, **seen)
        losses = model.evals_result()["validation_0"][metric.name]
        # predict_proba goes back to the best round by itself.
        return model, model.predict_proba(X), losses

    def margins(self, model: Any, X: Any) -> Any:
        best = model.attr("best_iteration")
        some = (0, 0 if best is None else int(best) + 1)
        data = self.library.DMatrix(X, nthread=1)
        found = model.predict(data, output_margin=True, iteration_range=some)
        return found.astype(np.float64)

    def best(self, model: Any) -> int:
        return int(model.best_iteration) + 1


class LightGBM(Booster):
    name = "lightgbm"
    quiet: ClassVar[dict[str, Any]] = {"verbose": -1, "num_threads": 1, "deterministic": True}
    event: ClassVar[dict[str, Any]] = {**quiet, "num_leaves": 6, "boost_from_average": False}
    classes: ClassVar[dict[str, Any]] = {
        **quiet,
        "num_leaves": 4,
        "num_class": 10,
        "boost_from_average": False,
    }
    own = "binary"
    sklearn = "LGBMClassifier"
    raw: ClassVar[dict[str, Any]] = {"raw_score": True}
    close: ClassVar[dict[str, Any]] = {"rel": 1e-9}
    same: ClassVar[float] = 1e-6
    again: ClassVar[float] = 1e-6

    def rows(self, X: Any, y: Any, params: Any = None, **more: Any) -> Any:
        params = self.quiet | (params or {})
        return self.library.Dataset(X, y, params=params, free_raw_data=False, **more)

    def train(self, params: Any, data: Any, rounds: int, learner: Any = None) -> Any:
        return self.library.train({"objective": learner or self.own, **params}, data, rounds)

    def watched(
        self, params: Any, cases: Any, rounds: int, learner: Any, metric: Any, **more: Any
    ) -> Any:
        data, log, weight = self.learn(cases), dict[str, Any](), more.get("weight")
        X, y = cases.X[~cases.known], cases.y[~cases.known]
        judge = self.rows(X, y, reference=data, weight=weight)
        steps = [self.library.record_evaluation(log)]
        if more.get("stop"):
            steps.append(self.library.early_stopping(more["stop"], verbose=False))
        params = {**params, "objective": learner or self.own, "metric": "None"}
        options = {"valid_names": ["judge"], "feval": metric, "callbacks": steps}
        model = self.library.train(params, data, rounds, valid_sets=[judge], **options)
        return model, log["judge"][metric.name]

    def fitted(
        self, cases: Any, metric: Any, stop: int | None = None, weight: Any = None, **more: Any
    ) -> Any:
        # Else LightGBM's own metric, of margins as if they were probabilities, stops it.
        model = self.library.LGBMClassifier(metric="None", num_leaves=4, **self.quiet, **more)
        X, y = cases.X[~cases.known], cases.y[~cases.known]
        new = "eval_X" in signature(self.library.LGBMClassifier.fit).parameters
        seen: dict[str, Any] = {"eval_X": X, "eval_y": y} if new else {"eval_set": [(X, y)]}
        seen |= {"eval_sample_weight": None if weight is None else [weight]}
        steps = [self.library.early_stopping(stop, verbose=False)] if stop else []
        known = cases.X[cases.known], cases.y[cases.known]
        model.fit(*known, eval_metric=metric, callbacks=steps, **seen)
        (losses,) = (log[metric.name] for log in model.evals_result_.values())
        if "objective" in more:
            return model, probabilities(model.predict(X, raw_score=True)), losses
        return model, model.predict_proba(X), losses

    def margins(self, model: Any, X: Any) -> Any:
        return model.predict(X, raw_score=True)

    def best(self, model: Any) -> int:
        return int(getattr(model, "best_iteration_", None) or model.best_iteration)
