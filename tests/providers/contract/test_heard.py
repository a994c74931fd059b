"""Whose orders are heard: epochs for each shard, sequences for each machine, owners by version."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from provider_strategies import fences

from models.machine import CapacityType, State
from providers.contract.begin import Begin, Standing
from providers.contract.fencing import Fences, Owner
from providers.contract.heard import heard, malformed
from providers.machine import Failure, Refusal
from providers.orders import ConfigureOrder, CreateOrder, DeleteOrder, DrainOrder, Fence

FREE = Standing(State.SPECULATIVE, CapacityType.SPOT)
NOBODY = Owner()


def outcome(fence, kept=None, version=0, owner=NOBODY, standing=FREE, machine="m"):
    kept = Fences() if kept is None else kept
    answer = heard(CreateOrder(machine, version), fence, kept, standing, owner)
    return answer.refusal if isinstance(answer, Failure) else answer


def test_a_repeat_is_heard_and_an_older_sequence_is_not():
    kept = Fences()
    assert outcome(Fence("s", 1, 5), kept) is Begin.NEW
    assert outcome(Fence("s", 1, 5), kept) is Begin.NEW
    assert outcome(Fence("s", 1, 4), kept) is Refusal.STALE


def test_sequences_are_compared_for_each_machine_alone():
    kept = Fences()
    outcome(Fence("s", 1, 5), kept)
    assert outcome(Fence("s", 1, 4), kept, machine="other") is Begin.NEW


def test_an_older_epoch_is_not_heard_for_any_machine_and_a_newer_one_begins_its_sequences_anew():
    kept = Fences()
    outcome(Fence("s", 2, 5), kept)
    assert outcome(Fence("s", 1, 9), kept, machine="other") is Refusal.STALE
    assert outcome(Fence("s", 3, 1), kept) is Begin.NEW


def test_shards_do_not_know_each_others_epochs():
    kept = Fences()
    outcome(Fence("s", 7, 7), kept)
    assert outcome(Fence("t", 1, 1), kept) is Begin.NEW


@pytest.mark.parametrize(
    ("version", "owner", "wanted"),
    [
        (3, Owner("s", 4), Refusal.STALE),
        (4, Owner("s", 4), Begin.NEW),
        (4, Owner("t", 4), Refusal.NOT_OWNER),
        (5, Owner("t", 4), Begin.NEW),
        (0, Owner(), Begin.NEW),
    ],
)
def test_the_ownership_version_decides_between_shards(version, owner, wanted):
    assert outcome(Fence("s", 1, 1), version=version, owner=owner) is wanted


def test_an_order_refused_for_its_state_makes_older_ones_stale_all_the_same():
    kept, idle = Fences(), Standing(State.CONFIGURED, CapacityType.SPOT)
    assert outcome(Fence("s", 1, 5), kept, standing=idle) is Refusal.WRONG_STATE
    assert outcome(Fence("s", 1, 4), kept) is Refusal.STALE


def test_a_refused_order_leaves_no_fence():
    kept = Fences()
    assert outcome(Fence("s", 9, 9), kept, version=1, owner=Owner("t", 2)) is Refusal.STALE
    assert outcome(Fence("s", 9, 9), kept, standing=None) is Refusal.UNKNOWN_MACHINE
    assert kept == Fences()


@given(st.lists(st.tuples(fences, st.sampled_from("mn"))))
def test_what_is_heard_never_goes_back(calls):
    """The oracle looks at all that was heard; the fences keep only the last."""
    kept, past = Fences(), []
    for fence, machine in calls:
        newest = max((f.epoch for f, _ in past if f.shard == fence.shard), default=0)
        alone = [f for f, m in past if m == machine]
        last = alone[-1] if alone else None
        is_old = fence.epoch < newest or (
            last is not None
            and (last.shard, last.epoch) == (fence.shard, fence.epoch)
            and fence.sequence < last.sequence
        )
        wanted = Refusal.STALE if is_old else Begin.NEW
        assert outcome(fence, kept, machine=machine) is wanted
        if not is_old:
            past.append((fence, machine))


@pytest.mark.parametrize(
    ("order", "says"),
    [
        (CreateOrder(""), "machine is empty"),
        (DeleteOrder("m", -1), "ownership_version is -1"),
        (ConfigureOrder("m", ""), "cluster is empty"),
        (DrainOrder("m", -1), "grace_seconds is -1"),
    ],
)
def test_a_field_that_makes_no_sense_is_named(order, says):
    fault = malformed(order)
    assert fault is not None
    assert says in fault.message
    assert fault.refusal is Refusal.MALFORMED
    answer = heard(order, Fence("s", 1, 1), Fences(), FREE, Owner())
    assert answer == fault


@pytest.mark.parametrize(
    ("order", "says"),
    [
        (CreateOrder("m" * 253), None),
        (CreateOrder("m" * 254), "machine has 254 bytes; at most 253 are taken."),
        (DeleteOrder("é" * 127), "machine has 254 bytes; at most 253 are taken."),
        (CreateOrder("m", 0, "r" * 1024), None),
        (CreateOrder("m", 0, "r" * 1025), "reservation has 1025 bytes; at most 1024 are taken."),
        (DrainOrder("m", 0, 0, "r\0"), "reservation holds a NUL or another control character."),
        (ConfigureOrder("m", "c" * 253), None),
        (ConfigureOrder("m", "c" * 254), "cluster has 254 bytes; at most 253 are taken."),
        (ConfigureOrder("m", "c\n"), "cluster holds a NUL or another control character."),
        (
            ConfigureOrder("m", "c", 0, "\x85"),
            "reservation holds a NUL or another control character.",
        ),
        (CreateOrder("m\x7f"), "machine holds a NUL or another control character."),
        (CreateOrder("機 ~"), None),
    ],
)
def test_texts_that_others_are_told_are_short_and_plain(order, says):
    fault = malformed(order)
    assert (fault and (fault.refusal, fault.message)) == (says and (Refusal.MALFORMED, says))
