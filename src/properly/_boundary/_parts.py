"""Parts: files that are being written, under names that nobody takes for those of whole ones.

Whoever writes a part holds a lock on it, which ends with the process, however that ends. A part
that nobody holds was left by a run that was killed: the next one that writes into the folder
removes it. All parts that are written `together` get their names at the end, or none of them does.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from properly._boundary._text import printable
from properly.errors import DataError

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows, where a file that is open cannot be renamed
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NAME = re.compile(r"\.properly-[0-9a-f]{16}\.part")
# The disk, one's share of it, or the longest file it can hold.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Part:
    """A file that is not whole yet, beside the one that it will be.

    Parameters
    ----------
    target : Path
        The file that it will be, all links followed.
    overwrite : bool
        Whether that one may be there already.
    given : Path
        The same file as the user has named it.
    """

    def __init__(self, target: Path, *, overwrite: bool, given: Path) -> None:
        self.target, self.overwrite, self.given = target, overwrite, given
        self.path = _new_name(target.parent)
        self.old: Path | None = None
        self.held: int | None = None
        self.identity: os.stat_result | None = None

    def open(self) -> BinaryIO:
        """Make the file and hold it."""
        while True:
            file = self.path.open("xb")
            self.identity = os.fstat(file.fileno())
            self.held = _hold(file.fileno())
            # Before it was held, another run may have taken it for one that was left.
            if self._is_at(self.path):
                return file
            file.close()
            self.release()

    def finish(self) -> None:
        """Give the file its name."""
        (_replace if self.overwrite else _add)(self.path, self.target)

    def undo(self) -> None:
        """Put back what was there before, if the file has got its name."""
        if not self.has_name():
            return
        if self.old is None:
            self.target.unlink()
        else:
            self.old.replace(self.target)

    def has_name(self) -> bool:
        """Tell whether the file has got its name."""
        return self._is_at(self.target)

    def remove(self) -> None:
        """Remove the file, unless it has its name."""
        _discard(self.path)
        self.release()

    def release(self) -> None:
        """Let go of the file."""
        if self.held is not None:
            os.close(self.held)
            self.held = None

    def _is_at(self, path: Path) -> bool:
        with suppress(FileNotFoundError):
            return self.identity is not None and os.path.samestat(self.identity, path.stat())
        return False


class Group(NamedTuple):
    """What is written together: whole parts, and folders that were made for them."""

    parts: list[Part]
    folders: list[Path]


_GROUP: ContextVar[Group | None] = ContextVar("group", default=None)


@contextmanager
def together() -> Iterator[None]:
    """Write several files of which all get their names at the end, or none does.

    What is no file, such as a pipe, is written at once. Within another `together` this is nothing.
    """
    if _GROUP.get() is not None:
        yield
        return
    group = Group([], [])
    token = _GROUP.set(group)
    try:
        try:
            yield
        finally:
            _GROUP.reset(token)
        _finish(group.parts)
    finally:
        for part in group.parts:
            part.remove()
        for folder in reversed(group.folders):
            # One that has got its files is not empty, and stays.
            with suppress(OSError):
                folder.rmdir()


@contextmanager
def open_part(target: Path, *, overwrite: bool, given: Path) -> Iterator[BinaryIO]:
    """Write a file under another name, safely onto the disk; then it gets its own.

    Parameters are those of `Part`.
    """
    _remove_left(target.parent)
    group, part = _GROUP.get(), Part(target, overwrite=overwrite, given=given)
    with ExitStack() as clearing:
        clearing.callback(part.remove)
        with part.open() as file:
            _copy_permissions(target, part.path)
            yield file
            file.flush()
            os.fsync(file.fileno())
        if group is None:
            _finish([part])
        else:
            group.parts.append(part)
            clearing.pop_all()


def make_together(folder: Path) -> None:
    """Make a folder unless it is there; it goes again if what is written together fails."""
    with suppress(FileExistsError):
        folder.mkdir()
        group = _GROUP.get()
        if group is not None:
            group.folders.append(folder)


@contextmanager
def in_words(path: Path) -> Iterator[None]:
    """Say what the system refused in words."""
    try:
        yield
    except FileExistsError:
        message = f"{printable(str(path))} exists already and is not overwritten"
        hint = "choose another name, or pass overwrite=True (--force on the command line)."
        raise DataError(message, hint=hint) from None
    except OSError as error:
        reason, shown = error.strerror or "it failed", printable(str(path))
        message = f"cannot write to {shown}: {reason[0].lower()}{reason[1:]}"
        if error.errno in NO_ROOM:
            message = f"there is no room left on the disk for {shown}; nothing was written"
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


# Files and folders that this process has begun and not cleared away.
_NAMES: set[Path] = set()
_FOLDERS: set[Path] = set()


def _new_name(folder: Path) -> Path:
    name = folder / f".properly-{secrets.token_hex(8)}.part"
    _NAMES.add(name)
    return name


def _hold(number: int, *, wait: bool = True) -> int | None:
    """Lock an open file, until what is returned is closed."""
    if fcntl is None:  # pragma: no cover - Windows
        return None
    held = os.dup(number)
    # Not every disk has locks. There, what is left is not removed either.
    with suppress(OSError):
        fcntl.flock(held, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    return held


def _remove_left(folder: Path) -> None:
    """Remove the parts of runs that were killed."""
    if fcntl is None:  # pragma: no cover - Windows
        return
    with suppress(OSError), os.scandir(folder) as entries:
        found = [entry.path for entry in entries if NAME.fullmatch(entry.name)]
        for path in found:
            _remove_unheld(path)


def _remove_unheld(path: str) -> None:
    """Remove a part that nobody holds, and that is ours to remove."""
    with suppress(OSError):
        # A name that someone else has made may lead anywhere.
        number = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            Path(path).unlink()
        finally:
            os.close(number)


def _copy_permissions(source: Path, target: Path) -> None:
    """Give a new file those of the old one, before it holds anything that others may not read."""
    with suppress(FileNotFoundError):
        target.chmod(stat.S_IMODE(source.stat().st_mode) & 0o777)


def _finish(parts: Sequence[Part]) -> None:
    """Give all parts their names; if one cannot have it, no other keeps its own."""
    with ExitStack() as clearing:
        try:
            for part in parts:
                with in_words(part.given):
                    # Once the last one has its name, nothing is undone.
                    if part is not parts[-1]:
                        part.old = _keep(part.target, clearing)
                    part.finish()
        except BaseException:
            if not parts[-1].has_name():
                for part in reversed(parts):
                    part.undo()
            raise


def _keep(target: Path, clearing: ExitStack) -> Path | None:
    """Give a file that is to be replaced a second name, or a copy, until all is done."""
    kept, held = _new_name(target.parent), None
    clearing.callback(_discard, kept)
    # Before it was held, another run may have taken it for one that was left.
    while not kept.exists():
        if held is not None:
            os.close(held)
            held = None
        try:
            os.link(target, kept)
        except FileNotFoundError:
            return None
        except (OSError, AttributeError):
            # Not every disk has a second name for a file.
            shutil.copy2(target, kept)
        with suppress(FileNotFoundError), kept.open("rb") as file:
            held = _hold(file.fileno(), wait=False)
    if held is not None:
        clearing.callback(os.close, held)
    return kept


def _discard(path: Path) -> None:
    """Remove a file if it is there."""
    # If it stays, the reason why it was not finished is better told than that.
    with suppress(OSError):
        path.unlink(missing_ok=True)
    _NAMES.discard(path)


def _replace(path: Path, target: Path) -> None:
    path.replace(target)


def _add(path: Path, target: Path) -> None:
    """Rename a file unless there is one of the new name; no other can come in between."""
    try:
        os.link(path, target)
    except FileExistsError:
        raise
    except (OSError, AttributeError):
        # Not every disk has a second name for a file. The name is taken first, then filled.
        target.touch(exist_ok=False)
        try:
            path.replace(target)
        except BaseException:
            target.unlink(missing_ok=True)
            raise
