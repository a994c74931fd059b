"""Calls that go wrong as ``fail`` says, and transitions that the provider gives up."""

import pytest

from models.failure import FailureClass
from models.machine import CapacityType
from tests.providers.simulated.clouds import ZONE, cloud, configure, create, delete, slots, state


def test_the_first_rule_that_holds_wins():
    world = cloud(
        slots(3),
        fail=[
            {"rpc": "delete", "class": "INTERNAL"},
            {"rpc": "create", "match": {"id": "s[12]"}, "class": "CAPACITY"},
            {"rpc": "create", "match": {"id": "s*"}, "class": "IP"},
        ],
    )
    assert create(world, ["s0", "s1", "s2"]) == ["IP", "CAPACITY", "CAPACITY"]


@pytest.mark.parametrize("kind", FailureClass)
def test_a_refused_call_leaves_the_machine_as_it_was(kind):
    world = cloud(slots(1), fail=[{"rpc": "create", "class": str(kind)}])
    before = world.get(["s0"], 0.0).machines
    assert create(world, ["s0"]) == [kind.name]
    assert world.get(["s0"], 9.0).machines == before


def test_a_rule_holds_from_its_time_until_just_before_the_other():
    rule = {"rpc": "create", "class": "CAPACITY", "from": "10s", "until": "20s"}
    world = cloud(slots(4), now=1000.0, fail=[rule])
    assert create(world, ["s0"], 1009.9) == [""]
    assert create(world, ["s1"], 1010.0) == ["CAPACITY"]
    assert create(world, ["s2"], 1019.9) == ["CAPACITY"]
    assert create(world, ["s3"], 1020.0) == [""]


@pytest.mark.parametrize(
    ("keys", "refused"),
    [
        ({"id": "a*"}, "a0 a1"),
        ({"id": "A*"}, ""),
        ({"id": "?0"}, "a0 b0 c0"),
        ({"instanceType": "big"}, "b0"),
        ({"zone": "z1"}, "b0 c0"),
        ({"capacityType": "on-demand"}, "c0"),
        ({"zone": "z1", "capacityType": "spot"}, "b0"),
        ({"zone": "none"}, ""),
        ({}, "a0 a1 b0 c0"),
    ],
)
def test_all_keys_of_a_match_must_hold(keys, refused):
    rows = [
        *slots(2, "a"),
        *slots(1, "b", instance_type="big", labels={ZONE: "z1"}),
        *slots(1, "c", capacity_type=CapacityType.ON_DEMAND, labels={ZONE: "z1"}),
    ]
    world = cloud(rows, fail=[{"rpc": "create", "match": keys, "class": "CAPACITY"}])
    names = ["a0", "a1", "b0", "c0"]
    found = [n for n, error in zip(names, create(world, names), strict=True) if error]
    assert found == refused.split()


def test_what_hangs_is_accepted_and_never_ends():
    world = cloud(slots(1), create=5, fail=[{"rpc": "create", "class": "hang"}])
    assert create(world, ["s0"]) == [""]
    assert state(world, "s0", 1e9) == "CREATING"
    assert world.get(["s0"], 1e9).machines[0].estimated_ready == 5.0


def test_what_hangs_is_given_up_where_there_is_a_timeout():
    knobs = {"timeouts": {"create": "15m"}, "fail": [{"rpc": "create", "class": "hang"}]}
    world = cloud(slots(1), **knobs)
    create(world, ["s0"], 10.0)
    assert state(world, "s0", 909.9) == "CREATING"
    [machine] = world.get(["s0"], 911.0).machines
    assert (machine.state.name, machine.failed_from.name) == ("FAILED", "CREATING")
    assert machine.state_since == 910.0
    assert machine.last_failure.failure_class is FailureClass.INTERNAL
    assert machine.last_failure.message == "create was given up after 900 s."
    assert machine.estimated_ready is None


def test_a_late_create_answers_with_an_error_and_is_done_all_the_same():
    """A Delete in between is acknowledged and does not stop it."""
    late = {"rpc": "create", "class": "late", "after": 120}
    world = cloud(slots(1), fail=[late])
    assert create(world, ["s0"]) == ["INTERNAL"]
    assert state(world, "s0", 50.0) == "SPECULATIVE"
    assert delete(world, ["s0"], 50.0) == [""]
    assert state(world, "s0", 119.9) == "SPECULATIVE"
    [machine] = world.get(["s0"], 120.0).machines
    assert (machine.state.name, bool(machine.host)) == ("IDLE", True)


def test_repeating_a_late_create_does_not_put_it_off():
    world = cloud(slots(1), fail=[{"rpc": "create", "class": "late", "after": 120}])
    assert create(world, ["s0"], 0.0) == create(world, ["s0"], 100.0) == ["INTERNAL"]
    assert state(world, "s0", 120.0) == "IDLE"


def test_what_was_done_late_and_again_is_one_machine():
    late = {"rpc": "create", "class": "late", "after": 120, "until": 10}
    world = cloud(slots(1), create=60, fail=[late])
    create(world, ["s0"], 0.0)
    assert create(world, ["s0"], 90.0) == [""]
    first = world.get(["s0"], 120.0).machines[0]
    assert first.state.name == "IDLE"
    later = world.get(["s0"], 1000.0).machines[0]
    assert (later.host, later.state_since) == (first.host, 120.0)


def test_a_failed_configure_goes_back_to_idle_or_is_tried_again():
    world = cloud(
        slots(1),
        timeouts={"configure": 10},
        fail=[{"rpc": "configure", "class": "hang", "until": 20}],
    )
    create(world, ["s0"])
    configure(world, "s0", 1.0)
    assert state(world, "s0", 11.0) == "FAILED"
    assert configure(world, "s0", 30.0) == [""]
    [machine] = world.get(["s0"], 30.0).machines
    assert (machine.state.name, machine.last_failure) == ("CONFIGURED", None)
