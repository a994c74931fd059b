"""Explain: small fleets where the moment of the need's turn matters, and what decides by a hair."""

from dataclasses import replace

import pytest
from builders import RACK, fleet, machine, need, need_row, row_of

from hotpath.cycle import decide
from hotpath.inventory import inventory_of
from hotpath.memory import Memory, Pause
from hotpath.why.explain import explain_machine, explain_need
from hotpath.why.losing import Lost, Way
from hotpath.why.trace import turns
from models import labels
from models.cost import NANOS_PER_USD
from models.machine import NOBODY, CapacityType, State
from models.rules import Rule
from models.settings import Settings

ON_DEMAND, SPOT = CapacityType.ON_DEMAND, CapacityType.SPOT
FREE, RUNNING = State.SPECULATIVE, State.CONFIGURED


def decided(built, memory=None):
    return decide(inventory_of(built, 0), memory or Memory(), Settings(), 0.0)


def told(built, name, memory=None):
    """Give for each machine the verdict at the turn of a need."""
    done, row = decided(built, memory), need_row(built, name)
    return {
        str(built.machines.ids[place]): next(
            at.verdict for at in explain_machine(done, place).turns if at.need == row
        )
        for place in range(len(built.machines))
    }


def at_turn(built, machine, name):
    story = explain_machine(decided(built), row_of(built, machine))
    return next(at for at in story.turns if at.need == need_row(built, name))


def running(builder, id, serves, **more):
    cluster = serves.partition("/")[0]
    row = machine(id, RUNNING, cluster=cluster, **more)
    return builder.machines(row, serves=serves)


def test_what_an_earlier_need_took_and_what_a_later_one_takes_look_different():
    built = fleet().machines(machine("m{}"), 2)
    built = built.needs(need("a/high", priority=9), need("a/low", priority=1)).build()
    assert told(built, "a/high") == {"m0": Way.IDLE, "m1": Lost.ID}
    assert told(built, "a/low") == {"m0": Rule.AVAILABLE, "m1": Way.IDLE}
    high = need_row(built, "a/high")
    assert at_turn(built, "m0", "a/low").taken_by == high
    assert at_turn(built, "m1", "a/high").taken_by == NOBODY
    [of_class] = explain_need(decided(built), need_row(built, "a/low")).classes
    assert (of_class.taken, of_class.refused) == ({high: 1}, {Rule.AVAILABLE: 1})


def test_the_books_stand_as_at_the_turn():
    built = fleet().machines(machine("m{}"), 2)
    built = built.needs(need("a/high", priority=9), need("a/low", priority=1)).build()
    high, low = need_row(built, "a/high"), need_row(built, "a/low")
    at = (inventory_of(built, 0), Memory(), Settings(), 0.0)
    first, second = (turn.before for turn in turns(*at, {high, low}))
    assert first.idle.tolist() == [True, True]
    assert second.idle.tolist() == [False, True]
    assert second.have.tolist()[high] == 1


def test_a_shadow_need_sees_what_all_others_left():
    built = fleet().shadow("b").machines(machine("m{}"), 2)
    built = built.needs(need("b/first", 2, priority=9), need("a/last")).build()
    assert told(built, "b/first") == {"m0": Rule.AVAILABLE, "m1": Way.IDLE}
    assert told(built, "a/last") == {"m0": Way.IDLE, "m1": Lost.ID}
    story = explain_need(decided(built), need_row(built, "b/first"))
    assert (story.have, len(story.actions)) == (1, 1)


def test_who_has_a_machine_at_a_turn_is_told_where_it_was_taken_in_this_cycle():
    built = running(fleet(), "m", "a/low").needs(
        need("b/top", priority=9), need("b/mid", priority=1), need("a/low")
    )
    built = built.build()
    assert told(built, "b/top") == {"m": Way.VICTIM}
    assert told(built, "b/mid") == told(built, "a/low") == {"m": Rule.AVAILABLE}
    assert at_turn(built, "m", "b/mid").taken_by == need_row(built, "b/top")
    built = running(fleet(), "m", "a/low").needs(need("a/low"), need("b/same")).build()
    assert told(built, "b/same") == {"m": Rule.PRIORITY}
    assert at_turn(built, "m", "b/same").taken_by == NOBODY


