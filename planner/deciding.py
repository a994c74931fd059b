"""Decide on a fleet from a file: cycles of its shards, judged before anyone is shown them."""

from collections.abc import Sequence

import numpy as np

from hotpath.cycle import Cycle, Decided, decide, give_back
from hotpath.inventory import inventory_of
from hotpath.memory import Memory
from hotpath.standing import standing_of
from models.audit import CycleAnswer, audit_cycle, audit_fleet, require
from models.fleet import Fleet, Mask
from models.settings import Settings
from models.shortfall import Reason, Shortfall
from models.standing import Standing

NOW_SECONDS = 0.0
"""On files the timers of machines count from their ``stateSince``, which is relative to this."""


def decide_shards(fleet: Fleet, settings: Settings, shards: Sequence[int]) -> list[Decided]:
    """Walk the needs of each shard, in the given order, with an empty memory: phases 1 and 2.

    Raises
    ------
    RuleBroken
        When the judge finds a rule broken in the fleet itself.
    """
    require(audit_fleet(fleet))
    return [decide(inventory_of(fleet, shard), Memory(), settings, NOW_SECONDS) for shard in shards]


def decide_all(fleet: Fleet, settings: Settings) -> tuple[list[Decided], Standing]:
    """Walk the needs of every shard with an empty memory; give how the fleet then stands, too.

    Raises
    ------
    RuleBroken
        When the judge finds a rule broken in the fleet itself.
    """
    decided = decide_shards(fleet, settings, range(len(fleet.shards)))
    return decided, standing_of(fleet, decided)


def standing_after_cycles(fleet: Fleet, settings: Settings) -> Standing:
    """Give how a fleet stands once every shard has decided, see ``decide_all``."""
    _, standing = decide_all(fleet, settings)
    return standing


def finish_shards(
    fleet: Fleet, settings: Settings, decided: Sequence[Decided], taken: Mask | None = None
) -> list[Cycle]:
    """Finish the cycles, hands off the machines ``taken``, ``(M,)``: phase 3 and release.

    Raises
    ------
    RuleBroken
        When the judge finds a rule broken in an answer.
    """
    if taken is None:
        taken = np.zeros(len(fleet.machines), dtype=np.bool_)
    cycles = [give_back(each, taken) for each in decided]
    answers = [
        CycleAnswer(done.shard, done.actions, done.shortfalls, done.serves) for done in cycles
    ]
    require([broken for answer in answers for broken in audit_cycle(fleet, answer, settings)])
    return cycles


def is_short(shortfall: Shortfall) -> bool:
    """Tell whether machines are missing; those merely on their way for long are not."""
    return shortfall.reason is not Reason.WAITING_FOR_CREATE
