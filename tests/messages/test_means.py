"""Every message about averages on the probability scale, word for word."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from reproductions.means.coupled_plot import coupled_classes

from properly import Cases, datasets, generalized_mean, means, plots, probability, tally
from properly.datasets import NELSON_CASES, CoupledClasses, CoupledGaussian
from properly.decisions import predicted_roc_curve
from properly.errors import ArgumentTypeError, DataError, DataWarning
from properly.probability import (
    EqualCount,
    EqualWidth,
    Fit,
    Isotonic,
    Kernel,
    Neighbours,
    Source,
    confidence_test,
    proper_means,
    risk_profile,
    source_table,
)
from properly.rules import Pseudospherical

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly import Tally

T = tally([0, 1], [0.2, 0.4])
C = Cases([0, 1], [0.2, 0.4])
GRADES = Cases([0, 2], [[0.7, 0.2, 0.1], [0.1, 0.4, 0.5]])
CLUSTERED = Cases([0, 1], [0.2, 0.4], clusters=[7, 8])
TIMED = Cases([0, 1], [0.2, 0.4], time=[1, 2])
THIN = tally([0, 1], [0.2, 0.4], weight=[0.5, 1.5])


class Own(Source):
    """A source of one's own that fits whatever it is given."""

    def __init__(self, found: Any) -> None:
        self.found = found

    def __repr__(self) -> str:
        return "Own()"

    def fit(self, tally: Tally) -> Fit:  # noqa: ARG002
        found: Fit = self.found
        return found


def fit_of(end: int, weight: int, events: int, rate: float) -> Fit:
    """Make a fit of a single bin."""
    return Fit(*(np.array([x]) for x in (end, weight, events, rate)))


TWO, FAR = NELSON_CASES["perfect"].source, CoupledGaussian(2)

