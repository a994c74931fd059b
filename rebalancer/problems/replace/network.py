"""The replacements as a circulation: free machines flow through the needs to those that run.

Arcs and their capacities; what is paid is a cost, what is saved a negative one:

    total    sink -> source             half of the moves that are left
    fresh    source -> g                machines of g
    lot      g -> lot                   the same: groups that plain needs cannot tell apart
    entry    lot or g -> way in -> n    costs b_gn; by way of a box with room for few spot machines,
                                        and of a door for what may be interrupted
    swap     door -> safe n             so many as the floor of n leaves
    exit     n -> sink                  for each o: costs -a_o; machines of o

A need with hard spreads has a node for each place. An option of a gang is a need whose machines all
leave by one arc; whether it is open is for ``gangs`` to say.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from models.distinct import places_of, sums
from models.fleet import Ints, Reals
from rebalancer.problems.replace.board import SINK, SOURCE, Board, Network
from rebalancer.problems.replace.market import NO_BOX, Market

NO_LIMIT = 2**40
"""More machines than there are."""

STRICT_USD = 2e-6
"""Taken off each worth: what does not save anything is not worth a move."""


@dataclass(frozen=True, eq=False, slots=True)
class Entry:
    """Arcs into one need at one place: where they stand, and the node index of each one's source.

    ``source`` are fresh groups or, where ``from_lots``, lots.
    """

    need: int
    at: slice
    source: Ints
    from_lots: bool


@dataclass(frozen=True, eq=False, slots=True)
class Exit:
    """Arcs out of one need at one place: where they stand, and the running group of each."""

    need: int
    at: slice
    group: Ints


@dataclass(frozen=True, eq=False, slots=True)
class Option:
    """A domain in which a gang could be: arcs into it, and those that its machines leave by.

    ``whole``, one for each of these, is what leaves there when the gang takes the option.
    """

    entries: tuple[Entry, ...]
    out: slice
    whole: Ints


@dataclass(frozen=True, eq=False, slots=True)
class Gang:
    """A gang that could climb; ``worth``, USD, is what giving up its machines saves."""

    need: int
    worth: float
    options: tuple[Option, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Laid:
    """The network and what its arcs stand for; ``lots`` are the arcs of the fresh groups' lots."""

    network: Network
    lots: slice
    entries: tuple[Entry, ...]
    exits: tuple[Exit, ...]
    gangs: tuple[Gang, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A gang and the domains that could hold it; ``places`` are where its machines stand now."""

    need: int
    worth: float
    places: dict[int, int]
    domains: tuple[int, ...]


def lay(market: Market, most_pairs: int, candidates: list[Candidate]) -> Laid:
    """Lay the network; ``most_pairs`` is how many replacements the plan has room for."""
    fresh, board = market.fresh, Board()
    machines = int(fresh.count.sum())
    board.lay(SINK, SOURCE, min(most_pairs, machines))
    first, first_lot = board.block(len(fresh)), board.block(len(fresh.lot_first))
    nodes = first + np.arange(len(fresh))
    board.lay(SOURCE, nodes, fresh.count)
    at_lots = board.lay(nodes, first_lot + fresh.lot, fresh.count)
    laying = _Laying(market, board, first, first_lot)
    entries, exits = [], []
    for need, groups in places_of(market.running.need).items():
        if not market.fleet.needs[need].is_gang:
            for entry, exit in laying.plain(need, groups):
                entries.append(entry)
                exits.append(exit)
    gangs = tuple(laying.gang(candidate) for candidate in candidates)
    return Laid(board.laid(), at_lots, tuple(entries), tuple(exits), gangs)


@dataclass(frozen=True, slots=True)
class _Way:
    """How machines come in to a need at one place: at most ``most``, from lots or single groups.

    ``door`` is the node for what may be interrupted, ``inside`` that for the rest; ``places`` is
    how many places the need has.
    """

    need: int
    most: int
    door: int
    inside: int
    places: int
    from_lots: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class _Laying:
    """A board with the nodes of fresh groups and of lots."""

    market: Market
    board: Board
    first: int
    first_lot: int

    def plain(self, need: int, groups: Ints) -> Iterator[tuple[Entry, Exit]]:
        """Lay the arcs of a need that is no gang, place by place."""
        market, running, fresh = self.market, self.market.running, self.market.fresh
        asked, places = market.fleet.needs[need], places_of(running.place[groups])
        spreads = any(spread.is_hard for spread in asked.spread)
        choices = market.usable(need, np.arange(len(fresh)) if spreads else fresh.lot_first)
        costs = market.costs(need, choices)
        where = market.places.of(asked)[fresh.cell[choices]]
        for place, own in places.items():
            group = groups[own]
            worth = float(running.worth[group].max())
            here = (where == place) & (costs < worth)
            if place >= 0 and here.any():
                group = group[running.worth[group] > costs[here].min()]
                nodes = self._nodes(need)
                way = _Way(need, int(running.count[group].sum()), *nodes, len(places), not spreads)
                entry = self._enter(way, choices[here], costs[here])
                yield entry, self._leave(way, group)

    def gang(self, candidate: Candidate) -> Gang:
        """Lay the options of a gang."""
        market, board, need = self.market, self.board, candidate.need
        asked, size = market.fleet.needs[need], sum(candidate.places.values())
        choices = market.usable(need, np.arange(len(market.fresh)))
        costs = market.costs(need, choices)
        cells = market.fresh.cell[choices]
        domain = market.matching.domains(asked.same or "")[cells]
        where = market.places.of(asked)[cells]
        counts = np.array([*candidate.places.values()], dtype=np.int64)
        share = (candidate.worth - STRICT_USD) / size
        ends = board.block(len(counts)) + np.arange(len(counts))
        board.lay(ends, SINK, counts, -share)
        options = []
        for at in candidate.domains:
            entries, insides = [], []
            for place, count in candidate.places.items():
                way = _Way(need, count, *self._nodes(need), len(counts))
                here = (domain == at) & (where == place)
                entries.append(self._enter(way, choices[here], costs[here]))
                insides.append(way.inside)
                if asked.floor and way.places == 1:
                    board.lay(way.door, way.inside, max(0, asked.count - asked.floor))
            options.append(Option(tuple(entries), board.lay(insides, ends, counts), counts))
        return Gang(need, candidate.worth, tuple(options))

    def _nodes(self, need: int) -> tuple[int, int]:
        """Give door and inside of a way: one node where the need has no floor."""
        inside = self.board.block(1)
        has_floor = self.market.fleet.needs[need].floor > 0
        return (self.board.block(1) if has_floor else inside), inside

    def _enter(self, way: _Way, choices: Ints, costs: Reals) -> Entry:
        """Lay arcs from fresh groups, those of spot by way of what limits them."""
        market, fresh = self.market, self.market.fresh
        source = fresh.lot[choices] if way.from_lots else choices
        stock = (fresh.lot_count if way.from_lots else fresh.count)[source]
        most = np.minimum(stock, way.most)
        risky = market.is_risky(fresh.machine_class[choices])
        head = np.where(risky, way.door, way.inside)
        if market.has_choice_of_spot(way.need):
            self._box(way, market.boxes(choices), head, most)
        tail = source + (self.first_lot if way.from_lots else self.first)
        return Entry(way.need, self.board.lay(tail, head, most, costs), source, way.from_lots)

    def _box(self, way: _Way, boxes: Ints, head: Ints, most: Ints) -> None:
        """Lead spot machines of one (class, zone) that have too little room through one arc.

        Changes ``head`` and ``most`` of the arcs, each ``(E,)``.
        """
        known, first, box = np.unique(boxes, return_index=True, return_inverse=True)
        # One room for all places: each has its part.
        room = self.market.spot_room(way.need, known) // way.places
        room[known == NO_BOX] = NO_LIMIT
        most[:] = np.minimum(most, room[box])
        crowded = np.flatnonzero(sums(box, most, len(known)) > room)
        node = np.full(len(known), -1, dtype=np.int64)
        node[crowded] = self.board.block(len(crowded)) + np.arange(len(crowded))
        self.board.lay(node[crowded], head[first[crowded]], room[crowded])
        inside = node[box] >= 0
        head[inside] = node[box[inside]]

    def _leave(self, way: _Way, group: Ints) -> Exit:
        """Lay arcs to running groups; with a floor, little that is safe gives way to the door."""
        market, board, running = self.market, self.board, self.market.running
        tail = np.full(len(group), way.inside)
        if way.door != way.inside:
            risky = market.is_risky(running.machine_class[group])
            out, left = board.block(1), market.risky_left(way.need)
            board.lay(way.inside, out, way.most)
            if left >= 0:
                board.lay(way.door, out, way.most)
                # One room for all places: where there are several, nobody uses it.
                board.lay(way.door, way.inside, left if way.places == 1 else 0)
            tail[risky] = out
        worth = running.worth[group] - STRICT_USD
        at = board.lay(tail, SINK, running.count[group], -worth)
        return Exit(way.need, at, group)
