"""Rows and columns are seen and shown alike."""

from hypothesis import given, settings
from hypothesis import strategies as st
from provider_strategies import machines

from models.labels import HOSTNAME, QUOTA, SUBNET, ZONE
from models.machine import CapacityType, State
from providers.columns import columns_of, machines_of
from providers.fanout.sight import seen_columns, seen_row, shown_columns, shown_row
from providers.machine import Machine, MachineClass

KEYS = st.sampled_from([HOSTNAME, QUOTA, SUBNET, ZONE, "k"])
some = st.builds(
    Machine,
    id=st.sampled_from(["a", "b"]),
    state=st.none() | st.sampled_from(State),
    kind=st.builds(MachineClass, st.sampled_from(CapacityType), st.sampled_from(["t", "u"])),
    shard=st.sampled_from(["", "s0"]),
    ownership_version=st.integers(0, 2**64 - 1),
    labels=st.dictionaries(KEYS, st.sampled_from(["", "x"])),
    revision=st.integers(0, 2**40),
)
MANY = st.lists(some | machines.map(lambda m: m), max_size=5)


@settings(max_examples=60)
@given(MANY)
def test_columns_are_seen_as_rows_are(rows):
    assert list(seen_columns(columns_of(rows))) == [seen_row(row) for row in rows]


@given(st.lists(some, min_size=1, max_size=5), st.integers(0, 2**40))
def test_columns_are_shown_as_rows_are(rows, added):
    names = [f"x/{n}" for n in range(len(rows))]
    columns = shown_columns(columns_of(rows), names, [added + n for n in range(len(rows))])
    shown = [
        shown_row(row, name, added + n)
        for n, (row, name) in enumerate(zip(rows, names, strict=True))
    ]
    assert list(machines_of(columns)) == shown
    for row, before in zip(shown, rows, strict=True):
        assert row.labels.keys() == before.labels.keys() - {QUOTA, SUBNET}
        assert row.revision >= before.revision + added


def alike(**changes):
    plain = Machine("a", State.IDLE, MachineClass(CapacityType.SPOT, "t"), labels={ZONE: "z"})
    other = Machine(**{name: getattr(plain, name) for name in plain.__slots__} | changes)
    return seen_row(plain).group == seen_row(other).group


def test_what_tells_slots_apart():
    assert alike(id="b", state=None, revision=9, reservation="c/n", operation="o", host="h")
    for key in (HOSTNAME, QUOTA, SUBNET):
        assert alike(labels={ZONE: "z", key: "x"})
    assert not alike(labels={ZONE: "y"})
    assert not alike(labels={ZONE: "z", "k": "x"})
    assert not alike(shard="s0")
    assert not alike(ownership_version=1)
    assert not alike(kind=MachineClass(CapacityType.SPOT, "u"))
    assert not alike(kind=MachineClass(CapacityType.ON_DEMAND, "t"))
    assert not alike(kind=MachineClass(CapacityType.SPOT, "t", 0.0))
    assert not alike(kind=MachineClass(CapacityType.SPOT, "t", None, 0.5))
    assert not alike(kind=MachineClass(CapacityType.SPOT, "t", resources={"cpu": 1}))


def test_what_an_account_runs_out_of():
    kind = seen_row(
        Machine("a", State.IDLE, MachineClass(CapacityType.SPOT, "t", 1.0), labels={ZONE: "z"})
    ).group.kind("acc")
    assert kind == ("acc", "t", CapacityType.SPOT, "z")
