"""The kinds of maps, an entry each, which `recalibrate`, stored maps and the command line read.

A new map is a class in a file of this package, an entry here, and its name in ``__init__.pyi``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from properly.recalibration._map import Map

EVENT, CLASSES = ("event",), ("classes",)


class KnownMap(NamedTuple):
    """A kind of map.

    Attributes
    ----------
    kind : str
        Its name, in files and in calls: that of its class, in small letters.
    words : str
        What it is called in sentences.
    tasks : tuple of str
        What `recalibrate` fits it to by name: an "event", or "classes"; none if it needs arguments.
    usual : tuple of str
        The tasks in which it is tried unless a map is named.
    inner : str
        The kind of map that it has for each question, unless told otherwise.
    """

    kind: str
    words: str
    tasks: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()
    inner: str = ""

    @property
    def make(self) -> Any:
        """The class."""
        name = self.kind.title().replace("_", "")
        return getattr(import_module("properly.recalibration"), name)

    def new(self) -> Map:
        """Return a map that is yet to be fitted."""
        result: Map = self.make(KINDS[self.inner].new()) if self.inner else self.make()
        return result


# Simplest first: the first of those that are about as good is chosen.
KINDS = {
    one.kind: one
    for one in (
        KnownMap("identity", "no map", EVENT + CLASSES),
        KnownMap("intercept", "a shift of the log odds", EVENT, EVENT),
        KnownMap("temperature", "a temperature", EVENT + CLASSES, CLASSES),
        KnownMap("logistic", "a logistic map", EVENT, EVENT),
        KnownMap("beta", "a beta map", EVENT, EVENT),
        KnownMap("isotonic", "an isotonic map", EVENT, EVENT),
        KnownMap("venn_abers", "a Venn-Abers map", EVENT, EVENT),
        KnownMap("vector", "vector scaling", CLASSES, CLASSES),
        KnownMap("cuts", "a map of each cut", CLASSES, CLASSES, "logistic"),
        KnownMap("dirichlet", "a Dirichlet map", CLASSES, CLASSES),
        KnownMap("one_vs_rest", "an isotonic map of each class", CLASSES, CLASSES, "isotonic"),
        KnownMap("prior_shift", "a shift to another event rate"),
        KnownMap("group_shift", "one line of the log odds, shifted for each group"),
    )
}


def fitted_to(task: str) -> tuple[str, ...]:
    """Return the kinds that can be asked for by name, simplest first; no map is none of them."""
    return tuple(k for k, one in KINDS.items() if task in one.tasks and k != "identity")


def usual_maps(task: str) -> tuple[Map, ...]:
    """Return the maps that are tried unless one is named, simplest first."""
    return tuple(one.new() for one in KINDS.values() if task in one.usual)
