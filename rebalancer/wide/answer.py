"""Ask the engines: plans for plain needs and gangs together, and the most that can be served."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from models.distinct import sums
from models.fleet import Ints
from rebalancer.flows.cheapest import cheapest
from rebalancer.flows.lexicographic import descend
from rebalancer.flows.shares import in_order
from rebalancer.limits import Limits
from rebalancer.problems.packing.answer import takings
from rebalancer.problems.packing.columns import Racks
from rebalancer.problems.packing.greedy import best_fit
from rebalancer.problems.packing.hall import Hall
from rebalancer.problems.packing.search import pack
from rebalancer.problems.packing.worth import nowhere
from rebalancer.problems.transfer.answer import transfer
from rebalancer.problems.transfer.exchange import Exchange
from rebalancer.problems.transfer.groups import groups_of
from rebalancer.problems.transfer.moves import Moves
from rebalancer.problems.transfer.network import network_of
from rebalancer.problems.transfer.objectives import Measure, objectives_of
from rebalancer.wide.question import WideQuestion

PACKING_SHARE = 0.3
"""Of the time that is left; it stops by itself where it is proven."""

UNKNOWN = -1


@dataclass(frozen=True, eq=False, slots=True)
class Seed:
    """One plan: moves of the plain question, and the home of each gang.

    ``gangs_first`` says who took machines first; the others took from what was left.
    """

    gangs_first: bool
    moves: Moves
    homes: Ints


@dataclass(frozen=True, eq=False, slots=True)
class WideAnswer:
    """Plans, and for each level of ``everybody``, ``(P,)``, the most that it and those above get.

    ``most`` is net of what victims of these levels lose; ``UNKNOWN`` where it was not found.
    """

    seeds: tuple[Seed, ...]
    most: Ints

    def is_more_than(self, other: "WideAnswer") -> bool:
        """Tell whether this says anything that the other does not."""
        return len(self.seeds) > len(other.seeds) or bool((self.most != other.most).any())


OnPart = Callable[[WideAnswer], None]
"""Told of every part of the answer as it is found: all that is lost if the process is ended."""


def unanswered(question: WideQuestion) -> WideAnswer:
    """Give what is known without asking anybody."""
    return WideAnswer((), np.full(len(question.everybody.priorities), UNKNOWN, dtype=np.int64))


def answer(question: WideQuestion, on_part: OnPart | None = None) -> WideAnswer:
    """Find a plan that packs gangs first, one that serves plain needs first, and the bounds.

    Which of the plans is better depends on who has the higher priority; the caller values them.
    No part is begun once the time is up, but a flow that is begun cannot be cut short.
    """
    limits, said = question.limits, unanswered(question)
    ends = None if limits.seconds is None else limits.clock() + limits.seconds
    for part in (_most, _gangs_first, _plain_first):
        left = None if ends is None else ends - limits.clock()
        if left is not None and left <= 0:
            break
        said = part(question, replace(limits, seconds=left), said)
        if on_part is not None:
            on_part(said)
    return said


def _gangs_first(question: WideQuestion, limits: Limits, said: WideAnswer) -> WideAnswer:
    seconds = None if limits.seconds is None else PACKING_SHARE * limits.seconds
    homes = pack(question.gangs, replace(limits, seconds=seconds)).home
    moves = transfer(_without_gangs(question, homes)).moves
    return replace(said, seeds=(*said.seeds, Seed(True, moves, homes)))


def _plain_first(question: WideQuestion, limits: Limits, said: WideAnswer) -> WideAnswer:
    if not len(question.gangs.gangs):
        return said
    moves = transfer(question.plain).moves
    left = _without_moves(question, moves)
    # The fast packing: this plan is for fleets where gangs matter less.
    homes = best_fit(left, nowhere(left))
    return replace(said, seeds=(*said.seeds, Seed(False, moves, homes)))


def _without_gangs(question: WideQuestion, homes: Ints) -> Exchange:
    shared, offers = question.shared, question.plain.offers
    taken = takings(question.gangs, homes)
    of_rack = sums(taken.rack, taken.count, len(question.gangs.racks))
    of_row = in_order(of_rack, shared.rack, shared.count)
    both = shared.offer >= 0
    count = offers.count - sums(shared.offer[both], of_row[both], len(offers))
    return replace(question.plain, offers=replace(offers, count=count))


def _without_moves(question: WideQuestion, moves: Moves) -> Hall:
    shared, offers, gangs = question.shared, question.plain.offers, question.gangs
    both = np.flatnonzero(shared.offer >= 0)
    order = both[np.lexsort((-both, shared.offer[both]))]
    in_racks = sums(shared.offer[both], shared.count[both], len(offers))
    given = sums(moves.offer, moves.count, len(offers))
    from_racks = np.maximum(0, given - (offers.count - in_racks))
    taken = in_order(from_racks, shared.offer[order], shared.count[order])
    racks = gangs.racks
    free = racks.free - sums(shared.rack[order], taken, len(racks))
    return replace(gangs, racks=Racks(racks.type, racks.domain, racks.spine, free))


def _most(question: WideQuestion, limits: Limits, said: WideAnswer) -> WideAnswer:
    """Bound what each level and all above it get together.

    A move whose victim is among these levels adds nothing to their sum, for its need is among them
    too; so the sum is an objective of the flow like any other.
    """
    ends = None if limits.seconds is None else limits.clock() + limits.seconds
    everybody = question.everybody
    groups = groups_of(everybody)
    network = network_of(everybody, groups)
    found = objectives_of(everybody, groups, network).all
    serving = {each.level: each.cost for each in found if each.measure is Measure.SERVING}
    most, cost = said.most.copy(), np.zeros(len(network.arcs), dtype=np.int64)
    last = 0
    for level in range(len(most) - 1, -1, -1):
        if ends is not None and limits.clock() >= ends:
            break
        if level in serving:
            cost = cost + serving[level]
            _, [value] = descend(network.arcs, [cost], cheapest)
            if value.bound is None:
                continue
            last = -value.bound
        most[level] = last
    return replace(said, most=most)
