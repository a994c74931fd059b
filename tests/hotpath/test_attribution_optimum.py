"""Who serves what, at sizes that matter: against the optimum of a min-cost flow."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from either_kernel import either_kernel
from oracle import attribution as enumeration
from oracle.attribution import give_back_order, home, suits
from oracle.crowd import crowded
from oracle.optimum import best_deal, best_fills, largest_total
from oracle.throng import throng
from oracle.world import Machine, World, world_of

from hotpath.inventory import Inventory, inventory_of
from hotpath.kernel.library import library
from hotpath.kernel.live import Live
from hotpath.memory import Memory
from hotpath.plain import attribution as plain
from hotpath.plain.attribution import Groups, keep
from hotpath.plain.ledger import Ledger
from hotpath.plain.opening import open_ledger
from models.columns import fleet_of
from models.fleet import Ints
from models.rows import FleetRows, ShardRow
from models.settings import Settings


def entangled(seed: int) -> tuple[Groups, Ints]:
    """Give a cluster's groups, and what its needs want: about as much as there is.

    A group is of use to anybody, or to two or three needs side by side in a row of all, so that
    chains of needs lead to what is free. Some groups are empty; some serve what cannot use them.
    """
    chance = np.random.default_rng(seed)
    needs, width = chance.integers(3, 16), chance.integers(5, 61)
    if seed % 2:
        fits = chance.random((needs, width)) < chance.choice([0.1, 0.25, 0.5, 0.8])
    else:
        place = chance.permutation(needs)[:, None] - chance.integers(0, needs, width)
        fits = (place >= 0) & (place < chance.integers(2, 4))
    label = (chance.random((needs, width)) * (fits + 0.05)).argmax(axis=0)
    label[chance.random(width) < chance.choice([0.0, 0.1, 0.5])] = -1
    size = chance.integers(0, chance.choice([2, 4, 12]), width)
    moves = (label != np.arange(needs)[:, None]).astype(np.int64)
    serving, even = ((1 - moves) * size).sum(axis=1), np.full(needs, size.sum() / needs)
    wanted = (serving if chance.random() < 0.5 else even) * chance.uniform(0.4, 1.6, needs)
    return Groups(size, fits, moves), np.ceil(wanted).astype(np.int64)


def check_deal(groups: Groups, flow: Ints, wanted: Ints) -> None:
    assert (flow >= 0).all()
    assert (flow.sum(axis=0) <= groups.size).all()
    assert not flow[~groups.fits].any()
    fills, changes = best_deal(groups, wanted)
    assert flow.sum(axis=1).tolist() == fills
    assert flow.sum() == largest_total(groups, wanted)
    assert (flow * groups.moves).sum() == changes


@pytest.mark.parametrize("start", ["kept", "blank"])
def test_groups_are_dealt_as_a_min_cost_flow_would(start):
    """From nothing too: not what it starts from makes a deal cheapest, but its paths."""
    moved = short = 0
    for seed in range(200):
        groups, wanted = entangled(seed)
        flow = keep(groups, wanted) if start == "kept" else np.zeros_like(groups.moves)
        plain.fill_some(groups, flow, wanted, 0, len(wanted))
        try:
            check_deal(groups, flow, wanted)
        except AssertionError as error:
            error.add_note(f"The cluster is entangled({seed}).")
            raise
        moved += (flow * groups.moves).sum()
        short += np.count_nonzero(flow.sum(axis=1) < wanted)
    assert moved > 3_000
    assert short > 300


def merged(*parts: FleetRows) -> FleetRows:
    """Give one shard with everybody's machines and needs; clusters of one name become one."""
    machines, needs = [], []
    for part, rows in enumerate(parts):
        first = len(needs)
        needs += [replace(need, id=f"{need.id}-{part}") for need in rows.needs]
        machines += [
            replace(row, id=f"{row.id}-{part}", serves=row.serves + first * (row.serves >= 0))
            for row in rows.machines
        ]
    clusters = sorted({name for rows in parts for name in rows.shards[0].clusters})
    return replace(
        parts[0],
        shards=(ShardRow("s0", tuple(clusters)),),
        machines=machines,
        needs=tuple(needs),
    )


