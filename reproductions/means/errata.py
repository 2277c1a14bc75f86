"""Errata of the paper on means of probabilities, in three groups.

Misprints, each of which gives another number than is meant; what changes numbers, which is weights
and bins; and remarks on what the paper leaves open.
"""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._record import columns_of, plain
from properly._boundary._text import table
from properly.counts import Cases, Tally
from properly.probability import (
    EqualCount,
    EqualWidth,
    generalized_mean,
    means,
    source_table,
)
from properly.probability._power_means import ROBUSTNESS
from reproductions.means.coupled import CoupledGaussian, nelson
from reproductions.means.dimensions import COVARIANCES, study
from reproductions.means.information import (
    conjugate_coupling,
    coupling_from_power,
    log_spread,
    power_from_coupling,
)
from reproductions.tables import Errata, Erratum, Table, formula, prose, section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from properly.typing import Column
    from reproductions.means.population import PopulationCase


TEN = EqualCount(bins=10)
N = 10_000
# Data sets for which bins are tried.
RUNS = 10


def changes() -> Iterator[Erratum]:
    """Compute numbers by the paper's weights, or as it bounds them, and as they are here."""
    yield _sizes()
    yield from _weights()
    yield from _divergence()


def _sizes() -> Erratum:
    few = source_table(Tally.from_counts([0.2, 0.8], [3, 1], [1, 1]), source=EqualWidth(bins=2))
    there = few.happened > 0
    share, log = few.source[there] / few.source.sum(), np.log(few.mean_probability[there])
    return Erratum(
        "Eq. 17",
        "sum of all sizes, bins of three cases and of one",
        -float(share @ log),
        float(few.size.sum()),
        "The weight is P_k / sum of P, for P_k the share of true events in a bin; here it is N*_k /"
        " sum of N*, for N*_k their number. In bins that are equally full, which are the paper's, "
        "the two are the same, and sizes sum to -ln of the accuracy. Here they do so in all bins. "
        "(Sizes have a minus sign here, so that they are positive.)",
        -math.log(few.means.mean_probability),
    )


def _weights() -> Iterator[Erratum]:
    why = (
        f"{N:,} cases in ten bins with equally many cases. Every bin weighs 1/B, which is right if "
        "bins hold equally many true events; here they weigh by these. The paper notes that its "
        "figures were made otherwise; their bins are 0.01 wide."
    )
    equal, true = _overall("gaussian", "equal"), _overall("gaussian", "true")
    what = "source probability of the right normal model, ten bins"
    yield Erratum("Eq. 19", what, equal[1], true[1], why)
    equal, true = _overall("tail over", "equal"), _overall("tail over", "true")
    what = "P_div of the over-confident tail, ten bins"
    yield Erratum("Eqs. 18, 19", what, equal[0] / equal[1], true[0] / true[1], why)


def _overall(case: str, weights: str) -> tuple[float, float]:
    """Return the accuracies of model and source that bins are averaged to."""
    found = source_table(_sample(case, 0), source=TEN).overall(weights)  # type: ignore[arg-type]
    return found.model.mean_probability, found.source.mean_probability


def _sample(case: str, seed: int) -> Tally:
    drawn = nelson(N, case, rng=seed)
    return Tally.from_arrays(drawn.y, drawn.p)


@cache
def _divergence() -> tuple[Erratum, Erratum]:
    """Look at P_div in bins; always of the same data, so once is enough."""
    largest = Erratum(
        "Section 7",
        "P_div, at most (here: 0.1 and no event, 0.9 and one, one bin)",
        1,
        means(Tally.from_counts([0.1, 0.9], [1, 1], [0, 1]), source=EqualCount(bins=1)).divergence,
        "Stated as always below one. It is at most one, given the forecast or with isotonic "
        "recalibration; with bins it may be more, since what forecasts say within a bin is lost.",
    )
    found = [_sample("gaussian", seed) for seed in range(RUNS)]
    isotonic = sum(means(t).divergence <= 1 for t in found)
    count = Erratum(
        "Section 7",
        f"samples of {RUNS} with P_div above 1, ten bins",
        0,
        sum(means(t, source=TEN).divergence > 1 for t in found),
        f"{N:,} cases each, the model being right. With isotonic recalibration P_div is at most 1 "
        f"in {isotonic} of them.",
    )
    return largest, count


