"""Every goal against a count on the fleet, machine by machine, as the plan leaves it."""

import random
from collections import Counter
from itertools import product

import numpy as np
import pytest
from goal_values import Counted, moved_by
from worlds import RACK, World

from models import labels
from models.builder import FleetBuilder
from models.machine import CapacityType, State
from models.outcome import Outcome
from models.rules import Goal
from models.settings import Settings
from models.settings.sections import RebalanceSettings
from models.standing import Standing
from rebalancer.draft import Draft, nothing
from rebalancer.goals.catalogue import GOALS
from rebalancer.grain import lowest_domains
from rebalancer.limits import Limits
from rebalancer.objective import objective_of
from rebalancer.problems.assignment import draft_of
from rebalancer.settings import rules_from
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import solve

SPINE = "spine"
RULES = rules_from(Settings(rebalance=RebalanceSettings(min_gap=2)))
WEIGHTS = {
    Goal.PREEMPTION_DAMAGE: 0.03, Goal.RUNNING_COST: 0.11, Goal.INTERRUPTION_RISK: 0.2,
    Goal.MOVES: 0.05, Goal.TIME_TO_READY: 0.001, Goal.SHARD_BALANCE: 0.07,
    Goal.DOMAIN_FRAGMENTATION: 0.31, Goal.GANG_SPREAD: 0.53, Goal.SPOT_DIVERSITY: 0.43,
    Goal.DONOR_HEADROOM: 0.37,
}  # fmt: skip
"""So near each other that every goal now and then decides."""


def random_standing(seed: int) -> Standing:
    """Give two or three shards, gangs over racks of a spine, spot zones, six machines or so."""
    chance = random.Random(seed)
    world = World(FleetBuilder(topology=(labels.ZONE, SPINE, RACK)))
    shards, room = chance.choice((2, 2, 3)), dict[str, int]()
    for index in range(shards):
        cluster = "abc"[index]
        world.shard(f"s{index}", cluster)
        for number in range(chance.choice((1, 1, 2))):
            name = f"{cluster}/n{number}"
            room[name] = chance.randint(1, 3)
            world.need(
                name, room[name], chance.choice((1, 2, 5)),
                same=chance.choice((None, SPINE, SPINE, RACK, labels.ZONE)),
                interruption_penalty=float(chance.choice((0, 3, 9))),
            )  # fmt: skip
    for index in range(chance.randint(3, 6)):
        _machine(chance, world, f"m{index}", shards, room)
    return world.standing(forecast=chance.randint(0, 2))


def _machine(
    chance: random.Random, world: World, id: str, shards: int, room: dict[str, int]
) -> None:
    shard, risk = chance.randrange(shards), chance.choice((0.0, 0.0, 0.1))
    places = {
        labels.ZONE: chance.choice(("z0", "z0", "z1", None)),
        SPINE: chance.choice(("p0", "p0", "p1", None)),
        RACK: chance.choice(("r0", "r1", "r2", None)),
    }
    given: dict[str, object] = {
        "shard": f"s{shard}",
        "labels": {key: value for key, value in places.items() if value},
        "interruption_probability": risk,
        "capacity_type": CapacityType.SPOT if risk else CapacityType.ON_DEMAND,
        "price_per_hour": chance.choice((0.0, 2.0)),
        "reclamation_penalty": float(chance.choice((0, 9))),
        "ready_seconds": float(chance.choice((0, 300))),
        "pinned": chance.random() < 0.1,
    }
    own = [name for name, left in room.items() if left and name.startswith("abc"[shard])]
    kind = chance.choice(("idle", "idle", "idle", "speculative", "excess", "running", "running"))
    if kind == "running" and own:
        served = chance.choice(own)
        room[served] -= 1
        world.running(id, 1, served, **given)
    elif kind == "excess":
        world.machines(id, state=State.CONFIGURED, cluster="abc"[shard], **given)
    else:
        state = State.SPECULATIVE if kind == "speculative" else State.IDLE
        world.machines(id, state=state, **given)


def stacked_standing(seed: int) -> Standing:
    """Give racks of a few machines of which most are alike, so that many share a group."""
    chance = random.Random(seed)
    world = World(FleetBuilder(topology=(SPINE, RACK))).shard("s0", "a").shard("s1", "b")
    racks: list[dict[str, str]] = [{SPINE: "p", RACK: f"r{rack}"} for rack in range(3)]
    if chance.random() < 0.3:
        racks[1] = {}
    others = ({"instance_type": "h"}, {"state": State.SPECULATIVE}, {"pinned": True})
    for index in range(chance.randint(5, 7)):
        given = {"price_per_hour": 1.0} | chance.choice([{}] * 20 + [*others])
        # One after the other: the lowest ids are in different racks.
        world.machines(f"m{index}", shard="s1", labels=racks[index % 3], **given)
    world.need("a/x", chance.randint(1, 4), 5)
    if chance.random() < 0.5:
        world.need("a/y", chance.randint(1, 2), 2)
    return world.standing()


