"""Columns of a fleet: labels and domains of cells, shapes, classes as numbers."""

from dataclasses import replace
from math import isnan, nan

import numpy as np
import pytest
from builders import RACK, TOPOLOGY, fleet, machine, need
from hypothesis import given
from strategies import fleets

from models import labels
from models.builder import FleetBuilder
from models.columns import fleet_of
from models.fleet import (
    Cells,
    Fleet,
    MachineClass,
    Machines,
    freeze,
    named_keys,
    numbers_of,
    resource_vector,
)
from models.machine import CapacityType, MachineRow
from models.need import Need, Spread
from models.requirement import Operator, Requirement

ROW = MachineRow("m", CapacityType.SPOT, provider="p", instance_type="t")


def exists(*keys: str) -> Need:
    return need("a/n", requirements=[Requirement(key, Operator.EXISTS) for key in keys])


def domains(places: list[dict[str, str]], key: str, topology: tuple[str, ...] = TOPOLOGY):
    """Give the name of each machine's domain and all names; machines are in the given order."""
    builder = FleetBuilder(topology=topology).needs(exists(key))
    for index, place in enumerate(places):
        builder.machines(MachineRow(f"m{index}", CapacityType.SPOT, labels=place))
    built = builder.build()
    codes, names = built.cell_domains(key)
    order = np.argsort(built.machines.id_rank)
    return [int(codes[cell]) for cell in built.machines.cell[order]], names


def place(zone: str | None, rack: str | None) -> dict[str, str]:
    given = {labels.ZONE: zone, RACK: rack}
    return {key: value for key, value in given.items() if value is not None}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (labels.INSTANCE_TYPE, "t"),
        (labels.CAPACITY_TYPE, "spot"),
        (labels.PROVIDER, "p"),
        (labels.ZONE, "z"),
        (labels.REGION, None),
        (labels.QUOTA, "q"),
        (labels.SUBNET, None),
        (labels.HOSTNAME, "h"),
        ("pool", ""),
        ("os", None),
        ("nobody-asks", None),
    ],
)
def test_a_label_of_a_cell_wherever_it_is_kept(key, value):
    kept = {
        labels.ZONE: "z",
        labels.QUOTA: "q",
        labels.HOSTNAME: "h",
        "pool": "",
        "nobody-asks": "x",
    }
    row = replace(ROW, labels=kept)
    built = FleetBuilder().machines(row).needs(exists(labels.HOSTNAME, "pool", "os")).build()
    assert built.cell_labels(key) == [value]


def test_an_instance_type_that_is_not_known_is_an_absent_label():
    built = FleetBuilder().machines(replace(ROW, instance_type="")).build()
    assert built.cell_labels(labels.INSTANCE_TYPE) == [None]


@given(fleets())
def test_the_labels_of_a_machines_cell_are_those_of_its_row(rows):
    built = fleet_of(rows)
    written = {row.id: row for row in rows.machines}
    for key in {*built.levels, *built.class_labels}:
        values = built.cell_labels(key)
        for id, cell in zip(built.machines.ids, built.machines.cell, strict=True):
            assert values[cell] == written[id].labels.get(key)


@given(fleets())
def test_a_domain_is_a_path_from_the_top(rows):
    built = fleet_of(rows)
    written = {row.id: row for row in rows.machines}
    for key in built.levels:
        above = rows.topology[: rows.topology.index(key)] if key in rows.topology else ()
        paths = {
            id: tuple(row.labels.get(level, "") for level in (*above, key))
            for id, row in written.items()
        }
        ordered = sorted({path for path in paths.values() if path[-1]})
        codes, names = built.cell_domains(key)
        assert len(names) == len(ordered)
        for id, cell in zip(built.machines.ids, built.machines.cell, strict=True):
            path = paths[id]
            assert codes[cell] == (ordered.index(path) if path[-1] else -1)


def test_two_racks_of_one_name_in_two_zones_are_two_domains():
    places = [place("z2", "r"), place("z1", "r"), place("z1", "r")]
    assert domains(places, RACK) == ([1, 0, 0], ("z1/r", "z2/r"))


