"""scikit-learn: rules as metric functions and as scorers, and curves as displays.

Metric functions take ``y_true`` and ``y_proba`` as those of scikit-learn do. Scorers go wherever
``scoring=`` is: they ask for probabilities, have the right sign, know the classes of the estimator
and take sample weights. Displays draw curves of an estimator, of predictions or of all folds of a
cross-validation. Needs the extra ``sklearn``, and displays the extra ``plots``.
"""

from lazy_loader import attach_stub

from properly._boundary._notices import import_extra

import_extra("sklearn", extra="sklearn")

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
