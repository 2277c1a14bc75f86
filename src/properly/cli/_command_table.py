"""All commands: their help, their options and examples; what they do is imported as they run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from properly import __version__
from properly.cli._option_table import (
    INSIDE,
    WHOLE,
    EngineOptions,
    FileColumns,
    InOrder,
    LongColumns,
    MapName,
    OptionSet,
    RuleType,
    SharedOptions,
    as_condition,
    as_map,
    as_picture,
    as_run_length,
    as_scale,
    files,
    option,
    reading,
)
from properly.cli._running import refusals

# What holds the scripts, where the package is run from a clone.
CLONE = Path(__file__).resolve().parents[3]
HOW = (
    "published results are computed by scripts that are not installed with the package; clone the "
    "repository, run 'pip install -e .[app]' in it, and then this command again"
)


class ReportCommand(FileColumns, EngineOptions):
    r"""Write one page about forecasts: verdict, scores, pictures.

    Write one page about forecasts: a verdict in plain sentences, scores with intervals, pictures
    to explore, and the numbers. It is one HTML file that needs nothing else. Prints the verdict,
    and where the page is. {FILES}

    Options
    -------
    --show
        Column to show beside the worst cases, such as the patient's number; may be given several
        times.
    --recalibrate
        Whether models can be repaired: a section of the page, and sentences. MAP is auto, which is
        meant if it is left out, or the name of a map such as logistic.
    --monitor
        The state of properly monitor: its evidence over time is a section of the page.
    --title
        What stands above the page.
    --cases
        What the cases are, in the words of the verdict: people, flights.
    --event-name
        What may happen to them, in the words of the verdict: death, a delay.
    --output
        Where to write the page.
    --figures
        Also write figures for a paper into this folder.
    --figure-format
        How to write figures; may be given several times.

    Examples
    --------
    properly report crash.csv --outcome died --forecast logistic \
        --forecast forest --within 0.01 0.1 --clusters cluster \
        --cases people --event-name death
    properly report crash.csv --outcome died --forecast boosting \
        --id cluster --show severity --output crash.html
    properly report crash.csv --outcome died --forecast boosting \
        --output boosting.html --figures figures --figure-format pdf
    properly report crash.csv --outcome died --forecast forest \
        --clusters cluster --recalibrate
    """

    rules = SharedOptions.rules
    within = SharedOptions.within
    show = option("COLUMN...", "--show", "--id")
    recalibrate = option("MAP", is_flag=False, flag_value="auto", callback=reading(as_map))
    state = option("FILE", "--monitor")
    title = option("TEXT")
    cases = option("TEXT", default="cases")
    event_name = option("TEXT", default="the event")
    level = SharedOptions.level
    replicates = SharedOptions.replicates
    rng = SharedOptions.rng
    output = option("FILE", default="report.html")
    figures = option("FOLDER")
    figure_formats = option("svg|png|pdf...", "--figure-format", default=("svg",))
    force = SharedOptions.force


class ScoreCommand(FileColumns, EngineOptions):
    r"""Score forecasts: a table, JSON, CSV, Markdown or LaTeX.

    Score forecasts: mean loss, skill, miscalibration, discrimination and uncertainty by model and
    rule, beside forecasts that need no model. Lower scores are better. Exits with 3 if a condition
    given by --fail-if holds or cannot be evaluated. {FILES}

    Options
    -------
    --format
        How to print.
    --fail-if
        Exit with 3 if this holds for a model: [MODEL:]NUMBER and a limit, such as
        "brier.upper>0.2", "forest:calibration.slope<0.8" or "auc<0.8"; or [MODEL] worse-than NAME
        [by RULE], or not-better-than, such as "worse-than baseline", where NAME is a model, a
        column, baseline or no-model; may be given several times.
    --allow-missing
        Let conditions pass that cannot be evaluated, such as a limit on a number that does not
        exist.
    --baseline
        Compare with a stored result: the JSON of this command, or a page of report.
    --keep-forecasts
        Store forecasts in JSON, too: as a baseline, it is compared case by case.
    --intervals
        Intervals of the parts, too, in CSV and JSON: slower.
    --replicates
        Draws for --intervals.

    Examples
    --------
    properly score crash.csv --outcome died --forecast logistic --within 0.01 0.1
    properly score crash.csv --outcome died --forecast forest --format json
    properly score crash.csv --outcome died --forecast forest \
        --rule brier --fail-if "brier.upper>0.2" --fail-if "worse-than logistic"
    properly score crash.csv --outcome died --forecast logistic --format json \
        --keep-forecasts
    properly score crash.csv --outcome died --forecast forest --memory 1GB
    properly score crash.csv --outcome died --forecast logistic \
        --clusters cluster --fail-if "gain.lower>0"
    properly score crash.csv --outcome severity --forecast severity_probability \
        --classes none,possible,nonincapacitating,incapacitating,killed \
        --ordered --missing drop
    """

    rules = SharedOptions.rules
    within = SharedOptions.within
    layout = option("table|json|csv|markdown|latex", "--format", default="table")
    conditions = option("CONDITION...", "--fail-if", callback=reading(as_condition))
    allow_missing = option()
    baseline = option("FILE")
    keep = option("", "--keep-forecasts")
    intervals = option()
    level = SharedOptions.level
    replicates = option(type=WHOLE, default=199)
    rng = SharedOptions.rng
    output = SharedOptions.output
    force = SharedOptions.force


class CompareCommand(FileColumns, EngineOptions, LongColumns, but=("groups",)):
    r"""Say whether one model is better than another.

    Compare models on the same cases, pair by pair: differences of scores with intervals and
    p-values. No model is called better if the interval holds zero. {FILES}

    Options
    -------
    --missing
        What to do about rows with a missing value. Of forecasts that are missing: compare on the
        rows that all forecast, each pair on those that both did, or all models by effects of rows
        and models.
    --rule
        Rule to compare by, such as brier or log; auc for areas under the ROC curve. Left out,
        brier, or rps for ordered classes; with --within, the mean regret.
    --reference
        Compare every other model with this one, rather than all pairs.
    --margin
        A difference of scores that does not matter; says whether models are as good as each other
        within it.
    --format
        How to print.

    Examples
    --------
    properly compare crash.csv --outcome died --forecast logistic \
        --forecast forest
    properly compare crash.csv --outcome died --forecast logistic \
        --forecast forest --rule auc --clusters cluster --format csv
    properly compare crash.csv --outcome died --forecast logistic \
        --forecast boosting --within 0.01 0.1 --clusters cluster
    properly compare crash.csv --outcome died --forecast logistic \
        --forecast boosting --reference logistic --margin 0.001
    properly compare tournament.csv --missing pairwise \
        --long question,forecaster,probability,outcome
    """

    missing = option(
        "refuse|drop|complete|pairwise|two-way",
        default="refuse",
        show_default="refuse; with --long, two-way",
    )
    rule = option("RULE", type=RuleType("auc"))
    within = SharedOptions.within
    reference = option("MODEL")
    margin = option(type=click.FloatRange(min=0, min_open=True))
    layout = option("text|json|csv", "--format", default="text")
    level = SharedOptions.level
    rng = SharedOptions.rng
    output = SharedOptions.output
    force = SharedOptions.force


class LeaderboardCommand(
    FileColumns, LongColumns, but=("outcome", "forecast", "count", "groups", "normalize")
):
    r"""Rank forecasters who answered different questions.

    Rank forecasters who answered different questions: what each would have scored on all of them,
    with intervals of scores and of ranks. Whoever takes hard questions is not punished for it.
    {FILES}

    Options
    -------
    --rule
        Rule to score by, such as brier or log. Left out, brier, or rps for ordered classes.
    --reference
        Forecaster to whom differences are, rather than to the leader.
    --missing
        How to allow for gaps: by effects of questions and forecasters, or by the questions that
        all answered.
    --least
        Who shares fewer questions with others is listed, not ranked.
    --relative-skill
        Add ratios of losses on common questions, averaged over pairs.
    --baseline
        Forecaster to whom relative skill is relative.
    --peer
        Add peer and baseline scores, as platforms have them.
    --crowd
        Add a forecaster made of all of them, which is not ranked.
    --scaled-to
        Add a constant to all scores, so that this forecaster has this one.
    --bounds
        Add scores with missing losses as low, and as high, as can be.
    --fair
        With --repeated pool: Brier scores as large ensembles would have them.
    --format
        How to print.
    --output
        Where to write, rather than print: a page if it ends in .html, a picture if in .svg, .png
        or .pdf.

    Examples
    --------
    properly leaderboard tournament.csv \
        --long question,forecaster,probability,outcome
    properly leaderboard tournament.csv --rule log --reference Ada \
        --long question,forecaster,probability,outcome
    properly leaderboard tournament.csv --crowd median --format csv \
        --long question,forecaster,probability,outcome
    properly leaderboard tournament.csv --output board.html --force \
        --long question,forecaster,probability,outcome
    """

    rule = option("RULE")
    reference = option("NAME")
    missing = option("two-way|complete", default="two-way")
    least = option(type=WHOLE, default=10)
    level = SharedOptions.level
    rng = SharedOptions.rng
    relative_skill = option()
    baseline = option("NAME")
    peer = option()
    crowd = option("mean|median|log-odds")
    scaled_to = option("NAME=VALUE", callback=reading(as_scale))
    bounds = option()
    fair = option()
    layout = option("text|json|csv", "--format", default="text")
    output = option("FILE")
    force = SharedOptions.force


class MonitorCommand(OptionSet):
    r"""Watch a model in production; exits with 3 on an alarm.

    Watch a model in production. Reads what is new, adds it to the evidence in the state, and says
    whether there is an alarm: whether forecasts are miscalibrated, or something is better at
    times. The evidence may be looked at after every case; a false alarm ever is as rare as --level
    says, if each forecast is right given the outcomes of all earlier cases except the last --lag.
    Without FILES, says how things stand. Exits with 3 on an alarm: one that this run raised or,
    without --restart-after-alarm, any so far. What is said of columns and options at the first run
    holds for later ones, where it may be left out. {FILES} Each is a batch.

    Options
    -------
    --outcome
        Column of what happened; with --id, it may lack some, or all.
    --forecast
        Column of probabilities; may be given several times, for several models.
    --groups
        Column of groups to watch, too; they share half of the error rate.
    --clusters
        Column of clusters of correlated cases, within a file; each counts as a case.
    --missing
        What to do about rows with a missing value; with --id, outcomes may follow.
    --id
        Column of the names of cases. Outcomes may then follow later, in a file without forecasts,
        and no case counts twice. Without it, rows read before are known by a checksum.
    --state
        Where the evidence is kept between runs; begun if it is not there.
    --drop
        A case whose outcome will never be known, for which later ones need not wait; may be given
        several times.
    --against
        Watch also whether this is better at times than each other model: one of them, or always
        the same forecast, such as the event rate.
    --rule
        Rule that says what is better, such as brier, which is meant if it is left out.
    --map
        Watch forecasts recalibrated by this map; of several models, may be given several times.
    --restart-after-alarm
        Begin anew after each alarm. False alarms are then at least so many cases apart on average,
        10000 if left out, and --level says nothing.
    --lag
        How many of the cases just before a case, or clusters, have no outcome yet when it is
        forecast: 0 for forecasts one step ahead, which is meant if it is left out, 4 for five
        steps ahead.
    --level
        One minus the probability of a false alarm, ever, of all claims together.
    --plot
        Draw the evidence over the cases: an SVG, PNG or PDF file.

    Examples
    --------
    properly monitor crash.csv --state watch.json --outcome died \
        --forecast logistic
    properly monitor crash.csv --state watch.json --outcome died \
        --forecast boosting --forecast logistic --against logistic \
        --clusters cluster --plot watch.svg --format json
    properly monitor crash.csv --state watch.json --outcome died \
        --forecast logistic --map map.json --restart-after-alarm 5000
    """

    paths = files("[FILES]...", required=False)
    outcome = option("COLUMN")
    forecast = option("COLUMN...")
    groups = option("COLUMN", "--groups", "--group")
    clusters = option("COLUMN", "--clusters", "--cluster")
    event = SharedOptions.event
    percent = SharedOptions.percent
    missing = option("refuse|drop", default="refuse")
    id = option("COLUMN")
    state = option("FILE", required=True)
    drop = option("ID...")
    against = option("MODEL|NUMBER", type=str)
    rule = option("RULE")
    maps = option("[MODEL=]FILE...", "--map")
    run_length = option(
        "CASES",
        "--restart-after-alarm",
        is_flag=False,
        flag_value="10000",
        callback=reading(as_run_length),
    )
    lag = option("CASES", type=int)
    level = option(type=INSIDE, show_default="0.95")
    layout = SharedOptions.layout
    plot = option("FILE", callback=reading(as_picture))
    output = SharedOptions.output
    force = SharedOptions.force


class CheckCommand(FileColumns, LongColumns, but=("strata", "normalize", "only")):
    r"""Look for what is wrong with data before scoring them.

    Look data over before they are scored: percentages or logits instead of probabilities, missing
    values, one class only, rows that repeat, forecasts that are too good to be true. Rows are
    named by their lines. Exits with 1 if there is a problem. {FILES}

    Options
    -------
    --strict
        Exit with 1 for an oddity, too.

    Examples
    --------
    properly check crash.csv --outcome died --forecast logistic
    properly check crash.csv --outcome died --forecast forest --strict
    properly check tournament.csv \
        --long question,forecaster,probability,outcome
    """

    layout = SharedOptions.layout
    strict = option()


class RecommendCommand(OptionSet):
    """Say which metric suits a decision, and why.

    Which metric suits a decision, and why. On a terminal, what is missing is asked for.

    Options
    -------
    --decisions
        Each case on its own, or only so many can be acted on.
    --threshold
        What is known of the risk at which one begins to act, or of the budget.
    --task
        One event, ordered grades, or classes without an order.
    --costs/--no-costs
        The cost of acting and the loss of a missed event are known in money; or, of classes, what
        each mistake costs.
    --format
        A page and a call, or JSON.

    Examples
    --------
    properly recommend --decisions independent --threshold range --costs
    properly recommend --task ordinal --decisions budget --threshold fixed
    properly recommend --decisions budget --threshold fixed --format json
    """

    decisions = option("independent|budget")
    threshold = option("fixed|range|unknown")
    task = option("binary|ordinal|multiclass")
    costs = option("", "--costs/--no-costs", default=None)
    layout = option("text|json", "--format", default="text")


class AuditCommand(OptionSet):
    """Check that a scoring rule is proper.

    Check that a scoring rule is proper; search for counterexamples. RULE is a name such as brier
    or sa-rps, or a call such as "PBS(ties='any_correct')"; without any, all rules of the library
    and the published variants are tabled. Exits with 1 if a rule claims more than the search
    finds.

    Options
    -------
    --classes
        Number of classes; if left out, 2 for a rule that prices one event, else 3.
    --format
        Sentences or a table, or JSON.

    Examples
    --------
    properly audit brier --classes 2
    properly audit sa-rps "PBS(ties='any_correct')"
    properly audit sa-rps --classes 4 --format json
    """

    rules = click.Argument(["rules"], metavar="[RULE]...", nargs=-1, type=RuleType())
    classes = option(type=click.IntRange(min=2))
    layout = option("text|json", "--format", default="text")
    rng = SharedOptions.rng


class DemoCommand(OptionSet):
    """Evaluate the bundled example, or write it as a file.

    Evaluate the bundled example: 8,879 people in car crashes, and what five models said about
    their death. Prints the verdict and the scores, and writes the page. With --data the example is
    written as a CSV file instead, to try other commands on; with --answers a simulated tournament,
    a long table of who answered what.

    Options
    -------
    --output
        Where to write the page.
    --data
        Where to write the data, as CSV.
    --answers
        Where to write a tournament, as CSV.

    Examples
    --------
    properly demo
    properly demo --data crash.csv --force
    properly demo --answers tournament.csv --force
    """

    output = option("FILE", type=click.Path(dir_okay=False), show_default="report.html")
    data = option("FILE", type=click.Path(dir_okay=False))
    answers = option("FILE", type=click.Path(dir_okay=False))
    force = SharedOptions.force


class FitCommand(FileColumns):
    r"""Fit a map, and say what it would save on new cases.

    Fit a map from forecasts to better ones. Says what each kind of map would save on new cases, by
    cross-fitting, and which to use, if any. Without a recommendation the map that is written
    leaves forecasts as they are. {FILES}

    Options
    -------
    --forecast
        Column of probabilities, of one model. With --classes, what columns begin with, or a
        pattern such as 'p({})'.
    --groups
        Column of groups: fits one line, and a shift for each group.
    --map
        Kind of map: {EVENT_MAPS}; of classes temperature, {CLASS_MAPS}. With auto, the simplest
        that is nearly as good as the best, if it helps.
    --rule
        Rule to judge by, such as brier. Left out, log, or brier where a certain forecast was
        wrong; with --within, the mean regret.
    --folds
        Parts of the cases, each recalibrated by a map fitted to the others.
    --always
        Write the best map even if none is recommended.
    --format
        How to print.
    --seed
        Seed of folds.
    --output
        Where to write the map, as JSON.

    Examples
    --------
    properly recalibrate fit crash.csv --outcome died --forecast logistic \
        --clusters cluster --output map.json
    properly recalibrate fit crash.csv --outcome died --forecast forest \
        --map logistic --within 0.01 0.1 --output map.json
    properly recalibrate fit crash.csv --outcome died --forecast boosting \
        --format csv
    """

    forecast = option("COLUMN...")
    groups = option("COLUMN", "--groups", "--group")
    kind = option("KIND", "--map", type=MapName(), default="auto")
    rule = option("RULE")
    within = SharedOptions.within
    folds = option(type=click.IntRange(min=2), show_default="10, or 5 blocks of time")
    always = option()
    layout = option("text|json|csv|markdown|latex", "--format", default="text")
    level = SharedOptions.level
    rng = option("", "--seed", type=WHOLE, default=0)
    output = option("FILE")
    force = SharedOptions.force


class ApplyCommand(OptionSet):
    r"""Recalibrate the forecasts of a file, or print SQL that does.

    Recalibrate the forecasts of a file, row by row: what is written has the format of FILE and one
    more column, or one per class. All other columns stay as they are written. Or print the map as
    SQL. FILE is CSV, Parquet, Arrow or JSON lines; - is the standard input.

    Options
    -------
    --map
        The map, as JSON.
    --forecast
        Column of probabilities. For classes, what columns begin with, or a pattern such as
        'p({})'.
    --as
        What to call the new column; for classes, what new columns begin with.
    --groups
        Column of groups, for a map that differs by group.
    --missing
        What to do about rows without a forecast: keep leaves the new one empty.
    --sql
        Print the map as an expression of SQL, and write nothing.
    --output
        Where to write the rows.

    Examples
    --------
    properly recalibrate apply crash.csv --map map.json --forecast logistic \
        --output new.csv
    properly recalibrate apply crash.csv --map map.json --forecast logistic \
        --as better --output better.csv
    properly recalibrate apply --map map.json --forecast logistic --sql duckdb
    """

    path = click.Argument(["path"], metavar="[FILE]", type=click.Path(), required=False)
    stored = option("FILE", "--map", required=True)
    forecast = option("COLUMN", required=True)
    name = option("COLUMN", "--as", show_default="COLUMN_recalibrated")
    groups = option("COLUMN", "--groups", "--group")
    percent = SharedOptions.percent
    normalize = SharedOptions.normalize
    missing = option("refuse|keep", default="refuse")
    dialect = option("duckdb|postgres|bigquery|snowflake|spark", "--sql")
    output = option("FILE")
    force = SharedOptions.force


class ShowCommand(OptionSet):
    """Say what a stored map is and does.

    Say what a stored map is and does: what it was fitted to, what it would save, and at which
    original forecast the recalibrated one reaches a threshold. To act there needs no other
    forecasts.

    Options
    -------
    --threshold
        Threshold of recalibrated forecasts; may be given several times.

    Examples
    --------
    properly recalibrate show map.json
    properly recalibrate show map.json --threshold 0.05 --format json
    """

    path = click.Argument(["path"], metavar="FILE", type=click.Path())
    thresholds = option("NUMBER...", "--threshold", type=INSIDE)
    layout = SharedOptions.layout


def _by_name(*rows: type[OptionSet]) -> dict[str, type[OptionSet]]:
    return {row.__name__.removesuffix("Command").lower(): row for row in rows}


class RecalibrateCommand(OptionSet):
    r"""Fit a recalibration map, prove its gain, apply it.

    Fit a recalibration map from forecasts to better ones, with what it would save on new cases;
    apply it to a file; show what it does.

    Examples
    --------
    properly recalibrate fit crash.csv --outcome died \
        --forecast balanced_boosting --clusters cluster --output new.json
    properly recalibrate apply crash.csv --map map.json \
        --forecast balanced_boosting --output better.csv
    properly recalibrate show map.json
    """

    commands = _by_name(FitCommand, ApplyCommand, ShowCommand)


class ReproduceCommand(OptionSet):
    """Compute published results again.

    Compute published results again, in a clone of the repository.

    Examples
    --------
    properly reproduce consequentialist --output figures
    """

    arguments = click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)

    @classmethod
    def command(cls, name: str) -> click.Command:
        """Take the command of a clone; elsewhere, describe one that says where to get it."""
        if (CLONE / "reproductions" / "__main__.py").is_file():
            # Last, so that nothing of the clone hides a module that is installed.
            if str(CLONE) not in sys.path:
                sys.path.append(str(CLONE))
            from reproductions.__main__ import reproduce

            return reproduce()

        def callback(**_: Any) -> None:
            raise click.ClickException(HOW)

        made = super().command(name)
        made.callback, made.context_settings = callback, {"ignore_unknown_options": True}
        return made


class ProperlyCommand(OptionSet):
    """All commands.

    How good are probability forecasts?

    Examples
    --------
    properly demo --data crash.csv --force
    properly score crash.csv --outcome died --forecast logistic --forecast forest
    """


# In the order of help. The command NAME is run by the function `run` of the file _NAME_command.
COMMANDS = _by_name(
    *(ReportCommand, ScoreCommand, CompareCommand, LeaderboardCommand, MonitorCommand),
    *(RecalibrateCommand, CheckCommand, RecommendCommand, AuditCommand, ReproduceCommand),
    DemoCommand,
)


def properly() -> click.Group:
    """Describe ``properly``."""
    group = Properly(COMMANDS, "properly", ProperlyCommand)
    click.version_option(__version__, prog_name="properly")(group)
    return group


class Properly(InOrder):
    """The group of all commands."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what it refuses is said in words."""
        with refusals():
            return super().invoke(ctx)
