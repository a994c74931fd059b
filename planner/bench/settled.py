"""A shard after a cycle whose every order was carried out, where everybody is served."""

from dataclasses import replace

import numpy as np

from hotpath.cycle import Cycle
from hotpath.inventory import cluster_of_need
from models.fleet import Fleet
from models.machine import State


def settled(fleet: Fleet, done: Cycle) -> Fleet:
    """Let each machine run for the need it serves, and each need ask for no more than it has.

    Machines that serve nobody stay as they are.
    """
    machines, serving = fleet.machines, done.serves >= 0
    have = np.bincount(done.serves[serving], minlength=len(fleet.needs)).tolist()
    return replace(
        fleet,
        machines=replace(
            machines,
            state=np.where(serving, np.int8(State.CONFIGURED), machines.state),
            cluster=np.where(serving, cluster_of_need(fleet, done.serves), machines.cluster),
            serves=np.where(serving, done.serves, machines.serves),
            # What was bought has a host by now.
            host_refs=np.where(serving & ~machines.hosted, machines.ids, machines.host_refs),
        ),
        needs=tuple(
            replace(need, count=count) for need, count in zip(fleet.needs, have, strict=True)
        ),
    )
