"""Files: writing that is whole or not at all, and reading that says in words what failed.

`write_whole` writes any file under another name, which nobody takes for that of a whole one, onto
the disk, and then gives it its own. All files that are written `together` get their names at the
end, once all of them are on the disk. A run that ends in the midst removes its parts, unless it is
killed without notice; what it leaves is removed by one that writes into the folder a day later.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from tempfile import mkdtemp
from time import time
from typing import BinaryIO, NamedTuple, NoReturn
from zipfile import BadZipFile

from properly._boundary._text import printable
from properly.errors import DataError

# Seconds after which nobody writes a part any more.
DAY = 86_400
# The disk, one's share of it, or the longest file it can hold.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# What is raised over a file that is not what it seems.
ODD = (
    ArithmeticError,
    AttributeError,
    BadZipFile,
    EOFError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
)


class Damaged(Exception):  # noqa: N818
    """The content of a file is not what it must be."""


def read_bytes(path: str | os.PathLike[str], what: str, most: int) -> bytes:
    """Read a file whole, or one byte more than it may have."""
    with opened(path, what) as file:
        return file.read(most + 1)


@contextmanager
def opened(path: str | os.PathLike[str], what: str) -> Iterator[BinaryIO]:
    """Open a file to be read; say in words why it cannot be."""
    try:
        with Path(path).open("rb") as file:
            yield file
    except DataError:
        raise
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no file can have such a name"
        message = f"cannot read the {what} {printable(str(path))}: {why.lower()}"
        raise DataError(message) from None


def require(sound: object) -> None:
    """Refuse content that is not what it must be."""
    if not sound:
        raise Damaged


def write_whole(path: str | Path, content: str | bytes, *, overwrite: bool = True) -> Path:
    """Write a file so that it is never seen half written, whatever happens meanwhile.

    A link is followed, so that what it names is replaced. A file that is replaced keeps its
    permissions. What is no file at all, such as a pipe, is written to directly.

    Parameters
    ----------
    path : str or Path
        Where to write.
    content : str or bytes
        What to write. Text is encoded as UTF-8; what cannot be, a lone surrogate, is spelled out.
    overwrite : bool
        Whether a file that exists is replaced. If not, of two who write at once one is refused.

    Returns
    -------
    Path
        Where the file is, as it was given.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    with open_whole(path, overwrite=overwrite) as target:
        target.write(data)
    return Path(path)


class UnfinishedFile(NamedTuple):
    """A file that is not whole yet: its path, as it was given and without links, and its part."""

    given: Path
    target: Path
    path: Path
    overwrite: bool


class Group(NamedTuple):
    """What is written together: whole parts, and folders that were made for them."""

    parts: list[UnfinishedFile]
    folders: list[Path]


_GROUP: ContextVar[Group | None] = ContextVar("group", default=None)
# Files and folders that this process has begun and not cleared away.
_NAMES: set[Path] = set()
_FOLDERS: set[Path] = set()


@contextmanager
def open_whole(path: str | Path, *, overwrite: bool = True) -> Iterator[BinaryIO]:
    """Open a file to be written piece by piece, as `write_whole` writes it at once."""
    file = Path(path)
    require_writable(file, overwrite=overwrite)
    with together() as group, in_words(file):
        if _is_special(file):
            with file.open("wb") as pipe:
                yield pipe
            return
        target = Path(os.path.realpath(file))
        _remove_left(target.parent)
        path = target.parent / f".properly-{secrets.token_hex(8)}.part"
        _NAMES.add(path)
        try:
            with path.open("xb") as unfinished:
                # Before it holds anything that others may not read.
                with suppress(FileNotFoundError):
                    path.chmod(stat.S_IMODE(target.stat().st_mode) & 0o777)
                yield unfinished
                unfinished.flush()
                os.fsync(unfinished.fileno())
        except BaseException:
            _discard(path)
            raise
        group.parts.append(UnfinishedFile(file, target, path, overwrite))


@contextmanager
def together() -> Iterator[Group]:
    """Write several files, which get their names at the end; if one cannot be written, none does.

    What is no file, such as a pipe, is written at once. Within another `together` this is nothing.
    """
    outer = _GROUP.get()
    if outer is not None:
        yield outer
        return
    group = Group([], [])
    token = _GROUP.set(group)
    try:
        try:
            yield group
        finally:
            _GROUP.reset(token)
        _finish(group.parts)
    finally:
        for part in group.parts:
            _discard(part.path)
        for folder in reversed(group.folders):
            # One that has got its files is not empty, and stays.
            with suppress(OSError):
                folder.rmdir()


