"""The library's words in those of the command line: options, and the extra that brings them all."""

from __future__ import annotations

import re
from collections.abc import Callable
from shlex import quote

# What functions call by a name of Python, and commands by an option.
OPTIONS = {
    "pos_label": "--event",
    "labels": "--classes",
    "classes": "--classes",
    "rng": "--seed",
    "rules": "--rule",
    "overwrite": "--force",
    "ids": "--id",
    "relative_skill": "--relative-skill",
    **{
        name: f"--{name}"
        for name in (
            *("weight", "count", "groups", "clusters", "strata", "time", "within", "missing"),
            *("normalize", "level", "replicates", "reference", "margin"),
            *("repeated", "horizon", "opens", "closes", "resolved", "when"),
        )
    },
}
# Sentences that are about calls, and have no option in the same place.
SENTENCES = {
    r"(?:write|pass) properly\.Cases\(y, p, (\w+)=column\)": r"give \1=",
    r"pass rules=Ranked\(Bounded\(Brier\(\), within\)\)": (
        'write --rule "Ranked(Bounded(Brier(), (0.05, 0.2)))", with your range'
    ),
    " to Cases or evaluate": "",
    r"such as Brier\(\) or RPS\(\)": "--rule brier or --rule rps",
    r"Pass the column of the event, such as p\[:, 1\]": "Give its column by --forecast",
    r"Compare with .*y == .*, or forecast": "Make an outcome of two labels first, or forecast",
    r"outcomes come first, then forecasts; ": "",
    r"weighted: properly.*\)\)": "with y and 1 - y as --weight and the case as --clusters",
    r"task='ordinal' takes": "--ordered takes",
    r"task='multiclass'": "--classes",
    r", or, for a rule, numpy\.asarray\(y\) == .*(?=\.$)": "",
    r"answers\.keep\(\[names\]\), or --only on the command line": "--only NAME",
    r"make Answers with .* by Brier\(\)": "of an event, give --repeated pool and --rule brier",
    r"read it again by Monitor\.load, and add once more": "run it again",
    r"write datetime\.timedelta\(days=10\)": "write --horizon 10d",
    r"divide by 100(?: first)?": "give --percent",
    r"Make numbers or dates .*order": "Say how dates are written, such as --date-format %d.%m.%Y",
    r"properly\[plots\]": "properly[app]",
}
CALL = r"\w\((?:[^()]|\([^()]*\))*\)"
VALUE = r"'[^']*'|\([^()]*\)|\"[^\"]*\"|\[[^\]]*\]|[\w.]*\w"
# Calls and what users wrote stay as they are.
NAME = f"(?P<name>{'|'.join(OPTIONS)})"
ARGUMENT = re.compile(rf"{CALL}|(?<!\w)'[^'\n]*'|\b{NAME}=(?P<value>{VALUE})?")
FIRST = re.compile(rf"\A{NAME}(?= (?:is|must|names|takes)\b)")
# A row that is named, and what users wrote, which stays as it is.
ROW = re.compile(r"(?<!\w)'[^'\n]*'|\"[^\"\n]*\"|(?P<open>\(?)\brow (?P<row>\d+)\b")
# The same option twice, once for each of the two ways to give it.
GIVEN = r"(?: (?:'[^']*'|[^\s,;.?()]+(?:,\w+)*))?"
TWICE = re.compile(
    rf"(?P<option>--[a-z-]+)(?P<value>{GIVEN})"
    rf"(?:(?:, or|,|;) (?P=option)(?P<again>{GIVEN})| \((?P=option)(?P<inside>{GIVEN})\))"
)


def in_options(text: str) -> str:
    """Say what the library says in the words of the command line."""
    for pattern, words in SENTENCES.items():
        text = re.sub(pattern, words, text, flags=re.MULTILINE)
    text = FIRST.sub(lambda match: OPTIONS[match["name"]], text)
    return TWICE.sub(_once, ARGUMENT.sub(_as_option, text))


def name_rows(text: str, place: Callable[[int], str]) -> str:
    """Name the rows of a text by their places, such as row 3 (line 5 of a.csv)."""

    def named(match: re.Match[str]) -> str:
        if match["row"] is None:
            return match[0]
        words = place(int(match["row"]))
        # Not a bracket inside another.
        inside = words.replace(" (line ", ", line ", 1).removesuffix(")")
        return f"({inside}" if match["open"] and " (line " in words else f"{match['open']}{words}"

    return ROW.sub(named, text)


def _as_option(match: re.Match[str]) -> str:
    """Write an argument as an option; one that is true or false has no value."""
    if match["name"] is None:
        return match[0]
    option, value = OPTIONS[match["name"]], (match["value"] or "").strip("'\"")
    if value[:1] in ("[", "("):
        items = [item.strip(" '\"") for item in value[1:-1].split(",")]
        return f"{option} {' '.join(items) if value[0] == '(' else quote(','.join(items))}"
    return option if value in ("", "True") else f"{option} {quote(value)}"


def _once(match: re.Match[str]) -> str:
    return match["option"] + (match["again"] or match["inside"] or match["value"])
