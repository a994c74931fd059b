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


SEEDS = 240


@pytest.mark.parametrize("start", range(0, SEEDS, 40))
def test_no_legal_plan_is_better_and_every_value_is_counted_right(start: int):
    for seed in range(start, start + 40):
        standing = random_standing(seed)
        snapshot = snapshot_of(standing, RULES)
        draft, counted = draft_of(snapshot), Counted(standing)
        objective = objective_of(draft, WEIGHTS)
        ranks = [
            (tuple(s.expression.value(np.array(c)) for s in objective.steps[:-1]), plan)
            for plan, c in assignments(draft)
        ]
        best = min(rank for rank, _ in ranks)
        least = min(cost(counted.values(plan)) for rank, plan in ranks if rank == best)
        plan = solve(snapshot, WEIGHTS, Limits(None))
        before, after = counted.values({}), counted.values(moved_by(plan))
        assert plan.outcome is Outcome.OPTIMAL, seed
        assert cost(after) == pytest.approx(least, abs=2e-4), seed
        for goal, value in plan.goals.items():
            assert value.before == pytest.approx(before[goal]), (seed, goal)
            assert value.after == pytest.approx(after[goal]), (seed, goal)
            assert value.cost == pytest.approx(WEIGHTS[goal] * after[goal])


@pytest.mark.parametrize("goal", list(Goal))
def test_a_bound_is_below_what_every_plan_of_the_same_rank_costs(goal: Goal):
    tight = 0
    for seed in range(0, SEEDS, 12):
        standing = random_standing(seed)
        snapshot = snapshot_of(standing, RULES)
        draft, counted = draft_of(snapshot), Counted(standing)
        steps = objective_of(draft, WEIGHTS).steps[:-1]
        ranks = [
            (tuple(s.expression.value(np.array(c)) for s in steps), plan)
            for plan, c in assignments(draft)
        ]
        best = min(rank for rank, _ in ranks)
        least = min(getattr(counted, goal)(plan) for rank, plan in ranks if rank == best)
        bound = solve(snapshot, WEIGHTS, Limits(None)).goals[goal].bound
        assert bound is not None
        assert bound <= WEIGHTS[goal] * least + 1e-9, seed
        tight += bound == pytest.approx(WEIGHTS[goal] * least, abs=1e-4)
    assert tight == SEEDS // 12


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
    assert all(differ[goal] >= 20 for goal in Goal), differ
