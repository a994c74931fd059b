"""What happens outside of a live shard between two cycles, as far as a shard is told of it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hotpath.kernel.live import Live
from hotpath.kernel.orders import VERBS, Orders
from hotpath.reports import Reports
from models.action import Verb
from models.fleet import Ints, Mask
from models.machine import NOBODY, State
from planner.bench.laid_out import LaidOut

LOST_SHARE = 0.1
"""Of the machines that change by the way, as many are lost, and as many come back."""

ROLL_UPS_SHARE = 0.1
COUNT_CHANGE = 0.05
"""Clusters whose counts change between two cycles, and by how much at the most."""

SECONDS_A_CYCLE = 10.0

_CONFIGURE, _CREATE, _DRAIN, _DELETE = (
    VERBS.index(verb) for verb in (Verb.CONFIGURE, Verb.CREATE, Verb.DRAIN, Verb.DELETE)
)


@dataclass(frozen=True, eq=False, slots=True)
class News:
    """What a shard is told before a cycle at ``now``."""

    places: Ints
    reports: Reports
    counts: Mapping[int, int]
    now: float


def cycle_with(live: Live, news: News) -> Orders:
    """Tell a shard the news and let it decide."""
    live.change(news.places, news.reports)
    live.count(news.counts)
    return live.cycle(news.now)


class World:
    """Machines that do what was ordered, at once, and some of which are lost and come back.

    It begins as the shard was laid out; ``changes`` is the share of the machines that are reported
    between two cycles.
    """

    def __init__(self, shard: LaidOut, changes: float, seed: int = 0) -> None:
        fleet, reports = shard.fleet, shard.reports
        self._reports = reports.take(np.arange(len(reports)))
        self._fleet, self._chance = fleet, np.random.default_rng(seed)
        self._elastic: Mask = fleet.numbers.is_elastic[fleet.cells.class_index[shard.cell]]
        self._changes = round(changes * len(reports))
        self.asked = np.array([need.count for need in fleet.needs])
        self._now = 0.0

    def settle(self, live: Live) -> None:
        """Let a shard decide for the first time, and again with all of that done.

        Each need then asks for no more than it has.
        """
        places = self._carry_out(live.cycle(self._now))
        serves = live.serving()
        self.asked = np.bincount(serves[serves >= 0], minlength=len(self._fleet.needs))
        self._now += SECONDS_A_CYCLE
        asked = dict(enumerate(self.asked.tolist()))
        cycle_with(live, News(places, self._reports.take(places), asked, self._now))

    def news(self, live: Live) -> News:
        """Give what happens after a shard's last cycle, until the next one."""
        self._now += SECONDS_A_CYCLE
        serves = live.serving()
        done = self._carry_out(live.answer())
        lost, back = self._lose()
        changed = np.unique(np.concatenate((done, lost, back)))
        again = self._draw(self._runs(), self._changes - len(changed))
        # What runs may have been dealt to another need of its cluster, and now bears that name.
        again = np.setdiff1d(again, changed)
        self._reports.serves[again] = np.where(
            serves[again] >= 0, serves[again], self._reports.serves[again]
        )
        places = np.union1d(changed, again)
        return News(places, self._reports.take(places), self._counts(), self._now)

    def _carry_out(self, orders: Orders) -> Ints:
        """Do what was ordered; give the places, ascending."""
        table, of = orders.table, self._reports
        slots, needs, verbs = table["slot"], table["need"], table["verb"]
        for verb, state in (
            (_CONFIGURE, State.CONFIGURED),
            (_CREATE, State.CONFIGURED),
            (_DRAIN, State.IDLE),
            (_DELETE, State.SPECULATIVE),
        ):
            at, need = slots[verbs == verb], needs[verbs == verb]
            runs = state is State.CONFIGURED
            of.state[at], of.state_since[at] = state, self._now
            of.serves[at] = need
            of.cluster[at] = self._fleet.need_cluster[need] if runs else NOBODY
            of.hosted[at] = state is not State.SPECULATIVE
        return np.sort(slots).astype(np.int64)

    def _lose(self) -> tuple[Ints, Ints]:
        """Let machines fail, and as many that failed before come back with nobody on them."""
        of = self._reports
        few = round(LOST_SHARE * self._changes)
        back = self._draw(np.flatnonzero(of.state == State.FAILED), few)
        lost = self._draw(self._runs(), few)
        elastic = self._elastic[back]
        of.state[lost] = State.FAILED
        of.state[back] = np.where(elastic, State.SPECULATIVE, State.IDLE)
        of.hosted[back] = ~elastic
        for some in (lost, back):
            of.cluster[some], of.serves[some], of.state_since[some] = NOBODY, NOBODY, self._now
        return lost, back

    def _counts(self) -> dict[int, int]:
        """Let some clusters ask for a little more or less than they did at first."""
        clusters = len(self._fleet.clusters)
        some = self._draw(np.arange(clusters), max(1, round(ROLL_UPS_SHARE * clusters)))
        needs = np.flatnonzero(np.isin(self._fleet.need_cluster, some))
        swing = self._chance.uniform(1 - COUNT_CHANGE, 1 + COUNT_CHANGE, len(needs))
        counts = np.rint(self.asked[needs] * swing).astype(np.int64)
        return dict(zip(needs.tolist(), counts.tolist(), strict=True))

    def _runs(self) -> Ints:
        return np.flatnonzero(self._reports.state == State.CONFIGURED)

    def _draw(self, places: Ints, few: int) -> Ints:
        """Draw some of the places by lot, or all where there are no more."""
        few = max(0, min(few, len(places)))
        return self._chance.choice(places, few, replace=False, shuffle=False)
