"""A shard that lives in the kernel against numpy, which begins anew with every cycle."""

from random import Random

import numpy as np
import pytest
from evolving import failed, labels_of, passed, remembered, varied
from hypothesis import settings
from oracle.crowd import crowded

from hotpath.answer import Cycle
from hotpath.inventory import Inventory, inventory_of
from hotpath.kernel.library import library
from hotpath.kernel.live import Live
from hotpath.plain.finish import give_back
from hotpath.plain.walk import begin, decide
from hotpath.reports import reports_of
from models.columns import fleet_of
from models.settings import Settings

pytestmark = pytest.mark.skipif(library() is None, reason="no kernel was compiled")

SETTINGS = Settings()
STEPS = 8
SEEDS_A_CHUNK = 1_000 if settings.get_current_profile_name() == "soak" else 20
CHUNKS = 5


def check(live: Live, inventory: Inventory, expected: Cycle) -> None:
    """Compare all of an answer."""
    fleet, rows, answer, memory = inventory.fleet, inventory.rows, live.answer(), live.memory()
    assert answer.actions(fleet, rows) == expected.actions
    assert answer.reported(fleet, rows) == expected.shadowed
    assert answer.shortfalls() == expected.shortfalls
    assert live.serving().tolist() == expected.serves[rows].tolist()
    for part in expected.memory.__dataclass_fields__:
        assert getattr(memory, part) == getattr(expected.memory, part), part


def run(seed: int) -> None:
    """Run a fleet for some cycles; now and then another process takes the shard over."""
    chance = Random(seed)
    fleet = fleet_of(varied(crowded(seed), chance))
    memory, now, live = remembered(fleet, SETTINGS, chance), 0.0, None
    for _ in range(STEPS):
        inventory = inventory_of(fleet, 0)
        if live is None or chance.random() < 0.05:
            live = Live(inventory, memory, SETTINGS, library())
        taken = np.zeros(len(fleet.machines), dtype=np.bool_)
        taken[inventory.rows] = [chance.random() < 0.1 * (seed % 3) for _ in inventory.rows]
        labels = labels_of(begin(inventory, memory, SETTINGS, now).ledger)
        expected = give_back(decide(inventory, memory, SETTINGS, now), taken)
        live.open(now)
        live.serve()
        live.give_back(taken[inventory.rows])
        check(live, inventory, expected)

        memory, now = expected.memory, now + chance.choice((1.0, 10.0, 10.0, 60.0, 300.0, 500.0))
        later = passed(
            fleet, inventory.rows, labels, expected.actions, now - chance.choice((0, 1, 5)), chance
        )
        fleet = later.fleet
        places = np.searchsorted(inventory.rows, later.changed)
        live.change(places, reports_of(fleet.machines, SETTINGS).take(later.changed))
        live.count(later.counts)
        if chance.random() < 0.2:
            memory = failed(memory, fleet, SETTINGS, now, chance)
            live.pause(memory.pauses)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_live_shard_decides_as_one_that_begins_anew(chunk):
    for seed in range(chunk * SEEDS_A_CHUNK, (chunk + 1) * SEEDS_A_CHUNK):
        try:
            run(seed)
        except AssertionError as error:
            error.add_note(f"The seed is {seed}.")
            raise
