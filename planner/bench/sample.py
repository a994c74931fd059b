"""Keep time: run something again and again, and a plain pass over memory between the runs.

The pass makes figures of different machines, and of busy hours, comparable: it is one numpy
comparison of two columns of 500,000 integers of 64 bits, some 0.15 ms on a quiet server.
"""

import resource
import statistics
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from time import perf_counter, process_time
from types import MappingProxyType
from typing import TypeVar

import numpy as np

Given = TypeVar("Given")
Result = TypeVar("Result")

PASS_ROWS = 500_000

_PASSES_A_RUN = 9


@dataclass(frozen=True, slots=True)
class Timing:
    """How long each run took.

    Attributes
    ----------
    seconds
        Of each run, in the order of the runs; at least one.
    cpu_seconds
        The same in time on a core: what neighbours on a shared machine take away is not in it.
    pass_seconds
        The median pass, measured before each run.
    peak_rss_bytes
        The most memory that the process has had resident until then.
    """

    seconds: tuple[float, ...]
    cpu_seconds: tuple[float, ...]
    pass_seconds: float
    peak_rss_bytes: int

    @property
    def median(self) -> float:
        """Give the median run, seconds."""
        return statistics.median(self.seconds)

    @property
    def p99(self) -> float:
        """Give the run that 99 in 100 are not slower than: the slowest where there are fewer."""
        rank = -(-99 * len(self.seconds) // 100)
        return sorted(self.seconds)[rank - 1]


@dataclass(frozen=True, slots=True)
class Sample:
    """One row of the answer.

    Attributes
    ----------
    question
        What was measured.
    machines, needs
        How many there are.
    changes
        Machines, or needs, that were reported; None where everything is new.
    actions
        Orders of the last run; None where the question is not about orders.
    bytes_a_machine
        Columns and indices of a compiled shard, ids apart; None where there is none.
    found
        What the last run found, by name.
    """

    question: str
    machines: int
    needs: int
    timing: Timing
    changes: int | None = None
    actions: int | None = None
    bytes_a_machine: float | None = None
    found: Mapping[str, int | float | str] = field(default_factory=lambda: MappingProxyType({}))


def measure(work: Callable[[], Result], repeat: int) -> tuple[Timing, Result]:
    """Run ``work`` so many times, at least once; give its last result too."""
    return measure_each(lambda _: work(), range(repeat))


def measure_each(work: Callable[[Given], Result], givens: Iterable[Given]) -> tuple[Timing, Result]:
    """Run ``work`` on each of ``givens``, of which there is one; making them is not timed."""
    left = np.arange(PASS_ROWS, dtype=np.int64)
    right = left.copy()
    passes: list[float] = []
    runs: list[tuple[float, float]] = []
    for given in givens:
        for _ in range(_PASSES_A_RUN):
            start = perf_counter()
            _ = left != right
            passes.append(perf_counter() - start)
        start, cpu_start = perf_counter(), process_time()
        result = work(given)
        runs.append((perf_counter() - start, process_time() - cpu_start))
    seconds, cpu_seconds = zip(*runs, strict=True)
    return Timing(seconds, cpu_seconds, statistics.median(passes), peak_rss_bytes()), result


def peak_rss_bytes() -> int:
    """Give the most memory that this process has had resident until now."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in KiB, macOS in bytes.
    return peak if sys.platform == "darwin" else peak * 1024
