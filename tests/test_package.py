"""What is published: its metadata, its extras, its README on the index, its pinned tools."""

from __future__ import annotations

import importlib.util
import json
import re
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import properly

ROOT = Path(__file__).resolve().parent.parent
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = CONFIG["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
TOOLS = (ROOT / "requirements" / "tools.txt").read_text(encoding="utf-8")
# For those who work on it, not with it.
OWN = {"test", "test-s3", "docs", "bench", "release"}


def script(name: str) -> Any:
    """Import a script beside the pinned tools."""
    path = ROOT / "requirements" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def name_of(requirement: str) -> str:
    return re.split(r"[\[><=;]", requirement)[0]


def test_every_extra_that_a_message_names_exists() -> None:
    code, guides = (ROOT / "src").rglob("*.py"), (ROOT / "docs").rglob("*.md")
    files = [*code, *guides, ROOT / "README.md"]
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    named = set(re.findall(r'extra="(\w+)"', text))
    named |= {
        x for some in re.findall(r"(?:properly|'\.)\[([a-z\d,]+)\]", text) for x in some.split(",")
    }
    # The extra ``app``, or the extras `torch` and `xgboost`; a docstring may break the line.
    lists = re.findall(r"\bextras?\s+(`+\w+`+(?:(?:,|,?\s+and)\s+`+\w+`+)*)", text)
    assert lists
    named |= {x for some in lists for x in re.findall(r"\w+", some.replace("and", ""))}
    assert named <= set(EXTRAS) - OWN


def test_the_readme_counts_packages_and_names() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    others = {name_of(r) for r in PROJECT["dependencies"]} - {"numpy", "scipy"}
    assert len(others) == 4
    assert "numpy, scipy and four small pure-Python packages" in readme
    names = [x for x in properly.__all__ if not isinstance(getattr(properly, x), ModuleType)]
    assert f"offers\n{len(names)} names for everyday use" in readme


def test_all_is_every_extra_for_users() -> None:
    (every,) = EXTRAS["all"]
    named = set(every.removeprefix("properly[").removesuffix("]").split(","))
    within = {
        x for extra in named for r in EXTRAS[extra] for x in re.findall(r"properly\[([\w,]+)\]", r)
    }
    assert named | within == set(EXTRAS) - OWN - {"all"}


def test_tools_are_pinned_and_what_users_install_is_not() -> None:
    pinned = set(re.findall(r"(?m)^([a-z0-9-]+)==", TOOLS))
    own = ("test", "docs", "release")
    tools = {name_of(r) for extra in own for r in EXTRAS[extra]} - {"properly"}
    users = {name_of(r) for r in PROJECT["dependencies"]}
    users |= {name_of(r) for extra in set(EXTRAS) - OWN for r in EXTRAS[extra]}
    libraries = {"pandas", "polars", "array-api-strict", "statsmodels"}
    assert pinned == tools - users - libraries


def test_the_lowest_versions_are_those_of_the_project() -> None:
    lowest = script("lowest").lowest()
    assert {r.replace("==", ">=") for r in lowest} >= set(PROJECT["dependencies"])
    assert {r.replace("==", ">=") for r in lowest} >= set(EXTRAS["plots"])
    others = {r for r in lowest if "==" not in r}
    assert others == {*script("lowest").OLD, *script("lowest").RUNNERS}


def test_pinning_anew_keeps_what_stands_around_the_versions() -> None:
    text = script("lock").locked("# why\npytest==0.1\n")
    assert text == f"# why\npytest=={pytest.__version__}\n"


def on_the_index() -> str:
    """Return the README as the index shows it."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    hook = CONFIG["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    for change in hook["substitutions"]:
        text = re.sub(change["pattern"], change["replacement"], text)
    return text


def test_links_and_pictures_of_the_readme_are_absolute_on_the_index() -> None:
    text = on_the_index()
    targets = [*re.findall(r"\]\(([^)]+)\)", text), *re.findall(r'src="([^"]+)"', text)]
    assert len(targets) > 20
    assert [x for x in targets if not x.startswith(("https://", "#"))] == []


def test_the_index_says_how_to_install_without_a_clone() -> None:
    text = on_the_index()
    assert "pip install 'properly[app]'" in text
    assert "pip install properly " in text
    assert not re.search(r"pip install '?\.|[Ff]rom a clone", text)


def test_the_picture_of_the_readme_is_in_the_repository() -> None:
    pictures = re.findall(r"/docs/_static/([\w.]+)", on_the_index())
    assert pictures
    assert all((ROOT / "docs" / "_static" / name).exists() for name in pictures)


def test_the_version_is_the_same_wherever_it_is_written() -> None:
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"(?m)^version: (.*)$", cited) == [properly.__version__]
    assert PROJECT["dynamic"] == ["version", "readme"]


def test_the_archive_and_the_citation_agree() -> None:
    archive = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f'title: "{archive["title"]}"' in cited
    assert archive["license"] == PROJECT["license"]
    assert all(f"- {word}\n" in cited for word in archive["keywords"])


def test_the_papers_of_the_errata_are_the_references_of_the_citation() -> None:
    errata = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    papers = re.findall(r"\[(?:doi:)?((?:10\.|arXiv:)[^\]]+)\]", errata)
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8").partition("references:")[2]
    assert papers == re.findall(r"(?:doi: |\")((?:10\.|arXiv:)[^\"\n]+)", cited)


def test_workflows_name_commands_that_exist() -> None:
    targets = set(re.findall(r"(?m)^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8")))
    files = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    called = {
        name for file in files for name in re.findall(r"make ([a-z-]+)", file.read_text("utf-8"))
    }
    assert called
    assert called <= targets
