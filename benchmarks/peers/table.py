"""Rows as a table for people."""

from collections.abc import Iterator, Sequence
from math import ceil

from benchmarks.peers.measured import Measured

TOLERANCE = 1e-6
"""Bounds come as floats."""


def table(rows: Sequence[Measured]) -> Iterator[str]:
    """Give a Markdown table for each instance, in the order of the rows."""
    for instance in dict.fromkeys(row.instance for row in rows):
        of_it = [row for row in rows if row.instance == instance]
        goals = next((list(row.worth) for row in of_it if row.worth is not None), [])
        yield from (f"**{instance}**", "")
        yield "| peer | " + " | ".join(
            [*goals, "bound", "own s", "wall s", "CPU s", "MiB", "note |"]
        )
        yield "|---|" + "--:|" * len(goals) + "---|--:|--:|--:|--:|---|"
        for row in of_it:
            values = ["-" if row.worth is None else f"{row.worth[goal]:,}" for goal in goals]
            own = "-" if row.seconds is None else f"{row.seconds:.2f}"
            used = [f"{row.wall_seconds:.2f}", f"{row.cpu_seconds:.2f}", f"{row.peak_mib:.0f}"]
            yield "| " + " | ".join([row.peer, *values, proof(row), own, *used, row.said]) + " |"
        yield ""


def proof(row: Measured) -> str:
    """Say what of an answer is proven: all of it, or the first goal that is not, and its bound."""
    if row.worth is None or not row.bounds:
        return "none"
    for (goal, value), bound in zip(row.worth.items(), row.bounds, strict=False):
        if bound is None:
            return f"{goal}: none"
        if ceil(bound - TOLERANCE) < value:
            return f"{goal}: >= {ceil(bound - TOLERANCE):,}"
    return "all proven" if len(row.bounds) == len(row.worth) else f"first {len(row.bounds)} proven"


def settings(rows: Sequence[Measured]) -> Iterator[str]:
    """Give how each peer was set up, a line each."""
    for peer, said in {row.peer: row.settings for row in rows if row.settings}.items():
        yield f"- {peer}: {said}."
