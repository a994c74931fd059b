"""Whom the needs of other shards keep machines from, pair by pair."""

import numpy as np
from worlds import RACK, World, random_world

from models.labels import INSTANCE_TYPE
from models.requirement import Operator, Requirement
from models.rules import Rule
from models.standing import Standing
from rebalancer.explain.scene import Scene, refused_parcels, scene_of
from rebalancer.transfer_rules import TransferRules


def scenes(standing: Standing) -> list[Scene]:
    needs = np.flatnonzero(standing.short).tolist()
    return [scene_of(standing, (), need, TransferRules()) for need in needs]


def kept(scene: Scene) -> list[bool]:
    """Tell of each parcel whether a need as high of its own shard lacks and could use it."""
    fleet, parcels = scene.fleet, scene.parcels
    rivals = [
        (fleet.shard_of_need(row), scene.matching.eligible(need))
        for row, need in enumerate(fleet.needs)
        if row != scene.row and scene.short[row] > 0 and need.priority >= scene.need.priority
        if not (need.is_gang or need.floor or any(spread.is_hard for spread in need.spread))
    ]
    pairs = zip(parcels.shard.tolist(), parcels.cell.tolist(), strict=True)
    return [
        shard != scene.shard and any(owner == shard and may[cell] for owner, may in rivals)
        for shard, cell in pairs
    ]


def test_machines_are_kept_for_whoever_could_use_them():
    seen = [0, 0]
    for seed in range(90):
        for scene in scenes(random_world(seed, spread=seed % 2 == 0).standing()):
            found = refused_parcels(scene)[Rule.KEEPS_OWN].tolist()
            assert found == kept(scene), seed
            seen[0] += sum(found)
            seen[1] += len(found) - sum(found)
    assert min(seen) > 20, seen


def test_needs_of_one_shard_keep_what_each_could_use():
    """One names a type, one a rack and one a type that nobody has."""
    world = World().shard("s0", "a").shard("s1", "b").need("a/n", 1, 9)
    asked = {"x": (INSTANCE_TYPE, "g"), "y": (INSTANCE_TYPE, "none"), "z": (RACK, "r1")}
    for name, (key, value) in asked.items():
        only = (Requirement(key, Operator.IN, (value,)),)
        world.need(f"b/{name}", 2, 9, requirements=only)
    for kind, rack in (("g", "r0"), ("h", "r0"), ("h", "r1")):
        world.machines(f"{kind}-{rack}", shard="s1", instance_type=kind, rack=rack)
    scene = next(each for each in scenes(world.standing()) if each.need.id == "n")
    found = refused_parcels(scene)[Rule.KEEPS_OWN].tolist()
    assert found == kept(scene)
    assert sorted(found) == [False, True, True]
