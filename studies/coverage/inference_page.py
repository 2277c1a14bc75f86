"""What the page about coverage says of inference: scores and comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from studies.coverage import tests_page
from studies.coverage.tables import (
    covered,
    groups,
    one,
    percent,
    pick,
    rejected,
    shown,
    table,
)
from studies.coverage.tables import of_inference as of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from studies.coverage.tables import Row, Rows

# Numbers of one model, in the order of the tables.
NUMBERS = {
    ("score", "Brier"): "mean Brier score",
    ("score", "Log"): "mean log score",
    ("score", "Bounded"): "Brier score bounded to 0.05 to 0.2",
    ("skill", "Brier"): "Brier skill",
    ("skill", "Log"): "log skill",
    ("AUC, logit", None): "AUC",
    ("AUC, wald", None): 'AUC, `method="wald"`',
    ("net benefit", None): "net benefit at 0.1",
    ("observed_expected", None): "observed over expected",
    ("in_the_large", None): "calibration in the large",
    ("intercept", None): "calibration intercept",
    ("slope", None): "calibration slope",
}
SERIAL = {
    "cosines": "cosines (default)",
    "newey-west": "`newey-west`",
    "newey-west-auto": "`newey-west-auto`",
    "ignored": "time ignored",
}
MANY = 100
METHODS = ("percentile", "basic", "studentized", "none")
MEASURES = {
    "score": "Brier score",
    "skill": "Brier skill",
    "observed_expected": "observed over expected",
}


def numbers(columns: Sequence[tuple[str, Rows]], show: Callable[[Rows], str]) -> str:
    """Make a table with a line for each number of one model, and a column for each sample."""
    lines = []
    for (what, rule), label in NUMBERS.items():
        cells = [pick(column, what=what, rule=rule) for _, column in columns]
        if any(cells):
            lines.append([label, *(show(cell) if cell else "" for cell in cells)])
    return table(["interval", *(title for title, _ in columns)], lines)


def scores(rows: Rows) -> str:
    chosen = [*of(rows, "scores"), *of(rows, "summary")]
    columns = [
        (f"{percent(rate)}, n = {n}", group)
        for (rate, n), group in groups(chosen, "event_rate", "n").items()
    ]
    return numbers(columns, lambda cell: covered(cell[0]))


def weights(rows: Rows) -> str:
    """Show weights where events are few; elsewhere they cost little."""
    chosen = of(rows, "weights", event_rate=min(row["event_rate"] for row in of(rows, "weights")))
    columns = [
        (f"{kind}, n = {n}", group) for (kind, n), group in groups(chosen, "weights", "n").items()
    ]
    return numbers(columns, lambda cell: covered(cell[0]))


def clusters(rows: Rows) -> str:
    """Show what is covered told of few clusters, and in parentheses not told."""
    columns = [
        (f"{count}{' uneven' * uneven}, {percent(rate)}", group)
        for (rate, count, uneven), group in groups(
            of(rows, "clusters"), "event_rate", "clusters", "uneven"
        ).items()
        if count < MANY
    ]
    return numbers(columns, lambda cell: beside(cell, covered, "coverage"))


def unequal_clusters(rows: Rows) -> str:
    """Show what is covered with clusters of log-normal sizes, and how often none is rejected."""
    columns = [
        (f"{count} clusters", group)
        for (count,), group in groups(of(rows, "unequal clusters"), "clusters").items()
    ]
    null = [rejected(one(pick(group, what="no difference"))) for _, group in columns]
    shown = numbers(columns, lambda cell: covered(cell[0]))
    return f"{shown}\n| no difference of two models, rejected | {' | '.join(null)} |"


def many_clusters(rows: Rows) -> str:
    """Give the lowest that is covered told of many clusters."""
    told = of(rows, "clusters", clusters=MANY, told=True)
    return shown(min(row["coverage"] for row in told))


def beside(cell: Rows, show: Callable[[Row | None], str], measure: str) -> str:
    """Show a share told of clusters, and plainly in parentheses what it is not told of them."""
    alone = one(pick(cell, told=False))
    also = "" if alone is None else f" ({100 * alone[measure][0]:.0f})"
    return show(one(pick(cell, told=True))) + also


def by_method(
    rows: Rows,
    titles: dict[str, str],
    methods: dict[str, str],
    show: Callable[[Row | None], str],
) -> str:
    """Make a table with a line for each sample and a column for each method."""
    lines = []
    for key, group in groups(rows, *titles).items():
        cells = (show(one(pick(group, method=method))) for method in methods)
        lines.append([*(word(x) for x in key), *cells])
    return table([*titles.values(), *methods.values()], lines)


def word(x: Any) -> str:
    return f"{x:g}" if isinstance(x, float) else str(x)


def series(rows: Rows) -> str:
    titles = {"losses": "losses", "rho": "correlation", "n": "times"}
    return by_method(of(rows, "series"), titles, SERIAL, covered)


def bootstrap(rows: Rows) -> str:
    titles = {"sample": "sample", "number": "interval"}
    methods = {m: m for m in METHODS} | {"none": "without drawing again"}
    chosen = [
        row | {"sample": sample(row), "number": number(row)}
        for study in ("bootstrap", "bootstrap clusters", "bootstrap blocks")
        for row in of(rows, study)
    ]
    return by_method(chosen, titles, methods, covered)


def sample(row: Row) -> str:
    if row["study"] == "bootstrap blocks":
        return f"{row['n']} times, correlation {row['rho']:g}"
    events = f"{percent(row['event_rate'])} events"
    if row["study"] == "bootstrap clusters":
        return f"30 clusters of 20, {events}"
    return f"{row['n']} cases, {events}"


def number(row: Row) -> str:
    if row["what"] == "AUC":
        return "AUC"
    return "mean Brier score" if row["study"] == "bootstrap blocks" else "mean log score"


def classes(rows: Rows) -> str:
    lines = []
    for (rule, n), group in groups(of(rows, "classes"), "rule", "n").items():
        score, apart = (covered(one(pick(group, what=w))) for w in ("score", "difference"))
        null = rejected(one(pick(group, what="no difference")))
        lines.append([rule, str(n), score, apart, null])
    return table(["rule", "n", "score", "difference", "rejected if none"], lines)


def pairs(rows: Rows) -> str:
    """Show intervals of differences, and tests of none, on independent cases."""
    lines = []
    for (rule, rate, n), group in groups(of(rows, "pairs"), "rule", "event_rate", "n").items():
        said = [rule, percent(rate), str(n), covered(one(pick(group, what="difference")))]
        lines.append([*said, rejected(one(pick(group, what="no difference")))])
    return table(["compared by", "event rate", "n", "interval", "rejected if none"], lines)


def pairs_in_clusters(rows: Rows) -> str:
    lines = []
    for (rule, count), group in groups(of(rows, "pairs in clusters"), "rule", "clusters").items():
        apart = beside(pick(group, what="difference"), covered, "coverage")
        null = beside(pick(group, what="no difference"), rejected, "rejected_at_5")
        lines.append([rule, str(count), apart, null])
    return table(["compared by", "clusters", "interval", "rejected if none"], lines)


def pairs_in_time(rows: Rows) -> str:
    titles = {"rho": "correlation", "n": "times"}
    methods = {name: SERIAL[name] for name in ("cosines", "newey-west", "ignored")}
    return by_method(of(rows, "pairs in time"), titles, methods, rejected)


def steps_ahead(rows: Rows) -> str:
    titles = {"horizon": "steps ahead", "n": "times"}
    methods = {"diebold-mariano": "Diebold and Mariano", "cosines": "cosines (default)"}
    return by_method(of(rows, "steps ahead"), titles, methods, rejected)


def small(rows: Rows) -> str:
    titles = {"differences": "differences", "n": "n"}
    methods = {"t": "Student's t", "sign-flip": "sign flips"}
    return by_method(of(rows, "small"), titles, methods, rejected)


def several(rows: Rows) -> str:
    lines = []
    for facts, group in groups(of(rows, "several"), "event_rate", "n", "models").items():
        rate, n, models = facts
        tests = (f"any difference, {name}" for name in ("unadjusted", "Holm", "max-t"))
        cells = (rejected(one(pick(group, what=what))) for what in tests)
        held = covered(one(pick(group, what="all differences")))
        lines.append([percent(rate), str(n), str(models), *cells, held])
    header = ["event rate", "n", "models", "any pair rejected, unadjusted", "Holm", "max-t"]
    return table([*header, "all simultaneous intervals hold"], lines)


def one_of_several(rows: Rows) -> str:
    lines = []
    for (models,), group in groups(of(rows, "one of several"), "models").items():
        found = (pick(group, method=name)[0]["power"] for name in ("Holm", "max-t"))
        lines.append([str(models), *(shown(tuple(pair)) for pair in found)])
    return table(["models", "found worse, Holm", "max-t"], lines)


def equivalence(rows: Rows) -> str:
    chosen = of(rows, "equivalence")
    return " and ".join(f"{rejected(row)} % with {row['n']} cases" for row in chosen)


def dominance(rows: Rows) -> str:
    lines = []
    for row in of(rows, "dominance"):
        cases = f"{row['n']} cases"
        drawn = cases if row["clusters"] is None else f"{row['clusters']} clusters of 20"
        given, thresholds, quantile = (row[x][0] for x in ("given", "thresholds", "quantile"))
        said = [percent(row["event_rate"]), drawn, covered(row), percent(given)]
        lines.append([*said, f"{thresholds:.0f}", "" if quantile is None else f"{quantile:.2f}"])
    header = ["event rate", "sample", "all of the band holds", "there is a band"]
    return table([*header, "thresholds with a band", "standard errors"], lines)


def by_group(rows: Rows) -> str:
    lines = []
    for name, label in MEASURES.items():
        cells = []
        for count in (None, 50):
            group = of(rows, "groups", measure=name, clusters=count)
            cells.append(covered(one(pick(group, what="all groups"))))
            cells.append(rejected(one(pick(group, what="any group"))))
        lines.append([label, *cells])
    header = ["", "all intervals hold", "any rejected"]
    return table([*header, "50 clusters: all hold", "any rejected"], lines)


def confidence_set(rows: Rows) -> str:
    lines = []
    for row in of(rows, "confidence set"):
        kind = "cases" if row["rho"] is None else f"times, correlation {row['rho']:g}"
        best = "all five" if row["best"] == "all" else "one of five"
        lines.append([f"{row['n']} {kind}", best, covered(row), f"{row['models'][0]:.1f}"])
    return table(["sample", "best", "the best are all in the set", "models in the set"], lines)


TABLES: dict[str, Callable[[Rows], str]] = {
    "inference_scores": scores,
    "inference_weights": weights,
    "inference_clusters": clusters,
    "inference_unequal_clusters": unequal_clusters,
    "inference_many_clusters": many_clusters,
    "inference_series": series,
    "inference_bootstrap": bootstrap,
    "inference_classes": classes,
    "inference_pairs": pairs,
    "inference_pairs_in_clusters": pairs_in_clusters,
    "inference_pairs_in_time": pairs_in_time,
    "inference_steps_ahead": steps_ahead,
    "inference_small": small,
    "inference_several": several,
    "inference_one_of_several": one_of_several,
    "inference_equivalence": equivalence,
    "inference_dominance": dominance,
    "inference_confidence_set": confidence_set,
    "inference_groups": by_group,
    **tests_page.TABLES,
}
