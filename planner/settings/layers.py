"""Settings from all their sources, one put over the other, and where each value came from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from models.errors import Fault, InputFault
from models.settings import (
    Metadata,
    Settings,
    leaves,
    recorded,
    settings_document,
    settings_from,
    with_overrides,
)
from models.settings.paths import over, without_nulls
from models.settings.reading import settings_named
from planner.files import Document, read_document

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Override:
    """One setting from a command line: ``source`` is the option, ``text`` reads ``path=value``."""

    source: str
    text: str


@dataclass(frozen=True, slots=True)
class Sources:
    """Where settings come from besides the fleet file, each list in the order of precedence."""

    files: tuple[str, ...] = ()
    overrides: tuple[Override, ...] = ()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value came from.

    Attributes
    ----------
    source
        The file and the path in it, or the option.
    recorded
        Where the file itself says that it got the value from; "" where it says nothing.
    """

    source: str
    recorded: str = ""

    @property
    def first(self) -> str:
        """Give where the value came from first, for a file to record: so no chain ever grows."""
        return self.recorded or self.source


@dataclass(frozen=True, slots=True)
class Layered:
    """Settings, and by path the origin of each value that a source gave; others are defaults."""

    settings: Settings
    origins: Mapping[str, Origin] = field(default_factory=dict)

    def firsts(self) -> dict[str, str]:
        """Give what a file records of them, by path; see ``planner.files.settings_file``."""
        firsts = {path: origin.first for path, origin in self.origins.items()}
        return {path: first for path, first in firsts.items() if first != DEFAULT}


def layered(documents: Sequence[Document], sources: Sources, faults: list[Fault]) -> Layered:
    """Put defaults, ``documents``, the files of ``sources`` and its overrides over each other.

    What is wrong with any of them is added to ``faults``; what is given then does not matter. Null
    in a document says nothing.
    """
    documents = [*documents, *_read(sources.files, faults)]
    merged: Any = {}
    origins: dict[str, Origin] = {}
    for document in documents:
        try:
            # Alone first, so that a fault names the file it is in.
            settings_from(document.body)
            said = without_nulls(document.body)
            origins |= _origins(document, said)
            merged = over(merged, said)
        except InputFault as fault:
            faults += fault.within(document.path).faults
    settings = Settings()
    try:
        settings = settings_from(merged)
    except InputFault as fault:
        faults += fault.within("settings of all files together").faults
    for override in sources.overrides:
        try:
            settings = with_overrides(settings, [override.text])
            origins |= {path: Origin(override.source) for path in settings_named(override.text)}
        except InputFault as fault:
            faults += fault.within(override.source).faults
    # In the order of the settings, whichever source named them first.
    return Layered(settings, {path: origins[path] for path in _DEFAULTS if path in origins})


def _read(files: Sequence[str], faults: list[Fault]) -> list[Document]:
    documents = []
    for file in files:
        try:
            documents.append(read_document(file))
        except InputFault as fault:
            faults += fault.faults
    return documents


def _origins(document: Document, said: Mapping[str, Any]) -> dict[str, Origin]:
    """Give the origin of each setting that a sound document holds."""
    settings, metadata = dict(leaves(settings_document(settings_from(said)))), recorded(said)
    return {
        path: Origin(f"{document.path}: {path}", _recorded(path, settings[path], metadata))
        for path, _ in leaves(said)
        if path in settings
    }


def _recorded(path: str, value: Any, metadata: Metadata) -> str:
    sources = metadata.sources
    if sources is None:
        return ""
    return sources.get(path, DEFAULT if value == _DEFAULTS[path] else "")


_DEFAULTS = dict(leaves(settings_document(Settings())))
