"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from properly._boundary._plain import printable
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

# The disk, one's share of it, or the longest file it can hold.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


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
    asked = Path(path)
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    require_writable(asked, overwrite=overwrite)
    with _told(asked):
        if _is_special(asked):
            asked.write_bytes(data)
        else:
            _write_beside(Path(os.path.realpath(asked)), data, overwrite=overwrite)
    return asked


def require_writable(path: str | Path, *, overwrite: bool) -> None:
    """Refuse, before long work, to write where there is no folder, no permission or no need."""
    asked = Path(path)
    _require_name(asked)
    with _told(asked):
        target = Path(os.path.realpath(asked))
        if _is_special(asked):
            return
        if target.is_dir():
            message = f"{_shown(asked)} is a directory"
            raise DataError(message, hint="give the name of a file in it.")
        _require_folder(asked, target.parent)
        if target.exists() and not overwrite:
            raise FileExistsError
        if not os.access(target if target.exists() else target.parent, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def require_folder(path: str | Path) -> None:
    """Refuse, before long work, a folder that is none and cannot be made."""
    folder = Path(path)
    _require_name(folder)
    with _told(folder):
        if folder.is_dir():
            return
        if folder.exists():
            _refuse_as_folder(folder)
        require_writable(folder, overwrite=False)


def make_folder(path: str | Path) -> Path:
    """Make a folder unless it is there; the one that it is in must be."""
    require_folder(path)
    folder = Path(path)
    with _told(folder):
        folder.mkdir(exist_ok=True)
    return folder


def _require_name(path: Path) -> None:
    """Refuse what the system could not even look for."""
    try:
        known = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        known = False
    if not known:
        message = f"{_shown(path)} is no name that a file can have"
        raise DataError(message, hint="leave out characters that cannot be written.")


def _refuse_as_folder(shown: Path) -> NoReturn:
    message = f"{_shown(shown)} is a file, not a folder"
    raise DataError(message)


def _require_folder(asked: Path, folder: Path) -> None:
    # As the user wrote it, unless a link leads to another one.
    shown = asked.parent if os.path.realpath(asked.parent) == str(folder) else folder
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


def _write_beside(target: Path, data: bytes, *, overwrite: bool) -> None:
    """Write a file of another name in the same folder, safely onto the disk, then rename it."""
    temporary = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with temporary.open("xb") as file:
            _copy_permissions(target, temporary)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        (_replace if overwrite else _add)(temporary, target)
    finally:
        # Gone already if all went well; if not, the reason is better told than that it stayed.
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _copy_permissions(source: Path, target: Path) -> None:
    """Give a new file those of the old one, before it holds anything that others may not read."""
    with suppress(FileNotFoundError):
        target.chmod(stat.S_IMODE(source.stat().st_mode) & 0o777)


def _replace(temporary: Path, target: Path) -> None:
    temporary.replace(target)


def _add(temporary: Path, target: Path) -> None:
    """Rename a file unless there is one of the new name; no other can come in between."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except (OSError, AttributeError):
        # Not every disk has a second name for a file. The name is taken first, then filled.
        target.touch(exist_ok=False)
        try:
            temporary.replace(target)
        except BaseException:
            target.unlink(missing_ok=True)
            raise


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say what the system refused in words."""
    try:
        yield
    except FileExistsError:
        message = f"{_shown(path)} exists already and is not overwritten"
        hint = "choose another name, or pass overwrite=True (--force on the command line)."
        raise DataError(message, hint=hint) from None
    except OSError as error:
        reason = error.strerror or "it failed"
        message = f"cannot write to {_shown(path)}: {reason[0].lower()}{reason[1:]}"
        if error.errno in NO_ROOM:
            message = f"there is no room left on the disk for {_shown(path)}; nothing was written"
        raise DataError(message) from None


def _shown(path: Path) -> str:
    return printable(str(path))
