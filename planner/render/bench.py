"""The answer of ``bench``: each sample as a row, in milliseconds and in passes."""

from collections.abc import Mapping, Sequence
from statistics import median

from planner.bench.sample import PASS_ROWS, Sample
from planner.render.formats import Answer, Part
from planner.render.table import Table, or_dash

_HEADINGS = (
    "WHAT", "MACHINES", "NEEDS", "CHANGES", "ACTIONS", "RUNS", "MEDIAN MS", "P99 MS", "MIN MS",
    "CPU MS", "PASS MS", "MEDIAN PASSES", "P99 PASSES", "MIN PASSES", "BYTES", "PEAK MIB",
    "FOUND",
)  # fmt: skip


def bench_answer(host: Mapping[str, object], samples: Sequence[Sample]) -> Answer:
    """Give samples, and what they were measured on, in every format."""
    tree = {"host": dict(host), "passRows": PASS_ROWS, "samples": [_tree(row) for row in samples]}

    def parts(wide: bool) -> list[Part]:
        # The last column stands only where a question has something to say in it.
        width = len(_HEADINGS) - (not any(row.found for row in samples))
        cells = [_cells(row)[:width] for row in samples]
        table = Table("Measured", _HEADINGS[:width], cells, "", frozenset(_HEADINGS[1:-1]))
        on = ", ".join(f"{name} {or_dash(value)}" for name, value in host.items())
        return [
            table,
            f"On {on}.\nA pass compares two columns of {PASS_ROWS:,} int64 in numpy. With fewer "
            "than 100 runs the p99 is the slowest. CPU: median. Bytes: of columns and indices, by "
            "machine, ids apart. Peak: of the process so far.",
        ]

    return Answer(tree, lambda: [row.question for row in samples], parts)


def _spread(sample: Sample, unit_seconds: float) -> dict[str, float]:
    """Give the figures of the runs in a unit, to four digits."""
    timing = sample.timing
    figures = {
        "median": timing.median,
        "p99": timing.p99,
        "max": max(timing.seconds),
        "min": min(timing.seconds),
    }
    return {name: float(f"{value / unit_seconds:.4g}") for name, value in figures.items()}


def _tree(sample: Sample) -> dict[str, object]:
    timing = sample.timing
    return {
        "what": sample.question,
        "machines": sample.machines,
        "needs": sample.needs,
        "changes": sample.changes,
        "actions": sample.actions,
        "runs": len(timing.seconds),
        "milliseconds": _spread(sample, 0.001),
        "cpuMilliseconds": float(f"{median(timing.cpu_seconds) * 1000:.4g}"),
        "passMilliseconds": float(f"{timing.pass_seconds * 1000:.4g}"),
        "passes": _spread(sample, timing.pass_seconds),
        "bytesPerMachine": sample.bytes_a_machine and float(f"{sample.bytes_a_machine:.4g}"),
        "peakRssBytes": timing.peak_rss_bytes,
        "found": dict(sample.found),
    }


def _cells(sample: Sample) -> tuple[str, ...]:
    timing = sample.timing
    shown = ("median", "p99", "min")
    milliseconds, passes = _spread(sample, 0.001), _spread(sample, timing.pass_seconds)
    return (
        sample.question,
        str(sample.machines),
        str(sample.needs),
        or_dash(sample.changes),
        or_dash(sample.actions),
        str(len(timing.seconds)),
        *(f"{milliseconds[name]:,.2f}" for name in shown),
        f"{median(timing.cpu_seconds) * 1000:,.2f}",
        f"{timing.pass_seconds * 1000:.3f}",
        *(f"{passes[name]:,.1f}" for name in shown),
        or_dash(sample.bytes_a_machine and f"{sample.bytes_a_machine:.1f}"),
        f"{timing.peak_rss_bytes / 2**20:,.0f}",
        or_dash(", ".join(f"{name} {value}" for name, value in sample.found.items())),
    )
