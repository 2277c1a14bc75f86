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
        message = f"module 'properly' has no attribute {name!r}{_hint_for(name)}"
        raise AttributeError(message, name=name) from None


def _hint_for(name: str) -> str:
    """Return what to write for a name of other libraries, where a name is, or what is near it."""
    from difflib import get_close_matches
    from importlib import import_module
    from importlib.util import find_spec

    from properly._boundary._text import read_words

    if name.startswith("_") or not name.isidentifier() or find_spec(f"properly.{name}"):
        return ""
    where = {each: f"properly.{each}" for each in __all__}
    for door in (each for each in __all__ if find_spec(f"properly.{each}")):
        names = getattr(import_module(f"properly.{door}"), "__all__", ())
        if name in names:
            return f"; it is in properly.{door}"
        where = {each: f"properly.{door}.{each}" for each in names} | where
    lines = read_words("properly._boundary", "synonyms.toml")["names"]
    if near := get_close_matches(name.lower(), lines, 1, 0.9):
        return f"; write {lines[near[0]]}"
    near = get_close_matches(name, where, 1, 0.75)
    return f"; did you mean {where[near[0]]}?" if near else ""
