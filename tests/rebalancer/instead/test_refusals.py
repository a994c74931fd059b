"""Refusals name a rule that the judge finds broken too."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from plan_twins import plan_of
from worlds import RACK, World, random_world

from models.audit import Law, audit_plan
from models.fleet import Fleet
from models.machine import State
from models.need import Spread
from models.plan import Move, MoveKind
from models.requirement import Operator, Requirement
from models.rules import Rule
from models.settings import Settings
from models.settings.sections import RebalanceSettings
from models.standing import Standing
from rebalancer.carried import carried
from rebalancer.instead.apart import apart
from rebalancer.instead.case import best, case_of
from rebalancer.instead.force import demand_of, force
from rebalancer.instead.refusal import LAID, ORDER, Bar, refused_at_once, refused_together
from rebalancer.instead.remedy import about
from rebalancer.limits import DEFAULT_GOALS, Limits
from rebalancer.problems.assignment import draft_of
from rebalancer.rules.catalogue import (
    COUNT_RULES,
    MACHINE_RULES,
    PAIR_RULES,
    PLAN_COUNTS,
    PLAN_PAIRS,
)
from rebalancer.rules.route import route
from rebalancer.search import search
from rebalancer.settings import rules_from
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import solve

LIMITS = Limits(None)

JUDGED_AS = {Rule.AVAILABLE: Law.MOVE_KIND, Rule.DOMAIN: Law.WHOLE_GANG}
"""What the judge has another name for."""


def settings_of(min_gap: int = 2, **given: object) -> Settings:
    return Settings(rebalance=RebalanceSettings(min_gap=min_gap, **given))


def bar_of(standing: Standing, settings: Settings, need: int, machines: list[int]):
    """Give the bar to machines of a need, and what is said of it; None where they may be had."""
    mask = np.isin(np.arange(len(standing.fleet.machines)), machines)
    snapshot = snapshot_of(standing, rules_from(settings))
    plan = solve(snapshot, DEFAULT_GOALS, LIMITS)
    draft = draft_of(apart(snapshot, mask))
    case = case_of(draft, DEFAULT_GOALS, carried(draft, plan), LIMITS, search)
    demand = demand_of(draft, need)
    assert demand is not None
    refusal = refused_at_once(draft.snapshot, demand, mask)
    if refusal is not None:
        assert sum(refusal.counts.values()) == len(machines)
        return refusal.bar, about(draft.snapshot, demand, refusal.bar, refusal.machine)
    condition = force(draft, demand, mask)
    if best(case, condition).counts is not None:
        return None, ("", "")
    bar = refused_together(case, condition)
    assert bar is not None
    return bar, about(draft.snapshot, demand, bar, None)


def judged(standing: Standing, settings: Settings, need: int, machine: int):
    """Give what the judge finds broken in a plan of nothing but that machine for the need."""
    fleet: Fleet = standing.fleet
    source, target = int(fleet.machines.shard[machine]), fleet.shard_of_need(need)
    state, stays = State(int(fleet.machines.state[machine])), source == target
    drains = MoveKind.DRAIN if stays else MoveKind.DRAIN_AND_TRANSFER
    kinds = {
        State.IDLE: MoveKind.TRANSFER_IDLE,
        State.SPECULATIVE: MoveKind.TRANSFER_SPECULATIVE,
    }
    move = Move(
        id="m1", unit="u1", window=0, kind=kinds.get(state, drains),
        machine_class=int(fleet.machines.class_index[machine]), machines=(machine,),
        source=source, target=target, need=need,
        victim=int(standing.serves[machine]) if state is State.CONFIGURED else -1,
        reason="", preconditions=(), expires_seconds=300.0,
    )  # fmt: skip
    return {fault.rule for fault in audit_plan(standing, plan_of(standing, (move,)), settings)}


def is_astray(standing: Standing, need: int) -> bool:
    """Tell whether a gang holds a machine in no rack: the judge overlooks it, the rule does not."""
    rack = standing.fleet.cell_domains(RACK)[0][standing.fleet.machines.cell]
    is_gang = standing.fleet.needs[need].is_gang
    return is_gang and bool((rack[standing.serves == need] < 0).any())


def test_every_rule_of_the_draft_is_one_that_may_refuse():
    """A class that is left alone is not available: one mask, and one bar."""
    assert MACHINE_RULES[Rule.BACKOFF] is MACHINE_RULES[Rule.AVAILABLE]
    assert {*ORDER, Rule.BACKOFF} == {*MACHINE_RULES, *PAIR_RULES, Bar.ROUTE}
    assert len(ORDER) == len(set(ORDER))
    assert (route,) == PLAN_PAIRS
    laid = [limits for _, rules in LAID for limits in rules]
    assert len(laid) == len(set(laid))
    assert set(laid) == {*COUNT_RULES.values(), *PLAN_COUNTS}
    assert all(limits in dict(LAID)[rule] for rule, limits in COUNT_RULES.items())


def test_the_judge_refuses_by_the_same_rule():
    seen: Counter[object] = Counter()
    for seed in range(36):
        standing = random_world(seed, spread=seed % 3 != 0).standing()
        settings = settings_of()
        for need in np.flatnonzero(standing.short).tolist():
            for machine in range(len(standing.fleet.machines)):
                if standing.serves[machine] == need or is_astray(standing, need):
                    continue
                bar, (words, remedy) = bar_of(standing, settings, need, [machine])
                if bar is Bar.ROUTE:
                    # The judge lets a drain inside a shard pass for whatever need.
                    fleet = standing.fleet
                    assert fleet.machines.shard[machine] == fleet.shard_of_need(need)
                    assert not fleet.needs[need].is_gang
                elif bar is not None:
                    broken = judged(standing, settings, need, machine)
                    assert {bar, JUDGED_AS.get(bar)} & broken, (seed, need, machine, bar, broken)
                    assert words.endswith(".")
                    assert remedy.endswith(".")
                seen[bar] += 1
    wanted = {None, Rule.PRIORITY, Rule.KEEPS_OWN, Rule.DOMAIN, Rule.SPREAD, Rule.FLOOR, Bar.ROUTE}
    assert all(seen[bar] >= 3 for bar in wanted), seen


def one(world: World | None = None, **given: object) -> World:
    """Give a world in which a need of s0 could have the machine m of s1, but for what is given."""
    machine = {"shard": "s1", **given.pop("machine", {})}
    world = (world or World()).shard("s0", "a").shard("s1", "b")
    return world.machines("m", **machine).need("a/n", 1, 9, **given)


CASES = {
    "nothing": (one(), None, ""),
    "pinned": (one(machine={"pinned": True}), Rule.UNTOUCHED, "m is pinned."),
    "notice": (one(machine={"reclaim_at": 50.0}), Rule.AVAILABLE, "m is about to be reclaimed."),
    "creating": (
        one(machine={"state": State.CREATING}),
        Rule.AVAILABLE,
        "m is CREATING, and its shard's cycle did not leave it free.",
    ),
    "label": (
        one(requirements=(Requirement("pool", Operator.IN, ("x", "y")),)),
        Rule.MATCHES,
        "n asks for what m is not: pool In x, y (it has no such label).",
    ),
    "small": (
        one(resources={"gpu": 9, "cpu": 500}),
        Rule.FITS,
        "n asks for more than m has: 9 gpu (it has 8), 500m cpu (it has 0).",
    ),
    "unpriced": (
        one(machine={"state": State.SPECULATIVE, "price_per_hour": float("nan")}),
        Rule.PRICE_KNOWN,
        "m has to be bought at a price that is unknown.",
    ),
    "victim": (
        one(machine={"state": State.CONFIGURED, "serves": "b/v", "cluster": "b"}).need("b/v", 1, 8),
        Rule.PRIORITY,
        "m serves v at priority 8; n has 9, and needs 2 more than that.",
    ),
    "own": (
        one().need("b/o", 2, 9),
        Rule.KEEPS_OWN,
        "m is of s1, whose o (priority 9) lacks 2 and could use it.",
    ),
    "home": (
        one(machine={"shard": "s0"}),
        Bar.ROUTE,
        "m is of s0, as n is, whose cycle decided on it before the plan.",
    ),
    "alone": (
        one(same=RACK, machine={"rack": "r0"}).need("a/g", 2, 9, same=RACK),
        None,
        "",
    ),
    "floor": (
        one(floor=1, machine={"interruption_probability": 0.1, "state": State.SPECULATIVE}),
        Rule.FLOOR,
        "1 of the 1 machines of n must be safe.",
    ),
    "no rack": (
        one(spread=(Spread(RACK, 2),)),
        Rule.SPREAD,
        f"n may be uneven over {RACK} by 2 at most.",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_said(name: str):
    world, rule, words = CASES[name]
    standing = world.standing()
    need = [n.id for n in standing.fleet.needs].index("n")
    bar, said = bar_of(
        standing, settings_of(), need, [standing.fleet.machines.ids.tolist().index("m")]
    )
    assert (bar, said[0]) == (rule, words)


def test_a_gang_finds_too_few_in_a_rack():
    world = World().shard("s0", "a").shard("s1", "b").need("a/n", 3, 9, same=RACK)
    world.machines("m", 2, shard="s1", rack="r0").machines("k", 3, shard="s1", rack="r1")
    standing = world.standing()
    ids = standing.fleet.machines.ids.tolist()
    in_rack = [row for row, id in enumerate(ids) if id.startswith("m")]
    bar, (words, _) = bar_of(standing, settings_of(), 0, in_rack)
    assert bar is Rule.DOMAIN
    assert words == "n lacks 3, all of which one rack of one shard must have."
    others = [row for row, id in enumerate(ids) if id.startswith("k")]
    assert bar_of(standing, settings_of(), 0, others)[0] is None


def test_a_plan_without_moves_has_none_to_give():
    bar, (words, remedy) = bar_of(one().standing(), settings_of(max_moves=0), 0, [0])
    assert (bar, words) == (Bar.MAX_MOVES, "A plan may move 0 machines.")
    assert "rebalance.max_moves" in remedy


def test_what_tier_1_would_wait_for_is_not_available():
    world = World().shard("s0", "a").shard("s1", "b").need("a/n", 1, 900_000)
    world.machines("m", shard="s1", state=State.SPECULATIVE, ready_seconds=901.0)
    bar, (words, remedy) = bar_of(world.standing(), settings_of(), 0, [0])
    assert bar is Rule.AVAILABLE
    assert words == "m is ready 901 s after it is ordered, tier 1 waits for 900 s."
    assert remedy == "An assign.max_wait of 901 s."


def test_of_several_machines_the_one_that_came_furthest_speaks():
    world = World().shard("s0", "a").shard("s1", "b").need("a/n", 1, 9)
    world.machines("p", 3, shard="s1", pinned=True)
    world.running("v", 2, "b/v", shard="s1").need("b/v", 2, 8)
    standing = world.standing()
    snapshot = snapshot_of(standing, rules_from(settings_of()))
    demand = demand_of(draft_of(snapshot), 0)
    refusal = refused_at_once(snapshot, demand, np.ones(5, dtype=np.bool_))
    assert refusal.counts == {Rule.UNTOUCHED: 3, Rule.PRIORITY: 2}
    assert refusal.bar is Rule.PRIORITY
    assert standing.fleet.machines.ids[refusal.machine] == "v0"


def test_a_priority_high_enough_is_one_that_passes():
    """The remedy of a refusal by priority, applied, leaves no refusal."""
    world, _, _ = CASES["victim"]
    standing = world.standing()
    row = [n.id for n in standing.fleet.needs].index("n")
    _, (_, remedy) = bar_of(standing, settings_of(), row, [0])
    assert remedy == "A priority of 10, or a rebalance.min_gap of 1."
    needs = list(standing.fleet.needs)
    needs[row] = replace(needs[row], priority=10)
    higher = replace(standing, fleet=replace(standing.fleet, needs=tuple(needs)))
    assert bar_of(higher, settings_of(), row, [0])[0] is None
    assert bar_of(standing, settings_of(1), row, [0])[0] is None
    assert bar_of(standing, settings_of(2), row, [0])[0] is Rule.PRIORITY
