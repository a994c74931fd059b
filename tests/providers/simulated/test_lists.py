"""Lists: cursors, lies, owners, pages, and a world that changes while it is read."""

import pytest

from models.errors import ProviderUnavailable
from models.machine import Operation
from providers.columns import machines_of
from providers.orders import ConfigureOrder, CreateOrder, Fence
from tests.providers.simulated.clouds import (
    ZONE,
    cloud,
    configure,
    create,
    drain,
    hosts,
    listed,
    match,
    slots,
)  # fmt: skip


def end_of(world, now=0.0, cursor="", **how):
    pages = list(world.list(cursor, now, **how))
    assert [page.end for page in pages[:-1]] == [None] * (len(pages) - 1)
    return pages[-1].end


def in_columns(world, now=0.0, cursor="", **how):
    columns = [page.columns for page in world.list(cursor, now, columnar=True, **how)]
    return [each for some in columns if some is not None for each in machines_of(some)]


def in_rows(world, now=0.0, cursor="", **how):
    return [each for page in world.list(cursor, now, **how) for each in page.machines]


def lively():
    """Give a world with something of everything."""
    rows = [
        *slots(3, labels={ZONE: "z0", "empty": ""}, price_per_hour=1.5),
        *hosts(3, labels={ZONE: "z1"}, resources={"cpu": 4000}, interruption_probability=0.1),
        *slots(1, "größe-機"),
    ]
    world = cloud(rows, create=60, timeouts={"configure": 1}, configure=5, reclaims={})
    create(world, ["s0", "größe-機0"])
    configure(world, "h0")
    world.reclaim(match(id="h1"), 1.0, 500.0, 2.0)
    world.kill(match(id="h2"), 2.0)
    world.set_price(match(id="s*"), 2.0, 2.0)
    return world


def test_columns_rows_and_get_say_the_same():
    world = lively()
    rows = in_rows(world, 3.0)
    assert in_columns(world, 3.0) == rows
    alive = [each for each in rows if each.id != "h2"]
    assert world.get([each.id for each in alive], 3.0).machines == tuple(alive)
    assert len(rows) == 7
    assert len({each.state for each in rows}) == 4
    assert {each.last_failure is None for each in rows} == {True, False}
    assert {each.reclaim_at for each in rows} == {None, 502.0}


def test_the_changes_since_a_cursor_are_what_changed():
    world = cloud([*slots(3), *hosts(2)], create=10)
    end = end_of(world)
    assert end.is_full
    assert listed(world, 0.0, end.cursor) == []
    create(world, ["s1"], 1.0)
    assert listed(world, 1.0, end.cursor) == ["s1"]
    second = end_of(world, 1.0, end.cursor)
    assert not second.is_full
    assert listed(world, 10.9, second.cursor) == []
    assert listed(world, 11.0, second.cursor) == ["s1"]
    assert listed(world, 11.0, end.cursor) == ["s1"]


def test_a_repeat_that_changes_nothing_is_no_change():
    world = cloud(slots(1), create=10)
    create(world, ["s0"])
    cursor = end_of(world).cursor
    create(world, ["s0"], 1.0)
    assert listed(world, 1.0, cursor) == []
    world.order(Operation.CREATE, Fence("s1", 1, 1), [CreateOrder("s0", 7)], 2.0)
    assert [each.shard for each in in_rows(world, 2.0, cursor)] == ["s1"]


@pytest.mark.parametrize(
    "of", ["{}9", "x{}", "{}x", "", "nonsense", "p@0.0.", "p@0.0.²", "p@0.0.-1"]
)
def test_a_cursor_that_nobody_gave_brings_all(of):
    world = cloud(slots(3))
    create(world, ["s0"])
    cursor = of.format(end_of(world).cursor)
    assert end_of(world, 0.0, cursor).is_full
    assert listed(world, 0.0, cursor) == ["s0", "s1", "s2"]


def test_a_cursor_of_many_digits_brings_all():
    assert end_of(cloud(slots(1)), 0.0, "p@0.0." + "9" * 5000).is_full


def test_a_cursor_of_another_life_brings_all():
    """Lives that began moments apart are told from each other too."""
    one, other = (cloud(slots(2), now=1_796_000_000.0 + n / 8) for n in range(2))
    assert end_of(other, 1_796_000_001.0, end_of(one, 1_796_000_001.0).cursor).is_full


def test_only_machines_of_an_owner_and_of_nobody():
    world = cloud(slots(3))
    for shard, name in (("a", "s0"), ("b", "s1")):
        world.order(Operation.CREATE, Fence(shard, 1, 1), [CreateOrder(name)], 0.0)
    assert listed(world, shard="a") == ["s0", "s2"]
    assert listed(world, shard="b") == ["s1", "s2"]
    assert listed(world, shard="none") == ["s2"]
    assert listed(world) == ["s0", "s1", "s2"]


