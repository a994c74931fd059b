"""From rows to columns: find the classes and cells of an inventory and sort it by them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from models import labels
from models.distinct import distinct
from models.fleet import (
    Cells,
    Codes,
    Fleet,
    Ints,
    MachineClass,
    Machines,
    Mask,
    Shard,
    named_keys,
    numbers_of,
)
from models.machine import NOBODY, UNKNOWN_NEED, MachineRow
from models.need import Need
from models.pattern import expand, has_hole
from models.rows import ClusterMode, FleetRows

_FROM_FIELDS = (labels.INSTANCE_TYPE, labels.CAPACITY_TYPE, labels.PROVIDER)
"""Label keys whose values are fields of the class already."""


def fleet_of(rows: FleetRows) -> Fleet:
    """Give the fleet as columns; the order of the rows does not show in them.

    Costs one sort of the ids and a few passes over columns as long as the expanded inventory.
    ``rows`` must have been checked, see ``models.documents``.
    """
    # A row of no machines says nothing: neither a label's value nor a resource nor a cluster.
    rows = replace(rows, machines=[row for row in rows.machines if row.count])
    needs = tuple(sorted(rows.needs, key=lambda need: (need.cluster, need.id)))
    spine = _Spine.of(rows.machines)
    levels, level_values, level_codes = _levels(rows, spine)
    resources = tuple(sorted({name for row in rows.machines for name in row.resources}))
    class_labels = _class_labels(needs, levels)
    classes, class_index = _classes(rows.machines, spine, resources, class_labels)
    cells, cell = _cells(class_index, level_codes)

    clusters = tuple(sorted(_cluster_names(rows)))
    cluster_code = {name: index for index, name in enumerate(clusters)}
    shards = _shards(rows, clusters)
    places = _Places(shards, clusters, _need_places(rows, needs))
    machines = _machines(spine, places, class_index, cell)
    return Fleet(
        name=rows.name,
        resources=resources,
        topology=rows.topology,
        levels=levels,
        level_values=level_values,
        class_labels=class_labels,
        shards=shards,
        clusters=clusters,
        silent=np.full(len(clusters), not rows.needs_given),
        shadow=_shadow(rows, clusters),
        classes=classes,
        numbers=numbers_of(classes, len(resources)),
        cells=cells,
        machines=machines.take(np.lexsort((machines.id_rank, class_index))),
        needs=needs,
        need_cluster=np.array([cluster_code[n.cluster] for n in needs], dtype=np.int32),
    )


@dataclass(frozen=True, eq=False, slots=True)
class _Spine:
    """Rows of an inventory and the machines each stands for."""

    rows: Sequence[MachineRow]
    counts: Ints

    @staticmethod
    def of(rows: Sequence[MachineRow]) -> "_Spine":
        return _Spine(rows, np.array([row.count for row in rows], dtype=np.int64))

    def numbers(self, field: Callable[[MachineRow], float], kind: DTypeLike) -> NDArray[Any]:
        """Give a number that is the same for all machines of a row."""
        return np.repeat(np.array([field(row) for row in self.rows], dtype=kind), self.counts)

    def texts(self, field: Callable[[MachineRow], str | None]) -> NDArray[np.object_]:
        """Give a text that may differ inside a row; None stays None."""
        written = [field(row) for row in self.rows]
        out = np.repeat(np.array(written, dtype=np.object_), self.counts)
        for place, texts in self._patterns(written):
            out[place] = texts
        return out

    def coded(self, field: Callable[[MachineRow], str | None], names: Sequence[str]) -> Codes:
        """Give a text that all machines of a row share as its place in ``names``; None is -1."""
        code = {name: index for index, name in enumerate(names)}
        return self.numbers(lambda row: code.get(field(row) or "", -1), np.int32)

    def label_codes(self, key: str) -> tuple[Codes, tuple[str, ...]]:
        """Give a label as codes and the sorted values they stand for; -1 where it is absent."""
        written = [row.labels.get(key) for row in self.rows]
        fixed = [
            None if _varies(row, text) else text
            for row, text in zip(self.rows, written, strict=True)
        ]
        found: dict[str | None, int] = {None: -1}
        codes = np.repeat(
            np.array([found.setdefault(text, len(found) - 1) for text in fixed], dtype=np.int32),
            self.counts,
        )
        for place, texts in self._patterns(written):
            codes[place] = [found.setdefault(text, len(found) - 1) for text in texts]
        del found[None]
        values = tuple(sorted(text for text in found if text is not None))
        # One entry more, for -1: a machine without the label stays without it.
        rank = np.full(len(found) + 1, -1, dtype=np.int32)
        rank[[found[value] for value in values]] = np.arange(len(values), dtype=np.int32)
        return rank[codes], values

    def _patterns(self, written: Sequence[str | None]) -> Iterator[tuple[slice, list[str]]]:
        """Give for each row whose text differs inside it where it stands and what it becomes."""
        ends = np.cumsum(self.counts).tolist()
        for row, text, end in zip(self.rows, written, ends, strict=True):
            if text is not None and _varies(row, text):
                yield slice(end - row.count, end), expand(text, row.count)


@dataclass(frozen=True, eq=False, slots=True)
class _Places:
    """What machines refer to, in the order of the fleet; ``need`` maps from that of the rows."""

    shards: tuple[Shard, ...]
    clusters: tuple[str, ...]
    need: Codes


def _need_places(rows: FleetRows, needs: Sequence[Need]) -> Codes:
    """Give the place among the sorted needs of each need of the rows, and of what is none."""
    place = {(need.cluster, need.id): index for index, need in enumerate(needs)}
    # UNKNOWN_NEED is -2 and NOBODY -1: as the last two entries they stand for themselves.
    return np.array(
        [*(place[need.cluster, need.id] for need in rows.needs), UNKNOWN_NEED, NOBODY],
        dtype=np.int32,
    )


def _machines(spine: _Spine, places: _Places, class_index: Codes, cell: Codes) -> Machines:
    """Give the columns of the machines in the order of the rows."""
    ids = spine.texts(lambda row: row.id)
    return Machines(
        ids=ids,
        id_rank=_rank(ids),
        host_refs=spine.texts(lambda row: row.host_ref),
        cell=cell,
        class_index=class_index,
        shard=spine.coded(lambda row: row.shard, [shard.name for shard in places.shards]),
        cluster=spine.coded(lambda row: row.cluster, places.clusters),
        serves=places.need[spine.numbers(lambda row: row.serves, np.int32)],
        state=spine.numbers(lambda row: row.state, np.int8),
        reclamation_penalty=spine.numbers(lambda row: row.reclamation_penalty, np.float64),
        ready_seconds=spine.numbers(lambda row: row.ready_seconds, np.float64),
        pinned=spine.numbers(lambda row: row.pinned, np.bool_),
        state_since=spine.numbers(lambda row: row.state_since, np.float64),
        reclaim_at=spine.numbers(lambda row: row.reclaim_at, np.float64),
    )


def _varies(row: MachineRow, text: str | None) -> bool:
    return row.is_pattern and text is not None and has_hole(text)


def _levels(
    rows: FleetRows, spine: _Spine
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...], NDArray[np.int32]]:
    """Give the keys of the levels, their values, and each machine's codes, ``(M, L)``."""
    levels = list(rows.topology)
    levels.extend(key for key in (labels.REGION, labels.ZONE) if key not in levels)
    if labels.HOSTNAME in named_keys(rows.needs) and labels.HOSTNAME not in levels:
        levels.append(labels.HOSTNAME)
    coded = [spine.label_codes(level) for level in levels]
    return (
        tuple(levels),
        tuple(values for _, values in coded),
        np.stack([codes for codes, _ in coded], axis=1),
    )