def test_an_empty_or_absent_label_is_no_domain():
    assert domains([place("z", ""), place("z", None), place("z", "r")], RACK) == (
        [-1, -1, 0],
        ("z/r",),
    )


def test_an_empty_label_above_is_an_absent_one():
    assert domains([place("", "r"), place(None, "r")], RACK) == ([0, 0], ("r",))


def test_domains_are_in_the_order_of_their_paths():
    """By parts, not by the joined name: "-" comes before "/"."""
    places = [place("z-1", "a"), place("z", "b"), place("z", "a"), place(None, "c")]
    assert domains(places, RACK) == ([3, 2, 1, 0], ("c", "z/a", "z/b", "z-1/a"))


@pytest.mark.parametrize("key", ["pool", labels.ZONE])
def test_a_key_that_is_no_level_of_the_topology_is_flat(key):
    places = [{RACK: "r1", key: "b"}, {RACK: "r2", key: "b"}, {RACK: "r2", key: "a"}, {key: ""}]
    assert domains(places, key, topology=(RACK,)) == ([1, 1, 0, -1], ("a", "b"))


def test_zones_are_coded_by_name():
    built = fleet().machines(machine("m", zone="z2")).machines(machine("n", zone="z1"))
    built.machines(machine("o", zone=None))
    assert built.build().zone_codes().tolist() == [-1, 0, 1]


def test_every_key_that_a_need_names_counts():
    asks = replace(
        exists("pool"), same="rack", spread=(Spread("zone"), Spread("host")), resources={"gpu": 1}
    )
    assert named_keys([asks, exists("os")]) == {"pool", "rack", "zone", "host", "os"}


@pytest.mark.parametrize(
    ("asked", "vector"),
    [({}, [0, 0]), ({"gpu": 2}, [0, 2]), ({"cpu": 1, "tpu": 0}, [1, 0]), ({"tpu": 1}, None)],
)
def test_what_a_machine_must_have_follows_the_resource_axis(asked, vector):
    row = replace(ROW, resources={"gpu": 8, "cpu": 4000})
    built = FleetBuilder().machines(row).build()
    found = resource_vector(built, Need("n", "a", 1, resources=asked))
    assert (None if found is None else found.tolist()) == vector


def test_cells_with_enough_of_a_resource_that_a_fleet_may_not_know():
    built = fleet().machines(machine("a", gpu=8)).machines(machine("b", gpu=4)).build()
    assert built.cells_with("gpu", 5).tolist() == [row == 8 for row in _gpus(built)]
    assert built.cells_with("gpu", 4).all()
    assert not built.cells_with("fpga", 1).any()
    assert built.cells_with("fpga", 0).all()


def _gpus(built: Fleet) -> list[int]:
    return [built.classes[k].resources[0] for k in built.cells.class_index.tolist()]


def kind(capacity: CapacityType, price: float = nan) -> MachineClass:
    return MachineClass("p", "t", capacity, price, 0.5, (8, 2**62), (None, "x"))


def test_classes_as_numbers():
    numbers = numbers_of([kind(capacity) for capacity in CapacityType], 2)
    assert [isnan(price) for price in numbers.price_per_hour] == [True] * 4
    assert numbers.resources.tolist() == [[8, 2**62]] * 4
    assert numbers.interruption_probability.tolist() == [0.5] * 4
    # bare-metal, on-demand, reserved, spot
    assert numbers.is_elastic.tolist() == [False, True, False, True]
    assert numbers.is_spot.tolist() == [False, False, False, True]


def test_a_class_has_a_name():
    spot = kind(CapacityType.SPOT)
    assert spot.name == "t/spot@p"
    assert replace(spot, instance_type="").name == "-/spot@p"


def keyed(**fields: object) -> str:
    """Give the key of the only class of a fleet whose needs name the labels `pool` and `new`."""
    row = MachineRow(
        "m",
        **{"capacity_type": CapacityType.SPOT, "resources": {"cpu": 8}, "labels": {"pool": "x"}}
        | fields,
    )
    names = [Requirement(key, Operator.EXISTS) for key in ("pool", "new")]
    return (
        FleetBuilder()
        .machines(row)
        .needs(Need("n", "a", 1, requirements=tuple(names)))
        .build()
        .class_key(0)
    )


