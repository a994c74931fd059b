"""The lists of rules and goals hold together, and nothing depends on the order of rows."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import fleets, shuffled
from worlds import World, random_world, standing_of

from hotpath.plain.rules.catalogue import HARD_RULES as HOT_RULES
from models.audit import audit_plan
from models.columns import fleet_of
from models.fleet import Fleet
from models.machine import CLUSTER_REQUIRED, STABLE, State
from models.plan import Plan
from models.rows import FleetRows
from models.rules import Goal, Rule
from models.settings import Settings
from models.standing import Standing
from rebalancer.digest import digest_of
from rebalancer.goals.catalogue import GOALS
from rebalancer.limits import DEFAULT_GOALS, Limits
from rebalancer.rules.catalogue import (
    COUNT_RULES,
    HARD_RULES,
    LEFT_TO_THE_SHARD,
    MACHINE_RULES,
    PAIR_RULES,
)
from rebalancer.settings import rules_from
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import solve
from rebalancer.transfer_rules import TransferRules


def test_every_rule_has_its_twin_or_is_left_to_the_shard():
    assert [rule for rule in Rule if rule not in LEFT_TO_THE_SHARD] == list(HARD_RULES)
    assert set(HARD_RULES) == {*MACHINE_RULES, *PAIR_RULES, *COUNT_RULES}
    assert len(HARD_RULES) == len(MACHINE_RULES) + len(PAIR_RULES) + len(COUNT_RULES)


def test_the_hot_path_has_a_mask_for_every_rule_but_two():
    """Keeping its own is between shards; a spot share ranks offers and refuses none for good."""
    assert set(HOT_RULES) == set(Rule) - {Rule.KEEPS_OWN, Rule.SPOT_SHARE}


def test_goals_stand_in_the_order_of_their_names():
    assert [goal for goal in Goal if goal in GOALS] == list(GOALS)
    assert list(DEFAULT_GOALS) == list(GOALS)


def plan_of(fleet: Fleet, standing: Standing) -> Plan:
    return solve(snapshot_of(standing, rules_from(Settings())), DEFAULT_GOALS, Limits(None))


def by_name(fleet: Fleet, plan: Plan) -> list[tuple[object, ...]]:
    ids = fleet.machines.ids
    return [(m.id, m.unit, m.window, m.kind, [ids[row] for row in m.machines]) for m in plan.moves]


@settings(max_examples=60, deadline=None)
@given(fleets())
def test_every_plan_passes_the_judge(rows: FleetRows):
    fleet = fleet_of(rows)
    standing = standing_of(fleet)
    assert audit_plan(standing, plan_of(fleet, standing), Settings()) == ()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_order_of_rows_changes_nothing(data: st.DataObject):
    rows = data.draw(fleets())
    one, other = fleet_of(rows), fleet_of(data.draw(shuffled(rows)))
    first, second = standing_of(one), standing_of(other)
    assert snapshot_of(first).digest == snapshot_of(second).digest
    assert by_name(one, plan_of(one, first)) == by_name(other, plan_of(other, second))


def marked(standing: Standing, rule: Rule) -> list[str]:
    """Give the machines that a rule on machines leaves when a cycle lets everything go."""
    everything = np.ones(len(standing.fleet.machines), dtype=np.bool_)
    open_handed = replace(standing, free=everything, victim=everything.copy())
    return standing.fleet.machines.ids[MACHINE_RULES[rule](open_handed)].tolist()


def test_pinned_machines_and_those_of_quiet_clusters_are_untouched():
    world = World().shard("s0", "a").shard("s1", "b").machines("i").machines("p", pinned=True)
    world.running("v", 1, "b/y", shard="s1").need("b/y", 1, 0).builder.shadow("b")
    assert marked(world.standing(), Rule.UNTOUCHED) == ["i"]


def test_silent_clusters_are_untouched():
    world = World().shard("s0", "a").machines("i")
    world.machines("c", state=State.CONFIGURED, cluster="a").builder.silence()
    assert marked(world.standing(), Rule.UNTOUCHED) == ["i"]


def test_only_what_stands_still_without_a_notice_is_available():
    world = World().shard("s0", "a").need("a/x", 9, 0)
    spot = {"interruption_probability": 0.1}
    world.machines("idle").machines("slot", state=State.SPECULATIVE)
    world.running("run", 1, "a/x", **spot).running("noticed", 1, "a/x", reclaim_at=5.0, **spot)
    for state in set(State) - STABLE:
        cluster = "a" if state in CLUSTER_REQUIRED else None
        world.machines(state.name, state=state, cluster=cluster, serves="a/x")
    assert sorted(marked(world.standing(), Rule.AVAILABLE)) == ["idle", "run", "slot"]


def test_the_digest_is_not_of_the_order_in_which_resources_are_written():
    amounts = {"gpu": 8, "cpu": 0}
    one = World().shard("s0", "a").need("a/x", 1, 0, resources=amounts)
    other = World().shard("s0", "a")
    other.need("a/x", 1, 0, resources=dict(reversed(amounts.items())))
    assert snapshot_of(one.standing()).digest == snapshot_of(other.standing()).digest


COLUMNS = ("free", "excess", "victim", "short", "have", "serves", "forecast")


@pytest.mark.parametrize("column", COLUMNS)
def test_the_digest_shows_every_change_of_the_standing(column: str):
    standing = random_world(1).standing()
    changed = {name: getattr(standing, name).copy() for name in ("free", "excess", "victim")}
    numbers = ("short", "have", "serves", "forecast")
    changed |= {name: getattr(standing, name).copy() for name in numbers}
    changed[column][0] = not changed[column][0] if changed[column].dtype == np.bool_ else 77
    other = Standing(
        fleet=standing.fleet,
        waiting=standing.waiting,
        shortfalls=standing.shortfalls,
        **changed,
    )
    assert snapshot_of(standing).digest == snapshot_of(random_world(1).standing()).digest
    assert snapshot_of(standing).digest != digest_only(other)


def digest_only(standing: Standing) -> str:
    return digest_of(standing, TransferRules(), None)
