"""The paper on consequences, table by table and figure by figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reproductions.decisions import breast_cancer, crash
from reproductions.decisions.assel import AsselTable, appendix_f
from reproductions.decisions.errata import TwoMeans, errata, two_means
from reproductions.decisions.figures import FIGURES, OWN
from reproductions.decisions.patients import PROCESSES
from reproductions.reproduction import Reproduction, Work, streams

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy as np

    from properly.typing import Progress
    from reproductions.decisions.breast_cancer import BreastCancer
    from reproductions.decisions.crash import CrashTable, Rescaled
    from reproductions.tables import Errata


# Simulated cases; in full, as many as in the paper.
QUICK, FULL = 100_000, 1_000_000
# Everything but Appendix F: two tables, one figure that has numbers, and the errata.
PARTS = 4
SURVEY = """\
Figures 1 and 7, a survey of which metrics 2,610 papers report (Appendix K), are left out:
they depend on the answers of a language model about texts that are not part of this package."""


@dataclass(frozen=True, eq=False, repr=False)
class ConsequentialistReproduction(Reproduction):
    """The tables and figures of the paper on consequences, computed again.

    ``print`` shows all of it beside the paper's numbers and claims.

    Attributes
    ----------
    appendix_f : dict of str to AsselTable
        Eight tests judged in seven ways, by process.
    table2 : BreastCancer
        The paper's four models with the baselines that it leaves out.
    crash : CrashTable
        The same questions, asked of forecasts that come with this package.
    figure4 : Rescaled
        The areas of a decision curve on three axes.
    errata : Errata
        Formulas as printed and as corrected.
    section5 : TwoMeans
        Two verdicts that the bounded Brier score and mean net benefit order differently.

    Examples
    --------
    >>> import reproductions as reproduce
    >>> r = reproduce.consequentialist()  # doctest: +SKIP
    >>> r.appendix_f["paper"].exact("NB 5 %")  # doctest: +SKIP
    """

    appendix_f: Mapping[str, AsselTable]
    table2: BreastCancer
    crash: CrashTable
    figure4: Rescaled
    errata: Errata
    section5: TwoMeans

    def size(self) -> str:
        """Say how many cases were simulated."""
        return f"{max(table.n for table in self.appendix_f.values()):,} simulated cases"

    def sections(self) -> list[object]:
        """Return Appendix F, a table a process, the other parts, and what is left out."""
        _, *others = self.parts.values()
        return [*self.appendix_f.values(), *others, SURVEY]


def consequentialist(
    data: str | Path | None = None,
    *,
    full: bool = False,
    output: str | Path | None = None,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> ConsequentialistReproduction:
    """Compute the tables and figures of the paper on consequences again.

    Parameters
    ----------
    data : str or Path, optional
        A CSV file of the forecasts behind Table 2: ``demo/data/bcsc.csv`` of the authors'
        repository briertools, or any with the columns ``cancer`` (0 or 1), ``logistic_minimal``,
        ``logistic_+_density``, ``xgboost`` and ``xgboost_2pct``. All of Table 2 is then computed
        from them, with paired differences, and Figures 2 and 3 are drawn of them as well.
    full : bool
        Simulate 1,000,000 cases for Appendix F, as the paper did: about half a minute. Else
        100,000: some seconds.
    output : str or Path, optional
        A folder for one picture a figure; made if it is not there. Needs the extra ``plots``.
    rng : int or numpy Generator
        A seed or a source of randomness.
    progress : callable, optional
        Called as ``progress(done, total, what)`` after each step.

    Returns
    -------
    ConsequentialistReproduction
        ``print`` it.

    Notes
    -----
    Where the paper leaves something open, or errs:

    * The process behind its Appendix F is not that of Assel et al., though it says so; both are
      done here, exactly and by simulation. The latter is one that fits their published numbers,
      but for the AUC.
    * Three of its printed roundings are coin flips: the exact numbers lie on a rounding edge.
    * Table 2 was computed over the thresholds 1.633 % to 2.913 %, with the risks 1.66 % and 3 %
      taken for odds, and without baselines. Without `data`, the numbers of its models are those
      that the forecasts published with it have; the baselines are computed.
    * Figures 2 to 4 are drawn from forecasts of death in car crashes, which are part of this
      package.
    * Formulas that are misprinted are listed, each with a number that tells it from the right one.

    The survey of papers in its Appendix K, with Figures 1 and 7, is not reproduced.

    References
    ----------
    .. [1] G. Flores, A. Schiff, A. H. Smith, J. A. Fukuyama, A. C. Wilson (2026). A
       consequentialist critique of binary classification evaluation: theory, practice, and tools.
       `arXiv:2504.04528 <https://arxiv.org/abs/2504.04528>`__
    .. [2] M. Assel, D. D. Sjoberg, A. J. Vickers (2017). The Brier score does not evaluate the
       clinical utility of diagnostic tests or prediction models. Diagnostic and Prognostic
       Research 1:19. `doi:10.1186/s41512-017-0020-3 <https://doi.org/10.1186/s41512-017-0020-3>`__

    Examples
    --------
    >>> import reproductions as reproduce
    >>> print(reproduce.consequentialist(output="pictures"))  # doctest: +SKIP
    """
    own = None if data is None else breast_cancer.read(data)
    work = Work(output, progress)
    figures = {name: make for name, make in FIGURES.items() if own or name not in OWN}
    work.plan(len(PROCESSES) + PARTS, figures)
    cases = FULL if full else QUICK
    result = ConsequentialistReproduction(
        {
            name: work.after(appendix_f(name, cases, stream), f"Appendix F, {name}")
            for name, stream in zip(PROCESSES, streams(rng, len(PROCESSES)), strict=True)
        },
        work.after(breast_cancer.table2(own), "Table 2"),
        work.after(crash.table2(), "Table 2 and Figures 2 and 3, on crashes"),
        work.after(crash.rescaled(), "Figure 4"),
        work.after(errata(), "errata"),
        two_means(),
    )
    return work.draw(result)
