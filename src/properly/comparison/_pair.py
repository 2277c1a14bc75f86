"""Two models, compared: numbers, and a sentence."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from properly._boundary._frames import to_frame
from properly._boundary._plain import plain, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly._boundary._frames import Backend


@dataclass(frozen=True, repr=False)
class Pair:
    """Two models on the same cases.

    Attributes
    ----------
    first, second : str
        Names of the models.
    difference : float
        Score of the first minus score of the second. Of losses, a negative one favours the first.
    standard_error : float
        Its standard error.
    interval : pair of floats
        Its interval.
    p_value, adjusted_p_value : float
        Of no difference; adjusted for the number of pairs.
    simultaneous : pair of floats
        An interval such that those of all pairs hold at once.
    differing : int
        Cases on which the losses differ.
    ratio, ratio_error : float
        First score over second, and its standard error; NaN for areas under the ROC curve.
    ratio_interval : pair of floats
        The interval of the ratio.
    equivalence_p_value, adjusted_equivalence_p_value : float
        Of a difference as large as the margin; NaN without a margin.
    sentence : str
        The comparison in words.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> two = {name: crash.forecasts[name] for name in ("logistic", "boosting")}
    >>> found = properly.compare(crash.died, two, rule=Brier(), clusters=crash.cluster)
    >>> print(found["boosting", "logistic"])
    logistic is better than boosting by 0.0008323 Brier (95 % interval 0.0002056 to 0.001459)
    """

    first: str
    second: str
    difference: float
    standard_error: float
    interval: tuple[float, float]
    p_value: float
    adjusted_p_value: float
    simultaneous: tuple[float, float]
    differing: int
    ratio: float
    ratio_error: float
    ratio_interval: tuple[float, float]
    equivalence_p_value: float
    adjusted_equivalence_p_value: float
    method: str
    sentence: str

    def __repr__(self) -> str:
        names = " - ".join(printable(name) for name in (self.first, self.second))
        return f"Pair({names}: {self.difference:.4g}, p = {self.p_value:.3g})"

    def __str__(self) -> str:
        """Say which is better, if that can be told."""
        return self.sentence

    def turned(self) -> Pair:
        """Subtract the other way round, and put the ratio upside down."""
        known = self.ratio > 0
        low, high = (1 / x if x > 0 else math.nan for x in self.ratio_interval[::-1])
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=0.0 - self.difference,
            interval=_opposite(self.interval),
            simultaneous=_opposite(self.simultaneous),
            ratio=1 / self.ratio if known else math.nan,
            ratio_error=self.ratio_error / self.ratio**2 if known else math.nan,
            ratio_interval=(low, high),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name, as JSON can hold them."""
        found: dict[str, Any] = plain(asdict(self))
        return found

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row of a polars, pandas or pyarrow frame."""
        return to_frame({name: [value] for name, value in flat(asdict(self)).items()}, backend)


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """Write both ends of an interval as two numbers."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, tuple):
            prefix = name.removesuffix("interval")
            prefix = prefix if prefix.endswith("_") or not prefix else f"{prefix}_"
            found |= dict(zip((f"{prefix}lower", f"{prefix}upper"), value, strict=True))
        else:
            found[name] = value
    return found


def _opposite(interval: tuple[float, float]) -> tuple[float, float]:
    low, high = interval
    return 0.0 - high, 0.0 - low


class Told(NamedTuple):
    """What sentences about pairs have in common."""

    unit: str
    ends: str
    alpha: float
    higher_is_better: bool
    margin: float | None


def told_apart(pair: Pair, alpha: float) -> bool:
    """Tell whether one model is better, allowing for the other pairs; zero must be outside."""
    low, high = pair.interval
    return pair.adjusted_p_value <= alpha and not low <= 0 <= high


def sentence(pair: Pair, told: Told, pairs: int, lost: Mapping[str, str]) -> str:
    """Say which of two models is better, if that can be told."""
    first, second = (printable(name) for name in (pair.first, pair.second))
    if not math.isfinite(pair.difference):
        return _infinite(pair, told.unit, lost)
    if pair.differing == 0 and pair.difference == 0:
        alike = "rank the cases alike" if told.higher_is_better else "never differ"
        return f"{first} and {second} {alike}"
    if not pair.standard_error > 0:
        size = f"{pair.difference:.4g} {told.unit}, without a standard error"
        return f"{first} and {second} cannot be compared: difference {size}"
    if told_apart(pair, told.alpha):
        return _better(pair, told, (first, second))
    if told.margin is not None and pair.adjusted_equivalence_p_value <= told.alpha:
        chance = f"(p = {pair.adjusted_equivalence_p_value:.2g})"
        within = f"{told.margin:g} {told.unit} {chance}"
        return f"{first} and {second} are as good as each other within {within}"
    (low, high), reason, ends = pair.interval, "", told.ends
    if pair.p_value <= told.alpha < pair.adjusted_p_value:
        # The interval that allows for all pairs goes with the p-value that does.
        reason, ends = f", allowing for {pairs} comparisons", f"{told.ends} for all pairs"
        low, high = pair.simultaneous
    size = f"{pair.difference:.4g} {told.unit} ({ends} {low:.4g} to {high:.4g}{_flips(pair)})"
    return f"{first} and {second} cannot be told apart{reason}: difference {size}"


def _infinite(pair: Pair, unit: str, lost: Mapping[str, str]) -> str:
    names = [pair.first, pair.second]
    if math.isnan(pair.difference):
        first, second = map(printable, names)
        return f"{first} and {second} both have an infinite {unit} score"
    worse, other = names if pair.difference > 0 else names[::-1]
    cases = f"{lost[worse]} of infinite loss"
    return f"{printable(worse)} has an infinite {unit} score ({cases}), {printable(other)} has not"


def _better(pair: Pair, told: Told, names: tuple[str, str]) -> str:
    better = (pair.difference > 0) == told.higher_is_better
    first, second = names if better else names[::-1]
    low, high = pair.interval if pair.difference > 0 else _opposite(pair.interval)
    ends = f"{told.ends} {low:.4g} to {high:.4g}{_flips(pair)}"
    little = ""
    if told.margin is not None and pair.adjusted_equivalence_p_value <= told.alpha:
        little = f", less than the margin of {told.margin:g}"
    size = f"{abs(pair.difference):.4g} {told.unit} ({ends}){little}"
    return f"{first} is better than {second} by {size}"


def _flips(pair: Pair) -> str:
    """Say the p-value where it is not that of the interval."""
    if not pair.method.startswith("sign flips"):
        return ""
    known = "=" if pair.method == "sign flips" else "at most"
    return f"; p {known} {pair.p_value:.2g} by sign flips"
