"""One trial: the plan that the planner would make, and what it is worth, all goals told."""

import pytest
from goal_values import Counted, moved_by
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from lending import lending_fleets

from models.columns import fleet_of
from models.errors import RuleBroken
from models.outcome import Outcome
from models.plan import DRAINS
from models.rules import Goal
from models.settings import settings_from
from planner.planning import plan_fleet
from planner.tune import solve as module
from planner.tune.ground import ground_of
from planner.tune.solve import effect_of
from planner.tune.trial import Trial
from rebalancer.weighed import weighed
from tests.planner.tune.worlds import COST, READY, ground, trading

weights = st.dictionaries(st.sampled_from(Goal), st.sampled_from((0.0, 0.01, 1.0, 50.0)))


# No shrinking: a fleet is small already, and to shrink one takes minutes.
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate),
)
@given(lending_fleets(), weights)
def test_a_trial_tells_what_its_plan_does(rows, tried):
    here = ground_of("x", fleet_of(rows), settings_from({}))
    plans = []

    def spy(snapshot, goals, limits):
        answer = weighed(snapshot, goals, limits)
        plans.append(answer.plan)
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "weighed", spy)
        found = effect_of(here, Trial(1, tried))
    (plan,) = plans
    assert {goal: plan.goals[goal].weight for goal in plan.goals} == {
        goal: weight
        for goal in Goal
        if (weight := tried.get(goal, here.settings.goals.weight(goal)))
    }
    assert found.levels == plan.levels
    # The value of all goals, also of those that the plan does not know, by an oracle.
    counted, moved = Counted(here.snapshot.standing), moved_by(plan)
    for values, expected in (
        (found.before, counted.values({})),
        (found.after, counted.values(moved)),
    ):
        assert values.keys() == set(Goal)
        assert values == pytest.approx(expected)
    assert found.drained == sum(len(m.machines) for m in plan.moves if m.kind in DRAINS)
    fleet = here.snapshot.fleet
    assert found.created == sum(not fleet.machines.hosted[machine] for machine in moved)


@pytest.mark.parametrize(("cost", "ready"), [(1, 0.0001), (1, 0.01), (1, 1), (0, 1)])
def test_it_is_the_plan_that_these_settings_give(tmp_path, cost, ready):
    here = ground(tmp_path)
    found = effect_of(here, Trial(1, {COST: cost, READY: ready}))
    same = {"goals": {"running_cost": cost, "time_to_ready": ready}, "rebalance": {"workers": 1}}
    plan = plan_fleet(here.snapshot.fleet, settings_from(same)).plan
    assert found.outcome is plan.outcome is Outcome.OPTIMAL
    assert found.levels == plan.levels
    assert {goal: found.after[goal] for goal in plan.goals} == {
        goal: value.after for goal, value in plan.goals.items()
    }


def test_weights_trade(tmp_path):
    here = ground(tmp_path)
    found = [
        (found.after[COST], found.after[READY])
        for ready in (0.0001, 0.01, 1)
        if (found := effect_of(here, Trial(1, {READY: ready})))
    ]
    assert found == [(3, 2700), (12, 720), (27, 180)]


def test_the_deadline_is_work_and_the_clock_only_stops_what_hangs(tmp_path, monkeypatch):
    settings = {"kind": "Settings", "rebalance": {"deadline": "8s", "seed": 5, "workers": 7}}
    here = ground(tmp_path, trading(), settings)
    asked = []

    def spy(snapshot, goals, limits):
        asked.append(limits)
        return weighed(snapshot, goals, limits)

    monkeypatch.setattr(module, "weighed", spy)
    effect_of(here, Trial(1, {}))
    (limits,) = asked
    assert (limits.work, limits.seconds, limits.workers, limits.seed) == (2.0, 80.0, 1, 5)


def test_the_judge_is_heard(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "audit_plan", lambda standing, plan, settings: ["m: no"])
    with pytest.raises(RuleBroken):
        effect_of(ground(tmp_path), Trial(1, {}))
