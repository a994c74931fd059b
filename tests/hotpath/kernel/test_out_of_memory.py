"""A shard that runs out of memory, wherever that may be: it says so, and touches nothing else."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

HEADER = """
#include <stddef.h>
#include <stdlib.h>
void *scarce_malloc(size_t size);
void *scarce_calloc(size_t count, size_t size);
void *scarce_realloc(void *old, size_t size);
#define malloc scarce_malloc
#define calloc scarce_calloc
#define realloc scarce_realloc
"""

SOURCE = """
#undef malloc
#undef calloc
#undef realloc
static long left = -1; /* below 0: as much as there is */
void scarce_from(long count) { left = count; }
long scarce_left(void) { return left; }
static int is_out(void) { return left == 0 || (left > 0 && left-- == 0); }
void *scarce_malloc(size_t size) { return is_out() ? NULL : malloc(size); }
void *scarce_calloc(size_t count, size_t size) { return is_out() ? NULL : calloc(count, size); }
void *scarce_realloc(void *old, size_t size) { return is_out() ? NULL : realloc(old, size); }
"""

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
from hotpath.memory import Memory
from hotpath.reports import reports_of
from models.columns import fleet_of
from models.settings import Settings

library = typed_shard(ctypes.CDLL(sys.argv[1]))


def lives(fleet, inventory, chance):
    live = Live(inventory, Memory(), Settings(), library)
    for now in (0.0, 70.0):
        yield live
        live.cycle(now)
        rows = np.flatnonzero(np.array([chance.random() < 0.3 for _ in inventory.rows]))
        others = np.array([chance.randrange(len(inventory)) for _ in rows], dtype=np.int64)
        live.change(rows, reports_of(inventory.machines, Settings()).take(others))
        live.ask({n: replace(need, spread=need.spread * 2) for n, need in enumerate(fleet.needs)})


for seed in (0, 1):
    fleet = fleet_of(crowded(seed))
    inventory, allocations, went_well = inventory_of(fleet, 0), 0, False
    while not went_well:
        library.scarce_from(allocations)
        live = None
        try:
            for live in lives(fleet, inventory, Random(seed)):
                pass
            went_well = library.scarce_left() > 0
            assert library.scarce_left() >= 0
        except MemoryError:
            try:
                live is None or live.cycle(140.0)
                assert live is None
            except MemoryError:
                pass
        del live
        allocations += 1
    assert allocations > 80
print("told")
"""


@pytest.fixture
def scarce(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Path], Path]:
    """Give how to make a copy of the kernel at a root whose allocations end after some."""

    def make(root: Path) -> Path:
        copy = tmp_path / "scarce"
        shutil.copytree(root / "hotpath/kernel", copy / "hotpath/kernel")
        (copy / "scarce.h").write_text(HEADER, "utf-8")
        (copy / "hotpath/kernel/scarce.c").write_text(SOURCE, "utf-8")
        monkeypatch.setenv("CC", f"gcc -include {copy / 'scarce.h'}")
        return copy

    return make


def test_every_allocation_may_fail(sanitized, scarce):
    done = sanitized(scarce(ROOT), LIVES)
    assert (done.returncode, done.stdout.strip()) == (0, "told"), done.stderr[-2000:]


def test_one_that_nobody_looks_at_is_seen(sanitized, scarce, spoiled):
    root = spoiled("shard/tables.c", "if (!made) s->failed = true;", "(void)s;")
    assert sanitized(scarce(root), LIVES).returncode != 0
