"""All commands: their help, their parameters and examples; what they do is imported as they run."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from properly import __version__
from properly.cli._described import Described, DescribedGroup
from properly.cli._option_table import FILES, FORM, RuleType, files, options
from properly.cli._running import refusals

if TYPE_CHECKING:
    from collections.abc import Callable

# What holds the scripts, where the package is run from a clone.
CLONE = Path(__file__).resolve().parents[3]
HOW = (
    "published results are computed by scripts that are not installed with the package; clone the "
    "repository, run 'pip install -e .[app]' in it, and then this command again"
)

# In the order of help. The command NAME is run by the function `run` of the file _NAME_command.
COMMANDS = {
    "report": "Write one page about forecasts: verdict, scores, pictures.",
    "score": "Score forecasts: a table, JSON, CSV, Markdown or LaTeX.",
    "compare": "Say whether one model is better than another.",
    "leaderboard": "Rank forecasters who answered different questions.",
    "monitor": "Watch a model in production; exits with 3 on an alarm.",
    "recalibrate": "Fit a recalibration map, prove its gain, apply it.",
    "check": "Look for what is wrong with data before scoring them.",
    "recommend": "Say which metric suits a decision, and why.",
    "audit": "Check that a scoring rule is proper.",
    "reproduce": "Compute published results again.",
    "demo": "Evaluate the bundled example, or write it as a file.",
}
# Those below ``recalibrate``.
RECALIBRATE = {
    "fit": "Fit a map, and say what it would save on new cases.",
    "apply": "Recalibrate the forecasts of a file, or print SQL that does.",
    "show": "Say what a stored map is and does.",
}
EXAMPLES = """
properly demo --data crash.csv --force
properly score crash.csv --outcome died --forecast logistic --forecast forest
"""


class CommandRow(NamedTuple):
    """A command: its help, the function that makes its parameters, its examples."""

    help: str
    params: Callable[[], list[click.Parameter]]
    examples: str


def _path(metavar: str, **more: Any) -> click.Argument:
    return click.Argument(["path"], metavar=metavar, type=click.Path(), **more)


TABLE = {
    "report": CommandRow(
        "Write one page about forecasts: a verdict in plain sentences, scores with intervals, "
        "pictures to explore, and the numbers. It is one HTML file that needs nothing else. "
        f"Prints the verdict, and where the page is. {FILES}",
        lambda: [files(), *options("files", "engine", "report", "long")],
        r"""
properly report crash.csv --outcome died --forecast logistic \
    --forecast forest --within 0.01 0.1 --clusters cluster \
    --cases people --event-name death
properly report crash.csv --outcome died --forecast boosting \
    --id cluster --show severity --output crash.html
properly report crash.csv --outcome died --forecast boosting \
    --output boosting.html --figures figures --figure-format pdf
properly report crash.csv --outcome died --forecast forest \
    --clusters cluster --recalibrate
properly report tournament.csv --output tournament.html \
    --long question,forecaster,probability,outcome
""",
    ),
    "score": CommandRow(
        "Score forecasts: mean loss, skill, miscalibration, discrimination and uncertainty by "
        "model and rule, beside forecasts that need no model. Lower scores are better. Exits "
        f"with 3 if a condition given by --fail-if holds or cannot be evaluated. {FILES}",
        lambda: [files(), *options("files", "engine", "score", "long")],
        r"""
properly score crash.csv --outcome died --forecast logistic --within 0.01 0.1
properly score crash.csv --outcome died --forecast forest --format json
properly score crash.csv --outcome died --forecast forest \
    --rule brier --fail-if "brier.upper>0.2" --fail-if "worse-than logistic"
properly score crash.csv --outcome died --forecast logistic --format json \
    --keep-forecasts
properly score crash.csv --outcome died --forecast forest --memory 1GB
properly score crash.csv --outcome died --forecast logistic \
    --clusters cluster --recalibrated --fail-if "gain.lower>0"
properly score crash.csv --outcome severity --forecast severity_probability \
    --classes none,possible,nonincapacitating,incapacitating,killed \
    --ordered --missing drop
properly score tournament.csv --rule brier \
    --long question,forecaster,probability,outcome