HALVES = (0.5, 0.5, 0.5, 0.5)
# One surprise among three near-certainties.
SURPRISE = (0.99, 0.99, 0.99, 0.2)
PRINTED_COUPLING = 0.095
SETS = 60


def misprints(cases: Mapping[str, PopulationCase]) -> Iterator[Erratum]:
    """Compute what follows from the text as extracted, and what is right, in its order."""
    yield from _spreads()
    yield _renyi()
    yield _density()
    yield from _compact()
    yield from _references()
    yield _bins()
    yield from _figures(cases)


def _spreads() -> Iterator[Erratum]:
    log, found = np.log(HALVES), log_spread(SURPRISE)
    inner = float(np.mean(log**2 - log.mean()))
    right = (
        "exp(sd) or exp(-sd), sd the root of (mean of (ln p)^2 - (mean of ln p)^2)",
        log_spread(HALVES).factor,
    )
    what = "fluctuation of four probabilities of 1/2"
    yield formula(
        "Eq. 10",
        f"{what}, root inside",
        1.0,
        ("exp of the root of (mean of (ln p)^2 - mean of ln p)", math.exp(math.sqrt(inner))),
        right,
    )
    sign = (
        f"{right[0]}. The missing square is an error, where the root sits is notation. The ratio "
        "below Eq. 10 is right with exp(-sd), and a product with exp(sd): of 0.99, 0.99, 0.99, 0.2 "
        f"either is {found.upper:.3f}, above 1 as the paper says, and the mean divided by exp(sd) "
        f"is {found.lower:.3f}."
    )
    yield formula(
        "Eq. 10",
        f"{what}, root outside",
        1.0,
        ("root of exp(mean of (ln p)^2 - mean of ln p)", math.sqrt(math.exp(inner))),
        (sign, right[1]),
    )


def _renyi() -> Erratum:
    logs = (math.log(p**ROBUSTNESS / len(HALVES)) for p in HALVES)
    return formula(
        "Eq. 12",
        "mean of power -2/3 of four probabilities of 1/2",
        0.5,
        ("sum of logarithms", math.exp(sum(logs) / ROBUSTNESS)),
        (
            "logarithm of the sum, as in Eq. 13, whose last n is N",
            generalized_mean(HALVES, ROBUSTNESS),
        ),
    )


def _density() -> Erratum:
    def printed(x: Column) -> Column:
        return (1 + x**2 / 2) ** 1.5

    return Erratum(
        "Eq. 14",
        "share of the mass within one scale, coupling 1/2",
        _integral(printed, 1.0) / _integral(printed, 1e4),
        _integral(CoupledGaussian(coupling=0.5).density, 1.0),
        "As extracted, the exponent has no minus sign, and with a positive coupling the density "
        "grows without bound; the share is then of the mass within 10,000 scales. The sign may "
        "have been lost on the way and be there in the article.",
        # Student's t distribution with two degrees of freedom.
        1 / math.sqrt(3),
    )


@cache
def _compact() -> tuple[Erratum, ...]:
    """Fit and try the compact model with both signs; always the same, so once is enough."""
    couplings = (PRINTED_COUPLING, -PRINTED_COUPLING)
    rng = np.random.default_rng(0)
    printed, right = study(COVARIANCES, SETS, rng, couplings, dimensions=(2,))
    why = (
        "As extracted, the coupling is 0.095, which has heavy tails and never gives a 0. It is to "
        "be -0.095, just above -1/10, the least that ten dimensions allow; this sign, too, may be "
        "there in the article."
    )
    return tuple(
        Erratum(
            "Figure 1c",
            f"{what} of the compact model, two dimensions",
            getattr(printed, name),
            getattr(right, name),
            why,
        )
        for what, name in (("accuracy", "mean_probability"), ("share of zeros", "zeros"))
    )


