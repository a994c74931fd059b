"""What is said wrongly to a live shard is refused, and leaves no trace."""

from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest
from builders import fleet, machine, need

from hotpath.inventory import Inventory, inventory_of
from hotpath.kernel.library import library
from hotpath.kernel.live import Live
from hotpath.kernel.names import names_of
from hotpath.memory import Memory
from hotpath.plain.walk import decide
from hotpath.reports import reports_of
from models.machine import UNKNOWN_NEED, State
from models.settings import Settings

pytestmark = pytest.mark.skipif(library() is None, reason="no kernel was compiled")

SETTINGS = Settings()


def inventory(state: State = State.CONFIGURED) -> Inventory:
    """Give two machines and a need that wants neither."""
    cluster = "x" if state is State.CONFIGURED else None
    rows = [machine(id, state, cluster=cluster) for id in "ab"]
    built = fleet().needs(need("x/n", 0))
    for row in rows:
        built.machines(row)
    return inventory_of(built.build(), 0)


def shard_of(given: Inventory, *, is_empty: bool = False) -> Live:
    return Live(given, Memory(), SETTINGS, library(), is_empty=is_empty)


@pytest.mark.parametrize("column", ["state", "pinned", "reclamation_penalty"])
def test_a_column_of_another_length_is_refused(column):
    given = inventory()
    reports = reports_of(given.machines, SETTINGS)
    reports = replace(reports, **{column: getattr(reports, column)[:1]})
    live, empty = shard_of(given), shard_of(given, is_empty=True)
    with pytest.raises(ValueError, match="1 to 2 machines, not 2"):
        live.change(np.arange(2), reports)
    names = names_of(given.machines, len(given.fleet.classes))
    ranks = given.machines.id_rank.astype(np.int32)
    with pytest.raises(ValueError, match="1 to 2 machines, not 2"):
        empty.enter(names, given.machines.cell, ranks, reports, Memory())
    with pytest.raises(ValueError, match="1 cells, 2 ranks and 2 names"):
        empty.enter(names, given.machines.cell[:1], ranks, reports, Memory())


@pytest.mark.parametrize("place", [2**32, 2**32 + 1, 2, -1, 0.5])
def test_a_place_is_never_that_of_another_machine(place):
    given = inventory()
    one = reports_of(given.machines, SETTINGS).take(np.zeros(1, dtype=np.int64))
    with pytest.raises(ValueError, match=r"out of range|not there"):
        shard_of(given).change(np.array([place]), one)


@pytest.mark.parametrize("now", [nan, inf, -inf])
def test_a_clock_that_makes_no_sense_opens_no_books(now):
    live = shard_of(inventory())
    with pytest.raises(ValueError, match="makes no sense"):
        live.open(now)
    assert live.memory().last_cycle is None


def test_hands_come_off_for_one_cycle_even_if_it_was_refused():
    live = shard_of(inventory())
    with pytest.raises(ValueError, match="out of turn"):
        live.give_back(np.ones(2, dtype=np.bool_))
    assert len(live.cycle(1e6).table) == 2


def test_speculative_machines_reserved_for_an_unknown_need_are_not_bought():
    given = inventory(State.SPECULATIVE)
    labels = np.array([UNKNOWN_NEED, -1], dtype=np.int32)
    wanted = (replace(given.fleet.needs[0], count=2),)
    machines = replace(given.fleet.machines, serves=labels)
    given = inventory_of(replace(given.fleet, machines=machines, needs=wanted), 0)
    expected = decide(given, Memory(), SETTINGS, 0.0)
    orders = shard_of(given).cycle(0.0)
    assert orders.actions(given.fleet, given.rows) == tuple(expected.ledger.actions)
    assert [action.machine for action in expected.ledger.actions] == [1]
