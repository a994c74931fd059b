"""Machines as columns: ids of all kinds, what a document says, chance, and a million of them."""

import time
from statistics import median

import numpy as np
import pytest

from models.documents import fleet_from
from models.errors import InputFault
from models.machine import CapacityType, MachineRow, State
from models.rows import FleetRows
from providers.simulated.cloud import SimulatedCloud
from providers.simulated.draws import expected, hours_until, seconds, uniform
from providers.simulated.knobs import Knobs, Lognormal, Uniform
from providers.simulated.world_of_rows import world_of
from tests.providers.simulated.clouds import cloud, create, delete, listed, match, slots, state


def test_ids_in_other_scripts_and_prefixes_of_each_other():
    names = ["a", "ab", "abc", "b", "größe", "機", "機器", "z" * 40, "Ä", "a\u0301"]
    world = cloud([row for name in names for row in slots(1, name)])
    names = [f"{name}0" for name in names]
    assert sorted(listed(world)) == sorted(names)
    assert [each.id for each in world.get(names, 0.0).machines] == names
    strangers = ["a", "ab", "abc00", "", "機", "b0\0", "z" * 41, "z" * 40 + "01"]
    assert world.get(strangers, 0.0).unknown == tuple(strangers)
    assert create(world, ["ab0"]) == [""]
    assert [n for n in names if state(world, n, 0.0) == "IDLE"] == ["ab0"]


def test_an_empty_world_answers():
    world = cloud([], prices={}, reclaims={}, quotas=[{"count": 1}])
    assert listed(world) == []
    assert create(world, ["x"]) == ["INVALID"]
    assert world.get(["x"], 0.0).unknown == ("x",)
    assert world.reclaim(match(), 1.0, 1.0, 0.0) == world.kill(match(), 0.0) == []
    world.set_quota(match(), 0, 1.0)
    world.set_price(match(), 1.0, 1.0)
    assert list(world.list("", 1e6, columnar=True))[-1].end.is_full


@pytest.mark.parametrize(
    "row", [MachineRow("a\0", CapacityType.SPOT), MachineRow("a", CapacityType.SPOT, host_ref="\0")]
)
def test_a_nul_is_refused(row):
    with pytest.raises(InputFault, match="holds a NUL"):
        world_of(FleetRows(machines=[row]), "default", 0.0)


def read(document, provider="p", now=1000.0):
    return SimulatedCloud.of(fleet_from(document), provider, Knobs(), 0, now)


def test_what_a_document_says_of_machines():
    document = {
        "machines": [
            {"id": "g-{}", "count": 12, "capacityType": "bare-metal", "state": "CONFIGURED",
             "host": {"provider": "p", "ref": "h-{}"}, "cluster": "a", "serves": "a/n",
             "labels": {"rack": "r{//8}"}, "stateSince": "-10m", "reclaimAt": "5m"},
            {"id": "s", "capacityType": "spot", "provider": "p", "pricePerHour": 2},
            {"id": "other", "capacityType": "spot"},
        ],
    }  # fmt: skip
    world = read(document | {"needs": [{"id": "a/n", "cluster": "a", "count": 1}]})
    # g-10 is before g-2.
    assert listed(world, 1000.0) == sorted(["s"] + [f"g-{n}" for n in range(12)])
    ten = world.get(["g-10"], 1000.0).machines[0]
    assert (ten.host, ten.labels, ten.cluster) == ("h-10", {"rack": "r1"}, "a")
    assert (ten.reservation, ten.state_since, ten.reclaim_at) == ("a/n", 400.0, 1300.0)
    assert (ten.shard, ten.kind.price_per_hour) == ("s0", None)
    slot = world.get(["s"], 1000.0).machines[0]
    assert (slot.shard, slot.kind.price_per_hour, slot.state_since) == ("", 2.0, 0.0)
    # Without needs the document's word stands, its cluster put before it.
    assert read(document).get(["g-3"], 1000.0).machines[0].reservation == "a/n"
    document["machines"][0]["serves"] = "n"
    assert read(document).get(["g-3"], 1000.0).machines[0].reservation == "a/n"


