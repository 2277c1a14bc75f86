"""``properly score``: scores in many formats, and conditions for pipelines that are to stop."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

import properly
from properly._boundary._record import plain
from properly._boundary._text import many, printable, table, wrapped
from properly.cli._baseline import against, keep_forecasts, read_stored
from properly.cli._chosen import Chosen, read_long
from properly.cli._column_plan import taken_long
from properly.cli._engine import Large, opened, refuse_without_rows
from properly.cli._formats import FORMATS
from properly.cli._gate import Gate, names_of, references
from properly.cli._option_table import EvaluateOptions
from properly.cli._running import as_json, emit, evaluated, progress_bar, require_output
from properly.errors import DataError
from properly.evaluation._evaluate import rules_of_task
from properly.evaluation._record import score_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from properly import Answers, Cases, Evaluation
    from properly.cli._baseline import AgainstStored, Stored
    from properly.cli._gate import Condition, Failure, Versus, Vocabulary
    from properly.recalibration import Recalibrated
    from properly.rules import Rule

PARTS = ("score", "skill", "miscalibration", "discrimination", "uncertainty")
RESAMPLED = ("miscalibration", "discrimination")
NOTHING = (math.nan, math.nan)


def columns_of_scores(evaluation: Evaluation) -> tuple[list[str], list[list[Any]]]:
    """Return the columns of `Evaluation.to_frame`, and the ends of drawn intervals if any."""
    rows = list(score_rows(evaluation))
    resampled = RESAMPLED if any(row.parts.intervals is not None for row in rows) else ()
    head = ["model", "baseline", "rule", *PARTS]
    for part in ("score", *resampled):
        head += [f"{part}_lower", f"{part}_upper"]
    cells = [
        [
            *(row.model, row.baseline, row.rule),
            *(float(getattr(row.parts, part)) for part in PARTS),
            *row.interval,
            *(end for part in resampled for end in getattr(row.parts.intervals, part, NOTHING)),
        ]
        for row in rows
    ]
    return head, cells


def cells_of_scores(evaluation: Evaluation) -> tuple[list[str], list[list[Any]]]:
    """Return what a person reads: rule by rule, the baselines in brackets."""
    rules = [rule.name for rule in evaluation.rules]
    rows = sorted(score_rows(evaluation), key=lambda row: rules.index(row.rule))
    head = ["rule", "model", "score", "lower", "upper", *PARTS[1:]]
    cells = [
        [
            row.rule,
            f"({row.model})" if row.baseline else row.model,
            float(row.parts.score),
            *row.interval,
            *(float(getattr(row.parts, part)) for part in PARTS[1:]),
        ]
        for row in rows
    ]
    return head, cells


FAILS = 3
MISSING = (
    "Hint: a condition that cannot be evaluated fails the build; --allow-missing lets it pass."
)
# Of forecasters who answered different questions.
OWN_HEAD = ("rule", "forecaster", "answered", "score", "lower", "upper", "note")
NOTE = "not comparable; see leaderboard"


def run(
    layout: str,
    output: str | None,
    *,
    baseline: str | None,
    force: bool,
    allow_missing: bool,
    **options: Any,
) -> None:
    """Score, print or write scores, and exit with 3 if a condition fails."""
    require_output(output, force=force)
    if options["keep"] and layout != "json":
        message = "--keep-forecasts is about --format json, which has room for them."
        raise click.UsageError(message)
    stored = None if baseline is None else read_stored(baseline)
    request = {name: options.pop(name) for name in EvaluateOptions.params}
    own = taken_long(options, "rules", "level", "layout", "output", "force")
    if own is not None:
        scores = own_scores(own, options, layout, request["rules"], request["level"])
        emit(scores, output, force=force)
        return
    text, failures = _scored(layout, stored, request, **options)
    emit(text, output, force=force)
    for failure in failures:
        click.echo(str(failure), err=True)
    if allow_missing:
        failures = [failure for failure in failures if not failure.is_missing]
    elif any(failure.is_missing for failure in failures):
        click.echo(MISSING, err=True)
    if failures:
        click.get_current_context().exit(FAILS)


def _scored(
    layout: str,
    stored: Stored | None,
    request: dict[str, Any],
    *,
    conditions: tuple[Condition | Versus, ...],
    intervals: bool,
    keep: bool,
    recalibrated: bool,
    **options: Any,
) -> tuple[str, list[Failure]]:
    """Score one row per case; return what is printed, and the conditions that fail."""
    with opened(beside=references(conditions, is_stored=stored is not None), **options) as chosen:
        _refuse_large(chosen, {"--keep-forecasts": keep, "--recalibrated": recalibrated})
        beside = chosen.plan.beside
        models = tuple(name for name in chosen.forecasts if name not in beside)
        honest = honest_names(models, chosen.forecasts) if recalibrated else {}
        others = (*beside, *honest.values())
        gate = Gate(conditions, models, others, is_stored=stored is not None)
        vocabulary = _require(gate, chosen, stored, request)
        if not (vocabulary.takes_draws or intervals):
            request["replicates"] = 0
        gains, judged = _gains(chosen, models, honest, vocabulary, request)
        evaluation = evaluated(judged, **request)
    then = None
    if stored is not None:
        then = against(stored, evaluation, models, chosen, request["rng"])
    kept = keep_forecasts(chosen) if keep and isinstance(chosen, Chosen) else None
    sections = _sections(gains, then, kept)
    contrast = None if then is None else then.contrast
    failures = list(gate.failures(evaluation, vocabulary, contrast, sections))
    texts = [str(x) for x in (gains, then) if x is not None]
    return _laid_out(evaluation, layout, sections, texts), failures


def _refuse_large(chosen: Chosen | Large, given: Mapping[str, bool]) -> None:
    """Refuse options that need the rows, if these are elsewhere."""
    for option, is_given in given.items():
        if is_given and isinstance(chosen, Large):
            refuse_without_rows(option, chosen.engine)


def _gains(
    chosen: Chosen | Large,
    models: tuple[str, ...],
    honest: Mapping[str, str],
    vocabulary: Vocabulary,
    request: Mapping[str, Any],
) -> tuple[ModelGains | None, Chosen | Large]:
    """Find what recalibration would save, and add rows of it, where that is asked for."""
    if not (honest or vocabulary.takes_maps):
        return None, chosen
    _refuse_large(chosen, {"A condition on gain": True})
    if isinstance(chosen, Large):
        return None, chosen
    gains = find_gains(chosen, models, request, is_needed=bool(honest))
    return gains, with_honest_rows(chosen, honest, gains, request["rng"])


def _sections(
    gains: ModelGains | None, beside: AgainstStored | None, kept: dict[str, Any] | None
) -> dict[str, Any]:
    """Return what JSON has besides the evaluation."""
    sections = {} if gains is None else gains.to_dict()
    sections |= {} if beside is None else {"against": beside.to_dict()}
    return sections | ({} if kept is None else {"stored": kept})


def _require(
    gate: Gate, chosen: Chosen | Large, stored: Stored | None, request: Mapping[str, Any]
) -> Vocabulary:
    """Refuse, before the work, what conditions name in vain; tell whether they take draws."""
    judges = rules_of_task(chosen.task, request["rules"] or None, request["within"])[0]
    rules = [rule.name for rule in judges]
    if stored is not None:
        stored.require_like(chosen.task, request["level"], gate.models, rules)
    named = {"rules": request["rules"] or None, "within": request["within"]}
    classes = len(chosen.labels or ())
    return gate.require_names(
        rules, lambda draws: names_of(chosen.task, classes, replicates=draws, **named)
    )


def _laid_out(
    evaluation: Evaluation, layout: str, sections: dict[str, Any], texts: list[str]
) -> str:
    if layout == "json":
        return as_json(evaluation.to_dict() | sections)
    if layout == "table":
        return "\n\n".join([evaluation.table(), *texts]) + "\n"
    for text in texts:
        # There is no room for another table.
        click.echo(text, err=True)
    rows = columns_of_scores(evaluation) if layout == "csv" else cells_of_scores(evaluation)
    return FORMATS[layout](*rows)


def own_scores(
    own: Mapping[str, Any],
    options: Mapping[str, Any],
    layout: str,
    rules: Sequence[Rule],
    level: float,
) -> str:
    """Score each forecaster of a long table by itself, and lay the scores out."""
    long = read_long(own, **options)
    answers = long.answers()
    rows = list(_own_rows(answers, rules_of_task(long.task, rules or None, None)[0], level))
    if layout == "json":
        scores = [dict(zip(OWN_HEAD, plain(row), strict=True)) for row in rows]
        return as_json({"questions": len(answers.questions), "level": level, "scores": scores})
    return _as_text(answers, rows, level) if layout == "table" else FORMATS[layout](OWN_HEAD, rows)


def _own_rows(answers: Answers, rules: Sequence[Rule], level: float) -> Iterator[tuple[Any, ...]]:
    """Go through rules and forecasters, in the order of their names."""
    answered = {name: count for name, count in answers.answered.items() if count}
    cases = {name: answers.cases(name) for name in answered}
    for rule in rules:
        for name, count in answered.items():
            yield rule.name, name, count, *_interval(cases[name], rule, level), NOTE


def _interval(cases: Cases, rule: Rule, level: float) -> tuple[float, float, float]:
    """Score, with an interval where there is more than one family of questions."""
    from properly import Cases
    from properly.inference import score_interval

    try:
        found = score_interval(cases, rule, level=level)
    except DataError:
        alone = Cases(cases.y, cases.p, weight=cases.weight, labels=cases.labels)
        return float(score_interval(alone, rule, level=level).value), math.nan, math.nan
    low, high = found.interval
    return float(found.value), float(low), float(high)


def _as_text(answers: Answers, rows: Sequence[Sequence[Any]], level: float) -> str:
    asked = many(len(answers.questions), "question")
    head = ("rule", "forecaster", "answered", "score", f"{100 * level:g} %", "")
    lines = [
        (rule, name, str(count), _number(score), _range(low, high), note)
        for rule, name, count, score, low, high, note in rows
    ]
    shown = table(head, lines, left=2)
    return f"{asked}; each forecaster is scored on those it answered\n\n{shown}\n"


def _number(x: float) -> str:
    return f"{x:.5f}" if math.isfinite(x) else "∞" if x > 0 else "-"


def _range(low: float, high: float) -> str:
    return "-" if math.isnan(low) else f"{_number(low)} to {_number(high)}"


@dataclass(frozen=True, eq=False)
class ModelGains:
    """What recalibration would save, by model.

    Attributes
    ----------
    results : dict of Recalibrated
        By model.
    reasons : dict of str
        By model, why nothing can be said of it.
    """

    results: Mapping[str, Recalibrated]
    reasons: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as conditions and JSON have them, by model."""
        numbers = {name: _gain_numbers(result) for name, result in self.results.items()}
        numbers |= {name: _absent(why) for name, why in self.reasons.items()}
        record: dict[str, Any] = plain({"gains": numbers})
        return record

    def __str__(self) -> str:
        """Say it of one model after the other."""
        said = [x.sentence for x in self.results.values()]
        said += [f"No map for {printable(name)}: {why}." for name, why in self.reasons.items()]
        return "\n".join(map(wrapped, said))


