"""The strategies themselves: what they promise, and that every state and shape does occur."""

from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from strategies import fleets, shuffled

from models.columns import fleet_of
from models.machine import State


@given(st.data())
def test_the_order_of_rows_does_not_show(data):
    rows = data.draw(fleets())
    other = data.draw(shuffled(rows))
    one, two = fleet_of(rows), fleet_of(other)
    assert one.needs == two.needs
    assert one.shards == two.shards
    for name in ("ids", "serves", "state", "shard", "cluster", "cell"):
        assert getattr(one.machines, name).tolist() == getattr(two.machines, name).tolist()


# Without shrinking: only that there is an example matters.
QUICK = settings(max_examples=2_000, phases=[Phase.generate])


def test_every_state_occurs():
    for state in State:
        find(
            fleets(), lambda rows, s=state: any(m.state is s for m in rows.machines), settings=QUICK
        )


def test_gangs_spreads_floors_and_reservations_occur():
    find(fleets(), lambda rows: any(n.is_gang and n.count > 1 for n in rows.needs), settings=QUICK)
    find(fleets(), lambda rows: any(n.spread and n.floor for n in rows.needs), settings=QUICK)
    find(
        fleets(),
        lambda rows: any(m.serves >= 0 and m.state is State.IDLE for m in rows.machines),
        settings=QUICK,
    )
