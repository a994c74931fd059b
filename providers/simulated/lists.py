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
from providers.simulated.world import World
from providers.texts import Texts

ROWS_A_PAGE = {True: 10_000, False: 1_000}
"""Machines in a page of columns and of rows: each below the 4 MiB that any gRPC client takes."""

DEAD = HEALTHS.index(Health.DEAD)


def pages_of(
    world: World, era: str, cursor: str, shard: str, lie: Listing | None, *, columnar: bool
) -> Iterator[Page]:
    """Give a List. ``era`` is the life of this world: the cursor of another one gives a full List.

    What changes while pages are read is listed as it was or as it is, and is in the next List of
    changes too. ``lie`` is what the List shows in place of the truth.
    """
    since = _since(cursor, era)
    end = ListEnd(f"{era}.{world.now_revision}", since is None)
    if lie is not None and lie.returns == "empty":
        yield Page(end=end)
        return
    mask = world.is_listed.copy()
    if since is not None:
        mask &= world.revision > since
    if shard:
        owner = world.words.places.get(shard, 0)
        mask &= (world.shard == owner) | (world.shard == 0)
    if lie is not None:
        mask &= ~matching(world, lie.hide)
    rows = np.flatnonzero(mask)
    gone = tuple(name for name, at in world.gone.items() if since is not None and at > since)
    size = ROWS_A_PAGE[columnar]
    for start in range(0, len(rows), size):
        yield _page(columns_of_rows(world, rows[start : start + size]), columnar)
    yield Page(gone=gone, end=end)


def _page(columns: MachineColumns, columnar: bool) -> Page:
    return Page(columns=columns) if columnar else Page(tuple(machines_of(columns)))


def _since(cursor: str, era: str) -> int | None:
    """Give the revision of a cursor; None for one that is empty, or of another life."""
    life, _, revision = cursor.rpartition(".")
    return int(revision) if life == era and revision.isascii() and revision.isdecimal() else None


def columns_of_rows(world: World, rows: NDArray[np.int64]) -> MachineColumns:
    """Give some machines as columns."""
    names = world.ids[rows]
    counts = world.operation[rows]
    operations = [
        operation_of(bytes(name).decode(), count) if count else ""
        for name, count in zip(names, counts.tolist(), strict=True)
    ]
    failures = {
        place: world.failures[row]
        for place, row in enumerate(rows.tolist() if world.failures else ())
        if row in world.failures
    }
    return MachineColumns(
        ids=Texts.of_padded(names),
        state=world.state[rows],
        class_index=world.class_index[rows],
        classes=tuple(world.classes),
        shard=world.shard[rows],
        cluster=world.cluster[rows],
        reservation=world.reservation[rows],
        texts=tuple(world.words.listed),
        operations=Texts.of(operations),
        hosts=Texts.of_padded(world.hosts[rows]),
        ownership_version=world.version[rows],
        health=np.where(world.is_dead[rows], DEAD, world.health[rows]).astype(np.uint8),
        state_since=world.since[rows],
        estimated_ready=world.ready[rows],
        reclaim_at=np.where(world.noticed[rows], world.due[rows], np.nan),
        failed_from=world.failed_from[rows],
        revision=world.revision[rows],
        labels=tuple(LabelColumn(each.key, each.values, each.index[rows]) for each in world.labels),
        failures=failures,
    )
