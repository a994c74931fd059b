"""What climbs saves as much as the best of all ways to replace machines, and harms nobody."""

from collections import Counter
from dataclasses import replace

import pytest
from climbing import SETTINGS, Ways, climbing_world, replaced_by
from goal_values import Counted
from worlds import random_world

from models.audit import audit_plan
from models.machine import State
from models.outcome import Outcome
from models.plan import Plan
from models.rules import Goal
from models.standing import Standing
from rebalancer.limits import DEFAULT_GOALS, Limits
from rebalancer.problems.replace.stage import climbed
from rebalancer.settings import rules_from
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import solve

WORLDS = 600

RULES = rules_from(SETTINGS)
OFF = replace(RULES, climbing=None)


def solved(standing: Standing, rules=RULES) -> Plan:
    return solve(snapshot_of(standing, rules), DEFAULT_GOALS, Limits(None))


def saved(ways: Ways, plan: Plan) -> float:
    total = 0.0
    for need, (old, new) in replaced_by(plan).items():
        assert len(old) == len(new)
        total += ways.saves(need, dict(zip(old, new, strict=True)))
    return total


@pytest.mark.parametrize("start", range(0, WORLDS, WORLDS // 5))
def test_the_most_is_saved(start: int):
    seen = Counter[str]()
    for seed in range(start, start + WORLDS // 5):
        standing = climbing_world(seed).standing()
        still = solved(standing, OFF)
        plan = climbed(snapshot_of(standing, RULES), still, Limits(None))
        assert audit_plan(standing, plan, SETTINGS) == (), seed
        assert (plan.outcome, plan.moves[: len(still.moves)]) == (still.outcome, still.moves), seed
        assert (plan.levels, plan.unmet, plan.displaced) == (
            still.levels,
            still.unmet,
            still.displaced,
        )
        ways = Ways(standing, still)
        assert saved(ways, plan) == pytest.approx(ways.best(), abs=1e-3), seed
        for need in replaced_by(plan):
            seen["climbs"] += 1
            seen["gang"] += standing.fleet.needs[need].is_gang
            seen["spread"] += bool(standing.fleet.needs[need].spread)
            seen["floor"] += bool(standing.fleet.needs[need].floor)
            seen["beside"] += bool(still.moves)
    assert min(seen[kind] for kind in ("gang", "spread", "floor")) > 0, seen


def after(standing: Standing, plan: Plan) -> dict[Goal, float]:
    """Count every goal on the fleet as the plan leaves it."""
    counted, own = Counted(standing), standing.fleet.machines.reclamation_penalty
    gone = [m for move in plan.moves if move.victim == move.need for m in move.machines]
    plain = {m: move.need for move in plan.moves if move.victim != move.need for m in move.machines}
    damage = 0.0
    for need, (old, _) in replaced_by(plan).items():
        asked = standing.fleet.needs[need]
        damage += asked.interruption_penalty * (1 if asked.is_gang else len(old))
        damage += sum(max(float(own[m]), asked.reclamation_penalty) for m in old)
    for m in gone:
        counted.serves[m] = -1
        if counted.klass[m].capacity_type.is_elastic:
            counted.state[m], counted.hosted[m] = State.SPECULATIVE, False
        else:
            counted.state[m], counted.idle[m] = State.IDLE, True
    values = counted.values(plain)
    values[Goal.PREEMPTION_DAMAGE] += damage
    values[Goal.MOVES] += len(gone)
    return values


@pytest.mark.parametrize("forecast", [0, 2])
def test_goals_are_those_of_the_fleet_as_the_plan_leaves_it(forecast: int):
    climbs = 0
    for seed in range(3000, 3100):
        standing = climbing_world(seed).standing(forecast)
        plan = solved(standing)
        climbs += bool(replaced_by(plan))
        before, now = Counted(standing).values({}), after(standing, plan)
        for goal, value in plan.goals.items():
            assert value.before == pytest.approx(before[goal]), (seed, goal)
            assert value.after == pytest.approx(now[goal]), (seed, goal)
            assert value.cost == value.weight * value.after
            assert value.bound is None or value.bound <= value.cost + 1e-9
    assert climbs > 10


@pytest.mark.parametrize("seed", range(60))
def test_it_gets_along_with_all_that_else_may_move(seed: int):
    standing = random_world(seed, spread=True).standing()
    plan = solved(standing)
    assert audit_plan(standing, plan, SETTINGS) == ()
    assert plan.outcome is Outcome.OPTIMAL
    ways = Ways(standing, solved(standing, OFF))
    assert saved(ways, plan) == pytest.approx(ways.best(), abs=1e-3)
