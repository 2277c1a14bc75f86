"""``properly recalibrate show``: what a stored map does, and what it was fitted to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

import numpy as np

from properly._boundary._record import plain
from properly._boundary._text import many, printable, table, wrapped
from properly.cli._running import as_json, emit
from properly.recalibration import Map, load
from properly.recalibration._choice import kind_in_words, line_in_words

THRESHOLDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
# Forecasts at which a map is looked at, to say where it changes most.
LOOKS = 999
RANKS = {
    "strictly": "It increases strictly: the order of forecasts, and the AUC, stay.",
    "weakly": "It never falls, but is flat somewhere: forecasts become ties.",
    False: "It falls somewhere: the order of forecasts changes.",
}
MOST_GROUPS = 20


def run(path: str, thresholds: tuple[float, ...], layout: str) -> None:
    use = load(path)
    reached = _reached(use, thresholds or THRESHOLDS)
    if layout == "json":
        pairs = [{"recalibrated": t, "original": p} for t, p in reached.items()]
        record = use.to_dict() | {"thresholds": plain(pairs)}
        emit(as_json(record))
        return
    emit("\n\n".join(_parts(use, reached)) + "\n")


def changes_nothing(use: Map) -> bool:
    """Tell a map that leaves forecasts as they are."""
    return use.kind == "identity" or (use.kind == "temperature" and vars(use)["slope"] == 1)


def _reached(use: Map, thresholds: Iterable[float]) -> dict[float, float]:
    """Return by threshold the least original forecast that reaches it; of some maps none."""
    if use.of != "event" or use.needs_groups or use.monotone is False:
        return {}
    return {t: use.threshold(t) for t in sorted(set(thresholds))}


def _parts(use: Map, reached: Mapping[float, float]) -> Iterable[str]:
    name = kind_in_words(use.kind)
    said = [f"{name[0].upper()}{name[1:]}, for {_what(use)}."]
    if words := line_in_words(use):
        said.append(f"Forecasts become {words}.")
    if changes_nothing(use):
        said = [f"No map, for {_what(use)}: forecasts stay as they are."]
    elif use.of == "event" and not use.needs_groups:
        said += [_largest_change(use), RANKS[use.monotone]]
    yield wrapped(" ".join(said))
    facts = [*_training(use), *_gain(use)]
    if facts:
        yield "\n".join(map(wrapped, facts))
    if reached and not changes_nothing(use):
        limits = {math.inf: "never", 0.0: "always"}
        rows = [(f"{t:g}", limits.get(p, f"{p:.6g}")) for t, p in reached.items()]
        yield table(("recalibrated", "original"), rows)
        yield wrapped(
            "To act where the recalibrated forecast is at least the first number is to act where "
            "the original one is at least the second."
        )
    shifts = getattr(use, "shifts", None)
    if shifts:
        rows = [(name, f"{shift + 0.0:.4g}") for name, shift in islice(shifts.items(), MOST_GROUPS)]
        yield table(("group", "shift of the log odds"), rows)
        if len(shifts) > MOST_GROUPS:
            yield f"… and {len(shifts) - MOST_GROUPS:,} more groups."
    if use.notices:
        yield "\n".join(f"Note: {printable(each)}." for each in use.notices)


def _what(use: Map) -> str:
    if use.of == "event":
        return "one event"
    labels: tuple[Any, ...] = getattr(use, "labels", None) or ()
    return f"the classes {', '.join(printable(str(label)) for label in labels)}"


def _largest_change(use: Map) -> str:
    """Say which forecast changes most, among those that the map was fitted to."""
    low, high = use.range or (0.0, 1.0)
    p = np.linspace(low, high, LOOKS)
    q = use.mapped(p)
    k = int(np.argmax(np.abs(q - p)))
    return f"It changes most at {p[k]:.2g}, which becomes {q[k]:.2g}."


def _training(use: Map) -> Iterable[str]:
    training = use.training
    if training is None:
        return
    cases = many(training.cases, "case") if training.cases else f"a weight of {training.weight:g}"
    if use.of != "event":
        pairs = zip(getattr(use, "labels", ()), training.events, strict=False)
        each = ", ".join(f"{count:g} of {printable(str(label))}" for label, count in pairs)
        yield f"Fitted to {cases}: {each}."
        return
    said = f"Fitted to {cases}, {training.events:g} of them with the event"
    low, high = use.range or (math.nan, math.nan)
    reach = "" if math.isnan(low) else f", from {low:.4g} to {high:.4g}"
    yield f"{said}; the mean forecast was {training.mean_forecast:.4g}{reach}."


def _gain(use: Map) -> Iterable[str]:
    gain = use.gain
    if gain is None:
        return
    # What leaves forecasts as they are is written where no map was worth using.
    what = "Recalibration" if changes_nothing(use) else "It"
    numbers = (gain["estimate"], gain["low"], gain["high"])
    saved, low, high = (f"{x:.4g}" for x in numbers)
    nested = ", the choice of the map included" if gain["nested"] else ""
    rule, design = printable(gain["rule"]), printable(gain["design"])
    yield (
        f"{what} would save {saved} ({low} to {high}) of the {rule} score on new cases, judged by "
        f"{gain['folds']} folds of {design}{nested}."
    )
