"""What is lost with machines that are taken, one by one."""

import numpy as np
from worlds import World, random_world

from models.cost import DEAREST_USD
from rebalancer.reclamation import reclamation_usd


def test_the_larger_of_both_penalties_is_lost():
    seen = 0
    for seed in range(20):
        standing = random_world(seed).standing()
        needs, own = standing.fleet.needs, standing.fleet.machines.reclamation_penalty
        rows = np.flatnonzero(np.arange(len(own)) % 3 != seed % 3)[::-1]
        wanted = [
            max(own[m], needs[standing.serves[m]].reclamation_penalty)
            if standing.serves[m] >= 0
            else 0.0
            for m in rows.tolist()
        ]
        assert reclamation_usd(standing, rows).tolist() == wanted
        seen += sum(usd > 0 for usd in wanted)
    assert seen > 10


def test_no_machine_is_dearer_than_the_dearest():
    world = World().shard("s0", "a").need("a/n", 2, 1, reclamation_penalty=2.0)
    world.running("m", 1, "a/n", shard="s0", reclamation_penalty=1e300)
    world.running("k", 1, "a/n", shard="s0").machines("free", shard="s0", reclamation_penalty=9.0)
    standing = world.standing()
    usd = dict(
        zip(standing.fleet.machines.ids, reclamation_usd(standing, np.arange(3)), strict=True)
    )
    assert usd == {"m": DEAREST_USD, "k": 2.0, "free": 0.0}
