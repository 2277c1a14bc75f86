"""What a test of calibration found."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from properly._boundary._frames import to_frame
from properly._boundary._plain import many, plain
from properly._boundary._tables import wrapped

if TYPE_CHECKING:
    from properly._boundary._frames import Backend


@dataclass(frozen=True, repr=False)
class CalibrationTest:
    """Whether forecasts are further from calibrated than chance would bring about.

    Attributes
    ----------
    name : str
        Which test was made. Where data separate, so that no line fits best, `"score"` takes the
        place of `"cox"` and `"citl"`.
    statistic : float
        What it measures: the miscalibration (`"mcb"`); the smaller of two p-values
        (`"combined"`); a chi-squared or an F statistic (`"cox"`, `"citl"`,
        `"hosmer-lemeshow"`); one that is chi-squared if there are many cases, or clusters
        (`"score"`); a number of standard deviations (`"spiegelhalter"`, `"ks"`,
        `"kuiper"`). NaN if certain forecasts leave it undefined, infinite if one of them is
        refuted.
    p_value : float
        Probability of at least as much if the forecasts are calibrated.
    method : str
        How the p-value was found: `"Monte Carlo"`, which is exact, `"chi-squared"`, `"F"` or
        `"normal"`.
    degrees : float, pair of floats or None
        Degrees of freedom; of an F, of numerator and denominator.
    parts : dict
        Further p-values by name: of `"mcb"` and `"score"` alone, which the combined test is made
        of; of `"citl"` and `"slope"` alone, for `"cox"`; the `"asymptotic"` one where draws, or
        an F that the statistic was made into, made the p-value.
    miscalibration : float or None
        The miscalibration of the forecasts, if it was tested.
    mean_if_calibrated : float or None
        The mean miscalibration of calibrated forecasts, which is not zero unless all are certain.
    rule : str or None
        Name of the rule by which miscalibration was measured.
    replicates : int or None
        Random draws.
    design : str
        How many cases there are, and how they were sampled.
    certain : int
        Forecasts of exactly 0 or 1 that were left out, or, of `"cox"` and `"citl"`, that leave the
        statistic undefined.

    Examples
    --------
    >>> import properly
    >>> t = properly.Tally.from_counts([0.2, 0.5, 0.8], [90, 70, 40], [15, 38, 33])
    >>> test = properly.calibration_test(t, rng=1)
    >>> test
    CalibrationTest(combined: p = 0.728, Monte Carlo)
    >>> print(f"{test.miscalibration:.6f}")
    0.001268
    """

    name: str
    statistic: float
    p_value: float
    method: str
    degrees: float | tuple[float, float] | None = None
    parts: dict[str, float] = field(default_factory=dict)
    miscalibration: float | None = None
    mean_if_calibrated: float | None = None
    rule: str | None = None
    replicates: int | None = None
    design: str = ""
    certain: int = 0

    def __repr__(self) -> str:
        return f"CalibrationTest({self.name}: p = {self.p_value:.3g}, {self.method})"

    def __str__(self) -> str:
        """Say it in a sentence."""
        told = [_method(self), *(_part(name, p) for name, p in self.parts.items())]
        if self.miscalibration is not None and self.mean_if_calibrated is not None:
            sizes = f"{self.miscalibration:.4g}, {self.mean_if_calibrated:.4g} if calibrated"
            told.append(f"miscalibration {sizes}")
        if self.certain:
            undefined = "for which it is undefined" if math.isnan(self.p_value) else "left out"
            told.append(f"{many(self.certain, 'certain forecast')} {undefined}")
        told.append(self.design)
        by = f"p = {self.p_value:.3g} by the {self.name} test of calibration"
        return wrapped(f"{by} ({'; '.join(told)})")

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name, as JSON can hold them."""
        found: dict[str, Any] = plain(asdict(self))
        return found

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row of a polars, pandas or pyarrow frame.

        The p-values of the parts have columns of their own, and so have degrees of freedom of a
        denominator.
        """
        row = asdict(self)
        parts, degrees = row.pop("parts"), row.pop("degrees")
        first, second = degrees if isinstance(degrees, tuple) else (degrees, None)
        row |= {"degrees": first, "denominator_degrees": second}
        row |= {f"p_value_{name}": p for name, p in parts.items()}
        return to_frame({name: [value] for name, value in row.items()}, backend)


def _part(name: str, p: float) -> str:
    """Say which further p-value this is."""
    words = {"asymptotic": "asymptotically", "F": "by an F"}
    return f"{words.get(name, f'{name} alone')} {p:.3g}"


def _method(test: CalibrationTest) -> str:
    """Say how a p-value was found."""
    if test.replicates is not None:
        return f"{test.method}, {many(test.replicates, 'draw')}"
    if test.degrees is None:
        return test.method
    degrees = test.degrees if isinstance(test.degrees, tuple) else (test.degrees,)
    name = "degree" if degrees == (1,) else "degrees"
    return f"{test.method} with {' and '.join(f'{d:g}' for d in degrees)} {name} of freedom"