def _class_labels(needs: Sequence[Need], levels: Sequence[str]) -> tuple[str, ...]:
    """Give the keys of the labels that tell classes apart, sorted."""
    told = named_keys(needs) | {labels.QUOTA, labels.SUBNET}
    return tuple(sorted(told - {*levels, *_FROM_FIELDS}))


def _classes(
    rows: Sequence[MachineRow],
    spine: _Spine,
    resources: tuple[str, ...],
    class_labels: tuple[str, ...],
) -> tuple[tuple[MachineClass, ...], Codes]:
    """Give the classes in their order and the class of each machine."""
    found: dict[tuple[object, ...], int] = {}
    fields = [
        found.setdefault(
            (
                row.provider,
                row.instance_type,
                row.capacity_type,
                _price_key(row.price_per_hour),
                row.interruption_probability + 0.0,
                tuple(row.resources.get(name, 0) for name in resources),
            ),
            len(found),
        )
        for row in rows
    ]
    columns = [np.repeat(np.array(fields, dtype=np.int32), spine.counts)]
    coded = [spine.label_codes(key) for key in class_labels]
    columns.extend(codes for codes, _ in coded)
    unsorted, first = distinct(np.stack(columns, axis=1))
    known = list(found)
    keys = [
        (
            *known[columns[0][at]],
            tuple(values[codes[at]] if codes[at] >= 0 else None for codes, values in coded),
        )
        for at in first
    ]
    order = sorted(range(len(keys)), key=lambda index: _sortable(keys[index]))
    rank = np.empty(len(keys), dtype=np.int32)
    rank[order] = np.arange(len(keys), dtype=np.int32)
    return tuple(_class_of(keys[index]) for index in order), rank[unsorted]


