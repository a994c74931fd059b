"""AWS price lists as machines that could be bought, and their dealing out over shards."""

import csv
import gzip
import shutil
from collections import Counter
from pathlib import Path

import pytest

from models.errors import InputFault
from planner.importers.combine import combine
from planner.importers.gpu_models import GPU_MODEL_LABEL
from planner.importers.imported import Imported, ImportNotes
from planner.importers.openb import import_openb
from planner.importers.prices import DEFAULT_TYPES, DEFAULT_ZONES, Quota, import_prices

DATA = Path(__file__).parents[3] / "benchmarks" / "data"


@pytest.fixture(scope="module")
def imported():
    return import_prices(DATA)


def test_prices_and_probabilities_are_those_of_the_lists(imported):
    with (DATA / "prices" / "aws_on_demand.csv").open() as file:
        price = {
            row["instance_type"]: float(row["price_per_hour"])
            for row in csv.DictReader(file)
            if row["region"] == "us-east-1"
        }
    with gzip.open(DATA / "spot" / "aws_spot_advisor.csv.gz", "rt") as file:
        advice = {
            row["instance_type"]: (int(row["interruption_band"]), int(row["savings_pct"]))
            for row in csv.DictReader(file)
            if row["region"] == "us-east-1" and row["os"] == "Linux"
        }
    rows = imported.document["machines"]
    assert len(rows) == len(DEFAULT_TYPES) * len(DEFAULT_ZONES) * 2
    assert {row["state"] for row in rows} == {"SPECULATIVE"}
    for row in rows:
        name = row["instanceType"]
        if row["capacityType"] == "on-demand":
            assert row["pricePerHour"] == price[name]
            assert row["interruptionProbability"] == 0
        else:
            band, savings = advice[name]
            monthly = (2.5, 7.5, 12.5, 17.5, 25)[band] / 100
            assert row["pricePerHour"] == pytest.approx(price[name] * (100 - savings) / 100)
            assert 1 - (1 - row["interruptionProbability"]) ** 730 == pytest.approx(monthly)


def test_gpu_models_are_mapped_in_one_way(imported):
    models = {
        row["instanceType"].split(".")[0]: row["labels"].get(GPU_MODEL_LABEL)
        for row in imported.document["machines"]
    }
    expected = {"g4dn": "T4", "g5": "A10", "p3dn": "V100M32"}
    assert models == {family: expected.get(family) for family in models}
    assert any("T4" in line for line in imported.notes.assumed)


def test_ids_and_zones(imported):
    rows = imported.document["machines"]
    assert len({row["id"] for row in rows}) == len(rows)
    zones = Counter(row["labels"]["topology.kubernetes.io/zone"] for row in rows)
    assert zones == dict.fromkeys(DEFAULT_ZONES, len(rows) // len(DEFAULT_ZONES))


def test_the_penalty_of_online_pods_decides_between_spot_and_on_demand(imported):
    """With the default, m5.8xlarge is cheaper on-demand for online pods, on spot for others."""
    cost = {
        (row["capacityType"], penalty): row["pricePerHour"]
        + row["interruptionProbability"] * penalty
        for row in imported.document["machines"]
        if row["instanceType"] == "m5.8xlarge"
        for penalty in (0, 5000)
    }
    assert cost["spot", 0] < cost["on-demand", 0]
    assert cost["spot", 5000] > cost["on-demand", 5000]


def test_no_types_named_means_all():
    document = import_prices(DATA, quota=Quota(types=(), zones=("us-east-1a",), slots=1)).document
    assert len({row["instanceType"] for row in document["machines"]}) > 500


@pytest.mark.parametrize(
    ("wanted", "path"),
    [
        ({"quota": Quota(types=("m5.8xlarge", "nonsense"))}, "types"),
        ({"quota": Quota(slots=0)}, "slots"),
        ({"quota": Quota(zones=())}, "zones"),
        ({"quota": Quota(zones=("a", "a"))}, "zones"),
        ({"provider": "gcp"}, "provider"),
        ({"region": "moon", "quota": Quota(types=())}, "region"),
    ],
)
def test_a_request_that_cannot_be_met_is_a_fault(wanted, path):
    with pytest.raises(InputFault) as caught:
        import_prices(DATA, **wanted)
    assert [fault.path for fault in caught.value.faults] == [path]


def test_a_broken_list_is_a_fault_with_its_path(tmp_path):
    shutil.copytree(DATA / "prices", tmp_path / "prices")
    with pytest.raises(InputFault, match=r"spot"):
        import_prices(tmp_path)
    shutil.copytree(DATA / "spot", tmp_path / "spot")
    list_ = tmp_path / "prices" / "aws_on_demand.csv"
    list_.chmod(0o644)
    list_.write_text(list_.read_text() + "m5.8xlarge,us-east-2,cheap,USD\n")
    with pytest.raises(InputFault, match=r"aws_on_demand\.csv: line 3004\.price_per_hour: 'cheap'"):
        import_prices(tmp_path)


def test_combined_slots_are_dealt_evenly(imported):
    inventory = import_openb(DATA / "openb")
    before = len(inventory.document["machines"])
    combined = combine(inventory, [imported])
    assert len(inventory.document["machines"]) == before == 1523
    assert combined.document["machines"][:before] == inventory.document["machines"]
    bought = combined.document["machines"][before:]
    assert len({row["id"] for row in bought}) == len(bought)
    assert sum(row["count"] for row in bought) == 132
    shards = Counter()
    for row in bought:
        shards[row["shard"]] += row["count"]
    assert shards == {"s0": 44, "s1": 44, "s2": 44}
    by_class = Counter()
    for row in bought:
        by_class[row["instanceType"], row["capacityType"], row["shard"]] += row["count"]
    assert set(by_class.values()) == {2}
    assert list(combined.notes.lines())
    assert combined.notes.skipped.items() >= inventory.notes.skipped.items()


@pytest.mark.parametrize("count", [1, 2, 3, 4, 100, 101])
def test_nothing_is_lost_in_the_dealing(count):
    rows = [{"id": f"r{i}-{{}}", "count": count} for i in range(5)]
    shards = [{"name": f"s{i}"} for i in range(3)]
    notes = ImportNotes()
    inventory = Imported({"machines": [], "shards": shards}, notes)
    dealt = combine(inventory, [Imported({"machines": rows}, notes)]).document["machines"]
    for row in rows:
        parts = [part["count"] for part in dealt if part["id"].endswith(row["id"])]
        assert sum(parts) == count
        assert max(parts) - min(parts) <= 1 or len(parts) < 3
    totals = Counter()
    for part in dealt:
        totals[part["shard"]] += part["count"]
    assert max(totals.values()) - min(totals.values()) <= 1


def test_without_shards_the_rows_are_appended_as_they_are():
    notes = ImportNotes()
    inventory = Imported({"machines": [{"id": "a"}]}, notes)
    row = {"id": "b-{}", "count": 2}
    combined = combine(inventory, [Imported({"machines": [row]}, notes)])
    assert combined.document["machines"] == [{"id": "a"}, row]
