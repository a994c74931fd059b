"""The judge of what a plan claims: levels, unmet and displaced."""

from dataclasses import replace

import numpy as np
from builders import need
from plan_twins import CONFIGURED, Twin, far, judged, plan_of, rules, standing_of, world_of

from models.audit import Law
from models.machine import State
from models.need import MAX_COUNT
from models.plan import Unmet
from models.shortfall import Reason, Shortfall


def first_level(**fields):
    return lambda plan: replace(plan, levels=(replace(plan.levels[0], **fields), *plan.levels[1:]))


TWINS = [
    Twin(
        "displaced adds up",
        Law.DISPLACED,
        [far("m", CONFIGURED, "b/low")],
        [need("a/n", priority=200_000), need("b/low")],
        "drain-and-transfer m a/n",
        edit=lambda plan: replace(plan, displaced=()),
    ),
    Twin(
        "displaced once",
        Law.DISPLACED,
        [far("m", CONFIGURED, "b/low")],
        [need("a/n", priority=200_000), need("b/low")],
        "drain-and-transfer m a/n",
        edit=lambda plan: replace(plan, displaced=plan.displaced * 2),
    ),
    Twin(
        "unmet adds up",
        Law.UNMET,
        [far("m")],
        [need("a/n", 3)],
        "transfer-idle m a/n",
        edit=lambda plan: replace(plan, unmet=(replace(plan.unmet[0], count=3),)),
    ),
    Twin(
        "unmet is said",
        Law.UNMET,
        [far("m")],
        [need("a/n", 3)],
        "transfer-idle m a/n",
        edit=lambda plan: replace(plan, unmet=()),
    ),
    Twin(
        "each level",
        Law.LEVELS,
        [far("m")],
        [need("a/n"), need("a/o", 0, 5)],
        "transfer-idle m a/n",
        edit=lambda plan: replace(plan, levels=plan.levels[1:]),
    ),
    Twin(
        "levels from the highest down",
        Law.LEVELS,
        [far("m")],
        [need("a/n"), need("a/o", 0, 5)],
        "transfer-idle m a/n",
        edit=lambda plan: replace(plan, levels=plan.levels[::-1]),
    ),
    Twin(
        "asked adds up",
        Law.LEVELS,
        [far("m")],
        [need("a/n", 2)],
        "transfer-idle m a/n",
        edit=first_level(asked=3),
    ),
    Twin(
        "served adds up",
        Law.LEVELS,
        [far("m")],
        [need("a/n", 2)],
        "transfer-idle m a/n",
        edit=first_level(served=2),
    ),
    Twin(
        "served within the bound",
        Law.LEVELS,
        [far("m")],
        [need("a/n")],
        "transfer-idle m a/n",
        edit=first_level(bound=0),
    ),
    Twin(
        "the bound within what is asked",
        Law.LEVELS,
        [far("m")],
        [need("a/n")],
        "transfer-idle m a/n",
        edit=first_level(bound=2),
    ),
    Twin(
        "nobody serves fewer than none",
        Law.LEVELS,
        [far("m", CONFIGURED, "b/low")],
        [need("a/n", priority=200_000), need("b/low")],
        "drain-and-transfer m a/n",
        bend=lambda standing: replace(standing, have=np.zeros(2, dtype=np.int64)),
    ),
]


test_the_sound_plan_passes, test_the_broken_twin_is_refused = judged(TWINS)


def test_machines_on_their_way_may_be_named_as_unmet():
    standing = standing_of(world_of([], [need("a/n", 0)]))
    plan = plan_of(standing, ())
    waiting = (Shortfall(0, 1, Reason.WAITING_FOR_CREATE),)
    unmet = replace(plan, unmet=(Unmet(0, 1, Reason.WAITING_FOR_CREATE),))
    assert rules(replace(standing, shortfalls=waiting), unmet) == set()
    assert rules(standing, unmet) == {Law.UNMET}


def test_what_a_level_asks_for_saturates():
    needs = [need("a/n", MAX_COUNT), need("a/o", MAX_COUNT)]
    standing = standing_of(world_of([], needs))
    plan = plan_of(standing, ())
    assert rules(standing, plan) == {Law.LEVELS}
    (level,) = plan.levels
    most = replace(level, asked=MAX_COUNT, bound=MAX_COUNT)
    assert rules(standing, replace(plan, levels=(most,))) == set()


def test_what_drains_for_a_need_counts_at_its_level():
    draining = far("m", State.DRAINING, "a/n", shard="s0")
    standing = standing_of(world_of([draining], [need("a/n", 2)]))
    plan = plan_of(standing, ())
    assert plan.levels[0].served == 1
    assert rules(standing, plan) == set()
