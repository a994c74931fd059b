"""The problems as every peer gets them: plain numbers that cross to another process as JSON.

Level 0 is the most important one. An answer is a list of triples, one meaning a problem; what is
counted twice is added. Only the standard library is imported here, so that a peer in another
environment can read this file.
"""

import json
from dataclasses import asdict, dataclass
from typing import ClassVar

Triple = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Packing:
    """Gangs go whole into one rack; an answer's triple is (gang class, rack, gangs).

    First the machines served at each level, the first level first; then ``whole``, the free
    machines of racks that nothing was put into.

    Attributes
    ----------
    rack_kind, rack_free
        One entry a rack: a number of its kind, and its free machines.
    gang_size, gang_level, gang_count, gang_kinds
        One entry a class of like gangs: machines a gang, level, gangs, kinds of rack that suit.
    """

    name: ClassVar[str] = "packing"
    rack_kind: list[int]
    rack_free: list[int]
    gang_size: list[int]
    gang_level: list[int]
    gang_count: list[int]
    gang_kinds: list[list[int]]

    def suits(self, gang: int, rack: int) -> bool:
        """Tell whether one gang of a class may stand in a rack, were it empty."""
        return (
            self.rack_kind[rack] in self.gang_kinds[gang]
            and self.gang_size[gang] <= self.rack_free[rack]
        )

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Give the gang classes and racks that suit each other."""
        gangs, racks = range(len(self.gang_size)), range(len(self.rack_free))
        return [(gang, rack) for gang in gangs for rack in racks if self.suits(gang, rack)]


IDLE, SPECULATIVE, DRAIN = range(3)
"""What must be done before a machine can move: nothing, create it, drain it."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """Machines of some shards serve what others lack; a triple is (offer, shortfall, machines).

    First, level by level, what is short plus what is lost to drains; then machines drained, then
    created; then the cost in micro-USD an hour.

    Attributes
    ----------
    priorities
        By level, so descending.
    thing_cost, thing_risk
        By kind of machine: micro-USD an hour, and micro-USD an hour for a USD of penalty.
    profile_things
        The kinds that needs of one profile can use.
    offer_donor, offer_thing, offer_tier, offer_level, offer_count
        One entry an offer: shard, kind, tier, level of the work that runs there (-1 for none),
        machines.
    offer_lowest
        The least important level that an offer may serve, -1 for none: what two rules leave, a
        least gap in priority over the work that is lost, and that a donor keeps what its own lack.
    wanted_receiver, wanted_profile, wanted_level, wanted_penalty, wanted_short
        One entry a shortfall: shard, profile, level, USD an interruption, machines.
    most_drains
        By shard.
    """

    name: ClassVar[str] = "transfer"
    priorities: list[int]
    thing_cost: list[int]
    thing_risk: list[int]
    profile_things: list[list[int]]
    offer_donor: list[int]
    offer_thing: list[int]
    offer_tier: list[int]
    offer_level: list[int]
    offer_lowest: list[int]
    offer_count: list[int]
    wanted_receiver: list[int]
    wanted_profile: list[int]
    wanted_level: list[int]
    wanted_penalty: list[int]
    wanted_short: list[int]
    most_drains: list[int]

    def suits(self, offer: int, wanted: int) -> bool:
        """Tell whether an offer may serve a shortfall."""
        things = self.profile_things[self.wanted_profile[wanted]]
        able = self.wanted_level[wanted] <= self.offer_lowest[offer]
        return able and self.offer_thing[offer] in things

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Give the offers and shortfalls that suit each other."""
        of_thing: dict[int, list[int]] = {}
        for offer, thing in enumerate(self.offer_thing):
            of_thing.setdefault(thing, []).append(offer)
        return [
            (offer, wanted)
            for wanted, profile in enumerate(self.wanted_profile)
            for thing in self.profile_things[profile]
            for offer in of_thing.get(thing, ())
            if self.wanted_level[wanted] <= self.offer_lowest[offer]
        ]

    def cost(self, offer: int, wanted: int) -> int:
        """Give what one machine costs there, micro-USD an hour."""
        thing = self.offer_thing[offer]
        return self.thing_cost[thing] + self.thing_risk[thing] * self.wanted_penalty[wanted]


@dataclass(frozen=True, slots=True)
class Ownership:
    """Domains are dealt out over shards; a triple is (group, shard, domains it then holds).

    First by how many domains a shard's share of a group is off the whole numbers next to the even
    share; then the same of the shards' totals; then domains that change hands. Every domain of a
    group is held in the end, by shards that are open.

    Attributes
    ----------
    have
        By group of like domains and shard: the domains held at first.
    open
        Shards that are to hold anything, in ascending order.
    """

    name: ClassVar[str] = "ownership"
    have: list[list[int]]
    open: list[int]

    @property
    def counts(self) -> list[int]:
        """Give the domains of each group."""
        return [sum(row) for row in self.have]


@dataclass(frozen=True, slots=True)
class Victims:
    """Short gangs take what is free or does less important work; a triple: (row, gang, machines).

    A gang is served whole, by rows of one domain, or not at all. First, level by level, what is
    short plus what is lost; then machines drained; then the damage in USD.

    Attributes
    ----------
    gang_level, gang_size
        By gang.
    row_domain, row_work, row_count, row_usd, row_gangs
        One entry a row of like machines: domain, the work that runs there (-1 for none), machines,
        USD for each one taken (0 where nothing runs), and the gangs that they suit.
    work_level, work_once
        By work: its level, and USD once as soon as it loses a machine.
    """

    name: ClassVar[str] = "victims"
    gang_level: list[int]
    gang_size: list[int]
    row_domain: list[int]
    row_work: list[int]
    row_count: list[int]
    row_usd: list[int]
    row_gangs: list[list[int]]
    work_level: list[int]
    work_once: list[int]

    def suits(self, row: int, gang: int) -> bool:
        """Tell whether a gang may have machines of a row."""
        work = self.row_work[row]
        gives_way = work < 0 or self.work_level[work] > self.gang_level[gang]
        return gives_way and gang in self.row_gangs[row]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Give the rows and gangs that suit each other."""
        rows = enumerate(self.row_gangs)
        return [(row, gang) for row, gangs in rows for gang in gangs if self.suits(row, gang)]

    @property
    def levels(self) -> list[int]:
        """Give the levels at which anything can change, the most important first."""
        return sorted({*self.gang_level, *self.work_level})


Problem = Packing | Transfer | Ownership | Victims
KINDS: dict[str, type[Problem]] = {
    kind.name: kind for kind in (Packing, Transfer, Ownership, Victims)
}


def to_json(problem: Problem) -> str:
    """Give a problem as JSON."""
    return json.dumps({"problem": problem.name, **asdict(problem)})


def from_json(text: str) -> Problem:
    """Give the problem that ``to_json`` wrote."""
    columns = json.loads(text)
    return KINDS[columns.pop("problem")](**columns)
