"""Back-off marks exactly what failed, doubles, ends, and names itself as the reason."""

from dataclasses import replace
from math import inf
from random import Random

import numpy as np
import pytest
from builders import fleet, machine, need, row_of
from oracle.crowd import crowded

from hotpath.backoff import KINDS, after_failure, after_success, paused_kinds, scope_of
from hotpath.cycle import cycle
from hotpath.inventory import inventory_of
from hotpath.memory import Memory
from models import labels
from models.action import Verb
from models.columns import fleet_of
from models.failure import FailureClass
from models.machine import CapacityType, State
from models.settings import Settings
from models.shortfall import Reason

SETTINGS = Settings()
ZONED = {labels.REGION: "e", labels.ZONE: "z1"}


def slot(id, kind=CapacityType.ON_DEMAND, provider="p", **more):
    row = machine(id, State.SPECULATIVE, capacity=kind, price=1.0)
    return replace(row, provider=provider, labels=ZONED | more)


def failed(built, id, failure, now=0.0, memory=None):
    scope = scope_of(built, row_of(built, id), failure)
    assert scope is not None
    return after_failure(memory or Memory(), scope, SETTINGS.backoff, now)


def bought(built, memory, now=0.0):
    done = cycle(inventory_of(built, 0), memory, SETTINGS, now)
    assert all(action.verb is Verb.CREATE for action in done.actions)
    ids = {built.machines.ids[action.machine] for action in done.actions}
    return ids, [(short.count, short.reason) for short in done.shortfalls]


def slots():
    """Six that differ from ``here`` in one thing each."""
    return [
        slot("here"),
        slot("spot", CapacityType.SPOT),
        slot("there", **{labels.ZONE: "z2"}),
        slot("abroad", **{labels.ZONE: "z3", labels.REGION: "f"}),
        slot("other", provider="q"),
        replace(slot("large"), instance_type="l"),
    ]


@pytest.mark.parametrize(
    ("failure", "left_alone", "reason"),
    [
        (FailureClass.CAPACITY, {"here"}, Reason.STOCKED_OUT),
        (FailureClass.QUOTA, {"here", "there", "large"}, Reason.QUOTA_EXHAUSTED),
        (FailureClass.IP, {"here", "spot", "large"}, Reason.ADDRESSES_EXHAUSTED),
        (FailureClass.INVALID, {"here"}, Reason.CAPACITY_EXHAUSTED),
        (FailureClass.INTERNAL, {"here"}, Reason.CAPACITY_EXHAUSTED),
    ],
)
def test_exactly_what_failed_is_left_alone(failure, left_alone, reason):
    builder = fleet()
    for row in slots():
        builder.machines(row)
    built = builder.needs(need("a/n", 6)).build()
    everything = {row.id for row in slots()}
    assert bought(built, Memory()) == (everything, [])
    ids, short = bought(built, failed(built, "here", failure))
    assert everything - ids == left_alone
    assert short == [(len(left_alone), reason)]


@pytest.mark.parametrize(
    ("failure", "label"), [(FailureClass.QUOTA, labels.QUOTA), (FailureClass.IP, labels.SUBNET)]
)
def test_a_label_names_the_quota_or_subnet_across_providers_and_zones(failure, label):
    built = (
        fleet()
        .machines(slot("here", **{label: "x"}))
        .machines(slot("far", provider="q", **{label: "x", labels.ZONE: "z2"}))
        .machines(slot("near", **{label: "y"}))
        .needs(need("a/n", 3))
        .build()
    )
    assert bought(built, failed(built, "here", failure))[0] == {"near"}


def test_a_throttled_call_marks_nothing():
    built = fleet().machines(slot("here")).build()
    assert scope_of(built, 0, FailureClass.THROTTLED) is None


def test_pauses_double_up_to_the_longest():
    built = fleet().machines(slot("here")).build()
    memory, lengths = Memory(), []
    for _ in range(6):
        memory = failed(built, "here", FailureClass.CAPACITY, 1000.0, memory)
        (pause,) = memory.pauses.values()
        lengths.append(pause.seconds)
        assert pause.until == 1000.0 + pause.seconds
    assert lengths == [180.0, 360.0, 720.0, 1440.0, 1800.0, 1800.0]


def test_a_pause_ends_and_success_clears_it():
    built = fleet().machines(slot("here")).needs(need("a/n")).build()
    memory = failed(built, "here", FailureClass.CAPACITY)
    assert bought(built, memory, now=179.9)[0] == set()
    assert bought(built, memory, now=180.0)[0] == {"here"}
    assert after_success(memory, built, 0).pauses == {}


def test_an_invalid_slot_waits_until_it_is_listed_anew():
    built = fleet().machines(slot("here")).build()
    memory = failed(built, "here", FailureClass.INVALID)
    assert [pause.until for pause in memory.pauses.values()] == [inf]


def test_idle_machines_of_the_class_are_not_passed_over():
    idle = replace(slot("idle"), state=State.IDLE, host_ref="h")
    built = fleet().machines(slot("here")).machines(idle).needs(need("a/n")).build()
    done = cycle(
        inventory_of(built, 0), failed(built, "here", FailureClass.CAPACITY), SETTINGS, 0.0
    )
    assert [(a.verb, built.machines.ids[a.machine]) for a in done.actions] == [
        (Verb.CONFIGURE, "idle")
    ]


FAILURES = [failure for failure in FailureClass if failure is not FailureClass.THROTTLED]


@pytest.mark.parametrize("seed", range(30))
def test_what_is_left_alone_is_what_any_open_pause_concerns(seed):
    """Asked by cell, machines get the first kind that their own scopes would give them."""
    chance, built = Random(seed), fleet_of(crowded(seed))
    inventory, memory = inventory_of(built, 0), Memory()
    for _ in range(3):
        row = chance.randrange(len(built.machines))
        failure, now = chance.choice(FAILURES), chance.choice((0.0, -500.0))
        memory = failed(built, str(built.machines.ids[row]), failure, now, memory)
    expected = {}
    for place in np.flatnonzero(inventory.has_state(State.SPECULATIVE)).tolist():
        scopes = [scope_of(built, int(inventory.rows[place]), failure) for failure in FailureClass]
        kinds = {s[0] for s in scopes if s in memory.pauses and memory.pauses[s].until > 0.0}
        if kinds:
            expected[place] = min(kinds, key=KINDS.index)
    assert paused_kinds(inventory, memory, 0.0) == expected
