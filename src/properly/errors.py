"""What can go wrong, and what to catch.

::

    ProperlyError
    ├── DataError (ValueError)            a value that was handed in breaks a rule
    │   └── ImproperRuleError             a proper rule is needed, this one is not
    ├── ArgumentTypeError (TypeError)     an argument is of the wrong kind
    └── MissingExtraError (ImportError)   an optional dependency is not installed

    DataWarning (UserWarning)             a result without meaning, or an odd request: not refused

Every message states the rule, what was found and where, and, after a blank
line, a hint. Rows are counted from 0.
"""

from __future__ import annotations

__all__ = [
    "ArgumentTypeError",
    "DataError",
    "DataWarning",
    "ImproperRuleError",
    "MissingExtraError",
    "ProperlyError",
]


class ProperlyError(Exception):
    """Anything that `properly` refuses."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message}\n\nHint: {hint}")


class DataError(ProperlyError, ValueError):
    """A value that was handed in, as data or as an option, breaks a rule."""


class ImproperRuleError(DataError):
    """An evaluation that needs a proper rule was asked for with an improper one."""


class ArgumentTypeError(ProperlyError, TypeError):
    """An argument is of the wrong kind."""


class MissingExtraError(ProperlyError, ImportError):
    """An optional dependency is not installed.

    The message names the command that installs it.
    """


class DataWarning(UserWarning):
    """What was asked for can be computed, but hardly means what it seems to mean.

    Turn it into an error with ``warnings.simplefilter("error", DataWarning)``.
    """
