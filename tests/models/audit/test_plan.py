"""The judge of a plan: for each rule a plan that passes and a broken twin that is refused."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import nan

import numpy as np
import pytest
from builders import RACK, fleet, machine, need, need_row, row_of
from hypothesis import given
from hypothesis import strategies as st

from models import labels
from models.audit import Law, audit_plan
from models.audit.names import shard_of_need
from models.fleet import Fleet
from models.machine import CapacityType, State
from models.outcome import Outcome
from models.plan import DRAINS, Displaced, Level, Move, MoveKind, Plan, Unmet
from models.rules import Rule
from models.settings import Settings
from models.shortfall import Reason, Shortfall
from models.standing import Standing

IDLE, SPECULATIVE, CONFIGURED = State.IDLE, State.SPECULATIVE, State.CONFIGURED
DRAIN_AND_TRANSFER = "drain-and-transfer"


def standing_of(world: Fleet) -> Standing:
    """Give a fleet as it stands when the file says what each machine serves."""
    machines, count = world.machines, len(world.needs)
    serves = np.array(machines.serves)
    served = serves >= 0
    draining = machines.state == State.DRAINING
    configured = machines.state == CONFIGURED
    untied = np.isin(machines.state, [IDLE, SPECULATIVE]) & ~served
    have = np.bincount(serves[served & ~draining], minlength=count)
    waiting = np.bincount(serves[served & draining], minlength=count)
    asked = np.array([need.count for need in world.needs], dtype=np.int64)
    inactive = (world.silent | world.shadow)[world.need_cluster]
    short = np.where(inactive, 0, np.maximum(asked - have - waiting, 0)).astype(np.int64)
    return Standing(
        fleet=world,
        serves=serves,
        free=untied & np.isnan(machines.reclaim_at),
        excess=configured & ~served,
        victim=configured & served,
        have=have,
        waiting=waiting,
        short=short,
        shortfalls=tuple(
            Shortfall(row, int(short[row]), Reason.CAPACITY_EXHAUSTED)
            for row in np.flatnonzero(short)
        ),
    )


def plan_of(standing: Standing, moves: tuple[Move, ...]) -> Plan:
    """Give a plan with these moves whose numbers add up, counted one by one."""
    world = standing.fleet
    gains: Counter[int] = Counter()
    losses: Counter[int] = Counter()
    for move in moves:
        if move.kind is not MoveKind.REPLACE:
            gains[move.need] += len(move.machines)
            losses[move.victim] += len(move.machines)
    levels = []
    for priority in sorted({row.priority for row in world.needs}, reverse=True):
        rows = [n for n, row in enumerate(world.needs) if row.priority == priority]
        asked = sum(world.needs[n].count for n in rows)
        served = sum(
            int(standing.have[n] + standing.waiting[n]) + gains[n] - losses[n] for n in rows
        )
        levels.append(Level(priority, asked, served, max(asked, served)))
    left = {n: max(int(standing.short[n]) - gains[n], 0) for n in range(len(world.needs))}
    return Plan(
        snapshot="",
        settings="",
        seed=0,
        outcome=Outcome.FEASIBLE,
        levels=tuple(levels),
        moves=moves,
        unmet=tuple(Unmet(n, c, Reason.CAPACITY_EXHAUSTED) for n, c in left.items() if c),
        displaced=tuple(Displaced(n, c) for n, c in losses.items() if n >= 0),
        goals={},
        conflicts=(),
        seconds=0.0,
    )


def moves_of(standing: Standing, text: str) -> tuple[Move, ...]:
    """Read moves, ``kind machine need unit window`` each; the rest follows from the machine."""
    world, moves = standing.fleet, []
    for number, line in enumerate(filter(None, map(str.strip, text.split(";")))):
        kind, id, name, *rest = line.split()
        row, wanted = row_of(world, id), need_row(world, name)
        drained = MoveKind(kind) in DRAINS - {MoveKind.REPLACE}
        moves.append(
            Move(
                id=f"m{number}",
                unit=(rest or [f"u{number}"])[0],
                window=int(rest[1]) if len(rest) > 1 else 0,
                kind=MoveKind(kind),
                machine_class=int(world.machines.class_index[row]),
                machines=(row,),
                source=int(world.machines.shard[row]),
                target=shard_of_need(world, wanted),
                need=wanted,
                victim=int(standing.serves[row]) if drained else -1,
                reason="",
                preconditions=(),
                expires_seconds=30.0,
            )
        )
    return tuple(moves)


def world_of(machines, needs) -> Fleet:
    """Shard s0 owns a; s1 owns b and c; s2 owns nothing."""
    builder = fleet().shard("s0", "a").shard("s1", "b", "c").shard("s2").needs(*needs)
    for row, serves in (item if isinstance(item, tuple) else (item, None) for item in machines):
        builder.machines(row, serves=serves)
    return builder.build()


def far(id, state=IDLE, serves=None, *, shard="s1", **fields):
    """A machine of another shard; what it serves says the cluster it is in."""
    cluster = serves.split("/")[0] if serves else ("b" if state is CONFIGURED else None)
    return machine(id, state, cluster=cluster, shard=shard, **fields), serves


def near(id, state=IDLE, serves=None, **fields):
    cluster = serves.split("/")[0] if serves else ("a" if state is CONFIGURED else None)
    return machine(id, state, cluster=cluster, **fields), serves


def same(value):
    return value


@dataclass(frozen=True)
class Twin:
    """A world with moves that pass, and the change that breaks a rule.

    ``bend`` changes the standing, ``edit`` the finished plan, ``move`` each of its moves before
    the numbers are counted; all three only in the broken twin.
    """

    name: str
    rule: Rule | Law
    machines: list
    needs: list
    moves: str
    broken_machines: list | None = None
    broken_needs: list | None = None
    broken_moves: str | None = None
    bend: Callable[[Standing], Standing] = same
    move: Callable[[Move], Move] = same
    edit: Callable[[Plan], Plan] = same
    rebalance: dict = field(default_factory=dict)
    broken_rebalance: dict | None = None
    also: tuple = ()

    def passes(self):
        standing = standing_of(world_of(self.machines, self.needs))
        plan = plan_of(standing, moves_of(standing, self.moves))
        return rules(standing, plan, self.rebalance)

    def breaks(self):
        def changed(name):
            new = getattr(self, f"broken_{name}")
            return getattr(self, name) if new is None else new

        standing = self.bend(standing_of(world_of(changed("machines"), changed("needs"))))
        moves = tuple(map(self.move, moves_of(standing, changed("moves"))))
        return rules(standing, self.edit(plan_of(standing, moves)), changed("rebalance"))


def rules(standing, plan, rebalance=None):
    settings = Settings()
    section = settings.rebalance.model_copy(update=rebalance or {})
    settings = settings.model_copy(update={"rebalance": section})
    return {violation.rule for violation in audit_plan(standing, plan, settings)}


def not_free(standing):
    return replace(standing, free=np.zeros(len(standing.free), dtype=np.bool_))


def not_victims(standing):
    return replace(standing, victim=np.zeros(len(standing.victim), dtype=np.bool_))


def first_level(**fields):
    return lambda plan: replace(plan, levels=(replace(plan.levels[0], **fields), *plan.levels[1:]))


MANY = [far(f"m{i}", CONFIGURED, "b/low") for i in range(40)]

TWINS = [
    Twin(
        "each machine once",
        Law.MOVE_SHAPE,
        [far("m"), far("o")],
        [need("a/n", 2)],
        "transfer-idle m a/n; transfer-idle o a/n",
        broken_moves="transfer-idle m a/n; transfer-idle m a/n",
    ),
    Twin(
        "each id once",
        Law.MOVE_SHAPE,
        [far("m"), far("o")],
        [need("a/n", 2)],
        "transfer-idle m a/n; transfer-idle o a/n",
        move=lambda move: replace(move, id="m0"),
    ),
    Twin(
        "machines of its class",
        Law.MOVE_SHAPE,
        [far("m"), far("o", price=2)],
        [need("a/n")],
        "transfer-idle m a/n",
        move=lambda move: replace(move, machine_class=1),
    ),
    Twin(
        "some machine",
        Law.MOVE_SHAPE,
        [far("m")],
        [need("a/n")],
        "transfer-idle m a/n",
        move=lambda move: replace(move, machines=()),
    ),
    Twin(
        "a window from 0",
        Law.MOVE_SHAPE,
        [far("m")],
        [need("a/n")],
        "transfer-idle m a/n",
        move=lambda move: replace(move, window=-1),
    ),
    Twin(
        "idle is idle",
        Law.MOVE_KIND,
        [far("m")],
        [need("a/n")],
        "transfer-idle m a/n",
        broken_machines=[far("m", SPECULATIVE)],
    ),
    Twin(
        "speculative is speculative",
        Law.MOVE_KIND,
        [far("m", SPECULATIVE)],
        [need("a/n")],
        "transfer-speculative m a/n",
        broken_machines=[far("m")],
    ),
    Twin(
        "idle is free",
        Law.MOVE_KIND,
        [far("m")],
        [need("a/n")],
        "transfer-idle m a/n",
        bend=not_free,
    ),
    Twin(
        "speculative is free",
        Law.MOVE_KIND,
        [far("m", SPECULATIVE)],
        [need("a/n")],
        "transfer-speculative m a/n",
        bend=not_free,
    ),
    Twin(
        "drained is configured",
        Law.MOVE_KIND,
        [far("m", CONFIGURED)],
        [need("a/n")],
        "drain-and-transfer m a/n",
        broken_machines=[far("m")],
    ),
    Twin(
        "drained may be",
        Law.MOVE_KIND,
        [far("m", CONFIGURED, "b/low")],
        [need("a/n", priority=200_000), need("b/low")],
        "drain-and-transfer m a/n",
        bend=not_victims,
        also=(Law.VICTIM,),
    ),
    Twin(
        "replaced serves the need",
        Law.MOVE_KIND,
        [near("m", CONFIGURED, "a/n")],
        [need("a/n"), need("a/o", 0)],
        "replace m a/n",
        broken_moves="replace m a/o",
    ),
    Twin(
        "from its shard",
        Law.MOVE_ROUTE,
        [far("m")],
        [need("a/n")],
        "transfer-idle m a/n",
        move=lambda move: replace(move, source=2),
    ),
    Twin(
        "to the need's shard",
        Law.MOVE_ROUTE,
        [far("m")],
        [need("a/n")],
        "transfer-idle m a/n",
        move=lambda move: replace(move, target=2),
    ),
    Twin(
        "to another shard",
        Law.MOVE_ROUTE,
        [far("m")],
        [need("a/n")],
        "transfer-idle m a/n",
        broken_machines=[near("m")],
    ),
    Twin(
        "a drain stays in its shard",
        Law.MOVE_ROUTE,
        [near("m", CONFIGURED)],
        [need("a/n")],
        "drain m a/n",
        broken_machines=[far("m", CONFIGURED)],
    ),
    Twin(
        "matches",
        Rule.MATCHES,
        [far("m")],
        [need("a/n", zones=["z1"])],
        "transfer-idle m a/n",
        broken_machines=[far("m", zone="z2")],
    ),
    Twin(
        "fits",
        Rule.FITS,
        [far("m")],
        [need("a/n", gpu=8)],
        "transfer-idle m a/n",
        broken_machines=[far("m", gpu=7)],
    ),
    Twin(
        "a known price",
        Rule.PRICE_KNOWN,
        [far("m", SPECULATIVE)],
        [need("a/n")],
        "transfer-speculative m a/n",
        broken_machines=[far("m", SPECULATIVE, price=nan)],
    ),
    Twin(
        "not what is about to be reclaimed",
        Rule.AVAILABLE,
        [far("m", CONFIGURED, capacity=CapacityType.SPOT)],
        [need("a/n")],
        "drain-and-transfer m a/n",
        broken_machines=[far("m", CONFIGURED, capacity=CapacityType.SPOT, reclaim_at=60)],
    ),
    Twin(
        "not what is pinned",
        Rule.UNTOUCHED,
        [far("m")],
        [need("a/n")],
        "transfer-idle m a/n",
        broken_machines=[far("m", pinned=True)],
    ),
    Twin(
        "a victim is named",
        Law.VICTIM,
        [far("m", CONFIGURED, "b/low")],
        [need("a/n", priority=200_000), need("b/low")],
        "drain-and-transfer m a/n",
        move=lambda move: replace(move, victim=-1),
    ),
    Twin(
        "the gap across shards",
        Rule.PRIORITY,
        [far("m", CONFIGURED, "b/low")],
        [need("a/n", priority=100_000), need("b/low")],
        "drain-and-transfer m a/n",
        broken_needs=[need("a/n", priority=99_999), need("b/low")],
    ),
    Twin(
        "strictly lower within a shard",
        Rule.PRIORITY,
        [near("m", CONFIGURED, "a/low")],
        [need("a/n", priority=1), need("a/low")],
        "drain m a/n",
        broken_needs=[need("a/n"), need("a/low")],
    ),
    Twin(
        "strictly lower whatever the gap",
        Rule.PRIORITY,
        [far("m", CONFIGURED, "b/low")],
        [need("a/n", priority=1), need("b/low")],
        "drain-and-transfer m a/n",
        broken_needs=[need("a/n"), need("b/low")],
        rebalance={"min_gap": 0},
    ),
    Twin(
        "a donor keeps what its own lack",
        Rule.KEEPS_OWN,
        [far("m")],
        [need("a/n", priority=2), need("b/own", priority=1)],
        "transfer-idle m a/n",
        broken_needs=[need("a/n", priority=2), need("b/own", priority=2)],
    ),
    Twin(
        "unless they cannot use it: no match",
        Rule.KEEPS_OWN,
        [far("m")],
        [need("a/n"), need("b/own", zones=["z9"])],
        "transfer-idle m a/n",
        broken_needs=[need("a/n"), need("b/own", zones=["z1"])],
    ),
    Twin(
        "unless they cannot use it: half a gang",
        Rule.KEEPS_OWN,
        [far("m", rack="r1"), far("o", rack="r2")],
        [need("a/n"), need("b/own", 2, same=RACK)],
        "transfer-idle m a/n",
        broken_machines=[far("m", rack="r1"), far("o", rack="r1")],
    ),
    Twin(
        "unless they cannot use it: the gang is elsewhere",
        Rule.KEEPS_OWN,
        [far("m", rack="r1"), far("o", CONFIGURED, "b/own", rack="r2")],
        [need("a/n"), need("b/own", 2, same=RACK)],
        "transfer-idle m a/n",
        broken_machines=[far("m", rack="r1"), far("o", CONFIGURED, "b/own", rack="r1")],
    ),
    Twin(
        "unless they cannot use it: the spread",
        Rule.KEEPS_OWN,
        [far("m"), far("o", CONFIGURED, "b/own"), far("p", State.FAILED, zone="z2")],
        [need("a/n"), need("b/own", 2, spread=labels.ZONE)],
        "transfer-idle m a/n",
        broken_needs=[need("a/n"), need("b/own", 2, spread=labels.ZONE, skew=2)],
    ),
    Twin(
        "unless they cannot use it: the floor",
        Rule.KEEPS_OWN,
        [far("m", risk=0.5)],
        [need("a/n"), need("b/own", 1, floor=1)],
        "transfer-idle m a/n",
        broken_needs=[need("a/n"), need("b/own", 1, floor=0)],
    ),
    Twin(
        "unless they cannot use it: too slow for tier 1",
        Rule.KEEPS_OWN,
        [far("m", SPECULATIVE, ready_seconds=901)],
        [need("a/n", priority=900_000), need("b/own", priority=900_000)],
        "transfer-speculative m a/n",
        broken_machines=[far("m", SPECULATIVE, ready_seconds=900)],
    ),
    Twin(
        "few drains in a window",
        Law.BLAST_RADIUS,
        MANY,
        [need("a/n", 4, 200_000), need("b/low", 40)],
        "; ".join(f"drain-and-transfer m{i} a/n u{i} {i // 2}" for i in range(4)),
        broken_moves="; ".join(f"drain-and-transfer m{i} a/n u{i} 0" for i in range(3)),
    ),
    Twin(
        "at least one drain",
        Law.BLAST_RADIUS,
        MANY[:19],
        [need("a/n", 2, 200_000), need("b/low", 40)],
        "drain-and-transfer m0 a/n u0 0; drain-and-transfer m1 a/n u1 1",
        broken_moves="drain-and-transfer m0 a/n u0 0; drain-and-transfer m1 a/n u1 0",
    ),
    Twin(
        "no more than allowed",
        Law.MAX_MOVES,
        [far("m"), far("o")],
        [need("a/n", 2)],
        "transfer-idle m a/n; transfer-idle o a/n",
        rebalance={"max_moves": 2},
        broken_rebalance={"max_moves": 1},
    ),
    Twin(
        "no more than short",
        Law.COUNT,
        [far("m"), far("o")],
        [need("a/n", 2)],
        "transfer-idle m a/n; transfer-idle o a/n",
        broken_needs=[need("a/n", 1)],
        also=(Law.LEVELS,),
    ),
    Twin(
        "a gang is one unit",
        Law.UNIT,
        [far("m", rack="r1"), far("o", rack="r1")],
        [need("a/n", 2, same=RACK)],
        "transfer-idle m a/n u; transfer-idle o a/n u",
        broken_moves="transfer-idle m a/n u; transfer-idle o a/n v",
    ),
    Twin(
        "and nothing else is of it",
        Law.UNIT,
        [far("m", rack="r1"), far("o", rack="r1")],
        [need("a/n", same=RACK), need("a/o")],
        "transfer-idle m a/n u; transfer-idle o a/o v",
        broken_moves="transfer-idle m a/n u; transfer-idle o a/o u",
    ),
    Twin(
        "a gang from one shard",
        Law.UNIT,
        [far("m", rack="r1"), far("o", rack="r1")],
        [need("a/n", 2, same=RACK)],
        "transfer-idle m a/n u; transfer-idle o a/n u",
        broken_machines=[far("m", rack="r1"), far("o", rack="r1", shard="s2")],
    ),
    Twin(
        "a gang in one domain",
        Rule.DOMAIN,
        [far("m", rack="r1"), far("o", rack="r1")],
        [need("a/n", 2, same=RACK)],
        "transfer-idle m a/n u; transfer-idle o a/n u",
        broken_machines=[far("m", rack="r1"), far("o", rack="r2")],
    ),
    Twin(
        "a gang where it is",
        Rule.DOMAIN,
        [near("m", CONFIGURED, "a/n", rack="r1"), far("o", rack="r1")],
        [need("a/n", 2, same=RACK)],
        "transfer-idle o a/n u",
        broken_machines=[near("m", CONFIGURED, "a/n", rack="r1"), far("o", rack="r2")],
    ),
    Twin(
        "a gang whole",
        Law.WHOLE_GANG,
        [far("m", rack="r1"), far("o", rack="r1")],
        [need("a/n", 2, same=RACK)],
        "transfer-idle m a/n u; transfer-idle o a/n u",
        broken_moves="transfer-idle m a/n u",
    ),
    Twin(
        "a gang whole with what is free beside it",
        Law.WHOLE_GANG,
        [near("m", CONFIGURED, rack="r1"), near("o", rack="r1")],
        [need("a/n", 2, same=RACK)],
        "drain m a/n u",
        broken_machines=[near("m", CONFIGURED, rack="r1"), near("o", rack="r2")],
    ),
    Twin(
        "evenly spread",
        Rule.SPREAD,
        [far("m"), far("o", zone="z2"), far("p"), near("q", State.FAILED, zone="z2")],
        [need("a/n", 2, spread=labels.ZONE)],
        "transfer-idle m a/n; transfer-idle o a/n",
        broken_moves="transfer-idle m a/n; transfer-idle p a/n",
    ),
    Twin(
        "evenly beside what it holds",
        Rule.SPREAD,
        [
            near("m", CONFIGURED, "a/n"),
            far("o", zone="z2"),
            far("p"),
            near("q", State.FAILED, zone="z2"),
        ],
        [need("a/n", 2, spread=labels.ZONE)],
        "transfer-idle o a/n",
        broken_moves="transfer-idle p a/n",
    ),
    Twin(
        "the floor",
        Rule.FLOOR,
        [far("m", risk=0.1)],
        [need("a/n", 2, floor=1)],
        "transfer-idle m a/n",
        broken_needs=[need("a/n", 2, floor=2)],
    ),
    Twin(
        "displaced adds up",
        Law.DISPLACED,
        [far("m", CONFIGURED, "b/low")],
        [need("a/n", priority=200_000), need("b/low")],
        "drain-and-transfer m a/n",
        edit=lambda plan: replace(plan, displaced=()),
    ),
    Twin(
        "displaced once",
        Law.DISPLACED,
        [far("m", CONFIGURED, "b/low")],
        [need("a/n", priority=200_000), need("b/low")],
        "drain-and-transfer m a/n",
        edit=lambda plan: replace(plan, displaced=plan.displaced * 2),
    ),
    Twin(
        "unmet adds up",
        Law.UNMET,
        [far("m")],
        [need("a/n", 3)],
        "transfer-idle m a/n",
        edit=lambda plan: replace(plan, unmet=(replace(plan.unmet[0], count=3),)),
    ),
    Twin(
        "unmet is said",
        Law.UNMET,
        [far("m")],
        [need("a/n", 3)],
        "transfer-idle m a/n",
        edit=lambda plan: replace(plan, unmet=()),
    ),
    Twin(
        "each level",
        Law.LEVELS,
        [far("m")],
        [need("a/n"), need("a/o", 0, 5)],
        "transfer-idle m a/n",
        edit=lambda plan: replace(plan, levels=plan.levels[1:]),
    ),
    Twin(
        "levels from the highest down",
        Law.LEVELS,
        [far("m")],
        [need("a/n"), need("a/o", 0, 5)],
        "transfer-idle m a/n",
        edit=lambda plan: replace(plan, levels=plan.levels[::-1]),
    ),
    Twin(
        "asked adds up",
        Law.LEVELS,
        [far("m")],
        [need("a/n", 2)],
        "transfer-idle m a/n",
        edit=first_level(asked=3),
    ),
    Twin(
        "served adds up",
        Law.LEVELS,
        [far("m")],
        [need("a/n", 2)],
        "transfer-idle m a/n",
        edit=first_level(served=2),
    ),
    Twin(
        "served within the bound",
        Law.LEVELS,
        [far("m")],
        [need("a/n")],
        "transfer-idle m a/n",
        edit=first_level(bound=0),
    ),
    Twin(
        "the bound within what is asked",
        Law.LEVELS,
        [far("m")],
        [need("a/n")],
        "transfer-idle m a/n",
        edit=first_level(bound=2),
    ),
]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_the_sound_plan_passes(twin):
    assert twin.passes() == set()


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_the_broken_twin_is_refused(twin):
    assert twin.rule in twin.breaks()
    assert twin.breaks() <= {twin.rule, *twin.also}


def shadowed(cluster):
    builder = fleet().shard("s0", "a").shard("s1", "b")
    builder.needs(need("a/n", priority=200_000), need("b/low"))
    builder.machines(*far("m", CONFIGURED)[:1], serves="b/low")
    return (builder.shadow(cluster) if cluster else builder).build()


@pytest.mark.parametrize(("cluster", "broken"), [(None, set()), ("b", {Rule.UNTOUCHED})])
def test_shadow_clusters_are_no_victims(cluster, broken):
    standing = standing_of(shadowed(cluster))
    plan = plan_of(standing, moves_of(standing, "drain-and-transfer m a/n"))
    assert rules(standing, plan) == broken


def test_shadow_clusters_receive_nothing():
    standing = standing_of(shadowed("a"))
    plan = plan_of(standing, moves_of(standing, "drain-and-transfer m a/n"))
    assert rules(standing, plan) == {Rule.UNTOUCHED, Law.COUNT}


def test_without_an_answer_nothing_moves_and_the_conflicts_are_named():
    standing = standing_of(world_of([far("m")], [need("a/n")]))
    plan = replace(plan_of(standing, ()), outcome=Outcome.INFEASIBLE, conflicts=("x",))
    assert rules(standing, plan) == set()
    assert rules(standing, replace(plan, conflicts=())) == {Law.NO_MOVES}
    moves = moves_of(standing, "transfer-idle m a/n")
    assert rules(standing, replace(plan, moves=moves)) == {Law.NO_MOVES}


def test_an_idle_machine_of_unknown_price_may_be_transferred():
    standing = standing_of(world_of([far("m", price=nan)], [need("a/n")]))
    plan = plan_of(standing, moves_of(standing, "transfer-idle m a/n"))
    assert rules(standing, plan) == set()


@pytest.mark.parametrize("helper", [far("o", rack="r1"), far("o", CONFIGURED, rack="r1")])
def test_a_gang_of_the_donor_could_use_what_is_free_or_excess_beside(helper):
    needs = [need("a/n"), need("b/own", 2, same=RACK)]
    busy = far("o", State.FAILED, rack="r1")
    for machines, broken in (([helper], {Rule.KEEPS_OWN}), ([busy], set())):
        standing = standing_of(world_of([far("m", rack="r1"), *machines], needs))
        plan = plan_of(standing, moves_of(standing, "transfer-idle m a/n"))
        assert rules(standing, plan) == broken


def test_only_the_donor_shard_is_asked_what_it_lacks():
    """The receiver's own equal need, and what stays in the donor, give nothing away."""
    machines = [far("m", shard="s2"), far("o")]
    needs = [need("a/n"), need("a/o"), need("b/own")]
    standing = standing_of(world_of(machines, needs))
    plan = plan_of(standing, moves_of(standing, "transfer-idle m a/n"))
    assert rules(standing, plan) == set()


