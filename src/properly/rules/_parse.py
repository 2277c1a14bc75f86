"""Rules as text: read from a name or a call, and their scores as sentences have them."""

from __future__ import annotations

import ast
import difflib
import inspect
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from properly._boundary._text import percent
from properly.errors import ArgumentTypeError, DataError
from properly.rules._combinators import Bounded, Regret
from properly.rules._interval import Interval
from properly.rules._ranked_probability import Ranked
from properly.rules._registry import ALSO, REGISTRY, SCORE_WORDS
from properly.rules._rule import Rule
from properly.rules._threshold import BetaWeighted, Elementary

# Longer texts are no rules, and might be nested more deeply than Python can bear.
LONGEST = 2000


def parse_rule(text: str) -> Rule:
    """Read a rule from text.

    Parameters
    ----------
    text : str
        A name of `properly.rules`, small or capital, with or without hyphens and underscores, such
        as ``"brier"``, ``"ranked-log"`` or ``"sa-rps"``; or a call of one, whose arguments are
        numbers, words in quotes, True, False, None, tuples and lists of these, and rules.

    Returns
    -------
    Rule

    Notes
    -----
    The text is read, never run: nothing but rules can be called. What a rule of the library prints
    as is read as that rule.

    Examples
    --------
    >>> from properly.rules import parse_rule
    >>> parse_rule("sa-rps")
    SquaredAbsoluteRPS()
    >>> parse_rule("Bounded(Brier(), (0.05, 0.2))")
    Bounded(rule=Brier(), within=Interval(lower=0.05, upper=0.2), scale='mean')
    """
    if not isinstance(text, str):
        message = f"a rule is read from text; got {text!r}"
        raise ArgumentTypeError(message)
    if len(text) > LONGEST:
        message = f"the text of a rule has at most {LONGEST} characters; got {len(text)}"
        raise DataError(message)
    name = text.strip()
    if name[:1].isalpha() and name.replace("-", "_").isidentifier():
        return _as_rule(_make(name), text)
    try:
        return _as_rule(_value(_parsed(text), text), text)
    except RecursionError:
        raise _unreadable(text) from None


def _parsed(text: str) -> ast.expr:
    try:
        with warnings.catch_warnings():
            # What Python thinks of a text is not of interest: it is read or refused.
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise _unreadable(text) from None


def _value(node: ast.expr, text: str) -> Any:
    """Return what a part of the text stands for."""
    if isinstance(node, ast.Constant | ast.UnaryOp):
        with suppress(ValueError):
            value = ast.literal_eval(node)
            if isinstance(value, int | float | str | None):
                return value
    if isinstance(node, ast.Tuple):
        return tuple(_value(part, text) for part in node.elts)
    if isinstance(node, ast.List):
        return [_value(part, text) for part in node.elts]
    if isinstance(node, ast.Name):
        return _make(node.id)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        named = {word.arg: _value(word.value, text) for word in node.keywords if word.arg}
        if len(named) == len(node.keywords):
            return _make(node.func.id, *(_value(part, text) for part in node.args), **named)
    raise _unreadable(text, ast.unparse(node))


def _make(name: str, *values: Any, **named: Any) -> Any:
    """Call what has this name, with the arguments that were read."""
    maker = _maker(name)
    try:
        inspect.signature(maker).bind(*values, **named)
    except TypeError as error:
        message = f"{maker.__name__} takes {_signature(maker)}; {error}"
        raise DataError(message) from None
    return maker(*values, **named)


def _maker(name: str) -> Callable[..., Any]:
    makers = _makers()
    plain = _plain_name(name)
    if plain in makers:
        return makers[plain]
    near = difflib.get_close_matches(plain, makers, n=3)
    shown = ", ".join(dict.fromkeys(makers[word].__name__ for word in near))
    message = f"a rule must have a name of properly.rules; got {_short(name)!r}"
    hint = f"did you mean one of {shown}?" if near else "names are such as Brier, Log, RPS."
    raise DataError(message, hint=hint)


def _makers() -> dict[str, Callable[..., Any]]:
    """Return all that may be called: the rules of the library, and the range that some need."""
    from properly import rules

    names = {name: entry.maker for entry in REGISTRY for name in (entry.name, entry.maker)} | ALSO
    makers: dict[str, Callable[..., Any]] = {"interval": Interval}
    return makers | {_plain_name(name): getattr(rules, maker) for name, maker in names.items()}


def _plain_name(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _signature(maker: Callable[..., Any]) -> str:
    """Write the names of arguments, those that may be left out in brackets."""
    parameters = inspect.signature(maker).parameters.values()
    names = [p.name if p.default is p.empty else f"[{p.name}]" for p in parameters]
    return f"({', '.join(names)})"


def _as_rule(value: object, text: str) -> Rule:
    if isinstance(value, Rule):
        return value
    raise _unreadable(text)


def _unreadable(text: str, part: str | None = None) -> DataError:
    where = "" if part in (None, text.strip()) else f", of which {part!r} is none"
    message = (
        f"a rule is a name or a call, of numbers, words and rules; got {_short(text)!r}{where}"
    )
    return DataError(message, hint='write "brier", "sa-rps" or "PBS(ties=\'any_correct\')".')


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


def rule_in_words(rule: Rule) -> str:
    """Name the score of a rule; a rule without a common name is written as a call."""
    if rule.name in SCORE_WORDS:
        return SCORE_WORDS[rule.name]
    if isinstance(rule, Bounded) and rule.scale == "mean":
        return f"{rule_in_words(rule.rule)} at {between(rule.within)}"
    if isinstance(rule, Regret) and (how := _weighted(rule.prior)) is not None:
        return f"mean regret at {between(rule.within)}{how}"
    if isinstance(rule, BetaWeighted | Elementary):
        at = isinstance(rule, Elementary) and f"at a threshold of {percent(rule.threshold)}"
        return f"regret {at}" if at else f"mean regret{_weighted(rule)}"
    if isinstance(rule, Ranked) and rule.normalized and rule.weights is None:
        return f"ranked {rule_in_words(rule.rule)}" if isinstance(rule.rule, Rule) else repr(rule)
    return repr(rule)


def _weighted(prior: object) -> str | None:
    """Say how thresholds are weighted; that all count alike goes without saying."""
    if isinstance(prior, BetaWeighted):
        return f", thresholds weighted as Beta({prior.alpha:g}, {prior.beta:g})"
    named = {"uniform": "", "logit": ", thresholds alike on log-odds"}
    return named.get(prior) if isinstance(prior, str) else None


def between(within: Interval) -> str:
    """Write a range: thresholds of 1 % to 10 %."""
    return f"thresholds of {percent(within.lower)} to {percent(within.upper)}"
