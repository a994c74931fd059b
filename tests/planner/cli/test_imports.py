"""The verb ``import``: the document to stdout, how it was made to stderr."""

import json
import os
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from planner.cli.main import bigfleet

DATA = Path(__file__).resolve().parents[3] / "benchmarks" / "data"
KUBECTL = [
    str(DATA / "kubectl" / name) for name in ("honeycomb_nodes.json.gz", "honeycomb_pods.json.gz")
]


def run(*arguments: str):
    return CliRunner().invoke(bigfleet, ["import", *arguments])


def test_openb_with_prices():
    done = run("openb", str(DATA / "openb"), "--shards", "2", "--prices", str(DATA), "-o", "json")
    assert done.exit_code == 0
    document = json.loads(done.stdout)
    assert (document["kind"], len(document["shards"])) == ("Fleet", 2)
    types = {row["capacityType"] for row in document["machines"]}
    assert types == {"bare-metal", "on-demand", "spot"}
    assert "skipped: 1870 x pod in phase Failed" in done.stderr


def test_the_default_is_yaml_and_can_be_read_back(tmp_path):
    file = tmp_path / "fleet.yaml"
    file.write_text(run("kubectl", *KUBECTL, "--cluster", "prod").stdout, "utf-8")
    assert yaml.safe_load(file.read_text("utf-8"))["needs"][0]["cluster"] == "prod"
    again = CliRunner().invoke(bigfleet, ["cycle", str(file)])
    assert again.exit_code == 0


def test_prices_of_one_type():
    done = run("prices", str(DATA), "--type", "m5.8xlarge", "--zone", "z", "--slots", "7")
    rows = yaml.safe_load(done.stdout)["machines"]
    assert {(row["instanceType"], row["count"]) for row in rows} == {("m5.8xlarge", 7)}


def test_summary_gives_the_notes_alone():
    done = run("kubectl", *KUBECTL, "-o", "summary")
    assert done.stderr == ""
    assert "made: 2 machines, 1 needs." in done.stdout


def test_what_a_dump_lacks_is_said_to_be_missing(tmp_path):
    dump = tmp_path / "nodes.json"
    dump.write_text('{"kind": "NodeList", "items": [{}]}', "utf-8")
    done = run("kubectl", str(dump), KUBECTL[1])
    assert done.exit_code == 1
    path = f"{dump}.items[0].metadata.name"
    assert f"{path}: is missing; it should be a text that is not empty." in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["openb", "missing"],
        ["prices", "missing"],
        ["prices", str(DATA), "--type", "m5.9xlarge"],
        ["prices", str(DATA), "--region", "mars"],
        ["kubectl", "missing", "missing"],
        ["kubectl", KUBECTL[1], KUBECTL[0]],
        ["kubectl", str(DATA / "openb" / "nodes.csv"), KUBECTL[1]],
        ["kubectl", *KUBECTL, "--set", "reclaim.dealy=3s"],
    ],
)
def test_wrong_sources_are_told(arguments):
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr
    assert "Traceback" not in done.stderr


def test_whether_a_file_may_be_read_is_found_by_reading_it(tmp_path, monkeypatch):
    """Else one without permission would be a fault of usage here, of the input everywhere else."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    file = tmp_path / "nodes.json"
    file.write_text("{}")
    done = run("kubectl", str(file), str(file))
    assert (done.exit_code, done.stdout) == (1, "")
    assert "is not a List or NodeList" in done.stderr