def _finish(parts: list[UnfinishedFile]) -> None:
    """Give all parts their names: new names first, so that none is given if one is taken."""
    added: list[UnfinishedFile] = []
    try:
        for part in parts:
            if not part.overwrite:
                with in_words(part.given):
                    _add(part.path, part.target)
                added.append(part)
        for part in parts:
            if part.overwrite:
                with in_words(part.given):
                    part.path.replace(part.target)
    except BaseException:
        for part in added:
            part.target.unlink(missing_ok=True)
        raise


def _add(path: Path, target: Path) -> None:
    """Give a file a second name, unless it is taken; no other file can come in between."""
    try:
        os.link(path, target)
    except FileExistsError:
        raise
    except (OSError, AttributeError):
        # Some disks allow one name per file: take the name, then fill it.
        target.touch(exist_ok=False)
        try:
            path.replace(target)
        except BaseException:
            target.unlink(missing_ok=True)
            raise


@contextmanager
def in_words(path: Path) -> Iterator[None]:
    """Say what the system refused in words."""
    try:
        yield
    except FileExistsError:
        message = f"{_shown(path)} exists already and is not overwritten"
        raise DataError(message, hint="choose another name, or pass overwrite=True.") from None
    except OSError as error:
        reason = error.strerror or "it failed"
        message = f"cannot write to {_shown(path)}: {reason[0].lower()}{reason[1:]}"
        if error.errno in NO_ROOM:
            message = f"there is no room left on the disk for {_shown(path)}; nothing was written"
        raise DataError(message) from None


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder for the time being; `remove_all` ends a removal that was interrupted."""
    folder = Path(mkdtemp(prefix="properly-"))
    _FOLDERS.add(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _FOLDERS.discard(folder)


def remove_all() -> None:
    """Remove all that this process has not finished; for when it ends in the midst of it."""
    for path in list(_NAMES):
        _discard(path)
    for folder in list(_FOLDERS):
        shutil.rmtree(folder, ignore_errors=True)


def _discard(path: Path) -> None:
    """Remove a file if it is there."""
    # If it stays, the reason why it was not finished is better told than that.
    with suppress(OSError):
        path.unlink(missing_ok=True)
    _NAMES.discard(path)


def _remove_left(folder: Path) -> None:
    """Remove the parts of runs that were killed, which are files and no longer written."""
    for path in folder.glob(".properly-*.part"):
        with suppress(OSError):
            found = path.lstat()
            if stat.S_ISREG(found.st_mode) and time() - found.st_mtime > DAY:
                path.unlink()


def require_writable(path: str | Path, *, overwrite: bool) -> None:
    """Refuse, before long work, to write where there is no folder, no permission or no need."""
    file = Path(path)
    _require_name(file)
    with in_words(file):
        target = Path(os.path.realpath(file))
        if _is_special(file):
            return
        if target.is_dir():
            message = f"{_shown(file)} is a directory"
            raise DataError(message, hint="give the name of a file in it.")
        _require_folder(file, target.parent)
        if target.exists() and not overwrite:
            raise FileExistsError
        if not os.access(target if target.exists() else target.parent, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def require_folder(path: str | Path) -> None:
    """Refuse, before long work, a folder that is none and cannot be made."""
    folder = Path(path)
    _require_name(folder)
    with in_words(folder):
        if folder.is_dir():
            return
        if folder.exists():
            _refuse_as_folder(folder)
        require_writable(folder, overwrite=False)


def make_folder(path: str | Path) -> Path:
    """Make a folder unless it is there; it goes again if what is written together fails."""
    require_folder(path)
    folder, group = Path(path), _GROUP.get()
    with in_words(folder), suppress(FileExistsError):
        folder.mkdir()
        if group is not None:
            group.folders.append(folder)
    return folder


def _require_name(path: Path) -> None:
    """Refuse what the system could not even look for."""
    try:
        valid = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        valid = False
    if not valid:
        message = f"{_shown(path)} is no name that a file can have"
        raise DataError(message, hint="leave out characters that cannot be written.")


def _refuse_as_folder(shown: Path) -> NoReturn:
    message = f"{_shown(shown)} is a file, not a folder"
    raise DataError(message)


def _require_folder(file: Path, folder: Path) -> None:
    # As the user wrote it, unless a link leads to another one.
    shown = file.parent if os.path.realpath(file.parent) == str(folder) else folder
    if not folder.exists():
        message = f"the folder {_shown(shown)} does not exist"
        raise DataError(message, hint="make it first, or write elsewhere.")
    if not folder.is_dir():
        _refuse_as_folder(shown)
    # A file is replaced by a new one, which the folder must take.
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _is_special(path: Path) -> bool:
    """Tell pipes and devices, which must not be replaced, from files, folders and nothing."""
    with suppress(FileNotFoundError, NotADirectoryError):
        mode = path.stat().st_mode
        return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
    return False


def _shown(path: Path) -> str:
    return printable(str(path))
