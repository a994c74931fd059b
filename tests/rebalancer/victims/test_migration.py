"""Running gangs that move within their shard so that one that is short gets a whole domain."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations, product

import hypothesis
import pytest
from goal_values import Counted, moved_by
from hypothesis import given
from strategies import fleets
from worlds import RACK, World, standing_of

from models.audit import audit_plan
from models.builder import FleetBuilder
from models.columns import fleet_of
from models.machine import State
from models.outcome import Outcome
from models.plan import DRAINS, MoveKind, Plan
from models.rows import FleetRows
from models.rules import Goal
from models.settings import Settings
from models.settings.sections import RebalanceSettings
from models.standing import Standing
from rebalancer.limits import Limits
from rebalancer.settings import rules_from
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import fallback, solve
from rebalancer.transfer_rules import TransferRules

SETTINGS = Settings(rebalance=RebalanceSettings(migrate="on"))
GOALS = {
    Goal.PREEMPTION_DAMAGE: 1.0,
    Goal.MOVES: 0.25,
    Goal.INTERRUPTION_RISK: 2.0,
    Goal.GANG_SPREAD: 1.5,
    Goal.DOMAIN_FRAGMENTATION: 0.7,
}
SHELF = "shelf"

Shares = dict[int, tuple[int, ...]]
"""The machines that each need gets, by row of the need; a gang that moves gets its new ones."""


def rules(settings: Settings) -> TransferRules:
    """Give the rules of the settings; who climbs back is another story."""
    return replace(rules_from(settings), climbing=None)


def solved(standing: Standing, settings: Settings = SETTINGS) -> Plan:
    plan = solve(snapshot_of(standing, rules(settings)), GOALS, Limits(None))
    assert audit_plan(standing, plan, settings) == ()
    assert plan.outcome is Outcome.OPTIMAL
    return plan


def moved(standing: Standing, plan: Plan) -> list[tuple[str, str, list[str]]]:
    ids, needs = standing.fleet.machines.ids, standing.fleet.needs
    return [
        (str(move.kind), needs[move.need].id, [ids[row] for row in move.machines])
        for move in plan.moves
    ]


def two_blocks(big: int = 4, level: int = 5) -> World:
    """Give two blocks of four, two of each taken by a gang of two of priority 5."""
    world = World().shard("s0", "a", "b")
    for block in ("x", "y"):
        world.running(f"{block}q", 2, f"a/{block}", shard="s0", rack=block)
        world.machines(f"{block}i", 2, shard="s0", rack=block).need(f"a/{block}", 2, 5, same=RACK)
    return world.need("b/big", big, level, same=RACK)


def test_a_gang_moves_over_and_another_gets_the_whole_block():
    standing = two_blocks().standing()
    plan = solved(standing)
    assert moved(standing, plan) == [
        ("replace", "x", ["yi0", "yi1"]),
        ("transfer-idle", "big", ["xi0", "xi1"]),
        ("drain", "big", ["xq0"]),
        ("drain", "big", ["xq1"]),
    ]
    assert {move.unit for move in plan.moves} == {"u1"}
    assert (plan.displaced, plan.unmet) == ((), ())
    assert [(level.served, level.bound, level.asked) for level in plan.levels] == [(8, 8, 8)]
    assert "moves" in plan.moves[-1].reason
    assert "runs whole" in " ".join(plan.moves[-1].preconditions)


def test_nothing_moves_where_it_is_off():
    standing = two_blocks().standing()
    assert solved(standing, Settings()).moves == ()


def test_nobody_moves_for_a_lower_gang():
    standing = two_blocks(level=4).standing()
    assert solved(standing).moves == ()


def test_nobody_moves_where_it_makes_no_room():
    """Two and one are free: the gang of two finds no two in the other block, nor the three."""
    world = World().shard("s0", "a").running("p", 2, "a/two", shard="s0", rack="x")
    world.machines("i", 2, shard="s0", rack="x").running("q", 3, "a/three", shard="s0", rack="y")
    world.machines("j", shard="s0", rack="y").need("a/two", 2, 5, same=RACK)
    world.need("a/three", 3, 5, same=RACK).need("a/new", 3, 5, same=RACK)
    assert solved(world.standing()).moves == ()


def test_a_lower_gang_is_moved_rather_than_evicted():
    standing = two_blocks(level=9).standing()
    plan = solved(standing)
    assert plan.moves[0].kind is MoveKind.REPLACE
    assert plan.displaced == ()


def test_the_cheaper_of_two_gangs_moves():
    world = World().shard("s0", "a")
    for block, cost in (("x", 9.0), ("y", 8.0)):
        world.running(f"{block}q", 2, f"a/{block}", shard="s0", rack=block)
        world.machines(f"{block}i", 2, shard="s0", rack=block)
        world.need(f"a/{block}", 2, 5, same=RACK, interruption_penalty=cost)
    standing = world.need("a/big", 4, 5, same=RACK).standing()
    plan = solved(standing)
    assert moved(standing, plan)[0] == ("replace", "y", ["xi0", "xi1"])
    assert plan.goals[Goal.PREEMPTION_DAMAGE].after == 8.0


def test_two_gangs_move_for_one():
    world = World().shard("s0", "a")
    for number in (0, 1):
        world.running(f"q{number}-", 2, f"a/q{number}", shard="s0", rack="x")
        world.need(f"a/q{number}", 2, 5, same=RACK)
        world.machines(f"k{number}-", 2, shard="s0", rack=f"y{number}")
    standing = world.need("a/big", 4, 5, same=RACK).standing()
    plan = solved(standing)
    assert Counter(str(move.kind) for move in plan.moves)["replace"] == 2
    assert len({move.unit for move in plan.moves}) == 1


def test_who_could_move_keeps_nothing_from_others():
    """Five do not fit a block of four, so nobody moves, and what is free may leave the shard."""
    standing = two_blocks(big=5).shard("s1", "c").need("c/x", 1, 3).standing()
    assert moved(standing, solved(standing)) == [("transfer-idle", "x", ["xi0"])]


@pytest.mark.parametrize("kind", ["pinned", "short", "split"])
def test_who_cannot_move_whole_stays(kind: str):
    world = World().shard("s0", "a").machines("k", 3, shard="s0", rack="y")
    world.running("q", 1, "a/two", shard="s0", rack="x")
    rest = {"pinned": kind == "pinned", "rack": "z" if kind == "split" else "x"}
    if kind != "short":
        world.running("r", 1, "a/two", shard="s0", **rest)
    world.machines("i", 2, shard="s0", rack="x")
    world.need("a/two", 2, 6, same=RACK).need("a/big", 4, 6, same=RACK)
    plan = solved(world.standing())
    assert all(move.kind is not MoveKind.REPLACE for move in plan.moves)


def crowded(seed: int) -> Standing:
    """Give one or two short gangs, three that run and may move, and a few free machines."""
    chance = random.Random(seed)
    world = World(FleetBuilder(topology=(RACK, SHELF))).shard("s0", "a", "b").shard("s1", "c")
    for number in range(chance.choice((1, 1, 2))):
        world.need(f"a/g{number}", chance.randint(2, 3), chance.choice((4, 5, 5, 6)), same=RACK)
    if chance.random() < 0.3:
        world.need("c/far", 1, 200_000)
    for number in range(chance.choice((2, 2, 3))):
        count, name = chance.choice((1, 1, 2)), f"b/q{number}"
        given = {"interruption_penalty": float(chance.choice((0, 3, 40)))}
        is_gang = chance.random() < 0.85
        world.need(name, count, chance.choice((3, 5, 5, 6)), same=RACK if is_gang else None,
                   floor=chance.choice((0, 0, 1)), **given)  # fmt: skip
        rack = chance.choice(("r0", "r1", "r2"))
        for index in range(count):
            world.running(f"q{number}{index}", 1, name, shard="s0", rack=rack, **_of(chance))
    for index in range(chance.randint(2, 5)):
        rack, state = (
            chance.choice(("r0", "r1", "r2")),
            chance.choice((State.IDLE,) * 3 + (State.SPECULATIVE,)),
        )
        world.machines(f"m{index}", shard="s0", rack=rack, state=state, **_of(chance))
    return world.standing()


def _of(chance: random.Random) -> dict[str, object]:
    return {
        "interruption_probability": chance.choice((0.0, 0.0, 0.0, 0.1)),
        "price_per_hour": 1.0,
        "pinned": chance.random() < 0.05,
        "reclamation_penalty": float(chance.choice((0, 6))),
        "labels": {SHELF: chance.choice(("upper", "lower"))},
    }


class Oracle:
    """One standing, with plain loops over who gets what and who moves where."""

    def __init__(self, standing: Standing) -> None:
        fleet = self.fleet = standing.fleet
        self.standing, self.needs, self.short = standing, fleet.needs, standing.short.tolist()
        self.serves = standing.serves.tolist()
        self.rack = fleet.cell_domains(RACK)[0][fleet.machines.cell].tolist()
        self.state = [State(code) for code in fleet.machines.state]
        self.risky = [
            fleet.classes[k].interruption_probability > 0 for k in fleet.machines.class_index
        ]
        self.pinned = fleet.machines.pinned.tolist()
        self.home = [fleet.shard_of_need(n) for n in range(len(self.needs))]
        self.held = [
            [m for m, n in enumerate(self.serves) if n == row] for row in range(len(self.needs))
        ]

    def shares(self, n: int) -> Iterator[tuple[int, ...]]:
        """Give what a need may get or, if it runs, may move to; () stands for nothing."""
        yield ()
        need, stays = self.needs[n], not self.short[n]
        count = need.count if stays else self.short[n]
        held = [] if stays else self.held[n]
        for rack in {0, 1, 2}:
            if any(self.rack[m] != rack for m in held):
                continue
            inside = [
                m
                for m in range(len(self.serves))
                if self.rack[m] == rack and not self.pinned[m]
                and (self.serves[m] < 0 if stays else self.serves[m] != n)
            ]  # fmt: skip
            for share in combinations(inside, count):
                risky = sum(self.risky[m] for m in (*share, *held))
                if not any(self.risky[m] for m in share) or risky <= need.count - need.floor:
                    yield share

    def all(self) -> Iterator[Shares]:
        gangs = [n for n, need in enumerate(self.needs) if need.same and self.home[n] == 0]
        far = [n for n in range(len(self.needs)) if self.home[n] == 1]
        for picked in product(*(list(self.shares(n)) for n in gangs)):
            taken = [m for share in picked for m in share]
            if len(set(taken)) < len(taken):
                continue
            shares = {n: share for n, share in zip(gangs, picked, strict=True) if share}
            yield from self.with_far(shares, taken, far)

    def with_far(self, shares: Shares, taken: list[int], far: list[int]) -> Iterator[Shares]:
        choices: list[int | None] = [None, *(m for m in range(len(self.serves)) if m not in taken)]
        for n in far or [-1]:
            for m in choices if far else [None]:
                found = shares | ({n: (m,)} if m is not None else {})
                if self.keeps(found) and (m is None or self.may_leave(m, n)):
                    yield found

    def may_leave(self, m: int, n: int) -> bool:
        """Tell whether a machine may go to another shard: nobody at home is as high as 200,000."""
        loser = self.serves[m]
        return not self.pinned[m] and not (
            loser >= 0 and self.needs[n].priority - self.needs[loser].priority < 100_000
        )

    def keeps(self, shares: Shares) -> bool:
        to = {m: n for n, share in shares.items() for m in share}
        movers = {n for n in shares if not self.short[n]}
        for q in movers:
            heirs = {to.get(m) for m in self.held[q]}
            if len(heirs) != 1 or None in heirs:
                return False
            (heir,) = heirs
            if not self.needs[heir].same or heir in movers:
                return False
            if self.needs[heir].priority < self.needs[q].priority:
                return False
        for m, n in to.items():
            loser = self.serves[m]
            evicted = loser >= 0 and loser not in movers
            if evicted and self.needs[loser].priority >= self.needs[n].priority:
                return False
        return True

    def key(self, shares: Shares) -> tuple[float, ...]:
        to = {m: n for n, share in shares.items() for m in share}
        served = Counter(to.values())
        served.subtract(self.serves[m] for m in to if self.serves[m] >= 0)
        levels = sorted({need.priority for need in self.needs}, reverse=True)
        values = Counted(self.standing).values(to)
        return (
            *(-sum(c for n, c in served.items() if self.needs[n].priority == p) for p in levels),
            sum(self.state[m] is State.CONFIGURED for m in to),
            sum(self.state[m] is State.SPECULATIVE for m in to),
            round(sum(weight * values[goal] for goal, weight in GOALS.items()), 6),
        )


def shares_of(plan: Plan) -> Shares:
    got: Shares = {}
    for move in plan.moves:
        got[move.need] = tuple(sorted((*got.get(move.need, ()), *move.machines)))
    return got


WORLDS = range(100)


@cache
def solved_crowd(seed: int) -> Plan:
    return solved(crowded(seed))


@pytest.mark.parametrize("start", range(0, len(WORLDS), 25))
def test_nothing_is_better_than_the_plan(start: int):
    for seed in range(start, start + 25):
        standing, plan = crowded(seed), solved_crowd(seed)
        oracle = Oracle(standing)
        every = list(oracle.all())
        assert shares_of(plan) in every, seed
        best = min(map(oracle.key, every))
        assert oracle.key(shares_of(plan)) == pytest.approx(best), seed
        counted = Counted(standing).values(moved_by(plan))
        for goal, value in plan.goals.items():
            assert value.after == pytest.approx(counted[goal]), (seed, goal)


def test_the_greedy_plan_moves_nobody_and_keeps_the_rules():
    for seed in WORLDS:
        standing = crowded(seed)
        plan = fallback(snapshot_of(standing, rules(SETTINGS)), GOALS, Limits(None))
        assert audit_plan(standing, plan, SETTINGS) == (), seed
        assert all(move.kind is not MoveKind.REPLACE for move in plan.moves)


@hypothesis.settings(max_examples=25, deadline=None)
@given(fleets())
def test_every_plan_passes_the_judge_where_gangs_may_move(rows: FleetRows):
    solved(standing_of(fleet_of(rows)))


def test_the_worlds_hold_what_they_are_for():
    seen: Counter[str] = Counter()
    for seed in WORLDS:
        standing, plan = crowded(seed), solved_crowd(seed)
        kinds = {move.kind for move in plan.moves}
        seen["moves"] += MoveKind.REPLACE in kinds
        seen["evicts too"] += bool(plan.displaced)
        seen["drains"] += bool(kinds & DRAINS)
        needs = standing.fleet.needs
        movers = {move.need for move in plan.moves if move.kind is MoveKind.REPLACE}
        victims = {(move.victim, move.need) for move in plan.moves if move.victim in movers}
        seen["of equal priority"] += any(needs[q].priority == needs[n].priority for q, n in victims)
        seen["of lower priority"] += any(needs[q].priority < needs[n].priority for q, n in victims)
    assert min(seen.values()) >= 4, seen
    assert len(seen) == 5
