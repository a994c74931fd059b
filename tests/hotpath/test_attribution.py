"""Who serves what: against the best that can be reached by any assignment at all."""

from dataclasses import replace

import pytest
from builders import RACK, fleet, machine, need
from hypothesis import HealthCheck, given, settings
from oracle.attribution import best_fills, give_back_order, home, suits
from oracle.crowd import crowded
from oracle.engine import attribution_of
from oracle.world import Machine, World, world_of
from strategies import fleets

from models.machine import State
from models.requirement import Operator, Requirement
from models.rows import FleetRows
from models.settings import Settings


def check(rows: FleetRows) -> None:
    for number, shard in enumerate(sorted(rows.shards, key=lambda shard: shard.name)):
        world = world_of(rows, shard.name, Settings())
        serves = attribution_of(rows, number)
        for m in world.machines:
            m.need = serves[m.row.id]
        for cluster in shard.clusters:
            if not world.is_silent(cluster):
                check_cluster(world, cluster)


def check_cluster(world: World, cluster: str) -> None:
    mine = [m for m in world.machines if home(world, m) == cluster]
    needs = [n for n in world.needs if world[n].cluster == cluster]
    gangs = [n for n in needs if world[n].same is not None]
    for m in mine:
        assert m.need is None or (m.need in needs and suits(world, m, m.need))
    for n in needs:
        assert sum(m.need == n for m in mine) <= world[n].count
    for gang in gangs:
        check_gang(world, gang, mine)
    held_by_gangs = [m for m in mine if m.need in gangs]
    fills, kept = best_fills(world, cluster, without=held_by_gangs)
    assert {n: sum(m.need == n for m in mine) for n in fills} == fills
    assert sum(m.need == m.names and m.need in fills for m in mine) == kept
    for n in fills:
        check_who_is_beyond(world, n, [m for m in mine if m.names == n and suits(world, m, n)])


def check_gang(world: World, gang: int, mine: list[Machine]) -> None:
    """Members stay as far as the count goes; whoever joins is where most of them are."""
    members = [m for m in mine if m.names == gang and suits(world, m, gang)]
    kept = [m for m in members if m.need == gang]
    assert len(kept) == min(len(members), world[gang].count)
    joined = [m for m in mine if m.need == gang and m not in kept]
    places = [world.domain(m, world[gang].same) for m in kept if world.domain(m, world[gang].same)]
    most = {p for p in places if places.count(p) == max(map(places.count, places))}
    arrived = {world.domain(m, world[gang].same) for m in joined}
    assert len(arrived) <= 1
    assert None not in arrived
    assert not arrived or not most or arrived <= most


def check_who_is_beyond(world: World, need: int, named: list[Machine]) -> None:
    """Of those that serve a need already, phase 3's order says who is beyond its count."""
    pool = [m for m in named if m.need in (None, need)]
    order = [m.need for m in give_back_order(world, pool, need)]
    assert order == [None] * order.count(None) + [need] * order.count(need)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(fleets())
def test_fills_are_the_best_there_are_with_the_fewest_changes(rows):
    check(rows)


@pytest.mark.parametrize("chunk", range(5))
def test_fills_of_crowded_fleets_are_the_best_there_are_with_the_fewest_changes(chunk):
    for seed in range(chunk * 300, (chunk + 1) * 300):
        try:
            check(crowded(seed))
        except AssertionError as error:
            error.add_note(f"The fleet is crowded({seed}).")
            raise


def serving(id: str, **fields: object):
    return machine(id, State.CONFIGURED, cluster="a", **fields)


def test_a_chain_of_three_needs_gives_everyone_a_machine():
    """Only a path over two other needs frees a machine for the last one."""

    def in_rack(name: str, *racks: str):
        return need(name, requirements=(Requirement(RACK, Operator.IN, racks),))

    rows = (
        fleet()
        .machines(serving("m1", rack="r1"), serves="one")
        .machines(serving("m2", rack="r2"), serves="two")
        .machines(serving("m3", rack="r3"))
        .needs(in_rack("a/one", "r1", "r2"), in_rack("a/two", "r2", "r3"), in_rack("a/zero", "r1"))
        .rows()
    )
    assert attribution_of(rows, 0) == {"m1": 2, "m2": 0, "m3": 1}


def test_members_of_a_split_gang_all_stay():
    rows = (
        fleet()
        .machines(serving("m1", rack="r1"), serves="gang")
        .machines(serving("m2", rack="r2"), serves="gang")
        .needs(need("a/gang", 2, same=RACK))
        .rows()
    )
    assert attribution_of(rows, 0) == {"m1": 0, "m2": 0}


def test_a_need_s_penalty_levels_lower_ones_so_that_the_id_decides():
    rows = (
        fleet()
        .machines(serving("m1", penalty=5.0), serves="n")
        .machines(serving("m2", penalty=1.0), serves="n")
        .needs(replace(need("a/n"), reclamation_penalty=10.0))
        .rows()
    )
    assert attribution_of(rows, 0) == {"m1": None, "m2": 0}


def test_what_is_only_reserved_is_let_go_before_what_boots_and_that_before_what_serves():
    rows = (
        fleet()
        .machines(serving("m1", price=9.0), serves="n")
        .machines(machine("m2", State.CONFIGURING, cluster="a", price=5.0), serves="n")
        .machines(machine("m3", State.IDLE), serves="n")
        .needs(need("a/n", 2))
    )
    assert attribution_of(rows.rows(), 0) == {"m1": 0, "m2": 0, "m3": None}
