"""The victims' score by hand: whole millionths of the formula."""

from dataclasses import replace

import numpy as np
from builders import fleet, machine, need, need_row

from hotpath.inventory import inventory_of
from hotpath.memory import Memory
from hotpath.plain.opening import open_ledger
from hotpath.plain.score import is_saturated, victims_of
from models.machine import State
from models.settings import Settings


def opened(builder):
    inventory = inventory_of(builder.build(), 0)
    nothing = np.zeros(len(inventory), dtype=np.bool_)
    return open_ledger(inventory, Settings(), Memory(), nothing, now=0.0)


def scores(builder, *, saturated=False):
    ledger = opened(builder)
    machines = np.arange(len(ledger.inventory))
    preemptor = need_row(ledger.inventory.fleet, "z/top")
    found = victims_of(ledger, preemptor, machines, saturated=saturated)
    ids = ledger.inventory.machines.ids[found.machines].tolist()
    return dict(zip(ids, found.score.tolist(), strict=True))


def victim(name, priority=0, *, drain=0.0, interruption=0.0, reclamation=0.0):
    return replace(
        need(name, 1, priority),
        drain_seconds=drain,
        interruption_penalty=interruption,
        reclamation_penalty=reclamation,
    )


def serving(id, cluster="a", **fields):
    return machine(id, State.CONFIGURED, cluster=cluster, **fields)


TOP = need("z/top", 1, 1_000_000)


def one(need_, **fields):
    return (
        fleet().machines(serving("m", need_.cluster, **fields), serves=need_.id).needs(need_, TOP)
    )


def test_no_penalty_and_no_drain_is_the_whole_of_three():
    assert scores(one(victim("a/n"))) == {"m": 3_000_000}


def test_each_term_halves_at_its_unit():
    # Priority 900,000 is a gap of 100,000: the grace of 10 min does not cap a drain of 60 s.
    assert scores(one(victim("a/n", 900_000, drain=60.0))) == {"m": 2_500_000}
    assert scores(one(victim("a/n", interruption=10.0))) == {"m": 2_500_000}
    assert scores(one(victim("a/n", reclamation=1000.0))) == {"m": 2_500_000}


def test_the_grace_caps_the_drain():
    # 10 s of grace: 1 / (1 + 10/60) = 6/7.
    assert scores(one(victim("a/n", drain=3_600.0))) == {"m": 2_857_143}


def test_the_larger_reclamation_penalty_counts():
    assert scores(one(victim("a/n", reclamation=1000.0), penalty=3000.0)) == {"m": 2_250_000}
    assert scores(one(victim("a/n", reclamation=3000.0), penalty=1000.0)) == {"m": 2_250_000}


def test_the_worked_example_of_a_full_shard():
    builder = (
        fleet()
        .machines(serving("slow", "a"), serves="bottom")
        .machines(serving("fast", "b"), serves="middle")
        .needs(victim("a/bottom", 1, drain=600.0), victim("b/middle", 400_000), TOP)
    )
    # 10/(1 + 10/60) + 3 + 3 + 2 and 10 + 3 + 3 + 2 x 600,000 / 999,999.
    assert scores(builder, saturated=True) == {"slow": 16_571_429, "fast": 17_200_001}


def test_excess_interrupts_nobody_and_counts_only_its_own_reclamation():
    builder = one(replace(victim("a/n", interruption=10.0, reclamation=9000.0), count=0))
    assert scores(builder) == {"m": 3_000_000}
    builder = one(replace(victim("a/n"), count=0), penalty=1000.0)
    assert scores(builder) == {"m": 2_500_000}


def full(used, hosted, priority):
    busy, rest = need("a/n", used), hosted - used
    builder = fleet().machines(serving("u{}"), used, serves="n").machines(machine("i{}"), rest)
    ledger = opened(builder.needs(busy, need("z/top", 1, priority)))
    return is_saturated(ledger, need_row(ledger.inventory.fleet, "z/top"))


def test_a_shard_is_full_at_95_percent_and_only_for_tier_1():
    assert full(19, 20, 900_000)
    assert not full(18, 19, 900_000)
    assert not full(19, 20, 899_999)
