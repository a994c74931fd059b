"""Domains of a fleet: level, groups, homes and what may move; and gangs that need one."""

import numpy as np
from builders import RACK, fleet, machine, need
from hypothesis import HealthCheck, given, settings
from owned import racked_fleets
from plan_twins import standing_of

from hotpath.matching import Matching
from models import labels
from models.columns import fleet_of
from models.machine import State
from rebalancer.problems.ownership.domains import domains_of, staying
from rebalancer.problems.ownership.gangs import gangs_of, left_without
from rebalancer.problems.ownership.reserve import reserved


def build(machines, needs=(), clusters=(("s0", "a"), ("s1", "b"))):
    building = fleet()
    for name, *owned in clusters:
        building = building.shard(name, *owned)
    for row in machines:
        building = building.machines(row)
    return building.needs(*needs).build()


def domains(world, **masks):
    none = np.zeros(len(world.machines), dtype=np.bool_)
    masks = {"cooling": none, "without": none} | masks
    return domains_of(standing_of(world), **masks)


def named(world, *ids):
    return np.isin(world.machines.ids, ids)


def rack(name, size, **fields):
    return [machine(f"{name}-{place}", rack=name, **fields) for place in range(size)]


def test_racks_and_lone_machines():
    found = domains(build([*rack("r1", 2), *rack("r0", 1), machine("x", zone="z0")]))
    assert found.level == RACK
    assert found.names == ("z1/r0", "z1/r1", "x")
    assert np.bincount(found.of_machine).tolist() == [1, 2, 1]
    # A rack of one is like a lone machine of its class.
    assert found.group.tolist() == [0, 1, 0]
    assert (found.kind.tolist(), found.size.tolist()) == ([0, 0], [1, 2])


def test_without_racks_the_level_above_counts_and_without_any_each_machine():
    zoned = domains(build([machine("x"), machine("y"), machine("z", zone="z2")]))
    assert (zoned.level, zoned.names) == (labels.ZONE, ("z1", "z2"))
    alone = domains(build([machine("x", zone=None), machine("y", zone=None)]))
    assert (alone.level, alone.names) == (None, ("x", "y"))


def test_racks_of_one_name_in_two_zones_are_two():
    world = build([machine("x", rack="r"), machine("y", zone="z2", rack="r")])
    assert domains(world).names == ("z1/r", "z2/r")


def test_alike_are_those_with_as_many_of_each_class():
    mixed = [machine(f"m{n}", rack="r0", instance_type=kind) for n, kind in enumerate("xxy")]
    other = [machine(f"n{n}", rack="r1", instance_type=kind) for n, kind in enumerate("xyy")]
    same = [machine(f"o{n}", rack="r2", instance_type=kind) for n, kind in enumerate("yxx")]
    found = domains(build([*mixed, *other, *same, *rack("r3", 3, instance_type="x")]))
    assert found.group[0] == found.group[2]
    assert len(set(found.group.tolist())) == 3
    # Of the classes x and y are two groups, of x alone one.
    assert sorted(np.bincount(found.kind).tolist()) == [1, 2]
    assert set(found.size.tolist()) == {3}


def test_a_split_rack_is_at_home_where_most_must_stay_then_where_most_is():
    free = [*rack("r0", 2), machine("x", rack="r0", shard="s1")]
    assert domains(build(free)).home.tolist() == [0]
    stuck = [*rack("r0", 2), machine("x", State.FAILED, rack="r0", shard="s1")]
    assert domains(build(stuck)).home.tolist() == [1]
    even = [machine("x", rack="r0", shard="s1"), machine("y", rack="r0", shard="s0")]
    assert domains(build(even)).home.tolist() == [0]


def test_what_must_stay_keeps_its_rack():
    world = build([
        *rack("r0", 2), machine("p", rack="r1", pinned=True), *rack("r1", 1),
        machine("n", rack="r2", reclaim_at=5.0), machine("c", State.CREATING, rack="r3"),
        machine("s", State.SPECULATIVE, rack="r4"),
    ])  # fmt: skip
    found = domains(world)
    assert [found.names[d] for d in np.flatnonzero(found.movable)] == ["z1/r0", "z1/r4"]
    cooled = domains(world, cooling=named(world, "r0-1"))
    assert [cooled.names[d] for d in np.flatnonzero(cooled.movable)] == ["z1/r4"]
    assert staying(standing_of(world), named(world, "s")).sum() == 4


def test_what_leaves_is_in_no_domain():
    world = build([*rack("r0", 2), *rack("r1", 2)])
    found = domains(world, without=named(world, "r0-0", "r0-1", "r1-0"))
    assert found.names == ("z1/r1",)
    assert sorted(found.of_machine.tolist()) == [-1, -1, -1, 0]
    assert found.size.tolist() == [1]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(racked_fleets())
