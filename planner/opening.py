"""Open a fleet file: its fleet, and the settings that hold for it from all their sources."""

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from models.columns import fleet_of
from models.documents import fleet_from
from models.errors import Fault, InputFault
from models.fleet import Fleet
from models.settings import Settings, settings_from, with_overrides
from planner.files import Document, read_document, read_documents


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


@dataclass(frozen=True, eq=False, slots=True)
class Opened:
    """A fleet and its settings; ``path`` is the file as the user named it, for faults."""

    path: str
    fleet: Fleet
    settings: Settings


def open_fleet(path: str, sources: Sources) -> Opened:
    """Read a file with one Fleet and at most one Settings document.

    Settings: the defaults, then those of the fleet file, of ``sources.files``, and the overrides.

    Raises
    ------
    InputFault
        With every fault of all inputs, each path beginning with its file or option.
    """
    with _collector_off():
        documents = read_documents(path)
        name = documents[0].path
        fleets, inner, faults = _sorted_out(documents, name)
        settings = _settings(inner, sources, faults)
        fleet = _fleet(fleets[0], faults) if fleets else None
    if faults or fleet is None:
        raise InputFault(faults)
    return Opened(name, fleet, settings)


def open_settings(sources: Sources) -> Settings:
    """Read settings alone; see ``open_fleet``."""
    faults: list[Fault] = []
    settings = _settings([], sources, faults)
    if faults:
        raise InputFault(faults)
    return settings


def _sorted_out(
    documents: Sequence[Document], name: str
) -> tuple[list[Document], list[Document], list[Fault]]:
    """Give the fleets, the settings, and what is wrong with the list as such."""
    fleets = [document for document in documents if document.kind == "Fleet"]
    inner = [document for document in documents if document.kind == "Settings"]
    faults = [_unexpected(document) for document in documents if document not in (*fleets, *inner)]
    if len(fleets) != 1 and not faults:
        count = f"holds {len(fleets)} documents of kind Fleet; one is expected."
        faults.append(Fault(name, count))
    if len(inner) > 1:
        count = f"holds {len(inner)} documents of kind Settings; one at most is expected."
        faults.append(Fault(name, count))
    return fleets, inner, faults


def _unexpected(document: Document) -> Fault:
    path = f"{document.path}: kind"
    if not document.kind:
        return Fault(path, f"document {document.position + 1} says none; write kind: Fleet.")
    return Fault(path, f"{document.kind[:60]!r} is not Fleet or Settings.")


def _fleet(document: Document, faults: list[Fault]) -> Fleet | None:
    try:
        return fleet_of(fleet_from(document.body, datetime.now(UTC)))
    except InputFault as fault:
        faults += fault.within(document.path).faults
        return None


def _settings(inner: Sequence[Document], sources: Sources, faults: list[Fault]) -> Settings:
    """Give the settings of all layers; where one is at fault, what is given does not matter."""
    documents = list(inner[:1])
    for file in sources.files:
        try:
            documents.append(read_document(file))
        except InputFault as fault:
            faults += fault.faults
    layers: dict[str, Any] = {}
    for document in documents:
        try:
            # Alone first, so that a fault names the file it is in.
            settings_from(document.body)
            layers = _over(layers, document.body)
        except InputFault as fault:
            faults += fault.within(document.path).faults
    settings = Settings()
    try:
        settings = settings_from(layers)
    except InputFault as fault:
        faults += fault.within("settings of all files together").faults
    for override in sources.overrides:
        try:
            settings = with_overrides(settings, [override.text])
        except InputFault as fault:
            faults += fault.within(override.source).faults
    return settings


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Give ``below`` with what ``above`` says put over it; null says nothing."""
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        if isinstance(value, Mapping) and isinstance(under, Mapping):
            merged[key] = _over(under, value)
        elif value is not None:
            merged[key] = value
    return merged


@contextmanager
def _collector_off() -> Iterator[None]:
    """Keep the garbage collector from walking millions of rows that all stay alive."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
