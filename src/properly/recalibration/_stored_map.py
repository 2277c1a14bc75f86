"""Stored maps: JSON that `Map.save` wrote, read back strictly. Nothing in it is run.

**How a new kind joins.** A line in `KINDS`: the class, and a reader for each parameter that its
``_written`` writes. A reader takes the JSON and the place where it stands, checks it, and returns
what the class takes under the same name. Whatever concerns several parameters at once is a `check`
of the map that was made.
"""

from __future__ import annotations

import json
import math
import re
import reprlib
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, get_args

import numpy as np

from properly._boundary._files import read_bytes
from properly.errors import ArgumentTypeError, DataError, ProperlyError
from properly.recalibration._group_maps import GroupShift, Separate
from properly.recalibration._isotonic_map import Interpolation, Isotonic, Knots
from properly.recalibration._log_odds_maps import (
    Atoms,
    Beta,
    Identity,
    Intercept,
    Logistic,
    LogOddsMap,
    PriorShift,
)
from properly.recalibration._map import FORMAT, VERSION, Composition, Inverse, Map
from properly.recalibration._reduction_maps import Cuts, OneVsRest
from properly.recalibration._softmax_maps import Dirichlet, Vector
from properly.recalibration._temperature import Temperature
from properly.recalibration._training import Training
from properly.recalibration._venn_abers import CrossVennAbers, Merge, Pairs, VennAbers

if TYPE_CHECKING:
    import os

    from properly.typing import Column

Reader = Callable[[Any, str], Any]
Readers = Mapping[str, Reader]
# A curve of a million knots is a third of it. Entries are bounded too: each takes more memory than
# its few letters in the file.
LARGEST = 128 * 2**20
ENTRIES, GROUPS = 8_000_000, 1_000_000
DAMAGED = "it was changed or damaged after it was saved; save the map once more."


def load(path: str | os.PathLike[str]) -> Map:
    """Read a map that `Map.save` wrote.

    The file is plain JSON and nothing in it is run. All of it is checked: names, kinds and ranges
    of numbers, the order of knots.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    Map
        The map that was saved, to the last digit.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from properly.recalibration import Logistic, load
    >>> with TemporaryDirectory() as folder:
    ...     path = Logistic(intercept=0.1, slope=0.9).save(Path(folder) / "map.json")
    ...     load(path)
    Logistic(intercept=0.1, slope=0.9)
    """
    return loads(read_bytes(path, "map", LARGEST))


def loads(text: str | bytes) -> Map:
    """Read a map that `Map.dumps` wrote.

    Parameters
    ----------
    text : str or bytes
        JSON, as UTF-8 if it is bytes.

    Returns
    -------
    Map
        The map that was written, to the last digit.

    Examples
    --------
    >>> from properly.recalibration import Logistic, loads
    >>> loads(Logistic(intercept=0.1, slope=0.9).dumps())
    Logistic(intercept=0.1, slope=0.9)
    """
    _require_small(text)
    try:
        return _map(_parse(text), "")
    except RecursionError:
        message = "a stored map must not be nested this deeply"
        raise DataError(message, hint=DAMAGED) from None


def _require_small(text: str | bytes) -> None:
    """Refuse what would need much more memory than any map."""
    if not isinstance(text, str | bytes):
        message = f"a stored map must be text; got {type(text).__name__}"
        raise ArgumentTypeError(message, hint="load(path) reads a file.")
    if len(text) > LARGEST:
        message = f"a stored map must have at most {LARGEST // 2**20} MiB; this one has more"
        raise DataError(message, hint="fit it to rounded forecasts, or to fewer cases.")
    entry, groups = (",", "[{") if isinstance(text, str) else (b",", (b"[", b"{"))
    if text.count(entry) > ENTRIES or sum(map(text.count, groups)) > GROUPS:  # type: ignore[arg-type]
        message = (
            f"a stored map must have at most {ENTRIES:,} entries in {GROUPS:,} lists; "
            "this one has more"
        )
        raise DataError(message, hint="fit it to rounded forecasts, or to fewer cases.")


