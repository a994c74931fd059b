"""Is a plan there by its deadline, however many ways there are for machines to go?

Run it as ``python -m benchmarks.lanes 200000 500000 2000000 35000000 --deadline 0.5 2 20``, and
once more with ``--memory``: to look at that takes time. Half of the shards lack machines, each of
the others has some of many kinds; a tenth of the needs are gangs. Every kind of machine suits every
need, so the ways are needs x kinds.
"""

import argparse
import os
import random
import threading
import time
from contextlib import nullcontext, suppress
from math import isqrt
from pathlib import Path

from hotpath.standing import standing_of
from models.builder import FleetBuilder
from models.machine import CapacityType, MachineRow, State
from models.need import Need
from models.settings import Settings
from models.settings.sections import RebalanceSettings
from models.standing import Standing
from planner.deciding import decide_shards
from planner.fence.asking import dismiss
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
    """Measure each size with each deadline."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lanes", type=int, nargs="+")
    parser.add_argument("--deadline", type=float, nargs="+", default=[20.0])
    parser.add_argument("--memory", action="store_true")
    asked = parser.parse_args()
    for lanes in asked.lanes:
        world = standing(lanes)
        for deadline in asked.deadline:
            print(_measured(lanes, world, deadline, asked.memory))  # noqa: T201


def _measured(lanes: int, world: Standing, deadline: float, memory: bool) -> str:
    settings = Settings(rebalance=RebalanceSettings(deadline=deadline, workers=1))
    # No process of an earlier plan stands ready.
    dismiss()
    with Peak() if memory else nullcontext() as peak:
        begun = time.monotonic()
        answer = solved(world, settings)
        seconds = time.monotonic() - begun
    gaps = ", ".join(f"{level.gap:.2%}" for level in answer.plan.levels)
    words = [
        f"{lanes} lanes: {seconds:.2f} s of {deadline:g}",
        f"{answer.plan.outcome} with {len(answer.plan.moves)} moves",
        f"gaps of levels {gaps}",
        "" if peak is None else f"{peak.bytes / 2**30:.2f} GiB",
        answer.complaint,
    ]
    return "; ".join(filter(None, words))


class Peak:
    """The most memory that this process and all that it started held together, as far as seen.

    What several share is counted once (the proportional set size of the kernel), four times a
    second.
    """

    def __init__(self) -> None:
        self.bytes = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Peak":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while True:
            self.bytes = max(self.bytes, sum(map(_held, _family())))
            if self._done.wait(0.25):
                return


def _family() -> set[int]:
    """Give this process and its descendants."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    family = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return family


def _held(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 2**10
    return 0


if __name__ == "__main__":
    main()
