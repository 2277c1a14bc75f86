"""Entropies as probabilities, and couplings as powers of means.

The coupling kappa of a distribution is one over the degrees of freedom of a Student t; 0 is
the normal distribution, and negative ones have compact support. In d dimensions it turns into the
power m of a mean in three ways, so that the convention must be named:

- "risk": m = -2 kappa / (1 + d kappa). Heavy tails belong to means that heed small probabilities;
  for d = 1 the powers -2/3 and 1 belong to 1/2 and -1/3, which are conjugate.
- "entropy": m = 2 kappa / (1 + d kappa), one less than the Tsallis order; Eq. 11 of [1]_.
- A coupling that is the power itself, as in [2]_, needs no conversion.

References
----------
.. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean of
   the model and source probabilities. Entropy 19:286.
   `doi:10.3390/e19060286 <https://doi.org/10.3390/e19060286>`__
.. [2] K. P. Nelson, B. J. Scannell, H. Landau (2011). A risk profile for information fusion
   algorithms. Entropy 13:1518-1532. `doi:10.3390/e13081518 <https://doi.org/10.3390/e13081518>`__
"""

from properly.probability._couplings import (
    conjugate_coupling,
    coupling_from_power,
    power_from_coupling,
    tsallis_from_coupling,
)
from properly.probability._entropies import (
    cross_entropy_probability,
    divergence_probability,
    entropy_probability,
    renyi_entropy,
    tsallis_entropy,
)
from properly.probability._log_spread import LogSpread, log_spread

__all__ = [
    "LogSpread",
    "conjugate_coupling",
    "coupling_from_power",
    "cross_entropy_probability",
    "divergence_probability",
    "entropy_probability",
    "log_spread",
    "power_from_coupling",
    "renyi_entropy",
    "tsallis_entropy",
    "tsallis_from_coupling",
]
