"""Transfers between the shards of a whole fleet: machines counted, moves found and proven, named.

count      machines one by one, counted into offers
network    the problem drawn up from the offers and what is wanted
solver     the solver alone
solve      the best flow found and proven, the solver included
moves      who gives what to whom
ids        which machines these are
domains    how many of each move in each domain
transfer   all of it after the counting
"""

from collections.abc import Callable, Iterator, Mapping

from models.fleet import Ints
from planner.bench.rebalancing.transfer_fleets import (
    SIZES,
    TransferSize,
    counted,
    machine_rows,
    question_of,
)
from planner.bench.run import Run
from planner.bench.sample import Sample, Timing, measure
from rebalancer.flows.arcs import Arcs
from rebalancer.flows.cheapest import cheapest, load
from rebalancer.problems.transfer.answer import Transfer, concluded, drawn_up, searched
from rebalancer.problems.transfer.machine_rows import by_domain, name_machines


def transfer_samples(run: Run) -> Iterator[Sample]:
    """Measure a round of each named size."""
    for name, size in SIZES.items():
        yield from samples_of(name, size, run.say)


def samples_of(name: str, size: TransferSize, say: Callable[[str], None]) -> Iterator[Sample]:
    """Measure every part of one round, once."""
    say(f"transfer, {name}: {size.machines} machines, {size.shortfalls} shortfalls")
    load()
    solver: list[Timing] = []

    def solve(arcs: Arcs, least: Ints, most: Ints, cost: Ints) -> Ints | None:
        timing, flow = measure(lambda: cheapest(arcs, least, most, cost), 1)
        solver.append(timing)
        return flow

    rows = machine_rows(size)
    count, counts = measure(lambda: counted(size, rows), 1)
    question = question_of(size, counts)
    network, problem = measure(lambda: drawn_up(question), 1)
    whole, found = measure(lambda: searched(problem, solve), 1)
    moves, answer = measure(lambda: concluded(problem, *found), 1)
    ids, named = measure(lambda: name_machines(counts, answer.moves), 1)
    domains, _ = measure(lambda: by_domain(rows, named), 1)
    machines = int(answer.moves.count.sum())
    for part, timing, figures in (
        ("count", count, {}),
        ("network", network, {"arcs": len(problem.network.arcs)}),
        ("solver", _together(solver), {"calls": len(solver)}),
        ("solve", whole, {}),
        ("moves", moves, {"rows": len(answer.moves)}),
        ("ids", ids, {}),
        ("domains", domains, {}),
        ("transfer", _together([network, whole, moves, ids, domains]), _figures(answer)),
    ):
        yield Sample(
            f"{part}, {name}", size.machines, size.shortfalls, timing,
            actions=machines, found=figures,
        )  # fmt: skip


def _together(parts: list[Timing]) -> Timing:
    """Give what parts that ran once took one after the other; there is at least one."""
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
