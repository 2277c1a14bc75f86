"""Curves of models, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


Curve = TypeVar("Curve")


class Curves(Mapping[str, Curve], Generic[Curve]):
    """Curves by model, made from the counts, or the cases, whenever one is asked for.

    Those of very many forecasts together take several times the memory of the data: they are kept
    only if `keep` says so. The counts of tensors stay on their device.
    """

    def __init__(
        self, make: Callable[[Any], Curve], tallies: Mapping[str, Any], *, keep: bool = False
    ) -> None:
        self._make, self._tallies = make, tallies
        self._kept: dict[str, Curve] | None = {} if keep else None

    def __getitem__(self, name: str) -> Curve:
        """Make the curve of a model."""
        if self._kept is None:
            return self._make(self._tallies[name])
        if name not in self._kept:
            self._kept[name] = self._make(self._tallies[name])
        return self._kept[name]

    def __contains__(self, name: object) -> bool:
        """Tell whether there is such a model, without making its curve."""
        return name in self._tallies

    def __iter__(self) -> Iterator[str]:
        """Go through the names of the models."""
        return iter(self._tallies)

    def __len__(self) -> int:
        """Count the models."""
        return len(self._tallies)

    def __repr__(self) -> str:
        return repr(dict(self))
