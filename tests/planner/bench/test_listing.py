"""The Lists that reconcile is measured on: seeded, and a hundredth of them changed."""

import numpy as np
import pytest

from hotpath.reconcile import reconcile
from models.settings import Settings
from planner.bench import listing
from planner.bench.listing import lists_of, reconcile_samples
from planner.bench.questions import size_of
from planner.bench.run import Run


def test_the_same_seed_gives_the_same_lists():
    first, again, other = lists_of(500), lists_of(500), lists_of(500, seed=1)
    assert (first.known.ids == again.known.ids).all()
    assert (first.shuffled.ids == again.shuffled.ids).all()
    assert (first.known.ids != other.known.ids).any()


@pytest.mark.parametrize("machines", [1, 7, 5_000])
def test_a_hundredth_is_changed_new_or_missing(machines):
    lists = lists_of(machines)
    changed, new = round(0.004 * machines), round(0.003 * machines)
    assert len(lists.known) == len(lists.in_order) == len(lists.shuffled) == machines
    for listed in (lists.in_order, lists.shuffled):
        told = reconcile(lists.known, listed)
        assert (len(told.changed), len(told.new), len(told.missing)) == (changed, new, new)
        assert len(told.repeated) == len(told.nameless) == 0


def test_one_list_is_in_order_and_the_other_is_not():
    lists = lists_of(5_000)
    assert (np.sort(lists.in_order.ids) == lists.in_order.ids).all()
    assert (np.sort(lists.shuffled.ids) == lists.in_order.ids).all()
    assert (lists.shuffled.ids != lists.in_order.ids).mean() > 0.9


def test_each_order_is_measured_once(monkeypatch):
    asked: list[bool] = []
    monkeypatch.setattr(
        listing, "reconcile",
        lambda known, listed: asked.append(bool((listed.ids[:-1] < listed.ids[1:]).all())),
    )  # fmt: skip
    said: list[str] = []
    rows = list(reconcile_samples(Run(size_of(300, 1), 2, 0.01, 1, Settings(), said.append)))
    assert asked == [True, True, False, False]
    assert [row.question for row in rows] == ["reconcile in order", "reconcile in any order"]
    assert said == [
        "making a List of 300 machines",
        "reconcile in order: 300 machines, 2 times",
        "reconcile in any order: 300 machines, 2 times",
    ]
