"""Seeded instances for the choice of victims: a gang that only lower work can make room for.

Eleven spines of ten racks of 18 machines, all of one class and one shard. Four spines are full of
lower work, but for 2 to 8 percent that is idle and up to 6 percent that serves what is as important
as the gang. So do the seven others, but for a few machines with lower work. In all 700 machines
could be drained; they serve 120 workloads, three to eight to a rack, 40 percent of them gangs.
"""

from collections.abc import Iterator
from statistics import median
from time import monotonic

import numpy as np

from models.audit import audit_plan, require
from models.builder import FleetBuilder
from models.fleet import Fleet, Ints
from models.machine import CapacityType, MachineRow, State
from models.need import Need
from models.outcome import Outcome
from models.plan import Plan
from models.rules import Goal
from models.settings import Settings
from models.shortfall import Reason, Shortfall
from models.standing import Standing
from planner.bench.run import Run
from planner.bench.sample import Sample, Timing, measure_each
from rebalancer.limits import Limits
from rebalancer.search import search
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import begin, greedy_plan, plan_of
from rebalancer.solver import load

SPINE, RACK = "example.com/spine", "example.com/rack"
SPINES, RACKS, MACHINES = 11, 10, 18
OPEN_SPINES = 4
"""Spines that could hold the gang: 700 victims fill no more."""

VICTIMS, WORKLOADS, GANGS = 700, 120, 48
SIZES = {f"victims-{size}": size for size in (40, 80, 120, 160)}
"""Machines of the gang by the name of the instance."""

PRIORITY, LOWER = 500_000, 0
"""One lower level: with several the levels come first and leave little to weigh."""

INTERRUPTION_USD = (0.0, 5.0, 50.0, 500.0)
RECLAMATION_USD = (0.0, 2.0, 20.0, 100.0)
DRAIN_SECONDS = (30.0, 120.0, 600.0)

IDLE, EVEN = -1, -2
"""What a machine does where it serves none of the workloads."""

GOALS = (Goal.PREEMPTION_DAMAGE, Goal.GANG_SPREAD)
DEADLINE_SECONDS = 20.0


def victims_samples(run: Run) -> Iterator[Sample]:
    """Measure as many instances of each size as there are runs, all of them judged.

    Found are the share proven optimal, and how often as large as its own damage that of the greedy
    plan is.
    """
    load()
    goals = {goal: run.settings.goals.weight(goal) for goal in GOALS}
    for name, size in SIZES.items():
        run.say(f"{name}: {run.repeat} seeds")
        standings = [victims_standing(size, seed) for seed in range(run.repeat)]
        timing, plans = _measured(standings, goals)
        for standing, (plan, _) in zip(standings, plans, strict=True):
            require(audit_plan(standing, plan, Settings()))
        ratios = [_ratio(plan, greedy) for plan, greedy in plans]
        proven = sum(plan.outcome is Outcome.OPTIMAL for plan, _ in plans)
        found = {
            "optimal": round(proven / len(plans), 4),
            "greedy damage": round(median(ratios), 2),
            "at most": round(max(ratios), 2),
        }
        fleet = standings[0].fleet
        yield Sample(name, len(fleet.machines), len(fleet.needs), timing, found=found)


def _measured(
    standings: list[Standing], goals: dict[Goal, float]
) -> tuple[Timing, list[tuple[Plan, Plan]]]:
    plans: list[tuple[Plan, Plan]] = []
    timing, _ = measure_each(lambda standing: plans.append(_solved(standing, goals)), standings)
    return timing, plans


def _solved(standing: Standing, goals: dict[Goal, float]) -> tuple[Plan, Plan]:
    """Give the plan and the greedy one, by one worker in this process."""
    limits = Limits(DEADLINE_SECONDS, clock=monotonic)
    task = begin(snapshot_of(standing), goals, limits)
    plan, complaint = plan_of(task, search(task.question))
    if complaint:
        raise ValueError(f"{complaint}.")
    return plan, greedy_plan(task)


def _ratio(plan: Plan, greedy: Plan) -> float:
    least, damage = (each.goals[Goal.PREEMPTION_DAMAGE].after for each in (plan, greedy))
    return damage / least if least else 1.0 if not damage else float("inf")


