"""Transfers between the shards of a whole fleet: machines counted, moves found and proven, named.

count      machines one by one, counted into offers
network    the problem drawn up from the offers and what is wanted
solve      the best flow found, and proven
moves      who gives what to whom
ids        which machines these are
domains    how many of each move in each domain
transfer   all of it after the counting
"""

from collections.abc import Callable, Iterator, Mapping

from planner.bench.rebalancing.transfer_fleets import (
    TransferSize,
    counted,
    machine_rows,
    question_of,
)
from planner.bench.run import Run
from planner.bench.sample import Sample, Timing, measure
from rebalancer.problems.transfer.answer import Transfer, concluded, drawn_up, searched
from rebalancer.problems.transfer.flow import load
from rebalancer.problems.transfer.machine_rows import by_domain, name_machines


def transfer_samples(run: Run) -> Iterator[Sample]:
    """Measure a round of the fleet that the options describe; each need asks for other machines."""
    size = run.size
    shortfalls = size.clusters * size.needs_a_cluster
    machines = size.machines * run.shards
    fleet = TransferSize(machines, run.shards, size.classes, shortfalls, shortfalls)
    return samples_of(fleet, run.say)


def samples_of(size: TransferSize, say: Callable[[str], None]) -> Iterator[Sample]:
    """Measure every part of one round, once."""
    say(f"transfer: {size.machines} machines, {size.shards} shards, {size.shortfalls} shortfalls")
    load()
    rows = machine_rows(size)
    count, counts = measure(lambda: counted(size, rows), 1)
    question = question_of(size, counts)
    network, problem = measure(lambda: drawn_up(question), 1)
    solve, found = measure(lambda: searched(problem), 1)
    moves, answer = measure(lambda: concluded(problem, *found), 1)
    ids, named = measure(lambda: name_machines(counts, answer.moves), 1)
    domains, _ = measure(lambda: by_domain(rows, named), 1)

    def sample(part: str, timing: Timing, found: Mapping[str, int | float | str] = {}) -> Sample:
        machines = int(answer.moves.count.sum())
        return Sample(part, size.machines, size.shortfalls, timing, actions=machines, found=found)

    yield sample("transfer, count", count)
    yield sample("transfer, network", network, {"arcs": len(problem.network.arcs)})
    yield sample("transfer, solve", solve)
    yield sample("transfer, moves", moves, {"rows": len(answer.moves)})
    yield sample("transfer, ids", ids)
    yield sample("transfer, domains", domains)
    yield sample("transfer", _together(network, solve, moves, ids, domains), _figures(answer))


def _together(*parts: Timing) -> Timing:
    """Give what parts that ran once took one after the other."""
    return Timing(
        (sum(part.median for part in parts),),
        (sum(part.cpu_seconds[0] for part in parts),),
        min(part.pass_seconds for part in parts),
        parts[-1].peak_rss_bytes,
    )


def _figures(answer: Transfer) -> Mapping[str, int | float | str]:
    """Say how good the answer is."""
    told = answer.tally
    proven = sum(objective.value.is_proven for objective in answer.reached)
    return {
        "gap": "unknown" if answer.gap is None else f"{answer.gap:.6f}",
        "proven": f"{proven} of {len(answer.reached)}",
        "wanted met": int(told.gained.sum()),
        "drained": told.drained,
        "created": told.created,
        "USD/h": round(told.cost_usd, 2),
    }
