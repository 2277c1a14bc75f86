"""The documentation covers the doors, and draws the house as it is."""

from __future__ import annotations

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

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "properly"
REFERENCE = ROOT / "docs" / "reference"
HOUSE = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
DOORS = [
    "properly",
    "properly.datasets",
    "properly.errors",
    "properly.probability",
    "properly.plots",
    "properly.report",
    "properly.reproduce",
    "properly.rules",
    "properly.datasets",
    "properly.probability",
    "properly.typing",
]


def listed(page: Path) -> set[str]:
    """Return the full names in the autosummary tables of a page."""
    module, inside, found = "", False, set()
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.removeprefix(".. currentmodule:: ")
        inside = line.startswith(".. autosummary::") or (
            inside and (line.startswith("   ") or not line)
        )
        if inside and re.fullmatch(r"   \w+", line):
            found.add(f"{module}.{line.strip()}")
    return found


def public() -> dict[str, Any]:
    """Return every public object that is not itself a door, by full name."""
    found = {}
    for door in DOORS:
        module = importlib.import_module(door)
        found.update({f"{door}.{name}": getattr(module, name) for name in module.__all__})
    return {name: thing for name, thing in found.items() if not isinstance(thing, ModuleType)}


def documented() -> list[str]:
    """Return the names of public functions and classes that should carry an example."""
    return [
        name
        for name, thing in public().items()
        if (inspect.isfunction(thing) or inspect.isclass(thing))
        and name.rpartition(".")[0] not in {"properly.errors", "properly.typing"}
    ]


def test_the_doors_are_those_that_the_front_door_names() -> None:
    modules = {f"properly.{n}" for n in properly.__all__ if inspect.ismodule(getattr(properly, n))}
    assert {"properly", *modules} == set(DOORS)


@pytest.mark.parametrize("door", DOORS)
def test_every_public_name_of_a_door_is_on_its_page(door: str) -> None:
    names = {name for name in public() if name.rpartition(".")[0] == door}
    assert listed(REFERENCE / f"{door.rpartition('.')[2]}.md") == names


@pytest.mark.parametrize("name", documented())
def test_every_public_function_and_class_has_an_example(name: str) -> None:
    text = inspect.getdoc(public()[name]) or ""
    assert "Examples\n--------\n" in text
    assert "\n>>> " in text


@pytest.mark.parametrize("name", [n for n in public() if not n.startswith("properly.typing")])
def test_the_first_line_of_a_docstring_is_one_short_sentence(name: str) -> None:
    first, _, rest = (inspect.getdoc(public()[name]) or "").partition("\n")
    assert 0 < len(first) < 80
    assert first.endswith((".", "``"))
    assert rest == "" or rest.startswith("\n")


@pytest.mark.parametrize("name", rules.__all__)
def test_public_methods_of_rules_have_docstrings(name: str) -> None:
    cls = getattr(rules, name)
    methods = [m for m, thing in vars(cls).items() if inspect.isfunction(thing) and m[0] != "_"]
    assert [m for m in methods if not getattr(cls, m).__doc__] == []


def rooms() -> set[str]:
    """Return the files and folders that lie directly in the house."""
    files = {path.stem for path in SOURCE.glob("*.py") if not path.stem.startswith("__")}
    return files | {path.parent.name for path in SOURCE.glob("*/__init__.py")}


def contracts() -> list[dict[str, Any]]:
    """Return the import contracts, the layers first."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = config["tool"]["importlinter"]["contracts"]
    return found


def test_the_plan_draws_the_layers_of_the_import_contract() -> None:
    layers = contracts()[0]["layers"]
    # A room in parentheses has its place, but need not be built yet.
    built = [[n for n in re.findall(r"\w+", layer) if n in rooms()] for layer in layers]
    expected = "\n".join(" | ".join(names) for names in built if names)
    assert f"```text\n{expected}\n```" in HOUSE


def test_the_plan_names_every_room_and_no_other() -> None:
    told = re.findall(r"^\| (?:door|room) \| `(\w+)`", HOUSE, re.MULTILINE)
    assert sorted(told) == sorted({*rooms(), "__init__"})


def test_the_second_contract_covers_every_room_below_plots() -> None:
    layers, doors = contracts()
    below = layers["layers"][layers["layers"].index("plots") + 1 :]
    built = {name for layer in below for name in re.findall(r"\w+", layer)} & rooms()
    assert {f"properly.{room}" for room in built} == set(doors["source_modules"])
