"""A victims problem as the fleet that it stands for, and the plan for it as an answer."""

import time
from collections import Counter

import numpy as np

from benchmarks.peers.judge import worth
from benchmarks.peers.peer import Answer
from benchmarks.peers.problems import Triple, Victims
from models import labels
from models.builder import FleetBuilder
from models.fleet import Fleet
from models.machine import CapacityType, MachineRow, State
from models.need import Need
from models.outcome import Outcome
from models.plan import Plan
from models.requirement import Operator, Requirement
from models.rules import Goal
from models.shortfall import Reason, Shortfall
from models.standing import Standing
from rebalancer.limits import Limits
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import solve

DOMAIN = "benchmark/domain"
NO_TYPE = "none"
"""That no machine has."""

STEP = 10
"""Of priority, between levels."""


def answer(problem: Victims, seconds: float) -> Answer:
    """Solve the fleet as a round of the coordinator would; the only goal is the damage."""
    standing = standing_of(problem)
    limits = Limits(seconds=seconds, clock=time.monotonic)
    plan = solve(snapshot_of(standing), {Goal.PREEMPTION_DAMAGE: 1.0}, limits)
    triples = _triples(standing.fleet, plan)
    bounds = tuple(worth(problem, triples).values()) if plan.outcome is Outcome.OPTIMAL else ()
    return Answer(triples, bounds, "one worker, defaults", "")


def standing_of(problem: Victims) -> Standing:
    """Give one shard in which every gang is short and all that runs may be drained.

    A row's machines are ``r0-0``, ``r0-1`` and so on; work 0 is need ``w0`` and gang 0 ``g0``, each
    of one cluster for all.
    """
    builder = FleetBuilder(topology=(DOMAIN,)).shard("s0", "gangs", "works")
    least = max(problem.levels)
    kinds = {gangs: f"t{at}" for at, gangs in enumerate(sorted(map(tuple, problem.row_gangs)))}
    for row, (work, count) in enumerate(zip(problem.row_work, problem.row_count, strict=True)):
        builder.machines(
            MachineRow(
                f"r{row}-{{}}",
                CapacityType.BARE_METAL,
                state=State.IDLE if work < 0 else State.CONFIGURED,
                host_ref=f"h{row}-{{}}",
                cluster=None if work < 0 else "works",
                instance_type=kinds[tuple(problem.row_gangs[row])],
                labels={DOMAIN: f"d{problem.row_domain[row]}"},
                price_per_hour=0.0,
                reclamation_penalty=float(problem.row_usd[row]),
            ),
            count,
            serves=None if work < 0 else f"works/w{work}",
        )
    held = Counter[int]()
    for work, count in zip(problem.row_work, problem.row_count, strict=True):
        held[work] += count
    for work, (level, once) in enumerate(zip(problem.work_level, problem.work_once, strict=True)):
        # Only what is counted once has to be a gang; then it stands in one domain.
        same = DOMAIN if once else None
        priority = STEP * (least - level)
        penalty = float(once)
        builder.needs(
            Need(f"w{work}", "works", held[work], priority, same=same, interruption_penalty=penalty)
        )
    for gang, (level, size) in enumerate(zip(problem.gang_level, problem.gang_size, strict=True)):
        types = [kind for gangs, kind in kinds.items() if gang in gangs]
        suits = (Requirement(labels.INSTANCE_TYPE, Operator.IN, tuple(types) or (NO_TYPE,)),)
        priority = STEP * (least - level)
        builder.needs(Need(f"g{gang}", "gangs", size, priority, requirements=suits, same=DOMAIN))
    return _standing(builder.build())


def _standing(fleet: Fleet) -> Standing:
    serves = fleet.machines.serves
    count = np.array([need.count for need in fleet.needs], dtype=np.int64)
    have = np.bincount(serves[serves >= 0], minlength=len(count)).astype(np.int64)
    short = count - have
    return Standing(
        fleet,
        serves,
        free=serves < 0,
        excess=np.zeros(len(serves), dtype=np.bool_),
        victim=serves >= 0,
        have=have,
        waiting=np.zeros(len(count), dtype=np.int64),
        short=short,
        forecast=np.zeros((len(fleet.shards), len(fleet.classes)), dtype=np.int64),
        shortfalls=tuple(
            Shortfall(need, int(short[need]), Reason.CAPACITY_EXHAUSTED)
            for need in np.flatnonzero(short).tolist()
        ),
    )


def _triples(fleet: Fleet, plan: Plan) -> list[Triple]:
    taken = Counter[tuple[int, int]]()
    for move in plan.moves:
        gang = int(fleet.needs[move.need].id[1:])
        for machine in move.machines:
            taken[int(str(fleet.machines.ids[machine])[1:].split("-")[0]), gang] += 1
    return [(row, gang, count) for (row, gang), count in taken.items()]
