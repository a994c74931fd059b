"""One generous floor under the hot path's speed: it catches an accident, never a busy neighbour."""

from models.settings import Settings
from planner.bench.questions import cycle_samples, size_of
from planner.bench.run import Run

MOST_PASSES = 40_000
"""A cold cycle of 20,000 machines took 17,000 to 27,000 passes of processor time when this was
written, on a machine with busy neighbours: 40,000 leaves room for them, and for processors on which
memory is quick beside Python.

What it catches, measured there too: reading one number of each machine for each need, in Python,
brings it to 58,000 to 70,000 passes. A step for each pair of machines would cost 350,000. An
empty loop over the machines for each need comes to 37,000 to 47,000, so it may slip through. Lower
the bound as the cycle gets faster.
"""

TRIES = 3


def passes_of_a_cold_cycle() -> float:
    run = Run(size_of(20_000, 100), 1, Settings(), lambda line: None)
    cold = next(cycle_samples(run)).timing
    # Time on the processor: on a shared machine the clock also counts what the neighbours take.
    return min(cold.cpu_seconds) / cold.pass_seconds


def test_a_cold_cycle_of_20000_machines_stays_within_the_floor():
    tried: list[float] = []
    while len(tried) < TRIES and min(tried, default=MOST_PASSES) >= MOST_PASSES:
        tried.append(passes_of_a_cold_cycle())
    assert min(tried) < MOST_PASSES
