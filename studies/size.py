"""How large the library is: figures that may fall and not rise, counted from the sources.

Run as ``make size``. ``tests/test_size.py`` holds each figure at or below its ceiling; a change
that makes the library smaller lowers the ceiling.
"""

from __future__ import annotations

import ast
import keyword
import tokenize
from collections import Counter, defaultdict
from functools import cache
from io import StringIO
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "properly"
# As many lines in two places are a copy.
COPIED = 6


def sources() -> list[Path]:
    """Return the modules of the library."""
    return sorted(PACKAGE.rglob("*.py"))


@cache
def tree_of(path: Path) -> ast.Module:
    """Parse a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


def docstring_lines(tree: ast.Module) -> set[int]:
    """Return the numbers of the lines of docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    first = [node.body[0] for node in ast.walk(tree) if isinstance(node, documented) and node.body]
    return {
        line
        for node in first
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def code_lines(paths: Iterable[Path]) -> int:
    """Count lines without docstrings, comments and blanks."""
    count = 0
    for path in paths:
        documented = docstring_lines(tree_of(path))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            text = line.strip()
            count += bool(text) and not text.startswith("#") and number not in documented
    return count


def public_names() -> int:
    """Count the names of ``__all__`` in packages without a leading underscore."""
    faces = [
        face
        for face in PACKAGE.rglob("__init__.py*")
        if face.suffix in (".py", ".pyi")
        and not any(part.startswith("_") for part in face.relative_to(PACKAGE).parts[:-1])
    ]
    return len({name for face in faces for name in _all_names(tree_of(face))})


def _all_names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(x, ast.Name) and x.id == "__all__" for x in targets):
            yield from ast.literal_eval(node.value)  # type: ignore[attr-defined]


def longest_chain() -> int:
    """Return how many modules stand in the longest chain of imports at run time."""
    modules = {_name(path): path for path in sources()}
    imports = {name: _imports(name, path, modules) for name, path in modules.items()}

    @cache
    def chain(name: str) -> int:
        return 1 + max((chain(other) for other in imports[name]), default=0)

    # Circles would recurse for ever; the import contracts refuse them.
    return max(map(chain, modules))


def _name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def _imports(name: str, path: Path, modules: dict[str, Path]) -> set[str]:
    """Return the modules that importing one imports at once."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found: set[str] = set()
    for node in tree_of(path).body:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            inner = [f"{base}.{alias.name}" for alias in node.names]
            found.update(x if x in modules else base for x in inner)
    return (found & modules.keys()) - {name}


def repeated(names: Iterable[str]) -> int:
    """Count the names that occur more than once."""
    return sum(count > 1 for count in Counter(names).values())


def class_names() -> Iterator[str]:
    """Yield the name of each class, without leading underscores."""
    for path in sources():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ClassDef):
                yield node.name.lstrip("_")


def copies() -> int:
    """Count pairs of places that share six lines or more, names, strings and numbers aside."""
    places = defaultdict(list)
    for path in sources():
        shapes = list(_shapes(path))
        for start in range(len(shapes) - COPIED + 1):
            places[tuple(shapes[start : start + COPIED])].append((path, start))
    pairs: set[tuple[Path, int, Path, int]] = set()
    for same in places.values():
        # A shape that stands in more places is how Python is written.
        if 1 < len(same) <= COPIED:
            pairs.update((*a, *b) for a, b in combinations(same, 2) if _are_apart(a, b))
    return sum((a, i - 1, b, j - 1) not in pairs for a, i, b, j in pairs)


def _are_apart(a: tuple[Path, int], b: tuple[Path, int]) -> bool:
    return a[0] != b[0] or b[1] - a[1] >= COPIED


def _shapes(path: Path) -> Iterator[str]:
    """Yield the lines of code of a module, its names, strings and numbers replaced."""
    documented = docstring_lines(tree_of(path))
    lines: dict[int, list[str]] = defaultdict(list)
    reader = StringIO(path.read_text(encoding="utf-8")).readline
    for token in tokenize.generate_tokens(reader):
        if token.start[0] not in documented and token.type in (tokenize.NAME, tokenize.OP):
            lines[token.start[0]].append(token.string if _is_shape(token) else "x")
        elif token.type in (tokenize.STRING, tokenize.NUMBER):
            lines[token.start[0]].append("x")
    for words in lines.values():
        # A lone bracket says nothing, and everybody imports.
        if len(words) > 2 and words[0] not in ("import", "from"):
            yield " ".join(words)


def _is_shape(token: tokenize.TokenInfo) -> bool:
    return token.type == tokenize.OP or keyword.iskeyword(token.string)


# What is counted, how, and the most that it may be.
FIGURES: dict[str, tuple[Callable[[], int], int]] = {
    "code lines": (lambda: code_lines(sources()), 46_350),
    "modules": (lambda: len(sources()), 255),
    "public names": (public_names, 234),
    "longest chain of imports": (longest_chain, 17),
    "module names used twice": (
        lambda: repeated(path.stem for path in sources() if not path.stem.startswith("__")),
        7,
    ),
    "class names used twice": (lambda: repeated(class_names()), 0),
    "private members of other classes": (
        lambda: sum(path.read_text(encoding="utf-8").count("noqa: SLF001") for path in sources()),
        10,
    ),
    "pairs of places that share six lines": (copies, 315),
    "code lines of tests": (lambda: code_lines((ROOT / "tests").rglob("*.py")), 65_100),
}


def main() -> None:
    """Print each figure beside its ceiling."""
    for name, (count, ceiling) in FIGURES.items():
        print(f"{count():>8,}  {name} (at most {ceiling:,})")  # noqa: T201


if __name__ == "__main__":
    main()