def test_domains_of_any_fleet(rows):
    world = fleet_of(rows)
    found = domains(world)
    codes = world.cell_domains(RACK)[0][world.machines.cell]
    for row in range(len(world.machines)):
        for other in range(row):
            together = codes[row] == codes[other] >= 0
            if (codes >= 0).any():
                assert (found.of_machine[row] == found.of_machine[other]) == together
    contents = [
        tuple(np.bincount(world.machines.class_index[found.of_machine == d], minlength=9).tolist())
        for d in range(len(found))
    ]
    for d, content in enumerate(contents):
        for e in range(d):
            assert (found.group[d] == found.group[e]) == (content == contents[e])
            kinds = [tuple(n > 0 for n in each) for each in (content, contents[e])]
            same = found.kind[found.group[d]] == found.kind[found.group[e]]
            assert same == (kinds[0] == kinds[1])
        assert found.size[found.group[d]] == sum(content)


def gangs(world, shard_of=(0, 1), without=None):
    none = np.zeros(len(world.machines), dtype=np.bool_)
    return gangs_of(Matching(world, ()), np.array(shard_of), none if without is None else without)


def test_the_largest_gang_of_each_shard_that_some_domain_could_hold():
    asked = [need("a/big", 9, same=RACK), need("a/g", 2, same=RACK), need("a/h", 3, same=RACK),
             need("b/plain", 9), need("b/none", 0, same=RACK)]  # fmt: skip
    world = build([*rack("r0", 3), *rack("r1", 2, shard="s1")], asked)
    (found,) = gangs(world)
    assert (found.shard, world.needs[found.need].id, found.count) == (0, "h", 3)
    owner = world.machines.shard.astype(np.int64)
    assert found.homes(owner, 2).tolist() == [True, False]
    assert left_without([found], owner, 2) == []
    assert left_without([found], 1 - owner, 2) == [found]
    # A cluster that joins the other shard takes its gangs along; what leaves is of no use.
    assert gangs(world, (1, 1))[0].shard == 1
    assert world.needs[gangs(world, without=named(world, "r0-0"))[0].need].id == "g"


def test_machines_that_failed_or_do_not_fit_are_no_use_to_a_gang():
    failed = [machine("f", State.FAILED, rack="r0"), machine("s", rack="r0", gpu=1)]
    world = build([*failed, *rack("r0", 1)], [need("a/g", 2, gpu=8, same=RACK)])
    assert gangs(world) == ()


def test_every_gang_gets_a_domain_from_elsewhere_only_where_its_own_will_not_do():
    asked = [need("a/g", 2, same=RACK), need("b/g", 2, same=RACK)]
    world = build([*rack("r0", 2), *rack("r1", 2), *rack("r2", 1, shard="s1")], asked)
    found = domains(world)
    assert reserved(found, gangs(world), 2) in ({0: 0, 1: 1}, {0: 1, 1: 0})
    owned = build([*rack("r0", 2), *rack("r1", 2, shard="s1"), *rack("r2", 2)], asked)
    assert reserved(domains(owned), gangs(owned), 2)[1] == 1
    alone = build([*rack("r0", 2), *rack("r2", 1, shard="s1")], asked)
    assert reserved(domains(alone), gangs(alone), 2) is None
    stuck = build([*rack("r0", 1), machine("x", State.FAILED, rack="r0"), *rack("r1", 2)], asked)
    assert reserved(domains(stuck), gangs(stuck), 2) is None
    assert reserved(found, (), 2) == {}


def test_one_domain_serves_only_one_gang_though_another_would_do_for_either():
    """The gang of s1 may only have r0; that of s0 could have both, and must leave it."""
    asked = [need("a/g", 2, same=RACK), need("b/g", 3, same=RACK)]
    world = build([*rack("r0", 3), *rack("r1", 2)], asked)
    assert reserved(domains(world), gangs(world), 2) == {0: 1, 1: 0}


def test_a_gang_of_many_racks_gets_those_it_has_and_then_others_of_the_zone():
    zoned = need("b/g", 4, same=labels.ZONE)
    racks = [row for n in range(4) for row in rack(f"r{n}", 2, shard="s1" if n == 3 else "s0")]
    world = build([*racks, *rack("r9", 2, zone="z2")], [zoned])
    assert reserved(domains(world), gangs(world), 2) == {3: 1, 0: 1}
    # No more of like racks than a share, and nothing that is set aside for another.
    assert reserved(domains(world), gangs(world), 5) == {}
    both = build(racks, [zoned, need("a/g", 3, same=labels.ZONE)])
    assert reserved(domains(both), gangs(both), 2) == {3: 1, 0: 1, 1: 0, 2: 0}


def test_homes_are_asked_of_every_shard():
    world = build(rack("r0", 2), [need("a/g", 1, same=RACK)])
    owner = np.array([1, 1])
    assert gangs(world)[0].homes(owner, 2).tolist() == [False, True]
