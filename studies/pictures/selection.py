"""Draw the picture of the guide to choosing epochs by a score.

What it draws is in ``docs/selection.json``: numbers that were computed from series of activities,
which are not part of this repository. With ``python -m studies.pictures.selection --data FOLDER
--work FOLDER`` these numbers are computed anew first, as ``properly reproduce selection`` does it;
that needs the extra ``torch``, and hours with ``--full``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reproductions.epochs.figures import middle, named
from reproductions.epochs.paper import selection
from reproductions.epochs.picture import training
from reproductions.epochs.text import TITLES

from studies.pictures.canvas import QUIET, STATIC, panels, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NUMBERS = Path(__file__).resolve().parents[2] / "docs" / "selection.json"
SHOWN = "older people"
# What is held against PBS, in colours of Okabe and Ito's palette.
COLORS = {
    "brier": "#0072B2",
    "log": "#009E73",
    "pll": "#CC79A7",
    "error": "#E69F00",
    "macro_f1": "#333333",
}
COLUMNS = (
    *("way", "by", "report", "mean", "standard_deviation"),
    *("difference", "interval", "adjusted_p_value"),
)
DIGITS = 8


def numbers(data: str, work: str | None, *, full: bool) -> dict[str, Any]:
    """Train, or go on from runs that are kept, and leave out what the page does not show."""
    found = selection(data, work=work, full=full)
    if found.training is None or found.histories is None:
        message = "the numbers of the page need both the sets of activities and the histories"
        raise SystemExit(message)
    told = found.to_dict()
    reports = told["training"]["reports"] | {"all": told["training"]["overall"]}
    kept: dict[str, Any] = rounded(
        {
            "histories": told["histories"],
            "correlations": told["training"]["correlations"],
            "selections": [
                {"data": name, "epoch": sum(one["epochs"]) / len(one["epochs"])}
                | {key: one[key] for key in COLUMNS}
                for name, report in reports.items()
                for one in report["selections"]
            ],
            "curves": named(middle(found.training.of(SHOWN)).validation),
            **{key: told["training"][key] for key in ("best_f1", "seeds", "epochs", "restored")},
        }
    )
    return kept


def rounded(x: Any) -> Any:
    """Round all numbers, inside lists and dicts too: the page shows fewer digits."""
    if isinstance(x, dict):
        return {key: rounded(value) for key, value in x.items()}
    if isinstance(x, list):
        return [rounded(value) for value in x]
    return round(x, DIGITS) if isinstance(x, float) else x


def picture(found: dict[str, Any]) -> Figure:
    """Draw one run by epoch, and differences of macro-F1 on test data."""
    left, right = panels(12.5, 4.6, 2)
    training(found["curves"], left, reference="macro-F1", larger="macro-F1")
    left.set_title(f"Validation metrics of one network, {SHOWN}", loc="left")
    draw_differences(right, found)
    return right.get_figure()  # type: ignore[return-value]


def draw_differences(ax: Axes, found: dict[str, Any]) -> None:
    """Draw how far other selectors are from PBS, set by set, with intervals over seeds."""
    sets = list(found["best_f1"])
    for place, name in enumerate(sets):
        for k, (by, color) in enumerate(COLORS.items()):
            one = chosen(found, name, by)
            y = -place - 0.14 * (k - 2)
            # There is no interval where all runs are the same.
            ends = [100 * x for x in one["interval"] if x is not None]
            ax.plot(ends, [y] * len(ends), color=color, linewidth=1.4, solid_capstyle="butt")
            label = TITLES[by] if place == 0 else None
            ax.plot([100 * one["difference"]], [y], "o", color=color, markersize=5, label=label)
    ax.axvline(0, color=QUIET, linewidth=0.8, zorder=0)
    ax.set_yticks([-k for k in range(len(sets))], sets)
    ax.set_xlabel("test macro-F1 less that of the epochs PBS selects, points")
    ax.set_title(f"Selected by, {found['seeds']} seeds, checkpointing", loc="left")
    ax.legend(frameon=False, loc="best")


def chosen(found: dict[str, Any], data: str, by: str) -> dict[str, Any]:
    """Return the row of a set and of what selects, by checkpointing."""
    key = (data, "checkpoint", by, "macro_f1")
    rows: list[dict[str, Any]] = found["selections"]
    return next(r for r in rows if (r["data"], r["way"], r["by"], r["report"]) == key)


def draw(folder: Path) -> None:
    """Save the picture to a folder."""
    save({"selection": lambda: picture(json.loads(NUMBERS.read_text(encoding="utf-8")))}, folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data")
    parser.add_argument("--work")
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    if options.data is not None:
        computed = numbers(options.data, options.work, full=options.full)
        NUMBERS.write_text(json.dumps(computed, separators=(",", ":")) + "\n", encoding="utf-8")
    draw(STATIC)