def test_dearer_by_so_much():
    builder = fleet().machines(machine("a", FREE, capacity=ON_DEMAND, price=1.5))
    builder.machines(machine("b", FREE, capacity=ON_DEMAND, price=2.0))
    built = builder.machines(machine("c", FREE, capacity=ON_DEMAND, price=4.25)).needs(
        need("a/n", 2)
    )
    built = built.build()
    assert told(built, "a/n") == {"a": Way.SPECULATIVE, "b": Way.SPECULATIVE, "c": Lost.COST}
    assert at_turn(built, "c", "a/n").dearer_by_nanos == int(2.25 * NANOS_PER_USD)
    classes = explain_need(decided(built), 0).classes
    assert [each.dearer_by_nanos for each in classes] == [0, 0, int(2.25 * NANOS_PER_USD)]
    assert [each.chosen for each in classes] == [{Way.SPECULATIVE: 1}] * 2 + [{}]


ELASTIC = machine("m", FREE, capacity=ON_DEMAND, price=1.0)


@pytest.mark.parametrize(
    ("first", "second", "key"),
    [
        (machine("m", price=9.0), ELASTIC, Lost.IDLE_FIRST),
        (machine("m", gpu=0, price=9.0), machine("m"), Lost.SCARCE),
        (machine("m", price=9.0), machine("m", price=float("nan")), Lost.UNPRICED),
        (machine("m", price=9.0, penalty=1.0), machine("m", penalty=1.5), Lost.DECADE),
        (machine("m", penalty=1.5), machine("m", price=1.0, penalty=9.0), Lost.COST),
        (replace(ELASTIC, price_per_hour=9.0), replace(ELASTIC, ready_seconds=901.0), Lost.LATE),
        (ELASTIC, replace(ELASTIC, interruption_probability=0.1), Lost.RISK),
        (ELASTIC, replace(ELASTIC, labels={labels.ZONE: "z2"}), Lost.ZONE),
        (ELASTIC, replace(ELASTIC, instance_type="t"), Lost.CLASS),
        (ELASTIC, ELASTIC, Lost.ID),
    ],
)
def test_the_first_key_that_differs_decides(first, second, key):
    builder = fleet().machines(replace(first, id="m0")).machines(replace(second, id="m1"))
    built = builder.needs(need("a/n")).build()
    way = Way.IDLE if first.state is State.IDLE else Way.SPECULATIVE
    assert told(built, "a/n") == {"m0": way, "m1": key}


def test_a_reserved_machine_comes_after_a_dearer_one_that_is_not():
    builder = fleet().machines(machine("m0", price=9.0))
    builder.machines(machine("m1"), serves="b/low")
    built = builder.needs(need("a/n", priority=9), need("b/low")).build()
    assert told(built, "a/n") == {"m0": Way.IDLE, "m1": Lost.RESERVED}


def test_tier_1_does_not_wait():
    built = fleet().machines(replace(ELASTIC, ready_seconds=901.0))
    built = built.needs(need("a/n", priority=900_000)).build()
    assert told(built, "a/n") == {"m": Lost.TOO_LATE}


def test_a_rule_that_refuses_at_the_turn_though_all_is_open_before():
    built = fleet().machines(ELASTIC).needs(need("a/n")).build()
    resting = Memory(pauses={("machine", "m"): Pause(until=60.0, seconds=60.0)})
    assert told(built, "a/n") == {"m": Way.SPECULATIVE}
    assert told(built, "a/n", resting) == {"m": Rule.BACKOFF}


def test_the_emptier_zone_goes_before_the_cheaper_machine():
    builder = fleet().machines(machine("a{}"), 2).machines(machine("b", zone="z2", price=9.0))
    builder.machines(machine("c", zone="z2", price=9.5))
    built = builder.needs(need("a/n", 2, spread=labels.ZONE)).build()
    assert told(built, "a/n") == {
        "a0": Way.IDLE, "a1": Lost.EMPTIER, "b": Way.IDLE, "c": Lost.COST,
    }  # fmt: skip


