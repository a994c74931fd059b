"""Write a file whole or not at all."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from models.errors import Fault, InputFault
from planner.files.source import STANDARD_INPUT, shown


def write_text_atomically(path: str | Path, text: str) -> None:
    """Put ``text`` in the file at ``path``, as UTF-8; see ``replacing``."""
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start]
        message = f"cannot be written: U+{ord(half):04X} in its text is no character."
        raise InputFault([Fault(shown(path), message)]) from None
    with replacing(path) as file:
        file.write(content)


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Give a file to write, which takes the place of ``path`` when the block ends well.

    A reader sees the old content or the new one, also after a crash; when the block fails, the old
    one stays. Mode bits of an existing file are kept; of a symbolic link the target is replaced.

    Raises
    ------
    InputFault
        When the file cannot be written, or ``path`` is there and is no regular file.
    """
    check_replaceable(path)
    try:
        target = Path(os.path.realpath(path))
        with _temporary_beside(target, _mode_of(target)) as file:
            yield file
    except OSError as error:
        message = f"cannot be written: {error.strerror or error}."
        raise InputFault([Fault(shown(path), message)]) from None


def check_replaceable(path: str | Path) -> None:
    """Refuse a path that no file can take the place of, before there is anything to write.

    Raises
    ------
    InputFault
        When its folder is not there, or it is no regular file itself, or stands for a stream.
    """
    if "\0" in str(path):
        raise InputFault([Fault(shown(path), "is no name that a file can have.")])
    if str(path) == STANDARD_INPUT:
        raise InputFault([Fault(shown(path), "stands for a stream, not for a file; name a file.")])
    target = Path(os.path.realpath(path))
    try:
        mode = _mode_of(target)
    except OSError as error:
        message = f"cannot be written: {error.strerror or error}."
        raise InputFault([Fault(shown(path), message)]) from None
    if mode is not None and not stat.S_ISREG(mode):
        # A rename would put a plain file in the place of a folder, a device or a pipe.
        raise InputFault([Fault(shown(path), "is no regular file; write to another name.")])
    if not target.parent.is_dir():
        raise InputFault([Fault(shown(path), f"there is no folder {shown(Path(path).parent)!r}.")])


@contextmanager
def _temporary_beside(target: Path, mode: int | None) -> Iterator[BinaryIO]:
    """Give a new file in the folder of ``target``; rename it at the end, or remove it."""
    temporary = target.parent / f".bigfleet-{secrets.token_hex(8)}.tmp"
    try:
        # O_EXCL: never write into a file, or through a link, that somebody else has put there.
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with open(descriptor, "wb") as file:
            yield file
            if mode is not None:
                os.fchmod(descriptor, stat.S_IMODE(mode))
            file.flush()
            os.fsync(descriptor)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name last: without this a crash may bring the old content back."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _mode_of(path: Path) -> int | None:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None
