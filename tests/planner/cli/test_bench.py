"""The verb ``bench``: a smoke run of every question, and what it writes."""

import json

import pytest
import yaml
from click.testing import CliRunner

from hotpath.kernel.library import library
from models.rows import MOST_MACHINES
from planner.bench.questions import PROVIDERS, QUESTIONS
from planner.bench.storm import GANG_SIZE, STORM_GANGS, STORM_NEEDS
from planner.cli import bench
from planner.cli.main import bigfleet

compiled = pytest.mark.skipif(library() is None, reason="no kernel was compiled")

TINY = ["--machines", "200", "--clusters", "2", "--repeat", "2"]


def run(*arguments: str):
    return CliRunner().invoke(bigfleet, ["bench", *arguments])


@pytest.fixture(scope="module")
def everything() -> dict:
    done = run(*TINY, "-o", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


LIVING = [
    "cold cycle", "steady cycle", "storm", "roll-up, counts", "roll-up, penalties",
    "roll-up, requirements", "attribution",
    "fleet",
]  # fmt: skip
"""Rows about shards in the compiled kernel."""


def test_without_a_name_everything_is_measured(everything):
    names = [row["what"] for row in everything["samples"]]
    expected = [
        "cold cycle", "with objects", "steady cycle", "storm", "roll-up, counts",
        "roll-up, penalties", "roll-up, requirements", "attribution", "reconcile in order",
        "reconcile in any order", "fleet",
    ]  # fmt: skip
    assert names == [name for name in expected if library() or name not in LIVING]
    assert everything["host"].keys() == {"cores", "cpu", "python", "numpy", "kernel"}
    assert everything["passRows"] == 500_000


def test_the_counts_are_those_of_the_instances(everything):
    rows = {row["what"]: row for row in everything["samples"]}

    def told(what: str) -> tuple[int | None, ...]:
        return tuple(rows[what][name] for name in ("machines", "needs", "changes", "actions"))

    assert told("with objects")[:3] == (200, 30, None)
    assert told("reconcile in order") == told("reconcile in any order") == (200, 0, None, None)
    assert rows["reconcile in order"]["bytesPerMachine"] is None


@compiled
def test_the_counts_of_live_shards(everything):
    rows = {row["what"]: row for row in everything["samples"]}
    cold = rows["cold cycle"]
    assert 0 < cold["actions"] == rows["with objects"]["actions"] <= 200
    assert (rows["steady cycle"]["machines"], rows["steady cycle"]["needs"]) == (200, 30)
    assert rows["steady cycle"]["changes"] >= 2
    # Only what runs is there in a storm, and each need gets all it wants by drains.
    assert (rows["storm"]["machines"], rows["storm"]["needs"]) == (cold["actions"], 130)
    assert rows["storm"]["actions"] == STORM_GANGS * GANG_SIZE + STORM_NEEDS - STORM_GANGS
    assert (rows["attribution"]["machines"], rows["attribution"]["needs"]) == (200, 30)
    for what in ("roll-up, counts", "roll-up, penalties"):
        assert (rows[what]["changes"], rows[what]["actions"]) == (15, None)
    assert (rows["fleet"]["machines"], rows["fleet"]["needs"]) == (600, 90)
    assert all(rows[what]["bytesPerMachine"] > 36 for what in LIVING)


def test_without_a_kernel_live_shards_are_left_out(monkeypatch):
    monkeypatch.setattr("planner.bench.living.library", lambda: None)
    done = run("steady", "cycle", *TINY, "-o", "json")
    assert [row["what"] for row in json.loads(done.stdout)["samples"]] == ["with objects"]
    assert done.stderr.count("no compiled kernel: live shards are left out\n") == 2


@compiled
def test_each_number_of_needs_and_changes_is_a_row():
    done = run("steady", "--machines", "2000", "--clusters", "10", "--repeat", "2",
               "--needs-a-cluster", "1", "--needs-a-cluster", "4", "--changes", "0.05",
               "--changes", "0.2", "-o", "json")  # fmt: skip
    rows = [(row["needs"], row["changes"]) for row in json.loads(done.stdout)["samples"]]
    assert [needs for needs, _ in rows] == [10, 10, 40, 40]
    # Now and then more, where much was ordered; a few less, where a draw hits what changed anyway.
    assert all(90 <= changes < 200 for _, changes in rows[::2])
    assert all(350 <= changes < 500 for _, changes in rows[1::2])


def test_figures_agree_with_each_other(everything):
    for row in everything["samples"]:
        assert row["runs"] == {"with objects": 1, "fleet": 1}.get(row["what"], 2)
        assert row["passMilliseconds"] > 0
        assert row["peakRssBytes"] > 10_000_000
        for figures in (row["milliseconds"], row["passes"]):
            assert 0 < figures["min"] <= figures["median"] <= figures["p99"] == figures["max"]
        took = row["milliseconds"]["median"]
        assert row["passes"]["median"] == pytest.approx(took / row["passMilliseconds"], rel=0.01)


def test_only_what_is_named_is_measured_and_each_size_is_a_row():
    done = run("reconcile", "--machines", "50", "--machines", "100", "--repeat", "1", "-o", "yaml")
    rows = yaml.safe_load(done.stdout)["samples"]
    assert [(row["what"], row["machines"]) for row in rows] == [
        ("reconcile in order", 50),
        ("reconcile in any order", 50),
        ("reconcile in order", 100),
        ("reconcile in any order", 100),
    ]


def test_people_get_a_table_and_progress_goes_to_stderr():
    done = run("reconcile", "--machines", "50", "--repeat", "1")
    title, headings, row, *_ = done.stdout.splitlines()
    assert title == "Measured"
    assert headings.startswith("WHAT")
    assert row.split()[:8] == ["reconcile", "in", "order", "50", "0", "-", "-", "1"]
    assert done.stderr.splitlines()[:2] == [
        "making a List of 50 machines",
        "reconcile in order: 50 machines, 1 times",
    ]


@pytest.mark.parametrize("machines", ["1", "7"])
def test_the_smallest_shards_are_measured_too(machines):
    done = run("--machines", machines, "--clusters", "3", "--repeat", "1", "-o", "json")
    assert done.exit_code == 0, done.output


def test_of_a_provider_from_which_nothing_can_be_created_only_lists_are_read():
    done = run("provider", "--machines", "1", "--repeat", "1", "-o", "json")
    rows = json.loads(done.stdout)["samples"]
    assert [(row["what"], row["machines"], row["changes"]) for row in rows] == [
        ("changes as columns", 1, 0),
        ("changes as rows", 1, 0),
        ("List as columns", 1, None),
        ("List as rows", 1, None),
    ]


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["cycel"], 2, "'cycel' is not one of"),
        (["--machines", "0"], 2, "0 is not in the range"),
        (["--machines", "many"], 2, "'many' is not a valid integer"),
        (["--repeat", "0"], 2, "0 is not in the range"),
        (["--clusters", "0"], 2, "0 is not in the range"),
        (["--needs-a-cluster", "0"], 2, "0 is not in the range"),
        (["--changes", "0.9"], 2, "0.9 is not in the range"),
        (["--shards", "0"], 2, "0 is not in the range"),
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
    assert list(PROVIDERS) == [*bench.PROVIDER_NAMES]
    assert bench.MOST_MACHINES == MOST_MACHINES
    assert all(f"\n  {name} " in run("--help").stdout for name in QUESTIONS | PROVIDERS)
