"""How many shards there are to be: retiring, splitting and merging, by name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rebalancer.problems.ownership.sizes import Bounds, Sizes, merged, retired, split

BOUNDS = Bounds(max_clusters=4, max_machines=40)


def sizes(shards: dict[str, tuple[int, str]], stuck: str = "", bound: str = "") -> Sizes:
    """Give shards by name with machines and clusters, one letter each."""
    return Sizes(
        machines={name: machines for name, (machines, _) in shards.items()},
        owner={cluster: name for name, (_, clusters) in shards.items() for cluster in clusters},
        stuck=frozenset(stuck.split()),
        bound=frozenset(bound),
    )


def clusters(found: Sizes) -> dict[str, str]:
    return {name: "".join(found.clusters(name)) for name in found.machines}


def test_clusters_of_a_shard_that_goes_join_those_with_fewest():
    found = retired(sizes({"s0": (5, "abc"), "s1": (5, "d"), "s2": (5, "ef")}), {"s0"})
    assert clusters(found) == {"s1": "abd", "s2": "cef"}
    assert found.conflicts == ()
    nothing = retired(found, set())
    assert (clusters(nothing), nothing.machines) == (clusters(found), found.machines)


def test_not_every_shard_can_go():
    found = retired(sizes({"s0": (5, "a")}), {"s0"})
    assert clusters(found) == {"s0": "a"}
    assert found.conflicts == ("Not every shard can go: somebody must own the machines.",)


def test_a_shard_whose_cluster_holds_machines_does_not_go():
    found = retired(sizes({"s0": (5, "ab"), "s1": (5, "c")}, bound="b"), {"s0"})
    assert found.conflicts == ("s0 cannot go: machines of it are in use by b.",)
    # Which machine must stay is told by whoever moves them, and once is enough.
    assert retired(sizes({"s0": (5, "b"), "s1": (5, "")}, "s0", "b"), {"s0"}).conflicts == ()
    few = merged(sizes({"s0": (1, "b"), "s1": (1, "")}, bound="b"), Bounds())
    assert clusters(few) == {"s0": "b"}


@pytest.mark.parametrize(
    ("shards", "bound", "expected"),
    [
        ({"s": (40, "abcd")}, "", {"s": "abcd"}),
        ({"s": (1, "abcde")}, "", {"s": "cde", "s-2": "ab"}),
        ({"s": (41, "abcd")}, "", {"s": "cd", "s-2": "ab"}),
        ({"s": (81, "abcd")}, "", {"s": "cd", "s-2": "a", "s-3": "b"}),
        ({"s": (1, "abcde")}, "ab", {"s": "abe", "s-2": "cd"}),
        ({"s": (1, "abcde")}, "abcd", {"s": "abcd", "s-2": "e"}),
        ({"s": (1, "abcde"), "s-2": (1, "f")}, "", {"s": "cde", "s-2": "f", "s-3": "ab"}),
        ({"s": (81, "")}, "", {"s": "", "s-2": "", "s-3": ""}),
    ],
    ids=[
        "at both bounds", "clusters", "machines", "three", "bound ones stay", "few may go",
        "the name is taken", "no clusters",
    ],
)  # fmt: skip
def test_a_shard_above_a_bound_is_divided(shards, bound, expected):
    found = split(sizes(shards, bound=bound), BOUNDS)
    assert clusters(found) == expected
    assert found.conflicts == ()
    assert all(found.machines[name] == 0 for name in expected.keys() - shards.keys())


def test_clusters_that_hold_machines_cannot_leave():
    found = split(sizes({"s": (1, "abcdef")}, bound="abcde"), BOUNDS)
    assert found.conflicts == (
        "s would keep 5 clusters, of which it may have 4: those that hold machines cannot leave "
        "it.",
    )


@given(st.integers(0, 30), st.integers(0, 200))
def test_after_a_split_no_shard_has_too_many_clusters(count, machines):
    names = "abcdefghijklmnopqrstuvwxyzABCD"[:count]
    found = split(sizes({"s": (machines, names)}), BOUNDS)
    held = [len(each) for each in clusters(found).values()]
    assert sum(held) == count
    assert max(held) <= BOUNDS.max_clusters
    assert max(held) - min(held) <= 1
    assert len(held) == max(1, -(-count // 4), -(-machines // 40))


@pytest.mark.parametrize(
    ("shards", "stuck", "expected"),
    [
        ({"s0": (9, ""), "s1": (10, "")}, "", {"s0": "", "s1": ""}),
        ({"s0": (9, ""), "s1": (9, "")}, "", {"s1": ""}),
        ({"s0": (9, ""), "s1": (9, "a")}, "", {"s0": "", "s1": "a"}),
        ({"s0": (9, ""), "s1": (3, "")}, "", {"s0": ""}),
        ({"s0": (9, ""), "s1": (3, "")}, "s1", {"s1": ""}),
        ({"s0": (9, ""), "s1": (3, "")}, "s0 s1", {"s0": "", "s1": ""}),
        ({"s0": (1, ""), "s1": (2, ""), "s2": (3, "")}, "", {"s2": ""}),
        ({"s0": (5, ""), "s1": (6, ""), "s2": (7, "")}, "", {"s1": "", "s2": ""}),
        ({"s0": (1, "")}, "", {"s0": ""}),
    ],
    ids=[
        "a quarter of the machines", "both below", "a quarter of the clusters",
        "the smaller goes", "what must stay stays", "both must stay", "again and again",
        "until a quarter", "alone",
    ],
)  # fmt: skip
def test_shards_below_a_quarter_of_both_are_merged(shards, stuck, expected):
    found = merged(sizes(shards, stuck), BOUNDS)
    assert clusters(found) == expected
    assert sum(found.machines.values()) == sum(held for held, _ in shards.values())


def test_clusters_go_with_the_shard_that_merges():
    found = merged(sizes({"s0": (1, "ab"), "s1": (2, "c")}), Bounds(40, 40))
    assert clusters(found) == {"s1": "abc"}


def test_bounds_are_those_of_the_settings():
    assert (Bounds().max_clusters, Bounds().max_machines) == (100, 500_000)
