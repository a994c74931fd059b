"""The instances of ``benchmarks.instances`` by name, written as the peers read them."""

from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.peers.problems import DRAIN, Ownership, Packing, Problem, Transfer, Victims
from models.standing import Standing
from planner.bench.rebalancing import packing as packings
from planner.bench.rebalancing import transfer_fleets as fleets
from planner.bench.rebalancing.ownership import SIZES as OWNERSHIP_SIZES
from planner.bench.rebalancing.ownership import OwnershipSize, racks
from planner.bench.rebalancing.victims import SIZES as VICTIM_SIZES
from planner.bench.rebalancing.victims import victims_standing
from rebalancer.problems.ownership.first import first
from rebalancer.problems.packing.columns import RACK
from rebalancer.problems.packing.hall import Hall
from rebalancer.problems.transfer.entry import entry_levels
from rebalancer.problems.transfer.exchange import Exchange

MICRO = 1_000_000


def packing_of(question: Hall) -> Packing:
    """Write a packing whose gangs are all bound to racks; like gangs are one class."""
    racks, gangs = question.racks, question.gangs
    if (gangs.level != RACK).any():
        raise ValueError("only gangs that are bound to racks can be written for the peers.")
    levels = {priority: level for level, priority in enumerate(question.priorities.tolist())}
    columns = (gangs.size.tolist(), gangs.priority.tolist(), gangs.types.tolist())
    classes = Counter(zip(*columns, strict=True))
    return Packing(
        rack_kind=racks.type.tolist(),
        rack_free=racks.free.tolist(),
        gang_size=[size for size, _, _ in classes],
        gang_level=[levels[priority] for _, priority, _ in classes],
        gang_count=list(classes.values()),
        gang_kinds=[np.flatnonzero(question.eligible[types]).tolist() for _, _, types in classes],
    )


def transfer_of(question: Exchange) -> Transfer:
    """Write a transfer in which a machine costs the same whatever its tier; the top level is 0."""
    offers, wanted, costs = question.offers, question.wanted, question.costs
    if costs.lose.any() or not (costs.take == costs.take[DRAIN]).all():
        raise ValueError("only costs that are the same for all tiers can be written.")
    top = len(question.priorities) - 1
    return Transfer(
        priorities=question.priorities[::-1].tolist(),
        thing_cost=_micro(costs.take[DRAIN]),
        thing_risk=_micro(costs.risk),
        profile_things=[np.flatnonzero(row).tolist() for row in question.eligible],
        offer_donor=offers.donor.tolist(),
        offer_thing=offers.thing.tolist(),
        offer_tier=offers.tier.tolist(),
        offer_level=np.where(offers.level < 0, -1, top - offers.level).tolist(),
        offer_lowest=(top - entry_levels(question)).tolist(),
        offer_count=offers.count.tolist(),
        wanted_receiver=wanted.receiver.tolist(),
        wanted_profile=wanted.profile.tolist(),
        wanted_level=(top - wanted.level).tolist(),
        wanted_penalty=wanted.penalty_usd.astype(np.int64).tolist(),
        wanted_short=wanted.short.tolist(),
        most_drains=question.most_drains.tolist(),
    )


def victims_of(standing: Standing) -> Victims:
    """Write what gangs of one level, short in one shard, could take; like machines are one row."""
    fleet, machines = standing.fleet, standing.fleet.machines
    gangs = [need for need in np.flatnonzero(standing.short).tolist() if fleet.needs[need].same]
    if len({fleet.needs[gang].same for gang in gangs}) != 1:
        raise ValueError("only gangs that ask for domains of one kind can be written.")
    levels = sorted({need.priority for need in fleet.needs}, reverse=True)
    domain = fleet.cell_domains(str(fleet.needs[gangs[0]].same))[0][machines.cell]
    works = np.unique(machines.serves[standing.victim]).tolist()
    rows: Counter[tuple[int, int, int]] = Counter()
    for machine in np.flatnonzero(standing.free | standing.victim).tolist():
        serves = int(machines.serves[machine])
        usd = 0.0
        if serves >= 0:
            need = fleet.needs[serves]
            usd = max(need.reclamation_penalty, float(machines.reclamation_penalty[machine]))
            usd += 0.0 if need.is_gang else need.interruption_penalty
        rows[int(domain[machine]), works.index(serves) if serves >= 0 else -1, int(usd)] += 1
    lost = [fleet.needs[work] for work in works]
    return Victims(
        gang_level=[levels.index(fleet.needs[gang].priority) for gang in gangs],
        gang_size=[int(standing.short[gang]) for gang in gangs],
        row_domain=[of_domain for of_domain, _, _ in rows],
        row_work=[of_work for _, of_work, _ in rows],
        row_count=list(rows.values()),
        row_usd=[usd_each for _, _, usd_each in rows],
        row_gangs=[list(range(len(gangs)))] * len(rows),
        work_level=[levels.index(need.priority) for need in lost],
        work_once=[int(need.interruption_penalty) if need.is_gang else 0 for need in lost],
    )