def _references() -> Iterator[Erratum]:
    yield Erratum(
        "Figure 2, caption",
        "number of the figure that shows its model and source",
        1,
        3,
        "Figure 1 is about ten dimensions.",
    )
    yield Erratum(
        "Section 4",
        "number of the figure with the panels c) and d)",
        2,
        3,
        "The text refers to panels of Figure 2, which has none; they are those of Figure 3.",
    )


def _bins() -> Erratum:
    half = source_table(Tally.from_counts([0.5], [4], [2]), source=EqualCount(bins=1))
    return formula(
        "Eq. 18",
        "mean of power -2/3 of forecasts of 1/2",
        0.5,
        (
            "the mean over bins of (mean of q^m)^(1/m), to the power 1/m",
            float(np.mean(half.robustness)) ** (1 / ROBUSTNESS),
        ),
        ("that of (mean of q^m), to the power 1/m", half.overall().model.robustness),
    )


def _figures(cases: Mapping[str, PopulationCase]) -> Iterator[Erratum]:
    under, tail = cases["mean 1"], cases["tail over"]
    yield Erratum(
        "Below Eq. 19",
        "angle of the under-confident model of Figure 5a",
        90 - under.angle,
        under.angle,
        "Marks are said to be at (model, source). Text and figures have the source to the right "
        "and the model up, and only so are angles above 45 degrees a sign of over-confidence.",
    )
    angle = {variance: cases[f"variance {variance:g}"].angle for variance in (0.5, 2.0)}
    yield Erratum(
        "Figure 6, caption",
        "variance that is over-confident",
        2.0,
        max(angle, key=lambda variance: angle[variance]),
        f"A slip of b): variance 2 is under-confident, with an angle of {angle[2.0]:.1f}, and that "
        f"of a), 0.5, over-confident, with {angle[0.5]:.1f}. The angles are as the paper has them.",
    )
    yield Erratum(
        "Section 6",
        "accuracy of Figure 7",
        tail.source.mean_probability,
        tail.model.mean_probability,
        "Said to be measured by the source probability, with p for what the model reports; it is "
        "by the model probability, and p is that of the source, as everywhere else in the paper.",
    )


def _integral(f: Callable[[Column], Column], reach: float) -> float:
    """Integrate from minus to plus a number."""
    node, weight = np.polynomial.legendre.leggauss(60)
    return float(reach * (weight @ f(reach * node)))


REMARK_RUNS = 20
SOME, CLASSES, BINS = 1000, 3, 20
TRUTH = 0.7


@dataclass(frozen=True)
class Remark:
    """What a reader of the paper may want to know, and is no mistake.

    Attributes
    ----------
    where, text : str
        The place in the paper, and the remark.
    numbers : dict of str to float
        Those that the text quotes, by what they are.
    """

    where: str
    text: str
    numbers: Mapping[str, float] = field(default_factory=dict)


def remarks(cases: Mapping[str, PopulationCase]) -> Iterator[Remark]:
    """Make all remarks, in the order of the paper."""
    yield _error_bars(cases)
    yield _couplings()
    yield _separate()
    yield Remark(
        "Eq. 15",
        "The sum runs to N_k and is divided by N_k, which is not defined; N_jk and N*_jk are, "
        "below Eq. 16. As the sum is over true events, N_k is taken for their number, the sum of "
        "N*_jk over classes.",
    )
    yield Remark(
        "Eqs. 18, 19",
        "At m = 0, which is not written out, they are limits: exp of the mean of logarithms, as in "
        "Eq. 15.",
    )
    yield _amplitude(cases["prior 0.8"])
    yield _angle(cases)
    yield Remark(
        "Section 7",
        "The arithmetic mean less its bias is the quadratic score: with t for the probability of "
        "what happened, that is 2t - sum of q^2 over all classes. If forecasts are calibrated, t "
        "and the sum have the same mean.",
    )


