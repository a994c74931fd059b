"""Rows into columns, against plain lists of single machines sorted by plain tuples."""

import re
from dataclasses import fields, is_dataclass, replace
from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import labels
from models.columns import fleet_of
from models.fleet import Fleet
from models.machine import NOBODY, UNKNOWN_NEED, CapacityType, MachineRow, State
from models.need import Need, Spread
from models.requirement import Operator, Requirement
from models.rows import ClusterMode, ClusterRow, FleetRows, ShardRow

RACK = "example.com/rack"
OWN_FIELDS = {labels.INSTANCE_TYPE, labels.CAPACITY_TYPE, labels.PROVIDER}
KEYS = (labels.REGION, labels.ZONE, RACK, labels.HOSTNAME, "pool", "os", labels.QUOTA)
TEXTS = ("", "a", "b", "Z", "\u00e9", "z10", "z9", "n{}", "r{//2}", "{//3}-{}")
TOPOLOGIES = ((), (labels.REGION, labels.ZONE), (RACK,), (labels.ZONE, RACK, labels.HOSTNAME))
CLUSTERS = ("c", "B", "c10", "c9")


@st.composite
def fleets(draw: st.DrawFn) -> FleetRows:
    """Draw any rows, patterns among them; not all of them would pass the judge."""
    shards = draw(st.lists(st.sampled_from(("s1", "s0", "s10")), unique=True))
    owner = {name: draw(st.sampled_from(shards)) for name in CLUSTERS if shards}
    names = draw(
        st.lists(st.tuples(st.sampled_from(CLUSTERS), st.sampled_from("xyz")), unique=True)
    )
    needs = tuple(draw(needs_of(cluster, id)) for cluster, id in names)
    ids = draw(st.lists(st.sampled_from(("m2", "m10", "B", "\u00e9", "a", "Z9")), unique=True))
    serves = st.sampled_from((NOBODY, UNKNOWN_NEED, *range(len(needs))))
    return FleetRows(
        topology=draw(st.sampled_from(TOPOLOGIES)),
        shards=tuple(
            ShardRow(shard, tuple(name for name in CLUSTERS if owner[name] == shard))
            for shard in shards
        )
        or (ShardRow("s0"),),
        shards_given=bool(shards),
        machines=[draw(machines_of(id, shards or ["s0"], serves)) for id in ids],
        needs=needs,
        needs_given=draw(st.booleans()),
        clusters=tuple(
            ClusterRow(name, draw(st.sampled_from(ClusterMode)))
            for name in draw(st.lists(st.sampled_from(CLUSTERS), unique=True))
        ),
    )


@st.composite
def needs_of(draw: st.DrawFn, cluster: str, id: str) -> Need:
    key = st.sampled_from((*KEYS, labels.INSTANCE_TYPE, labels.PROVIDER))
    return Need(
        id=id,
        cluster=cluster,
        count=draw(st.integers(0, 3)),
        requirements=tuple(
            Requirement(name, Operator.EXISTS) for name in draw(st.lists(key, max_size=2))
        ),
        same=draw(st.one_of(st.none(), key)),
        spread=tuple(Spread(name) for name in draw(st.lists(key, max_size=1))),
    )


