"""Every way that a rule has to the price of one forecast of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.rules import ClassRule


def prices(rule: ClassRule, y: int, p: Sequence[float]) -> dict[str, float]:
    """Price one forecast by every route: numbers, one-hot rows, labels, expectations."""
    row, count = np.array([p], dtype=np.float64), len(p)
    labels = [f"grade {chr(ord('z') - k)}" for k in range(count)]  # not in alphabetical order
    truth = np.eye(count)[y]
    found: dict[str, Any] = {
        "loss": rule.loss([y], row)[0],
        "loss of lists": rule.loss([y], [list(p)])[0],
        "mean": rule([y], row),
        "weighted mean": rule([y, y], [p, p], weight=[0.5, 2]),
        "classwise": rule.classwise(row)[0, y],
        "price": rule.price(np.array([y]), row)[0],
        "one-hot floats": rule.loss([list(truth)], row)[0],
        "one-hot whole numbers": rule.loss(truth.astype(int)[None, :], row)[0],
        "one-hot mean": rule(truth.astype(bool)[None, :], row),
        "labels": rule.loss([labels[y]], row, labels=labels)[0],
        "mean of labels": rule([labels[y]], row, labels=labels),
        "labels that are numbers": rule.loss([10 * y], row, labels=range(0, 10 * count, 10))[0],
        "expected loss": rule.expected_loss(truth, list(p)),
        "expected loss of rows": rule.expected_loss(truth[None, :], row)[0],
        "expected loss of a certain truth": rule.expected_loss(truth, row)[0],
    }
    return {route: float(value) for route, value in found.items()}


def few_prices(rule: ClassRule, y: int, p: Sequence[float]) -> dict[str, float]:
    """Price one forecast case by case, on average and by expectation.

    For another rule of the same price: that all routes of a rule agree is a law of every rule.
    """
    row, truth = np.array([p], dtype=np.float64), np.eye(len(p))[y]
    return {
        "loss": float(rule.loss([y], row)[0]),
        "mean": float(rule([y], row)),
        "expected loss": float(rule.expected_loss(truth, list(p))),
    }


def expectations(rule: ClassRule, q: Sequence[float], p: Sequence[float]) -> dict[str, float]:
    """Return what a report is expected to cost by every route, among them a weighted sample."""
    count = len(q)
    truth, report = np.array(q), np.array([p])
    found: dict[str, Any] = {
        "vectors": rule.expected_loss(list(q), list(p)),
        "rows": rule.expected_loss(truth[None, :], report)[0],
        "one truth": rule.expected_loss(truth, np.repeat(report, 2, axis=0))[1],
        "sample": rule(np.arange(count), np.repeat(report, count, axis=0), weight=truth),
    }
    return {route: float(value) for route, value in found.items()}


def entropies(rule: ClassRule, q: Sequence[float]) -> dict[str, float]:
    """Return what an honest report is expected to cost by every route."""
    found = expectations(rule, q, q)
    found["entropy"] = float(rule.entropy([list(q)])[0])
    found["entropy of rows"] = float(rule.entropy(np.array([q, q]))[1])
    return found
