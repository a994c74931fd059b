"""Keep time: run something again and again, and a plain pass over memory between the runs.

The pass makes figures of different machines, and of busy hours, comparable: it is one numpy
comparison of two columns of 500,000 integers of 64 bits, some 0.15 ms on a quiet server.
"""

import resource
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import TypeVar

import numpy as np

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
    """One row of the answer; ``actions`` is None where the question is not about orders."""

    question: str
    machines: int
    needs: int
    actions: int | None
    timing: Timing


def measure(work: Callable[[], Result], repeat: int) -> tuple[Timing, Result]:
    """Run ``work`` so many times, at least once; give its last result too."""
    left = np.arange(PASS_ROWS, dtype=np.int64)
    right = left.copy()
    passes: list[float] = []
    runs: list[tuple[float, float]] = []
    for _ in range(repeat):
        for _ in range(_PASSES_A_RUN):
            start = perf_counter()
            _ = left != right
            passes.append(perf_counter() - start)
        start, cpu_start = perf_counter(), process_time()
        result = work()
        runs.append((perf_counter() - start, process_time() - cpu_start))
    seconds, cpu_seconds = zip(*runs, strict=True)
    return Timing(seconds, cpu_seconds, statistics.median(passes), _peak_rss_bytes()), result


def _peak_rss_bytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in KiB, macOS in bytes.
    return peak if sys.platform == "darwin" else peak * 1024
