"""The compiled deal against the plain one, machine by machine, over several openings."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from builders import RACK, TOPOLOGY, fleet, machine, need
from oracle.throng import settled, throng

from hotpath.inventory import Inventory, inventory_of
from hotpath.kernel.library import library
from hotpath.kernel.live import Live
from hotpath.memory import Memory
from hotpath.plain.ledger import Ledger
from hotpath.plain.opening import open_ledger
from hotpath.reports import reports_of
from hotpath.terms import terms_of
from models import labels
from models.columns import fleet_of
from models.machine import NOBODY, State
from models.requirement import Operator, Requirement
from models.rows import FleetRows
from models.settings import Settings

pytestmark = pytest.mark.skipif(library() is None, reason="no C compiler was there at build time")


def plain(inventory: Inventory) -> Ledger:
    nothing = np.zeros(len(inventory), dtype=np.bool_)
    return open_ledger(inventory, Settings(), Memory(), nothing, 0.0)


def assert_alike(books: Ledger, expected: Ledger) -> None:
    for name in ("held", "excess", "serves", "have", "waiting"):
        assert getattr(books, name).tolist() == getattr(expected, name).tolist(), name
    excess = expected.excess
    assert books.names[excess].tolist() == expected.names[excess].tolist()


def labelled(inventory: Inventory, books: Ledger) -> Inventory:
    """Let each machine carry the need that the books gave it, or that it was serving before."""
    label = np.where(books.held, books.serves, books.names)
    known = books.held | books.excess | (books.names != NOBODY)
    configured = np.isin(inventory.machines.state, (State.CONFIGURED, State.CONFIGURING))
    serves = np.where(known | configured, label, inventory.machines.serves).astype(np.int32)
    return replace(inventory, machines=replace(inventory.machines, serves=serves))


def recount(live: Live, inventory: Inventory, random: Random) -> Inventory:
    """Change the counts of some needs, now and then by much."""
    needs = list(inventory.fleet.needs)
    some = [row for row in range(len(needs)) if random.random() < 0.3]
    for row in some:
        most = random.choice((3, 3, 3, 40))
        count = needs[row].count + random.randint(-most, most)
        needs[row] = replace(needs[row], count=max(0, count))
    live.count({row: needs[row].count for row in some})
    fleet = replace(inventory.fleet, needs=tuple(needs))
    return replace(inventory, fleet=fleet, terms=terms_of(fleet.needs))


def shuffle(live: Live, inventory: Inventory, random: Random) -> Inventory:
    """Let some machines go, come up, or turn out to serve another need; some become free."""
    machines = inventory.machines
    state, serves, cluster = (
        column.copy() for column in (machines.state, machines.serves, machines.cluster)
    )
    places = sorted(random.sample(range(len(machines)), random.randint(1, 4)))
    for place in places:
        chance = random.random()
        if chance < 0.4:
            state[place], serves[place], cluster[place] = State.SPECULATIVE, NOBODY, NOBODY
        elif state[place] == State.SPECULATIVE:
            state[place] = State.IDLE
        elif state[place] == State.CONFIGURING and chance < 0.7:
            state[place] = State.CONFIGURED
        elif state[place] in (State.CONFIGURING, State.CONFIGURED):
            own = np.flatnonzero(inventory.fleet.need_cluster == cluster[place])
            serves[place] = random.choice([NOBODY, *own.tolist()])
    machines = replace(machines, state=state, serves=serves, cluster=cluster)
    live.change(np.array(places), reports_of(machines, Settings()).take(np.array(places)))
    return replace(inventory, machines=machines)


def many(seed: int) -> FleetRows:
    """Give more than 128 needs, 66 of them of one cluster, with about what they ask for.

    They hold machines of the same few classes, of which there are more than 64 in all.
    """
    random, needs, rows = Random(seed), [], []
    types = [f"t{index:02}" for index in range(72)]
    for cluster in ["c0"] * 66 + [f"c{1 + index // 16}" for index in range(80)]:
        asked = random.sample(types[::12], random.randint(1, 3))
        held = random.randint(1, 4)
        rows += [
            replace(
                machine(
                    f"m{7 * (len(rows) + index) % 1024:04}",
                    State.CONFIGURED,
                    cluster=cluster,
                    instance_type=random.choice(asked),
                    rack=random.choice(("r1", "r2")),
                    penalty=random.choice((0.0, 3.0)),
                ),
                serves=len(needs),
            )
            for index in range(held)
        ]
        needs.append(
            replace(
                of_types(f"{cluster}/n{len(needs):03}", *asked),
                count=held + random.choice((-1, 0, 0, 0, 0, 1)),
                priority=random.choice((0, 1, 5)),
            )
        )
    rows += [machine(f"x{name}", State.DELETING, instance_type=name) for name in types]
    return FleetRows(topology=TOPOLOGY, machines=rows, needs=tuple(needs), needs_given=True)


def follow(seed: int, begin: Callable[[int], FleetRows]) -> int:
    """Open the books five times, with changes in between; give how many machines moved."""
    random, moved = Random(seed), 0
    inventory = inventory_of(fleet_of(begin(seed)), 0)
    live = Live(inventory, Memory(), Settings(), library())
    for _ in range(5):
        live.open(0.0)
        books = live.books(inventory)
        assert_alike(books, plain(inventory))
        before = inventory.machines.serves
        inventory = labelled(inventory, books)
        moved += np.count_nonzero(books.held & (inventory.machines.serves != before))
        if random.random() < 0.6:
            inventory = shuffle(live, inventory, random)
        if random.random() < 0.4:
            inventory = recount(live, inventory, random)
    return moved


@pytest.mark.parametrize("chunk", range(4))
@pytest.mark.parametrize(
    ("begin", "size", "least"), [(throng, 75, 1_000), (settled, 20, 50), (many, 1, 5)]
)
def test_compiled_and_plain_deal_the_same_machines(begin, size, least, chunk):
    moved = 0
    for seed in range(chunk * size, (chunk + 1) * size):
        try:
            moved += follow(seed, begin)
        except AssertionError as error:
            error.add_note(f"The fleet is {begin.__name__}({seed}).")
            raise
    assert moved > least


def of_types(name: str, *types: str):
    return need(name, requirements=(Requirement(labels.INSTANCE_TYPE, Operator.IN, types),))


def test_a_gang_and_a_later_need_take_different_machines_of_one_cell():
    """What the gang got is named before the later need takes its share."""
    builder = fleet().machines(
        machine("m{}", State.CONFIGURED, cluster="a", rack="r"), count=3, serves="last"
    )
    needs = (need("a/gang", 1, 9, same=RACK), need("a/later", 1, 8), need("a/last", 3, 7))
    inventory = inventory_of(fleet_of(builder.needs(*needs).rows()), 0)
    live = Live(inventory, Memory(), Settings(), library())
    live.open(0.0)
    assert live.books(inventory).have.tolist() == [1, 1, 1]
    assert_alike(live.books(inventory), plain(inventory))


def test_what_becomes_free_elsewhere_changes_whose_turn_it_is():
    """No machine of the cluster changes, and yet the other need has fewer alternatives now."""
    rows = (
        fleet()
        .machines(machine("n0", State.CONFIGURED, cluster="a", instance_type="one"), serves="first")
        .machines(machine("n1", State.SPECULATIVE, instance_type="two"))
        .machines(machine("m{}", State.DELETING, instance_type="three"), count=2)
        .needs(of_types("a/first", "one", "three"), of_types("a/second", "one", "two"))
        .rows()
    )
    inventory = inventory_of(fleet_of(rows), 0)
    live = Live(inventory, Memory(), Settings(), library())
    live.open(0.0)
    assert live.books(inventory).have.tolist() == [1, 0]
    gone = np.flatnonzero(inventory.machines.state == State.DELETING)
    state = inventory.machines.state.copy()
    state[gone] = State.SPECULATIVE
    inventory = replace(inventory, machines=replace(inventory.machines, state=state))
    live.change(gone, reports_of(inventory.machines, Settings()).take(gone))
    live.open(0.0)
    assert live.books(inventory).have.tolist() == [0, 1]
    assert_alike(live.books(inventory), plain(inventory))


def test_machines_that_are_passed_on_together_are_counted_together():
    """A seed in which a need passes on several at once that it had from another one."""
    assert follow(142, settled) > 0
