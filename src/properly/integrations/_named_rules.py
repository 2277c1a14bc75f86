"""Rules, each under the name that its score is logged by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from properly.errors import ArgumentTypeError, DataError
from properly.rules import Rule
from properly.rules._rule import as_rule, as_rules


def named_rules(
    rules: Rule | str | Iterable[Rule | str], names: str | Sequence[str] | None, prefix: str
) -> dict[str, Rule]:
    """Give each rule its name, or the one asked for, after a prefix."""
    result = tuple(require_rule(rule) for rule in as_rules(rules))
    if not result:
        message = "at least one rule is needed; got none"
        raise DataError(message)
    names = [rule.name for rule in result] if names is None else _as_names(names)
    if len(names) != len(result):
        message = f"names must have one name a rule; got {len(names)} for {len(result)}"
        raise DataError(message)
    named = {f"{prefix}{name}": rule for name, rule in zip(names, result, strict=True)}
    if len(named) < len(result):
        twice = next(name for name in names if names.count(name) > 1)
        message = f"rules must have different names; got {twice!r} twice"
        raise DataError(message, hint="names= gives them others.")
    return named


def one_name(rule: Rule | str, name: str | None) -> str:
    """Take the name asked for, or the rule's own."""
    usual = require_rule(rule).name
    if name is None:
        return usual
    if not isinstance(name, str) or not name:
        message = f"name must be text; got {name!r}"
        raise ArgumentTypeError(message)
    return name


def require_rule(rule: object) -> Rule:
    """Refuse what is neither a rule nor the name of one."""
    rule = as_rule(rule)
    if isinstance(rule, Rule):
        return rule
    message = f"this needs a rule of properly.rules; got {rule!r}"
    hint = 'write the rule with parentheses, as in Brier(), or its name, as in "brier".'
    raise ArgumentTypeError(message, hint=hint)


def _as_names(names: object) -> list[str]:
    listed = [names] if isinstance(names, str) else names
    if isinstance(listed, Iterable):
        result = list(listed)
        if all(isinstance(name, str) and name for name in result):
            return result
    message = f"names must be text, one a rule; got {names!r}"
    raise ArgumentTypeError(message)