def _price_key(price: float) -> tuple[bool, float]:
    """Give a price that compares: unknown (NaN) after every known one, and equal to itself."""
    # Adding zero makes -0.0 and the integer 0 the one 0.0, so that which came first never shows.
    return (isnan(price), 0.0 if isnan(price) else price + 0.0)


def _sortable(key: tuple[Any, ...]) -> tuple[object, ...]:
    *fields, texts = key
    return (*fields, tuple((text is not None, text or "") for text in texts))


def _class_of(key: tuple[Any, ...]) -> MachineClass:
    provider, instance_type, capacity_type, (unknown, price), probability, amounts, texts = key
    return MachineClass(
        provider,
        instance_type,
        capacity_type,
        nan if unknown else price,
        probability,
        amounts,
        texts,
    )


def _cells(class_index: Codes, level_codes: NDArray[np.int32]) -> tuple[Cells, Codes]:
    """Give the cells in the order of class and domain, and the cell of each machine."""
    stacked = np.column_stack([class_index, level_codes])
    cell, first = distinct(stacked)
    return Cells(class_index[first], level_codes[first]), cell


def _rank(ids: NDArray[np.object_]) -> Ints:
    """Give the place of each id in their order by code point."""
    rank = np.empty(len(ids), dtype=np.int64)
    rank[sorted(range(len(ids)), key=ids.tolist().__getitem__)] = np.arange(len(ids))
    return rank


def _cluster_names(rows: FleetRows) -> Iterable[str]:
    names = {need.cluster for need in rows.needs} | {row.name for row in rows.clusters}
    names.update(row.cluster for row in rows.machines if row.cluster is not None)
    for shard in rows.shards:
        names.update(shard.clusters)
    return names


def _shadow(rows: FleetRows, clusters: tuple[str, ...]) -> Mask:
    shadow = {row.name for row in rows.clusters if row.mode is ClusterMode.SHADOW}
    return np.array([name in shadow for name in clusters], dtype=np.bool_)


def _shards(rows: FleetRows, clusters: tuple[str, ...]) -> tuple[Shard, ...]:
    code = {name: index for index, name in enumerate(clusters)}
    if not rows.shards_given:
        return (Shard(rows.shards[0].name, tuple(range(len(clusters)))),)
    return tuple(
        Shard(shard.name, tuple(sorted(code[name] for name in shard.clusters)))
        for shard in sorted(rows.shards, key=lambda shard: shard.name)
    )
