"""The Python that makes a page again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from properly.cli._columns import Chosen

ROLES = ("weight", "groups", "clusters", "strata", "time")


def python_of(
    chosen: Chosen, asked: Mapping[str, Any], output: str, words: Mapping[str, Any]
) -> str:
    """Write the calls that read the same columns, evaluate them and write the page.

    Names of files and columns are data: they stand as Python writes them, in quotes.
    """
    classes = chosen.task != "binary"
    read = ", ".join([repr(list(chosen.paths)), repr(_columns(chosen)), *_dropping(chosen)])
    lines = [
        "import numpy as np" if classes else "",
        "import properly",
        "",
        f"data = properly.read({read})",
        "evaluation = properly.evaluate(",
        f"    data[{chosen.names['outcome']!r}],",
        f"    {_forecasts(chosen)},",
        *(f"    {name}={value}," for name, value in _options(chosen, asked)),
        ")",
        f"properly.report.write({_call([output], words)})",
    ]
    return "\n".join(lines[not classes :]) + "\n"


def _columns(chosen: Chosen) -> list[str]:
    """Name all columns that were read, each once: a row that lacks one of them is dropped."""
    names = chosen.names
    models = [column for columns in names["forecast"].values() for column in columns]
    return list(
        dict.fromkeys([names["outcome"], *models, *(names[r] for r in ROLES if r in names)])
    )


def _dropping(chosen: Chosen) -> list[str]:
    return [] if chosen.dropped is None else ["missing='drop'"]


def _forecasts(chosen: Chosen) -> str:
    """Write the forecasts by model."""
    of_classes = chosen.task != "binary"
    models = []
    for name, columns in chosen.names["forecast"].items():
        found = ", ".join(f"data[{column!r}]" for column in columns)
        models.append(f"{name!r}: {f'np.column_stack([{found}])' if of_classes else found}")
    return "{" + ", ".join(models) + "}"


def _options(chosen: Chosen, asked: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Go through the arguments of `evaluate` that are not what they are if left out."""
    if chosen.task != "binary":
        yield "task", repr(chosen.task)
        yield "labels", repr([_plain(label) for label in chosen.labels or ()])
    if chosen.pos_label is not None:
        yield "pos_label", repr(_plain(chosen.pos_label))
    for role in ROLES:
        if role in chosen.names:
            yield role, f"data[{chosen.names[role]!r}]"
    if asked["rules"]:
        rules = ", ".join(
            f"properly.rules.parse_rule({rule!r})" for rule in map(repr, asked["rules"])
        )
        yield "rules", f"[{rules}]"
    if asked["within"] is not None:
        yield "within", repr((asked["within"].lower, asked["within"].upper))
    if chosen.normalize:
        yield "normalize", "True"
    for name, argument in (("level", "level"), ("replicates", "replicates"), ("seed", "rng")):
        yield argument, repr(asked[name])


def _call(values: Iterable[str], words: Mapping[str, Any]) -> str:
    given = [f"{name}={word!r}" for name, word in words.items() if word is not None]
    return ", ".join([*map(repr, values), "evaluation", *given])


def _plain(label: Any) -> Any:
    """Return a label as Python writes it, not as numpy does."""
    return label.item() if hasattr(label, "item") else label
