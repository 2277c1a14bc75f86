"""Maps of other packages: whatever has `fit` and `predict`."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

import numpy as np

from properly._boundary._arrays import check_forecasts
from properly._boundary._libraries import to_library_of, to_numpy
from properly.errors import ArgumentTypeError, DataError
from properly.recalibration._map import Map, Monotone
from properly.recalibration._training import (
    Sample,
    Training,
    require_both_outcomes,
)

if TYPE_CHECKING:
    from properly.counts._tally import Tally
    from properly.typing import Array


@dataclass(frozen=True, eq=False, repr=False)
class Foreign(Map):
    """A map of another package, to be judged like others.

    `fit` learns a copy of the model: ``model.fit(x, y, sample_weight)`` gets each distinct forecast
    with the event and without it, and how often that was. Tensors have no gradients.

    Parameters
    ----------
    model : object
        Anything with ``fit(x, y, sample_weight)`` and ``predict(x)``, such as
        ``sklearn.isotonic.IsotonicRegression``.

    Notes
    -----
    It cannot be saved, since a file of a map has nothing in it to run.

    Examples
    --------
    >>> from properly.recalibration import Foreign
    >>> class Half:
    ...     def fit(self, x, y, sample_weight):
    ...         return self
    ...     def predict(self, x):
    ...         return x / 2
    >>> Foreign(Half()).fit([0, 1, 0, 1] * 10, [0.2, 0.4, 0.6, 0.8] * 10).at([0.5])
    array([0.25])
    """

    kind: ClassVar[str] = "foreign"
    model: Any = None

    def __post_init__(self) -> None:
        lacking = [name for name in ("fit", "predict") if not callable(self._method(name))]
        if lacking or isinstance(self.model, type):
            what = f"no {lacking[0]}" if lacking else "a class, not a model"
            message = f"a foreign map needs fit(x, y, sample_weight) and predict(x); got {what}"
            raise ArgumentTypeError(message)

    def _method(self, name: str) -> Any:
        return getattr(self.model, name, None)

    def _fit(self, tally: Tally) -> Self:
        sample = Sample.of(tally)
        require_both_outcomes(sample)
        weight = np.concatenate([sample.weight - sample.events, sample.events])
        used, y = weight > 0, np.repeat([0.0, 1.0], len(sample.value))
        model = deepcopy(self.model)
        model.fit(np.tile(sample.value, 2)[used], y[used], sample_weight=weight[used])
        ends = (float(sample.value[0]), float(sample.value[-1]))
        return replace(self, model=model, range=ends, training=Training.of(tally), gain=None)

    @property
    def monotone(self) -> Monotone:
        """Whether larger forecasts stay larger: nobody knows."""
        return False

    def mapped(self, p: Array) -> Array:
        made = np.asarray(self.model.predict(to_numpy(p)), dtype=np.float64)
        if made.shape != tuple(p.shape):
            message = "a foreign map must predict one number for each forecast; got shape "
            message += f"{made.shape} for {tuple(p.shape)}"
            raise DataError(message)
        return to_library_of(check_forecasts(made, "recalibrated forecasts"), p)

    def to_dict(self) -> NoReturn:
        """Refuse: a file of a map has nothing in it to run."""
        message = f"a foreign map cannot be saved; got one of {type(self.model).__name__}"
        raise DataError(message, hint="Logistic, Beta, Isotonic and VennAbers can.")

    def __repr__(self) -> str:
        return f"Foreign({type(self.model).__name__})"