SAID: list[tuple[type[Exception], str, Any]] = [
    # means of any power
    (
        DataError,
        "a power must be a number or an infinity; got nan",
        lambda: generalized_mean([0.5], math.nan),
    ),
    (
        ArgumentTypeError,
        "the power must be a number; got 'two'",
        lambda: generalized_mean([0.5], "two"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "values must be finite and not negative; row 1 is -0.5",
        lambda: generalized_mean([0.5, -0.5], 1),
    ),
    (
        DataError,
        "weights and values must be equally long; got 2 and 1",
        lambda: generalized_mean([0.5], 1, [1, 2]),
    ),
    (
        DataError,
        (
            "the power must be less than 1, and not below -100; got 1"
            "\n\nHint: the limit at 1 is Misclassification()."
        ),
        lambda: Pseudospherical(1),
    ),
    (
        DataError,
        "the power must be less than 1, and not below -100; got -101",
        lambda: Pseudospherical(-101),
    ),
    # a limit to precision
    (
        DataError,
        "precision must be 0 or more and below 1/2, the probability of each of 2 classes if all are alike; got 0.5",
        lambda: means(T, precision=0.5),
    ),
    (
        DataError,
        "precision must be 0 or more and below 1/3, the probability of each of 3 classes if all are alike; got 0.4",
        lambda: source_table(GRADES, precision=0.4),
    ),
    (
        DataError,
        "precision must be 0 or more and below 1/2, the probability of each of 2 classes if all are alike; got nan",
        lambda: confidence_test(C, precision=math.nan),
    ),
    (
        ArgumentTypeError,
        "the precision must be a number; got '1%'",
        lambda: risk_profile(T, precision="1%"),  # type: ignore[arg-type]
    ),
    # sources
    (
        ArgumentTypeError,
        (
            "a source is a name or one of properly.probability; got 3"
            "\n\nHint: write properly.probability.EqualCount(3)."
        ),
        lambda: means(T, source=3),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        (
            "a source is a name or one of properly.probability; got <class 'properly.probability._sources.Isotonic'>"
            "\n\nHint: write Isotonic()."
        ),
        lambda: means(T, source=Isotonic),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "source must be 'isotonic', 'equal_count', 'hist', 'equal_width', 'neighbours' or 'kernel'; got 'bins'",
        lambda: means(T, source="bins"),
    ),
    (
        DataError,
        "bins must be a whole number, 1 or more; got 0",
        lambda: EqualWidth(bins=0),
    ),
    (
        DataError,
        "bins must not be more than 1,000,000,000; got 1,000,000,001",
        lambda: EqualCount(bins=10**9 + 1),
    ),
    (
        ArgumentTypeError,
        "the fit of a source must be a Fit of arrays; Own() gave (1, 2)",
        lambda: means(T, source=Own((1, 2))),
    ),
    (
        DataError,
        (
            "a Fit must hold the cases of each bin in weight, and events among them"
            "\n\nHint: all weights together are those of the tally, 2."
        ),
        lambda: means(
            T,
            source=Own(Fit(*(np.array(x) for x in ([1, 2], [2, 0], [1, 0], [0.5, 0.5])))),
        ),
    ),
    (
        DataError,
        (
            "the bins of a Fit must end after all 2 rows, none of them empty"
            "\n\nHint: end holds one past the last row of each bin."
        ),
        lambda: means(T, source=Own(fit_of(1, 1, 0, 0.5))),
    ),
    (
        DataError,
        "a Fit must have equally long columns of numbers, whole ones in end",
        lambda: means(T, source=Own(Fit(*(np.array([x, x]) for x in (1.0, 1, 0, 0.5))))),
    ),
    (
        DataError,
        "rates must be in [0, 1]; row 0 is 1.5",
        lambda: means(C, source=Own(fit_of(2, 2, 1, 1.5))),
    ),
    (
        DataError,
        "neighbours must be a whole number, 1 or more; got 0",
        lambda: Neighbours(0),
    ),
    (
        DataError,
        "ties must be 'together' or 'split'; got 'random'",
        lambda: EqualCount(ties="random"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "pooled must be True or False; got 'yes'",
        lambda: Isotonic(pooled="yes"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "a bandwidth must be positive and finite; got 0",
        lambda: Kernel(0),
    ),
    (
        ArgumentTypeError,
        "the bandwidth must be a number; got 'wide'",
        lambda: Kernel("wide"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        (
            "ties are split in the order of the rows, which a tally has lost"
            "\n\nHint: pass properly.Cases(y, p) instead of the tally."
        ),
        lambda: means(T, source=EqualCount(ties="split")),
    ),
    # averages
    (
        ArgumentTypeError,
        ("this needs a Tally or Cases; got list\n\nHint: make one with properly.tally(y, p)."),
        lambda: means([0.1, 0.2]),  # type: ignore[arg-type]
    ),
    (
        DataError,
        ("interval must be True or False; got 0.9\n\nHint: write interval=True, level=0.9."),
        lambda: means(T, interval=0.9),  # type: ignore[arg-type]
    ),
    (
        DataError,
        (
            "cases of fractional weight are drawn one by one; a tally has only their sums"
            "\n\nHint: pass properly.Cases(y, p, weight=w) instead of the tally."
        ),
        lambda: means(THIN, interval=True),
    ),
    (
        DataError,
        (
            "a variance allows for clusters or for times; these cases have both"
            "\n\nHint: make Cases with one of the two."
        ),
        lambda: means(Cases([0, 1], [0.2, 0.4], time=[1, 2], clusters=[1, 2]), interval=True),
    ),
    (
        DataError,
        (
            "dependence in time needs at least 20 different times; got 2"
            "\n\nHint: clusters= instead of time= allows for dependence within times, not between them."
        ),
        lambda: means(TIMED, interval=True),
    ),
    (
        DataError,
        (
            "a kernel on log-odds has no bins to make a table of"
            '\n\nHint: use "isotonic", "equal_count" or "equal_width"; means takes every source.'
        ),
        lambda: source_table(T, source="kernel"),
    ),
    (
        DataError,
        (
            "nearest neighbours has no bins to make a table of"
            '\n\nHint: use "isotonic", "equal_count" or "equal_width"; means takes every source.'
        ),
        lambda: source_table(T, source=Neighbours(2)),
    ),
    (
        DataError,
        "weights must be 'true' or 'equal'; got 'alike'",
        lambda: source_table(T).overall("alike"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        (
            "the confidence test takes cases as independent; these have clusters"
            "\n\nHint: make Cases without clusters to take them as independent."
        ),
        lambda: confidence_test(CLUSTERED),
    ),
    (
        DataError,
        (
            "the confidence test does not allow for dependence in time; these cases have times"
            "\n\nHint: make Cases without time to take them as independent."
        ),
        lambda: confidence_test(TIMED),
    ),
    (
        ArgumentTypeError,
        ("this needs a Tally or Cases; got list\n\nHint: make one with properly.tally(y, p)."),
        lambda: predicted_roc_curve([0.1, 0.2]),  # type: ignore[arg-type]
    ),
    # many powers
    (
        DataError,
        "powers must increase; row 1 is 0, after 1",
        lambda: risk_profile(T, [1, 0]),
    ),
    (
        DataError,
        "powers must be numbers or infinities; row 1 is nan",
        lambda: risk_profile(T, [0, math.nan]),
    ),
    (
        DataError,
        "powers must not be empty; got 0 rows",
        lambda: risk_profile(T, []),
    ),
    (
        DataError,
        (
            "powers of proper means must be finite and at most 1; row 1 is 1.5"
            "\n\nHint: no mean of a greater power can be made proper; generalized_mean has them all."
        ),
        lambda: proper_means(T, [0, 1.5]),
    ),
    (
        DataError,
        (
            "powers of proper means must be finite and at most 1; row 0 is nan (2 such rows)"
            "\n\nHint: no mean of a greater power can be made proper; generalized_mean has them all."
        ),
        lambda: proper_means(T, [math.nan, -math.inf]),
    ),
    (
        DataError,
        "powers must not be empty; got 0 rows",
        lambda: proper_means(T, []),
    ),
    # information
    (
        DataError,
        "an order must be a number or an infinity; got nan",
        lambda: probability.renyi_entropy([0.5, 0.5], math.nan),
    ),
    (
        DataError,
        (
            "the order of a Tsallis entropy must be finite; got inf"
            "\n\nHint: renyi_entropy takes infinite orders."
        ),
        lambda: probability.tsallis_entropy([0.5, 0.5], math.inf),
    ),
    (
        DataError,
        (
            "in the risk convention and dimension 1 a power must be finite and above -2; got -2"
            "\n\nHint: powers only tend to that bound as the coupling grows."
        ),
        lambda: probability.coupling_from_power(-2),
    ),
    (
        DataError,
        (
            "in the entropy convention and dimension 2 a power must be finite and below 1; got 1"
            "\n\nHint: powers only tend to that bound as the coupling grows."
        ),
        lambda: probability.coupling_from_power(1, dimension=2, convention="entropy"),
    ),
    (
        DataError,
        (
            "in dimension 2 a coupling must be finite and above -1/2; got -0.5"
            "\n\nHint: 1 + dimension * coupling must be positive."
        ),
        lambda: probability.power_from_coupling(-0.5, dimension=2),
    ),
    (
        DataError,
        (
            "in dimension 1 a coupling must be finite and above -1; got inf"
            "\n\nHint: 1 + dimension * coupling must be positive."
        ),
        lambda: probability.tsallis_from_coupling(math.inf),
    ),
    (
        DataError,
        (
            "in dimension 3 a coupling must be finite and above -1/3; got -0.4"
            "\n\nHint: 1 + dimension * coupling must be positive."
        ),
        lambda: probability.conjugate_coupling(-0.4, dimension=3),
    ),
    (
        DataError,
        "dimension must be a whole number, 1 or more; got 0",
        lambda: probability.conjugate_coupling(0, dimension=0),
    ),
    (
        DataError,
        "convention must be 'risk' or 'entropy'; got 'tsallis'",
        lambda: probability.power_from_coupling(0, convention="tsallis"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        ("p must sum to 1 within 1e-06; the sum is 0.9\n\nHint: divide it by its sum first."),
        lambda: probability.entropy_probability([0.5, 0.4]),
    ),
    (
        DataError,
        ("q must sum to 1 within 1e-06; the sum is 1.1\n\nHint: divide it by its sum first."),
        lambda: probability.divergence_probability([0.5, 0.5], [0.5, 0.6]),
    ),
    (
        DataError,
        "p must hold probabilities in [0, 1]; row 0 is 1.5 (2 such rows)",
        lambda: probability.entropy_probability([1.5, -0.5]),
    ),
    (
        DataError,
        (
            "p must be one-dimensional; got an array of shape (1, 2)"
            "\n\nHint: pass one distribution at a time."
        ),
        lambda: probability.entropy_probability([[0.5, 0.5]]),
    ),
    (
        DataError,
        "q and p must be equally long; got 3 and 2",
        lambda: probability.cross_entropy_probability([0.5, 0.5], [0.5, 0.25, 0.25]),
    ),
    (
        DataError,
        (
            "values must be positive to have logarithms; row 1 is 0.0"
            "\n\nHint: limit the forecasts first, or leave those rows out."
        ),
        lambda: probability.log_spread([0.5, 0]),
    ),
    # simulations
    (
        DataError,
        "location must be finite; got inf",
        lambda: CoupledGaussian(math.inf),
    ),
    (
        DataError,
        "location must be finite; row 1 is nan",
        lambda: CoupledGaussian([0, math.nan]),
    ),
    (
        DataError,
        "a scale must be positive and finite; got 0",
        lambda: CoupledGaussian(scale=0),
    ),
    (
        DataError,
        (
            "scale must be a number or, for this location, a 1 by 1 matrix; got an array of shape (2, 2)"
            "\n\nHint: the location, a list of d numbers, decides the dimension."
        ),
        lambda: CoupledGaussian(scale=[[1, 0], [0, 1]]),
    ),
    (
        DataError,
        "a scale matrix must be symmetric; row 0, column 1 is 0.5, and row 1, column 0 is 0.25",
        lambda: CoupledGaussian([0, 0], [[1, 0.5], [0.25, 1]]),
    ),
    (
        DataError,
        "a scale matrix must be positive definite; its least eigenvalue is -1",
        lambda: CoupledGaussian([0, 0], [[1, 2], [2, 1]]),
    ),
    (
        DataError,
        "a coupling must be finite and above -1/3 in 3 dimensions; got -0.5",
        lambda: CoupledGaussian([0, 0, 0], coupling=-0.5),
    ),
    (
        DataError,
        "x must be a list of numbers; got an array of shape (1, 2)",
        lambda: CoupledGaussian().density([[1, 2]]),
    ),
    (
        DataError,
        "x must have one row a point and 2 columns; got an array of shape (2,)",
        lambda: CoupledGaussian([0, 0]).density([1, 2]),
    ),
    (
        DataError,
        (
            "draws must be below 1.8e+308; with a coupling of 1000 some are not"
            "\n\nHint: take a smaller coupling or scale."
        ),
        lambda: CoupledGaussian(coupling=1000).sample(100, 1),
    ),
    (
        ArgumentTypeError,
        "the density of a class must be a CoupledGaussian; class 1 has 2.0",
        lambda: CoupledClasses([CoupledGaussian(), 2.0]),  # type: ignore[list-item]
    ),
    (
        DataError,
        "there must be two classes or more; got 1",
        lambda: CoupledClasses([CoupledGaussian()]),
    ),
    (
        DataError,
        "all classes must have the same dimension; class 0 has 1, class 1 has 2",
        lambda: CoupledClasses([CoupledGaussian(), CoupledGaussian([0, 0])]),
    ),
    (
        DataError,
        "one prior a class is needed; got 1 for 2 classes",
        lambda: CoupledClasses([CoupledGaussian(), CoupledGaussian(2)], [1.0]),
    ),
    (
        DataError,
        "priors must sum to 1 within 1e-06; they sum to 1.1",
        lambda: CoupledClasses([CoupledGaussian(), CoupledGaussian(2)], [0.5, 0.6]),
    ),
    (
        DataError,
        "case must be 'perfect', 'mean 1', 'mean 3', 'variance 0.5', 'variance 2', 'tail over', 'tail over, one class', 'tail under', 'tail under, one class', 'prior 0.8', 'gaussian', 'gaussian, mean 1', 'gaussian, mean 3', 'gaussian, variance 0.5' or 'gaussian, variance 2'; got 'odd'",
        lambda: datasets.nelson(10, "odd"),
    ),
    # pictures
    (
        ArgumentTypeError,
        (
            "this picture is drawn from a SourceTable; got Tally"
            "\n\nHint: make one with properly.probability.source_table(cases)."
        ),
        lambda: plots.model_source(T),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        (
            "this picture is drawn from a RiskProfile; got Tally"
            "\n\nHint: make one with properly.probability.risk_profile(cases)."
        ),
        lambda: plots.risk_profile(T),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "there must be at least one Means to draw; got none",
        lambda: plots.means_bars({}),
    ),
    (
        ArgumentTypeError,
        (
            "source must be CoupledClasses; got Tally"
            "\n\nHint: make them with properly.datasets.CoupledClasses."
        ),
        lambda: coupled_classes(T, TWO),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "this picture is of two classes in one dimension; model has 3 classes in 1",
        lambda: coupled_classes(TWO, CoupledClasses([FAR, FAR, FAR])),
    ),
]


WARNED: list[tuple[str, Callable[[], Any]]] = [
    (
        "one case alone makes up 61% of the sum behind the robustness, so that its interval is not to be trusted",
        lambda: means(T, interval=True, replicates=5, rng=1),
    ),
    (
        "one case alone makes up 100% of the sum behind the robustness, so that its interval is not to be trusted",
        lambda: means(
            tally([1, 0], [1e-9, 0.5]), interval=True, replicates=5, rng=1, source="hist"
        ),
    ),
]


@pytest.mark.parametrize(
    ("error", "message", "call"), SAID, ids=[said[1].split("\n")[0][:70] for said in SAID]
)
def test_a_message_is_word_for_word(error: type[Exception], message: str, call: Any) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize(("message", "call"), WARNED, ids=[warned[0][:70] for warned in WARNED])
def test_a_warning_is_word_for_word(message: str, call: Callable[[], Any]) -> None:
    with pytest.warns(DataWarning) as caught:
        call()
    assert [str(warning.message) for warning in caught] == [message]