def victims_standing(size: int, seed: int) -> Standing:
    """Give the fleet as its cycle would leave it: a gang of ``size`` is short, nobody else is."""
    chance = np.random.default_rng([seed, size])
    is_gang = np.zeros(WORKLOADS, dtype=np.bool_)
    is_gang[chance.choice(WORKLOADS, GANGS, replace=False)] = True
    serves = np.full((SPINES, RACKS, MACHINES), EVEN)
    for spine in range(OPEN_SPINES):
        serves[spine] = _open_spine(chance, np.arange(spine, WORKLOADS, OPEN_SPINES))
    closed, plain = serves[OPEN_SPINES:].reshape(-1), np.flatnonzero(~is_gang)
    left = VICTIMS - np.count_nonzero(serves >= 0)
    closed[chance.choice(len(closed), left, replace=False)] = chance.choice(plain, left)
    needs = [_workload(chance, w, int((serves == w).sum()), is_gang[w]) for w in range(WORKLOADS)]
    needs.append(Need("even", "a", int((serves == EVEN).sum()), PRIORITY, resources={"gpu": 8}))
    needs.append(Need("train", "a", size, PRIORITY, resources={"gpu": 8}, same=SPINE))
    return _standing_of(_fleet(serves, needs))


def _open_spine(chance: np.random.Generator, workloads: Ints) -> Ints:
    """Fill a spine, ``(RACKS, MACHINES)``; each workload comes to its turn before any does again.

    Every rack has three machines of its workloads at least, so all of these are in some rack.
    """
    size = RACKS * MACHINES
    serves = np.zeros(size, dtype=np.int64)
    idle = int(chance.uniform(0.02, 0.08) * size)
    even = int(chance.uniform(0.0, 0.06) * size)
    other = chance.choice(size, idle + even, replace=False)
    serves[other[:idle]], serves[other[idle:]] = IDLE, EVEN
    racks = serves.reshape(RACKS, MACHINES)
    deck: list[int] = []
    for rack in racks:
        room = np.flatnonzero(rack >= 0)
        if len(deck) < 8:
            deck += chance.permutation(workloads).tolist()
        own = sorted({deck.pop(0) for _ in range(min(int(chance.integers(3, 9)), len(room)))})
        rack[room] = [*own, *chance.choice(own, len(room) - len(own))]
    return racks


def _workload(chance: np.random.Generator, number: int, count: int, is_gang: bool) -> Need:
    return Need(
        f"w{number:03d}",
        "b",
        count,
        LOWER,
        resources={"gpu": 8},
        same=SPINE if is_gang else None,
        interruption_penalty=float(chance.choice(INTERRUPTION_USD)),
        reclamation_penalty=float(chance.choice(RECLAMATION_USD)),
        drain_seconds=float(chance.choice(DRAIN_SECONDS)),
    )


def _fleet(serves: Ints, needs: list[Need]) -> Fleet:
    builder = FleetBuilder(topology=(SPINE, RACK)).shard("s0", "a", "b").needs(*needs)
    names = {EVEN: "a/even"} | {number: f"b/w{number:03d}" for number in range(WORKLOADS)}
    for (spine, rack, place), number in np.ndenumerate(serves):
        work = int(number)
        name = f"s{spine:02d}-r{rack}-{place:02d}"
        row = MachineRow(
            id=name,
            capacity_type=CapacityType.BARE_METAL,
            state=State.IDLE if work == IDLE else State.CONFIGURED,
            host_ref=name,
            cluster=None if work == IDLE else names[work].partition("/")[0],
            instance_type="gpu",
            price_per_hour=0.0,
            resources={"gpu": 8},
            labels={SPINE: f"s{spine:02d}", RACK: f"r{rack}"},
        )
        builder.machines(row, serves=names.get(work))
    return builder.build()


def _standing_of(fleet: Fleet) -> Standing:
    machines = fleet.machines
    serving = machines.serves >= 0
    have = np.bincount(machines.serves[serving], minlength=len(fleet.needs))
    short = np.array([need.count for need in fleet.needs], dtype=np.int64) - have
    return Standing(
        fleet=fleet,
        serves=machines.serves.copy(),
        free=machines.state == State.IDLE,
        excess=np.zeros(len(machines), dtype=np.bool_),
        victim=serving,
        have=have,
        waiting=np.zeros(len(fleet.needs), dtype=np.int64),
        short=short,
        forecast=np.zeros((len(fleet.shards), len(fleet.classes)), dtype=np.int64),
        shortfalls=tuple(
            Shortfall(row, int(short[row]), Reason.CAPACITY_EXHAUSTED)
            for row in np.flatnonzero(short).tolist()
        ),
    )
