"""What the world does: reclaims, dead nodes, orphans, prices, and time that goes by."""

from itertools import pairwise

import pytest

from models.machine import CapacityType, State
from providers.machine import Health
from tests.providers.simulated.clouds import (
    cloud,
    configure,
    create,
    delete,
    drain,
    hosts,
    listed,
    match,
    slots,
    state,
)  # fmt: skip


def machine(world, name, now):
    return world.get([name], now).machines[0]


def test_a_part_of_the_matching_elastic_machines_is_taken_back_after_a_notice():
    fixed = hosts(2, "f", capacity_type=CapacityType.RESERVED)
    world = cloud([*hosts(5), *fixed, *slots(2)])
    taken = world.reclaim(match(), 0.5, 15.0, 100.0)
    assert len(taken) == 2
    assert set(taken) < {"h0", "h1", "h2", "h3", "h4"}
    assert [machine(world, name, 114.9).reclaim_at for name in taken] == [115.0, 115.0]
    assert machine(world, taken[0], 114.9).state is State.IDLE
    gone = machine(world, taken[0], 115.0)
    assert (gone.state, gone.host, gone.reclaim_at) == (State.SPECULATIVE, "", None)
    assert gone.state_since == 115.0
    others = {"h0", "h1", "h2", "h3", "h4", "f0", "f1"} - set(taken)
    assert {state(world, name, 1e6) for name in others} == {"IDLE"}
    # The seed and the time draw: another time, others.
    assert len({tuple(cloud(hosts(9)).reclaim(match(), 0.4, 1.0, t)) for t in range(5)}) > 1
    assert cloud(hosts(9)).reclaim(match(), 0.4, 1.0, 0) == cloud(hosts(9)).reclaim(
        match(), 0.4, 1.0, 0
    )


def test_an_earlier_end_is_kept():
    world = cloud(hosts(1))
    world.reclaim(match(), 1.0, 10.0, 0.0)
    world.reclaim(match(), 1.0, 100.0, 5.0)
    assert machine(world, "h0", 5.0).reclaim_at == 10.0
    world.reclaim(match(), 1.0, 1.0, 6.0)
    assert machine(world, "h0", 6.0).reclaim_at == 7.0


def test_events_come_before_transitions_that_end_at_the_same_instant():
    world = cloud(slots(1), create=10)
    create(world, ["s0"])
    assert world.reclaim(match(), 1.0, 0.0, 10.0) == []
    assert state(world, "s0", 10.0) == "IDLE"


def test_spot_machines_go_by_their_probability_told_before():
    rows = [
        *hosts(400, interruption_probability=0.5),
        *hosts(40, "d", interruption_probability=0.5, capacity_type=CapacityType.ON_DEMAND),
        *hosts(40, "n", interruption_probability=0.0),
    ]
    world = cloud(rows, reclaims={"notice": 120})
    names = [row.id for row in rows]
    ends, told = {}, set()
    for now in range(0, 3600 * 2 + 1, 60):
        for each in world.get(names, float(now)).machines:
            if each.reclaim_at is not None:
                told.add(each.id)
                assert now <= each.reclaim_at <= now + 120
                ends[each.id] = each.reclaim_at
    gone = [n for n in names if state(world, n, 7200.0) == "SPECULATIVE"]
    assert set(gone) <= told
    assert all(name.startswith("h") for name in told)
    # Half of 400 in an hour, three quarters in two: ten is one standard deviation.
    assert 170 <= sum(end <= 3600 for end in ends.values()) <= 230
    assert 270 <= len(gone) <= 330


def test_a_machine_that_comes_back_is_drawn_anew():
    world = cloud(slots(1, interruption_probability=1.0), reclaims={"notice": 0})
    create(world, ["s0"])
    assert state(world, "s0", 0.0) == "SPECULATIVE"
    world = cloud(slots(1, interruption_probability=0.9), reclaims={"notice": 60})
    create(world, ["s0"])
    assert state(world, "s0", 3600.0 * 24 * 30) == "SPECULATIVE"
    create(world, ["s0"], 3600.0 * 24 * 30)
    assert state(world, "s0", 3600.0 * 24 * 30) == "IDLE"
    assert state(world, "s0", 3600.0 * 24 * 60) == "SPECULATIVE"


def test_a_dead_node_is_unknown_to_get_and_known_to_its_board():
    world = cloud(hosts(2))
    assert world.kill(match(id="h0"), 1.0) == ["h0"]
    found = world.get(["h0", "h1"], 1.0)
    assert (found.unknown, [each.id for each in found.machines]) == (("h0",), ["h1"])
    assert listed(world, 1.0) == ["h0", "h1"]
    assert world.health("h0", 1.0) is Health.DEAD
    assert delete(world, ["h0"], 2.0) == [""]
    assert state(world, "h0", 2.0) == "SPECULATIVE"


def test_health_is_reported():
    world = cloud([*hosts(2), *slots(1)])
    assert world.set_health(match(id="*0"), Health.SUSPECT, 1.0) == ["h0"]
    assert machine(world, "h0", 1.0).health is Health.SUSPECT
    assert machine(world, "h1", 1.0).health is Health.OK
    assert world.health("h0", 1.0) is Health.SUSPECT
    assert world.health("s0", 1.0) is Health.UNKNOWN
    assert world.health("x", 1.0) is None


