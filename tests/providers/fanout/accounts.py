"""Accounts of a few slots, and a fan-out over them."""

from dataclasses import replace

from memory_provider import MemoryProvider, slots
from scripted_provider import Scripted

from models.failure import FailureClass
from models.labels import QUOTA, SUBNET, ZONE
from providers.calls import AsProvider
from providers.fanout.bindings import SqliteBindings
from providers.fanout.provider import Fanout
from providers.machine import Failure
from providers.orders import Ack, CreateOrder, Fence

FENCE = Fence("s0", 1, 1)
NO = {each: Failure(each, f"no {each}") for each in FailureClass}
ACK = Ack("", failure=NO[FailureClass.THROTTLED])


def later(sequence):
    return Fence("s0", 1, sequence)


def account(name, count=4, zone="z"):
    provider = MemoryProvider(
        {
            key: replace(slot, labels={ZONE: zone, QUOTA: name, SUBNET: name})
            for key, slot in slots(count).items()
        }
    )
    return Scripted(provider, name=name)


def around(*accounts, store=None):
    fanout = Fanout(
        "region", {each.name: each for each in accounts}, store or SqliteBindings(":memory:")
    )
    return fanout, AsProvider(fanout)


def bought(scripted):
    return sum(scripted.provider.bought.values())


def creates(scripted):
    return [[o.machine for o in about] for _, call, about in scripted.seen if call == "Create"]


def classes(acks):
    return [ack.failure.failure_class if ack.failure else None for ack in acks]


def orders(*names):
    return [CreateOrder(name) for name in names]
