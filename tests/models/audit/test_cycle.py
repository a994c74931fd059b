"""The judge of a whole cycle: answers at random, clusters left alone, rows that are none."""

from dataclasses import replace

import numpy as np
import pytest
from builders import machine
from cycle_twins import IDLE, SPECULATIVE, judge, silent_or_shadow, world_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import fleets

from models import labels
from models.action import Action, Verb
from models.audit import CycleAnswer, Law, audit_cycle
from models.columns import fleet_of
from models.rules import Rule
from models.settings import Settings
from models.shortfall import Reason, Shortfall


def test_shadow_clusters_get_nothing_and_lose_nothing():
    active, shadow = silent_or_shadow("active"), silent_or_shadow("shadow")
    orders = "drain m b/n 600; configure i a/n"
    assert judge(active, orders, "b/n 1 WaitingForDrain") == set()
    assert judge(shadow, orders, "b/n 1 WaitingForDrain") == {Rule.UNTOUCHED}
    assert judge(shadow, "drain m - 600", "b/n 1") >= {Rule.UNTOUCHED}
    assert judge(shadow, "configure i a/n", "b/n 1") == {Rule.UNTOUCHED}


def test_silent_clusters_get_nothing_lose_nothing_and_lack_nothing():
    silent = silent_or_shadow("silent")
    assert judge(silent, "") == set()
    assert judge(silent, "configure i b/n") == {Rule.UNTOUCHED}
    assert judge(silent, "drain m - 600") >= {Rule.UNTOUCHED}
    assert judge(silent, "", "b/n 1") == {Law.SHORTFALL}


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        (CycleAnswer(2, (), (), np.array([-1], dtype=np.int32)), Law.OWN_MACHINE),
        (CycleAnswer(0, (), (), np.array([], dtype=np.int32)), Law.SERVES),
        (CycleAnswer(0, (), (), np.array([0], dtype=np.int32)), Law.SERVES),
        (CycleAnswer(0, (), (), np.array([-3], dtype=np.int32)), Law.SERVES),
        (
            CycleAnswer(0, [Action(Verb.DELETE, 9)], (), np.array([-1], dtype=np.int32)),
            Law.TRANSITION,
        ),
        (
            CycleAnswer(0, [Action(Verb.CREATE, 0, 9)], (), np.array([-1], dtype=np.int32)),
            Law.TRANSITION,
        ),
        (
            CycleAnswer(0, (), [Shortfall(0, 1, Reason.READ_ONLY)], np.array([-1], dtype=np.int32)),
            Law.SHORTFALL,
        ),
    ],
)
def test_rows_that_do_not_exist_are_refused(answer, rule):
    world = world_of([machine("m")], [])
    assert {violation.rule for violation in audit_cycle(world, answer, Settings())} == {rule}


@given(fleets(), st.data())
def test_doing_nothing_but_saying_so_is_legal(rows, data):
    """Every shard reports what its needs lack and orders nothing."""
    rows = replace(rows, machines=[replace(m, serves=-1) for m in rows.machines])
    world = fleet_of(rows)
    serves = np.full(len(world.machines), -1, dtype=np.int32)
    for shard, owner in enumerate(world.shards):
        shortfalls = [
            Shortfall(row, need.count, Reason.READ_ONLY)
            for row, need in enumerate(world.needs)
            if need.count
            and world.need_cluster[row] in owner.clusters
            and not world.silent[world.need_cluster[row]]
        ]
        assert audit_cycle(world, CycleAnswer(shard, (), shortfalls, serves), Settings()) == ()
        if shortfalls:
            left_out = data.draw(st.sampled_from(shortfalls))
            less = [s for s in shortfalls if s is not left_out]
            shadow = world.shadow[world.need_cluster[left_out.need]]
            found = audit_cycle(world, CycleAnswer(shard, (), less, serves), Settings())
            assert {violation.rule for violation in found} == (set() if shadow else {Law.SHORTFALL})


@given(fleets(), st.data())
def test_first_come_first_served_is_legal_and_a_stranger_is_not(rows, data):
    """Plain needs take what suits them, one machine after the other, judged from the rows."""
    rows = replace(rows, machines=[replace(m, serves=-1) for m in rows.machines])
    world = fleet_of(rows)
    by_id = {row.id: row for row in rows.machines}
    left = [by_id[id] for id in world.machines.ids]
    for shard, owner in enumerate(world.shards):
        answer = _first_come(world, shard, left)
        assert audit_cycle(world, answer, Settings()) == ()
        if not answer.actions:
            continue
        taken = data.draw(st.sampled_from(answer.actions))
        others = [
            row
            for row, other in enumerate(left)
            if other.shard == owner.name and not _suits(other, world.needs[taken.need])
        ]
        if others:
            row = data.draw(st.sampled_from(others))
            serves = np.array(answer.serves)
            serves[[taken.machine, row]] = -1, taken.need
            actions = [replace(a, machine=row) if a is taken else a for a in answer.actions]
            swapped = replace(answer, actions=actions, serves=serves)
            found = {violation.rule for violation in audit_cycle(world, swapped, Settings())}
            assert found & {Rule.MATCHES, Rule.FITS}


def _first_come(world, shard, machines):
    serves = np.full(len(machines), -1, dtype=np.int32)
    actions, shortfalls = [], []
    for wanted, row in enumerate(world.needs):
        cluster = world.need_cluster[wanted]
        if cluster not in world.shards[shard].clusters or world.silent[cluster]:
            continue
        lacks = row.count
        plain = not (row.is_gang or row.spread or row.floor or world.shadow[cluster])
        for index, candidate in enumerate(machines):
            verb = {IDLE: Verb.CONFIGURE, SPECULATIVE: Verb.CREATE}.get(candidate.state)
            unpriced = verb is Verb.CREATE and np.isnan(candidate.price_per_hour)
            if not plain or not lacks or verb is None or unpriced or serves[index] >= 0:
                continue
            mine = candidate.shard == world.shards[shard].name
            if mine and np.isnan(candidate.reclaim_at) and _suits(candidate, row):
                serves[index] = wanted
                actions.append(Action(verb, index, wanted))
                lacks -= 1
        if lacks:
            shortfalls.append(Shortfall(wanted, lacks, Reason.CAPACITY_EXHAUSTED))
    return CycleAnswer(shard, actions, shortfalls, serves)


def _suits(row, wanted):
    values = dict(row.labels)
    values[labels.CAPACITY_TYPE] = str(row.capacity_type)
    if row.instance_type:
        values[labels.INSTANCE_TYPE] = row.instance_type
    return all(
        requirement.matches(values.get(requirement.key))
        for requirement in wanted.requirements
        if requirement.key != "kubernetes.io/kubelet-version"
    ) and all(row.resources.get(name, 0) >= amount for name, amount in wanted.resources.items())