def test_a_document_with_shards_says_whose_slots_are():
    document = {
        "shards": [{"name": "s1"}],
        "machines": [{"id": "s", "capacityType": "spot", "provider": "p", "shard": "s1"}],
    }
    assert read(document).get(["s"], 1000.0).machines[0].shard == "s1"


def test_the_same_seed_gives_the_same_world_in_whatever_order_calls_come():
    rows = [row for n in range(20) for row in slots(1, f"m{n}")]
    names = [row.id for row in rows]

    def ends(seed, orders):
        world = cloud(rows, seed, create=[0, 1000])
        for order in orders:
            create(world, order)
        world.advance(5000.0)
        return [each.state_since for each in world.get(names, 5000.0).machines]

    assert ends(1, [names]) == ends(1, [names[::-1]]) == ends(1, [[name] for name in names])
    assert ends(1, [names]) != ends(2, [names])
    assert len(set(ends(1, [names]))) == 20


def test_each_operation_of_a_machine_draws_anew():
    world = cloud(slots(1), create=[0, 1000])
    took = []
    for now in (0.0, 5000.0, 10000.0):
        create(world, ["s0"], now)
        took.append(world.get(["s0"], now + 1000).machines[0].state_since - now)
        delete(world, ["s0"], now + 2000)
    assert len({round(seconds, 3) for seconds in took}) == 3


def test_draws_have_their_distributions():
    chances = [uniform(0, "p", n) for n in range(4000)]
    assert 0 < min(chances) < 0.01
    assert 0.99 < max(chances) < 1
    assert median(chances) == pytest.approx(0.5, abs=0.03)
    between = [seconds(Uniform(40, 90), chance) for chance in chances]
    assert 40 <= min(between) < 41
    assert 89 < max(between) <= 90
    skewed = sorted(seconds(Lognormal(90, 0.5), chance) for chance in chances)
    assert median(skewed) == pytest.approx(90, rel=0.05)
    # The 84th of a hundred is one sigma above the median.
    assert skewed[int(0.8413 * 4000)] == pytest.approx(90 * np.exp(0.5), rel=0.05)
    assert (expected(Uniform(40, 90)), expected(Lognormal(90, 0.5))) == (65, 90)
    waits = [hours_until(0.5, chance) for chance in chances]
    assert sum(hours <= 1 for hours in waits) == pytest.approx(2000, abs=100)
    assert (hours_until(0.0, 0.5), hours_until(1.0, 0.5)) == (np.inf, 0.0)


def test_names_do_not_run_into_each_other():
    assert uniform(0, "a", "bc") != uniform(0, "ab", "c")


def test_a_million_machines():
    """Measured: 149 bytes a machine; 0.8 s of processor time for a full List in columns."""
    labels = {"zone": "z{//100000}", "rack": "r{//40}"}
    row = MachineRow("m-{}", CapacityType.SPOT, 1_000_000, True, provider="p", labels=labels)
    cloud = SimulatedCloud.of(FleetRows(machines=[row]), "p", Knobs(), 0, 0.0)
    arrays = [getattr(cloud.world, name) for name in cloud.world.__slots__]
    columns = sum(each.nbytes for each in arrays if isinstance(each, np.ndarray))
    assert columns + sum(each.index.nbytes for each in cloud.world.labels) < 160e6
    start = time.process_time()
    assert sum(len(page.columns or ()) for page in cloud.list("", 0.0, columnar=True)) == 1_000_000
    assert time.process_time() - start < 5
    names = [f"m-{n}" for n in range(0, 1_000_000, 10_000)]
    assert create(cloud, names) == [""] * 100
    assert np.count_nonzero(cloud.world.state == State.IDLE) == 100
    assert len(cloud.get(names, 1.0).machines) == 100