def test_classes_that_differ_have_keys_that_differ():
    others = (
        {"provider": "q"},
        {"instance_type": "u"},
        {"capacity_type": CapacityType.ON_DEMAND},
        {"price_per_hour": 1.0},
        {"interruption_probability": 0.25},
        {"resources": {"cpu": 7}},
        {"resources": {"gpu": 8}},
        {"labels": {"pool": "y"}},
        {"labels": {"new": "x"}},
        {"provider": "default|'t'"},
    )
    assert len({keyed(), *(keyed(**fields) for fields in others)}) == 1 + len(others)


def test_a_class_keeps_its_key_when_needs_name_a_label_it_does_not_carry():
    row = MachineRow("m", CapacityType.SPOT, resources={"cpu": 8}, labels={"pool": "x"})
    other = MachineRow("g", CapacityType.SPOT, resources={"gpu": 1})
    pool, new = (Requirement(key, Operator.EXISTS) for key in ("pool", "new"))
    small = FleetBuilder().machines(row).needs(Need("n", "a", 1, requirements=(pool,)))
    large = FleetBuilder().machines(row).machines(other)
    large.needs(Need("n", "a", 1, requirements=(pool, new)))
    assert small.build().class_key(0) in {large.build().class_key(k) for k in (0, 1)}


def built() -> Fleet:
    """Give a fleet of three machines, two classes, two cells, one need."""
    return (
        fleet()
        .machines(machine("m", gpu=4))
        .machines(machine("n", gpu=8))
        .machines(machine("o", gpu=8))
        .needs(need("a/x"))
        .build()
    )


def test_taken_rows_come_in_the_asked_order():
    taken = built().machines.take(np.array([2, 0]))
    assert isinstance(taken, Machines)
    assert taken.ids.tolist() == ["o", "m"]
    assert taken.class_index.tolist() == [1, 0]
    assert not taken.state.flags.writeable


@pytest.mark.parametrize("name", Machines.__slots__)
def test_a_column_of_machines_of_another_length_is_refused(name):
    column = getattr(built().machines, name)
    with pytest.raises(ValueError, match=r"has shape \(2,\), expected \(3,\)|, expected \(2,\)"):
        replace(built().machines, **{name: column[:2]})


@pytest.mark.parametrize(
    ("name", "shape"),
    [("price_per_hour", (1,)), ("is_spot", (3,)), ("resources", (1, 1)), ("resources", (2,))],
)
def test_numbers_of_another_shape_are_refused(name, shape):
    with pytest.raises(ValueError, match="has shape"):
        replace(built().numbers, **{name: np.zeros(shape, dtype=np.int64)})


@pytest.mark.parametrize("shape", [(1, 3), (2,)])
def test_cells_of_another_shape_are_refused(shape):
    with pytest.raises(ValueError, match="level_codes has shape"):
        Cells(np.zeros(2, dtype=np.int32), np.zeros(shape, dtype=np.int32))


def test_a_fleet_whose_parts_disagree_is_refused():
    whole = built()
    flags = np.zeros(2, dtype=np.bool_)
    short = Cells(whole.cells.class_index, whole.cells.level_codes[:, :1])
    for name, part in (
        ("silent", {"silent": flags}),
        ("shadow", {"shadow": flags}),
        ("need_cluster", {"needs": ()}),
        ("resources", {"classes": whole.classes[:1]}),
        ("resources", {"resources": ()}),
        ("level_codes", {"cells": short}),
    ):
        with pytest.raises(ValueError, match=f"^{name} has shape"):
            replace(whole, **part)


def test_freezing_says_the_name_and_both_shapes():
    column = np.zeros((2, 3))
    with pytest.raises(ValueError, match=r"^x has shape \(2, 3\), expected \(3,\)\.$"):
        freeze("x", column, (3,))
    assert column.flags.writeable
    freeze("x", column, (2, 3))
    assert not column.flags.writeable
