"""Lists of several accounts: merged, partial, changes, and slots that move meanwhile."""

from dataclasses import replace

from scripted_provider import away, pages_of, read
from virtual_time import run

from models.machine import State
from providers.columns import columns_of, machines_of
from providers.fanout.bindings import SqliteBindings
from providers.listing import ListEnd, Page
from providers.orders import CreateOrder, Fence
from tests.providers.fanout.accounts import FENCE, account, around, bought, later, orders


def test_a_list_of_which_one_account_fails_is_partial_but_has_the_others():
    for cursor in ("", None):
        a, b, c = account("a"), account("b"), account("c")
        _, provider = around(a, b, c)

        async def work(cursor, a=a, b=b, provider=provider):
            if cursor is None:
                whole, _ = await pages_of(provider.list())
                cursor = whole[-1].end.cursor
                a.provider.put(replace(a.provider.machines["m0"], state=State.IDLE, host="h"))
            b.script = [away("b is away")]
            return await pages_of(provider.list(cursor))

        pages, error = run(work(cursor))
        names = {machine.id for page in pages for machine in page.machines}
        assert "a/m0" in names
        assert not any(name.startswith("b/") for name in names)
        assert "b is away" in str(error)
        assert all(page.end is None for page in pages)
        assert len(names) == (8 if cursor == "" else 1)


def test_a_list_of_which_one_account_has_no_end_has_none():
    a, b = account("a"), account("b")
    _, provider = around(a, b)

    async def partial(cursor="", *, shard="", columnar=False):
        yield Page(tuple(a.provider.machines.values()))

    a.list = partial
    pages, error = run(pages_of(provider.list()))
    assert error is None
    assert pages[-1].end is None


def test_where_one_account_knows_its_cursor_no_more_all_is_listed():
    a, b = account("a"), account("b")
    _, provider = around(a, b)

    async def work():
        whole, _ = await pages_of(provider.list())
        cursor = whole[-1].end.cursor
        changes, _ = await pages_of(provider.list(cursor))
        assert changes[-1].end.is_full is False
        assert not any(page.machines for page in changes)
        a.provider.withdraw("m3")
        b_list = b.list

        async def forgetful(cursor="", *, shard="", columnar=False):
            async for page in b_list("", shard=shard, columnar=columnar):
                yield page

        b.list = forgetful
        return (await pages_of(provider.list(cursor)))[0]

    pages = run(work())
    assert pages[-1].end.is_full
    names = [machine.id for page in pages for machine in page.machines]
    assert sorted(names) == [f"a/m{n}" for n in range(3)] + [f"b/m{n}" for n in range(4)]
    assert not any(page.gone for page in pages)


def test_one_that_gives_changes_where_all_was_asked_for_leaves_the_list_without_an_end():
    a, b = account("a"), account("b")
    _, provider = around(a, b)

    async def changes(cursor="", *, shard="", columnar=False):
        yield Page(end=ListEnd("1", False))

    a.list = changes
    pages, _ = run(pages_of(provider.list()))
    assert all(page.end is None for page in pages)


def test_what_moves_while_pages_are_read_is_listed_all_the_same():
    a, b = account("a", 2), account("b", 2)
    _, provider = around(a, b)

    async def work():
        await read(provider.list())
        a.provider.put(replace(a.provider.machines["m1"], state=State.IDLE, host="h"))
        pages, names = provider.list(), []
        first = await anext(pages)
        names += [machine.id for machine in first.machines]
        # a/m0 gets a slot of b, which is not read yet; that id gets the slot that was read.
        await provider.create(FENCE, orders("a/m0"))
        last = {}
        async for page in pages:
            last |= {machine.id: machine for machine in page.machines}
            names += [machine.id for machine in page.machines]
        return names, last

    names, last = run(work())
    assert bought(b) == 1
    assert set(names) == {"a/m0", "a/m1", "b/m0", "b/m1"}
    assert last["a/m0"].state is State.CREATING


def test_an_id_that_moves_to_what_was_read_before_is_listed_too():
    a, b = account("a", 2), account("b", 2)
    _, provider = around(a, b)

    async def work():
        await read(provider.list())
        b.provider.put(replace(b.provider.machines["m1"], state=State.IDLE, host="h"))
        await read(provider.list())
        pages = provider.list()
        names = [machine.id for machine in (await anext(pages)).machines]
        await provider.create(FENCE, orders("b/m0"))
        async for page in pages:
            names += [machine.id for machine in page.machines]
        return names

    names = run(work())
    assert bought(a) == 1
    assert set(names) == {"a/m0", "a/m1", "b/m0", "b/m1"}


