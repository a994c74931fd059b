"""A good plan at once: highest priority first, cheapest source first, under all the same limits.

It is ready before the solver starts, shows it where to begin, and stands in when it finds nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from models.fleet import Ints
from rebalancer.draft import Cap, Choice, Draft, Relocation, Skew, nothing
from rebalancer.index import Index
from rebalancer.objective import Objective
from rebalancer.snapshot import SupplyKind


def greedy(draft: Draft, objective: Objective, kept: Ints | None = None) -> Ints:
    """Give counts of machines per lane, ``(X,)``, that keep every limit.

    ``kept``, ``(X,)``, are counts to start from, which must keep them too: none gets smaller.

    Demands in their order: highest priority first, ties by row. Sources of each: idle (unknown
    prices last), then speculative, then drained with the lowest victims first; then by cost, then
    by row. Of a gang's options the best by the objectives in their order, ties to the first. No
    gang moves.
    """
    fill = _Fill.of(draft, objective)
    if kept is not None:
        fill.set(np.arange(len(kept)), kept)
    choices = {limit.demand: limit for limit in draft.limits if isinstance(limit, Choice)}
    for demand in range(len(draft.snapshot.demand)):
        lanes = draft.lanes.of_demand(demand)
        served = int(fill.counts[lanes].sum())
        if demand not in choices:
            fill.pour(lanes, int(draft.snapshot.demand.short[demand]) - served)
        elif not served:
            fill.choose(choices[demand])
    return fill.counts


@dataclass(slots=True)
class _Fill:
    """Counts that grow lane by lane and never break a limit.

    ``prices``, ``(steps, X)``, is what one machine on a lane adds to each objective, apart from
    what depends on other lanes.
    """

    draft: Draft
    rank: Ints
    prices: Ints
    caps: Index
    room: Ints
    skews_of: dict[int, list[Skew]]
    own_skew: dict[int, Skew]
    counts: Ints

    @staticmethod
    def of(draft: Draft, objective: Objective) -> "_Fill":
        caps = [limit for limit in draft.limits if isinstance(limit, Cap)]
        skews_of: dict[int, list[Skew]] = {}
        own_skew: dict[int, Skew] = {}
        for skew in (limit for limit in draft.limits if isinstance(limit, Skew)):
            for lane in {int(lane) for lanes in skew.openers for lane in lanes}:
                skews_of.setdefault(lane, []).append(skew)
            own_skew |= dict.fromkeys(skew.lanes.tolist(), skew)
        closed = _closed(draft)
        return _Fill(
            draft,
            rank=_rank(draft, objective),
            prices=np.stack([step.expression.per_lane for step in objective.steps]),
            caps=Index.of([*(cap.lanes for cap in caps), closed], len(draft.lanes)),
            room=np.array([*(cap.most for cap in caps), 0], dtype=np.int64),
            skews_of=skews_of,
            own_skew=own_skew,
            counts=nothing(draft),
        )

    def pour(self, lanes: Ints, amount: int) -> int:
        """Send up to ``amount`` machines over the lanes, best first; give how many went."""
        # Most lanes lead from machines that went elsewhere: to find that out one by one took most
        # of the time at 200,000 lanes, 1.6 s of 3.4.
        lanes = lanes[self._rooms(lanes) > 0]
        order = lanes[np.argsort(self.rank[lanes], kind="stable")].tolist()
        careful = [lane for lane in order if lane in self.skews_of]
        left = amount
        for lane in order:
            if not left:
                break
            if lane not in self.skews_of:
                taken = min(left, self._most(lane))
                self._take(lane, taken)
                left -= taken
        while left and self._take_one(careful):
            left -= 1
        return amount - left

    def choose(self, choice: Choice) -> None:
        """Serve a gang from its best option, or not at all."""
        best: tuple[list[int], Ints, Ints] | None = None
        for option in self._roomy(choice):
            if self.pour(option, choice.amount) == choice.amount:
                taken = self.counts[option]
                key = (self.prices[:, option] @ taken).tolist()
                if best is None or key < best[0]:
                    best = (key, option, taken)
            self.set(option, np.zeros(len(option), dtype=np.int64))
        if best is not None:
            _, option, taken = best
            self.set(option, taken)

    def _roomy(self, choice: Choice) -> Iterator[Ints]:
        """Give the options whose lanes, each by itself, could take all that the gang lacks."""
        lengths = [len(option) for option in choice.options]
        rooms = np.maximum(self._rooms(np.concatenate(choice.options)), 0)
        sums = np.add.reduceat(rooms, np.cumsum([0, *lengths[:-1]]))
        for at in np.flatnonzero(sums >= choice.amount).tolist():
            yield choice.options[at]

    def set(self, lanes: Ints, machines: Ints) -> None:
        """Put as many machines on each of the lanes."""
        more = machines - self.counts[lanes]
        for at in np.flatnonzero(more).tolist():
            self._take(int(lanes[at]), int(more[at]))

    def _rooms(self, lanes: Ints) -> Ints:
        """Give how many more machines each lane could take by itself."""
        spare = self.draft.lanes.most[lanes] - self.counts[lanes]
        return self.caps.least_of_lanes(self.room, lanes, spare)

    def _most(self, lane: int) -> int:
        spare = int(self.draft.lanes.most[lane] - self.counts[lane])
        rooms: list[int] = self.room[self.caps.of_lane(lane)].tolist()
        return max(0, min([spare, *rooms]))

    def _take(self, lane: int, machines: int) -> None:
        self.counts[lane] += machines
        self.room[self.caps.of_lane(lane)] -= machines

    def _take_one(self, lanes: list[int]) -> bool:
        """Take one machine where a skew is watched, the emptiest of the own values first."""
        for lane in sorted(lanes, key=self._crowding):
            if self._most(lane) > 0:
                self._take(lane, 1)
                if all(skew.holds(self.counts) for skew in self.skews_of[lane]):
                    return True
                self._take(lane, -1)
        return False

    def _crowding(self, lane: int) -> int:
        skew = self.own_skew.get(lane)
        if skew is None:
            return 0
        place = int(skew.place[np.flatnonzero(skew.lanes == lane)[0]])
        return int(skew.held[place] + skew.arriving(self.counts)[place])


def _closed(draft: Draft) -> Ints:
    """Give the lanes that only a gang that moves would use."""
    moves = [limit for limit in draft.limits if isinstance(limit, Relocation)]
    closed = [move.moving for move in moves]
    closed += [
        lanes
        for move in moves
        for lanes, may_evict in zip(move.takers, move.evictors.tolist(), strict=True)
        if not may_evict
    ]
    return np.concatenate([*closed, np.empty(0, dtype=np.int64)])


def _rank(draft: Draft, objective: Objective) -> Ints:
    """Number the lanes in the order of their sources, ``(X,)``."""
    snapshot, victims = draft.snapshot, draft.victims()
    of_need = np.array([*(need.priority for need in snapshot.fleet.needs), 0], dtype=np.int64)
    kind = snapshot.supply.kind[draft.lanes.group]
    cost = objective.steps[-1].expression.per_lane
    unknown = np.isnan(snapshot.fleet.numbers.price_per_hour)
    last = unknown[snapshot.supply.machine_class[draft.lanes.group]] & (kind == SupplyKind.IDLE)
    order = np.lexsort((cost, last, np.where(victims >= 0, of_need[victims], 0), kind))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank
