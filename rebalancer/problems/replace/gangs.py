"""Which gangs climb, and into which domain: branch and bound over the flow (Land and Doig 1960).

A gang that is not decided yet may go in parts, each machine with its share of the interruption:
what such a flow saves is a bound on all ways to decide. The gang of which most goes in parts is
decided next, the way with the largest bound first. As the search is cut short by a number of flows
or by time, its bound comes with it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from heapq import heappop, heappush

import numpy as np

from models.fleet import Ints
from rebalancer.problems.replace.market import Market
from rebalancer.problems.replace.network import Candidate, Laid, Option

MOST_OPTIONS = 32
"""Domains looked at for one gang, those that save most by themselves.

A domain further down is taken only where so many better ones went to other gangs.
"""

ALL_OPTIONS = 1_000
"""Domains looked at for all gangs together: each is an arc a place in every flow."""

MOST_ARCS = 400_000
"""Arcs of all flows of one search but the first two: so many take a second or two."""

MOST_FLOWS = 200
"""Of one search, where the arcs are few: a small network is decided long before."""

Decided = Mapping[int, int | None]
"""For some gangs, by their number, the option that each takes; None: it stays."""


_Open = tuple[int, int, Decided, Ints]
"""What a node could save at most, with a minus; its number; what is decided, and the flow."""


@dataclass(frozen=True, eq=False, slots=True)
class Chosen:
    """What was decided for every gang, the flow, and whether nothing saves more."""

    options: Decided
    flow: Ints
    is_best: bool


def candidates(market: Market) -> tuple[list[Candidate], bool]:
    """Give the gangs for which a domain pays by itself; and whether all such domains are in."""
    by_need: dict[int, list[int]] = {}
    for group, need in enumerate(market.running.need.tolist()):
        if market.fleet.needs[need].is_gang:
            by_need.setdefault(need, []).append(group)
    found = [_candidate(market, need, groups) for need, groups in by_need.items()]
    found = [candidate for candidate in found if candidate.domains]
    most = min(MOST_OPTIONS, max(1, ALL_OPTIONS // max(len(found), 1)))
    is_all = all(len(candidate.domains) <= most for candidate in found)
    return [replace(each, domains=each.domains[:most]) for each in found], is_all


def _candidate(market: Market, need: int, groups: list[int]) -> Candidate:
    """Give a gang with the domains that pay, what would save most first."""
    running, asked = market.running, market.fleet.needs[need]
    worth = float(running.worth[groups] @ running.count[groups]) - asked.interruption_penalty
    places: dict[int, int] = {}
    for group in groups:
        at = int(running.place[group])
        places[at] = places.get(at, 0) + int(running.count[group])
    alone = sorted((-saved, at) for at, saved in _alone(market, need, places, worth))
    return Candidate(need, worth, places, tuple(at for _, at in alone))


def _alone(
    market: Market, need: int, places: dict[int, int], worth: float
) -> Iterator[tuple[int, float]]:
    """Give the domains that would hold the gang, and what it could save in each at most."""
    choices = market.usable(need, np.arange(len(market.fresh)))
    asked, cells = market.fleet.needs[need], market.fresh.cell[choices]
    domain = market.matching.domains(asked.same or "")[cells]
    where = market.places.of(asked)[cells]
    costs, count = market.costs(need, choices), market.fresh.count[choices]
    cheapest_first = np.argsort(costs, kind="stable")
    size = int(domain.max(initial=-1)) + 1
    saved = np.full(size, worth if min(places) >= 0 else -np.inf)
    for place, wanted in places.items():
        here = cheapest_first[((domain >= 0) & (where == place))[cheapest_first]]
        here = here[np.argsort(domain[here], kind="stable")]
        starts = np.flatnonzero(np.diff(domain[here], prepend=-1))
        before = np.cumsum(count[here]) - count[here]
        before -= np.repeat(before[starts], np.diff(np.append(starts, len(here))))
        taken = np.clip(wanted - before, 0, count[here])
        saved -= np.bincount(domain[here], taken * costs[here], minlength=size)
        saved[np.bincount(domain[here], taken, minlength=size) < wanted] = -np.inf
    for at in np.flatnonzero(saved > 0).tolist():
        yield at, float(saved[at])


def choose(laid: Laid, may_go_on: Callable[[], bool]) -> Chosen | None:
    """Decide for every gang; None where there was no time for a single flow.

    ``may_go_on`` is asked before each flow but the first.
    """
    return _Search(laid, may_go_on).run()


@dataclass(slots=True)
class _Search:
    """The best decisions so far, and how many flows it took."""

    laid: Laid
    may_go_on: Callable[[], bool]
    flows: int = 0
    best: int = -1
    chosen: tuple[dict[int, int | None], Ints] | None = None

    def run(self) -> Chosen | None:
        """Search until nothing is open that could save more, or it has to stop."""
        root = self._flow({})
        if root is None:
            return None
        if not self._settle(*root) and self.may_go_on():
            # Who goes whole goes, who goes in parts stays: that is a plan already.
            rounded = self._flow(self._taken(root[1]))
            if rounded is not None:
                self._settle(*rounded)
        number = 0
        open_nodes: list[_Open] = [(-root[0], number, {}, root[1])]
        while open_nodes and -open_nodes[0][0] > self.best and self._may():
            node = heappop(open_nodes)
            for further, value, flow in self._branch(node[2], node[3]):
                number += 1
                if value > self.best and not self._settle(value, flow):
                    heappush(open_nodes, (-value, number, further, flow))
            if not self._may():
                # Perhaps not all its branches were looked at.
                heappush(open_nodes, node)
        if self.chosen is None:
            return None
        is_best = not open_nodes or -open_nodes[0][0] <= self.best
        return Chosen(*self.chosen, is_best)

    def _may(self) -> bool:
        is_little = self.flows < MOST_FLOWS and self.flows * len(self.laid.network.arcs) < MOST_ARCS
        return is_little and self.may_go_on()

    def _branch(self, decided: Decided, flow: Ints) -> Iterator[tuple[Decided, int, Ints]]:
        """Give the flows, with their worth, once one more gang is decided, as time allows."""
        gang = self._parted(flow)
        for option in (*range(len(self.laid.gangs[gang].options)), None):
            found = self._flow({**decided, gang: option}) if self._may() else None
            if found is not None:
                yield {**decided, gang: option}, *found

    def _settle(self, value: int, flow: Ints) -> bool:
        """Tell whether no gang goes in parts; if so the flow is a plan, perhaps the best."""
        if self._parted(flow) >= 0:
            return False
        if value > self.best:
            self.best, self.chosen = value, (self._taken(flow), flow)
        return True

    def _taken(self, flow: Ints) -> dict[int, int | None]:
        """Give the option that each gang takes whole; None for those that do not."""
        return {
            q: next((o for o, it in enumerate(gang.options) if _is_whole(it, flow)), None)
            for q, gang in enumerate(self.laid.gangs)
        }

    def _parted(self, flow: Ints) -> int:
        """Give the gang of which most goes in parts, -1 where each goes whole or stays."""
        taken = self._taken(flow)
        parts = [
            0 if taken[q] is not None else sum(int(flow[it.out].sum()) for it in gang.options)
            for q, gang in enumerate(self.laid.gangs)
        ]
        return int(np.argmax(parts)) if any(parts) else -1

    def _flow(self, decided: Decided) -> tuple[int, Ints] | None:
        """Give the best flow that keeps what is decided, and what it saves."""
        self.flows += 1
        network = self.laid.network
        least, most = np.zeros(len(network.arcs), dtype=np.int64), network.arcs.most.copy()
        for q, taken in decided.items():
            for number, option in enumerate(self.laid.gangs[q].options):
                amount = option.whole if number == taken else 0
                most[option.out] = amount
                least[option.out] = amount
        return network.best(least, most)


def _is_whole(option: Option, flow: Ints) -> bool:
    return bool(np.array_equal(flow[option.out], option.whole))
