"""What goes over the wire comes back, and what a newer peer says is not read as gone."""

from contextlib import suppress

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from provider_strategies import NAMES, classes, failures, fences, machines

from models.failure import FailureClass
from models.machine import CapacityType, State
from providers.columns import columns_of, machines_of
from providers.listing import ListEnd, Page
from providers.machine import Health, Machine, MachineClass
from providers.orders import Ack, ConfigureOrder, CreateOrder, DeleteOrder, DrainOrder
from providers.v1 import capacity_pb2 as pb
from providers.wire import enums, orders, pages
from providers.wire import machines as wire_machines

versions = st.integers(0, 2**64 - 1)


def sent(message):
    """Give a message as the other side has it."""
    return type(message).FromString(message.SerializeToString())


@given(machines)
def test_a_machine_comes_back(machine):
    message = sent(wire_machines.machine_to_wire(machine))
    assert wire_machines.machine_from_wire(message) == machine


@given(st.lists(machines, max_size=4), st.lists(NAMES, max_size=2), st.booleans(), st.booleans())
def test_a_page_comes_back_as_rows_and_as_columns(listed, gone, is_full, is_last):
    end = ListEnd("c7", is_full) if is_last else None
    page = Page(tuple(listed), None, tuple(gone), end)
    assert pages.page_from_wire(sent(pages.page_to_wire(page))).machines == tuple(listed)
    packed = Page((), columns_of(listed), tuple(gone), end)
    again = pages.page_from_wire(sent(pages.page_to_wire(packed)))
    assert again.columns is not None
    assert list(machines_of(again.columns)) == listed
    assert (again.gone, again.end) == (tuple(gone), end)


@given(st.lists(classes, min_size=1, max_size=4), st.lists(st.integers(0, 3), max_size=8))
def test_machines_of_a_class_share_it(kinds, places):
    listed = [
        Machine(f"m{n}", State.IDLE, kinds[place % len(kinds)]) for n, place in enumerate(places)
    ]
    message = sent(pb.ListPage(machines=wire_machines.machines_to_wire(listed)))
    read = [*wire_machines.machines_from_wire(message.machines)]
    assert read == listed
    told = [machine.kind for machine in read]
    assert all((a is b) == (a == b) for a in told for b in told)


@given(
    st.builds(CreateOrder, NAMES, versions, NAMES),
    st.builds(ConfigureOrder, NAMES, NAMES, versions, NAMES, st.binary()),
    st.builds(DrainOrder, NAMES, st.integers(0, 2**32 - 1), versions, NAMES),
    st.builds(DeleteOrder, NAMES, versions),
)
def test_orders_come_back(create, configure, drain, delete):
    assert orders.create_from_wire(sent(orders.create_to_wire(create))) == create
    assert orders.configure_from_wire(sent(orders.configure_to_wire(configure))) == configure
    assert orders.drain_from_wire(sent(orders.drain_to_wire(drain))) == drain
    assert orders.delete_from_wire(sent(orders.delete_to_wire(delete))) == delete


@given(st.builds(Ack, NAMES, NAMES, st.none() | machines, st.none() | failures))
def test_an_answer_comes_back(ack):
    assert orders.ack_from_wire(sent(orders.ack_to_wire(ack))) == ack


@given(fences)
def test_a_fence_comes_back(fence):
    assert orders.fence_from_wire(sent(orders.fence_to_wire(fence))) == fence


def test_a_fence_without_a_shard_is_refused():
    with pytest.raises(ValueError, match=r"fence\.shard is empty"):
        orders.fence_from_wire(pb.Fence(epoch=1))


def test_the_longest_grace_stands_for_a_longer_one():
    assert orders.drain_to_wire(DrainOrder("m", 2**40)).grace_seconds == 2**32 - 1


def test_the_bootstrap_blob_is_in_no_repr():
    assert "secret" not in repr(ConfigureOrder("m", "a", user_data=b"secret"))


@pytest.mark.parametrize(
    ("ours", "wire"),
    [
        (enums.STATES, pb.MachineState),
        (enums.CAPACITY_TYPES, pb.CapacityType),
        (enums.HEALTHS, pb.Health),
        (enums.CLASSES, pb.ErrorClass),
        (enums.REFUSALS, pb.Refusal),
    ],
)
def test_every_name_of_the_wire_is_ours(ours, wire):
    assert sorted([0, *ours.values()]) == sorted(wire.values())


def message_of(**fields):
    base = {"id": "m", "capacity_type": pb.CAPACITY_TYPE_SPOT, "state": pb.MACHINE_STATE_IDLE}
    return pb.Machine(**{**base, **fields})


def test_numbers_of_a_newer_peer_are_in_transition_and_never_gone():
    message = message_of(state=77, health=77, capacity_type=77, failed_from=77)
    message.last_error.error_class = 77
    machine = wire_machines.machine_from_wire(sent(message))
    assert (machine.state, machine.failed_from, machine.health) == (None, None, Health.UNKNOWN)
    assert machine.kind.capacity_type is CapacityType.BARE_METAL
    assert machine.last_failure is not None
    assert machine.last_failure.failure_class is FailureClass.INTERNAL


def test_states_of_a_newer_peer_are_unknown_in_columns_too():
    message = pages.columns_to_wire(columns_of([Machine("m", State.IDLE, KIND)]))
    message.state, message.health = b"\x4d", b"\x4d"
    [machine] = machines_of(pages.columns_from_wire(sent(message)))
    assert (machine.state, machine.health) == (None, Health.UNKNOWN)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"id": ""}, "no id"),
        ({"capacity_type": 0}, "no capacity type"),
        ({"price_per_hour": -1.0}, "the price -1.0"),
        ({"price_per_hour": float("nan")}, "the price nan"),
        ({"price_per_hour": float("inf")}, "the price inf"),
        ({"interruption_probability": 1.5}, "1.5, not 0 to 1"),
        ({"interruption_probability": float("nan")}, "nan, not 0 to 1"),
        ({"resources": {"cpu": -1}}, "negative resource"),
    ],
)
def test_a_machine_that_makes_no_sense_is_refused(fields, says):
    with pytest.raises(ValueError, match=says):
        wire_machines.machine_from_wire(message_of(**fields))


KIND = MachineClass(CapacityType.SPOT)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"n": 2}, "ids.ends has 4 bytes, not 2 times 4"),
        ({"state": b""}, "state has 0 bytes"),
        ({"revision": b"1234567"}, "revision has 7 bytes, not 1 times 8"),
        ({"ids": pb.Texts(bytes=b"ab", ends=b"\1\0\0\0")}, "ids: the texts end at 1"),
        ({"class_index": b"\7\0\0\0"}, "class_index has the code 7"),
    ],
)
def test_columns_that_do_not_fit_are_refused(change, says):
    sound = pages.columns_to_wire(columns_of([Machine("a", State.IDLE, KIND)]))
    broken = pb.Columns()
    broken.CopyFrom(sound)
    for name, value in change.items():
        if isinstance(value, pb.Texts):
            broken.ids.CopyFrom(value)
        else:
            setattr(broken, name, value)
    with pytest.raises(ValueError, match=says):
        pages.columns_from_wire(broken)


@given(st.binary(max_size=60))
def test_rubbish_is_read_or_refused_as_a_value_error(data):
    with suppress(DecodeError, ValueError):
        pages.page_from_wire(pb.ListPage.FromString(data))