def swarm(seed: int) -> FleetRows:
    """Give several throngs as one: most clusters have 50 to 300 machines, 5 to 20 needs."""
    random = Random(seed)
    return merged(*(throng(random.randrange(10_000)) for _ in range(random.randint(3, 5))))


def books_of(inventory: Inventory, kernel: str) -> Ledger:
    if kernel == "numpy":
        nothing = np.zeros(len(inventory), dtype=np.bool_)
        return open_ledger(inventory, Settings(), Memory(), nothing, 0.0)
    live = Live(inventory, Memory(), Settings(), library())
    live.open(0.0)
    return live.books(inventory)


def dealt(rows: FleetRows, kernel: str) -> World:
    """Give the world of the oracle, with each machine at the need that the kernel dealt it to."""
    fleet = fleet_of(rows)
    inventory = inventory_of(fleet, 0)
    books = books_of(inventory, kernel)
    place = {(need.cluster, need.id): row for row, need in enumerate(rows.needs)}
    served = [place[need.cluster, need.id] for need in fleet.needs]
    found = {
        str(id): served[need] if held and need >= 0 else None
        for id, held, need in zip(inventory.machines.ids, books.held, books.serves, strict=True)
    }
    world = world_of(rows, "s0", Settings())
    for m in world.machines:
        m.need = found[m.row.id]
    return world


def check_cluster(world: World, cluster: str) -> int:
    """Give how many machines changed their need."""
    mine = [m for m in world.machines if home(world, m) == cluster]
    serving = [m for m in mine if m.need is not None]
    assert all(world[m.need].cluster == cluster and suits(world, m, m.need) for m in serving)
    of_gangs = [m for m in serving if world[m.need].same is not None]
    fills, kept = best_fills(world, cluster, without=of_gangs)
    plainly = [m for m in serving if m.need in fills]
    assert {n: sum(m.need == n for m in plainly) for n in fills} == fills
    assert sum(m.need == m.names for m in plainly) == kept
    for n in fills:
        check_who_is_beyond(world, n, [m for m in mine if m.need in (None, n)])
    return len(plainly) - kept


def check_who_is_beyond(world: World, need: int, pool: list[Machine]) -> None:
    """Phase 3's order says who is beyond the count: of the need's own, and of all others.

    Like prices are not transitive, so that needs which want each other's machines may go round in a
    circle and never settle: of 1,500 swarms one does (1080), none of those above.
    """
    pool = [m for m in pool if suits(world, m, need)]
    for own in (True, False):
        order = give_back_order(world, [m for m in pool if (m.names == need) == own], need)
        stays = [m.need == need for m in order]
        assert stays == sorted(stays)


@either_kernel
@pytest.mark.parametrize("chunk", range(2))
def test_machines_of_a_swarm_are_dealt_as_a_min_cost_flow_would(kernel, chunk):
    moved = 0
    for seed in range(chunk * 25, (chunk + 1) * 25):
        rows = swarm(seed)
        world = dealt(rows, kernel)
        try:
            moved += sum(check_cluster(world, name) for name in rows.shards[0].clusters)
        except AssertionError as error:
            error.add_note(f"The fleet is swarm({seed}).")
            raise
    assert moved > 2_000


def test_the_optimum_is_what_enumeration_finds():
    """Where both can be had: the oracle of this file against that of the small fleets."""
    for seed in range(200):
        world = world_of(crowded(seed), "s0", Settings())
        for cluster in world.rows.shards[0].clusters:
            expected = enumeration.best_fills(world, cluster, without=[])
            assert best_fills(world, cluster, without=[]) == expected, f"crowded({seed})"
