"""The bytes and the text of an input: a regular file or standard input, in UTF-8, not too large."""

import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from models.errors import Fault, InputFault
from models.nearest import did_you_mean

STANDARD_INPUT = "-"

MAX_INPUT_BYTES = 1 << 30
"""About three million machines as YAML, one by one; what reading them makes takes 12 GB."""

_CHUNK_BYTES = 1 << 20

_UTF8_MARK = b"\xef\xbb\xbf"
_FOREIGN_MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_KINDS = (
    (stat.S_ISDIR, "is a folder; name a file in it."),
    (stat.S_ISFIFO, "is a pipe, not a file; name '-' and pipe into standard input."),
)


@dataclass(frozen=True, slots=True)
class Source:
    """The content of one input and the name that faults give it."""

    name: str
    content: bytes

    def text(self) -> str:
        """Decode the content, without a byte order mark.

        Raises
        ------
        InputFault
            When it is empty or not UTF-8.
        """
        content = self.content
        encoding = _foreign_encoding(content)
        if encoding:
            raise refusal(self.name, f"is written in {encoding}; write it in UTF-8.")
        try:
            text = content.removeprefix(_UTF8_MARK).decode()
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise refusal(
                self.name,
                f"line {line}: is not UTF-8 (byte 0x{content[error.start]:02x}); "
                "write it in UTF-8.",
            ) from None
        if not text.strip():
            raise refusal(self.name, "is empty.")
        return text


def read_source(path: str | Path) -> Source:
    """Read a whole regular file, or standard input for ``-``.

    Raises
    ------
    InputFault
        When there is no such file, it is none, or it cannot be read, or it is larger than
        ``MAX_INPUT_BYTES``; a missing file comes with the nearest name in its folder.
    """
    if str(path) == STANDARD_INPUT:
        # None is what Python gives for a stream that was closed before the start.
        if sys.stdin is None:
            raise refusal("<stdin>", "is closed; name a file, or pipe one in.")
        return Source("<stdin>", _read("<stdin>", sys.stdin.buffer))
    name = shown(path)
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode):
            raise refusal(name, _irregular(mode))
        with open(path, "rb") as file:
            return Source(name, _read(name, file))
    except FileNotFoundError:
        raise refusal(name, _missing(Path(path))) from None
    except OSError as error:
        raise refusal(name, f"cannot be read: {error.strerror}.") from None
    except ValueError:
        # A NUL in a name: no system call takes it.
        raise refusal(name, "is no name that a file can have.") from None


def refusal(name: str, message: str) -> InputFault:
    """Give the one fault of an input as the error to raise."""
    return InputFault([Fault(name, message)])


def shown(path: str | Path) -> str:
    """Give a path as the user wrote it, on one line whatever is in it."""
    text = str(path) or "''"
    return text if text.isprintable() else text.encode("unicode_escape").decode()


def _read(name: str, file: BinaryIO) -> bytes:
    chunks = []
    left = MAX_INPUT_BYTES
    while chunk := file.read(_CHUNK_BYTES):
        left -= len(chunk)
        if left < 0:
            raise refusal(
                name,
                f"is larger than {MAX_INPUT_BYTES / 2**30:g} GiB; write such a fleet as Parquet, "
                "or its machines with `count`.",
            )
        chunks.append(chunk)
    return b"".join(chunks)


def _foreign_encoding(content: bytes) -> str | None:
    for mark, encoding in _FOREIGN_MARKS.items():
        if content.startswith(mark):
            return encoding
    # Without a mark: every other byte of a text in Latin letters is zero, and zero is no text.
    return "UTF-16 or holds binary data" if b"\0" in content[:4] else None


def _irregular(mode: int) -> str:
    for is_kind, message in _KINDS:
        if is_kind(mode):
            return message
    return "is a device or a socket, not a file; name a file, or '-' for standard input."


def _missing(path: Path) -> str:
    """Say that a file is not there, and which one may have been meant."""
    try:
        names = sorted(os.listdir(path.parent))
    except OSError:
        return f"there is no folder {shown(path.parent)!r}."
    return f"there is no such file{did_you_mean(path.name, names)}"
