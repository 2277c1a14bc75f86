"""Whether a rule rewards saying what one believes."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection


class Propriety(enum.Enum):
    """Whether a rule rewards saying what one believes.

    Examples
    --------
    >>> from properly.rules import Brier, Misclassification
    >>> Brier().propriety
    <Propriety.STRICT: 'strictly proper'>
    >>> Misclassification().propriety
    <Propriety.PROPER: 'proper'>
    """

    STRICT = "strictly proper"
    """The true probability alone has the least expected loss."""

    PROPER = "proper"
    """No forecast beats the true probability, but some may equal it."""

    IMPROPER = "improper"
    """Some forecast beats the true probability."""

    @classmethod
    def least(cls, found: Collection[Propriety]) -> Propriety:
        """Return the weakest of several claims."""
        order = (cls.IMPROPER, cls.PROPER, cls.STRICT)
        return next(propriety for propriety in order if propriety in found)
