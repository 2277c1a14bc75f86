"""Where a small mistake can be made in a file, and what its text then is.

Mistakes are made in the text, at the places that the syntax tree names: a mutant is the file with a
few characters changed. What is only said is left alone: docstrings, messages, annotations,
decorators, what a type checker reads, and options that change no number.
"""

from __future__ import annotations

import ast
import hashlib
import re
import warnings
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

OPERATORS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.MatMult: ("@", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "|"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}
COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
SIGNS: dict[type[ast.unaryop], str] = {ast.Not: "not", ast.USub: "-", ast.Invert: "~"}
# Operands of these may change places.
SYMMETRIC = {
    *("max", "min", "maximum", "minimum", "fmax", "fmin", "logaddexp", "isclose", "gcd", "hypot"),
    *("equal", "not_equal", "array_equal"),
}
LIBRARIES = {"np", "xp", "math", "nw", "scipy", "special", "operator", "itertools"}
# What these make of a number or a column is the same number, or the same column.
CONVERSIONS = {
    *("float", "int", "bool", "list", "tuple", "dict", "set", "asarray", "array", "cast"),
    *("read_only", "tolist", "item", "copy", "to_numpy", "ascontiguousarray", "iter", "next"),
}
# Without these nothing runs at all, which says little of tests.
NEEDED = {"len", "range", "enumerate", "namespace", "type", "items", "values", "keys", "names"}
UNREAD = {"annotation", "returns", "decorator_list", "type_params"}
LARGE = 1000

# A kind of mistake, the bytes that are replaced, and by what.
Change: TypeAlias = tuple[str, tuple[int, int], str]


class Mutant(NamedTuple):
    """A file with one small mistake.

    Attributes
    ----------
    path : str
        The file, as seen from the root of the repository.
    line : int
        Where the mistake begins.
    text : str
        That line as it stands.
    kind : str
        ``"operator"``, ``"constant"``, ``"comparison"``, ``"call"`` or ``"name"``.
    change : str
        What was written, and what is written instead.
    span : pair of int
        The bytes that are replaced.
    by : str
        What they are replaced by.
    statement : int
        The first line of the statement that it is in; 0 if that runs when the file is read.
    again : int
        How many like mistakes in like lines come before it in the file.
    """

    path: str
    line: int
    text: str
    kind: str
    change: str
    span: tuple[int, int]
    by: str
    statement: int
    again: int = 0

    @property
    def key(self) -> str:
        """A short name that stays as long as the line does, wherever in its file that stands."""
        parts = (self.path, self.text, self.change, str(self.again))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    def applied(self, source: bytes) -> bytes:
        """Make the mistake."""
        start, end = self.span
        return source[:start] + self.by.encode() + source[end:]


def mutants_of(path: str, source: bytes) -> list[Mutant]:
    """Find every mistake that can be made in a file, in the order of its lines."""
    found = sorted(_File(path, source).mutants(ast.parse(source)), key=lambda x: (x.span, x.by))
    seen: Counter[tuple[str, str]] = Counter()
    numbered = []
    for mutant in found:
        same = mutant.text, mutant.change
        numbered.append(mutant._replace(again=seen[same]))
        seen[same] += 1
    return numbered


def sampled(mutants: Iterable[Mutant], seed: int, count: int | None) -> list[Mutant]:
    """Choose some at random: a larger sample has the smaller one, a change of code few others."""
    order = sorted(mutants, key=lambda x: hashlib.sha256(f"{seed} {x.key}".encode()).digest())
    return order[:count]


