"""Phase 2 where chance seldom leads: who steps in, and which domain a gang clears."""

from dataclasses import replace

from builders import RACK, fleet, machine, need

from hotpath.cycle import cycle
from hotpath.inventory import inventory_of
from hotpath.memory import Memory
from models import labels
from models.action import Verb
from models.machine import State
from models.requirement import Operator, Requirement
from models.settings import Settings


def orders(builder):
    built = builder.build()
    done = cycle(inventory_of(built, 0), Memory(), Settings(), now=0.0)
    names = [need.id for need in built.needs]
    return {
        built.machines.ids[a.machine]: (a.verb, names[a.need] if a.need >= 0 else None)
        for a in done.actions
    }


def serving(id, **fields):
    return machine(id, State.CONFIGURED, cluster="a", **fields)


TOP = need("z/top", 1, 1_000_000, gpu=4)


def test_an_excess_machine_of_the_victim_s_steps_in():
    """It is no use to the preemptor, but to the one that loses."""
    builder = (
        fleet()
        .machines(serving("large", gpu=8), serves="low")
        .machines(serving("small", gpu=2, price=1.0), serves="low")
        .needs(need("a/low", 1, gpu=1), TOP)
    )
    assert orders(builder) == {"large": (Verb.DRAIN, "top")}


def test_what_no_longer_fits_the_victim_does_not_step_in():
    builder = (
        fleet()
        .machines(serving("large", gpu=8), serves="low")
        .machines(serving("small", gpu=2), serves="low")
        .needs(need("a/low", 1, gpu=3), TOP)
    )
    assert orders(builder) == {"large": (Verb.DRAIN, "top"), "small": (Verb.DRAIN, None)}


def gang_over(builder, count=2):
    return orders(builder.needs(replace(TOP, count=count, same=RACK)))


def test_a_gang_clears_where_it_evicts_fewest_though_the_damage_is_larger():
    builder = (
        fleet()
        .machines(serving("a{}", rack="r1"), 2, serves="free")
        .machines(serving("b", rack="r2"), serves="dear")
        .machines(machine("i", rack="r2"))
        .needs(need("a/free", 2), replace(need("a/dear", 1), interruption_penalty=5_000.0))
    )
    assert gang_over(builder) == {"b": (Verb.DRAIN, "top"), "i": (Verb.CONFIGURE, "top")}


def test_then_where_the_damage_is_least_though_more_is_left_over():
    builder = (
        fleet()
        .machines(serving("a{}", rack="r1"), 2, serves="dear")
        .machines(serving("b{}", rack="r2"), 3, serves="free")
        .needs(replace(need("a/dear", 2), interruption_penalty=1.0), need("a/free", 3))
    )
    assert gang_over(builder) == {f"b{i}": (Verb.DRAIN, "top") for i in range(2)}


def test_then_where_least_is_left_over_though_its_name_comes_later():
    builder = (
        fleet()
        .machines(serving("a{}", rack="r1"), 3, serves="free")
        .machines(serving("b{}", rack="r2"), 2, serves="free")
        .needs(need("a/free", 5))
    )
    assert gang_over(builder) == {f"b{i}": (Verb.DRAIN, "top") for i in range(2)}


def test_a_gang_s_interruption_counts_once_in_the_damage():
    hurt = 60.0
    builder = (
        fleet()
        .machines(serving("a{}", rack="r1"), 2, serves="gang")
        .machines(serving("b{}", rack="r2"), 2, serves="plain")
        .needs(replace(need("a/gang", 2, same=RACK), interruption_penalty=1.5 * hurt))
        .needs(replace(need("a/plain", 2), interruption_penalty=hurt))
    )
    assert gang_over(builder) == {f"a{i}": (Verb.DRAIN, "top") for i in range(2)}


def test_excess_costs_nothing():
    builder = (
        fleet()
        .machines(serving("a{}", rack="r1"), 2)
        .machines(serving("b{}", rack="r2"), 1, serves="free")
        .machines(machine("i", rack="r2"))
        .needs(need("a/free", 1))
    )
    assert gang_over(builder) == {f"a{i}": (Verb.DRAIN, "top") for i in range(2)}


def test_a_broken_gang_goes_on_giving():
    """Members of a gang that has lost one go before a stranger with a smaller id."""
    builder = (
        fleet()
        .machines(serving("m0", rack="r1"), serves="gang")
        .machines(serving("m1"), serves="plain")
        .machines(serving("m2", rack="r1"), serves="gang")
        .needs(need("a/gang", 2, same=RACK), need("a/plain", 1), replace(TOP, count=2))
    )
    assert orders(builder) == {"m0": (Verb.DRAIN, "top"), "m2": (Verb.DRAIN, "top")}


def test_it_does_so_before_a_cluster_that_gives_more():
    def of(kind):
        return (Requirement(labels.INSTANCE_TYPE, Operator.IN, (kind,)),)

    builder = (
        fleet()
        .machines(serving("m0", rack="r1", instance_type="first"), serves="gang")
        .machines(serving("m9", rack="r1", instance_type="last"), serves="gang")
        .machines(replace(serving("b{}", instance_type="second"), cluster="b"), 2, serves="low")
        .machines(replace(serving("c", instance_type="last"), cluster="b"), serves="low")
        .needs(need("a/gang", 2, same=RACK), need("b/low", 3))
        .needs(
            need("z/first", 1, 7, requirements=of("first")),
            need("z/second", 2, 6, requirements=of("second")),
            need("z/third", 1, 5, requirements=of("last")),
        )
    )
    assert orders(builder) == {
        "m0": (Verb.DRAIN, "first"),
        "b0": (Verb.DRAIN, "second"),
        "b1": (Verb.DRAIN, "second"),
        "m9": (Verb.DRAIN, "third"),
    }


def test_own_excess_makes_good_a_reservation_that_a_higher_need_took():
    """The higher need takes the idle one; the excess steps in, and nothing is drained or bought."""
    builder = (
        fleet()
        .machines(machine("idle"), serves="low")
        .machines(serving("spare"), serves="gone")
        .needs(need("a/low", 1), need("a/gone", 0), TOP)
    )
    assert orders(builder) == {"idle": (Verb.CONFIGURE, "top")}


def test_of_two_alike_the_one_that_nobody_reserved_goes_first():
    """By id the reserved one would; but then the lower need would lose it for nothing."""
    builder = fleet().machines(machine("a"), serves="low").machines(machine("b"))
    assert orders(builder.needs(need("a/low", 1), TOP)) == {
        "a": (Verb.CONFIGURE, "low"),
        "b": (Verb.CONFIGURE, "top"),
    }
