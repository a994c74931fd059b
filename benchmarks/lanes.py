"""Is a plan there by its deadline, however many ways there are for machines to go?

Run it as ``python -m benchmarks.lanes 200000 500000 2000000 --deadline 20``. Half of the shards
lack machines, each of the others has some of many kinds; a tenth of the needs are gangs. Every
kind of machine suits every need, so the ways are needs x kinds.
"""

import argparse
import random
import resource
import time
from math import isqrt

from hotpath.standing import standing_of
from models.builder import FleetBuilder
from models.machine import CapacityType, MachineRow, State
from models.need import Need
from models.settings import Settings
from models.settings.sections import RebalanceSettings
from models.standing import Standing
from planner.deciding import decide_shards
from planner.solving import solved

SHARDS, RACKS, TYPES = 20, 60, 40


def standing(lanes: int, seed: int = 0) -> Standing:
    """Give a fleet after its cycles in which machines could go about so many ways."""
    chance = random.Random(seed)
    needs = isqrt(lanes * 4 // 5)
    builder = FleetBuilder(topology=("rack",))
    for shard in range(SHARDS):
        builder.shard(f"s{shard}", f"c{shard}")
    for group in range(lanes // needs):
        builder.machines(_machines(chance, group), chance.randint(2, 9))
    for index in range(needs):
        builder.needs(_need(chance, index))
    fleet = builder.build()
    return standing_of(fleet, decide_shards(fleet, Settings(), range(SHARDS)))


def _machines(chance: random.Random, group: int) -> MachineRow:
    state = chance.choice((State.IDLE, State.IDLE, State.SPECULATIVE))
    risk = chance.choice((0.0, 0.01, 0.1))
    return MachineRow(
        id=f"m{group}-{{}}",
        shard=f"s{SHARDS // 2 + group % (SHARDS // 2)}",
        instance_type=f"t{chance.randrange(TYPES)}",
        capacity_type=CapacityType.SPOT if risk else CapacityType.ON_DEMAND,
        state=state,
        host_ref=f"h{group}-{{}}" if state is State.IDLE else None,
        price_per_hour=float(chance.randrange(1, 30)),
        interruption_probability=risk,
        reclamation_penalty=float(group % 97),
        ready_seconds=float(chance.randrange(60, 600)),
        resources={"gpu": 8},
        labels={"rack": f"r{chance.randrange(RACKS)}"},
    )


def _need(chance: random.Random, index: int) -> Need:
    return Need(
        f"n{index}",
        f"c{index % (SHARDS // 2)}",
        chance.randint(1, 12),
        chance.choice((100, 200_000, 500_000, 900_000)),
        resources={"gpu": 8},
        same="rack" if chance.random() < 0.1 else None,
        interruption_penalty=float(chance.choice((0, 5, 50))),
    )


def main() -> None:
    """Measure each size once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lanes", type=int, nargs="+")
    parser.add_argument("--deadline", type=float, default=20.0)
    asked = parser.parse_args()
    settings = Settings(rebalance=RebalanceSettings(deadline=asked.deadline, workers=1))
    for lanes in asked.lanes:
        world = standing(lanes)
        begun, cpu = time.monotonic(), time.process_time()
        answer = solved(world, settings)
        seconds, cpu = time.monotonic() - begun, time.process_time() - cpu
        gaps = ", ".join(f"{level.gap:.2%}" for level in answer.plan.levels)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        words = [
            f"{lanes} lanes: {seconds:.2f} s of {asked.deadline:g}",
            f"of it {cpu:.2f} s of work in the planner",
            f"{answer.plan.outcome} with {len(answer.plan.moves)} moves",
            f"gaps of levels {gaps}",
            f"{memory:.1f} GiB",
        ]
        print("; ".join([*words, *filter(None, [answer.complaint])]))  # noqa: T201


if __name__ == "__main__":
    main()
