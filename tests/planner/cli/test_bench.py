"""The verb ``bench``: a smoke run of every question, and what it writes."""

import json

import pytest
import yaml
from click.testing import CliRunner

from models.rows import MOST_MACHINES
from planner.bench.questions import QUESTIONS
from planner.bench.storm import GANG_SIZE, STORM_GANGS, STORM_NEEDS
from planner.cli import bench
from planner.cli.main import bigfleet

TINY = ["--machines", "200", "--clusters", "2", "--repeat", "2"]


def run(*arguments: str):
    return CliRunner().invoke(bigfleet, ["bench", *arguments])


@pytest.fixture(scope="module")
def everything() -> dict:
    done = run(*TINY, "-o", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_without_a_name_everything_is_measured(everything):
    names = [row["what"] for row in everything["samples"]]
    assert names == [
        "cold cycle", "warm cycle", "storm", "attribution", "reconcile in order",
        "reconcile in any order",
    ]  # fmt: skip
    assert everything["host"].keys() == {"cores", "cpu", "python", "numpy", "kernel"}
    assert everything["passRows"] == 500_000


def test_the_counts_are_those_of_the_instances(everything):
    cold, warm, storm, attribution, *lists = everything["samples"]
    assert (cold["machines"], cold["needs"]) == (200, 30)
    assert 0 < cold["actions"] <= 200
    assert (warm["machines"], warm["needs"], warm["actions"]) == (200, 30, 0)
    # Only what runs is there in a storm, and each need gets all it wants by drains.
    assert (storm["machines"], storm["needs"]) == (cold["actions"], 30 + STORM_NEEDS)
    assert storm["actions"] == STORM_GANGS * GANG_SIZE + STORM_NEEDS - STORM_GANGS
    assert (attribution["machines"], attribution["needs"]) == (160, 30)
    assert attribution["actions"] is None
    assert [(row["machines"], row["needs"], row["actions"]) for row in lists] == [
        (200, 0, None)
    ] * 2


def test_figures_agree_with_each_other(everything):
    for row in everything["samples"]:
        assert row["runs"] == 2
        assert row["passMilliseconds"] > 0
        assert row["peakRssBytes"] > 10_000_000
        for figures in (row["milliseconds"], row["passes"]):
            assert 0 < figures["min"] <= figures["median"] <= figures["p99"] == figures["max"]
        took = row["milliseconds"]["median"]
        assert row["passes"]["median"] == pytest.approx(took / row["passMilliseconds"], rel=0.01)


def test_only_what_is_named_is_measured_and_each_size_is_a_row():
    done = run("attribution", "--machines", "50", "--machines", "100", "--clusters", "1",
               "--repeat", "1", "-o", "yaml")  # fmt: skip
    rows = yaml.safe_load(done.stdout)["samples"]
    assert [(row["what"], row["machines"]) for row in rows] == [
        ("attribution", 40),
        ("attribution", 80),
    ]


def test_people_get_a_table_and_progress_goes_to_stderr():
    done = run("attribution", "--machines", "50", "--clusters", "1", "--repeat", "1")
    title, headings, row, *_ = done.stdout.splitlines()
    assert title == "Measured"
    assert headings.startswith("WHAT")
    assert row.split()[:5] == ["attribution", "40", "15", "-", "1"]
    assert done.stderr == "attribution: 40 machines, 15 needs, 1 times\n"


@pytest.mark.parametrize("machines", ["1", "7"])
def test_the_smallest_shards_are_measured_too(machines):
    done = run("--machines", machines, "--clusters", "3", "--repeat", "1", "-o", "json")
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["cycel"], 2, "'cycel' is not one of"),
        (["--machines", "0"], 2, "0 is not in the range"),
        (["--machines", "many"], 2, "'many' is not a valid integer"),
        (["--repeat", "0"], 2, "0 is not in the range"),
        (["--clusters", "0"], 2, "0 is not in the range"),
        (["-o", "html"], 2, "'html' is not one of"),
        (["--set", "cycle=soon"], 1, "--set: cycle: "),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, status, said):
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (status, "")
    assert said in done.stderr


def test_the_command_line_names_what_there_is():
    assert list(QUESTIONS) == [*bench.NAMES]
    assert bench.MOST_MACHINES == MOST_MACHINES
    assert all(f"\n  {name} " in run("--help").stdout for name in QUESTIONS)
