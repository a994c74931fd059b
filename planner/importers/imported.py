"""What every importer gives: a plain document in the fleet file format, and notes for people."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from models.rows import API_VERSION, DEFAULT_TOPOLOGY

Document: TypeAlias = dict[str, Any]
"""A fleet file as plain mappings and lists, in the file format's camelCase keys."""

Row: TypeAlias = dict[str, Any]
"""One machine, need or shard of a document."""


@dataclass(frozen=True, slots=True)
class ImportNotes:
    """What an import did with what it read, so that nothing is dropped in silence.

    ``read``, ``assumed`` and ``made`` are sentences. ``skipped`` counts what is not in the
    document by its reason; ``reduced`` counts what is in it, but with a part that the document
    cannot say, by that part.
    """

    read: tuple[str, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    reduced: Mapping[str, int] = field(default_factory=dict)
    assumed: tuple[str, ...] = ()
    made: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """Give the notes line by line, each with its heading: read, skipped, ..., made."""
        yield from (f"read: {text}" for text in self.read)
        yield from (f"skipped: {count} x {why}" for why, count in sorted(self.skipped.items()))
        yield from (f"reduced: {count} x {why}" for why, count in sorted(self.reduced.items()))
        yield from (f"assumed: {text}" for text in self.assumed)
        yield from (f"made: {text}" for text in self.made)

    def __add__(self, other: "ImportNotes") -> "ImportNotes":
        """Give the notes of both, these first; counts with the same reason are summed."""
        return ImportNotes(
            read=self.read + other.read,
            skipped=_summed(self.skipped, other.skipped),
            reduced=_summed(self.reduced, other.reduced),
            assumed=self.assumed + other.assumed,
            made=self.made + other.made,
        )


@dataclass(frozen=True, slots=True)
class Imported:
    """A document and the notes of its making. The models check the document later."""

    document: Document
    notes: ImportNotes


def fleet_document(name: str, machines: list[Row], needs: list[Row] | None = None) -> Document:
    """Give a fleet with the default topology; without ``needs`` no cluster is heard from."""
    document: Document = {
        "apiVersion": API_VERSION,
        "kind": "Fleet",
        "metadata": {"name": name},
        "topology": list(DEFAULT_TOPOLOGY),
        "machines": machines,
    }
    if needs is not None:
        document["needs"] = needs
    return document


def _summed(first: Mapping[str, int], second: Mapping[str, int]) -> dict[str, int]:
    return {key: first.get(key, 0) + second.get(key, 0) for key in {**first, **second}}
