"""Lists: how all machines of a provider stand, or those that changed, page by page."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from providers.columns import MachineColumns
from providers.machine import Machine


@dataclass(frozen=True, slots=True)
class ListEnd:
    """Says that a List is whole.

    ``cursor`` asks for the changes since. ``is_full``: every machine was listed, so that what is
    missing is missing.
    """

    cursor: str
    is_full: bool


@dataclass(frozen=True, eq=False, slots=True)
class Page:
    """A part of a List: machines as rows or as columns, and those that are gone.

    ``gone`` is only filled in a List of changes; ``end`` only in the last page. A List whose last
    page has none is partial, and never means "gone".
    """

    machines: tuple[Machine, ...] = ()
    columns: MachineColumns | None = None
    gone: tuple[str, ...] = ()
    end: ListEnd | None = None


Pages = AsyncIterator[Page]
