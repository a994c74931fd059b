"""Accounts that refused a kind of machine are left alone with it for a while."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from models.failure import FailureClass
from models.machine import CapacityType
from providers.machine import Failure

TIRING = frozenset({FailureClass.CAPACITY, FailureClass.QUOTA, FailureClass.IP})
"""Refusals that will be the same for the next order of that kind."""


class Kind(NamedTuple):
    """What an account may have run out of."""

    account: str
    instance_type: str
    capacity_type: CapacityType
    zone: str


@dataclass(frozen=True, slots=True)
class _Rest:
    until: float
    seconds: float
    failure: Failure


@dataclass(slots=True)
class Rests:
    """Each refusal after a rest doubles the next one, as a shard's back-off; success ends it.

    Refusals while it rests, of orders that were sent before, do not count.
    """

    first_seconds: float = 180.0
    most_seconds: float = 1800.0
    kept: dict[Kind, _Rest] = field(default_factory=dict)

    def refused(self, kind: Kind, failure: Failure, now: float) -> None:
        """Take note of a refusal."""
        last = self.kept.get(kind)
        if last is None:
            seconds = self.first_seconds
        elif now >= last.until:
            seconds = min(self.most_seconds, 2 * last.seconds)
        else:
            return
        self.kept[kind] = _Rest(now + seconds, seconds, failure)

    def accepted(self, kind: Kind) -> None:
        """Take note that there is some again."""
        self.kept.pop(kind, None)

    def failure(self, kind: Kind, now: float) -> Failure | None:
        """Give the refusal for which an account is left alone; None: it is not."""
        rest = self.kept.get(kind)
        if rest is None or now >= rest.until:
            return None
        said = f"account {kind.account} rests for {rest.until - now:.0f} s: {rest.failure.message}"
        return replace(rest.failure, message=said)
