"""Files that a sweep reads and writes: none is read twice, and none of them is written over."""

import os
from collections.abc import Iterator, Mapping, Sequence

from models.errors import Fault, InputFault
from planner.files.settings_file import check_settings_path
from planner.files.source import STANDARD_INPUT, shown


def named_twice(paths: Sequence[str]) -> Iterator[Fault]:
    """Find files that are named more than once, however their paths are written."""
    places = [_place(path) for path in paths]
    for place in dict.fromkeys(places):
        names = [path for path, at in zip(paths, places, strict=True) if at == place]
        if len(names) > 1:
            also = next((f", also as {shown(name)}" for name in names if name != names[0]), "")
            yield Fault(shown(names[0]), f"is named twice{also}.")


def check_outputs(reads: Sequence[str], journal: str | None, write: str | None) -> None:
    """Refuse what cannot be written or is needed, before hours are spent on what it is to hold.

    Raises
    ------
    InputFault
        When a file is read by the same sweep, or is both journal and settings, or when the
        settings cannot be written there. What a journal may be, ``journal_at`` says.
    """
    writes = {"--journal": journal, "--write": write}
    faults = list(_written_over(reads, {name: path for name, path in writes.items() if path}))
    if write is not None:
        try:
            check_settings_path(write)
        except InputFault as fault:
            faults += fault.within("--write").faults
    if faults:
        raise InputFault(faults)


def _written_over(reads: Sequence[str], writes: Mapping[str, str]) -> Iterator[Fault]:
    taken = {_place(path): "is read by the same command" for path in reads}
    for option, path in writes.items():
        place = _place(path)
        if place in taken:
            yield Fault(option, f"{shown(path)} {taken[place]}; name another file.")
        taken[place] = f"is that of {option}"


def _place(path: str) -> str:
    # No file has a NUL in its name: reading and writing say so.
    return path if path == STANDARD_INPUT or "\0" in path else os.path.realpath(path)