def test_an_orphan_is_like_another_but_for_its_names():
    label = {"kubernetes.io/hostname": "host-0", "rack": "r1"}
    rows = hosts(2, labels=label, cluster="c", state=State.CONFIGURED)
    world = cloud([*rows, *slots(1)])
    world.add_orphan("a-much-longer-name-than-theirs", "h0", 1.0)
    orphan, like = machine(world, "a-much-longer-name-than-theirs", 1.0), machine(world, "h0", 1.0)
    assert orphan.host == "host-a-much-longer-name-than-theirs"
    assert orphan.labels == {"rack": "r1"}
    assert (orphan.cluster, orphan.kind, orphan.state) == ("c", like.kind, State.CONFIGURED)
    assert drain(world, orphan.id, 0, 2.0) == [""]
    assert delete(world, [orphan.id], 3.0) == [""]
    assert create(world, [orphan.id], 4.0) == [""]
    assert machine(world, orphan.id, 4.0).host == f"{orphan.id}-3"
    assert machine(world, "h1", 4.0).cluster == "c"
    delete(world, [orphan.id], 5.0)
    world.world.operation[world.world.row(orphan.id)] = 2_000_000_000
    create(world, [orphan.id], 6.0)
    assert machine(world, orphan.id, 6.0).host == f"{orphan.id}-2000000001"


@pytest.mark.parametrize(
    ("name", "like", "said"),
    [
        ("h0", "h0", "there is a machine 'h0' already."),
        ("x", "y", "there is no machine 'y' with a host to be like."),
        ("x", "s0", "there is no machine 's0' with a host to be like."),
        ("", "h0", "'' is no id of a machine."),
    ],
)
def test_an_orphan_that_cannot_be_is_refused(name, like, said):
    with pytest.raises(ValueError, match=said):
        cloud([*hosts(1), *slots(1)]).add_orphan(name, like, 0.0)


def test_a_failure_stays_with_its_machine_when_another_is_put_before_it():
    world = cloud(hosts(2), timeouts={"configure": 1}, configure=5)
    configure(world, "h1")
    world.add_orphan("h00", "h0", 2.0)
    assert machine(world, "h1", 2.0).last_failure is not None
    assert machine(world, "h00", 2.0).last_failure is None


def test_a_price_is_set_for_those_that_match():
    world = cloud([*hosts(2, price_per_hour=1.0), *slots(1, price_per_hour=1.0)])
    cursor = list(world.list("", 0.0))[-1].end.cursor
    world.set_price(match(id="h0"), 2.5, 1.0)
    prices = {name: machine(world, name, 1.0).kind.price_per_hour for name in ("h0", "h1", "s0")}
    assert prices == {"h0": 2.5, "h1": 1.0, "s0": 1.0}
    assert listed(world, 1.0, cursor) == ["h0"]
    world.set_price(match(id="h0"), None, 2.0)
    assert machine(world, "h0", 2.0).kind.price_per_hour is None


def test_prices_of_spot_walk_within_their_bounds():
    rows = [
        *hosts(1, price_per_hour=2.0),
        *hosts(1, "d", price_per_hour=2.0, capacity_type=CapacityType.ON_DEMAND),
        *hosts(1, "u"),
    ]
    knobs = {"prices": {"every": "5m", "drift": 0.3, "least": 0.5, "most": 1.5}}

    def walked(step, seed=0):
        world = cloud(rows, seed, **knobs)
        seen = []
        for now in range(0, 300 * 200, step):
            seen.append(machine(world, "h0", float(now)).kind.price_per_hour)
            assert machine(world, "d0", float(now)).kind.price_per_hour == 2.0
            assert machine(world, "u0", float(now)).kind.price_per_hour is None
        return seen

    seen = walked(300)
    assert seen[0] == 2.0
    assert len(set(seen)) > 100
    assert min(seen) == pytest.approx(1.0)
    assert max(seen) == pytest.approx(3.0)
    assert all(abs(b / a - 1) <= 0.3 + 1e-9 for a, b in pairwise(seen))
    # Who asks seldom sees the same walk; another seed another one.
    assert walked(600) == seen[::2]
    assert walked(300, seed=1) != seen


def test_a_drain_ends_with_its_grace_at_the_latest():
    world = cloud(hosts(3, cluster="c", state=State.CONFIGURED), drain=60)
    assert [drain(world, "h0", 20), drain(world, "h1", 600), drain(world, "h2", 600)] == [[""]] * 3
    assert machine(world, "h0", 0.0).estimated_ready == 20.0
    assert machine(world, "h1", 0.0).estimated_ready == 60.0
    assert state(world, "h0", 19.9) == "DRAINING"
    assert state(world, "h0", 20.0) == "IDLE"
    drain(world, "h2", 5, 20.0)
    assert state(world, "h2", 24.9) == "DRAINING"
    assert state(world, "h2", 25.0) == "IDLE"
    assert state(world, "h1", 59.9) == "DRAINING"
    assert state(world, "h1", 60.0) == "IDLE"


def test_transitions_of_the_document_go_on():
    rows = [
        *slots(1, "c", state=State.CREATING, state_since=-30.0),
        *hosts(1, "d", state=State.DELETING, state_since=-30.0),
    ]
    world = cloud(rows, now=1000.0, create=60, delete=10, timeouts={"delete": 5})
    assert machine(world, "c0", 1000.0).estimated_ready == 1030.0
    assert state(world, "c0", 1029.9) == "CREATING"
    assert state(world, "c0", 1030.0) == "IDLE"
    assert state(world, "d0", 1000.0) == "FAILED"
