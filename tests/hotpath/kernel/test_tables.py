"""What crosses the border to the compiled shard: wrong indices are refused, numbers are right."""

from dataclasses import replace
from fractions import Fraction
from math import inf

import numpy as np
import pytest
from builders import fleet, machine, need
from hypothesis import given
from hypothesis import strategies as st
from oracle.crowd import crowded

from hotpath.inventory import inventory_of
from hotpath.kernel.binding import MOST, Compiled
from hotpath.kernel.library import library
from hotpath.kernel.live import Live
from hotpath.kernel.menus import within
from hotpath.kernel.numbers import Numbers
from hotpath.kernel.places import Suits, places_of
from hotpath.kernel.tables import limits
from hotpath.matching import Matching
from hotpath.memory import DrainWatch, Memory, Pause, Rate
from hotpath.reports import reports_of
from models import labels
from models.columns import fleet_of
from models.machine import CapacityType, State
from models.settings import Settings

SETTINGS = Settings()

compiled = pytest.mark.skipif(library() is None, reason="no C compiler was there at build time")

MEMORY = Memory(
    last_cycle=0.0, excess_since={"b": -5.0, "d": -9.0}, drains={"d": DrainWatch(3, 30.0)}
)


def world():
    """Two classes, two zones, a gang and a spread; machines in every kind of state."""
    return (
        fleet()
        .machines(machine("a", State.CONFIGURED, cluster="x", rack="r1"), serves="x/gang")
        .machines(machine("b", State.IDLE, zone="z2", price=1.0))
        .machines(machine("c", State.SPECULATIVE, capacity=CapacityType.SPOT, price=2.0, risk=0.1))
        .machines(machine("d", State.DRAINING, cluster="x"), serves="x/even")
        .needs(
            need("x/gang", 2, 5, same="example.com/rack", zones=("z1",)),
            need("x/even", 3, spread=labels.ZONE),
        )
        .build()
    )


def spoiled(monkeypatch, table, spoil):
    """Let what a table is given be spoiled on its way to the library."""
    call = Compiled.call

    def spoiling(shard, name, *given):
        if name == table:
            given = [part.copy() if isinstance(part, np.ndarray) else part for part in given]
            spoil(given)
        call(shard, name, *given)

    monkeypatch.setattr(Compiled, "call", spoiling)


def put(argument, row, value, field=None):
    def spoil(given):
        column = given[argument] if field is None else given[argument][field]
        column[row] = value

    return spoil


def put_number(argument, value):
    def spoil(given):
        given[argument] = value

    return spoil


NOT_THERE, UNSORTED, SENSELESS, LAYOUT = (
    "names what is not there", "is out of order", "makes no sense", "is laid out",
)  # fmt: skip

