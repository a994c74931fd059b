"""The instances by name, written as the peers read them."""

from collections.abc import Callable

import numpy as np

from benchmarks.peers.problems import Packing, Problem


def _uniform_packing(racks: int, classes: int) -> Packing:
    chance = np.random.default_rng(1)
    return Packing(
        rack_kind=chance.integers(0, 2, racks).tolist(),
        rack_free=chance.integers(0, 49, racks).tolist(),
        gang_size=chance.integers(3, 41, classes).tolist(),
        gang_level=chance.integers(0, 3, classes).tolist(),
        gang_count=[2] * classes,
        gang_kinds=[[[0], [1], [0, 1]][at] for at in chance.integers(0, 3, classes).tolist()],
    )


INSTANCES: dict[str, Callable[[], Problem]] = {
    "packing-60": lambda: _uniform_packing(60, 40),
}
