"""Same input, same output; whatever the order of rows; and the input is left as it was."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle.crowd import crowded
from oracle.engine import named_actions, reply_of
from strategies import fleets, shuffled

from hotpath.cycle import cycle
from hotpath.inventory import inventory_of
from hotpath.memory import Memory
from models.columns import fleet_of
from models.fleet import Fleet
from models.rows import FleetRows
from models.settings import Settings

SEEDS = range(300)


def replies(rows: FleetRows) -> dict[str, object]:
    names = sorted(shard.name for shard in rows.shards)
    return {name: reply_of(rows, number) for number, name in enumerate(names)}


def in_another_order(rows: FleetRows, seed: int) -> FleetRows:
    random = Random(seed)
    order = random.sample(range(len(rows.needs)), len(rows.needs))
    place = {old: new for new, old in enumerate(order)}
    machines = [replace(row, serves=place.get(row.serves, row.serves)) for row in rows.machines]
    random.shuffle(machines)
    return replace(rows, machines=machines, needs=tuple(rows.needs[old] for old in order))


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_the_order_of_rows_does_not_show(data):
    rows = data.draw(fleets())
    assert replies(rows) == replies(data.draw(shuffled(rows)))


def test_the_order_of_rows_does_not_show_in_a_crowd():
    for seed in SEEDS:
        rows = crowded(seed)
        assert replies(rows) == replies(in_another_order(rows, seed)), seed


def contents(fleet: Fleet) -> dict[str, object]:
    columns = {name: getattr(fleet.machines, name).tolist() for name in fleet.machines.__slots__}
    return columns | {"silent": fleet.silent.tolist(), "shadow": fleet.shadow.tolist()}


def test_the_input_is_left_as_it_was_and_twice_gives_the_same():
    for seed in SEEDS:
        fleet, memory = fleet_of(crowded(seed)), Memory()
        before = repr(contents(fleet))
        inventory = inventory_of(fleet, 0)
        first = cycle(inventory, memory, Settings(), now=0.0)
        second = cycle(inventory, memory, Settings(), now=0.0)
        assert repr(contents(fleet)) == before
        assert memory == Memory()
        assert first.actions == second.actions
        assert first.shadowed == second.shadowed
        assert first.shortfalls == second.shortfalls
        assert first.memory == second.memory
        assert np.array_equal(first.serves, second.serves)


@pytest.mark.parametrize("later", [10.0, 120.0])
def test_what_was_remembered_is_remembered_alike_in_any_order(later):
    for seed in SEEDS:
        rows = crowded(seed)
        found = []
        for each in (rows, in_another_order(rows, seed)):
            inventory = inventory_of(fleet_of(each), 0)
            first = cycle(inventory, Memory(), Settings(), now=0.0)
            second = cycle(inventory, first.memory, Settings(), now=later)
            found.append((named_actions(inventory.fleet, second), second.memory))
        assert found[0] == found[1], seed