REFUSED = [
    ("places", put(1, 0, -1.0), SENSELESS),
    ("places", put(2, 0, 1.5), SENSELESS),
    ("places", put(3, 0, np.nan), SENSELESS),
    ("places", put(6, -1, 99), NOT_THERE),
    ("places", put(6, 0, -1), NOT_THERE),
    ("places", put(6, 0, 2), UNSORTED),
    ("places", put(7, 0, -2), NOT_THERE),
    ("places", put(9, 0, 99), NOT_THERE),
    ("places", put(9, 0, -1), NOT_THERE),
    ("places", put(9, -1, 0), UNSORTED),
    ("clusters", put_number(0, -1), NOT_THERE),
    ("clusters", put_number(0, MOST + 1), NOT_THERE),
    ("menus", put(1, 0, 2), NOT_THERE),
    ("menus", put(1, 0, -1), NOT_THERE),
    ("menus", put(2, 0, -1), SENSELESS),
    ("profiles", put(1, 0, 99), NOT_THERE),
    ("profiles", put(1, 0, -1), NOT_THERE),
    ("profiles", put(2, 0, 2**63), NOT_THERE),
    ("profile", put(1, 0, 2**63), NOT_THERE),
    ("penalties", put(1, 0, 99), NOT_THERE),
    ("penalties", put(1, 0, -1), NOT_THERE),
    ("penalties", put(2, 0, -1.0), SENSELESS),
    ("penalties", put(2, 0, np.nan), SENSELESS),
    ("penalties", put(3, 0, 2), SENSELESS),
    ("penalties", put_number(0, -1), NOT_THERE),
    ("penalties", put_number(4, -1), SENSELESS),
    ("penalties", put_number(4, 21), SENSELESS),
    ("penalties", put_number(4, 2**62), SENSELESS),
    ("profile", put_number(0, 99), NOT_THERE),
    ("profile", put_number(0, -1), NOT_THERE),
    ("profile", put_number(2, 1), NOT_THERE),
    ("profile", put_number(4, 1), NOT_THERE),
    ("axis", put(2, 0, 99), NOT_THERE),
    ("axis", put(2, 0, -2), NOT_THERE),
    *(
        ("needs", put(2, 1, value, field), NOT_THERE)
        for field in ("cluster", "menu", "profile", "ready_profile", "gang_axis", "spreads",
                      "spread_first")
        for value in (-2, 99)
    ),
    *(("needs", put(2, 0, -1, field), SENSELESS) for field in ("count", "floor", "spot_cap")),
    *(
        ("needs", put(2, 0, np.nan, field), SENSELESS)
        for field in ("arrival", "drain_seconds", "interruption_penalty", "reclamation_penalty")
    ),
    ("needs", put(4, 0, 99, "axis"), NOT_THERE),
    ("needs", put(4, 0, -1, "axis"), NOT_THERE),
    ("needs", put(4, 0, -1, "max_skew"), SENSELESS),
    # Two needs that share a constraint.
    ("needs", put(2, slice(None), 1, "spreads"), NOT_THERE),
    ("needs", put_number(0, 8), LAYOUT),
    ("settings", put(4, 0, 1), UNSORTED),
    ("settings", put_number(3, 17), NOT_THERE),
    ("settings", put_number(3, 0), NOT_THERE),
    ("settings", put_number(1, 12), NOT_THERE),
    ("machines", put(1, 0, 99), NOT_THERE),
    ("machines", put(1, 0, -1), NOT_THERE),
    ("machines", put(1, -1, 0), UNSORTED),
    ("machines", put(2, 1, 0), UNSORTED),
    ("machines", put(3, 0, 8), NOT_THERE),
    ("machines", put(4, 0, 2), NOT_THERE),
    ("machines", put(4, 0, -3), NOT_THERE),
    ("machines", put(5, 0, 1), NOT_THERE),
    ("machines", put(5, 0, -2), NOT_THERE),
    ("machines", put(6, 0, np.nan), SENSELESS),
    ("machines", put(8, 0, 16), SENSELESS),
    ("machines", put(8, 0, 512), SENSELESS),
    ("remember", put(5, 0, 99, "slot"), NOT_THERE),
    ("remember", put(5, 0, -1, "slot"), NOT_THERE),
    ("remember", put(5, 1, 0, "slot"), UNSORTED),
    ("remember", put(7, 0, 99, "slot"), NOT_THERE),
    ("remember", put(1, 0, -1), SENSELESS),
    ("remember", put(1, 0, 2**31 - 1), SENSELESS),
    ("remember", put(7, 0, 2**31 - 1, "cycles"), SENSELESS),
    ("change", put(1, 0, 4), NOT_THERE),
    ("change", put(1, 0, -1), NOT_THERE),
    ("change", put(2, 0, 8), NOT_THERE),
    ("change", put(3, 0, 2), NOT_THERE),
    ("change", put(4, 0, 1), NOT_THERE),
    ("ask", put(2, 0, 2), NOT_THERE),
    ("ask", put(2, 0, -1), NOT_THERE),
    ("ask", put(2, 1, 0), UNSORTED),
    ("ask", put(3, 0, 99, "menu"), NOT_THERE),
    ("ask", put(3, 1, 99, "spreads"), NOT_THERE),
    ("counts", put(1, 0, 2), NOT_THERE),
    ("counts", put(1, 0, -1), NOT_THERE),
    ("counts", put(2, 0, -1), SENSELESS),
    ("pause", put(1, 0, 4), NOT_THERE),
    ("pause", put_number(0, 3), NOT_THERE),
    ("pause", put(3, 1, 99), NOT_THERE),
    ("pause", put(3, 1, 2), UNSORTED),
    ("hands_off", put_number(0, 3), NOT_THERE),
]  # fmt: skip


