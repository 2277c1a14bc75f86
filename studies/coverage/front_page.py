"""What the front page about coverage says: each default at a glance, over all its settings."""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from studies.coverage.decisions_page import OF_ONE_MODEL
from studies.coverage.tables import is_short, percent, pick, shown, table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from studies.coverage.tables import Row, Rows

# That of bands whose rows do not say it.
LEVEL = 0.9
SIZE = 0.05
CURVES = ("decision_curve", "regret_curve")
# What is told of one model, the AUC by its default.
NUMBERS = ("score", "skill", "AUC, logit", "net benefit")
CALIBRATION = ("observed_expected", "in_the_large", "intercept", "slope")


class Family(NamedTuple):
    """Settings that a line is about, and the page that has them one by one."""

    label: str
    page: str
    facts: tuple[dict[str, Any], ...]

    def rows(self, rows: Rows) -> list[Row]:
        """Choose the settings."""
        return [row for facts in self.facts for row in pick(rows, **facts)]

    def link(self) -> str:
        """Lead to the page."""
        return f"[{self.label}](coverage/{self.page}.md)"


def _each(name: str, values: tuple[str, ...], **facts: Any) -> tuple[dict[str, Any], ...]:
    return tuple({**facts, name: value} for value in values)


def _scores(study: str, whats: tuple[str, ...], **facts: Any) -> tuple[dict[str, Any], ...]:
    return _each("what", whats, part="inference", study=study, **facts)


def _inference(study: str, **facts: Any) -> dict[str, Any]:
    return {"part": "inference", "study": study, **facts}


PROMISES = (
    Family(
        "consistency band",
        "bands",
        ({"part": "pointwise", "band": "consistency", "method": "auto"},),
    ),
    Family(
        "confidence band", "bands", ({"part": "pointwise", "band": "confidence", "method": "auto"},)
    ),
    Family("simultaneous band", "bands", ({"part": "simultaneous", "method": "cells"},)),
    Family(
        "bands of rare events",
        "special-cases",
        _each("band", ("consistency", "confidence", "simultaneous"), part="rare"),
    ),
    Family("bands in clusters", "special-cases", ({"part": "clusters", "told": True},)),
    Family(
        "bands over time",
        "time",
        _each("what", ("likelihood", "draws"), part="time", told=True),
    ),
    Family("parts of `decompose`", "parts", ({"part": "intervals"},)),
    Family(
        "scores, skills, AUC, slopes",
        "scores",
        _scores("scores", NUMBERS) + _scores("summary", CALIBRATION),
    ),
    Family("the same in clusters", "scores", _scores("clusters", NUMBERS + CALIBRATION, told=True)),
    Family("mean scores over time", "scores", (_inference("series", method="cosines"),)),
    Family(
        "differences of two models",
        "comparisons",
        (
            _inference("pairs", what="difference"),
            _inference("pairs in clusters", what="difference", told=True),
        ),
    ),
    Family(
        "many models or groups at once",
        "comparisons",
        (
            _inference("several", what="all differences"),
            _inference("groups", what="all groups"),
            _inference("dominance"),
        ),
    ),
    Family(
        "two-way effects on boards with gaps",
        "comparisons",
        (
            {"part": "gaps", "what": "best minus worst", "method": "two-way"},
            {"part": "gaps", "world": "families", "unit": "family"},
        ),
    ),
    Family(
        "decision and regret curves",
        "decisions",
        _each("what", CURVES, part="decisions", sample="independent"),
    ),
    Family(
        "numbers at a threshold",
        "decisions",
        _each(
            "what",
            tuple(what for what in OF_ONE_MODEL if what not in CURVES),
            part="decisions",
            sample="independent",
        ),
    ),
    Family(
        "net benefit in clusters",
        "decisions",
        ({"part": "decisions", "sample": "clusters", "what": "net_benefit", "told": True},),
    ),
    Family(
        "gain of recalibration", "recalibration", ({"part": "recalibration", "study": "gains"},)
    ),
)
TESTS = (
    Family(
        "calibration test",
        "tests",
        (
            {"part": "test", "curve": "calibrated"},
            _inference("calibration", what="combined", curve="calibrated"),
        ),
    ),
    Family(
        "calibration test in clusters",
        "tests",
        (_inference("calibration in clusters", what="score", told=True),),
    ),
    Family(
        "calibration test over time",
        "time",
        ({"part": "time", "what": "score test", "told": True},),
    ),
    Family(
        "no difference of two models",
        "comparisons",
        (
            _inference("pairs", what="no difference"),
            _inference("pairs in clusters", what="no difference", told=True),
        ),
    ),
    Family(
        "no difference over time",
        "comparisons",
        (
            _inference("pairs in time", method="cosines"),
            _inference("steps ahead", method="cosines"),
        ),
    ),
    Family(
        "`Monitor`, looked at after every case",
        "monitors",
        (
            {"part": "monitors", "study": "looks", "what": "monitor, each case"},
            {"part": "monitors", "study": "designs", "what": "right"},
            {"part": "monitors", "study": "lags", "what": "lag"},
        ),
    ),
)


def promised(families: Sequence[Family], rows: Rows) -> str:
    """Show for each band and interval how many settings are short of its level."""
    lines = []
    for family in families:
        chosen = family.rows(rows)
        (level,) = {row.get("level", LEVEL) for row in chosen}
        pairs = [row["coverage"] for row in chosen]
        few = f"{sum(is_short(pair, level) for pair in pairs)} of {len(pairs)}"
        shares = [f"{100 * median(pair[0] for pair in pairs):.1f}", shown(min(pairs))]
        lines.append([family.link(), percent(level), *shares, few])
    header = ["band or interval", "level", "median", "lowest"]
    return table([*header, "short"], lines)


def tested(families: Sequence[Family], rows: Rows) -> str:
    """Show for each test how many settings reject what is true too often."""
    lines = []
    for family in families:
        pairs = [row["rejected_at_5"] for row in family.rows(rows)]
        many = sum(share > SIZE + 2 * error for share, error in pairs)
        shares = [f"{100 * median(pair[0] for pair in pairs):.1f}", shown(max(pairs))]
        lines.append([family.link(), *shares, f"{many} of {len(pairs)}"])
    return table([f"test at {percent(SIZE)}", "median", "highest", "too many"], lines)


TABLES: dict[str, Callable[[Rows], str]] = {
    "promises": partial(promised, PROMISES),
    "tests": partial(tested, TESTS),
}