@st.composite
def machines_of(
    draw: st.DrawFn, id: str, shards: list[str], serves: st.SearchStrategy[int]
) -> MachineRow:
    is_pattern = draw(st.booleans())
    return MachineRow(
        id=f"{id}-{{}}" if is_pattern else id,
        capacity_type=draw(st.sampled_from(CapacityType)),
        count=draw(st.integers(0, 12)) if is_pattern else 1,
        is_pattern=is_pattern,
        shard=draw(st.sampled_from(shards)),
        state=draw(st.sampled_from(State)),
        provider=draw(st.sampled_from("pq")),
        host_ref=draw(st.sampled_from((None, "h", "h-{}", "h{//2}"))),
        cluster=draw(st.sampled_from((None, *CLUSTERS))),
        serves=draw(serves),
        instance_type=draw(st.sampled_from(("", "t", "T"))),
        price_per_hour=draw(st.sampled_from((0.0, -0.0, 0, 2, 1.5, 10.0, nan))),
        interruption_probability=draw(st.sampled_from((0.0, -0.0, 0, 0.5))),
        resources=draw(st.dictionaries(st.sampled_from(("gpu", "cpu")), st.integers(0, 2))),
        labels=draw(st.dictionaries(st.sampled_from(KEYS), st.sampled_from(TEXTS))),
        reclamation_penalty=draw(st.sampled_from((0.0, 5.0))),
        ready_seconds=draw(st.sampled_from((0.0, 60.0))),
        pinned=draw(st.booleans()),
        state_since=draw(st.sampled_from((-inf, -60.0))),
        reclaim_at=draw(st.sampled_from((nan, 30.0))),
    )


@st.composite
def shuffled(draw: st.DrawFn, rows: FleetRows) -> FleetRows:
    """Draw the same rows in another order; what the machines serve stays the same need."""
    order = draw(st.permutations(range(len(rows.needs))))
    place = {old: new for new, old in enumerate(order)}
    return replace(
        rows,
        shards=tuple(
            replace(shard, clusters=tuple(draw(st.permutations(shard.clusters))))
            for shard in draw(st.permutations(rows.shards))
        ),
        machines=[
            replace(row, serves=place.get(row.serves, row.serves))
            for row in draw(st.permutations(rows.machines))
        ],
        needs=tuple(rows.needs[old] for old in order),
        clusters=tuple(draw(st.permutations(rows.clusters))),
    )


def written_out(rows: FleetRows) -> FleetRows:
    """Give the same fleet with a row for each machine."""
    return replace(
        rows,
        machines=[
            at_index(row, index) if row.is_pattern else row
            for row in rows.machines
            for index in range(row.count)
        ],
    )


