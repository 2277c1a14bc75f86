"""The documentation covers the doors, draws the house as it is, and names only what exists."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import properly
from properly import rules
from tests.laws.records import RECORDS

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "properly"
REFERENCE = ROOT / "docs" / "reference"
FIRST = ROOT / "docs" / "index.md"
HOUSE = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
# Integrations have doors of their own, one a framework.
DOORS = ["properly", "properly.cli", "properly.typing"] + [
    f"properly.{name}"
    for name in properly.__all__
    if inspect.ismodule(getattr(properly, name)) and name != "integrations"
]
FRAMEWORKS = sorted(
    path.stem for path in (SOURCE / "integrations").iterdir() if not path.name.startswith("_")
)
# What a reader can be asked to read at once.
# Written by commands, or by whoever follows the advice.
PRODUCED = ("docs/_build/", "benchmarks/results/", "changelog.d/+yourrule.", "+bounded.feature.md")
FOLDERS = r"(?:src/properly|tests|docs|studies|reproductions|benchmarks|examples|changelog\.d|\.ci)"
PATHS = [
    re.compile(rf"(?<![\w/.-])({FOLDERS}/[\w./*+-]*)"),
    re.compile(r"`([\w./*+-]+(?:\.pyi?|\.toml|\.md|/)|Makefile)`"),
    re.compile(r"\]\((?!\w+:)([^)#\s]+)"),
]


def pages() -> list[Path]:
    """Return the Markdown of the repository, and what it is made from."""
    folders = ("docs", "tests", "changelog.d", "examples", "benchmarks", "studies", "reproductions")
    below = [path for folder in folders for path in (ROOT / folder).rglob("*.md*")]
    return sorted(ROOT.glob("*.md")) + sorted(p for p in below if "_build" not in p.parts)


def public() -> dict[str, Any]:
    """Return every public object that is not itself a door, by full name."""
    things = {}
    for door in DOORS:
        module = importlib.import_module(door)
        things.update({f"{door}.{name}": getattr(module, name) for name in module.__all__})
    return {name: thing for name, thing in things.items() if not isinstance(thing, ModuleType)}


PUBLIC = public()


def listed(page: str) -> list[str]:
    """Return the full public names in the autosummary tables of a page of the reference."""
    return [name for name in in_tables(page) if "._" not in name]


def in_tables(page: str) -> list[str]:
    """Return all names in these tables: records that functions return are listed by their place."""
    text = (REFERENCE / page).read_text(encoding="utf-8")
    return re.findall(r"^   ~(properly\.[\w.]+)$", text, re.MULTILINE)


def written() -> list[Path]:
    """Return the pages of the site that somebody wrote."""
    folder = ROOT / "docs"
    made = {"_build", "generated", "_templates"}
    return sorted(path for path in folder.rglob("*.md") if not made & set(path.parts))


@pytest.mark.parametrize("page", written(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_page_says_which_question_it_answers(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    # The first page is the question itself.
    sign = r"\*\*" if page == FIRST else r"\*Which question does this answer\?\* "
    assert re.search(rf"^# .+\n\n{sign}[A-Z`]", text, re.MULTILINE) is not None


@pytest.mark.parametrize("page", written(), ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_has_more_than_three_thousand_words(page: Path) -> None:
    assert len(page.read_text(encoding="utf-8").split()) <= 3000


@pytest.mark.parametrize("door", DOORS)
def test_functions_come_before_records_on_the_page_of_a_door(door: str) -> None:
    names = listed(f"{door.rpartition('.')[2]}.md")
    kinds = {name.partition(",")[0].split()[0] for name in RECORDS}
    functions = [i for i, name in enumerate(names) if inspect.isfunction(PUBLIC[name])]
    records = [i for i, name in enumerate(names) if name.rpartition(".")[2] in kinds]
    assert not functions or not records or max(functions) < min(records)


def documented() -> list[str]:
    """Return the names of public functions and classes that should carry an example."""
    return [
        name
        for name, thing in PUBLIC.items()
        if (inspect.isfunction(thing) or inspect.isclass(thing))
        and name.rpartition(".")[0] not in {"properly.errors", "properly.typing", "properly.cli"}
    ]


@pytest.mark.parametrize("door", DOORS)
def test_every_public_name_of_a_door_is_on_its_page_once(door: str) -> None:
    # A name that is also at the top has its page there, and other tables lead to it.
    names = listed(f"{door.rpartition('.')[2]}.md")
    here = [f"{door}.{name.rpartition('.')[2]}" for name in names]
    assert sorted(here) == sorted(name for name in PUBLIC if name.rpartition(".")[0] == door)
    assert all(PUBLIC[name] is PUBLIC[local] for name, local in zip(names, here, strict=True))


def test_records_are_where_the_reference_has_them() -> None:
    places = [x for page in REFERENCE.glob("*.md") for x in in_tables(page.name) if "._" in x]
    for place in places:
        module, _, name = place.rpartition(".")
        assert inspect.isclass(getattr(importlib.import_module(module), name))


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_name_of_an_integration_is_on_the_page_of_integrations(framework: str) -> None:
    path = SOURCE / "integrations" / framework
    files = path / "__init__.pyi", path / "__init__.py", path.with_suffix(".py")
    file = next(file for file in files if file.exists())
    tree = ast.parse(file.read_text(encoding="utf-8"))
    exported = next(ast.literal_eval(x.value) for x in tree.body if _assigns_names(x))  # type: ignore[attr-defined]
    door = f"properly.integrations.{framework}"
    names = [name for name in listed("integrations.md") if name.startswith(f"{door}.")]
    assert sorted(names) == sorted(f"{door}.{name}" for name in exported)


def _assigns_names(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def test_the_index_of_the_reference_leads_to_a_page_a_door_and_to_no_other() -> None:
    text = (REFERENCE / "index.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[`([\w.]+)`\]\((\w+)\.md\)", text, re.MULTILINE)
    doors = {door: door.rpartition(".")[2] for door in [*DOORS, "properly.integrations"]}
    assert dict(rows) == doors
    assert {path.stem for path in REFERENCE.glob("*.md")} == {"index", *doors.values()}


@pytest.mark.parametrize("name", documented())
def test_every_public_function_and_class_has_an_example(name: str) -> None:
    text = inspect.getdoc(PUBLIC[name]) or ""
    assert "Examples\n--------\n" in text
    assert "\n>>> " in text


@pytest.mark.parametrize("name", [n for n in PUBLIC if not n.startswith("properly.typing")])
def test_the_first_line_of_a_docstring_is_one_short_sentence(name: str) -> None:
    first, _, rest = (inspect.getdoc(PUBLIC[name]) or "").partition("\n")
    assert 0 < len(first) < 80
    assert first.endswith((".", "``"))
    assert rest == "" or rest.startswith("\n")


@pytest.mark.parametrize("name", rules.__all__)
def test_public_methods_of_rules_have_docstrings(name: str) -> None:
    cls = getattr(rules, name)
    methods = [m for m, thing in vars(cls).items() if inspect.isfunction(thing) and m[0] != "_"]
    assert [m for m in methods if not getattr(cls, m).__doc__] == []


def packages() -> set[str]:
    """Return the packages and modules that lie directly in the source."""
    files = {path.stem for path in SOURCE.glob("*.py") if not path.stem.startswith("__")}
    return files | {path.parent.name for path in SOURCE.glob("*/__init__.py")}


def contracts() -> dict[str, dict[str, Any]]:
    """Return the import contracts by their kind."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {each["type"]: each for each in config["tool"]["importlinter"]["contracts"]}


