"""What a fan-out must not forget: which slot of which account an id stands for."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol


class Place(NamedTuple):
    """A machine of an account, by its id there."""

    account: str
    machine: str


@dataclass(frozen=True, slots=True)
class Binding:
    """What an id stands for.

    Attributes
    ----------
    added
        To the revisions of the machine there, so that the id's never fall.
    moved
        The number of the exchange that last gave the id another slot; 0: none ever has.
    is_fixed
        A Create was sent that was not refused: the id stays where it is.
    """

    place: Place
    added: int = 0
    moved: int = 0
    is_fixed: bool = False


class Bindings(Protocol):
    """The store of one fan-out; nobody else writes it."""

    def load(self) -> Mapping[str, Binding]:
        """Give all that was saved."""

    def save(self, changed: Mapping[str, Binding | None]) -> None:
        """Keep these, all or none, and durably when this returns; None: forget the id.

        Raises
        ------
        OSError
            When they cannot be kept.
        """


class SqliteBindings:
    """A file of SQLite; ":memory:" keeps nothing beyond the process.

    Raises
    ------
    sqlite3.Error
        When the file cannot be had, is no such store, or another process has it.
    """

    def __init__(self, path: Path | str) -> None:
        # Autocommit: transactions are begun by hand.
        self._file = sqlite3.connect(path, isolation_level=None, timeout=0.0)
        # The lock is kept until the end: two fan-outs over one store would buy twice.
        self._file.execute("PRAGMA locking_mode=EXCLUSIVE")
        self._file.execute("PRAGMA journal_mode=WAL")
        self._file.execute("PRAGMA synchronous=FULL")
        self._file.execute("BEGIN EXCLUSIVE")
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS bindings (id TEXT PRIMARY KEY, account TEXT NOT NULL,"
            " machine TEXT NOT NULL, added INTEGER NOT NULL, moved INTEGER NOT NULL,"
            " is_fixed INTEGER NOT NULL) WITHOUT ROWID"
        )
        self._file.execute("COMMIT")

    def load(self) -> Mapping[str, Binding]:
        """See ``Bindings``."""
        rows = self._file.execute(
            "SELECT id, account, machine, added, moved, is_fixed FROM bindings"
        )
        return {
            name: Binding(Place(account, machine), added, moved, bool(is_fixed))
            for name, account, machine, added, moved, is_fixed in rows
        }

    def save(self, changed: Mapping[str, Binding | None]) -> None:
        """See ``Bindings``."""
        kept = [
            (name, *each.place, each.added, each.moved, each.is_fixed)
            for name, each in changed.items()
            if each is not None
        ]
        lost = [(name,) for name, each in changed.items() if each is None]
        try:
            self._file.execute("BEGIN IMMEDIATE")
            self._file.executemany(
                "INSERT OR REPLACE INTO bindings VALUES (?, ?, ?, ?, ?, ?)", kept
            )
            self._file.executemany("DELETE FROM bindings WHERE id = ?", lost)
            self._file.execute("COMMIT")
        except (sqlite3.Error, OverflowError) as error:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
            raise OSError(f"the bindings cannot be kept: {error}") from error

    def close(self) -> None:
        """Let the file go."""
        self._file.close()
