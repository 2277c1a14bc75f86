"""How good are probability forecasts, where do they go wrong, and which model is for me.

A rule prices one forecast; a tally counts what happened at each forecast; every evaluation is a
function of the two.
"""

from lazy_loader import attach_stub

__version__ = "0.1.0"

# Names are listed in __init__.pyi, and imported from their packages when they are first used.
_attribute, __dir__, __all__ = attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    try:
        return _attribute(name)
    except AttributeError:
        if door := _door_of(name):
            message = f"module 'properly' has no attribute {name!r}; it is in {door}"
            raise AttributeError(message, name=name) from None
        raise


def _door_of(name: str) -> str | None:
    """Return the door behind which a public name is found, if it is behind any."""
    from importlib import import_module
    from importlib.util import find_spec

    if name.startswith("_") or not name.isidentifier() or find_spec(f"properly.{name}"):
        return None
    doors = ("rules", "counts", "calibration", "decisions", "comparison", "probability")
    for door in (*doors, "inference", "evaluation", "engines", "datasets", "errors"):
        if name in import_module(f"properly.{door}").__all__:
            return f"properly.{door}"
    return None