def test_the_plan_draws_the_layers_of_the_import_contract() -> None:
    layers = contracts()["layers"]["layers"]
    assert "```text\n{}\n```".format("\n".join(layers)) in HOUSE
    assert sorted(name for layer in layers for name in layer.split(" | ")) == sorted(packages())


def test_the_plan_has_a_sentence_for_every_package_and_for_no_other() -> None:
    rows = re.findall(r"^\| `(\w+)(?:/|\.py)` \| ([A-Z].*?[.?]) \|", HOUSE, re.MULTILINE)
    assert sorted(name for name, _ in rows) == sorted(packages())


def test_libraries_of_frames_and_pictures_are_kept_out_of_every_package_below_plots() -> None:
    above = {"cli", "integrations", "report", "plots"}
    kept_out = {
        name.removeprefix("properly.") for name in contracts()["forbidden"]["source_modules"]
    }
    assert kept_out == packages() - above


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_path_that_a_page_names_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    paths = {path.rstrip(".") for pattern in PATHS for path in pattern.findall(text)}
    named = [path for path in paths if not path.startswith(PRODUCED)]
    folders = (ROOT, page.parent, SOURCE)
    assert [p for p in named if not any(any(folder.glob(p)) for folder in folders)] == []


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_name_of_the_library_on_a_page_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name in set(re.findall(r"(?<![\w./@-])properly(?!\.md)(?:\.[A-Za-z]\w*)+", text)):
        if not name.startswith("properly.integrations."):  # whose frameworks may not be there
            assert_is_there(name)


def assert_is_there(name: str) -> None:
    """Follow a dotted name from the top, through modules and classes."""
    thing: Any = properly
    for part in name.split(".")[1:]:
        assert hasattr(thing, part) or part in getattr(thing, "__annotations__", {}), name
        thing = getattr(thing, part, None)
