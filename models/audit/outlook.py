"""A shard as it stands once the orders of a cycle are given."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from models.action import Action, Verb
from models.audit.names import is_active
from models.audit.suits import Suits
from models.fleet import Codes, Fleet, Ints, Mask
from models.machine import NOBODY, State
from models.settings import Settings
from models.shortfall import Shortfall

NO_DRAIN = -2
"""In ``Outlook.drained_for``: nobody ordered a drain."""

_AFTER = {
    Verb.CONFIGURE: State.CONFIGURING,
    Verb.CREATE: State.CREATING,
    Verb.DRAIN: State.DRAINING,
    Verb.DELETE: State.DELETING,
}

_COUNTED = (State.CREATING, State.IDLE, State.CONFIGURING, State.CONFIGURED)
"""States in which a machine that has a need counts as served; idle means reserved."""


@dataclass(frozen=True, eq=False, slots=True)
class CycleAnswer:
    """What one shard's cycle answered.

    Attributes
    ----------
    shard
        Row number in the fleet's shards.
    serves
        Shape ``(M,)``. The need each machine serves, is reserved for or drains for once the
        orders are given; -1 none. Rows of other shards are not looked at.
    """

    shard: int
    actions: Sequence[Action]
    shortfalls: Sequence[Shortfall]
    serves: Codes


@dataclass(frozen=True, eq=False, slots=True)
class Outlook:
    """Columns beside the machines (``M``) and needs (``N``), all after the cycle.

    Attributes
    ----------
    mine
        Shape ``(M,)``. Machines of the shard.
    state, serves
        Shape ``(M,)``. ``serves`` is -1 outside the shard.
    drained_for
        Shape ``(M,)``. For whom this cycle drains it: a need, -1 nobody, ``NO_DRAIN`` not at all.
    counted
        Shape ``(M,)``. Counts for the need it serves: not draining, no notice of reclaim.
    have, waiting
        Shape ``(N,)``. Machines that count, and machines that drain for it and have no notice.
    priority, asked
        Shape ``(N,)``. Priority and count of the needs.
    """

    fleet: Fleet
    answer: CycleAnswer
    settings: Settings
    suits: Suits
    mine: Mask
    state: Codes
    serves: Codes
    drained_for: Codes
    counted: Mask
    have: Ints
    waiting: Ints
    priority: Ints
    asked: Ints
    _lost_counts: dict[int, int] = field(default_factory=dict)

    @property
    def actions(self) -> Sequence[Action]:
        """Give the orders."""
        return self.answer.actions

    @property
    def lacking(self) -> Ints:
        """Give what each need lacks, machines draining for it not counted; shape ``(N,)``."""
        lacking: Ints = np.maximum(self.asked - self.have, 0)
        return lacking

    def is_own(self, need: int) -> bool:
        """Tell whether the need is one of the shard's."""
        return int(self.fleet.need_cluster[need]) in self.fleet.shards[self.answer.shard].clusters

    def is_provided_for(self, need: int) -> bool:
        """Tell whether the need may attract machines: of the shard, heard from, not shadow."""
        return self.is_own(need) and is_active(self.fleet, int(self.fleet.need_cluster[need]))

    def could_serve(self, need: int) -> Mask:
        """Tell which machines were the need's, or of its cluster and suit it; shape ``(M,)``."""
        machines = self.fleet.machines
        of_cluster = machines.cluster == self.fleet.need_cluster[need]
        able: Mask = self.mine & (
            (machines.serves == need) | (of_cluster & self.suits.machines(need))
        )
        return able

    def lost(self, need: int) -> Mask:
        """Tell which machines it may have lost in this cycle to a higher need; shape ``(M,)``.

        Their loss shows only in the next cycle. Which of its cluster's needs a machine served
        before is not in the answer, so this holds every machine that could have been the need's.
        """
        preempted: Mask = self.drained_for >= 0
        if not np.any(preempted):
            return preempted
        higher = of_needs(self.priority, self.drained_for) > self.priority[need]
        preempted &= higher
        preempted &= self.could_serve(need)
        return preempted

    def lost_count(self, need: int) -> int:
        """Give the number of machines it may have lost in this cycle to a higher need."""
        if need not in self._lost_counts:
            self._lost_counts[need] = int(np.count_nonzero(self.lost(need)))
        return self._lost_counts[need]

    def newly_got(self, need: int) -> Mask:
        """Tell which machines the need got in this cycle from outside its cluster; ``(M,)``.

        What was reserved or draining for it before was got before; what another need of its
        cluster served only changed hands.
        """
        before = self.fleet.machines.serves
        clusters = self.fleet.need_cluster
        of_other = (before < 0) | (of_needs(clusters, before) != clusters[need])
        untied = np.isin(self.fleet.machines.state, [State.SPECULATIVE, State.IDLE, State.DRAINING])
        got: Mask = (self.serves == need) & (before != need)
        got &= of_other & (untied | (self.drained_for == need))
        return got


def of_needs(column: Ints | Codes, needs: Codes) -> Ints:
    """Give a need's entry for each machine's need; -1 where there is none. Shape of ``needs``."""
    return np.append(column.astype(np.int64), -1)[np.maximum(needs, -1)]


def outlook_of(fleet: Fleet, answer: CycleAnswer, settings: Settings) -> Outlook:
    """Give the shard after the orders; rows and needs must be in range."""
    machines = fleet.machines
    mine = machines.shard == answer.shard
    serves = np.where(mine, np.maximum(answer.serves, NOBODY), NOBODY).astype(np.int32)
    state = machines.state.astype(np.int32)
    drained_for = np.full(len(machines), NO_DRAIN, dtype=np.int32)
    for action in answer.actions:
        state[action.machine] = _AFTER[action.verb]
        if action.verb is Verb.DRAIN and machines.state[action.machine] != State.DRAINING:
            drained_for[action.machine] = action.need
    served = (serves >= 0) & np.isnan(machines.reclaim_at)
    counted = served & np.isin(state, _COUNTED)
    draining = served & (state == State.DRAINING)
    count = len(fleet.needs)
    return Outlook(
        fleet=fleet,
        answer=answer,
        settings=settings,
        suits=Suits(fleet, settings),
        mine=mine,
        state=state,
        serves=serves,
        drained_for=drained_for,
        counted=counted,
        have=np.bincount(serves[counted], minlength=count),
        waiting=np.bincount(serves[draining], minlength=count),
        priority=np.array([need.priority for need in fleet.needs], dtype=np.int64),
        asked=np.array([need.count for need in fleet.needs], dtype=np.int64),
    )
