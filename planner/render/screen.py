"""What is known of the place where text will be shown: read from the terminal, nothing written."""

import os
import shutil
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True, slots=True)
class Screen:
    """Where text will be shown: its width in cells, None for any; and whether it may be styled."""

    width: int | None = None
    styled: bool = False


def screen_of(stream: TextIO) -> Screen:
    """Give the screen behind a stream: no colour for a file, a dumb terminal or with NO_COLOR."""
    if not stream.isatty():
        return Screen()
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return Screen(shutil.get_terminal_size().columns, not plain)
