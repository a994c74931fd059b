"""The cheapest clearing is the cheapest of all there are."""

from dataclasses import replace
from itertools import combinations
from math import inf

import numpy as np
from builders import RACK, fleet, machine, need
from goal_values import Counted
from hypothesis import given
from hypothesis import strategies as st
from strategies import fleets

from hotpath.standing import standing_of
from models import labels
from models.columns import fleet_of
from models.cost import DEAREST_USD
from models.machine import State
from models.settings import Settings
from planner.deciding import decide_shards
from rebalancer.room.clearing import cheapest_clearing


def standing(fleet):
    return standing_of(fleet, decide_shards(fleet, Settings(), range(len(fleet.shards))))


def damage(stood, drained):
    """Count what draining machines costs, one by one."""
    needs, total = stood.fleet.needs, 0.0
    for m in drained:
        serves = stood.serves[m]
        if serves >= 0:
            own = float(stood.fleet.machines.reclamation_penalty[m])
            total += max(own, needs[serves].reclamation_penalty)
            total += 0 if needs[serves].is_gang else needs[serves].interruption_penalty
    lost = {int(stood.serves[m]) for m in drained if stood.serves[m] >= 0}
    return total + sum(needs[n].interruption_penalty for n in lost if needs[n].is_gang)


def cheapest(stood, level, size, cells, priority):
    """Try every set of machines of every domain; give the least damage, infinite without any."""
    plain, best = Counted(stood), inf
    needs, machines = stood.fleet.needs, stood.fleet.machines
    usable = [m for m in plain.all if plain.paths[level][m] and cells[machines.cell[m]]]
    for site in {(plain.shard[m], plain.paths[level][m]) for m in usable}:
        here = [m for m in usable if (plain.shard[m], plain.paths[level][m]) == site]
        free = [m for m in here if stood.free[m]]
        may = [
            m
            for m in here
            if stood.excess[m] or (stood.victim[m] and needs[stood.serves[m]].priority < priority)
        ]
        missing = max(size - len(free), 0)
        costs = (damage(stood, chosen) for chosen in combinations(may, missing))
        best = min(best, min(costs, default=inf))
    return best


@given(
    fleets(max_machines=12),
    st.integers(1, 5),
    st.sampled_from([0, 500_000, 2**31]),
    st.sampled_from([labels.ZONE, RACK]),
    st.randoms(use_true_random=False),
)
def test_nothing_cheaper_makes_room(rows, size, priority, level, chance):
    stood = standing(fleet_of(rows))
    cells = np.array([chance.random() < 0.8 for _ in range(len(stood.fleet.cells))], dtype=bool)
    wanted = cheapest(stood, level, size, cells, priority)
    found = cheapest_clearing(stood, level, size, cells, priority)
    if found is None:
        assert wanted == inf
        return
    assert abs(found.damage_usd - wanted) < 1e-6
    assert abs(damage(stood, found.machines) - wanted) < 1e-6
    assert found.idle + found.new + len(found.machines) >= size
    assert sum(found.loses.values()) <= len(found.machines)
    places = {Counted(stood).paths[level][m] for m in found.machines}
    assert len(places) <= 1


def rack_of_gangs():
    """Give a rack in which a gang of three costs 10 to break and two plain machines 6 each."""
    built = fleet().needs(need("a/gang", 3, same=RACK), need("a/plain", 2))
    for at in range(3):
        row = machine(f"g{at}", State.CONFIGURED, cluster="a", rack="r1")
        built.machines(row, serves="a/gang")
    for at in range(2):
        row = machine(f"p{at}", State.CONFIGURED, cluster="a", rack="r1", penalty=6.0)
        built.machines(row, serves="a/plain")
    return built


def test_a_gang_once_broken_gives_all_it_has():
    rows = rack_of_gangs().rows()
    needs = tuple(
        replace(each, interruption_penalty=10.0) if each.id == "gang" else each
        for each in rows.needs
    )
    stood = standing(fleet_of(replace(rows, needs=needs)))
    everything = np.ones(len(stood.fleet.cells), dtype=bool)
    one, two = (cheapest_clearing(stood, RACK, n, everything, 2**31) for n in (1, 2))
    assert one is not None
    assert two is not None
    assert (one.damage_usd, [stood.fleet.machines.ids[m] for m in one.machines]) == (6.0, ["p0"])
    assert (two.damage_usd, [stood.fleet.machines.ids[m] for m in two.machines]) == (
        10.0,
        ["g0", "g1"],
    )
    assert cheapest_clearing(stood, RACK, 6, everything, 2**31) is None
    assert cheapest_clearing(stood, RACK, 1, everything, 0) is None


def test_a_penalty_beyond_all_counts_as_the_dearest():
    built = fleet().needs(need("a/plain", 1))
    row = machine("p", State.CONFIGURED, cluster="a", rack="r1", penalty=1e300)
    rows = built.machines(row, serves="a/plain").rows()
    needs = tuple(replace(each, interruption_penalty=1e200) for each in rows.needs)
    stood = standing(fleet_of(replace(rows, needs=needs)))
    everything = np.ones(len(stood.fleet.cells), dtype=bool)
    found = cheapest_clearing(stood, RACK, 1, everything, 2**31)
    assert found is not None
    assert found.damage_usd == 2 * DEAREST_USD


def test_of_two_that_cost_the_same_fewer_are_drained_then_the_first_domain_is_taken():
    built = fleet().needs(need("a/n", 4))
    for rack, used in (("r1", 2), ("r2", 1), ("r3", 1)):
        row = machine(f"{rack}u{{}}", State.CONFIGURED, cluster="a", rack=rack)
        built.machines(row, used, serves="a/n")
        if used == 1:
            built.machines(machine(f"{rack}f", rack=rack, shard=row.shard))
    stood = standing(built.build())
    everything = np.ones(len(stood.fleet.cells), dtype=bool)
    found = cheapest_clearing(stood, RACK, 2, everything, 2**31)
    assert found is not None
    assert (found.damage_usd, found.domain, found.idle + found.new, len(found.machines)) == (
        0.0,
        "z1/r2",
        1,
        1,
    )