def test_the_skew_refuses_what_is_free_once_the_rest_is_taken():
    builder = fleet().machines(machine("a{}"), 3)
    builder.machines(machine("b", State.FAILED, zone="z2"))
    built = builder.needs(need("a/n", 3, spread=labels.ZONE)).build()
    assert told(built, "a/n") == {
        "a0": Way.IDLE, "a1": Rule.SPREAD, "a2": Rule.SPREAD, "b": Rule.AVAILABLE,
    }  # fmt: skip


def test_what_the_skew_refused_while_phase_1_went_on_is_not_said_to_have_lost():
    """At the end both zones hold one and z1 could take one more; not so when it mattered."""
    builder = running(fleet(), "v", "b/low", zone="z2").machines(machine("a{}"), 2)
    built = builder.needs(need("a/n", 2, priority=9, spread=labels.ZONE), need("b/low")).build()
    assert told(built, "a/n") == {"a0": Way.IDLE, "a1": Rule.SPREAD, "v": Way.VICTIM}


def test_the_floor_refuses_what_may_be_interrupted():
    builder = fleet().machines(machine("a{}", risk=0.1, capacity=ON_DEMAND), 2)
    built = builder.machines(machine("b", price=9.0)).needs(need("a/n", 2, floor=1)).build()
    assert told(built, "a/n") == {"a0": Way.IDLE, "a1": Rule.FLOOR, "b": Way.IDLE}


def test_a_place_that_holds_its_share_of_spot():
    builder = fleet().machines(machine("a{}", FREE, capacity=SPOT, price=1.0), 2)
    builder.machines(machine("b", FREE, capacity=SPOT, price=1.5))
    built = builder.needs(need("a/n", 2)).build()
    assert told(built, "a/n") == {
        "a0": Way.SPECULATIVE, "a1": Rule.SPOT_SHARE, "b": Way.SPECULATIVE,
    }  # fmt: skip


def test_alike_spot_places_alternate():
    builder = fleet().machines(machine("a{}", FREE, capacity=SPOT, price=1.0), 4)
    builder.machines(machine("b{}", FREE, capacity=SPOT, price=1.04), 2)
    built = builder.needs(need("a/n", 3)).build()
    counts = list(told(built, "a/n").values())
    assert counts.count(Way.SPECULATIVE) == 3
    assert counts.count(Lost.DIVERSITY) + counts.count(Rule.SPOT_SHARE) == 2


def test_a_gang_in_one_domain_and_one_that_fits_in_none():
    builder = fleet().machines(machine("a{}", rack="r1"), 3).machines(machine("b{}", rack="r2"), 2)
    built = builder.needs(need("a/n", 2, same=RACK)).build()
    domain = Lost.OTHER_DOMAIN
    assert told(built, "a/n") == {
        "a0": domain, "a1": domain, "a2": domain, "b0": Way.IDLE, "b1": Way.IDLE,
    }  # fmt: skip
    builder = fleet().machines(machine("a", rack="r1"))
    builder.machines(machine("b", State.FAILED, rack="r1"))
    built = builder.needs(need("a/n", 2, same=RACK)).build()
    assert told(built, "a/n") == {"a": Lost.GANG, "b": Rule.AVAILABLE}


def test_victims_by_excess_priority_score_and_id():
    builder = fleet()
    for id, serves in (("m0", "a/p1"), ("m1", "a/p2"), ("m3", "a/p1")):
        running(builder, id, serves)
    running(builder, "m2", "a/p1", penalty=500.0)
    needs = [need("a/p1", 3, priority=1), need("a/p2", priority=2)]
    built = builder.needs(need("b/n", 1, priority=9), *needs).build()
    assert told(built, "b/n") == {
        "m0": Way.VICTIM, "m1": Lost.PRIORITY, "m2": Lost.SCORE, "m3": Lost.ID,
    }  # fmt: skip
    spare = fleet().machines(machine("m9", RUNNING, cluster="c"))
    running(spare, "m0", "a/p1")
    built = spare.needs(need("b/n", 1, priority=9), need("a/p1"), need("c/other", 0)).build()
    assert told(built, "b/n") == {"m0": Lost.EXCESS_FIRST, "m9": Way.EXCESS}


