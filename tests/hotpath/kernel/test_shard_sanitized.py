"""The compiled shard under the sanitizers, from set-up over changes to its end."""

from pathlib import Path

ROOT = Path(__file__).parents[3]

LIVES = """
import ctypes
import sys
from dataclasses import replace
from random import Random

import numpy as np

sys.path.insert(0, "tests")
from oracle.crowd import crowded

from hotpath.inventory import inventory_of
from hotpath.kernel.binding import typed_shard
from hotpath.kernel.live import Live
from hotpath.memory import Memory, Pause
from hotpath.reports import reports_of
from models.columns import fleet_of
from models.settings import Settings

library = typed_shard(ctypes.CDLL(sys.argv[1]))
for seed in range(150):
    chance, fleet = Random(seed), fleet_of(crowded(seed))
    inventory = inventory_of(fleet, 0)
    live = Live(inventory, Memory(), Settings(), library)
    for now in (0.0, 70.0, 140.0):
        live.cycle(now)
        live.books(inventory)
        live = live if chance.random() < 0.7 else Live(
            inventory, live.memory(), Settings(), library
        )
        rows = np.flatnonzero(np.array([chance.random() < 0.3 for _ in inventory.rows]))
        others = np.array([chance.randrange(len(inventory)) for _ in rows], dtype=np.int64)
        live.change(rows, reports_of(inventory.machines, Settings()).take(others))
        live.ask({
            n: replace(need, interruption_penalty=chance.random(), spread=need.spread[:1] * 2)
            for n, need in enumerate(fleet.needs) if chance.random() < 0.5
        })
        live.count({n: chance.randrange(9) for n in range(len(fleet.needs))})
        live.pause({("slot", str(id)): Pause(now + 90.0, 90.0) for id in inventory.machines.ids})
print("alive")
"""


def test_a_shard_stays_inside_its_arrays(sanitized):
    done = sanitized(ROOT, LIVES)
    assert (done.returncode, done.stdout.strip()) == (0, "alive"), done.stderr[-2000:]


def test_the_sanitizers_would_tell(sanitized, spoiled):
    """A walk that is longer than its memory is caught, so the test above can fail."""
    text = "s->walk = table(s, needs, sizeof *s->walk);"
    root = spoiled("shard/needs.c", text, "s->walk = table(s, needs - 2, sizeof *s->walk);")
    done = sanitized(root, LIVES)
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stderr
