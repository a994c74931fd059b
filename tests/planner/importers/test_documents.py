"""What the importers give is a fleet that the models take."""

from pathlib import Path

import pytest

from models.documents.fleet_document import fleet_from
from planner.importers.combine import combine
from planner.importers.kubectl import import_kubectl
from planner.importers.openb import import_openb
from planner.importers.prices import import_prices

DATA = Path(__file__).parents[3] / "benchmarks" / "data"


@pytest.mark.parametrize("pods", ["pods_gpuspec33.csv.gz", "pods_default.csv.gz"])
def test_openb_with_prices(pods):
    combined = combine(import_openb(DATA / "openb", pods=pods), [import_prices(DATA)])
    rows = fleet_from(combined.document)
    assert sum(row.count for row in rows.machines) == 1523 + 132
    assert len(rows.needs) == len(combined.document["needs"])
    for row in rows.machines:
        if row.serves < 0:
            continue
        need = rows.needs[row.serves]
        assert need.cluster == row.cluster
        assert all(need.resources[key] <= row.resources[key] for key in need.resources)
        labels = [(asked, row.labels.get(asked.key)) for asked in need.requirements]
        assert all(asked.matches(value) for asked, value in labels)


@pytest.mark.parametrize(
    ("nodes", "pods"),
    [
        ("honeycomb_nodes", "honeycomb_pods"),
        ("troubleshoot_nodes", "troubleshoot_pods_pending_resources"),
        ("troubleshoot_nodes", "troubleshoot_pods_pending_node_affinity"),
    ],
)
def test_kubectl(nodes, pods):
    folder = DATA / "kubectl"
    imported = import_kubectl(folder / f"{nodes}.json.gz", folder / f"{pods}.json.gz")
    rows = fleet_from(imported.document)
    assert len(rows.machines) == len(imported.document["machines"])
    assert len(rows.needs) == 1
