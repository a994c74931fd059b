"""What a penalty makes classes cost in C: to the nano-dollar what numpy and fractions make."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from builders import fleet, machine, need
from hypothesis import example, given
from hypothesis import strategies as st
from oracle.crowd import crowded

from hotpath.inventory import inventory_of
from hotpath.kernel.library import library
from hotpath.kernel.live import Live
from hotpath.kernel.menus import Menus, within
from hotpath.memory import Memory
from models.columns import fleet_of
from models.cost import effective_cost_nanos
from models.machine import CapacityType, State
from models.settings import Settings, with_overrides

pytestmark = pytest.mark.skipif(library() is None, reason="no C compiler was there at build time")

SETTINGS = Settings()

PRICES = st.one_of(
    st.floats(0, 50), st.integers(0, 10**11).map(lambda halves: halves * 0.5e-9), st.just(1e9)
)
CHANCES = st.one_of(
    st.floats(0, 1), st.integers(0, 1000).map(lambda thousandths: thousandths / 1000),
    st.just(5e-324),
)  # fmt: skip
PENALTIES = st.one_of(
    st.floats(0, 1e12), st.integers(0, 10**6).map(lambda cents: cents / 100), st.just(1e-310)
)


@given(st.lists(st.tuples(PRICES, CHANCES), min_size=1, max_size=4), PENALTIES)
@example([(0.1, 0.7), (1.5e-9, 0.5)], 1.0)
@example([(2.5e-9, 0.5), (0.0, 0.5), (500_000.0, 0.5)], 1e-9)
@example([(1.0, 1.0)], 499_999.9999999999)
@example([(1e9, 0.5)], 1e12)
@example([(0.5e-9, 5e-324)], 5e-324)
def test_a_cost_is_exact(offers, penalty):
    built = fleet()
    for at, (price, risk) in enumerate(offers):
        spot, fresh = CapacityType.SPOT, State.SPECULATIVE
        row = machine(
            f"m{at}", fresh, instance_type=f"t{at}", capacity=spot, price=price, risk=risk
        )
        built.machines(row)
    built = built.needs(need("x/n", len(offers))).build()
    inventory = inventory_of(built, 0)
    live = Live(inventory, Memory(), SETTINGS, library())
    live.ask({0: replace(built.needs[0], interruption_penalty=penalty)})
    table, numbers, machines = live.cycle(0.0).table, built.numbers, inventory.machines
    kinds = built.cells.class_index[machines.cell[table["slot"]]]
    wanted = effective_cost_nanos(numbers.price_per_hour, numbers.interruption_probability, penalty)
    assert len(table) == len(offers)
    assert table["cost"].tolist() == wanted[kinds].tolist()


def orders_after_new_penalties(seed: int) -> list[object]:
    """Run a shard in which every need has come to mind interruptions otherwise."""
    chance, built = Random(seed), fleet_of(crowded(seed))
    live = Live(inventory_of(built, 0), Memory(), SETTINGS, library())
    penalties = (0.0, 1.0, 10.0, 100.0, chance.uniform(0, 1000))
    live.ask(
        {n: replace(own, interruption_penalty=chance.choice(penalties))
         for n, own in enumerate(built.needs)}
    )  # fmt: skip
    return live.cycle(0.0).table.tolist()


@pytest.mark.parametrize("seed", range(60))
def test_what_is_in_doubt_is_decided_as_what_is_plain(seed, monkeypatch):
    plain = orders_after_new_penalties(seed)
    made = Menus.__init__

    def doubtful(menus, *given):
        made(menus, *given)
        menus.tolerance = (0, 0)

    monkeypatch.setattr(Menus, "__init__", doubtful)
    assert orders_after_new_penalties(seed) == plain


def is_alike(price: float, penalty: float, other_nanos: int, settings: Settings) -> bool:
    """Say whether a need of two takes one of a risky class and one of another on the market."""
    built = fleet()
    for name, usd, risk in (("a", price, 0.5), ("b", other_nanos * 1e-9, 0.0)):
        row = machine(
            name + "{}", State.SPECULATIVE, instance_type=name, capacity=CapacityType.SPOT,
            price=usd, risk=risk,
        )  # fmt: skip
        built.machines(row, 2)
    built = built.needs(need("x/n", 2)).build()
    inventory = inventory_of(built, 0)
    live = Live(inventory, Memory(), settings, library())
    live.ask({0: replace(built.needs[0], interruption_penalty=penalty)})
    cells = inventory.machines.cell[live.cycle(0.0).table["slot"]]
    return len(set(built.cells.class_index[cells].tolist())) == 2


@pytest.mark.parametrize("tolerance", [0.0, 0.05, 0.5, 1.0, 0.050000001, 0.0012345678901234567])
def test_a_class_at_the_limit_is_alike_and_one_above_is_not(tolerance):
    given = [f"assign.price_tolerance={tolerance!r}", "assign.spot_max_share=1"]
    settings, chance = with_overrides(SETTINGS, given), Random(0)
    for _ in range(10):
        price, penalty = round(chance.uniform(0, 50), 4), round(chance.uniform(0, 50), 2)
        cost = effective_cost_nanos(price, 0.5, penalty)
        limit = int(within(cost, Fraction(repr(tolerance))))
        assert is_alike(price, penalty, limit, settings)
        assert not is_alike(price, penalty, limit + 1, settings)
