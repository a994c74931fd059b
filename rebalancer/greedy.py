"""A good plan at once: highest priority first, cheapest source first, under all the same limits.

It is ready before the solver starts, shows it where to begin, and stands in when it finds nothing.
"""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints
from rebalancer.draft import Cap, Choice, Draft, Skew, nothing
from rebalancer.objective import Objective
from rebalancer.snapshot import SupplyKind


def greedy(draft: Draft, objective: Objective) -> Ints:
    """Give counts of machines per lane, ``(X,)``, that keep every limit.

    Demands in their order: highest priority first, ties by row. Sources of each: idle (unknown
    prices last), then speculative, then drained with the lowest victims first; then by cost, then
    by row. Of a gang's options the best by the objectives in their order, ties to the first.
    """
    fill = _Fill.of(draft, objective)
    choices = {limit.demand: limit for limit in draft.limits if isinstance(limit, Choice)}
    for demand in range(len(draft.snapshot.demand)):
        if demand in choices:
            fill.choose(choices[demand])
        else:
            lanes = draft.lanes.of_demand(demand)
            fill.pour(lanes, int(draft.snapshot.demand.short[demand]))
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
    caps_of: list[list[int]]
    skews_of: list[list[Skew]]
    own_skew: list[Skew | None]
    room: list[int]
    counts: Ints

    @staticmethod
    def of(draft: Draft, objective: Objective) -> "_Fill":
        size = len(draft.lanes)
        caps = tuple(limit for limit in draft.limits if isinstance(limit, Cap))
        caps_of: list[list[int]] = [[] for _ in range(size)]
        for index, cap in enumerate(caps):
            for lane in cap.lanes.tolist():
                caps_of[lane].append(index)
        skews_of: list[list[Skew]] = [[] for _ in range(size)]
        own_skew: list[Skew | None] = [None] * size
        for skew in (limit for limit in draft.limits if isinstance(limit, Skew)):
            for lane in {int(lane) for lanes in skew.openers for lane in lanes}:
                skews_of[lane].append(skew)
            for lane in skew.lanes.tolist():
                own_skew[lane] = skew
        rank = _rank(draft, objective)
        room = [cap.most for cap in caps]
        prices = np.stack([step.expression.per_lane for step in objective.steps])
        counts = nothing(draft)
        return _Fill(draft, rank, prices, caps_of, skews_of, own_skew, room, counts)

    def pour(self, lanes: Ints, amount: int) -> int:
        """Send up to ``amount`` machines over the lanes, best first; give how many went."""
        order = lanes[np.argsort(self.rank[lanes], kind="stable")].tolist()
        left = amount
        for lane in order:
            if not self.skews_of[lane]:
                taken = min(left, self._most(lane))
                self._take(lane, taken)
                left -= taken
        careful = [lane for lane in order if self.skews_of[lane]]
        while left and self._take_one(careful):
            left -= 1
        return amount - left

    def choose(self, choice: Choice) -> None:
        """Serve a gang from its best option, or not at all."""
        best: tuple[list[int], Ints, Ints] | None = None
        for option in choice.options:
            if self.pour(option, choice.amount) == choice.amount:
                taken = self.counts[option]
                key = (self.prices[:, option] @ taken).tolist()
                if best is None or key < best[0]:
                    best = (key, option, taken)
            self._set(option, np.zeros(len(option), dtype=np.int64))
        if best is not None:
            _, option, taken = best
            self._set(option, taken)

    def _set(self, lanes: Ints, machines: Ints) -> None:
        for lane, wanted in zip(lanes.tolist(), machines.tolist(), strict=True):
            self._take(lane, wanted - int(self.counts[lane]))

    def _most(self, lane: int) -> int:
        spare = int(self.draft.lanes.most[lane] - self.counts[lane])
        return max(0, min([spare, *(self.room[cap] for cap in self.caps_of[lane])]))

    def _take(self, lane: int, machines: int) -> None:
        self.counts[lane] += machines
        for cap in self.caps_of[lane]:
            self.room[cap] -= machines

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
        skew = self.own_skew[lane]
        if skew is None:
            return 0
        place = int(skew.place[np.flatnonzero(skew.lanes == lane)[0]])
        return int(skew.held[place] + skew.arriving(self.counts)[place])


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
