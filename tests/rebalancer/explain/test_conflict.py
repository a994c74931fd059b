"""The rules in conflict: together they refuse, and none of them is to spare."""

from builders import RACK, fleet, machine, need, need_row
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_shortages import SETTINGS, SHAPES, scene_in, tiny_fleet

from hotpath.standing import standing_of
from models.machine import State
from models.requirement import Operator, Requirement
from models.rules import Rule
from planner.deciding import decide_shards
from rebalancer.explain.additions import additions
from rebalancer.explain.conflict import conflict_of
from rebalancer.explain.counting import Counting, counting_of
from rebalancer.explain.scene import Scene, scene_of
from rebalancer.explain.short import lacks_for_good, why_short
from rebalancer.explain.wording import conflict_words
from rebalancer.settings import rules_from

IN_R7 = Requirement(RACK, Operator.IN, ("r7",))


def scene(builder, name: str) -> Scene:
    world = builder.build()
    decided = decide_shards(world, SETTINGS, range(len(world.shards)))
    return scene_of(standing_of(world, decided), (), need_row(world, name), rules_from(SETTINGS))


def counting(builder, name: str) -> Counting:
    return counting_of(scene(builder, name))


@settings(max_examples=60, deadline=None)
@given(st.integers(1_000, 10_000), st.sampled_from(SHAPES), st.integers(1, 2))
def test_the_terms_refuse_together_and_none_is_to_spare(number, shape, shards):
    found = scene_in(tiny_fleet(number, shape, shards))
    if not lacks_for_good(found):
        return
    counted = counting_of(found)
    conflict = conflict_of(counted)
    terms = [each.term for each in conflict.terms]
    assert counted.gap(terms).missing
    assert conflict.within == found.lacks - counted.gap(terms).missing
    for term in terms:
        assert not counted.gap([other for other in terms if other != term]).missing


def test_two_requirements_that_no_machine_meets_together():
    builder = (
        fleet()
        .machines(machine("rack-{}", rack="r7", gpu=0), 12)
        .machines(machine("gpu-{}", rack="r1", gpu=8), 40)
        .needs(need("a/n", 4, gpu=8, requirements=[IN_R7]))
    )
    counted = counting(builder, "a/n")
    conflict = conflict_of(counted)
    assert [(each.term.text, each.passes, each.alone) for each in conflict.terms] == [
        ("example.com/rack In r7", 12, 40),
        ("gpu >= 8", 40, 12),
    ]
    assert conflict_words(conflict, 4) == (
        "It lacks 4. No machine passes both: example.com/rack In r7 (12 pass), gpu >= 8 (40 pass)."
    )


def test_what_a_machine_does_is_in_conflict_only_where_nothing_else_is():
    builder = (
        fleet()
        .machines(machine("u{}", State.CONFIGURED, cluster="b", rack="r7"), 5, serves="b/high")
        .needs(need("b/high", 5, 9), need("a/n", 2, 1, requirements=[IN_R7]))
    )
    conflict = conflict_of(counting(builder, "a/n"))
    assert [each.term.rule for each in conflict.terms] == [Rule.PRIORITY]


def test_a_fleet_that_is_too_small_is_no_conflict():
    builder = fleet().machines(machine("m{}"), 2).needs(need("a/n", 2**62))
    counted = counting(builder, "a/n")
    conflict = conflict_of(counted)
    assert conflict.terms == ()
    assert counted.scene.lacks == 2**62 - 2
    found = why_short(counted.scene)
    assert [change.machines_added for change in found.changes] == [2**62 - 2]
    assert "The fleet has 0 machines beside its own." in conflict_words(conflict, 1)


def test_a_gang_a_skew_and_a_floor_are_in_conflict_by_themselves():
    gang = (
        fleet()
        .machines(machine("a{}", rack="r1"), 3)
        .machines(machine("b{}", rack="r2"), 2)
        .needs(need("a/n", 4, same=RACK))
    )
    [term] = conflict_of(counting(gang, "a/n")).terms
    assert (term.term.rule, term.term.text, term.alone) == (Rule.DOMAIN, f"same {RACK}", 1)
    spread = (
        fleet()
        .machines(machine("a{}", rack="r1"), 4)
        .machines(machine("b{}", rack="r2"), 1)
        .needs(need("a/n", 4, spread=RACK))
    )
    [term] = conflict_of(counting(spread, "a/n")).terms
    assert term.term.rule is Rule.SPREAD
    floor = fleet().machines(machine("a{}", risk=0.1), 4).needs(need("a/n", 3, floor=2))
    [term] = conflict_of(counting(floor, "a/n")).terms
    assert (term.term.rule, term.alone) == (Rule.FLOOR, 2)


def test_a_gang_with_a_floor_may_hold_only_so_many_that_are_interrupted():
    builder = (
        fleet()
        .machines(machine("a{}", rack="r1", risk=0.1), 4)
        .machines(machine("b{}", rack="r1"), 1)
        .needs(need("a/n", 4, same=RACK, floor=2))
    )
    counted = counting(builder, "a/n")
    gap = counted.gap(counted.scene.terms)
    assert (gap.missing, gap.only_safe) == (1, True)
    [addition] = additions(counted, counted.scene.terms, gap)
    assert addition.parts[0].row.interruption_probability == 0


def test_another_shard_keeps_what_its_own_need_could_use():
    """Its cycle buys one and so evicts nobody: what it lacks, it may take in the next."""
    builder = (
        fleet()
        .shard("s0", "a")
        .shard("s1", "b", "c")
        .machines(machine("u{}", State.CONFIGURED, cluster="c", shard="s1"), 2, serves="c/low")
        .machines(machine("q", State.SPECULATIVE, shard="s1"))
        .needs(need("a/n", 2, 500_000), need("b/own", 3, 500_000), need("c/low", 2))
    )
    [term] = conflict_of(counting(builder, "a/n")).terms
    assert (term.term.rule, term.passes) == (Rule.KEEPS_OWN, 0)


def test_a_gang_of_another_shard_keeps_nothing_that_it_cannot_use():
    builder = (
        fleet()
        .shard("s0", "a")
        .shard("s1", "b")
        .machines(machine("i{}", shard="s1", rack="r1"), 2)
        .needs(need("a/n", 2, 500_000), need("b/gang", 3, 500_000, same=RACK))
    )
    counted = counting(builder, "a/n")
    assert counted.gap(counted.scene.terms).missing == 0
