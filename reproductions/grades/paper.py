"""The paper on ordered classes, example by example and table by table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from properly._boundary._options import check_flag
from reproductions.grades.examples import errata, examples, impropriety
from reproductions.grades.figures import FIGURES
from reproductions.grades.forecasts import read, severity, severity_cases
from reproductions.grades.retention import ABSENT, classifiers, ordered_classifiers, table1
from reproductions.grades.temperatures import temperatures, worst
from reproductions.reproduction import Reproduction, Work, seeds

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from properly.typing import Progress
    from reproductions.grades.examples import Examples, Impropriety
    from reproductions.grades.retention import Classifiers, OrderedClassifiers, RetentionTable
    from reproductions.grades.temperatures import Temperatures, Worst
    from reproductions.tables import Errata


# Resamples; the quick number is that of the paper.
QUICK, FULL = 50, 1000
# Everything but the user's own classifiers.
PARTS = 6


@dataclass(frozen=True, eq=False, repr=False)
class OrdinalReproduction(Reproduction):
    """Examples, table and figures of the paper on ordered classes, computed again.

    ``print`` shows all of it beside the paper's numbers and claims.

    Attributes
    ----------
    examples : Examples
        Equations 3 to 6 and Figures 1 and 2.
    errata : Errata
        Numbers as printed and as corrected.
    impropriety : Impropriety
        What sa-RPS prefers to an honest forecast.
    temperatures : Temperatures
        The temperature that each score chooses for forecasts of injuries.
    table1 : RetentionTable
        Table 1 and Figure 4, on these forecasts.
    classifiers : Classifiers, OrderedClassifiers or None
        Retention of the user's own classifiers; None without them.
    worst : Worst
        Figure 3 on the forecasts of injuries.

    Examples
    --------
    >>> import reproductions as reproduce
    >>> r = reproduce.ordinal()  # doctest: +SKIP
    >>> r.table1.difference("QWK", "sa-RPS", "RPS").clear  # doctest: +SKIP
    """

    examples: Examples
    errata: Errata
    impropriety: Impropriety
    temperatures: Temperatures
    table1: RetentionTable
    classifiers: Classifiers | OrderedClassifiers | None
    worst: Worst

    def size(self) -> str:
        """Say how many resamples and classifiers there are."""
        own = "no" if self.classifiers is None else str(len(self.classifiers.rows))
        return f"{self.table1.replicates:,} resamples, {own} classifiers"

    def sections(self) -> list[object]:
        """Return the parts, the errata last."""
        own = ABSENT if self.classifiers is None else self.classifiers
        first = (self.examples, self.impropriety, self.temperatures, self.table1)
        return [*first, own, self.worst, self.errata]


def ordinal(
    data: str | Path | None = None,
    *,
    ordered: bool = False,
    full: bool = False,
    output: str | Path | None = None,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> OrdinalReproduction:
    r"""Compute the examples, table and figures of the paper on ordered classes again.

    Parameters
    ----------
    data : str or Path, optional
        A folder of classifiers' outputs, one ``.npz`` file each, with an array ``scores`` (logits
        or logarithms of probabilities, one row a case and one column a class) and an array
        ``targets`` (class numbers, from 0). Nothing else in a file is read, and nothing is run.
    ordered : bool
        Whether their classes are in the order of the columns. Table 1 is then the paper's, with
        RPS, sa-RPS and QWK; else all errors cost the same.
    full : bool
        Take 1000 resamples for the areas: about half a minute. Else 50, as the paper did.
    output : str or Path, optional
        A folder for one picture a figure; made if it is not there. Needs the extra ``plots``.
    rng : int or numpy Generator
        A seed or a source of randomness.
    progress : callable, optional
        Called as ``progress(done, total, what)`` after each step.

    Returns
    -------
    OrdinalReproduction
        ``print`` it.

    Notes
    -----
    Where the paper leaves something open, or errs:

    * Its images and the forecasts of its network are not available. Table 1 and Figures 3 and 4
      are done on forecasts of injuries in car crashes, which are part of this package. Persons in
      one accident are not independent, so that the resamples of Table 1 are of whole accidents.
    * It states neither the cost behind its expected cost nor the range of its areas. The squared
      distance and 0 to 20 % in steps of 1 % fit its numbers best. Areas have their x axis in
      percent; the likeliest class is decided on, the lowest if there are several.
    * sa-RPS is improper for three classes or more: with :math:`\mu` and :math:`\sigma^2` the mean
      and variance of the class number, no report has an expected sum of squares below
      :math:`\sigma^2`, and the law on the two classes around :math:`\mu` that has this mean
      reaches it. `properly.rules.QuadraticRPS` is a strictly proper replacement.
    * To rank by a score is to look at the labels. The area of the expected cost is least if cases
      are removed by the cost of the decision itself, so it measures closeness to that cost and not
      merit. Beside it stands the area without labels, of `properly.decisions.rejection_scores`.
    * Numbers that are misprinted are listed, each with the right one.

    References
    ----------
    .. [1] A. Galdran (2023). Performance metrics for probabilistic ordinal classifiers. Medical
       Image Computing and Computer Assisted Intervention - MICCAI 2023.
       `arXiv:2309.08701 <https://arxiv.org/abs/2309.08701>`__

    Examples
    --------
    >>> import reproductions as reproduce
    >>> print(reproduce.ordinal(output="pictures"))  # doctest: +SKIP
    """
    own = None if data is None else read(data)
    judged = ordered_classifiers if check_flag(ordered, "ordered") else classifiers
    work = Work(output, progress)
    work.plan(PARTS + len(own or ()), FIGURES)
    # The user's classifiers do not change the other numbers.
    first, second = seeds(rng, 2)
    replicates, injuries = FULL if full else QUICK, severity()
    result = OrdinalReproduction(
        work.after(examples(), "Equations 3 to 6"),
        work.after(errata(), "errata"),
        work.after(impropriety(), "honest and best reports"),
        work.after(temperatures(injuries), "temperatures"),
        work.after(table1(injuries, replicates, first), "Table 1, injuries"),
        None if own is None else judged(own, replicates, second, work.step),
        work.after(worst(severity_cases()), "Figure 3"),
    )
    return work.draw(result)