def _micro(usd: np.ndarray) -> list[int]:
    """Give whole micro-USD; the costs of the instances are."""
    return [int(value) for value in np.rint(usd * MICRO)]


def _packing(shape: packings.Shape) -> Packing:
    return packing_of(packings.packing(shape))


def _transfer(size: fleets.TransferSize) -> Transfer:
    counts = fleets.counted(size, fleets.machine_rows(size))
    return transfer_of(fleets.question_of(size, counts))


def _new_shard(size: OwnershipSize) -> Ownership:
    """Give the question of a shard that joins those of a first distribution."""
    fleet = racks(size)
    count = np.bincount(fleet.group, minlength=len(fleet.kind))
    held = np.column_stack([first(count, size.shards), np.zeros_like(count)])
    return Ownership(held.tolist(), list(range(size.shards + 1)))


def _short_gang(size: int) -> Victims:
    return victims_of(victims_standing(size, seed=0))


def _victims(gangs: list[int], spines: int = 11, seed: int = 0) -> Victims:
    """Give full spines of some 180 machines, two of five works in gangs, and gangs that are short.

    Every work has a level below both of the gangs'; a gang among them stands in one spine.
    """
    chance = np.random.default_rng(seed)
    rows: list[tuple[int, int, int, int]] = []
    works = [(int(level), 0) for level in chance.integers(2, 6, 40)]
    for spine in range(spines):
        rows.append((spine, -1, int(chance.integers(4, 15)), 0))
        for _ in range(20):
            is_gang, usd = chance.random() < 0.4, int(chance.integers(0, 40))
            work = len(works) if is_gang else int(chance.integers(40))
            if is_gang:
                works.append((int(chance.integers(2, 6)), 10 * int(chance.integers(1, 100))))
            rows.append((spine, work, int(chance.integers(2, 16)), usd))
    of_domain, of_work, counts, usd_each = (list(column) for column in zip(*rows, strict=True))
    level, once = (list(column) for column in zip(*works, strict=True))
    return Victims(
        gang_level=[at % 2 for at in range(len(gangs))],
        gang_size=gangs,
        row_domain=of_domain,
        row_work=of_work,
        row_count=counts,
        row_usd=usd_each,
        row_gangs=[list(range(len(gangs)))] * len(rows),
        work_level=level,
        work_once=once,
    )


UNIFORM = tuple(range(3, 41))
PACKINGS = {
    "packing-small": packings.Shape(300, 400, (0, 40), UNIFORM),
    "packing-powers": packings.SHAPES["powers"],
    "packing-uniform": packings.SHAPES["uniform"],
    # A part of ``four-types``, of which one program would have two million numbers.
    "packing-types": packings.Shape(1_000, 2_500, (0, 72), UNIFORM, types=4, sets=6, widest=2),
}

TRANSFERS = {
    "transfer-small": fleets.SIZES["small"],
    "transfer-middle": fleets.TransferSize(200_000, 12, 40, 150, 150),
    "transfer-large": fleets.TransferSize(1_000_000, 20, 60, 300, 300),
}
OWNERSHIPS = {
    "ownership-small": OwnershipSize(2_500, 5, 12),
    "ownership-fleet": OWNERSHIP_SIZES["fleet"],
}
INSTANCES: dict[str, Callable[[], Problem]] = {
    **{name: partial(_packing, shape) for name, shape in PACKINGS.items()},
    **{name: partial(_transfer, size) for name, size in TRANSFERS.items()},
    **{name: partial(_short_gang, size) for name, size in VICTIM_SIZES.items()},
    "victims-many": partial(_victims, [160, 120, 80, 80, 40, 40, 40, 40]),
    **{name: partial(_new_shard, size) for name, size in OWNERSHIPS.items()},
}
