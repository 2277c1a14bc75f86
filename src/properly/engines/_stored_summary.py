"""A summary as words and columns that a file can hold, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from properly._boundary._archive import require
from properly.engines._exact import ScoreSums, keys_of
from properly.engines._group_labels import KINDS, plain_labels
from properly.engines._stored_counts import columns_of, stored_counts, text_of, total_of, words_of
from properly.errors import DataError
from properly.rules._parse import parse_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from properly.engines._digits import Column
    from properly.engines._summary import Summary
    from properly.rules import Rule

    Words = Mapping[str, Any]
    Columns = Mapping[str, Column]


def words_and_columns(summary: Summary) -> tuple[dict[str, Any], dict[str, Column]]:
    """Write a summary: what is common to all rows, then all rows, then each group."""
    sums, labels = summary.sums, summary.labels
    parts = [(None, summary), *summary.groups.items()]
    words = {
        "models": sums.models,
        "rules": [_text_of(rule) for rule in sums.rules],
        "clustered": sums.clustered,
        "labels": None if labels is None else plain_labels(labels),
        "parts": [{"group": label, **_words(part)} for label, part in parts],
    }
    columns = {
        f"{k}/{name}": column
        for k, (_, part) in enumerate(parts)
        for name, column in _columns(part).items()
    }
    return words, columns


def stored_summary(make: Callable[..., Summary], words: Words, columns: Columns) -> Summary:
    """Make a summary of words and columns; refuse what no rows could have been summed up to."""
    labels = None if words["labels"] is None else tuple(words["labels"])
    require(labels is None or (len(labels) > 1 and all(type(x) in KINDS for x in labels)))
    bare = _bare_sums(words, None if labels is None else len(labels))
    whole, *parts = [
        {"labels": labels, **_part(bare, part, _below(columns, k))}
        for k, part in enumerate(words["parts"])
    ]
    names = [part["group"] for part in words["parts"]]
    require(names[0] is None and all(type(name) in KINDS for name in names[1:]))
    require(len(set(names)) == len(names))
    require(all(list(part["counts"]) == list(whole["counts"]) for part in parts))
    groups = {name: make(**part) for name, part in zip(names[1:], parts, strict=True)}
    return make(**whole, groups=groups)


def _text_of(rule: Rule) -> str:
    """Write a rule as text that it can be read from."""
    text = repr(rule)
    try:
        found = parse_rule(text) == rule
    except DataError:
        found = False
    if not found:
        message = f"a rule is saved as its text, from which it must be read; {text} cannot be"
        raise DataError(message, hint="pickle keeps summaries with rules of one's own.")
    return text


def _words(part: Summary) -> dict[str, Any]:
    return {
        "totals": [text_of(total) for total in part.sums.totals.values()],
        "counts": [{"of": _flat(key), **words_of(x)} for key, x in part.counts.items()],
        "confusion": list(part.confusion),
        "notes": part.notes,
    }


def _columns(part: Summary) -> dict[str, Column]:
    """Name columns by the number of what they belong to."""
    counts = {
        f"{k}/{name}": column
        for k, x in enumerate(part.counts.values())
        for name, column in columns_of(x).items()
    }
    tables = {f"confusion/{k}": x for k, x in enumerate(part.confusion.values())}
    return counts | tables


def _bare_sums(words: Words, classes: int | None) -> ScoreSums:
    """Tell what was summed up, without the sums."""
    models = tuple(words["models"])
    rules = tuple(parse_rule(text) for text in words["rules"])
    require(models and all(type(name) is str for name in models) and rules)
    return ScoreSums(models, rules, classes, words["clustered"] is True, {})


def _part(bare: ScoreSums, words: Words, columns: Columns) -> dict[str, Any]:
    """Read what was summed up of all rows, or of those of a group."""
    models, totals = bare.models, [total_of(text) for text in words["totals"]]
    # There are more keys than these, and each has its total: no short text stands for many.
    require(len(totals) >= len(bare.rules) * len(models) ** 2)
    keys = keys_of(models, bare.rules, bare.classes)
    counts = {
        _key(x["of"], bare): stored_counts(x, _below(columns, k))
        for k, x in enumerate(words["counts"])
    }
    require(bare.classes is not None or tuple(counts) == models)
    require(set(words["confusion"]) <= set(models))
    require(all(type(note) is str for note in words["notes"]))
    return {
        "sums": replace(bare, totals=dict(zip(keys, totals, strict=True))),
        "counts": counts,
        "confusion": {
            name: _confusion(columns[f"confusion/{k}"], bare.classes)
            for k, name in enumerate(words["confusion"])
        },
        "notes": tuple(words["notes"]),
    }


def _confusion(table: Column, classes: int | None) -> Column:
    require(table.shape == (classes, classes) and (table >= 0).all())
    return table


def _flat(key: Any) -> list[Any]:
    """Write the key of counts as a list: a model, or a model and a question."""
    return [key] if isinstance(key, str) else [key[0], *key[1]]


def _key(flat: Any, bare: ScoreSums) -> Any:
    model, *question = flat
    require(model in bare.models)
    if not question:
        return model
    kind, number = question
    require(kind in ("class", "above") and number in range(bare.classes or 0))
    return model, (kind, number)


def _below(columns: Columns, number: int) -> dict[str, Column]:
    """Return the columns of a part, under the names that they have within it."""
    start = f"{number}/"
    return {name[len(start) :]: x for name, x in columns.items() if name.startswith(start)}
