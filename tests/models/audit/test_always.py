"""What is always true of a fleet: a sound fleet passes, each broken twin is refused."""

from dataclasses import replace

import numpy as np
import pytest
from builders import fleet, machine, need
from hypothesis import given
from strategies import fleets

from models.audit import Law, audit_fleet
from models.columns import fleet_of
from models.machine import CLUSTER_REQUIRED, HOST_REFUSED, HOST_REQUIRED, UNKNOWN_NEED, State
from models.rows import ShardRow


def rules(world):
    return {violation.rule for violation in audit_fleet(world)}


def one(state, cluster=None, serves=None, host="as the state asks"):
    row = machine("m0", state, cluster=cluster)
    if host != "as the state asks":
        row = replace(row, host_ref=host)
    needs = (need("a/n"), need("b/n"))
    return fleet().shard("s0", "a", "b").machines(row, serves=serves).needs(*needs).build()


@given(fleets())
def test_sound_fleets_pass(rows):
    assert audit_fleet(fleet_of(rows)) == ()


@pytest.mark.parametrize("state", sorted(HOST_REQUIRED))
def test_no_state_that_needs_a_host_is_without(state):
    cluster = "a" if state in CLUSTER_REQUIRED else None
    assert rules(one(state, cluster)) == set()
    assert Law.HOST_BY_STATE in rules(one(state, cluster, host=None))


@pytest.mark.parametrize("state", sorted(HOST_REFUSED))
def test_no_state_that_refuses_a_host_has_one(state):
    assert rules(one(state)) == set()
    assert rules(one(state, host="h")) == {Law.HOST_BY_STATE}


@pytest.mark.parametrize("state", sorted(CLUSTER_REQUIRED))
def test_no_state_that_needs_a_cluster_is_without(state):
    assert rules(one(state, "a")) == set()
    assert rules(one(state)) == {Law.CLUSTER_BY_STATE}


@pytest.mark.parametrize("state", [State.IDLE, State.DELETING])
def test_no_state_that_refuses_a_cluster_has_one(state):
    assert rules(one(state)) == set()
    assert rules(one(state, "a")) == {Law.CLUSTER_BY_STATE}


def test_no_cluster_without_a_host():
    assert rules(one(State.FAILED, "a", host="h")) == set()
    assert rules(one(State.FAILED, host=None)) == set()
    assert rules(one(State.FAILED, "a", host=None)) == {Law.NO_CLUSTER_WITHOUT_HOST}


@pytest.mark.parametrize("state", [State.SPECULATIVE, State.DELETING])
def test_only_states_that_can_serve_do(state):
    assert rules(one(state)) == set()
    assert rules(one(state, serves="a/n")) == {Law.SERVES}


@pytest.mark.parametrize("cluster", [None, "a", "b"])
def test_a_failed_machine_keeps_the_need_it_had(cluster):
    assert rules(one(State.FAILED, cluster, host="h", serves="a/n")) == set()


@pytest.mark.parametrize("state", [State.CONFIGURING, State.CONFIGURED])
def test_a_machine_serves_its_own_cluster(state):
    assert rules(one(state, "a", serves="a/n")) == set()
    assert rules(one(state, "a", serves="b/n")) == {Law.SERVES}


def test_a_draining_machine_may_be_reserved_for_another_cluster():
    assert rules(one(State.DRAINING, "a", serves="b/n")) == set()


@pytest.mark.parametrize(("serves", "broken"), [(0, False), (UNKNOWN_NEED, False), (2, True)])
def test_what_a_machine_serves_exists(serves, broken):
    world = one(State.IDLE)
    machines = replace(world.machines, serves=np.array([serves], dtype=np.int32))
    assert rules(replace(world, machines=machines)) == ({Law.SERVES} if broken else set())


def test_every_machine_has_an_owner():
    world = one(State.IDLE)
    stray = replace(world.machines, shard=np.array([-1], dtype=np.int32))
    beyond = replace(world.machines, shard=np.array([1], dtype=np.int32))
    assert rules(replace(world, machines=stray)) == {Law.ONE_OWNER}
    assert rules(replace(world, machines=beyond)) == {Law.ONE_OWNER}


def test_every_cluster_has_one_owner():
    rows = fleet().shard("s0", "a").needs(need("a/n")).rows()
    assert rules(fleet_of(rows)) == set()
    twice = replace(rows, shards=(ShardRow("s0", ("a",)), ShardRow("s1", ("a",))))
    assert rules(fleet_of(twice)) == {Law.ONE_OWNER}
    never = replace(rows, shards=(ShardRow("s0"),))
    assert rules(fleet_of(never)) == {Law.ONE_OWNER}


def test_ids_are_unique():
    assert rules(fleet().machines(machine("m")).machines(machine("n")).build()) == set()
    assert rules(fleet().machines(machine("m")).machines(machine("m")).build()) == {Law.UNIQUE_ID}