def _gain_numbers(result: Recalibrated) -> dict[str, Any]:
    """Return the gain; where nothing changes, or all does, its interval is the gain itself."""
    gain = result.gain
    ends = gain.interval if not math.isnan(gain.interval[0]) else (gain.estimate, gain.estimate)
    words = {"map": result.chosen, "recommended": result.recommended, "rule": gain.rule}
    numbers = {"value": gain.estimate, "interval": list(ends)}
    numbers |= {name: getattr(gain, name) for name in ("mean_change", "in_sample", "folds")}
    return words | numbers | {"design": gain.design, "sentence": result.sentence}


def _absent(why: str) -> dict[str, Any]:
    return {"value": None, "interval": [None, None], "reason": why}


def find_gains(
    chosen: Chosen, models: Iterable[str], request: Mapping[str, Any], *, is_needed: bool
) -> ModelGains:
    """Find what recalibration would save; refuse what cannot be judged only if rows need it."""
    rule = _first_rule(chosen, request)
    results, reasons = {}, {}
    with progress_bar() as progress:
        for name in models:
            try:
                results[name] = properly.recalibrate(
                    chosen.y,
                    chosen.forecasts[name],
                    rule=rule,
                    level=request["level"],
                    rng=request["rng"],
                    name=name,
                    progress=progress,
                    **chosen.arguments,
                )
            except DataError as error:
                if is_needed:
                    raise
                reasons[name] = str(error).partition("\n")[0]
    return ModelGains(results, reasons)


def _first_rule(chosen: Chosen, request: Mapping[str, Any]) -> Rule | None:
    """Return the rule that models are judged by first, if it can judge a map."""
    within = request["within"] if chosen.task == "binary" else None
    rule: Rule = rules_of_task(chosen.task, request["rules"] or None, within)[1]
    return rule if rule.is_proper else None


def honest_names(models: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """Name the rows of recalibrated models; refuse names that are taken."""
    names = {name: f"{name} (recalibrated)" for name in models}
    for name in names.values():
        if name in taken:
            message = f"--recalibrated adds {name!r}, but there is a model of that name already."
            raise click.UsageError(message)
    return names


def with_honest_rows(
    chosen: Chosen, names: Mapping[str, str], gains: ModelGains, seed: int
) -> Chosen:
    """Add forecasts that were each recalibrated by a map fitted without its case."""
    chosen, made = chosen.repeated(), {}
    for name, new in names.items():
        result = gains.results[name]
        fitted = result.maps[result.best]
        cases = properly.Cases(chosen.y, chosen.forecasts[name], **chosen.arguments)
        made[new] = properly.cross_fit(cases, fitted, rng=seed).p
    return replace(chosen, forecasts=chosen.forecasts | made)
