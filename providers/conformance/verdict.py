"""What a check is, and what comes of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from providers.conformance.ground import Ground


class Verdict(StrEnum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that the contract says.

    Attributes
    ----------
    says
        The contract in a sentence.
    run
        Tries it; returns where it holds, raises ``Broken`` where it does not, and ``CannotTell``
        where this provider, or its machines, give no occasion to try it.
    """

    name: str
    says: str
    run: Callable[["Ground"], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a check; ``what`` is the contract, what was seen, or why it was skipped."""

    check: Check
    verdict: Verdict
    what: str


class Broken(Exception):
    """The contract does not hold: what was expected, and what was seen. Only checks see it."""

    def __init__(self, expected: str, seen: str) -> None:
        super().__init__(expected, seen)
        self.expected = expected
        self.seen = seen

    def __str__(self) -> str:
        """Give both in one line."""
        return f"expected {self.expected}; saw {self.seen}"


class CannotTell(Exception):
    """A check could not be tried, with the reason. Only checks see it."""


def expect(holds: bool, expected: str, seen: object) -> None:
    """Raise ``Broken`` unless something holds."""
    if not holds:
        raise Broken(expected, str(seen))
