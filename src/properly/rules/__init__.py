"""Prices: rules that turn a forecast and an outcome into a loss.

Every rule is a frozen value that states its own facts: `propriety` and `range`, and, if it is for
one event, `weight` and `atoms`. All are losses, so lower is better. A `BinaryRule` prices the
probability of one event, a `ClassRule` the probabilities of several classes; `Brier`, `Log`,
`Spherical`, `Pseudospherical` and `Misclassification` do both.
"""

from lazy_loader import attach_stub

# A new rule goes into the file of its family: `_dual_rules` for events and classes, `_threshold`
# for one event; `_ranked_probability`, `_distance` and `_penalty` for classes; `_combinators` if it
# is made of other rules. The stub beside this file names it.
__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
