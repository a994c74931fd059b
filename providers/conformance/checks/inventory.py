"""What a List says of machines that nothing happens to."""

from collections import Counter
from collections.abc import Collection

from models.machine import (
    CLUSTER_OPTIONAL,
    CLUSTER_REQUIRED,
    HOST_REFUSED,
    HOST_REQUIRED,
    State,
)
from providers.conformance.ground import Ground
from providers.conformance.listed import Listed, messages
from providers.conformance.settings import SHARD, Role
from providers.conformance.verdict import Broken, CannotTell, expect
from providers.machine import Machine
from providers.v1 import capacity_pb2 as pb

_LISTS = 3
"""Enough that what is lost now and then is missed."""

_ASKED_AT_ONCE = 500
_LOST_CURSOR = "bigfleet-conformance:no-such-cursor"


async def whole(ground: Ground) -> None:
    """Read full Lists; what one of them lacks and another has must be unknown to Get."""
    told = [await ground.listed() for _ in range(_LISTS)]
    known = set(ground.first).union(*(each.by_id for each in told))
    for each in told:
        expect_full(each)
        await expect_none_missing(ground, known, each)


def expect_full(told: Listed) -> None:
    """Expect the mark of a full List, its cursor, and each machine once."""
    expect(told.end.is_full, "`full` in the end of a List without a cursor", "it is not set")
    expect(bool(told.end.cursor), "a cursor in the end of a List", "none")
    expect(not told.gone, "`gone` only in Lists of changes", f"{len(told.gone)} ids")
    [(name, count)] = Counter(machine.id for machine in told.machines).most_common(1) or [("", 1)]
    expect(count == 1, "each machine once in a List", f"{name!r} {count} times")


async def expect_none_missing(
    ground: Ground, known: set[str], told: Listed, shards: Collection[str] = ()
) -> None:
    """Expect that machines which a List lacks are really gone, or of none of ``shards`` by now."""
    lacking = sorted(known - set(told.by_id))[:_ASKED_AT_ONCE]
    found = await ground.caller.patient(lambda: ground.caller.provider.get(lacking))
    names = [each.id for each in found.machines if not shards or each.shard in shards]
    seen = f"it lacks {names[0]!r}, which Get knows" if names else ""
    expect(not names, "a List that says `full` to have every machine", seen)


async def pages(ground: Ground) -> None:
    """Read a List with few machines a page."""
    told = await ground.listed(page_size=ground.page_size)
    expect_full(told)
    most = max(told.sizes, default=0)
    expect(most <= ground.page_size, f"at most {ground.page_size} machines in a page", most)


async def columns(ground: Ground) -> None:
    """Read a List as rows and as columns; machines that have not changed must be the same."""
    rows, packed = await ground.listed(), await ground.listed(columnar=True)
    expect_full(packed)
    if not packed.has_columns:
        raise CannotTell("it sends rows only, as it may")
    for name, machine in packed.by_id.items():
        row = rows.by_id.get(name)
        if row is not None and row.revision == machine.revision:
            same_in_columns(row, machine)
    await expect_none_missing(ground, set(rows.by_id), packed)


def same_in_columns(row: Machine, packed: Machine) -> None:
    """Expect a machine to be the same in both; times as far as float64 tells them."""
    for name in Machine.__slots__:
        one, other = getattr(row, name), getattr(packed, name)
        is_time = isinstance(one, float) and isinstance(other, float)
        is_same = abs(one - other) < 1e-5 if is_time else one == other
        expect(is_same, f"{name} of {row.id!r} to be {one!r} in columns as in rows", repr(other))


async def of_a_shard(ground: Ground) -> None:
    """List the machines of one owner."""
    everything = await ground.listed()
    told = await ground.listed(shard=SHARD)
    shards = ("", SHARD)
    others = [machine for machine in told.machines if machine.shard not in shards]
    seen = f"{others[0].id!r} of {others[0].shard!r}" if others else ""
    expect(not others, "only machines of the shard asked for, and of nobody", seen)
    wanted = {machine.id for machine in everything.machines if machine.shard in shards}
    await expect_none_missing(ground, wanted, told, shards)


async def lost_cursor(ground: Ground) -> None:
    """Ask for the changes since a cursor that the provider has never given."""
    told = await ground.listed(_LOST_CURSOR)
    expect(told.end.is_full, "all machines, and `full`, for a cursor that is not known", "not full")
    await expect_none_missing(ground, set(ground.first), told)


async def numbers(ground: Ground) -> None:
    """Look at the enumerations as they come: none may be unspecified; newer ones are ignored."""
    newer: set[str] = set()
    request = pb.ListRequest()
    for page in await ground.caller.patient(lambda: messages(ground.caller, request)):
        for machine in page.machines:
            for name, known in _NUMBERS.items():
                number = getattr(machine, name)
                is_said = number != 0 or name == "health"
                expect(is_said, f"{name} of {machine.id!r} to be specified", number)
                if number not in known:
                    newer.add(f"{name} {number}")
    if newer:
        raise CannotTell(f"unknown to this version of the kit: {', '.join(sorted(newer))}")


_NUMBERS = {
    "state": frozenset(pb.MachineState.values()),
    "capacity_type": frozenset(pb.CapacityType.values()),
    "health": frozenset(pb.Health.values()),
}
"""Enumerations of each machine, and what of them has a name. No health is an unknown one."""


async def hosts_and_clusters(ground: Ground) -> None:
    """Look at every machine: is there a host where it has one, and a cluster where it serves."""
    for machine in await _readable(ground):
        expect_bindings(machine)


async def _readable(ground: Ground) -> list[Machine]:
    """Give all machines; a List that is broken is another check's."""
    try:
        return (await ground.listed()).machines
    except Broken as broken:
        raise CannotTell(f"the List is broken, see list-whole: {broken}") from None


def expect_bindings(machine: Machine) -> None:
    """Expect host and cluster as the state of a machine has them."""
    if machine.state is None:
        return
    what = f"{machine.id!r}, {machine.state.name},"
    if machine.state in HOST_REQUIRED:
        expect(bool(machine.host), f"{what} to have a host", "none")
    if machine.state in HOST_REFUSED:
        expect(not machine.host, f"{what} to have no host", repr(machine.host))
    if machine.state in CLUSTER_REQUIRED:
        expect(bool(machine.cluster), f"{what} to have a cluster", "none")
    elif machine.state not in CLUSTER_OPTIONAL:
        expect(not machine.cluster, f"{what} to have no cluster", repr(machine.cluster))
    if machine.state is State.FAILED:
        expect(machine.failed_from is not None, f"{what} to say failed_from", "none")


async def price(ground: Ground) -> None:
    """Look at prices: unknown is absent, not 0."""
    told = await _readable(ground)
    if Role.UNPRICED in ground.roles:
        name = ground.role(Role.UNPRICED)
        listed = [machine for machine in told if machine.id == name]
        for machine in (*listed, await ground.one(name)):
            seen = machine.kind.price_per_hour
            expect(seen is None, f"no price of {name!r}, whose price nobody knows", seen)
        return
    free = [
        machine.id
        for machine in told
        if machine.kind.price_per_hour == 0 and machine.kind.capacity_type.is_elastic
    ]
    if free:
        said = f"{len(free)} elastic machines cost 0 ({free[0]!r}); say `unpriced` of one"
        raise CannotTell(f"{said} if that means unknown, which is a price left out")
