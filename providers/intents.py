"""What a shard has made up its mind to order, kept so that no crash makes it order twice.

The caller's half of the contract, in this order:

1. ``intend`` what was decided. It is durable when this returns; only then may it be sent.
2. Send what ``due`` gives, the bootstrap blob of a Configure put in, and say what came of it:
   ``answered``; or ``unanswered`` after ProviderUnavailable; or ``refused`` after any other
   ProviderError.
3. Show what ``get`` and ``list`` say: ``seen`` and ``gone``. These two and the three above give the
   intents that have ended, which are kept no longer.
4. After a crash begin with ``Intents.kept``, under a later epoch. Whoever decides counts what is
   ``open`` as on its way, and chooses no other machine for the same need.

Why that is enough: what may have been sent is kept, so the same is sent again, and the provider
knows it by (machine, target state). Each attempt has a sequence of its own and each life an epoch,
so that an attempt which was thought lost, and comes in after a later one, is stale.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Protocol

from models.failure import FailureClass
from models.machine import Operation, State
from providers.contract.begin import TARGETS
from providers.machine import Failure, Machine
from providers.orders import OPERATION_OF, Ack, ConfigureOrder, Fence, Order
from providers.port import MOST_ORDERS


@dataclass(frozen=True, slots=True)
class Intent:
    """An order that may have been sent; ``is_begun``: the provider has said that it runs.

    Raises
    ------
    ValueError
        When the order holds a bootstrap blob: nobody stores one.
    """

    order: Order
    is_begun: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.order, ConfigureOrder) and self.order.user_data:
            raise ValueError(f"the intent for {self.order.machine!r} holds a bootstrap blob.")


class IntentStore(Protocol):
    """Where intents outlive the process."""

    def load(self) -> Sequence[Intent]:
        """Give what is kept."""

    def write(self, kept: Sequence[Intent], ended: Sequence[str]) -> None:
        """Keep intents, in place of those of the same machines, and forget those of some machines.

        All of it or nothing, and durable when this returns.
        """


class Ending(Enum):
    """How an intent ends."""

    DONE = "the machine is where the order wanted it"
    FAILED = "it began, and failed"
    UNDONE = "it began, and the machine is somewhere else, as one that the cloud took back"
    REFUSED = "it did not begin"


@dataclass(frozen=True, slots=True)
class Ended:
    """An intent that is kept no longer; ``failure`` says why it was refused, or failed."""

    intent: Intent
    ending: Ending
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """Orders of one operation, to be sent as they are, but for the blobs."""

    operation: Operation
    fence: Fence
    orders: tuple[Order, ...]


@dataclass(slots=True)
class _Open:
    """One intent in this life.

    ``sequence`` is that of the call that is under way, 0 of none; ``is_in_doubt``: an attempt may
    have come in, or may still, of which nobody heard; ``revision``: of the machine when it began.
    """

    intent: Intent
    is_in_doubt: bool
    sequence: int = 0
    revision: int = 0


@dataclass(slots=True)
class Intents:
    """The intents of one life of a shard; ``epoch`` is later than that of any life before."""

    shard: str
    epoch: int
    store: IntentStore
    _open: dict[str, _Open] = field(default_factory=dict)
    _sequence: int = 0

    @classmethod
    def kept(cls, shard: str, epoch: int, store: IntentStore) -> "Intents":
        """Begin with what is kept, as after a crash: whether any of it was sent, nobody knows."""
        opened = {each.order.machine: _Open(each, is_in_doubt=True) for each in store.load()}
        return cls(shard, epoch, store, opened)

    @property
    def open(self) -> Mapping[str, Intent]:
        """Give what has not ended, by machine."""
        return {machine: known.intent for machine, known in self._open.items()}

    def intend(self, orders: Iterable[Order]) -> None:
        """Keep orders, one a machine; a new one takes the place of one that has not ended.

        Errors as of ``Intent``; then none is kept.
        """
        intents = {order.machine: Intent(order) for order in orders}
        self.store.write([*intents.values()], [])
        for machine, intent in intents.items():
            old = self._open.get(machine)
            is_in_doubt = old is not None and (old.is_in_doubt or old.sequence > 0)
            self._open[machine] = _Open(intent, is_in_doubt)

    def due(self, most: int = MOST_ORDERS) -> list[Call]:
        """Give what is to be sent now, at most so many orders a call.

        That is what has not begun and is not under way.
        """
        waiting: dict[Operation, list[_Open]] = {}
        for known in self._open.values():
            if not known.intent.is_begun and not known.sequence:
                waiting.setdefault(OPERATION_OF[type(known.intent.order)], []).append(known)
        return [
            self._call(operation, some[start : start + most])
            for operation, some in waiting.items()
            for start in range(0, len(some), most)
        ]

    def answered(self, call: Call, acks: Iterable[Ack]) -> list[Ended]:
        """Take the answers to a call."""
        ended, begun = list[Ended](), list[Intent]()
        for ack in acks:
            known = self._under_way(call, ack.machine)
            if known is None:
                continue
            known.sequence = 0
            if ack.failure is not None:
                ended += _refusal(known, ack.failure)
                continue
            known.intent = replace(known.intent, is_begun=True)
            known.revision = ack.snapshot.revision if ack.snapshot else 0
            over = _ending(known.intent, ack.snapshot) if ack.snapshot else None
            if over is None:
                begun.append(known.intent)
            else:
                ended.append(over)
        return self._keep(ended, begun)

    def unanswered(self, call: Call) -> None:
        """Take that nobody knows what came of a call: it is due again."""
        for order in call.orders:
            known = self._under_way(call, order.machine)
            if known is not None:
                known.sequence, known.is_in_doubt = 0, True

    def refused(self, call: Call, failure: Failure) -> list[Ended]:
        """Take that nothing of a call was done.

        That says nothing of earlier attempts: where one is in doubt, the order is due again.
        """
        ended = list[Ended]()
        for order in call.orders:
            known = self._under_way(call, order.machine)
            if known is not None:
                known.sequence = 0
                if not known.is_in_doubt:
                    ended.append(Ended(known.intent, Ending.REFUSED, failure))
        return self._keep(ended)

    def seen(self, machines: Iterable[Machine]) -> list[Ended]:
        """Take how machines stand.

        It ends only what has begun: the others are sent all the same, for as long as they were not
        heard an older attempt could come in. What is older than the beginning says nothing.
        """
        over = {
            machine.id: _ending(known.intent, machine)
            for machine in machines
            if (known := self._open.get(machine.id)) is not None
            and known.intent.is_begun
            and machine.revision >= known.revision
        }
        return self._keep([each for each in over.values() if each is not None])

    def gone(self, machines: Iterable[str]) -> list[Ended]:
        """Take that a whole List no longer has some machines."""
        begun = (
            known.intent
            for machine in dict.fromkeys(machines)
            if (known := self._open.get(machine)) is not None and known.intent.is_begun
        )
        return self._keep([Ended(each, _ending_of_gone(each)) for each in begun])

    def _call(self, operation: Operation, some: Sequence[_Open]) -> Call:
        self._sequence += 1
        for known in some:
            known.sequence = self._sequence
        orders = tuple(known.intent.order for known in some)
        return Call(operation, Fence(self.shard, self.epoch, self._sequence), orders)

    def _under_way(self, call: Call, machine: str) -> _Open | None:
        """Find the intent that a call was made for; None if it has ended, or was replaced."""
        known = self._open.get(machine)
        return known if known is not None and known.sequence == call.fence.sequence else None

    def _keep(self, ended: list[Ended], begun: Sequence[Intent] = ()) -> list[Ended]:
        """Write what has changed; give what has ended."""
        names = [each.intent.order.machine for each in ended]
        if ended or begun:
            self.store.write(begun, names)
        for name in names:
            del self._open[name]
        return ended


def _refusal(known: _Open, failure: Failure) -> list[Ended]:
    """Say whether a refusal of one order ends its intent; if not, it is due again."""
    if failure.failure_class is FailureClass.INTERNAL:
        known.is_in_doubt = True
        return []
    # Whoever throttles may not have heard the order: then an earlier attempt could still come in.
    if failure.failure_class is FailureClass.THROTTLED and known.is_in_doubt:
        return []
    return [Ended(known.intent, Ending.REFUSED, failure)]


def _ending(intent: Intent, machine: Machine) -> Ended | None:
    """Say how what has begun stands ended, None where it runs on.

    A state that nobody knows is one in transition.
    """
    running, rests = TARGETS[OPERATION_OF[type(intent.order)]]
    if machine.state in (None, running):
        return None
    if machine.state is State.FAILED:
        return Ended(intent, Ending.FAILED, machine.last_failure)
    order = intent.order
    is_elsewhere = isinstance(order, ConfigureOrder) and machine.cluster != order.cluster
    is_there = machine.state is rests and not is_elsewhere
    return Ended(intent, Ending.DONE if is_there else Ending.UNDONE)


def _ending_of_gone(intent: Intent) -> Ending:
    is_deletion = OPERATION_OF[type(intent.order)] is Operation.DELETE
    return Ending.DONE if is_deletion else Ending.UNDONE
