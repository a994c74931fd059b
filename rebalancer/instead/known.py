"""What is known of other machines for a need without a solve."""

import numpy as np

from models.fleet import Mask
from models.plan import Plan
from models.standing import Standing
from rebalancer.snapshot import Snapshot


def known(standing: Standing, snapshot: Snapshot, plan: Plan, need: int, machines: Mask) -> str:
    """Say what is known without a solve about machines, ``(M,)``, for a need; else ""."""
    fleet, name = standing.fleet, standing.fleet.needs[need].name
    if not machines.any():
        return "There is no machine."
    # A drain by which a need climbs back names it on both sides.
    coming = [move for move in plan.moves if move.need == need != move.victim]
    taken = {row for move in coming for row in move.machines}
    marked = np.flatnonzero(machines).tolist()
    if taken.issuperset(marked):
        return "The plan does that."
    if (standing.serves[machines] == need).all():
        return f"That serves {name} already."
    if not standing.short[need]:
        return f"{name} lacks nothing once its shard's cycle is done: the plan gives it nothing."
    if len(marked) > 1:
        return ""
    [machine] = marked
    for rows in snapshot.supply.machines:
        like = taken & set(rows.tolist())
        if machine in rows and like:
            first = min(like, key=lambda row: int(fleet.machines.id_rank[row]))
            return (
                f"Nothing tells {fleet.machines.ids[machine]} apart from "
                f"{fleet.machines.ids[first]}, which the plan takes: of like machines the "
                f"lowest id goes first."
            )
    return ""