def is_sound(mutant: Mutant, source: bytes) -> bool:
    """Tell whether Python takes the mutant without a word; tests have nothing to find else."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            compile(mutant.applied(source), mutant.path, "exec")
        except (SyntaxError, SyntaxWarning):
            return False
    return True


class _File:
    """The text of a file, by the places that nodes have in it."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path, self.source = path, source
        self.lines = source.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        # Calls that are statements: as such they are left out already.
        self.alone: set[ast.AST] = set()

    def mutants(self, node: Any, statement: int = 0) -> Iterator[Mutant]:
        """Find the mistakes that can be made at a node and below it."""
        if _is_said(node):
            return
        if isinstance(node, ast.stmt) and statement:
            statement = node.lineno
        for kind, span, by in self.changes(node):
            yield self.mutant(kind, span, by, statement)
        for name, value in ast.iter_fields(node):
            if name in UNREAD:
                continue
            # What stands in a function runs when it is called; its defaults when it is made.
            starts = name == "body" and isinstance(node, ast.FunctionDef | ast.Lambda)
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from self.mutants(child, node.lineno if starts else statement)

    def changes(self, node: ast.AST) -> Iterator[Change]:
        """Return the mistakes at a node itself."""
        match node:
            case ast.Constant(value) if isinstance(value, int | float):
                yield "constant", self.span(node), _other(value)
            case ast.Expr(ast.Call()):
                self.alone.add(node.value)
                yield "call", self.span(node), "pass"
            case ast.Call():
                yield from self.calls(node)
            case ast.Assign([ast.Tuple([one, other])]) | ast.For(ast.Tuple([one, other])):
                if _are_names(one, other):
                    yield self.swapped(one, other)
            case ast.expr() | ast.AugAssign():
                yield from self.operators(node)

    def operators(self, node: ast.AST) -> Iterator[Change]:
        """Put another operator in place of one, or another comparison."""
        match node:
            case ast.BinOp(left, op, right):
                yield from self.between("operator", left, right, *OPERATORS[type(op)])
                if isinstance(op, ast.Sub | ast.Div) and _are_names(left, right):
                    yield self.swapped(left, right)
            case ast.AugAssign(target, op, value):
                old, new = OPERATORS[type(op)]
                yield from self.between("operator", target, value, f"{old}=", f"{new}=")
            case ast.BoolOp(op, values):
                old, new = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
                for left, right in pairwise(values):
                    yield from self.between("operator", left, right, old, new)
            case ast.UnaryOp(op) if type(op) in SIGNS:
                start, _ = self.span(node)
                yield "operator", (start, start + len(SIGNS[type(op)])), ""
            case ast.Compare(left, ops, others):
                for (one, other), sign in zip(pairwise([left, *others]), ops, strict=True):
                    yield from self.between("comparison", one, other, *COMPARISONS[type(sign)])

    def calls(self, node: ast.Call) -> Iterator[Change]:
        """Leave out a call of one argument, or of a method; let the first two change places."""
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if len(node.args) > 1 and name not in SYMMETRIC and _are_names(*node.args[:2]):
            yield self.swapped(*node.args[:2])
        if node.keywords or name in CONVERSIONS | NEEDED or node in self.alone:
            return
        match node:
            case ast.Call(ast.Attribute(value), [] | [_]) if not _is_library(value):
                yield "call", self.span(node), f"({self.written(value)})"
            case ast.Call(_, [ast.Starred() | ast.GeneratorExp()]):
                return
            case ast.Call(_, [argument]):
                yield "call", self.span(node), f"({self.written(argument)})"

    def between(
        self, kind: str, left: ast.expr, right: ast.expr, old: str, new: str
    ) -> Iterator[Change]:
        """Change what stands between two operands."""
        start, end = self.span(left)[1], self.span(right)[0]
        gap = re.sub(rb"#[^\n]*", lambda comment: b" " * len(comment[0]), self.source[start:end])
        pattern = rb"\s+".join(re.escape(word).encode() for word in old.split())
        found = re.search(pattern, gap)
        if found is not None:
            yield kind, (start + found.start(), start + found.end()), new

    def swapped(self, one: ast.expr, other: ast.expr) -> Change:
        """Let two names change places."""
        (start, after), (before, end) = self.span(one), self.span(other)
        middle = self.source[after:before].decode()
        return "name", (start, end), f"{self.written(other)}{middle}{self.written(one)}"

    def span(self, node: Any) -> tuple[int, int]:
        """Return the first byte of a node, and that behind its last."""
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset

    def written(self, node: ast.AST) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self.source[start:end].decode()

    def mutant(self, kind: str, span: tuple[int, int], by: str, statement: int) -> Mutant:
        """Describe a mistake by its line."""
        start, end = span
        line = self.source.count(b"\n", 0, start)
        text = self.lines[line].decode().strip()
        column = start - self.starts[line]
        old = " ".join(self.source[start:end].decode().split())
        place = len(self.lines[line][:column].decode().lstrip())
        change = f"{place}: {old} -> {' '.join(by.split()) or 'nothing'}"
        return Mutant(self.path, line + 1, text, kind, change, span, by, statement)


def _is_said(node: ast.AST) -> bool:
    """Tell what is only said, to a reader or a type checker, and options that change no number."""
    match node:
        case (
            ast.Raise() | ast.JoinedStr() | ast.Import() | ast.ImportFrom() | ast.Assert()
            | ast.If(ast.Name("TYPE_CHECKING"))
            | ast.Assign([ast.Name("__all__" | "message" | "hint")])
            | ast.Assign(value=ast.Call(ast.Name("TypeVar" | "ParamSpec")))
            | ast.Call(ast.Name("isinstance" | "issubclass" | "cast"))
            | ast.keyword("strict" | "copy" | "stacklevel" | "maxsize" | "message" | "hint")
            | ast.FunctionDef(decorator_list=[*_, ast.Name("overload" | "abstractmethod")])
        ):  # fmt: skip
            return True
    return False


def _is_library(node: ast.expr) -> bool:
    """Tell whether functions are taken from a library, rather than from a value."""
    return isinstance(node, ast.Name) and node.id in LIBRARIES


def _are_names(*nodes: ast.expr) -> bool:
    """Tell whether these are names, or members of what has one, and not the same."""
    plain = all(isinstance(node, ast.Name | ast.Attribute | ast.Subscript) for node in nodes)
    return plain and len({ast.dump(node) for node in nodes}) == len(nodes)


def _other(value: float) -> str:
    """Write another number: one more, twice a large one, or the other truth value."""
    if isinstance(value, bool):
        return str(not value)
    return repr(2 * value if value >= LARGE else value + 1)
