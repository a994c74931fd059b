"""What the questions that are asked of a live shard have in common."""

from hotpath.kernel.library import library
from hotpath.kernel.live import Live
from models.columns import fleet_of
from models.fleet import Fleet
from planner.bench.instances import cold_shard
from planner.bench.laid_out import LaidOut, laid_out
from planner.bench.run import Run
from planner.bench.sample import Sample, Timing
from planner.bench.world import World


def is_compiled(run: Run) -> bool:
    """Say whether there can be live shards here."""
    if library() is None:
        run.say("no compiled kernel: live shards are left out")
        return False
    return True


def cold_fleet(run: Run) -> Fleet:
    """Give the shard that questions begin with."""
    run.say(f"making a shard of {run.size.machines} machines")
    return fleet_of(cold_shard(run.size))


def settled_shard(run: Run) -> tuple[LaidOut, Live, World]:
    """Give a shard in which everybody is served, and the world around it."""
    shard = laid_out(cold_fleet(run), run.settings)
    live, world = shard.empty(run.settings), World(shard, run.changes)
    shard.enter(live)
    world.settle(live)
    return shard, live, world


def announce(run: Run, question: str, fleet: Fleet, machines: int) -> None:
    """Say what comes next."""
    run.say(f"{question}: {machines} machines, {len(fleet.needs)} needs, {run.repeat} times")


def sample_of(
    question: str,
    shard: LaidOut,
    live: Live,
    timing: Timing,
    *,
    changes: int | None = None,
    actions: int | None = None,
) -> Sample:
    """Give a row about a live shard."""
    size, machines = live.size(), len(shard.cell)
    held = (size.columns + size.indices) / max(1, machines)
    return Sample(question, machines, len(shard.fleet.needs), timing, changes, actions, held)
