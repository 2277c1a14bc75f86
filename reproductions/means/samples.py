"""Figures 2 to 7 from samples: how far the numbers of ten thousand cases are off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from properly._boundary._record import columns_of, plain
from properly._boundary._text import table
from properly.counts import Tally
from properly.decisions import predicted_roc_curve, roc_curve
from properly.probability import means
from properly.probability._power_means import POWERS
from reproductions.means.coupled import nelson
from reproductions.tables import Table, prose, section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np

    from properly.probability import Means
    from reproductions.means.population import PopulationCase


# Random draws, by which the bias of a divergence is told.
DRAWS = 50


@dataclass(frozen=True, eq=False)
class SampleCase:
    """A sample beside all cases there are.

    Attributes
    ----------
    tally : Tally
        The sample.
    means : Means
        With standard errors; the source is isotonic.
    auc, predicted_auc : float
        The area under the ROC curve, and that under the one that the forecasts promise.
    population : PopulationCase
        All cases there are.
    """

    tally: Tally
    means: Means
    auc: float
    predicted_auc: float
    population: PopulationCase

    def off(self) -> dict[str, float]:
        """Return by how many standard errors the three means are off."""
        intervals = self.means.intervals
        assert intervals is not None  # noqa: S101 - they were asked for
        return {
            name: (getattr(self.means, name) - getattr(self.population.model, name))
            / getattr(intervals.standard_errors, name)
            for name in POWERS
        }

    def columns(self) -> dict[str, Any]:
        """Return every number by name, those of the population after those of the sample."""
        found, whole = self.means, self.population
        assert found.intervals is not None  # noqa: S101 - they were asked for
        each = {}
        for name in POWERS:
            each[name] = getattr(found, name)
            each[f"{name}_error"] = getattr(found.intervals.standard_errors, name)
            each[f"{name}_population"] = getattr(whole.model, name)
        return each | {
            "divergence": found.divergence,
            "corrected_divergence": found.intervals.corrected_divergence,
            "log_divergence_error": found.intervals.log_divergence_error,
            "divergence_population": whole.isotonic_divergence,
            "angle": found.angle,
            "angle_population": whole.isotonic_angle,
            "auc": self.auc,
            "auc_population": whole.limited_auc,
            "predicted_auc": self.predicted_auc,
            "predicted_auc_population": whole.weighed_auc,
        }


@dataclass(frozen=True, eq=False)
class SampleTable(Table):
    """Samples of fifteen models beside all cases there are.

    Attributes
    ----------
    cases : dict of str to SampleCase
        By name, as in `reproductions.means.coupled.NELSON_CASES`.
    n : int
        Cases of each sample.
    """

    cases: Mapping[str, SampleCase]
    n: int

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a model."""
        rows = [{"case": name} | case.columns() for name, case in self.cases.items()]
        found: dict[str, list[Any]] = plain(columns_of(rows))
        return found

    def __str__(self) -> str:
        """Print both tables."""
        far = [abs(z) for case in self.cases.values() for z in case.off().values()]
        below = sum(z < 1.96 for z in far)
        return section(
            "Figures 2 to 7: the same from samples",
            prose(
                f"{self.n:,} cases each. ±: standard error; off: how many of these the sample",
                "is away from what is found without chance, above.",
            ),
            *self._means(),
            prose(
                f"{below} of {len(far)} are within 1.96 standard errors. The three of a case",
                "come from the same forecasts, and are no three findings.",
            ),
            "",
            *self._rest(),
            prose(
                "The source of a sample is isotonic, and fits noise too: P_div is too low,",
                "which shows most where it should be 1. Corrected: without this bias, ± the",
                "standard error if the source were known; whole: without chance. Areas are",
                "with the limit; weighed: the predicted one, as above.",
            ),
        )

    def _means(self) -> Iterator[str]:
        rows = []
        for name, case in self.cases.items():
            found = case.columns()
            told = [name]
            for mean, z in case.off().items():
                told += [f"{found[mean]:.4f} ± {found[f'{mean}_error']:.4f}", f"{z:+.1f}"]
            rows.append(told)
        yield table(["", *("Dec", "off"), *("Acc", "off"), *("Rob", "off")], rows)

    def _rest(self) -> Iterator[str]:
        head = ["", "P_div", "corrected", "whole", "angle", "whole", "AUC", "whole"]
        rows = []
        for name, case in self.cases.items():
            found = case.columns()
            corrected, error = found["corrected_divergence"], found["log_divergence_error"]
            areas = ("auc", "auc_population", "predicted_auc", "predicted_auc_population")
            rows.append(
                [
                    name,
                    f"{found['divergence']:.4f}",
                    f"{corrected:.4f} ± {corrected * error:.4f}",
                    f"{found['divergence_population']:.4f}",
                    *(f"{found[x]:.1f}" for x in ("angle", "angle_population")),
                    *(f"{found[x]:.3f}" for x in areas),
                ]
            )
        yield table([*head, "weighed", "whole"], rows)


def sample(name: str, n: int, whole: PopulationCase, rng: np.random.Generator) -> SampleCase:
    """Draw a sample of one model, and average."""
    drawn = nelson(n, name, rng=rng)
    t = Tally.from_arrays(drawn.y, drawn.p)
    found = means(t, interval=True, replicates=DRAWS, rng=rng)
    return SampleCase(t, found, roc_curve(t).area, predicted_roc_curve(t).area, whole)