def at_index(row: MachineRow, index: int) -> MachineRow:
    def filled(text: str) -> str:
        text = text.replace("{}", str(index))
        return re.sub(r"\{//(\d)\}", lambda hole: str(index // int(hole[1])), text)

    return replace(
        row,
        count=1,
        is_pattern=False,
        id=filled(row.id),
        host_ref=None if row.host_ref is None else filled(row.host_ref),
        labels={key: filled(text) for key, text in row.labels.items()},
    )


def everything(value: object) -> object:
    """Give a value of columns as plain lists; the texts of numbers, since NaN is not itself."""
    if isinstance(value, np.ndarray):
        return str(value.dtype), repr(value.tolist())
    if is_dataclass(value) and not isinstance(value, Need):
        return [everything(getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, tuple):
        return [everything(item) for item in value]
    return repr(value)


@given(fleets(), st.data())
def test_the_order_of_rows_does_not_show(rows, data):
    assert everything(fleet_of(data.draw(shuffled(rows)))) == everything(fleet_of(rows))


@given(fleets())
def test_a_pattern_is_its_machines_written_out(rows):
    assert everything(fleet_of(rows)) == everything(fleet_of(written_out(rows)))


def named(rows: FleetRows) -> set[str]:
    keys: set[str] = set()
    for need in rows.needs:
        keys |= {requirement.key for requirement in need.requirements}
        keys |= {spread.key for spread in need.spread} | {need.same} - {None}
    return keys


def levels_of(rows: FleetRows) -> list[str]:
    levels = list(rows.topology)
    for key in (labels.REGION, labels.ZONE, labels.HOSTNAME):
        if key not in levels and (key != labels.HOSTNAME or key in named(rows)):
            levels.append(key)
    return levels


def class_labels_of(rows: FleetRows) -> list[str]:
    keys = named(rows) | {labels.QUOTA, labels.SUBNET}
    return sorted(keys - set(levels_of(rows)) - {labels.HOSTNAME} - OWN_FIELDS)


def class_of(machine: MachineRow, resources: list[str], keys: list[str]) -> tuple[object, ...]:
    """Give the fields that make a class, each such that plain comparison is the right one."""
    unknown = isnan(machine.price_per_hour)
    return (
        machine.provider,
        machine.instance_type,
        str(machine.capacity_type),
        (unknown, 0.0 if unknown else machine.price_per_hour),
        machine.interruption_probability,
        tuple(machine.resources.get(name, 0) for name in resources),
        present(machine, keys),
    )


def present(machine: MachineRow, keys: list[str]) -> tuple[tuple[bool, str], ...]:
    return tuple((key in machine.labels, machine.labels.get(key, "")) for key in keys)


def classes_in(fleet: Fleet) -> list[tuple[object, ...]]:
    def price(value: float) -> tuple[bool, float]:
        return (isnan(value), 0.0 if isnan(value) else value)

    return [
        (
            row.provider,
            row.instance_type,
            str(row.capacity_type),
            price(row.price_per_hour),
            row.interruption_probability,
            row.resources,
            tuple((text is not None, text or "") for text in row.labels),
        )
        for row in fleet.classes
    ]


def cells_in(fleet: Fleet) -> list[tuple[int, tuple[tuple[bool, str], ...]]]:
    return [
        (
            int(fleet.cells.class_index[cell]),
            tuple(
                (code >= 0, values[code] if code >= 0 else "")
                for code, values in zip(
                    fleet.cells.level_codes[cell], fleet.level_values, strict=True
                )
            ),
        )
        for cell in range(len(fleet.cells))
    ]


@given(fleets())
def test_classes_cells_and_machines_are_sorted_as_plain_tuples_are(rows):
    fleet = fleet_of(rows)
    levels, keys = levels_of(rows), class_labels_of(rows)
    machines = written_out(rows).machines
    resources = sorted({name for machine in machines for name in machine.resources})
    classes = sorted({class_of(machine, resources, keys) for machine in machines})
    place = {kind: index for index, kind in enumerate(classes)}
    listed = sorted(
        (place[class_of(machine, resources, keys)], machine.id, present(machine, levels))
        for machine in machines
    )
    cells = sorted({(kind, domain) for kind, _, domain in listed})

    assert (list(fleet.resources), list(fleet.levels)) == (resources, levels)
    assert list(fleet.class_labels) == keys
    assert [list(values) for values in fleet.level_values] == [
        sorted({machine.labels[level] for machine in machines if level in machine.labels})
        for level in levels
    ]
    assert classes_in(fleet) == classes
    assert cells_in(fleet) == cells
    assert fleet.machines.class_index.tolist() == [kind for kind, _, _ in listed]
    assert fleet.machines.ids.tolist() == [id for _, id, _ in listed]
    assert fleet.machines.cell.tolist() == [cells.index((k, domain)) for k, _, domain in listed]
    ids = sorted(machine.id for machine in machines)
    assert fleet.machines.id_rank.tolist() == [ids.index(id) for _, id, _ in listed]


@given(fleets())
def test_each_machine_keeps_what_its_row_says(rows):
    fleet = fleet_of(rows)
    given_by_id = {machine.id: machine for machine in written_out(rows).machines}
    needs = sorted(rows.needs, key=lambda need: (need.cluster, need.id))
    columns = fleet.machines
    assert list(fleet.needs) == needs
    for row, id in enumerate(columns.ids):
        machine = given_by_id[id]
        serves = int(columns.serves[row])
        assert (fleet.needs[serves] if serves >= 0 else serves) == (
            rows.needs[machine.serves] if machine.serves >= 0 else machine.serves
        )
        cluster = int(columns.cluster[row])
        assert (None if cluster < 0 else fleet.clusters[cluster]) == machine.cluster
        assert fleet.shards[columns.shard[row]].name == machine.shard
        assert columns.host_refs[row] == machine.host_ref
        assert columns.state[row] == machine.state
        assert columns.reclamation_penalty[row] == machine.reclamation_penalty
        assert columns.ready_seconds[row] == machine.ready_seconds
        assert columns.pinned[row] == machine.pinned
        assert columns.state_since[row] == machine.state_since
        assert repr(float(columns.reclaim_at[row])) == repr(machine.reclaim_at)


@given(fleets())
def test_clusters_and_shards_are_sorted_by_name(rows):
    fleet = fleet_of(rows)
    clusters = {need.cluster for need in rows.needs} | {row.name for row in rows.clusters}
    clusters |= {machine.cluster for machine in written_out(rows).machines} - {None}
    clusters.update(name for shard in rows.shards for name in shard.clusters)
    owned = {
        shard.name: sorted(shard.clusters) if rows.shards_given else sorted(clusters)
        for shard in rows.shards
    }
    assert list(fleet.clusters) == sorted(clusters)
    assert [shard.name for shard in fleet.shards] == sorted(owned)
    for shard in fleet.shards:
        assert [fleet.clusters[index] for index in shard.clusters] == owned[shard.name]
    assert [fleet.clusters[index] for index in fleet.need_cluster] == [
        need.cluster for need in fleet.needs
    ]
    shadow = {row.name for row in rows.clusters if row.mode is ClusterMode.SHADOW}
    assert [name for name, on in zip(fleet.clusters, fleet.shadow, strict=True) if on] == sorted(
        shadow
    )
    assert fleet.silent.tolist() == [not rows.needs_given] * len(fleet.clusters)


def spot(id: str = "m", **given: object) -> MachineRow:
    return replace(MachineRow(id, CapacityType.SPOT), **given)


def classes(*machines: MachineRow, needs: tuple[Need, ...] = ()) -> list[tuple[object, ...]]:
    """Give what tells classes apart: price and labels."""
    fleet = fleet_of(FleetRows(machines=list(machines), needs=needs, needs_given=True))
    return [(row.price_per_hour, row.labels) for row in fleet.classes]


def test_an_empty_fleet_has_empty_columns():
    fleet = fleet_of(FleetRows())
    assert (len(fleet.machines), len(fleet.classes), len(fleet.cells)) == (0, 0, 0)
    assert (fleet.clusters, fleet.needs, fleet.resources) == ((), (), ())
    assert fleet.numbers.resources.shape == (0, 0)
    assert fleet.cells.level_codes.shape == (0, 2)
    assert [shard.name for shard in fleet.shards] == ["s0"]


def test_a_row_of_no_machines_says_nothing():
    empty = spot("m-{}", count=0, is_pattern=True, cluster="c", labels={labels.ZONE: "z"})
    empty = replace(empty, resources={"gpu": 8})
    assert everything(fleet_of(FleetRows(machines=[empty]))) == everything(fleet_of(FleetRows()))


def test_an_unknown_price_comes_after_every_known_one():
    prices = [
        price
        for price, _ in classes(
            spot("a"), spot("b", price_per_hour=9e9), spot("c", price_per_hour=0.0), spot("d")
        )
    ]
    assert repr(prices) == "[0.0, 9000000000.0, nan]"


@pytest.mark.parametrize("field", ["price_per_hour", "interruption_probability"])
def test_every_way_to_write_zero_is_one_class_of_one_name(field):
    zeros = [spot(id, price_per_hour=1.0) for id in ("a", "b", "c")]
    zeros = [replace(row, **{field: zero}) for row, zero in zip(zeros, (-0.0, 0, 0.0), strict=True)]
    for machines in (zeros, zeros[::-1], zeros[1:]):
        fleet = fleet_of(FleetRows(machines=machines))
        assert [repr(getattr(row, field)) for row in fleet.classes] == ["0.0"]


def test_an_absent_label_comes_before_an_empty_one():
    asks = Need("n", "c", 1, requirements=(Requirement("pool", Operator.EXISTS),))
    pools = [None, "", "a"]
    machines = [spot(f"m{p}", labels={} if p is None else {"pool": p}) for p in reversed(pools)]
    fleet = fleet_of(FleetRows(machines=machines, needs=(asks,)))
    place = fleet.class_labels.index("pool")
    assert [row.labels[place] for row in fleet.classes] == pools


@pytest.mark.parametrize("key", ["pool", labels.ARCH, labels.QUOTA, labels.SUBNET])
def test_a_label_that_somebody_names_makes_a_class(key):
    asks = Need("n", "c", 1, requirements=(Requirement(key, Operator.EXISTS),))
    machines = [spot(f"m{text}", labels={key: text}) for text in "ab"]
    assert len(classes(*machines, needs=(asks,))) == 2


@pytest.mark.parametrize("key", ["pool", labels.ARCH, labels.ZONE, labels.REGION, labels.HOSTNAME])
def test_other_labels_and_levels_make_none(key):
    needs = () if key in ("pool", labels.ARCH) else (Need("n", "c", 1, same=key),)
    machines = [spot(f"m{text}", labels={key: text}) for text in "ab"]
    assert len(classes(*machines, needs=needs)) == 1


@pytest.mark.parametrize(
    ("need", "is_level"),
    [
        (Need("n", "c", 1), False),
        (Need("n", "c", 1, same=labels.HOSTNAME), True),
        (Need("n", "c", 1, spread=(Spread(labels.HOSTNAME),)), True),
        (Need("n", "c", 1, requirements=(Requirement(labels.HOSTNAME, Operator.EXISTS),)), True),
    ],
)
def test_the_host_name_is_a_level_only_where_a_need_names_it(need, is_level):
    machine = spot("m{}", count=3, is_pattern=True, labels={labels.HOSTNAME: "h{}"})
    fleet = fleet_of(FleetRows(machines=[machine], needs=(need,)))
    assert (labels.HOSTNAME in fleet.levels) == is_level
    assert len(fleet.cells) == (3 if is_level else 1)


@pytest.mark.parametrize("needs", [0, 1, 2])
def test_a_reservation_for_an_unheard_need_stays_one(needs):
    machines = [spot("a", serves=UNKNOWN_NEED), spot("b")]
    heard = tuple(Need(f"n{index}", "c", 1) for index in range(needs))
    serves = fleet_of(FleetRows(machines=machines, needs=heard)).machines.serves
    assert serves.tolist() == [UNKNOWN_NEED, NOBODY]


def test_many_labels_of_many_values_are_told_apart():
    """Sixteen labels of twenty values: as one number a row would outgrow 64 bits."""
    keys = [f"k{number:02}" for number in range(16)]
    asks = Need("n", "c", 1, requirements=tuple(Requirement(k, Operator.EXISTS) for k in keys))
    rows = [
        {key: f"v{(row + place * (row // 20)) % 20:02}" for place, key in enumerate(keys)}
        for row in range(60)
    ]
    machines = [spot(f"m{number}", labels=row) for number, row in enumerate(rows)]
    found = [
        row.labels[2:] for row in fleet_of(FleetRows(machines=machines, needs=(asks,))).classes
    ]
    assert found == sorted({tuple(row[key] for key in keys) for row in rows})


def test_every_column_is_read_only():
    fleet = fleet_of(FleetRows(machines=[spot()], needs=(Need("n", "c", 1),)))
    owners = (fleet, fleet.machines, fleet.cells, fleet.numbers)
    columns = [
        column
        for owner in owners
        for column in (getattr(owner, field.name) for field in fields(owner))
        if isinstance(column, np.ndarray)
    ]
    assert len(columns) == 3 + 14 + 2 + 5
    for column in columns:
        with pytest.raises(ValueError, match="read-only"):
            column[0] = column[0]
