"""What the hardware cannot keep, in one file of SQLite: owners, fences, and operations that run."""

import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from models.errors import Fault, InputFault
from providers.metal.record import Record, from_text, to_text

APPLICATION = 0x42_46_6D_31
"""``application_id`` of the file, "BFm1": whatever else a file of SQLite is, it is not touched."""

VERSION = 1
"""``user_version`` of the file."""

_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100


class Store(Protocol):
    """The memory of one provider; nobody else writes it."""

    def load(self) -> tuple[Sequence[Record], Mapping[str, int]]:
        """Give all records, and the last accepted epoch of each shard."""

    def write(
        self,
        kept: Sequence[Record],
        gone: Sequence[str] = (),
        epochs: Mapping[str, int] | None = None,
    ) -> None:
        """Keep records and epochs, forget machines: all of it or nothing; durable on return.

        Raises
        ------
        sqlite3.Error
            When it cannot be; then nothing of it was done.
        """


@dataclass(frozen=True, slots=True)
class SqliteStore:
    """Keeps the file, and its lock, until ``close``."""

    path: Path
    _file: sqlite3.Connection

    @classmethod
    def open(cls, path: Path) -> "SqliteStore":
        """Open a store, or begin one where there is no file or an empty one.

        Raises
        ------
        InputFault
            In one line, and the file is as it was: it is no such store, of a newer program, is
            broken, another process has it, or it cannot be opened.
        """
        _check_header(path)
        try:
            # Autocommit: transactions are begun by hand.
            file = sqlite3.connect(path, isolation_level=None, timeout=0.0)
        except sqlite3.Error as error:
            raise _refusal(path, f"cannot be opened ({error}).") from None
        try:
            _begin(file, path)
            return cls(path, file)
        except sqlite3.Error as error:
            file.close()
            raise _refusal(path, _said(error)) from None
        except BaseException:
            file.close()
            raise

    def load(self) -> tuple[Sequence[Record], Mapping[str, int]]:
        """See ``Store``. A record that cannot be read is an ``InputFault``."""
        try:
            rows = self._file.execute("SELECT id, record FROM machines ORDER BY id").fetchall()
            epochs = dict(self._file.execute("SELECT shard, epoch FROM epochs").fetchall())
            return [_record(*row) for row in rows], {name: int(e) for name, e in epochs.items()}
        except (sqlite3.Error, ValueError) as error:
            raise _refusal(self.path, f"is broken ({error}); nothing was changed.") from None

    def write(
        self,
        kept: Sequence[Record],
        gone: Sequence[str] = (),
        epochs: Mapping[str, int] | None = None,
    ) -> None:
        """See ``Store``."""
        self._file.execute("BEGIN IMMEDIATE")
        try:
            self._file.executemany(
                "INSERT OR REPLACE INTO machines VALUES (?, ?)",
                [(record.machine.id, to_text(record)) for record in kept],
            )
            self._file.executemany("DELETE FROM machines WHERE id = ?", [(name,) for name in gone])
            # As text: an epoch has 64 bits, an integer of SQLite one less.
            self._file.executemany(
                "INSERT OR REPLACE INTO epochs VALUES (?, ?)",
                [(shard, str(epoch)) for shard, epoch in (epochs or {}).items()],
            )
            self._file.execute("COMMIT")
        except BaseException:
            # A full disk may have ended the transaction already.
            with suppress(sqlite3.Error):
                self._file.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Let the file go."""
        self._file.close()


def _record(name: str, text: str) -> Record:
    record = from_text(text)
    if record.machine.id != name:
        raise ValueError(f"the record of {name!r} is that of {record.machine.id!r}")
    return record


def _check_header(path: Path) -> None:
    """Refuse what is no store of ours before SQLite touches it."""
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or error
        raise _refusal(path, f"cannot be opened ({said}).") from None
    if header and not header.startswith(_MAGIC):
        raise _refusal(path, "is no store of machines; nothing was changed.")
    # A first transaction that was cut short is SQLite's to undo; then the file is empty again.
    if header and not os.path.exists(f"{path}-journal"):
        application, version = (int.from_bytes(header[at : at + 4], "big") for at in (68, 60))
        _check_version(path, application, version)


def _check_version(path: Path, application: int, version: int) -> None:
    if application != APPLICATION:
        raise _refusal(path, "is a file of another program; nothing was changed.")
    if version != VERSION:
        said = f"has version {version}, and this program knows {VERSION}; nothing was changed."
        raise _refusal(path, said)


def _begin(file: sqlite3.Connection, path: Path) -> None:
    # The lock is kept until the end: two providers would run each hook twice.
    file.execute("PRAGMA locking_mode=EXCLUSIVE")
    file.execute("PRAGMA synchronous=FULL")
    file.execute("BEGIN EXCLUSIVE")
    if not file.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        # Before the journal is a WAL, so that the header has the marks at once.
        file.execute("CREATE TABLE machines (id TEXT NOT NULL PRIMARY KEY, record TEXT NOT NULL)")
        file.execute("CREATE TABLE epochs (shard TEXT NOT NULL PRIMARY KEY, epoch TEXT NOT NULL)")
        file.execute(f"PRAGMA application_id={APPLICATION}")
        file.execute(f"PRAGMA user_version={VERSION}")
    found = [
        file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    ]
    _check_version(path, *found)
    [said, *_] = file.execute("PRAGMA quick_check(1)").fetchone()
    if said != "ok":
        raise _refusal(path, f"is broken ({said.splitlines()[0]}); nothing was changed.")
    file.execute("COMMIT")
    file.execute("PRAGMA journal_mode=WAL")


def _said(error: sqlite3.Error) -> str:
    if "locked" in str(error):
        return "is in use by another process; one store serves one provider."
    if isinstance(error, sqlite3.OperationalError):
        return f"cannot be opened ({error})."
    return f"is broken ({error}); nothing was changed."


def _refusal(path: Path, message: str) -> InputFault:
    return InputFault([Fault(str(path), message)])