def _error_bars(cases: Mapping[str, PopulationCase]) -> Remark:
    best = {m: _best_report(m) for m in (1.0, ROBUSTNESS, 0.0)}
    under, over = cases["mean 1"], cases["tail over"]
    robust = under.model.robustness / under.source.robustness
    decisive = over.model.decisiveness / over.source.decisiveness
    return Remark(
        "Section 3",
        "The arithmetic and the -2/3 mean are error bars there, and are not called proper. Should "
        f"somebody optimise them: if the truth is {TRUTH}, the best report is {best[1.0]:.2f} by "
        f"the arithmetic mean, {best[ROBUSTNESS]:.2f} by the -2/3 mean and {best[0.0]:.2f} by the "
        "geometric one. Nor is a ratio of model to source at these powers a divergence: without "
        f"any bins it is {robust:.3f} at -2/3 for Figure 5a, and {decisive:.3f} at 1 for Figure 7.",
        {
            "best report by the arithmetic mean": best[1.0],
            "best report by the -2/3 mean": best[ROBUSTNESS],
            "best report by the geometric mean": best[0.0],
            "ratio at -2/3, Figure 5a": robust,
            "ratio at 1, Figure 7": decisive,
        },
    )


def _best_report(m: float) -> float:
    """Look for the report of an event that has the highest mean of a power."""
    report = np.linspace(0, 1, 101)
    found = [generalized_mean([q, 1 - q], m, [TRUTH, 1 - TRUTH]) for q in report]
    return float(report[np.argmax(found)])


def _couplings() -> Remark:
    entropy = [coupling_from_power(m, convention="entropy") for m in (ROBUSTNESS, 1)]
    risk = [coupling_from_power(m, convention="risk") for m in (ROBUSTNESS, 1)]
    other = power_from_coupling(conjugate_coupling(entropy[1]), convention="entropy")
    return Remark(
        "Eq. 11",
        "Right for entropies, m = q - 1. What leads from it to the powers -2/3 and 1 is not "
        f"stated. By Eq. 11 they would belong to couplings of {entropy[0]:.3g} and "
        f"{entropy[1]:.3g}, and the conjugate of 1, with -k/(1 + dk), would be {other:.3g}. With "
        f"the opposite sign, m = -2k/(1 + dk), they belong to {risk[0]:.3g} and {risk[1]:.3g}, "
        "which are conjugate. That this is how -2/3 was chosen is inferred.",
        {
            "coupling of -2/3 by Eq. 11": entropy[0],
            "coupling of 1 by Eq. 11": entropy[1],
            "power conjugate to 1 by Eq. 11": other,
            "coupling of -2/3, opposite sign": risk[0],
            "coupling of 1, opposite sign": risk[1],
            "coupling conjugate to that of -2/3, opposite sign": conjugate_coupling(risk[0]),
        },
    )


@cache
def _separate() -> Remark:
    """Bin calibrated forecasts; always the same ones, so once is enough."""
    rng = np.random.default_rng(0)
    found = float(np.mean([_log_divergence(rng) for _ in range(REMARK_RUNS)]))
    expected = -BINS * (CLASSES - 1) / (2 * SOME)
    return Remark(
        "Section 4, step 1",
        "To sort classes apart is harmless among all cases there are, and of two classes the same "
        "as to sort the event alone. In samples bins fit noise: M classes in B bins each, of n "
        f"cases, have a mean ln P_div of about -B (M - 1) / (2n). {CLASSES} calibrated classes, "
        f"{SOME:,} cases, {BINS} bins: {found:.3f}, and {expected:.3f} by the formula; what "
        "differs within bins adds a little.",
        {"mean ln P_div": found, "by the formula": expected},
    )


def _log_divergence(rng: np.random.Generator) -> float:
    """Draw calibrated forecasts of several classes, and bin each class apart."""
    p = rng.dirichlet(np.ones(CLASSES), SOME)
    y = np.sum(np.cumsum(p, axis=1) < rng.random((SOME, 1)), axis=1)
    return math.log(means(Cases(y, p), source=EqualCount(bins=BINS)).divergence)