def test_changes_tell_of_another_owner_also_where_its_slot_moves_meanwhile():
    a, b = account("a", 2), account("b", 2)
    _, provider = around(a, b)
    b_list = b.list

    async def late(cursor="", *, shard="", columnar=False):
        await provider.create(Fence("s1", 1, 1), orders("b/m0"))
        async for page in b_list(cursor, shard=shard, columnar=columnar):
            yield page

    async def work():
        await read(provider.list())
        b.provider.put(replace(b.provider.machines["m1"], state=State.IDLE, host="h"))
        cursor = (await pages_of(provider.list(shard="s0")))[0][-1].end.cursor
        b.list = late
        return {each.id: each.shard for each in await read(provider.list(cursor, shard="s0"))}

    told = run(work())
    assert bought(a) == 1
    assert told["b/m0"] == "s1"


def test_what_moves_at_the_very_end_is_in_the_next_list_also_after_a_restart():
    a, b, store = account("a", 3), account("b", 3), SqliteBindings(":memory:")
    _, provider = around(a, b, store=store)

    async def work(provider):
        await read(provider.list())
        a.provider.put(replace(a.provider.machines["m2"], state=State.IDLE, host="h"))
        pages = provider.list()
        await anext(pages)
        await provider.create(FENCE, orders("a/m0"))
        cursor = ""
        async for page in pages:
            if page.end is not None:
                cursor = page.end.cursor
            elif [machine.id for machine in page.machines] == ["b/m2"]:
                # The page of what moved: now another one does.
                a.provider.put(replace(a.provider.machines["m1"], state=State.IDLE, host="h"))
                await read(provider.list())
                await provider.create(later(2), orders("b/m2"))
        moved = {name for name, row in store.load().items() if row.moved == 2}
        assert moved == {"b/m2", "b/m1"}
        _, provider = around(a, b, store=store)
        return moved, {machine.id for machine in await read(provider.list(cursor))}

    moved, listed = run(work(provider))
    assert moved <= listed


def test_after_a_restart_exchanges_are_numbered_on():
    a, b, store = account("a", 3), account("b", 3), SqliteBindings(":memory:")
    _, provider = around(a, b, store=store)

    async def busy(machine):
        a.provider.put(replace(a.provider.machines[machine], state=State.IDLE, host="h"))

    async def work(provider):
        await busy("m2")
        await read(provider.list())
        await provider.create(FENCE, orders("a/m0"))
        assert store.load()["a/m0"].moved == 1
        _, provider = around(a, b, store=store)
        await read(provider.list())
        cursor = (await pages_of(provider.list()))[0][-1].end.cursor
        await busy("m0")
        await read(provider.list())
        await provider.create(later(2), orders("a/m1"))
        assert store.load()["a/m1"].moved == 2
        return {machine.id for machine in await read(provider.list(cursor))}

    assert {"a/m1", "b/m1"} <= run(work(provider))


def test_of_one_owner_only_those_and_nobody_s_are_listed():
    a, b = account("a", 2), account("b", 2)
    _, provider = around(a, b)

    async def work():
        await read(provider.list())
        await provider.create(FENCE, orders("a/m0", "a/m1"))
        mine = {machine.id for machine in await read(provider.list(shard="s0"))}
        others = {machine.id for machine in await read(provider.list(shard="s1"))}
        return mine, others

    mine, others = run(work())
    assert {"a/m0", "a/m1"} <= mine
    assert not {"a/m0", "a/m1"} & others


def test_an_owner_learns_from_changes_that_another_has_its_machine():
    a, b = account("a", 2), account("b", 2)
    _, provider = around(a, b)

    async def work():
        await provider.create(FENCE, orders("a/m0", "b/m0"))
        cursor = (await pages_of(provider.list(shard="s0")))[0][-1].end.cursor
        order = CreateOrder("b/m0", 7)
        await provider.create(Fence("s1", 1, 1), [order])
        await provider.create(Fence("s1", 1, 2), [CreateOrder("a/m1")])
        told = {each.id: each.shard for each in await read(provider.list(cursor, shard="s0"))}
        whole = {each.id: each.shard for each in await read(provider.list(shard="s0"))}
        return told, whole

    told, whole = run(work())
    # The slot of nobody was in the List of s0 too.
    assert "s1" == told["b/m0"] == told["a/m1"]
    assert whole["a/m0"] == "s0"
    assert set(whole.values()) == {"", "s0"}


def test_columns_are_listed_as_rows_are():
    a, b = account("a"), account("b")
    _, provider = around(a, b)

    async def columnar(scripted, cursor="", *, shard="", columnar=False):
        async for page in scripted.provider.list(cursor, shard=shard):
            yield replace(page, machines=(), columns=columns_of(page.machines))

    async def work():
        await read(provider.list())
        await provider.create(FENCE, orders("a/m0", "a/m1", "a/m2"))
        rows = await read(provider.list())
        for each in (a, b):
            each.list = lambda *told, each=each, **more: columnar(each, *told, **more)
        pages, _ = await pages_of(provider.list(columnar=True))
        return rows, [m for page in pages if page.columns for m in machines_of(page.columns)]

    rows, columns = run(work())
    assert rows == columns
    assert len(rows) == 8
