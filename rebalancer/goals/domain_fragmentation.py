"""Goal: free machines in partly used domains of the lowest level.

    sum over domains D that are partly used of their free machines

A machine is free when it is idle and no cycle has reserved it; a domain is partly used when some
but not all of its machines with a host are free. Where D is partly used before the plan, each free
machine that is taken is one less; a wholly free one of f_D machines comes in once it is opened, by
taking one or by creating one beside them:

    f_D * [machines taken or created in D > 0] - machines taken in D

Of domains of one size f whose free machines nothing else tells apart, ceil(taken / f) are opened.
"""

import numpy as np

from models.distinct import places_of
from rebalancer.draft import Draft
from rebalancer.grain import lowest_domains
from rebalancer.snapshot import SupplyKind
from rebalancer.terms import Bins, Feature, Flag, Terms


def domain_fragmentation(draft: Draft) -> Terms:
    """Give the goal, in machines."""
    snapshot, group = draft.snapshot, draft.lanes.group
    domains = lowest_domains(snapshot.standing, snapshot.matching)
    supply = snapshot.supply
    first = np.array([rows[0] for rows in supply.machines], dtype=np.int64)
    place = domains.of_machine[first][group] if len(group) else group
    kind = supply.kind[group]
    idle, new = kind == SupplyKind.IDLE, kind == SupplyKind.SPECULATIVE
    # One more entry for "no domain", which the code -1 finds.
    free = np.append(domains.free, 0)
    opens = (idle | new) & np.append(domains.wholly_free, False)[place]
    features: list[tuple[float, Feature]] = []
    opening = np.flatnonzero(opens)
    for index, places in places_of(group[opening]).items():
        rows, lanes = supply.machines[index], opening[places]
        if len(np.unique(domains.of_machine[rows])) > 1:
            each = int(free[place[lanes[0]]])
            features.append((each, Bins(lanes, each)))
            opens[lanes] = False
    opening = np.flatnonzero(opens)
    features += [
        (int(free[at]), Flag(opening[places])) for at, places in places_of(place[opening]).items()
    ]
    now = float(domains.free[domains.partly_used].sum())
    taken = np.where(idle & (free[place] > 0), -1.0, 0.0)
    return Terms(taken, constant=now, features=tuple(features))