""",
    ),
    "compare": CommandRow(
        "Compare models on the same cases, pair by pair: differences of scores with intervals "
        f"and p-values. No model is called better if the interval holds zero. {FILES}",
        lambda: [
            files(),
            *options("files", "gaps", "engine", "compare", "long", but=["--groups"]),
        ],
        r"""
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
""",
    ),
    "leaderboard": CommandRow(
        "Rank forecasters who answered different questions: what each would have scored on all "
        "of them, with intervals of scores and of ranks. Whoever takes hard questions is not "
        f"punished for it. {FILES}",
        lambda: [
            files(),
            *options(
                *("files", "long", "board", "leaderboard"),
                but=["--outcome", "--forecast", "--count", "--groups", "--normalize"],
            ),
        ],
        rf"""
properly leaderboard tournament.csv \
    --long {FORM}
properly leaderboard tournament.csv --rule log --reference Ada \
    --long {FORM}
properly leaderboard tournament.csv --crowd median --format csv \
    --long {FORM}
properly leaderboard tournament.csv --output board.html --force \
    --long {FORM}
""",
    ),
    "monitor": CommandRow(
        "Watch a model in production. Reads what is new, adds it to the evidence in the state, "
        "and says whether there is an alarm: whether forecasts are miscalibrated, or something "
        "is better at times. The evidence may be looked at after every case; a false alarm "
        "ever is as rare as --level says, if each forecast is right given the outcomes of all "
        "earlier cases except the last --lag. Without FILES, says how things stand. Exits with "
        "3 on an alarm: one that this run raised or, without --restart-after-alarm, any so "
        "far. What is said of columns and options at the first run holds for later ones, "
        f"where it may be left out. {FILES} Each is a batch.",
        lambda: [files("[FILES]...", required=False), *options("batches", "monitor")],
        r"""
properly monitor crash.csv --state watch.json --outcome died \
    --forecast logistic
properly monitor crash.csv --state watch.json --outcome died \
    --forecast boosting --forecast logistic --against logistic \
    --clusters cluster --plot watch.svg --format json
properly monitor crash.csv --state watch.json --outcome died \
    --forecast logistic --map map.json --restart-after-alarm 5000
""",
    ),
    "check": CommandRow(
        "Look data over before they are scored: percentages or logits instead of "
        "probabilities, missing values, one class only, rows that repeat, forecasts that are "
        "too good to be true. Rows are named by their lines. Exits with 1 if there is a "
        f"problem. {FILES}",
        lambda: [
            files(),
            *options("files", "long", "check", but=["--strata", "--normalize", "--only"]),
        ],
        r"""
properly check crash.csv --outcome died --forecast logistic
properly check crash.csv --outcome died --forecast forest --strict
properly check tournament.csv \
    --long question,forecaster,probability,outcome
""",
    ),
    "recommend": CommandRow(
        "Which metric suits a decision, and why. On a terminal, what is missing is asked for.",
        lambda: options("recommend"),
        """
properly recommend --decisions independent --threshold range --costs
properly recommend --decisions budget --threshold fixed --format json
""",
    ),
    "audit": CommandRow(
        "Check that a scoring rule is proper; search for counterexamples. RULE is a name such as "
        "brier or sa-rps, or a call such as \"PBS(ties='any_correct')\"; without any, all rules of "
        "the library and the published variants are tabled. Exits with 1 if a rule claims more "
        "than the search finds.",
        lambda: [
            click.Argument(["rules"], metavar="[RULE]...", nargs=-1, type=RuleType()),
            *options("audit"),
        ],
        """
properly audit brier --classes 2
properly audit sa-rps "PBS(ties='any_correct')"
properly audit sa-rps --classes 4 --format json
""",
    ),
    "demo": CommandRow(
        "Evaluate the bundled example: 8,879 people in car crashes, and what five models said "
        "about their death. Prints the verdict and the scores, and writes the page. With "
        "--data the example is written as a CSV file instead, to try other commands on; with "
        "--answers a simulated tournament, a long table of who answered what.",
        lambda: options("demo"),
        """
properly demo
properly demo --data crash.csv --force
properly demo --answers tournament.csv --force
""",
    ),
    "recalibrate": CommandRow(
        "Fit a recalibration map from forecasts to better ones, with what it would save on new "
        "cases; apply it to a file; show what it does.",
        list,
        r"""
