"""Rows to machines, and all that is wrong with them."""

import pytest

from models.errors import InputFault
from models.machine import CapacityType, State
from providers.machine import Machine, MachineClass
from providers.metal.inventory import inventory_from


def refused(rows, **more):
    with pytest.raises(InputFault) as fault:
        inventory_from(rows, **more)
    return str(fault.value).splitlines()


def test_what_is_left_out_has_its_default():
    found = inventory_from([{"id": 7}, {"id": "r1", "host": None, "labels": {"rack": None}}])
    metal = MachineClass(CapacityType.BARE_METAL)
    assert found == {
        "7": Machine("7", State.IDLE, metal, host="7"),
        "r1": Machine("r1", State.IDLE, metal, host="r1"),
    }


def test_cells_of_text_and_values_mean_the_same():
    text = {
        "id": "r0", "host": "bmc", "state": "SPECULATIVE", "capacityType": "reserved",
        "instanceType": "h100x8", "pricePerHour": "1.5",
        "resources": {"cpu": "64", "memory": "1Gi"}, "labels": {"rack": "12"},
    }  # fmt: skip
    value = text | {
        "pricePerHour": 1.5,
        "resources": {"cpu": 64, "memory": 2**30},
        "labels": {"rack": 12},
    }
    kind = MachineClass(CapacityType.RESERVED, "h100x8", 1.5, 0.0, {"cpu": 64000, "memory": 2**30})
    wanted = {"r0": Machine("r0", State.SPECULATIVE, kind, host="bmc", labels={"rack": "12"})}
    assert inventory_from([text]) == inventory_from([value]) == wanted


def test_all_faults_at_once_with_row_and_column():
    rows = [
        {"id": "r0", "capacityType": "spot", "resources": {"cpu": "many"}},
        {"host": "bmc"},
        "r2",
        {"id": "r0", "clusters": "c"},
        {"id": "r4", "host": "bmc-4", "pricePerHour": "-1"},
        {"id": "r5", "host": "bmc-4", "state": "CONFIGURED"},
        {"id": "a\0b", "labels": {"k": "v\0"}, "pricePerHour": "cheap"},
    ]
    assert refused(rows) == [
        "machines[0].capacityType: 'spot' is not one of bare-metal, reserved.",
        "machines[0].resources.cpu: 'many' is not a quantity; write a number with a suffix "
        "as in 1500m, 1Gi, 129M, 1e3.",
        "machines[1].id: is required, and null or absent.",
        "machines[2]: 'r2' is not a mapping.",
        "machines[3].clusters: unknown field (value 'c'); known: capacityType, host, id, "
        "instanceType, labels, pricePerHour, resources, state.",
        "machines[3].id: 'r0' is a duplicate of machines[0]; each id must differ.",
        "machines[4].pricePerHour: -1.0 is out of range: should be greater than or equal to 0.",
        "machines[5].state: 'CONFIGURED' is not one of SPECULATIVE, IDLE.",
        "machines[5].host: 'bmc-4' is a duplicate of machines[4]; each host must differ.",
        "machines[6].pricePerHour: 'cheap' is not a number.",
        "machines[6].labels.k: 'v\\x00' holds a NUL.",
        "machines[6].id: 'a\\x00b' holds a NUL, which no name may.",
        "machines[6].host: 'a\\x00b' holds a NUL, which no name may.",
    ]


def test_rows_have_the_names_that_the_reader_gives_them():
    rows = [{"id": "r0"}, {"id": "r0"}]
    assert refused(rows, named=lambda row: f"line {row + 2}") == [
        "line 3.id: 'r0' is a duplicate of line 2; each id must differ."
    ]


def test_a_host_may_be_named_as_no_other_row_is():
    rows = [{"id": "a", "host": "b"}, {"id": "b", "host": "a"}]
    assert [each.host for each in inventory_from(rows).values()] == ["b", "a"]
    assert refused([{"id": "a"}, {"id": "b", "host": "a"}]) == [
        "machines[1].host: 'a' is a duplicate of machines[0]; each host must differ."
    ]


def test_speculative_needs_a_hook_that_commissions():
    rows = [{"id": "s0", "state": "SPECULATIVE"}]
    assert inventory_from(rows)["s0"].state is State.SPECULATIVE
    assert refused(rows, may_commission=False) == [
        "machines[0].state: SPECULATIVE needs the hook `commission`, which there is none of."
    ]