def test_the_cluster_that_gives_most_goes_before_the_id():
    builder = fleet()
    for id, serves in (("m0", "a/x"), ("m1", "c/x"), ("m2", "c/x")):
        running(builder, id, serves)
    needs = [need("a/x"), need("c/x", 2)]
    built = builder.needs(need("b/n", 1, priority=9), need("b/o", 1, priority=8), *needs).build()
    assert told(built, "b/n") == {"m0": Way.VICTIM, "m1": Lost.TOLL, "m2": Lost.TOLL}
    assert told(built, "b/o") == {"m0": Rule.AVAILABLE, "m1": Way.VICTIM, "m2": Lost.ID}


def test_nothing_is_drained_where_what_is_free_is_enough_or_creates_are_awaited():
    builder = running(fleet(), "v", "a/low").machines(ELASTIC)
    low = need("a/low")
    built = builder.needs(need("b/n", 1, priority=9), low).build()
    assert told(built, "b/n") == {"m": Way.SPECULATIVE, "v": Lost.FREE_FIRST}
    builder = running(fleet(), "v", "a/low").machines(ELASTIC)
    built = builder.needs(need("b/n", 2, priority=9), low).build()
    assert told(built, "b/n") == {"m": Way.SPECULATIVE, "v": Lost.CREATES_FIRST}


def test_what_drains_already_is_taken_over_first():
    builder = running(fleet(), "v", "a/low")
    builder.machines(machine("d", State.DRAINING, cluster="a"))
    built = builder.needs(need("b/n", 1, priority=9), need("a/low")).build()
    assert told(built, "b/n") == {"d": Way.DRAINING, "v": Lost.DRAINING_FIRST}
    built = builder.machines(machine("e", State.DRAINING, cluster="a")).build()
    assert told(built, "b/n")["e"] is Lost.ID


def test_a_gang_weighs_the_victims_of_its_own_domain():
    builder = fleet()
    for id in ("v0", "v1"):
        running(builder, id, "a/x", rack="r1")
    for id in ("w0", "w1", "w2"):
        running(builder, id, "c/x", rack="r2")
    needs = [need("a/x", 2), need("c/x", 3)]
    built = builder.needs(need("b/n", 1, priority=9, same=RACK), *needs).build()
    found = told(built, "b/n")
    assert (found["v0"], found["v1"], found["w0"]) == (Way.VICTIM, Lost.ID, Lost.OTHER_DOMAIN)


def test_its_own_excess_makes_good_what_a_higher_need_took():
    builder = fleet().machines(machine("e{}", RUNNING, cluster="b"), 2)
    builder.machines(machine("i", price=1.0), serves="b/n").machines(machine("j", gpu=0))
    needs = [need("c/top", priority=99, gpu=8), need("b/n", priority=9)]
    built = builder.needs(*needs).build()
    assert told(built, "c/top")["i"] is Way.IDLE
    assert told(built, "b/n") == {
        "e0": Lost.GIVEN_BACK, "e1": Way.STEPS_IN, "i": Rule.AVAILABLE, "j": Lost.OWN_FIRST,
    }  # fmt: skip


def test_a_full_need_wants_none_and_a_silent_one_attracts_none():
    builder = running(fleet(), "v", "a/n").machines(machine("i")).needs(need("a/n"))
    assert told(builder.build(), "a/n") == {"v": Way.HELD, "i": Lost.FULL}
    silent = builder.silence().build()
    story = explain_need(decided(silent), 0)
    assert (story.have, story.lost) == (1, {Lost.SILENT: 1})
    assert [*turns(inventory_of(silent, 0), Memory(), Settings(), 0.0, {0})] == []
