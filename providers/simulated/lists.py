"""Lists of a simulated world: in pages of columns or rows, of all machines or of what changed."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from providers.columns import HEALTHS, LabelColumn, MachineColumns, machines_of
from providers.listing import ListEnd, Page
from providers.machine import Health
from providers.simulated.books import operation_of
from providers.simulated.knobs import Listing
from providers.simulated.rules import matching
from providers.simulated.world import Rows, World
from providers.texts import Texts

ROWS_A_PAGE = {True: 10_000, False: 1_000}
"""Machines in a page of columns and of rows: each below the 4 MiB that any gRPC client takes."""

DEAD = HEALTHS.index(Health.DEAD)

_LONGEST_REVISION = 19
"""Digits of the longest revision that there may be."""


def pages_of(
    world: World, era: str, cursor: str, shard: str, lie: Listing | None, *, columnar: bool
) -> Iterator[Page]:
    """Give a List. ``era`` is the life of this world: the cursor of another one gives a full List.

    What changes while pages are read is listed as it was or as it is, and is in the next List of
    changes too. ``lie`` is what the List shows in place of the truth.
    """
    since = _since(cursor, era, world.now_revision)
    end = ListEnd(f"{era}.{world.now_revision}", since is None)
    if lie is not None and lie.returns == "empty":
        yield Page(end=end)
        return
    rows, ids = np.flatnonzero(_chosen(world, since, shard, lie)), world.ids
    gone = [name for name, at in world.gone.items() if since is not None and at > since]
    size = ROWS_A_PAGE[columnar]
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        if world.ids is not ids:
            # Machines were added meanwhile, and the others have moved.
            part = np.searchsorted(world.ids, ids[part])
        yield _page(columns_of_rows(world, part), columnar)
    while len(gone) > size:
        yield Page(gone=tuple(gone[-size:]))
        del gone[-size:]
    yield Page(gone=tuple(gone), end=end)


def _chosen(world: World, since: int | None, shard: str, lie: Listing | None) -> NDArray[np.bool_]:
    """Mark the machines that a List has."""
    mask = world.is_listed.copy()
    if since is not None:
        mask &= world.revision > since
    if shard:
        owner = world.words.places.get(shard, 0)
        chosen = (world.shard == owner) | (world.shard == 0)
        # The owner before learns of it too.
        mask &= chosen if since is None else chosen | (world.moved > since)
    if lie is not None and lie.hide is not None:
        mask &= ~matching(world, lie.hide)
    return mask


def _page(columns: MachineColumns, columnar: bool) -> Page:
    return Page(columns=columns) if columnar else Page(tuple(machines_of(columns)))


def _since(cursor: str, era: str, now_revision: int) -> int | None:
    """Give the revision of a cursor; None for one that is empty, or of another life."""
    life, _, written = cursor.rpartition(".")
    is_ours = life == era and written.isascii() and written.isdecimal()
    if not is_ours or len(written) > _LONGEST_REVISION or int(written) > now_revision:
        return None
    return int(written)


def columns_of_rows(world: World, rows: Rows) -> MachineColumns:
    """Give some machines as columns, with no more texts and classes than they need."""
    names = world.ids[rows]
    counts = world.operation[rows]
    operations = [
        operation_of(name.decode(), count) if count else ""
        for name, count in zip(names.tolist(), counts.tolist(), strict=True)
    ]
    failures = {
        place: world.failures[row]
        for place, row in enumerate(rows.tolist() if world.failures else ())
        if row in world.failures
    }
    kinds, class_index = _numbered(world.class_index[rows])
    words = np.stack([world.shard[rows], world.cluster[rows], world.reservation[rows]])
    used, (shard, cluster, reservation) = _numbered(words, 0)
    return MachineColumns(
        ids=Texts.of_padded(names),
        state=world.state[rows],
        class_index=class_index,
        classes=tuple(world.classes[kind] for kind in kinds),
        shard=shard,
        cluster=cluster,
        reservation=reservation,
        texts=tuple(world.words.listed[word] for word in used),
        operations=Texts.of(operations),
        hosts=Texts.of_padded(world.hosts[rows]),
        ownership_version=world.version[rows],
        health=np.where(world.is_dead[rows], DEAD, world.health[rows]).astype(np.uint8),
        state_since=world.since[rows],
        estimated_ready=world.ready[rows],
        reclaim_at=np.where(world.noticed[rows], world.due[rows], np.nan),
        failed_from=world.failed_from[rows],
        revision=world.revision[rows],
        labels=tuple(_label(each, rows) for each in world.labels),
        failures=failures,
    )


def _label(column: LabelColumn, rows: Rows) -> LabelColumn:
    codes, index = _numbered(column.index[rows], 0)
    return LabelColumn(column.key, tuple(column.values[code - 1] for code in codes[1:]), index)


def _numbered(codes: NDArray[np.uint32], *also: int) -> tuple[list[int], NDArray[np.uint32]]:
    """Give the codes there are, and those in ``also``, in order, and the place of each among them.

    A million machines may have a million values of a label, of which a page needs its own only.
    """
    there, places = np.unique(
        np.append(codes.ravel(), np.array(also, np.uint32)), return_inverse=True
    )
    return there.tolist(), places[: codes.size].reshape(codes.shape).astype(np.uint32)
