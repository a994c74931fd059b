"""Phase 2 in the compiled shard: the victims are numpy's, in numpy's order."""

import pytest
from oracle.besieged import besieged

from hotpath import walk
from hotpath.inventory import inventory_of
from hotpath.kernel.library import library
from hotpath.kernel.live import Live
from hotpath.memory import Memory
from models.action import Verb
from models.columns import fleet_of
from models.settings import Settings
from models.settings.sections import PreemptSettings

pytestmark = pytest.mark.skipif(library() is None, reason="no C compiler was there at build time")

SATURATED = Settings(preempt=PreemptSettings(saturation=0.1))
"""Here every tier-1 preemptor goes by the score of a full shard."""

SEEDS_A_CHUNK = 75
CHUNKS = 4


def answers(seed):
    """The orders and shortfalls of both engines after phases 1 and 2."""
    settings = SATURATED if seed % 2 else Settings()
    inventory = inventory_of(fleet_of(besieged(seed)), 0)
    expected = walk.decide(inventory, Memory(), settings, now=0.0)
    live = Live(inventory, Memory(), settings, library())
    live.open(0.0)
    live.serve()
    orders = live.answer()
    return (
        (tuple(expected.ledger.actions), expected.shadowed, expected.shortfalls),
        (
            orders.actions(inventory.fleet, inventory.rows),
            orders.reported(inventory.fleet, inventory.rows),
            orders.shortfalls(),
        ),
    )


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_both_engines_drain_the_same_machines_for_the_same_needs(chunk):
    for seed in range(chunk * SEEDS_A_CHUNK, (chunk + 1) * SEEDS_A_CHUNK):
        expected, found = answers(seed)
        assert found == expected, f"The fleet is besieged({seed})."


def test_besieged_fleets_see_drains():
    drains = [
        action for seed in range(40) for action in answers(seed)[1][0] if action.verb is Verb.DRAIN
    ]
    assert len(drains) > 80
    assert any(action.reason.startswith("preempted") for action in drains)
    assert any(action.reason.startswith("beyond") for action in drains)
