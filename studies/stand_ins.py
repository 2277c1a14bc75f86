"""Frameworks that are not installed, so far as their doors need them to be documented.

Whatever is asked of one is a class that can be inherited from, and that returns what it decorates.
Sphinx's own mocks are no classes, and array libraries ask whether an array is one of torch's.
"""

from __future__ import annotations

import inspect
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


class Anything(type):
    """The type of classes that have every attribute."""

    def __getattr__(cls, name: str) -> Any:
        return anything(name)

    @property
    def __signature__(cls) -> inspect.Signature:
        """Return how a class that inherits from one is made."""
        found = inspect.signature(type.__getattribute__(cls, "__init__"))
        return found.replace(parameters=list(found.parameters.values())[1:])

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Return what is decorated, with arguments or without."""
        return args[0] if len(args) == 1 and callable(args[0]) and not kwargs else cls


def anything(name: str) -> Any:
    """Make a class of that name; names with underscores around them are the language's own."""
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything(name, (), {})


class StandIn(ModuleType):
    """A module that has every attribute."""

    def __getattr__(self, name: str) -> Any:
        return anything(name)


class StandIns(MetaPathFinder, Loader):
    """Finds modules of some frameworks, and what lies below them."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = frozenset(names)

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:  # noqa: ARG002
        """Claim what belongs to the frameworks."""
        mine = fullname.partition(".")[0] in self.names
        return ModuleSpec(fullname, self, is_package=True) if mine else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Make a stand-in."""
        return StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Leave it empty."""


def put_up(names: Sequence[str]) -> None:
    """Let those frameworks be imported that are not installed."""
    sys.meta_path.append(StandIns([name for name in names if find_spec(name) is None]))
