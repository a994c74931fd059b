"""What an order comes to, state by state, as the contract says in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.machine import CapacityType, State
from providers.contract.begin import Begin, Standing, begin
from providers.machine import Failure, Refusal
from providers.orders import ConfigureOrder, CreateOrder, DeleteOrder, DrainOrder

CREATE, CONFIGURE, DRAIN, DELETE = (
    CreateOrder("m", 0, "a/n"),
    ConfigureOrder("m", "a", 0, "a/n"),
    DrainOrder("m", 30),
    DeleteOrder("m"),
)
NEW, REPEAT, RELEASE = Begin.NEW, Begin.REPEAT, Begin.RELEASE
WRONG = Refusal.WRONG_STATE

TABLE = {
    State.SPECULATIVE: (NEW, WRONG, WRONG, REPEAT),
    State.CREATING: (REPEAT, WRONG, WRONG, WRONG),
    State.IDLE: (REPEAT, NEW, REPEAT, NEW),
    State.CONFIGURING: (WRONG, REPEAT, WRONG, WRONG),
    State.CONFIGURED: (WRONG, REPEAT, NEW, WRONG),
    State.DRAINING: (WRONG, WRONG, REPEAT, WRONG),
    State.DELETING: (WRONG, WRONG, WRONG, REPEAT),
    None: (WRONG, WRONG, WRONG, WRONG),
}
"""Create, Configure, Drain, Delete with the same parameters as what runs."""

FAILED = {
    State.CREATING: (WRONG, WRONG, WRONG, NEW),
    State.CONFIGURING: (WRONG, NEW, RELEASE, WRONG),
    State.DRAINING: (WRONG, WRONG, NEW, WRONG),
    State.DELETING: (WRONG, WRONG, WRONG, NEW),
}


def outcome(order, standing):
    answer = begin(order, standing)
    return answer.refusal if isinstance(answer, Failure) else answer


@pytest.mark.parametrize("state", TABLE)
@pytest.mark.parametrize("kind", CapacityType)
def test_each_state_takes_what_the_table_says(state, kind):
    standing = Standing(state, kind, "a", "a/n", None, 30.0)
    wanted = list(TABLE[state])
    if not kind.is_elastic:
        wanted[3] = Refusal.UNSUPPORTED
    assert [outcome(o, standing) for o in (CREATE, CONFIGURE, DRAIN, DELETE)] == wanted


@pytest.mark.parametrize("state", FAILED)
def test_what_failed_goes_on_only_where_it_failed(state):
    standing = Standing(State.FAILED, CapacityType.SPOT, "a", "a/n", state)
    orders = (CREATE, CONFIGURE, DRAIN, DELETE)
    assert tuple(outcome(order, standing) for order in orders) == FAILED[state]


@pytest.mark.parametrize(
    ("order", "standing"),
    [
        (CREATE, Standing(State.CREATING, CapacityType.SPOT, "", "b/n")),
        (CONFIGURE, Standing(State.CONFIGURING, CapacityType.SPOT, "b", "a/n")),
        (CONFIGURE, Standing(State.CONFIGURING, CapacityType.SPOT, "a", "b/n")),
        (CONFIGURE, Standing(State.CONFIGURED, CapacityType.SPOT, "b", "a/n")),
    ],
)
def test_another_parameter_than_what_runs_is_a_conflict(order, standing):
    assert outcome(order, standing) is Refusal.CONFLICT


def test_what_has_ended_is_repeated_whatever_it_was_reserved_for():
    assert outcome(CREATE, Standing(State.IDLE, CapacityType.SPOT, "", "b/n")) is REPEAT
    assert outcome(CONFIGURE, Standing(State.CONFIGURED, CapacityType.SPOT, "a", "b/n")) is REPEAT


@given(st.integers(0, 100), st.floats(0, 100))
def test_only_a_shorter_grace_changes_a_drain_that_runs(grace, left):
    standing = Standing(State.DRAINING, CapacityType.SPOT, "a", drain_left=left)
    wanted = Begin.SHORTEN if grace < left else REPEAT
    assert outcome(DrainOrder("m", grace), standing) is wanted
