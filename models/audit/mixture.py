"""What a need's machines must be like together: evenly spread, and safe enough."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from models.audit.names import need_name
from models.audit.outlook import Outlook
from models.audit.suits import Suits
from models.audit.violation import Violation
from models.fleet import Codes, Fleet, Mask
from models.machine import State
from models.rules import Rule


@dataclass(frozen=True, eq=False, slots=True)
class Holding:
    """The machines of one need, each column of shape ``(M,)``.

    Attributes
    ----------
    got
        Machines it got by the decision under judgement.
    members
        Machines it has with them, those that drain for it among them.
    before
        The same and what it lost in between; the emptiest domain is measured by these.
    universe
        Machines of the shard, in any state.
    """

    need: int
    got: Mask
    members: Mask
    before: Mask
    universe: Mask


def mixture_violations(outlook: Outlook) -> Iterator[Violation]:
    """Judge each need that got machines in this cycle."""
    draining = (outlook.state == State.DRAINING) & np.isnan(outlook.fleet.machines.reclaim_at)
    counted = outlook.counted | draining
    for row, need in enumerate(outlook.fleet.needs):
        if not need.spread and not need.floor:
            continue
        members = counted & (outlook.serves == row)
        holding = Holding(
            row, outlook.newly_got(row), members, members | outlook.lost(row), outlook.mine
        )
        yield from holding_violations(outlook.suits, holding)


def holding_violations(suits: Suits, holding: Holding) -> Iterator[Violation]:
    """Judge what a need got against its spreads and its floor."""
    fleet, need = suits.fleet, suits.fleet.needs[holding.need]
    if not np.any(holding.got):
        return
    for spread in need.spread:
        if spread.is_hard and np.any(uneven(suits, holding, spread.key, spread.max_skew)):
            message = f"more than {spread.max_skew} apart over {spread.key}"
            yield Violation(Rule.SPREAD, need_name(fleet, holding.need), message)
    risk = risky(fleet)
    allowed = max(need.count - need.floor, 0)
    count = np.count_nonzero(holding.members & risk)
    if np.any(holding.got & risk) and count > allowed:
        message = f"{count} machines may be interrupted, {allowed} are allowed"
        yield Violation(Rule.FLOOR, need_name(fleet, holding.need), message)


def uneven(suits: Suits, holding: Holding, key: str, max_skew: int) -> Mask:
    """Tell which machines of ``got`` are where there are too many, or have no such label; ``(M,)``.

    The domains are the non-empty values among the shard's machines, in any state, that match.
    """
    value: Codes = suits.value_codes(key)[suits.fleet.machines.cell]
    labelled = value >= 0
    size = int(value.max(initial=-1)) + 1
    domains = np.unique(value[holding.universe & labelled & suits.machines(holding.need)])
    least = np.bincount(value[holding.before & labelled], minlength=size)[domains].min(
        initial=2**62
    )
    counts = np.bincount(value[holding.members & labelled], minlength=size)
    crowded = np.zeros(len(value), dtype=np.bool_)
    crowded[labelled] = counts[value[labelled]] - least > max_skew
    return holding.got & (crowded | ~labelled)


def risky(fleet: Fleet) -> Mask:
    """Tell which machines may be interrupted; shape ``(M,)``."""
    risk: Mask = fleet.numbers.interruption_probability > 0
    return risk[fleet.machines.class_index]
