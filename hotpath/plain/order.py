"""In which order machines are given back: phase 3's, which also says who is beyond a count."""

import numpy as np

from hotpath.inventory import Inventory
from models.fleet import Ints, Reals
from models.machine import State

LIKE_PRICE = 0.95
"""Prices from this share of the group's dearest on count as alike."""

_NOT_YET = {State.IDLE: 0, State.CREATING: 0, State.CONFIGURING: 1}
"""What is not yet configured goes first; what still costs nothing to let go, before the rest."""

_STAGE = np.array([_NOT_YET.get(state, 2) for state in State], dtype=np.int64)


def give_back_order(inventory: Inventory, machines: Ints, served_penalty_usd: float = 0.0) -> Ints:
    """Sort machines so that the first is the first to go.

    Not yet configured before configured; then dearest price first, unknown dearest of all, in
    groups that start at the dearest left and take everything at 0.95 of it or more; inside a group
    the lower reclamation penalty, then the id. A machine's penalty is no less than that of the need
    it serves, ``served_penalty_usd``.
    """
    if len(machines) < 2:
        return machines
    columns = inventory.machines
    stage = _STAGE[columns.state[machines]]
    price = np.nan_to_num(inventory.price_per_hour[machines], nan=np.inf)
    group = _like_price_groups(stage, price)
    penalty = np.maximum(columns.reclamation_penalty[machines], served_penalty_usd)
    order: Ints = machines[np.lexsort((columns.id_rank[machines], penalty, group))]
    return order


def _like_price_groups(stage: Ints, price: Reals) -> Ints:
    """Number the groups of each stage, dearest first; shape of the input."""
    order = np.lexsort((-price, stage))
    group, number, start = np.empty(len(price), dtype=np.int64), 0, 0
    while start < len(order):
        dearest = order[start]
        rest = order[start:]
        alike = (stage[rest] == stage[dearest]) & (price[rest] >= LIKE_PRICE * price[dearest])
        # Prices fall within a stage, so what is alike stands together at the front.
        members = rest[: int(np.count_nonzero(alike))]
        group[members] = number
        number, start = number + 1, start + len(members)
    return group