def assignments(draft: Draft) -> list[tuple[dict[int, int], tuple[int, ...]]]:
    """Give every legal plan machine by machine, with its counts of machines per lane."""
    supply, lanes = draft.snapshot.supply, draft.lanes
    group = {m: g for g, rows in enumerate(supply.machines) for m in rows.tolist()}
    ways = {m: [-1, *np.flatnonzero(lanes.group == g).tolist()] for m, g in group.items()}
    need = draft.snapshot.demand.need[lanes.demand].tolist()
    found = []
    for way in product(*ways.values()):
        moved = {m: lane for m, lane in zip(ways, way, strict=True) if lane >= 0}
        counts = nothing(draft)
        for lane in moved.values():
            counts[lane] += 1
        if draft.holds(counts):
            plan = {m: need[lane] for m, lane in moved.items()}
            found.append((plan, tuple(counts.tolist())))
    return found


def cost(values: dict[Goal, float]) -> float:
    return sum(WEIGHTS[goal] * value for goal, value in values.items())


SEEDS = 160


def ranked(draft: Draft) -> list[dict[int, int]]:
    """Give the legal plans that are best at every step before the goals."""
    steps = objective_of(draft, WEIGHTS).steps[:-1]
    found = [
        (tuple(step.expression.value(np.array(counts)) for step in steps), plan)
        for plan, counts in assignments(draft)
    ]
    best = min(rank for rank, _ in found)
    return [plan for rank, plan in found if rank == best]


def check(standing: Standing, seed: int) -> None:
    """Compare the plan, its values and bounds with all plans there are."""
    snapshot = snapshot_of(standing, RULES)
    counted = Counted(standing)
    every = [counted.values(plan) for plan in ranked(draft_of(snapshot))]
    plan = solve(snapshot, WEIGHTS, Limits(None))
    before, after = counted.values({}), counted.values(moved_by(plan))
    assert plan.outcome is Outcome.OPTIMAL, seed
    assert cost(after) == pytest.approx(min(map(cost, every)), abs=2e-4), seed
    for goal, value in plan.goals.items():
        assert value.before == pytest.approx(before[goal]), (seed, goal)
        assert value.after == pytest.approx(after[goal]), (seed, goal)
        assert value.cost == pytest.approx(WEIGHTS[goal] * after[goal])
        least = WEIGHTS[goal] * min(values[goal] for values in every)
        assert value.bound is not None
        assert value.bound <= least + 1e-9, (seed, goal)
        assert value.bound == pytest.approx(least, abs=1e-4), (seed, goal)
    for other in plan.alternatives:
        assert other.extra_usd == pytest.approx(cost(other.after) - cost(after), abs=2e-4), seed
        assert other.extra_usd > -2e-4
        assert other.after[other.goal] < after[other.goal]
        assert any(other.after == pytest.approx(values) for values in every), seed


@pytest.mark.parametrize("start", range(0, SEEDS, 40))
def test_no_legal_plan_is_better_and_every_value_is_counted_right(start: int):
    for seed in range(start, start + 40):
        check(random_standing(seed), seed)


def test_alike_racks_are_emptied_one_after_the_other():
    for seed in range(40):
        check(stacked_standing(seed), seed)


def test_racks_that_count_alike_share_a_group():
    """Without that the test above would say nothing of it."""
    shared = 0
    for seed in range(40):
        snapshot = snapshot_of(stacked_standing(seed), RULES)
        place = lowest_domains(snapshot.standing, snapshot.matching)
        whole = [
            rows for rows in snapshot.supply.machines
            if place.wholly_free[place.of_machine[rows[0]]]
        ]  # fmt: skip
        shared += any(len(set(place.of_machine[rows].tolist())) > 1 for rows in whole)
    assert shared >= 10


def test_every_plan_however_bad_is_counted_right():
    """Not only the best: terms and machines agree on whatever is legal."""
    differ: Counter[Goal] = Counter()
    for seed in range(SEEDS):
        standing = random_standing(seed)
        draft, counted = draft_of(snapshot_of(standing, RULES)), Counted(standing)
        terms = {goal: give(draft) for goal, give in GOALS.items()}
        chance = random.Random(seed)
        found = assignments(draft)
        before = counted.values({})
        for plan, counts in chance.sample(found, min(8, len(found))):
            for goal, value in counted.values(plan).items():
                assert terms[goal].value(np.array(counts)) == pytest.approx(value), (seed, goal)
                differ[goal] += value != before[goal]
    assert all(differ[goal] >= 10 for goal in Goal), differ
