"""What a roll-up says anew of needs, in a live shard: as if it had been made with these needs."""

from dataclasses import replace
from math import nan
from random import Random

import numpy as np
import pytest
from builders import fleet, machine, need, row_of
from hypothesis import settings
from oracle.crowd import crowded

from hotpath.inventory import inventory_of
from hotpath.kernel.library import library
from hotpath.kernel.live import Live
from hotpath.memory import Memory, need_key
from hotpath.plain.finish import give_back
from hotpath.plain.walk import decide
from models.columns import fleet_of
from models.fleet import Fleet, named_keys
from models.machine import State
from models.need import Need
from models.settings import Settings

pytestmark = pytest.mark.skipif(library() is None, reason="no C compiler was there at build time")

SETTINGS = Settings()
STEPS = 4
SEEDS_A_CHUNK = 1_000 if settings.get_current_profile_name() == "soak" else 30
CHUNKS = 5


def asked_anew(built: Fleet, chance: Random) -> dict[int, Need]:
    """Let needs take over what others, of other fleets too, ask for; some only in part."""
    others = [*built.needs, *fleet_of(crowded(chance.randrange(1000))).needs]
    known = named_keys(built.needs)
    asked = {}
    for n, own in enumerate(built.needs):
        other = chance.choice(others)
        if chance.random() < 0.6 and named_keys([other]) <= known:
            fields = [name for name in own.__slots__ if name not in ("id", "cluster", "name")]
            taken = fields if chance.random() < 0.5 else chance.sample(fields, 2)
            asked[n] = replace(own, **{name: getattr(other, name) for name in taken})
    return asked


def run(seed: int) -> None:
    chance, built = Random(seed), fleet_of(crowded(seed))
    arrived = {need_key(own): -chance.random() for own in built.needs if chance.random() < 0.7}
    memory, now = Memory(arrived=arrived), 0.0
    live = Live(inventory_of(built, 0), memory, SETTINGS, library())
    nothing = np.zeros(len(built.machines), dtype=np.bool_)
    for _ in range(STEPS):
        inventory = inventory_of(built, 0)
        decided = decide(inventory, memory, SETTINGS, now)
        expected, orders = give_back(decided, nothing), live.cycle(now)
        assert orders.actions(built, inventory.rows) == expected.actions
        assert orders.reported(built, inventory.rows) == expected.shadowed
        assert orders.shortfalls() == expected.shortfalls
        assert live.serving().tolist() == expected.serves[inventory.rows].tolist()
        memory, now = expected.memory, now + chance.choice((10.0, 70.0))
        asked = asked_anew(built, chance)
        live.ask(asked)
        built = with_labels(live, inventory, asked)


def with_labels(live: Live, inventory, asked: dict[int, Need]) -> Fleet:
    """Give the fleet with the new needs; its machines serve whom the shard says between cycles."""
    live.count({})
    books, built = live.books(inventory), inventory.fleet
    columns = {name: getattr(built.machines, name) for name in built.machines.__slots__}
    columns["serves"] = np.array(built.machines.serves)
    columns["serves"][inventory.rows] = np.where(books.serves != -1, books.serves, books.names)
    needs = tuple(asked.get(n, own) for n, own in enumerate(built.needs))
    return replace(built, machines=type(built.machines)(**columns), needs=needs)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_shard_goes_by_what_was_asked_last(chunk):
    for seed in range(chunk * SEEDS_A_CHUNK, (chunk + 1) * SEEDS_A_CHUNK):
        run(seed)


def test_idle_machines_of_a_cheaper_class_go_first_whatever_its_name():
    built = (
        fleet()
        .machines(machine("a", instance_type="a", price=2.0))
        .machines(machine("b", instance_type="b", price=1.0))
        .needs(need("x/n", 1))
        .build()
    )
    inventory = inventory_of(built, 0)
    live = Live(inventory, Memory(), SETTINGS, library())
    (action,) = live.cycle(0.0).actions(built, inventory.rows)
    assert built.machines.ids[action.machine] == "b"


def test_a_floor_that_was_cut_short_with_its_count_is_told_anew():
    built = (
        fleet()
        .machines(machine("a", instance_type="a", price=1.0, risk=0.5))
        .machines(machine("b", instance_type="b", price=2.0))
        .needs(need("x/n", 2**40, floor=1))
        .build()
    )
    live = Live(inventory_of(built, 0), Memory(), SETTINGS, library())
    live.count({0: 1})
    assert live.cycle(0.0).table["slot"].tolist() == [row_of(built, "b")]


def test_what_was_refused_leaves_nothing_behind():
    built = fleet().machines(machine("a", price=1.0)).needs(need("x/n", 1)).build()
    live = Live(inventory_of(built, 0), Memory(), SETTINGS, library())
    for other in (
        {"interruption_penalty": nan},
        {"resources": {"gpu": 2**70}},
        {"priority": 2**40},
    ):
        with pytest.raises((ValueError, OverflowError)):
            live.ask({0: replace(built.needs[0], **other)})
        live.ask({0: replace(built.needs[0], interruption_penalty=3.25)})
    assert len(live.cycle(0.0).table) == 1


def test_counts_of_strangers_and_broken_counts_are_refused():
    built = fleet().machines(machine("a", price=1.0)).needs(need("x/n", 1)).build()
    live = Live(inventory_of(built, 0), Memory(), SETTINGS, library())
    with pytest.raises(ValueError, match="not one of this shard"):
        live.count({10**6: 1})
    with pytest.raises(TypeError):
        live.count({0: 2.7})


def test_a_foreign_machine_is_no_needs_of_ours_whatever_its_label_says():
    built = (
        fleet()
        .shard("s0", "a")
        .shard("s1", "b")
        .machines(machine("m", State.CONFIGURED, cluster="b"), serves="a/n")
        .needs(need("a/n", 1), need("b/n", 1))
        .build()
    )
    inventory = inventory_of(built, 0)
    live = Live(inventory, Memory(), SETTINGS, library())
    expected = give_back(decide(inventory, Memory(), SETTINGS, 0.0), np.zeros(1, dtype=np.bool_))
    assert live.cycle(0.0).shortfalls() == expected.shortfalls
    assert [short.count for short in expected.shortfalls] == [1]
