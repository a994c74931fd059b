"""Answer orders one after the other from what a provider keeps of its machines."""

from collections.abc import Iterable
from typing import Protocol

from providers.contract.begin import Begin, Standing
from providers.contract.fencing import Fences, Owner
from providers.contract.heard import heard
from providers.machine import Failure, Machine
from providers.orders import Ack, Fence, Order


class Books(Protocol):
    """What a provider keeps, in memory or on disk."""

    def standing(self, machine: str) -> tuple[Standing, Owner] | None:
        """Say how a machine stands and whose it is; None of one that is not listed."""

    def snapshot(self, machine: str) -> Machine | None:
        """Give a machine as it stands; None of one that is not listed."""

    def act(self, order: Order, begin: Begin, fence: Fence) -> Failure | None:
        """Do what an order has come to, a REPEAT too, or say why it cannot be done.

        Owner, ownership version and reservation of the order are kept with the machine, except
        that a repeated Create or Configure that has ended keeps the reservation there is. What has
        to last is kept before this returns; the work itself goes on afterwards.
        """


def answered(orders: Iterable[Order], fence: Fence, fences: Fences, books: Books) -> list[Ack]:
    """Give one answer for each order, in their order. ``fences`` learns of those that are heard."""
    return [_answer(order, fence, fences, books) for order in orders]


def _answer(order: Order, fence: Fence, fences: Fences, books: Books) -> Ack:
    known = books.standing(order.machine)
    standing, owner = (None, Owner()) if known is None else known
    comes_to = heard(order, fence, fences, standing, owner)
    failure = books.act(order, comes_to, fence) if isinstance(comes_to, Begin) else comes_to
    snapshot = books.snapshot(order.machine)
    operation = snapshot.operation if snapshot is not None and failure is None else ""
    return Ack(order.machine, operation, snapshot, failure)
