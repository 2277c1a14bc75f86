"""Curves of models, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Generic, TypeVar

from properly.counts._device import stays
from properly.counts._tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Curve = TypeVar("Curve")


class Curves(Mapping[str, Curve], Generic[Curve]):
    """Curves by model, made from the counts whenever one is asked for.

    Those of very many forecasts together take several times the memory of the data.
    """

    def __init__(self, make: Callable[[Tally], Curve], tallies: Mapping[str, Tally]) -> None:
        self._make = make
        # Tensors are left where they are, and only their curves are kept.
        self._sources: dict[str, Tally | Curve] = {
            name: make(tally) if stays(tally) else tally for name, tally in tallies.items()
        }

    def __getitem__(self, name: str) -> Curve:
        """Make the curve of a model."""
        source = self._sources[name]
        return self._make(source) if isinstance(source, Tally) else source

    def __contains__(self, name: object) -> bool:
        """Tell whether there is such a model, without making its curve."""
        return name in self._sources

    def __iter__(self) -> Iterator[str]:
        """Go through the names of the models."""
        return iter(self._sources)

    def __len__(self) -> int:
        """Count the models."""
        return len(self._sources)

    def __repr__(self) -> str:
        return repr(dict(self))