properly recalibrate fit crash.csv --outcome died \
    --forecast balanced_boosting --clusters cluster --output new.json
properly recalibrate apply crash.csv --map map.json \
    --forecast balanced_boosting --output better.csv
properly recalibrate show map.json
""",
    ),
    "fit": CommandRow(
        "Fit a map from forecasts to better ones. Says what each kind of map would save on new "
        "cases, by cross-fitting, and which to use, if any. Without a recommendation the map "
        f"that is written leaves forecasts as they are. {FILES}",
        lambda: [files(), *options("files", "fit columns", "fit")],
        r"""
properly recalibrate fit crash.csv --outcome died --forecast logistic \
    --clusters cluster --output map.json
properly recalibrate fit crash.csv --outcome died --forecast forest \
    --map logistic --within 0.01 0.1 --output map.json
properly recalibrate fit crash.csv --outcome died --forecast boosting \
    --format csv
""",
    ),
    "apply": CommandRow(
        "Recalibrate the forecasts of a file, row by row: what is written has the format of "
        "FILE and one more column, or one per class. All other columns stay as they are written. "
        "Or print the map as SQL. FILE is CSV, Parquet, Arrow or JSON lines; - is the standard "
        "input.",
        lambda: [_path("[FILE]", required=False), *options("apply")],
        r"""
properly recalibrate apply crash.csv --map map.json --forecast logistic \
    --output new.csv
properly recalibrate apply crash.csv --map map.json --forecast logistic \
    --as better --output better.csv
properly recalibrate apply --map map.json --forecast logistic --sql duckdb
""",
    ),
    "show": CommandRow(
        "Say what a stored map is and does: what it was fitted to, what it would save, and at "
        "which original forecast the recalibrated one reaches a threshold. To act there needs "
        "no other forecasts.",
        lambda: [_path("FILE"), *options("show")],
        """
properly recalibrate show map.json
properly recalibrate show map.json --threshold 0.05 --format json
""",
    ),
}


def properly() -> click.Group:
    """Describe ``properly``."""
    group = Properly(
        COMMANDS, "properly", help="How good are probability forecasts?", examples=EXAMPLES
    )
    click.version_option(__version__, prog_name="properly")(group)
    return group


class InOrder(DescribedGroup):
    """Commands in the order of help, each described when it is looked up.

    Parameters
    ----------
    about : dict of str
        What each is about, by name.
    """

    def __init__(self, about: dict[str, str], *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        self.about = about

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in their own order."""
        del ctx
        return list(self.about)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Describe a command the first time."""
        if cmd_name in self.about and cmd_name not in self.commands:
            self.add_command(described(cmd_name))
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each command is about."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(self.about.items()))


class Properly(InOrder):
    """The group of all commands."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what it refuses is said in words."""
        with refusals():
            return super().invoke(ctx)


def described(name: str) -> click.Command:
    """Describe a command; the function ``run`` of its module is imported once it is called."""
    if name == "reproduce":
        return reproduce()
    row = TABLE[name]
    if name == "recalibrate":
        return InOrder(RECALIBRATE, name, help=row.help, examples=row.examples)

    def callback(**options: Any) -> None:
        import_module(f"properly.cli._{name}_command").run(**options)

    params = row.params()
    return Described(name, callback=callback, help=row.help, params=params, examples=row.examples)


def reproduce() -> click.Command:
    """Hand over to the scripts of the clone, or describe how to get one."""
    if (CLONE / "reproductions" / "__main__.py").is_file():
        # Last, so that nothing of the clone hides a module that is installed.
        if str(CLONE) not in sys.path:
            sys.path.append(str(CLONE))
        from reproductions.__main__ import reproduce as papers

        return papers()
    return Described(
        "reproduce",
        callback=_refuse,
        help="Compute published results again, in a clone of the repository.",
        params=[click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)],
        examples="properly reproduce consequentialist --output figures",
        context_settings={"ignore_unknown_options": True},
    )


def _refuse(arguments: tuple[str, ...]) -> None:
    del arguments
    raise click.ClickException(HOW)