def _amplitude(case: PopulationCase) -> Remark:
    return Remark(
        "Section 5",
        "An error of amplitude is announced and not among the figures. Here a model has a prior of "
        f"0.8 instead of 0.5: P_div {case.divergence:.3f}, angle {case.angle:.1f}.",
        {"P_div": case.divergence, "angle": case.angle},
    )


def _angle(cases: Mapping[str, PopulationCase]) -> Remark:
    right, biased = cases["perfect"], cases["prior 0.8"]
    before, after = right.model.decisiveness, biased.model.decisiveness
    return Remark(
        "Section 7",
        "Over-confidence has an angle above 45 degrees, in all figures. The converse has a limit: "
        f"a bias gives such an angle too, {biased.angle:.1f} with the prior of 0.8, and there the "
        f"arithmetic mean does not rise but falls, from {before:.3f} to {after:.3f}.",
        {"angle": biased.angle, "before": before, "after": after},
    )


@dataclass(frozen=True)
class NelsonErrata(Table):
    """Misprints, what changes numbers, and remarks.

    Attributes
    ----------
    misprints : tuple of Erratum
        Numbers as they follow from the text that was read, and as they are.
    changes : tuple of Erratum
        Numbers by the paper's weights, or as it bounds them, and as they are here.
    remarks : tuple of Remark
        What is left open, and limits.
    """

    misprints: tuple[Erratum, ...]
    changes: tuple[Erratum, ...]
    remarks: tuple[Remark, ...]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a number; a remark without numbers has one entry."""
        found: dict[str, list[Any]] = plain(columns_of(self._rows()))
        return found

    def _rows(self) -> Iterator[dict[str, Any]]:
        for group in ("misprints", "changes"):
            yield from ({"group": group} | vars(row) for row in getattr(self, group))
        for remark in self.remarks:
            yield from _entries(remark)

    def __str__(self) -> str:
        """Print the three groups, one after the other."""
        return section(
            "Errata: misprints, what changes numbers, and remarks",
            prose("Misprints, each with a number that tells what is printed from what is meant:"),
            Errata(self.misprints).table(),
            "",
            prose("What changes numbers: the paper's procedure, and what is done here:"),
            *_lines(self.changes),
            "",
            "Remarks and limits:",
            *(_hanging(f"{remark.where}: {remark.text}") for remark in self.remarks),
        )


def errata(cases: Mapping[str, PopulationCase]) -> NelsonErrata:
    """Compute all numbers, some of them from all cases there are."""
    return NelsonErrata(tuple(misprints(cases)), tuple(changes()), tuple(remarks(cases)))


def _lines(rows: tuple[Erratum, ...]) -> Iterator[str]:
    """Lay out numbers with their reason below, one that several share below the last."""
    numbers = [
        [f"{row.where}: {row.what}", f"{row.printed:.6g}", f"{row.right:.6g}"] for row in rows
    ]
    head, *lines = table(["", "paper", "here"], numbers).splitlines()
    yield head
    following = [*(row.why for row in rows[1:]), None]
    for line, row, other in zip(lines, rows, following, strict=True):
        yield line
        if row.why != other:
            yield _indented(row.why)


def _entries(remark: Remark) -> Iterator[dict[str, Any]]:
    """Give every number of a remark an entry of its own, with nothing printed beside it."""
    numbers: Mapping[str, float | None] = remark.numbers or {"": None}
    for what, number in numbers.items():
        yield {
            "group": "remarks",
            "where": remark.where,
            "what": what,
            "printed": None,
            "right": number,
            "why": remark.text,
            "value": None,
        }


def _hanging(text: str) -> str:
    first, *rest = prose(text).splitlines()
    return "\n".join([first, *(f"  {line}" for line in rest)])


def _indented(text: str) -> str:
    return textwrap.indent(prose(text), "  ")
