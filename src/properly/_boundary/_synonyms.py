"""What other libraries call an argument, and what it is called here."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from properly._boundary._text import read_words
from properly.errors import ArgumentTypeError, ProperlyError

P = ParamSpec("P")
R = TypeVar("R")


def with_argument_hints(function: Callable[P, R]) -> Callable[P, R]:
    """Say what to write in place of an argument that other libraries have."""

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        try:
            return function(*args, **options)
        except TypeError as error:
            name = _foreign(function, options)
            if name is None or isinstance(error, ProperlyError):
                raise
            called = function.__qualname__.removesuffix(".__init__")
            message = f"{called}() has no argument {name!r}"
        line = read_words("properly._boundary", "synonyms.toml")["arguments"][name]
        raise ArgumentTypeError(message, hint=f"write {line}.")

    return call


def _foreign(function: Callable[..., object], options: dict[str, object]) -> str | None:
    known = signature(function).parameters
    lines = read_words("properly._boundary", "synonyms.toml")["arguments"]
    return next((name for name in options if name in lines and name not in known), None)