def test_changes_tell_the_owner_before_who_has_its_machine_now():
    world = cloud(slots(3), create=10)

    def order(shard, name, version, now):
        fence = Fence(shard, 1, 1)
        world.order(Operation.CREATE, fence, [CreateOrder(name, version)], now)

    order("a", "s0", 1, 0.0)
    order("b", "s1", 1, 0.0)
    cursor = end_of(world, shard="a").cursor
    assert listed(world, 0.0, cursor, shard="a") == []
    order("b", "s0", 2, 1.0)
    order("b", "s2", 1, 1.0)
    for rows in (in_rows, in_columns):
        told = {each.id: each.shard for each in rows(world, 1.0, cursor, shard="a")}
        assert told == {"s0": "b", "s2": "b"}
    cursor = end_of(world, 1.0, cursor, shard="a").cursor
    # What the new owner's machines come to is no news to the one before.
    assert listed(world, 10.0, cursor, shard="a") == []
    assert listed(world, 11.0, cursor, shard="a") == []
    assert listed(world, 11.0, cursor, shard="b") == ["s0", "s1", "s2"]
    assert listed(world, 11.0, shard="a") == []
    fence = Fence("b", 1, 2)
    world.order(Operation.CONFIGURE, fence, [ConfigureOrder("s0", "c", 2)], 12.0)
    assert listed(world, 12.0, cursor, shard="a") == []


def test_lists_lie_as_they_are_told():
    world = cloud(
        [*hosts(2), *slots(2)],
        list=[
            {"returns": "empty", "from": 100, "until": 160},
            {"returns": "error", "from": 160, "until": 170},
            {"returns": "partial", "hide": {"id": "h*"}, "from": 165},
        ],
    )
    assert listed(world, 99.0) == ["h0", "h1", "s0", "s1"]
    assert (listed(world, 100.0), end_of(world, 100.0).is_full) == ([], True)
    with pytest.raises(ProviderUnavailable, match="the List failed"):
        world.list("", 169.0)
    assert (listed(world, 170.0), end_of(world, 170.0).is_full) == (["s0", "s1"], True)
    assert [each.id for each in in_columns(world, 170.0)] == ["s0", "s1"]


def test_pages_are_small_and_the_last_one_ends():
    world = cloud([*slots(1)[:0], *hosts(0), *[slots(1, f"m{n:05}")[0] for n in range(10_001)]])
    assert [len(page.machines) for page in world.list("", 0.0)] == [1000] * 10 + [1, 0]
    columnar = list(world.list("", 0.0, columnar=True))
    assert [len(page.columns) for page in columnar[:-1]] == [10_000, 1]
    assert columnar[-1].end is not None
    cursor = columnar[-1].end.cursor
    world.set_quota(match(), 3, 1.0)
    gone = [page.gone for page in world.list(cursor, 1.0)]
    assert [len(part) for part in gone] == [1000] * 9 + [998]
    assert len(set().union(*gone)) == 9998


def test_a_page_has_the_texts_that_it_needs_only():
    rows = [slots(1, f"m{n:05}", labels={"own": f"v{n}"})[0] for n in range(20_000)]
    first, second, _ = cloud(rows).list("", 0.0, columnar=True)
    assert len(first.columns.labels[0].values) == 10_000
    assert second.columns.labels[0].values[0] == "v10000"


def test_a_world_that_changes_while_it_is_read():
    """Each machine is listed once, as it was or as it is, and is in the next List of changes."""
    rows = [slots(1, f"m{n:05}")[0] for n in range(3000)] + hosts(1, "host")
    world = cloud(rows)
    pages = world.list("", 0.0)
    seen = list(next(pages).machines)
    create(world, ["m00000", "m029990"], 1.0)
    world.add_orphan("a", "host0", 2.0)
    world.add_orphan("m000005", "host0", 2.0)
    world.set_quota(match(id="m*"), 2990, 3.0)
    *rest, last = pages
    seen += [each for page in rest for each in page.machines]
    names = [each.id for each in seen]
    assert len(set(names)) == len(names)
    assert set(names) == {row.id for row in rows}
    changed = set(listed(world, 3.0, last.end.cursor))
    assert {"a", "m000005", "m029990"} <= changed
    assert len(list(world.list(last.end.cursor, 3.0))[-1].gone) == 11


def test_a_drain_shortened_is_a_change():
    world = cloud(hosts(1), drain=100)
    configure(world, "h0")
    drain(world, "h0", 50)
    cursor = end_of(world).cursor
    drain(world, "h0", 60, 1.0)
    assert listed(world, 1.0, cursor) == []
    drain(world, "h0", 10, 2.0)
    assert [each.estimated_ready for each in in_rows(world, 2.0, cursor)] == [12.0]
