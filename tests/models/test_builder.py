"""The builder gives what the rows written by hand give, and refuses what cannot be meant."""

import doctest
from dataclasses import replace

import pytest

import models.builder
from models.builder import FleetBuilder
from models.machine import CapacityType, MachineRow, State
from models.need import Need
from models.rows import DEFAULT_TOPOLOGY, ClusterMode, ClusterRow, FleetRows, ShardRow

ROW = MachineRow("m", CapacityType.SPOT, state=State.IDLE, host_ref="h")


def test_the_example_runs():
    result = doctest.testmod(models.builder)
    assert result.attempted > 0
    assert result.failed == 0


def test_everything_given_stands_in_the_rows():
    first, second = Need("x", "a", 2), Need("x", "b", 1)
    built = (
        FleetBuilder(topology=("rack",))
        .machines(replace(ROW, id="m{}"), 3, serves="b/x")
        .shard("s0", "a", "b")
        .machines(replace(ROW, id="n", shard="s1"))
        .shard("s1")
        .needs(first)
        .needs(second)
        .shadow("b")
    )
    assert built.rows() == FleetRows(
        topology=("rack",),
        shards=(ShardRow("s0", ("a", "b")), ShardRow("s1")),
        shards_given=True,
        machines=[
            replace(ROW, id="m{}", count=3, is_pattern=True, serves=1),
            replace(ROW, id="n", shard="s1"),
        ],
        needs=(first, second),
        needs_given=True,
        clusters=(ClusterRow("b", ClusterMode.SHADOW),),
    )
    assert built.build().machines.ids.tolist() == ["m0", "m1", "m2", "n"]


def test_nothing_given_is_an_empty_fleet_that_was_heard_from():
    assert FleetBuilder().rows() == FleetRows(topology=DEFAULT_TOPOLOGY, needs_given=True)


def test_two_builders_share_nothing():
    FleetBuilder().shard("s").machines(ROW).needs(Need("x", "a", 1)).shadow("a").silence()
    assert FleetBuilder().rows() == FleetRows(needs_given=True)


def test_silence_is_not_an_empty_list():
    built = FleetBuilder().machines(replace(ROW, cluster="a")).silence()
    assert not built.rows().needs_given
    assert built.build().silent.tolist() == [True]


def test_a_row_without_a_count_stays_as_it_is():
    pattern = replace(ROW, id="m{}", count=2, is_pattern=True)
    assert FleetBuilder().machines(pattern).rows().machines == [pattern]
    assert FleetBuilder().machines(pattern).build().machines.ids.tolist() == ["m0", "m1"]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_count_makes_a_pattern(count):
    ids = FleetBuilder().machines(replace(ROW, id="m{}"), count).build().machines.ids
    assert ids.tolist() == ["m0", "m1"][:count]


@pytest.mark.parametrize("serves", ["x", "a/x"])
def test_serves_takes_the_id_or_the_whole_name(serves):
    built = FleetBuilder().machines(ROW, serves=serves).needs(Need("w", "a", 1), Need("x", "a", 1))
    fleet = built.build()
    assert fleet.needs[fleet.machines.serves[0]].id == "x"


@pytest.mark.parametrize(
    ("serves", "message"),
    [
        ("z", "serves is 'z', which names no need."),
        ("", "serves is '', which names no need."),
        ("c/x", "serves is 'c/x', which names no need."),
        ("x", "serves is 'x', which names several needs; write cluster/id."),
    ],
)
def test_serves_that_names_not_one_need_is_refused(serves, message):
    built = FleetBuilder().machines(ROW, serves=serves).needs(Need("x", "a", 1), Need("x", "b", 1))
    with pytest.raises(ValueError, match=f"^{message}$"):
        built.build()


def test_two_needs_of_one_name_are_refused():
    built = FleetBuilder().needs(Need("x", "a", 1), Need("x", "a", 2))
    with pytest.raises(ValueError, match=r"^two needs are named a/x\.$"):
        built.rows()


def test_an_id_that_reads_like_a_whole_name_is_no_double():
    assert len(FleetBuilder().needs(Need("a/x", "b", 1), Need("x", "a", 1)).build().needs) == 2


@pytest.mark.parametrize("shards", [(), ("s0", "s1")])
def test_an_unknown_shard_is_refused(shards):
    built = FleetBuilder().machines(replace(ROW, shard="s2"))
    for name in shards:
        built.shard(name)
    with pytest.raises(ValueError, match=r"^machine 'm' names an unknown shard, 's2'\.$"):
        built.rows()


def test_several_machines_of_one_id_are_refused():
    with pytest.raises(ValueError, match=r"^2 machines are named 'm'; write \{\} for the index\.$"):
        FleetBuilder().machines(ROW, 2)
