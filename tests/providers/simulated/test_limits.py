"""Rates, quotas and addresses; and slots that a smaller quota withdraws."""

import pytest

from models.errors import ProviderThrottled
from models.labels import SUBNET
from models.machine import CapacityType, State
from tests.providers.simulated.clouds import (
    cloud,
    configure,
    create,
    delete,
    hosts,
    listed,
    match,
    slots,
    state,
)  # fmt: skip


def test_calls_beyond_the_rate_are_throttled_whole():
    world = cloud(slots(4), rate=2)
    create(world, ["s0"], 0.0)
    create(world, ["s1"], 0.0)
    with pytest.raises(ProviderThrottled) as error:
        create(world, ["s2", "s3"], 0.25)
    assert error.value.retry_seconds == pytest.approx(0.25)
    assert state(world, "s2", 0.25) == "SPECULATIVE"
    assert create(world, ["s2", "s3"], 0.5) == ["", ""]
    assert [(call.time, call.machine, call.error) for call in world.calls[-4:]] == [
        (0.25, "s2", "THROTTLED"), (0.25, "s3", "THROTTLED"), (0.5, "s2", ""), (0.5, "s3", ""),
    ]  # fmt: skip


def test_tokens_of_calls_do_not_pile_up():
    world = cloud(slots(9), rate=0.5)
    create(world, ["s0"], 1000.0)
    with pytest.raises(ProviderThrottled) as error:
        create(world, ["s1"], 1000.0)
    assert error.value.retry_seconds == pytest.approx(2.0)


def test_machines_come_in_a_burst_and_then_by_the_second():
    world = cloud(slots(20), rate={"machines": 2, "burst": 5})
    names = [f"s{n}" for n in range(20)]
    assert create(world, names[:8]) == [""] * 5 + ["THROTTLED"] * 3
    assert create(world, names[5:10], 1.5) == [""] * 3 + ["THROTTLED"] * 2
    assert create(world, names[8:20], 1000.0) == [""] * 5 + ["THROTTLED"] * 7


def test_repeats_take_no_token_and_each_kind_of_call_has_its_own():
    world = cloud(slots(3), create=5, rate={"machines": 0.001, "burst": 2})
    assert create(world, ["s0", "s0", "s0", "s1", "s2"]) == ["", "", "", "", "THROTTLED"]
    assert [configure(world, name, 5.0) for name in ("s0", "s1")] == [[""], [""]]


def test_a_quota_counts_machines_from_create_to_the_end_of_delete():
    world = cloud(
        [*slots(3), *hosts(1)],
        create=10,
        delete=5,
        quotas=[{"match": {"instanceType": "t"}, "count": 3}],
    )
    assert create(world, ["s0", "s1", "s2"]) == ["", "", "QUOTA"]
    assert create(world, ["s2"], 20.0) == ["QUOTA"]
    assert delete(world, ["s0"], 20.0) == [""]
    assert create(world, ["s2"], 24.9) == ["QUOTA"]
    assert create(world, ["s2", "s0"], 25.0) == ["", "QUOTA"]


def test_each_quota_counts_its_own_and_says_its_class():
    rows = [*slots(2), *slots(2, "d", capacity_type=CapacityType.ON_DEMAND)]
    world = cloud(
        rows,
        quotas=[
            {"match": {"capacityType": "on-demand"}, "count": 1},
            {"match": {"id": "?1"}, "count": 1, "class": "CAPACITY"},
        ],
    )
    assert create(world, ["s0", "s1", "d0", "d1"]) == ["", "", "", "QUOTA"]
    delete(world, ["d0"])
    assert create(world, ["d1"]) == ["CAPACITY"]


def test_a_subnet_runs_out_of_addresses():
    rows = [*slots(3, labels={SUBNET: "a"}), *slots(1, "b", labels={SUBNET: "b"}), *slots(1, "n")]
    world = cloud(rows, subnets={"a": 2})
    assert create(world, ["s0", "s1", "s2", "b0", "n0"]) == ["", "", "IP", "", ""]
    delete(world, ["s1"])
    assert create(world, ["s2"]) == [""]


def test_a_smaller_quota_withdraws_the_highest_slots_and_a_larger_one_gives_them_back():
    world = cloud([*slots(4), *hosts(2)])
    cursor = list(world.list("", 0.0))[-1].end.cursor
    world.set_quota(match(instanceType="t"), 4, 1.0)
    assert listed(world, 1.0) == ["h0", "h1", "s0", "s1"]
    assert create(world, ["s2"], 1.0) == ["INVALID"]
    assert world.get(["s2"], 1.0).unknown == ("s2",)
    [page] = world.list(cursor, 1.0)
    assert (page.machines, page.gone) == ((), ("s2", "s3"))
    [page] = world.list(page.end.cursor, 1.0)
    assert (page.machines, page.gone) == ((), ())
    world.set_quota(match(instanceType="t"), 100, 2.0)
    assert listed(world, 2.0, cursor) == ["s2", "s3"]
    assert list(world.list(cursor, 2.0))[-1].gone == ()
    assert create(world, ["s2"], 2.0) == [""]


def test_slots_in_use_stay_until_they_are_deleted():
    world = cloud([*hosts(3), *slots(2)], delete=10)
    world.set_quota(match(), 2, 0.0)
    assert listed(world) == ["h0", "h1", "h2"]
    delete(world, ["h0"], 1.0)
    assert listed(world, 10.9) == ["h0", "h1", "h2"]
    assert listed(world, 11.0) == ["h1", "h2"]
    delete(world, ["h1"], 20.0)
    # There is room for one slot: the one that has just been given back.
    assert listed(world, 30.0) == ["h1", "h2"]


def test_several_quotas_of_slots_hold_together():
    world = cloud([*slots(3), *slots(3, "t", instance_type="u")])
    world.set_quota(match(), 3, 0.0)
    assert listed(world) == ["s0", "s1", "s2"]
    world.set_quota(match(instanceType="t"), 1, 0.0)
    assert listed(world) == ["s0"]
    create(world, ["s0"], 10.0)
    delete(world, ["s0"], 20.0)
    assert listed(world, 50.0) == ["s0"]
    world.set_quota(match(), 6, 60.0)
    assert listed(world, 60.0) == ["s0", "t0", "t1", "t2"]


def test_what_one_quota_withdraws_takes_no_room_of_another():
    world = cloud(slots(2))
    world.set_quota(match(id="s0"), 0, 0.0)
    world.set_quota(match(), 0, 0.0)
    world.set_quota(match(), 1, 0.0)
    assert listed(world) == ["s1"]


def test_an_orphan_takes_a_slot():
    world = cloud([*hosts(1), *slots(2)])
    world.set_quota(match(), 2, 0.0)
    world.add_orphan("x", "h0", 1.0)
    assert listed(world, 1.0) == ["h0", "x"]


def test_a_machine_that_comes_late_is_listed_though_its_slot_was_withdrawn():
    world = cloud(slots(2), fail=[{"rpc": "create", "class": "late", "after": 10}])
    create(world, ["s1"])
    world.set_quota(match(), 1, 5.0)
    assert listed(world, 9.0) == ["s0"]
    assert listed(world, 10.0) == ["s1"]
    assert world.get(["s1"], 10.0).machines[0].state is State.IDLE
