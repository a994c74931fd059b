"""Reports that come late say nothing, and what changes is no longer alike."""

from memory_provider import SPOT

from models.machine import State
from providers.fanout.bindings import Place
from providers.fanout.sight import Seen, group_of
from providers.fanout.slots import Slots

LIKE = group_of(SPOT, {}, "", 0)
OTHER = group_of(SPOT, {"k": "x"}, "", 0)


def seen(machine, state, revision, group=LIKE):
    return Seen(machine, state, revision, group)


def may(account, group):
    return True


def begun():
    """Give slots of which a/m was created at revision 7; b/m is free."""
    slots = Slots.of(["a", "b"], {})
    slots.saw("a", seen("m", State.SPECULATIVE, 5))
    slots.depart("a/m")
    slots.arrive("a/m", is_accepted=True, is_certain=True, seen=seen("m", State.CREATING, 7))
    slots.saw("b", seen("m", State.SPECULATIVE, 1))
    return slots


def is_held(slots):
    return slots.bindings.get("a/m") is not None and slots.bindings["a/m"].is_fixed


def test_a_slot_read_before_the_create_frees_nothing():
    slots = begun()
    for revision in (1, 5, 7):
        slots.saw("a", seen("m", State.SPECULATIVE, revision))
        assert is_held(slots)
        assert slots.choose("a/m", Place("a", "m"), may) == ("a", "m")
    slots.saw("a", seen("m", State.SPECULATIVE, 8))
    assert not is_held(slots)


def test_a_machine_read_before_the_create_is_not_what_it_made():
    slots = Slots.of(["a", "b"], {})
    slots.saw("a", seen("m", State.SPECULATIVE, 5))
    slots.depart("a/m")
    slots.arrive("a/m", is_accepted=False, is_certain=False, seen=None)
    slots.saw("a", seen("m", State.IDLE, 3))
    slots.saw("a", seen("m", State.SPECULATIVE, 6))
    assert is_held(slots)
    slots.saw("a", seen("m", State.IDLE, 8))
    slots.saw("a", seen("m", State.SPECULATIVE, 9))
    assert not is_held(slots)


def test_while_a_repeat_flies_nothing_is_freed():
    slots = begun()
    slots.depart("a/m")
    slots.saw("a", seen("m", State.SPECULATIVE, 8))
    assert is_held(slots)
    slots.arrive("a/m", is_accepted=False, is_certain=True, seen=None)
    assert is_held(slots)
    slots.saw("a", seen("m", State.SPECULATIVE, 8))
    assert not is_held(slots)


def test_what_was_in_doubt_when_the_process_ended_is_held():
    slots = Slots.of(["a", "b"], begun().bindings)
    slots.saw("a", seen("m", State.SPECULATIVE, 9))
    assert is_held(slots)
    assert slots.used("a") == 1


def test_a_slot_that_is_no_longer_alike_is_not_taken():
    slots = Slots.of(["a", "b"], {})
    for account in "ab":
        slots.saw(account, seen("m", State.SPECULATIVE, 1))
    slots.saw("a", seen("n", State.IDLE, 1))
    slots.saw("b", seen("m", State.SPECULATIVE, 2, OTHER))
    assert slots.choose("a/m", Place("a", "m"), may) == ("a", "m")
    slots.saw("b", seen("m", State.SPECULATIVE, 3))
    assert slots.choose("a/m", Place("a", "m"), may) == ("b", "m")


def test_a_slot_that_is_gone_is_not_taken_and_counts_for_nothing():
    slots = begun()
    slots.lost("b", "m")
    slots.lost("a", "m")
    assert slots.used("a") == 0
    slots.saw("a", seen("n", State.SPECULATIVE, 1))
    assert slots.choose("a/n", Place("a", "n"), may) == ("a", "n")


def test_where_no_account_may_be_asked_there_is_none():
    slots = begun()
    assert slots.choose("b/m", Place("b", "m"), lambda account, group: False) is None


def test_accounts_that_are_no_longer_there_have_nothing():
    slots = Slots.of(["b"], begun().bindings)
    assert slots.place("a/m") is None
