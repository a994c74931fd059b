"""What counting alone says, where no plan is made to see: held against the planner."""

import random
from collections import Counter

from builders import TOPOLOGY
from tiny_shortages import lacks, scene_in, tiny_fleet

from models import labels
from models.machine import CapacityType, MachineRow, State
from models.need import Need, Spread
from models.rows import FleetRows, ShardRow
from rebalancer.explain.apply import applied
from rebalancer.explain.change import Change, ChangeKind
from rebalancer.explain.short import why_short

FLEETS = {"plain": 40, "gang": 30, "spread": 40, "floor": 30}

MOST_MISSES = 0.06
"""Of all changes so many may not serve: cycles and gangs go ways that counting does not know."""


def after(rows: FleetRows, change: Change) -> int:
    return lacks(applied(rows, "c0", "n0", change), change)


def test_few_changes_that_were_not_tried_do_not_serve():
    seen: Counter[tuple[ChangeKind, bool]] = Counter()
    for shape, number in FLEETS.items():
        for seed in range(number):
            rows = tiny_fleet(seed, shape)
            scene = scene_in(rows)
            for change in why_short(scene).changes if scene.lacks else ():
                seen[change.kind, not after(rows, change)] += 1
    for kind in (ChangeKind.FEWEST_MACHINES, ChangeKind.WEAKEST_REQUIREMENT):
        assert seen[kind, True] >= 60, seen
    misses = sum(number for (_, serves), number in seen.items() if not serves)
    assert misses <= MOST_MISSES * seen.total(), seen


def crowded(seed: int) -> FleetRows:
    """Give a need that is spread over two to four zones, and comes after one to three others."""
    chance = random.Random(seed)
    kinds = {"a": 8000, "b": 16000}
    machines = [
        MachineRow(
            id=f"m{zone}{kind}-{{}}", capacity_type=CapacityType.BARE_METAL, is_pattern=True,
            count=chance.randint(1, 2), shard="s0", state=State.IDLE,
            host_ref=f"h{zone}{kind}-{{}}", instance_type=kind,
            price_per_hour=float(chance.randint(1, 3)), resources={"cpu": cpu},
            labels={labels.ZONE: f"z{zone}"},
        )
        for zone in range(chance.randint(2, 4))
        for kind, cpu in kinds.items()
        if kind == "a" or chance.random() < 0.6
    ]  # fmt: skip
    before = [
        Need(
            f"b{at}", chance.choice(("c0", "c1")), chance.randint(2, 12), 500_000,
            resources={"cpu": chance.choice((8000, 16000))},
        )
        for at in range(chance.randint(1, 3))
    ]  # fmt: skip
    spread = (Spread(labels.ZONE, chance.randint(1, 2)),)
    need = Need("n0", "c0", chance.randint(4, 9), 10, resources={"cpu": 8000}, spread=spread)
    return FleetRows(
        topology=TOPOLOGY,
        shards=(ShardRow("s0", ("c0", "c1")),),
        shards_given=True,
        machines=machines,
        needs=(need, *before),
        needs_given=True,
    )


def test_what_earlier_needs_take_is_added_once_and_not_at_each_value():
    """What they were given may be counted in too: where that comes free is not looked at."""
    several = 0
    for seed in range(60):
        rows = crowded(seed)
        scene = scene_in(rows)
        if not scene.lacks:
            continue
        [first, *_] = why_short(scene).changes
        assert first.kind is ChangeKind.FEWEST_MACHINES
        assert not after(rows, first), seed
        given = sum(row.count for row in rows.machines)
        assert first.machines_added <= int(scene.short.sum()) + given
        several += len(first.parts) > 1 and int(scene.short.sum()) - scene.lacks > given
    assert several >= 10
