"""The same question, seed and work give the same answer, in whichever process and by any way."""

import os
import subprocess
import sys

PROGRAM = """
import random
from dataclasses import replace
from worlds import RACK, World
from rebalancer.limits import DEFAULT_GOALS, Limits
from rebalancer.search.door import Reach, search
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import begin

def question(types):
    # Needs and machines of each type have nothing to do with those of another.
    chance = random.Random(0)
    world = World()
    for at in range(6):
        world.shard(f"s{at}", f"c{at}")
    for at in range(20):
        world.machines(f"i{at}x", 1 + at % 4, shard=f"s{3 + at % 3}", rack=f"r{at % 5}",
            labels={"type": f"t{at % types}"}, instance_type=f"t{at % 4}",
            price_per_hour=float(chance.randrange(9)), interruption_probability=at % 3 / 10)
    for at in range(10):
        world.need(f"c{at % 3}/n{at}", 1 + at % 5, 5 + at % 2, same=RACK if at % 3 == 0 else None,
            requirements=(Requirement("type", Operator.IN, (f"t{at % types}",)),),
            interruption_penalty=float(chance.randrange(9)))
    limits = Limits(None, 0.03, 1, 7)
    return begin(snapshot_of(world.standing()), DEFAULT_GOALS, limits).question

from models.requirement import Operator, Requirement
for types in (1, 4):
    asked = question(types)
    for reach in (Reach(batch=1, flow=0), Reach(flow=0, model=0, roam=30)):
        found = search(asked, None, reach)
        better = asked.key(found.counts) < asked.key(asked.start)
        print(types, found.counts.tolist(), found.bounds, found.single_bounds, better)
"""


def run(hash_seed: int) -> list[str]:
    path = f"import sys; sys.path[:0] = {sys.path!r}\n"
    done = subprocess.run(
        [sys.executable, "-c", path + PROGRAM],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_in_fresh_processes():
    first, second = run(1), run(2)
    assert first == second
    # There was something to decide by any way.
    assert [line.rpartition(" ")[2] for line in first] == ["True"] * 4