def test_machines_in_no_cluster_move_whatever_other_clusters_are():
    builder = fleet().shard("s0", "a").shard("s1", "z").shadow("z").needs(need("a/n"))
    standing = standing_of(builder.machines(far("m")[0]).build())
    plan = plan_of(standing, moves_of(standing, "transfer-idle m a/n"))
    assert rules(standing, plan) == set()


def test_only_configured_machines_are_drained_whatever_the_standing_says():
    needs = [need("a/n", priority=200_000), need("b/low")]
    standing = standing_of(world_of([far("m", State.DRAINING, "b/low")], needs))
    standing = replace(standing, victim=np.array([True]))
    plan = plan_of(standing, moves_of(standing, "drain-and-transfer m a/n"))
    assert Law.MOVE_KIND in rules(standing, plan)


@pytest.mark.parametrize(
    "fields",
    [{"machines": (9,)}, {"need": 9}, {"need": -1}, {"victim": 9}, {"source": 9}, {"target": -1}],
)
def test_moves_of_rows_that_do_not_exist_are_refused(fields):
    standing = standing_of(world_of([far("m")], [need("a/n")]))
    plan = plan_of(standing, moves_of(standing, "transfer-idle m a/n"))
    assert rules(standing, plan) == set()
    moves = (replace(plan.moves[0], **fields),)
    assert rules(standing, replace(plan, moves=moves)) == {Law.MOVE_SHAPE}