def all_of_it():
    """Do everything that crosses the border."""
    built = world()
    inventory = inventory_of(built, 0)
    live = Live(inventory, MEMORY, SETTINGS, library())
    rows = np.arange(2)
    live.change(rows, reports_of(inventory.machines, SETTINGS).take(rows))
    live.ask(dict(enumerate(built.needs)))
    live.count({0: 7, 1: 0})
    live.pause({("slot", id): Pause(inf, 180.0) for id in "bc"})
    live.open(10.0)
    live.serve()
    live.give_back(np.zeros(len(inventory), dtype=np.bool_))
    return live


@compiled
def test_what_is_right_is_taken():
    live = all_of_it()
    assert len(live.answer().table)
    assert live.memory().last_cycle == 10.0


@compiled
@pytest.mark.parametrize(("table", "spoil", "fault"), REFUSED)
def test_what_is_wrong_is_refused(monkeypatch, table, spoil, fault):
    spoiled(monkeypatch, table, spoil)
    with pytest.raises(ValueError, match=rf"^{table}: row -?\d+ .*{fault}"):
        all_of_it()


@compiled
def test_what_was_refused_has_changed_nothing(monkeypatch):
    live, built = all_of_it(), world()
    before, asked = live.serving().tolist(), {n: built.needs[n] for n in range(2)}
    with monkeypatch.context() as patch:
        spoiled(patch, "ask", put(3, 1, 99, "menu"))
        for _ in range(3):
            with pytest.raises(ValueError, match="ask"):
                live.ask({0: replace(asked[0], count=1, interruption_penalty=4.0), 1: asked[1]})
    assert live.serving().tolist() == before
    live.ask({0: replace(asked[0], count=1)})
    live.cycle(20.0)


@compiled
@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        ({7: need("x/gang")}, "need 7 is not one of this shard"),
        ({0: need("x/gang")}, "need 0 is even, not gang"),
        ({0: need("x/even", spread="rows")}, "names rows, which is in no column"),
    ],
)
def test_another_need_or_an_unknown_label_is_refused(asked, fault):
    with pytest.raises(ValueError, match=fault):
        all_of_it().ask(asked)


@compiled
def test_tables_come_in_their_turn():
    shard = Compiled(library())
    with pytest.raises(ValueError, match="axis: row 0 came out of turn"):
        shard.call("axis", 0, 1, np.zeros(1, dtype=np.int32))
    none = np.zeros(0, dtype=np.int32)
    reals, raw = none.astype(np.float64), none.astype(np.uint8)
    with pytest.raises(ValueError, match="change: row 0 came out of turn"):
        shard.call("change", 0, none, raw, none, none, reals, reals, none.astype(np.uint16))
    with pytest.raises(ValueError, match="open: row 0 came out of turn"):
        shard.call("open", 0.0)


@compiled
@pytest.mark.parametrize("step", ["serve", "give_back"])
def test_nothing_is_decided_on_closed_books(step):
    live = all_of_it()
    live.count({0: 3})
    with pytest.raises(ValueError, match=f"{step}: row 0 came out of turn"):
        getattr(live, step)()
    live.cycle(20.0)


@compiled
def test_columns_of_another_type_are_refused():
    with pytest.raises(Exception, match="array must have"):
        Compiled(library()).call("axis", 0, 1, np.zeros(1, dtype=np.int64))


COUNTS = st.one_of(st.integers(0, 50), st.integers(MOST - 3, MOST + 3), st.just(2**63 - 1))


