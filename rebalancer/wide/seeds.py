"""A plan of flows and packing as lanes and counts."""

from dataclasses import dataclass

import numpy as np

from models.distinct import sums
from models.fleet import Ints
from rebalancer.flows.shares import in_order, meeting
from rebalancer.problems.packing.answer import takings
from rebalancer.snapshot import Snapshot
from rebalancer.wide.answer import Seed
from rebalancer.wide.drawn import Drawn


@dataclass(frozen=True, eq=False, slots=True)
class Pairs:
    """Machines by group and demand: columns of one shape, no pair twice."""

    group: Ints
    demand: Ints
    count: Ints


def pairs_of(snapshot: Snapshot, drawn: Drawn, seed: Seed) -> Pairs:
    """Say which groups the machines of a plan come from."""
    room = snapshot.supply.count.copy()
    steps = (_gangs, _moves) if seed.gangs_first else (_moves, _gangs)
    found = []
    for step in steps:
        pairs = step(drawn, seed, room)
        room -= sums(pairs.group, pairs.count, len(room))
        found.append(pairs)
    first, second = found
    return Pairs(
        np.concatenate([first.group, second.group]),
        np.concatenate([first.demand, second.demand]),
        np.concatenate([first.count, second.count]),
    )


def _gangs(drawn: Drawn, seed: Seed, room: Ints) -> Pairs:
    packed = drawn.packed
    taken = takings(packed.question, seed.homes)
    row, taking, count = drawn_from(
        packed.shared.rack, room[packed.group], taken.rack, taken.count, len(packed.question.racks)
    )
    return _pairs(packed.group[row], packed.demand[taken.gang[taking]], count, len(room))


def _moves(drawn: Drawn, seed: Seed, room: Ints) -> Pairs:
    moves, packed = seed.moves, drawn.packed
    # In no rack first, then from the last row of what is shared on.
    place = np.full(len(room), -len(room), dtype=np.int64)
    place[packed.group] = -np.arange(len(packed.group))
    group = np.lexsort((place, drawn.offer_of_group))
    row, move, count = drawn_from(
        drawn.offer_of_group[group],
        room[group],
        moves.offer,
        moves.count,
        len(drawn.question.plain.offers),
    )
    demand = drawn.demand_of_wanted[moves.wanted[move]]
    return _pairs(group[row], demand, count, len(room))


def drawn_from(
    key: Ints, room: Ints, taking_key: Ints, taken: Ints, keys: int
) -> tuple[Ints, Ints, Ints]:
    """Let takings draw on rows of their key, in order; give row, taking and count where they meet.

    ``key`` ascends; ``room`` of a key is no less than what is taken of it, else the takings that
    come last draw on nothing.
    """
    order = np.argsort(taking_key, kind="stable")
    whole = sums(key, room, keys)
    taking_key, taken = taking_key[order], taken[order]
    taken = in_order(whole, taking_key, taken)
    rest = whole - sums(taking_key, taken, keys)
    # What nobody takes meets a last taking of its key.
    side = np.lexsort(
        (np.append(np.zeros(len(taken)), np.ones(keys)), np.append(taking_key, np.arange(keys)))
    )
    row, met, count = meeting(room, np.append(taken, rest)[side])
    taking = side[met]
    some = taking < len(taken)
    return row[some], order[taking[some]], count[some]


def _pairs(group: Ints, demand: Ints, count: Ints, groups: int) -> Pairs:
    """Add up what goes the same way."""
    key, number = np.unique(demand * groups + group, return_inverse=True)
    return Pairs(key % groups, key // groups, sums(number.reshape(-1), count, len(key)))
