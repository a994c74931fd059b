"""Open a fleet file: its fleet, and the settings that hold for it from all their sources."""

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from models.columns import fleet_of
from models.documents import fleet_from
from models.errors import Fault, InputFault
from models.fleet import Fleet
from models.settings import Settings
from planner.files import Document, read_documents
from planner.settings.layers import Origin, Override, Sources, layered

__all__ = ["Opened", "Override", "Sources", "open_fleet", "open_settings"]


@dataclass(frozen=True, eq=False, slots=True)
class Opened:
    """A fleet and its settings; ``path`` is the file as the user named it, for faults.

    ``origins`` says by path where the settings came from that have not their default.
    """

    path: str
    fleet: Fleet
    settings: Settings
    origins: Mapping[str, Origin]


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
        told = layered(inner[:1], sources, faults)
        fleet = _fleet(fleets[0], faults) if fleets else None
    if faults or fleet is None:
        raise InputFault(faults)
    return Opened(name, fleet, told.settings, told.origins)


def open_settings(sources: Sources) -> Settings:
    """Read settings alone; see ``open_fleet``."""
    faults: list[Fault] = []
    told = layered([], sources, faults)
    if faults:
        raise InputFault(faults)
    return told.settings


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
