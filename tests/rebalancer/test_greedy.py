"""The plan that is ready before any solver: it keeps every limit and takes the obvious choices."""

from worlds import RACK, World, random_world

from models.machine import State
from models.need import Spread
from models.settings import Settings
from models.settings.sections import RebalanceSettings
from models.standing import Standing
from rebalancer.greedy import greedy
from rebalancer.limits import DEFAULT_GOALS, Limits
from rebalancer.objective import objective_of
from rebalancer.problems.assignment import draft_of
from rebalancer.settings import rules_from
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import fallback

RULES = rules_from(Settings(rebalance=RebalanceSettings(min_gap=2)))
HIGH = 900_000


def two_shards() -> World:
    return World().shard("s0", "a").shard("s1", "b")


def taken(standing: Standing) -> dict[str, list[str]]:
    """Give the machines that each need gets."""
    found: dict[str, list[str]] = {}
    for move in fallback(snapshot_of(standing), DEFAULT_GOALS, Limits(None)).moves:
        ids = [standing.fleet.machines.ids[row] for row in move.machines]
        found.setdefault(standing.fleet.needs[move.need].id, []).extend(ids)
    return found


def test_it_keeps_every_limit_of_the_draft():
    for seed in range(400):
        draft = draft_of(snapshot_of(random_world(seed, spread=True).standing(), RULES))
        assert draft.holds(greedy(draft, objective_of(draft, DEFAULT_GOALS))), seed


def test_two_spreads_of_one_need_are_both_kept():
    """One a zone and one a rack: r1 of z2 would be a second machine in r1."""
    zone = "topology.kubernetes.io/zone"
    world = two_shards()
    for id, rack, at in (("p", "r1", "z1"), ("q", "r2", "z2")):
        world.machines(id, shard="s0", rack=rack, labels={zone: at}, pinned=True)
    world.machines("i", 2, shard="s1", rack="r1", labels={zone: "z1"})
    world.machines("j", 2, shard="s1", rack="r1", labels={zone: "z2"})
    world.need("a/x", 4, 5, spread=(Spread(RACK, 1), Spread(zone, 2)))
    assert taken(world.standing()) == {"x": ["i0"]}


def test_the_most_important_comes_first():
    world = two_shards().machines("i", shard="s1").need("a/a", 1, 4).need("a/b", 1, 5)
    assert taken(world.standing()) == {"b": ["i"]}


def test_of_the_domains_of_a_gang_the_one_that_drains_least():
    world = two_shards().running("v", 2, "b/y", shard="s1", rack="r1")
    world.machines("i", 2, shard="s1", rack="r2")
    world.machines("q", 2, shard="s1", rack="r0", state=State.SPECULATIVE)
    world.need("a/gang", 2, HIGH, same=RACK).need("b/y", 2, 0)
    assert taken(world.standing()) == {"gang": ["i0", "i1"]}