def _parse(text: str | bytes) -> Any:
    """Read JSON without duplicate names and without NaN."""
    try:
        text = text.decode() if isinstance(text, bytes) else text
        return json.loads(text, object_pairs_hook=_without_twins, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        message = f"a stored map must be UTF-8; byte {error.start} is not"
        raise DataError(message, hint=DAMAGED) from None
    except json.JSONDecodeError as error:
        message = f"a stored map must be JSON; line {error.lineno} is not: {error.msg.lower()}"
        raise DataError(message, hint=DAMAGED) from None
    except DataError:
        raise
    except ValueError:
        # Whole numbers of thousands of digits.
        message = "numbers in a stored map must be doubles; one has thousands of digits"
        raise DataError(message, hint=DAMAGED) from None


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        twin = Counter(name for name, _ in pairs).most_common(1)[0][0]
        message = f"names in a stored map must differ; {reprlib.repr(twin)} is there twice"
        raise DataError(message, hint=DAMAGED)
    return result


def _refuse_constant(name: str) -> NoReturn:
    message = f"numbers in a stored map must be finite; got {name}"
    raise DataError(message, hint=DAMAGED)


def _refuse(where: str, rule: str, value: Any) -> NoReturn:
    message = f"{where} of a stored map must be {rule}; got {reprlib.repr(value)}"
    raise DataError(message, hint=DAMAGED)


# Readers of values.


def number(x: Any, where: str) -> float:
    """Read a number; whole ones are floats as well."""
    try:
        value = float(x) if type(x) in (int, float) else math.nan
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        _refuse(where, "a finite number", x)
    return value


def slope(x: Any, where: str) -> float:
    """Read a number that is not negative."""
    value = number(x, where)
    return value if value >= 0 else _refuse(where, "0 or more", x)


def rate(x: Any, where: str) -> float:
    """Read a number strictly between 0 and 1."""
    value = number(x, where)
    return value if 0 < value < 1 else _refuse(where, "between 0 and 1, both left out", x)


def probability(x: Any, where: str) -> float:
    """Read a number in [0, 1]."""
    value = number(x, where)
    return value if 0 <= value <= 1 else _refuse(where, "in [0, 1]", x)


def flag(x: Any, where: str) -> bool:
    """Read true or false."""
    return x if isinstance(x, bool) else _refuse(where, "true or false", x)


def positive(x: Any, where: str) -> float:
    """Read a number above 0."""
    value = number(x, where)
    return value if value > 0 else _refuse(where, "above 0", x)


def count(x: Any, where: str) -> int:
    """Read a whole number, 1 or more."""
    return x if type(x) is int and x > 0 else _refuse(where, "a whole number, 1 or more", x)


def tally(x: Any, where: str) -> int:
    """Read a whole number, 0 or more."""
    return x if type(x) is int and x >= 0 else _refuse(where, "a whole number, 0 or more", x)


def words(x: Any, where: str) -> str:
    """Read text that can be written again."""
    # Half of a pair of surrogates is no letter.
    if not isinstance(x, str) or (not x.isascii() and re.search("[\ud800-\udfff]", x)):
        _refuse(where, "text", x)
    return x


def one_of(*choices: Any) -> Reader:
    """Read one of a few words."""

    def read(x: Any, where: str) -> Any:
        if not any(x is choice or (isinstance(x, str) and x == choice) for choice in choices):
            listed = " or ".join(json.dumps(choice) for choice in choices)
            _refuse(where, listed, x)
        return x

    return read


def or_null(reader: Reader) -> Reader:
    """Read null as None."""
    return lambda x, where: None if x is None else reader(x, where)


def items(reader: Reader) -> Reader:
    """Read a list of at least one thing, each by a reader."""

    def read(x: Any, where: str) -> tuple[Any, ...]:
        if not isinstance(x, list) or not x:
            _refuse(where, "a list, not empty", x)
        return tuple(reader(item, f"{where}[{k}]") for k, item in enumerate(x))

    return read


def numbers(x: Any, where: str) -> Column:
    """Read a list of at least one finite number, at once, since there may be a million."""
    if not isinstance(x, list) or not x or not set(map(type, x)) <= {int, float}:
        _refuse(where, "a list of numbers, not empty", x)
    try:
        column = np.array(x, dtype=np.float64)
    except OverflowError:
        column = np.array([math.inf])
    if not np.isfinite(column).all():
        _refuse(where, "finite numbers", x)
    return column


def one_or_more(reader: Reader) -> Reader:
    """Read one thing, or a list of them, one a class."""
    return lambda x, where: (items(reader) if isinstance(x, list) else reader)(x, where)


def label(x: Any, where: str) -> Any:
    """Read the label of a class: text, a number, or a truth value."""
    return x if isinstance(x, bool) or type(x) in (int, float) else words(x, where)


def rows(x: Any, where: str) -> Column:
    """Read a matrix of numbers, by rows."""
    lines = items(numbers)(x, where)
    if len({len(line) for line in lines}) > 1:
        _refuse(where, "rows of equal length", [len(line) for line in lines])
    return np.stack(lines)


def by_name(reader: Reader) -> Reader:
    """Read an object of any names, each by the same reader."""

    def read(x: Any, where: str) -> dict[str, Any]:
        if not isinstance(x, dict) or not x:
            _refuse(where, "an object, not empty", x)
        return {words(k, where): reader(v, f"{where}.{k}") for k, v in x.items()}

    return read


def fields(
    x: Any, where: str, required: Readers, optional: Readers | tuple[()] = ()
) -> dict[str, Any]:
    """Read an object of certain names, each by its reader."""
    if not isinstance(x, dict):
        _refuse(where, "an object", x)
    missing = [name for name in required if name not in x]
    extra = [name for name in x if name not in required and name not in optional]
    if missing or extra:
        listed = ", ".join(required) or "no names"
        what = f"{missing[0]} is missing" if missing else f"{reprlib.repr(extra[0])} is another"
        message = f"{where} of a stored map must have {listed}; {what}"
        raise DataError(message, hint=DAMAGED)
    readers = {**required, **dict(optional)}
    return {name: read(x[name], f"{where}.{name}") for name, read in readers.items() if name in x}


def _columns(x: Any, where: str, names: tuple[str, ...]) -> list[Column]:
    """Read columns of numbers in [0, 1], equally long; the first increases, no other falls."""
    first, *others = fields(x, where, dict.fromkeys(names, numbers)).values()
    for name, column in zip(names, (first, *others), strict=True):
        if len(column) != len(first):
            lengths = (len(first), len(column))
            _refuse(where, "columns of equal length", lengths)
        if not (column.min() >= 0 and column.max() <= 1):
            _refuse(f"{where}.{name}", "in [0, 1]", _at_worst(column, (column < 0) | (column > 1)))
        steps = np.diff(column)
        bad = steps <= 0 if name == "p" else steps < 0
        if bad.any():
            rule = "increasing" if name == "p" else "never falling"
            row = int(np.argmax(bad))
            _refuse(f"{where}.{name}", rule, column[row : row + 2].tolist())
    return [first, *others]


def _at_worst(column: Column, bad: Column) -> float:
    return float(column[int(np.argmax(bad))])


def knots(x: Any, where: str) -> Knots:
    """Read the knots of a curve."""
    return Knots(*_columns(x, where, Knots._fields))


def pairs(x: Any, where: str) -> Pairs:
    """Read the knots of a pair of curves, the lower one first."""
    result = Pairs(*_columns(x, where, Pairs._fields))
    crossed = ~((result.p0 <= result.p1) & (result.p0 < 1) & (result.p1 > 0))
    if crossed.any():
        row = int(np.argmax(crossed))
        rule = "pairs with p0 <= p1, p0 < 1 and p1 > 0"
        _refuse(where, rule, (float(result.p0[row]), float(result.p1[row])))
    return result


def stored(make: type[Map] = Map) -> Reader:
    """Read a map inside another one, of any kind or of one."""

    def read(x: Any, where: str) -> Map:
        result = _map(x, f"{where}.")
        if not isinstance(result, make):
            _refuse(where, f"of kind {make.kind}", result.kind)
        return result

    return read


# Kinds of maps.


def _require_uncertain(x: Isotonic) -> None:
    if x.shrink > 0 and x.knots is not None and not (x.knots.q[0] > 0 and x.knots.q[-1] < 1):
        ends = (float(x.knots.q[0]), float(x.knots.q[-1]))
        _refuse("parameters.knots.q", "between 0 and 1, both left out, unless shrink is 0", ends)


def _require_strict(x: Inverse) -> None:
    if x.map.monotone != "strictly":
        _refuse("parameters.map", "strictly increasing, since it is undone", x.map)


def _require_alike(x: Composition) -> None:
    subjects = {(one.of, getattr(one, "labels", None)) for one in x.maps}
    if len(subjects) > 1:
        _refuse("parameters.maps", "all of an event, or of the same classes", x.maps)


class Kind(NamedTuple):
    """How maps of a kind are read.

    Attributes
    ----------
    make : type
        The class.
    parameters : mapping
        A reader for each parameter that is always there.
    optional : mapping
        A reader for each that may be left out.
    check : callable
        Refuses a map whose parameters do not go together.
    of : {"event", "classes"}
        What its maps are for.
    """

    make: type[Map]
    parameters: Readers
    optional: Readers | tuple[()] = ()
    check: Callable[[Any], None] = lambda _: None
    of: str = "event"


LINE = {"separated": flag}
PRIOR: Readers = {"labels": items(label), "prior": or_null(positive)}
REDUCTION: Readers = {
    "maps": items(stored()),
    "labels": items(label),
    "changes_top_class": or_null(tally),
}
REPAIRED: Readers = {"common_slope": flag, "repaired": or_null(tally), "zeros": or_null(tally)}
SHIFTS: Readers = {
    "intercept": number,
    "slope": slope,
    "groups": by_name(number),
    "otherwise": number,
    "between": or_null(slope),
    "smooth": flag,
}
KINDS = {
    (kind.make.kind, kind.of): kind
    for kind in (
        Kind(Identity, {}),
        Kind(Intercept, {"intercept": number, "smooth": flag}, LINE),
        Kind(Temperature, {"slope": slope, "smooth": flag}, LINE),
        Kind(Temperature, {"slope": slope, "smooth": flag, **PRIOR}, of="classes"),
        Kind(Logistic, {"intercept": number, "slope": slope, "smooth": flag}, LINE),
        Kind(Beta, {"a": slope, "b": slope, "c": number, "smooth": flag}, LINE),
        Kind(PriorShift, {"old": rate, "new": rate}),
        Kind(
            Isotonic,
            {"knots": knots, "interpolation": one_of(*get_args(Interpolation)), "shrink": slope},
            check=_require_uncertain,
        ),
        Kind(VennAbers, {"knots": pairs, "merge": one_of(*get_args(Merge))}),
        Kind(
            CrossVennAbers,
            {"maps": items(stored(VennAbers)), "merge": one_of(*get_args(Merge))},
        ),
        Kind(Vector, {"scale": numbers, "shift": numbers, **PRIOR}, of="classes"),
        Kind(
            Dirichlet,
            {"matrix": rows, "shift": numbers, **PRIOR, "off_diagonal": positive},
            of="classes",
        ),
        Kind(OneVsRest, REDUCTION, of="classes"),
        Kind(Cuts, {**REDUCTION, **REPAIRED}, of="classes"),
        Kind(GroupShift, SHIFTS, LINE),
        Kind(Separate, {"maps": by_name(stored())}),
        Kind(Composition, {"maps": items(stored())}, check=_require_alike),
        Kind(Composition, {"maps": items(stored())}, check=_require_alike, of="classes"),
        Kind(Inverse, {"map": stored()}, check=_require_strict),
    )
}


# The record around the parameters.


def _certain(x: Any, where: str) -> Any:
    """Read what forecasts of exactly 0 and 1 become, or a word for what is done with them."""
    if isinstance(x, str):
        return one_of("keep", "refuse")(x, where)
    return Atoms(*fields(x, where, dict.fromkeys("01", or_null(probability))).values())


def _range(x: Any, where: str) -> tuple[float, float]:
    low, *rest = items(probability)(x, where)
    if len(rest) != 1 or low > rest[0]:
        _refuse(where, "two numbers, the lesser first", x)
    return low, rest[0]


def _checksum(x: Any, where: str) -> str:
    if not isinstance(x, str) or not re.fullmatch("[0-9a-f]{64}", x):
        _refuse(where, "64 hexadecimal digits", x)
    return x


TRAINING: Readers = {
    "cases": or_null(count),
    "weight": slope,
    "effective": slope,
    "events": one_or_more(slope),
    "distinct": count,
    "mean_forecast": one_or_more(probability),
    "sha256": _checksum,
}
GAIN: Readers = {
    "rule": words,
    "folds": count,
    "design": words,
    "estimate": number,
    "low": number,
    "high": number,
    "nested": flag,
}


def _training(x: Any, where: str) -> Training:
    values = fields(x, where, TRAINING)
    return Training(_checksum=values.pop("sha256"), **values)


RECORD: Readers = {
    "format": one_of(FORMAT),
    "version": lambda x, _: x,
    "kind": words,
    "of": one_of("event", "classes"),
    "parameters": lambda x, _: x,
    "certain": _certain,
    "range": or_null(_range),
    "monotone": one_of("strictly", "weakly", False),
    "training": or_null(_training),
    "gain": or_null(lambda x, where: fields(x, where, GAIN)),
    "made_with": words,
    "notices": lambda x, where: items(words)(x, where) if x != [] else (),
}


def _map(x: Any, within: str) -> Map:
    """Read a map; `within` is where it stands in another one."""
    kind = _kind(x, within)
    record = {name: reader(x[name], within + name) for name, reader in RECORD.items()}
    where = f"{within}parameters"
    parameters = fields(record["parameters"], where, kind.parameters, kind.optional)
    about = {name: record[name] for name in ("range", "training", "gain", "notices")}
    try:
        result = kind.make(**parameters, **about, **_places(kind, record, within))
    except ProperlyError as error:
        # What the class itself refuses, such as numbers for other classes than it has.
        raise DataError(str(error).partition("\n\n")[0], hint=DAMAGED) from None
    if result.of != record["of"]:
        _refuse(f"{within}of", f'"{result.of}" for this kind', record["of"])
    _require_training(result, within)
    kind.check(result)
    return result


def _require_training(x: Map, within: str) -> None:
    """Refuse totals of other classes than the map has."""
    if x.training is None:
        return
    classes = None if x.of == "event" else len(x.labels)
    rule = "one number" if classes is None else f"{classes} numbers, one a class"
    for name in ("events", "mean_forecast"):
        value = getattr(x.training, name)
        if classes != (len(value) if isinstance(value, tuple) else None):
            _refuse(f"{within}training.{name}", rule, value)


def _places(kind: Kind, record: dict[str, Any], within: str) -> dict[str, Any]:
    """Return what a map does with forecasts of exactly 0 and 1, if it has a place for them."""
    certain = record["certain"]
    if isinstance(certain, str):
        places = {"certain": certain}
    else:
        places = {} if certain == Atoms() else {"atoms": certain}
    if places and not issubclass(kind.make, LogOddsMap):
        _refuse(f"{within}certain", "null at 0 and 1 for this kind", certain)
    if "atoms" in places and record["range"] is None:
        _refuse(f"{within}range", "there where 0 or 1 has a place of its own", None)
    return places


def _kind(x: Any, within: str) -> Kind:
    """Find how to read a map; name both versions if this one cannot."""
    subject = within.rstrip(".") or "the text"
    if not isinstance(x, dict) or x.get("format") != FORMAT:
        message = f"{subject} must be a map that properly has saved; this is none"
        raise DataError(message, hint="Map.save and Map.dumps write them.")
    version, kind = x.get("version"), x.get("kind")
    extra = [name for name in x if name not in RECORD]
    kinds = {name for name, _ in KINDS}
    odd = [
        (type(version) is not int or version != VERSION, "version", version),
        (not isinstance(kind, str) or kind not in kinds, "kind", kind),
        (bool(extra), "name", extra[0] if extra else None),
    ]
    for is_odd, what, value in odd:
        if is_odd:
            message = (
                f"a stored map must be of version {VERSION}, and of a kind that is known here; "
                f"the {what} {reprlib.repr(value)} is not. {_versions(x)}"
            )
            raise DataError(message, hint="pip install --upgrade properly")
    missing = [name for name in RECORD if name not in x]
    if missing:
        message = f"a stored map must have {', '.join(RECORD)}; {missing[0]} is missing"
        raise DataError(message, hint=DAMAGED)
    choices = [of for name, of in KINDS if name == kind]
    return KINDS[str(kind), one_of(*choices)(x["of"], f"{within}of")]


def _versions(x: dict[str, Any]) -> str:
    """Name both versions: of what wrote a map, and of what reads it."""
    import properly

    version, made = (reprlib.repr(x.get(name)) for name in ("version", "made_with"))
    return (
        f"It has version {version} and was made with {made}; "
        f"this is properly {properly.__version__}"
    )
