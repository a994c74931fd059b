"""A fleet of many different shards, made from one: the same places, another population."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hotpath.inventory import Inventory
from hotpath.kernel.live import Live
from hotpath.terms import terms_of
from models.columns import fleet_of
from models.fleet import Fleet, MachineClass, numbers_of
from models.machine import MachineRow
from models.rows import FleetRows
from models.settings import Settings
from planner.bench.instances import Size, cold_shard
from planner.bench.laid_out import LaidOut, laid_out
from planner.bench.living import is_compiled
from planner.bench.run import Run
from planner.bench.sample import Sample, measure
from planner.bench.world import News, World, cycle_with


def fleet_samples(run: Run) -> Iterator[Sample]:
    """Measure one steady cycle of every shard of a fleet, all of them alive in this process."""
    if not is_compiled(run):
        return
    lives: list[tuple[Live, News]] = []
    machines, needs, changes = 0, 0, 0
    for shard in shards(run.size, run.shards, run.settings):
        run.say(f"shard {len(lives) + 1} of {run.shards}: {len(shard.cell)} machines")
        live, world = shard.empty(run.settings), World(shard, run.changes, seed=len(lives))
        shard.enter(live)
        world.settle(live)
        # Once more, so that what the first cycle needed to work in is given back.
        cycle_with(live, world.news(live))
        lives.append((live, world.news(live)))
        machines, needs = machines + len(shard.cell), needs + len(shard.fleet.needs)
        changes += len(lives[-1][1].places)
    run.say(f"fleet: {machines} machines, {needs} needs, once")
    timing, actions = measure(
        lambda: sum(len(cycle_with(live, news).table) for live, news in lives), 1
    )
    sizes = [live.size() for live, _ in lives]
    held = sum(size.columns + size.indices for size in sizes) / machines
    yield Sample("fleet", machines, needs, timing, changes, actions, held)


def shards(size: Size, number: int, settings: Settings) -> Iterator[LaidOut]:
    """Give so many cold shards one by one, each as ``cold_shard`` makes it of its own seed.

    They differ in prices, resources, penalties and needs. Racks and ids are alike, but nothing of
    them is kept in common.
    """
    first = laid_out(fleet_of(cold_shard(size)), settings)
    yield first
    for seed in range(1, number):
        yield _variant(first, cold_shard(size, seed))


def _variant(first: LaidOut, rows: FleetRows) -> LaidOut:
    """Give the shard that ``rows`` describe, without making anything of single machines."""
    fleet, reports = first.fleet, first.reports
    # One row a class, each of its own instance type, which is what classes are sorted by.
    kinds = sorted(rows.machines, key=lambda row: row.instance_type)
    penalty = np.array([row.reclamation_penalty for row in kinds])
    return LaidOut(
        roll_up=_with_fleet(first.roll_up, _variant_fleet(fleet, kinds, rows)),
        names=replace(first.names, ids=first.names.ids.copy()),
        cell=first.cell,
        id_rank=first.id_rank,
        reports=replace(reports, reclamation_penalty=penalty[fleet.cells.class_index[first.cell]]),
    )


def _variant_fleet(fleet: Fleet, kinds: list[MachineRow], rows: FleetRows) -> Fleet:
    classes = tuple(
        _class(known, kind, fleet.resources)
        for known, kind in zip(fleet.classes, kinds, strict=True)
    )
    return replace(
        fleet,
        classes=classes,
        numbers=numbers_of(classes, len(fleet.resources)),
        needs=tuple(sorted(rows.needs, key=lambda need: (need.cluster, need.id))),
    )


def _class(known: MachineClass, kind: MachineRow, resources: tuple[str, ...]) -> MachineClass:
    return replace(
        known,
        price_per_hour=kind.price_per_hour,
        resources=tuple(kind.resources.get(name, 0) for name in resources),
    )


def _with_fleet(roll_up: Inventory, fleet: Fleet) -> Inventory:
    return replace(roll_up, fleet=fleet, terms=terms_of(fleet.needs))
