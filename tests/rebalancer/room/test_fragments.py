"""Fragments are what a plain count of the machines says, and what one would expect of few racks."""

from collections import Counter

from builders import RACK, fleet, machine, need
from goal_values import Counted
from hypothesis import given
from strategies import fleets

from hotpath.standing import standing_of
from models import labels
from models.columns import fleet_of
from models.machine import State
from models.settings import Settings
from planner.deciding import decide_shards
from rebalancer.room.fragments import fragments_of


def standing(fleet):
    return standing_of(fleet, decide_shards(fleet, Settings(), range(len(fleet.shards))))


def counted(standing, taken):
    """Give (level, kind) to free, largest, largest with new ones, fragmented; kind None: all."""
    plain, rows = Counted(standing), {}
    fleet = standing.fleet
    for level in fleet.topology:
        path = plain.paths[level]
        idle = [m for m in plain.all if path[m] and plain.idle[m] and m not in taken]
        had = [m for m in plain.all if path[m] and standing.free[m] and m not in taken]
        free = Counter(path[m] for m in idle)
        hosts = Counter(path[m] for m in plain.all if path[m] and plain.hosted[m])
        partly = {domain for domain, count in free.items() if count < hosts[domain]}
        if not any(path):
            continue
        for k in [None, *sorted({each.name for each in fleet.classes})]:

            def of(machines, k=k):
                return [m for m in machines if k in (None, plain.klass[m].name)]

            def largest(machines, path=path):
                together = Counter((plain.shard[m], path[m]) for m in machines)
                return max(together.values(), default=0)

            if k is None or of(had):
                broken = sum(path[m] in partly for m in of(idle))
                rows[level, k] = (len(of(idle)), largest(of(idle)), largest(of(had)), broken)
    return rows


@given(fleets(max_machines=10))
def test_fragments_are_a_plain_count(rows):
    stood = standing(fleet_of(rows))
    taken = stood.free.copy()
    taken[::2] = False
    for mask in (None, taken):
        gone = set() if mask is None else set(mask.nonzero()[0].tolist())
        found = fragments_of(stood, mask)
        assert {
            (f.level, f.kind): (f.free, f.largest, f.largest_with_new, f.fragmented) for f in found
        } == counted(stood, gone)


def test_four_free_machines_in_two_racks_are_a_gang_of_three_and_a_broken_rack():
    built = fleet().needs(need("a/n", 1))
    for id, rack in zip("abcde", "11122", strict=True):
        built.machines(machine(id, rack=f"r{rack}"))
    built.machines(machine("f", State.CONFIGURED, cluster="a", rack="r2"), serves="a/n")
    found = {f.level: f for f in fragments_of(standing(built.build())) if f.kind is None}
    rack, zone = found[RACK], found[labels.ZONE]
    assert (rack.free, rack.largest, rack.fragmented, rack.score) == (5, 3, 2, 0.4)
    assert (zone.free, zone.largest, zone.fragmented) == (5, 5, 5)
