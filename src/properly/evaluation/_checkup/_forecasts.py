"""What may be wrong or odd about forecasts of an event by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._plain import many
from properly.evaluation._checkup._symptom import Symptom, of_column, of_rows, so_many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from properly.evaluation._checkup._sheet import EventForecast

    Floats: TypeAlias = NDArray[np.float64]

# What exceeds 0 or 1 by less comes from rounding.
ROUNDING = 1e-6
# From this share of values above 1 on, percent are likelier than slips.
SHARE = 0.05
# Few distinct values, and the rows from which on that is worth a word.
FEW, ENOUGH = 10, 50
# Where precision runs out, other forecasts lie within so many of its steps.
CLOSE = 64


class Words(NamedTuple):
    """What a scale looks like, and what to do about it."""

    what: str
    advice: str


SCALES = {
    "rounding": Words(
        "outside [0, 1] by less than a millionth, as by rounding",
        "Nothing is clipped for you: numpy.clip(p, 0, 1), if you agree that this is rounding.",
    ),
    "code": Words(
        "{value:g}, while all others are probabilities: a code for what is missing?",
        "If it is one, drop those rows first.",
    ),
    "logarithms": Words(
        "negative and none above 0, as logits of rare events or logarithms of probabilities are",
        "Of logits, take the sigmoid 1 / (1 + numpy.exp(-x)) first; of logarithms, numpy.exp(x).",
    ),
    "logits": Words(
        "outside [0, 1], down to {low:.4g} and up to {high:.4g}, as logits (log-odds) are",
        "Of logits, take the sigmoid first: 1 / (1 + numpy.exp(-x)).",
    ),
    "percent": Words(
        "above 1, up to {high:.4g}, as percentages are",
        "Of percentages, divide by 100 first.",
    ),
    "outside": Words(
        "outside [0, 1], from {low:.4g} to {high:.4g}",
        "Nothing is clipped for you. Are these probabilities? Of percentages, divide by 100; of "
        "odds, take x / (1 + x).",
    ),
}


def scale(model: EventForecast) -> Iterator[Symptom]:
    """Find percent, logits and other numbers that are no probabilities: a score needs these."""
    numbers = model.column.numbers
    bad = np.isfinite(numbers) & ((numbers < 0) | (numbers > 1))
    if not bad.any():
        return
    finite = numbers[np.isfinite(numbers)]
    words = SCALES[_scale_of(finite, numbers[bad])]
    told = {"low": finite.min(), "high": finite.max(), "value": numbers[bad][0]}
    what = f"{so_many(int(bad.sum()), len(finite), 'forecast')} {words.what.format(**told)}"
    yield of_rows("problem", model.name, bad, what, words.advice)


def constant(model: EventForecast) -> Iterator[Symptom]:
    """Find a forecast that never changes: it cannot tell cases apart, and may be a default."""
    if len(model.p) < 2 or model.p.min() != model.p.max() or np.isinf(model.p[0]):
        return
    what = f"all {many(len(model.p), 'forecast')} are {model.p[0]:.6g}"
    advice = "Is this the right column? A constant has no discrimination; evaluate adds one itself."
    yield of_column("oddity", model.name, len(model.column), what, advice)


def hard_labels(model: EventForecast) -> Iterator[Symptom]:
    """Find forecasts of 0 and 1 only: decisions, whose every mistake costs infinity in logs."""
    if not model.inside or model.distinct.tolist() != [0.0, 1.0] or model.is_outcome:
        return
    what = "all forecasts are 0 or 1: decisions, not probabilities"
    advice = (
        "Pass probabilities (predict_proba, not predict). Decisions can be scored, but one that is "
        "wrong makes the log score infinite."
    )
    yield of_column("oddity", model.name, len(model.column), what, advice)


def certain(model: EventForecast) -> Iterator[Symptom]:
    """Find forecasts of exactly 0 or 1 among others: one that is wrong makes the log infinite."""
    if not model.inside or model.distinct.tolist() in ([0.0, 1.0], [0.0], [1.0]):
        return
    p = model.column.numbers
    sure = (p == 0) | (p == 1)
    if not sure.any():
        return
    what = f"{so_many(int(sure.sum()), len(model.p), 'forecast')} exactly 0 or 1"
    happened = model.sheet.happened
    if model.used is None or happened is None:
        advice = "Each of them that is wrong makes the log score infinite."
        yield of_rows("note", model.name, sure, what, advice)
        return
    wrong = sure & model.used & (p != happened)
    if not wrong.any():
        advice = "None of them is wrong; a single one would make the log score infinite."
        yield of_rows("note", model.name, sure, what, advice)
        return
    yield of_rows("oddity", model.name, wrong, f"{what}, {_mistakes(p[wrong])}", _CERTAIN)


_CERTAIN = (
    "The log score is infinite, and says so. Compare by Brier, or by thresholds above 0 and below "
    "1 (within=, --within), or let the model be less sure."
)


def saturated(model: EventForecast) -> Iterator[Symptom]:
    """Find single or half precision that ran into 0 or 1: certainty that nobody meant."""
    kind = _precision(model) if model.inside else None
    if kind is None:
        return
    value, ends = model.distinct, np.finfo(kind)
    at_one = value[-1] == 1 and value[-2] >= 1 - CLOSE * float(ends.eps)
    at_zero = value[0] == 0 and value[1] <= CLOSE * float(ends.tiny)
    if not (at_one or at_zero):
        return
    p = model.column.numbers
    bad = ((p == 1) & at_one) | ((p == 0) & at_zero)
    what = f"{so_many(int(bad.sum()), len(model.p), 'forecast')} rounded to "
    what += "0 or 1" if at_one and at_zero else "1" if at_one else "0"
    advice = "Take the sigmoid or the softmax of the logits in float64: logits.double(), astype."
    yield of_rows("oddity", model.name, bad, f"{what} by {np.dtype(kind).name}", advice)


def coarse(model: EventForecast) -> Iterator[Symptom]:
    """Find few distinct or rounded forecasts: equal ones are pooled, and tie with thresholds."""
    if not model.inside or len(model.p) < ENOUGH:
        return
    value = model.distinct
    if 2 < len(value) <= FEW:
        what = f"there are only {len(value)} distinct forecasts among {len(model.p):,}"
        advice = "Equal forecasts are pooled: the calibration curve has so many points at most."
    elif len(value) > FEW and bool((np.abs(value * 100 - np.rint(value * 100)) < 1e-5).all()):
        what = f"forecasts are rounded to 2 decimals: {len(value)} distinct ones"
        advice = (
            "Equal forecasts are pooled, and many tie with thresholds such as 0.05, at which one "
            "acts if the forecast is as high. Keep all digits if you can."
        )
    else:
        return
    yield of_column("note", model.name, len(model.column), what, advice)


FORECAST = (scale, constant, hard_labels, certain, saturated, coarse)


def forecast_symptoms(model: EventForecast) -> Iterator[Symptom]:
    """Look at the forecasts of one model."""
    for check in FORECAST:
        yield from check(model)


def _scale_of(finite: Floats, bad: Floats) -> str:
    """Guess, for the advice only, what numbers some of which lie outside [0, 1] are."""
    low, high = float(finite.min()), float(finite.max())
    if low >= -ROUNDING and high <= 1 + ROUNDING:
        return "rounding"
    if 2 * len(bad) < len(finite) and bool((bad == bad[0]).all()) and bad[0] == np.rint(bad[0]):
        return "code"
    if high <= 0:
        return "logarithms"
    if low < -ROUNDING:
        return "logits"
    share = float((finite > 1).mean())
    return "percent" if 2 < high <= 100 and share >= SHARE else "outside"


def _mistakes(wrong: Floats) -> str:
    """Count the two ways to be certain and wrong."""
    never, always = int((wrong == 0).sum()), int((wrong == 1).sum())
    said = [f"of which {never:,} at 0 though the event happened"] if never else []
    said += [f"{'' if said else 'of which '}{always:,} at 1 though it did not"] if always else []
    return " and ".join(said)


def _precision(model: EventForecast) -> Any:
    """Tell numbers of half and single precision, also where a file has made them double.

    Shares such as 3/64 fit into any precision, so there must be finer ones than 1/1024.
    """
    inner = model.distinct[(model.distinct > 0) & (model.distinct < 1)]
    if len(inner) <= FEW or (inner * 1024 == np.rint(inner * 1024)).all():
        return None
    for kind in (np.float16, np.float32):
        if (inner.astype(kind) == inner).all():
            return kind
    return None