@given(COUNTS, COUNTS, st.integers(0, 20), st.fractions(0, 1, max_denominator=100))
def test_a_clamped_count_leaves_as_many_risky_ones_and_as_much_spot(count, floor, risky, share):
    asked = need("x/n", count, floor=floor)
    clamped, clamped_floor, spot_cap = limits(asked, share)
    assert max(clamped, clamped_floor, spot_cap) <= MOST
    assert clamped == min(count, MOST)
    # More than MOST machines there are not.
    assert min(max(count - floor - risky, 0), MOST - risky) == min(
        max(clamped - clamped_floor - risky, 0), MOST - risky
    )
    ceiling = -(-share.numerator * count // share.denominator)
    assert spot_cap == min(ceiling, MOST)


@compiled
def test_a_count_above_the_largest_is_reported_whole():
    count = 2**63 - 1
    built = fleet().machines(machine("a")).needs(need("x/n", count)).build()
    live = Live(inventory_of(built, 0), Memory(), SETTINGS, library())
    (short,) = live.cycle(0.0).shortfalls()
    assert short.count == count - 1
    live.count({0: 5})
    (short,) = live.cycle(1.0).shortfalls()
    assert short.count == 4
    live.count({0: count - 7})
    (short,) = live.cycle(2.0).shortfalls()
    assert short.count == count - 8


@compiled
def test_rates_of_classes_that_are_gone_are_remembered():
    built = world()
    memory = replace(MEMORY, rates={"gone": Rate(8.0, 0.0), built.class_key(0): Rate(4.0, 0.0)})
    live = Live(inventory_of(built, 0), memory, SETTINGS, library())
    live.cycle(SETTINGS.release.half_life)
    rates = live.memory().rates
    assert rates["gone"].per_minute == 4.0
    assert rates[built.class_key(0)].per_minute >= 2.0


@given(
    st.lists(st.integers(0, 2**63 - 1) | st.integers(0, 100), max_size=5),
    st.floats(0, 1) | st.sampled_from([0.05, 0.0, 1.0, 1e-300, 0.0012345678901234567]),
)
def test_a_limit_is_exact(costs, tolerance):
    fraction = Fraction(repr(tolerance))
    found = within(np.array(costs, dtype=np.int64), fraction).tolist()
    assert found == [min(int(cost * (1 + fraction)), 2**63 - 1) for cost in costs]


@pytest.mark.parametrize("seed", range(40))
def test_masks_by_class_box_and_cell_are_those_of_the_matching(seed):
    built = fleet_of(crowded(seed))
    keys = tuple(SETTINGS.assign.bootstrap_keys)
    matching, places = Matching(built, keys), places_of(built, SETTINGS)
    suits = Suits(built, places, keys)
    for asked in built.needs:
        for configured, profile in enumerate(suits.profiles(asked)):
            boxes, cells = suits.masks(profile)
            marks = np.unpackbits(suits.words([profile]).view(np.uint8), bitorder="little")
            found = marks[built.cells.class_index].astype(np.bool_)
            if len(boxes):
                found &= boxes[places.cell_box].astype(np.bool_)
            if len(cells):
                found &= cells.astype(np.bool_)
            whole = matching.as_configured if configured else matching.eligible
            assert found.tolist() == whole(asked).tolist()


def test_numbers_are_given_out_again():
    numbers = Numbers()
    assert [numbers.take(key) for key in "aba"] == [(0, True), (1, True), (0, False)]
    numbers.release(0)
    assert numbers.take("c") == (2, True)
    numbers.release(0)
    assert numbers.take("d") == (0, True)
    assert numbers.take("a") == (3, True)
    assert numbers.take("b") == (1, False)


def test_what_is_let_go_is_given_out_again_after_the_end_only():
    numbers = Numbers()
    assert [numbers.take(key) for key in "ab"] == [(0, True), (1, True)]
    numbers.begin()
    numbers.let_go(0)
    assert numbers.take("c") == (2, True)
    numbers.undo()
    assert numbers.take("a") == (0, False)
    assert numbers.take("d") == (2, True)
    numbers.begin()
    numbers.let_go(1)
    assert numbers.take("e") == (3, True)
    numbers.end()
    assert numbers.take("f") == (1, True)
    assert numbers.take("a") == (0, False)
