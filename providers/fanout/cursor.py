"""The change cursor of a fan-out: those of its accounts, and the last exchange of slots."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cursor:
    """``moved``: exchanges up to this one were listed; ``accounts``: each one's own cursor."""

    moved: int
    accounts: Mapping[str, str]

    def __str__(self) -> str:
        """Give the text that a caller keeps."""
        return json.dumps([self.moved, dict(self.accounts)], separators=(",", ":"))


def read_cursor(text: str, accounts: Collection[str]) -> Cursor | None:
    """Read a cursor; None of an empty one, or one of other accounts: all has to be listed."""
    try:
        moved, cursors = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return None
    if type(moved) is not int or not isinstance(cursors, dict) or set(cursors) != set(accounts):
        return None
    # An account without a cursor was never listed.
    whole = all(isinstance(each, str) and each for each in cursors.values())
    return Cursor(moved, cursors) if whole else None