def test_numbers_of_rows_that_do_not_exist_are_refused():
    standing = standing_of(world_of([], [need("a/n", 0)]))
    plan = plan_of(standing, ())
    assert rules(standing, plan) == set()
    assert rules(standing, replace(plan, displaced=(Displaced(9, 1),))) == {Law.DISPLACED}
    unmet = (Unmet(9, 1, Reason.CAPACITY_EXHAUSTED),)
    assert rules(standing, replace(plan, unmet=unmet)) == {Law.UNMET}


def test_machines_on_their_way_may_be_named_as_unmet():
    standing = standing_of(world_of([], [need("a/n", 0)]))
    plan = plan_of(standing, ())
    waiting = (Shortfall(0, 1, Reason.WAITING_FOR_CREATE),)
    unmet = replace(plan, unmet=(Unmet(0, 1, Reason.WAITING_FOR_CREATE),))
    assert rules(replace(standing, shortfalls=waiting), unmet) == set()
    assert rules(standing, unmet) == {Law.UNMET}


@given(
    count=st.integers(1, 4),
    own=st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2)), max_size=3),
    states=st.lists(st.sampled_from((IDLE, SPECULATIVE)), min_size=1, max_size=5),
)
def test_what_is_free_goes_to_a_strictly_higher_need(count, own, states):
    """Legal with priority 3; refused with 2 where the donor has such a need that is short."""
    machines = [far(f"m{index}", state) for index, state in enumerate(states)]
    owned = [need(f"b/o{index}", lacks, level) for index, (lacks, level) in enumerate(own)]
    kinds = {IDLE: "transfer-idle", SPECULATIVE: "transfer-speculative"}
    moves = "; ".join(f"{kinds[state]} m{index} a/n" for index, state in enumerate(states[:count]))
    for priority in (3, 2):
        standing = standing_of(world_of(machines, [need("a/n", count, priority), *owned]))
        lacking = any(lacks and level >= priority for lacks, level in own)
        plan = plan_of(standing, moves_of(standing, moves))
        assert rules(standing, plan) == ({Rule.KEEPS_OWN} if lacking else set())
