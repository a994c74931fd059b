"""The verb ``plan``: the tree of its JSON, formats, options, exit status."""

import json
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest
import yaml
from click.testing import CliRunner

from models.outcome import Outcome
from models.settings import Settings
from planner.cli.main import bigfleet
from planner.fence.asking import LATE
from planner.solving import solved
from tests.planner.cli.fleets import TWO_SHARDS, machine, need, write

AWAY = {
    "kind": "Fleet",
    "metadata": {"name": "away"},
    "shards": [{"name": "s0", "clusters": ["a"]}, {"name": "s1", "clusters": ["b"]}],
    "machines": [
        machine("i{}", count=2, shard="s1", state="IDLE"),
        machine("v{}", count=40, shard="s1", state="CONFIGURED", cluster="b", serves="low"),
    ],
    "needs": [
        need("high", "a", priority=900000, count=3),
        need("low", "b", priority=100000, count=40),
    ],
}
"""High takes both idle machines of the other shard and one that serves low."""


def run(*arguments: str):
    return CliRunner().invoke(bigfleet, ["plan", *arguments])


def tree(*arguments: str) -> dict:
    done = run(*arguments, "-o", "json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_json_has_exactly_the_promised_keys(tmp_path):
    out = tree(write(tmp_path, AWAY))
    assert list(out) == [
        "snapshot", "settings", "seed", "outcome", "levels", "actions", "moves", "unmet",
        "displaced", "goals", "fragmentation", "seconds",
    ]  # fmt: skip
    assert {tuple(row) for row in out["levels"]} == {
        ("priority", "asked", "served", "bound", "gap")
    }
    assert {tuple(row) for row in out["moves"]} == {
        ("id", "unit", "window", "kind", "class", "count", "machines", "from", "to", "need",
         "reason", "preconditions", "expires"),
    }  # fmt: skip
    assert {tuple(row) for row in out["displaced"]} == {("need", "count")}
    assert {tuple(row) for row in out["goals"].values()} == {
        ("weight", "before", "after", "cost", "bound")
    }


def test_names_stand_in_the_place_of_rows(tmp_path):
    out = tree(write(tmp_path, AWAY))
    by_kind = {move["kind"]: move for move in out["moves"]}
    idle = by_kind["transfer-idle"]
    assert (idle["machines"], idle["from"], idle["to"], idle["need"], idle["count"]) == (
        ["i0", "i1"], "s1", "s0", "high", 2,
    )  # fmt: skip
    assert idle["class"] == "t/bare-metal@p"
    assert by_kind["drain-and-transfer"]["count"] == 1
    assert out["displaced"] == [{"need": "low", "count": 1}]
    assert out["unmet"] == []
    assert out["outcome"] == "OPTIMAL"


def test_unmet_has_its_reason(tmp_path):
    fleet = AWAY | {"machines": [], "needs": [need("high", "a", count=3)]}
    assert tree(write(tmp_path, fleet))["unmet"] == [
        {"need": "high", "count": 3, "reason": "NoMatchingMachine"}
    ]


def test_the_shards_give_nothing_back_that_the_plan_moves(tmp_path):
    """An excess machine that another shard takes is not drained by its own as well."""
    fleet = AWAY | {
        "machines": [
            machine("e", shard="s1", state="CONFIGURED", cluster="b", stateSince="-1h"),
            machine("f", shard="s1", state="CONFIGURED", cluster="b", stateSince="-1h"),
        ],
        "needs": [need("high", "a", priority=500000)],
    }
    out = tree(write(tmp_path, fleet))
    moved = [name for move in out["moves"] for name in move["machines"]]
    acted = [row["machine"] for row in out["actions"]]
    assert (len(moved), sorted(moved + acted)) == (1, ["e", "f"])


def test_yaml_holds_the_same_tree_as_json(tmp_path):
    file = write(tmp_path, AWAY)
    ours, theirs = yaml.safe_load(run(file, "-o", "yaml").stdout), tree(file)
    assert {**ours, "seconds": 0} == {**theirs, "seconds": 0}


def test_name_gives_the_moves_one_a_line(tmp_path):
    file = write(tmp_path, AWAY)
    assert run(file, "-o", "name").stdout.split() == [move["id"] for move in tree(file)["moves"]]


def test_tables(tmp_path):
    file = write(tmp_path, AWAY)
    table, wide = run(file).stdout, run(file, "-o", "wide").stdout
    for said in ("OPTIMAL", "Served by priority", "transfer-idle", "Loses machines", "Goals"):
        assert said in table
    assert "ONLY IF" in wide
    assert "Nothing stays short." in table


def test_html(tmp_path):
    page = run(write(tmp_path, AWAY), "-o", "html").stdout
    assert page.startswith("<!doctype html>")
    assert "Plan for away" in page


def test_options_are_settings(tmp_path):
    file = write(tmp_path, AWAY)
    plain = tree(file)
    set_seed = tree(file, "--set", "rebalance.seed=5")
    assert tree(file, "--seed", "5")["seed"] == set_seed["seed"] == 5
    assert tree(file, "--seed", "5")["settings"] == set_seed["settings"] != plain["settings"]
    assert tree(file, "--set", "rebalance.seed=5", "--seed", "6")["seed"] == 6
    assert tree(file, "--set", "rebalance.seed=5", "--deadline", "3s")["seed"] == 5
    assert tree(file, "--deadline", "3s")["settings"] != plain["settings"]
    assert tree(file, "--workers", "1")["settings"] != plain["settings"]


def test_no_gap_is_large_enough(tmp_path):
    out = tree(write(tmp_path, AWAY), "--set", "rebalance.min_gap=800001")
    assert [row["count"] for row in out["unmet"]] == [1]
    assert {move["kind"] for move in out["moves"]} == {"transfer-idle"}


def test_the_help_says_the_defaults_of_the_settings():
    text = " ".join(CliRunner().invoke(bigfleet, ["plan", "--help"]).stdout.split())
    rebalance = Settings().rebalance
    assert f"as in 5s; default: {rebalance.deadline:g}s." in text
    assert f"Seed of the solver; default: {rebalance.seed}." in text
    assert f"Threads of the solver; default: {rebalance.workers}, one a core." in text


@pytest.mark.parametrize("option", ["--seed", "--workers"])
def test_a_number_that_is_none_is_told_in_plain_words(option):
    done = CliRunner().invoke(bigfleet, ["plan", "fleet.yaml", option, "x"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"Invalid value for '{option}': 'x' is not a whole number." in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--workers", "-1"], "--workers: rebalance.workers: "),
        (["--seed", "-1"], "--seed: rebalance.seed: "),
        (["--deadline", "0s"], "--deadline: rebalance.deadline: "),
    ],
)
def test_options_out_of_bounds_are_told(tmp_path, arguments, said):
    done = run(write(tmp_path, AWAY), *arguments)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith(said)


@pytest.mark.parametrize(("fleet", "status"), [(TWO_SHARDS, 0), (AWAY, 0)])
def test_what_a_plan_serves_is_not_short(tmp_path, fleet, status):
    assert run(write(tmp_path, fleet), "--fail-on-shortfall").exit_code == status


def test_fail_on_shortfall(tmp_path):
    fleet = AWAY | {"machines": []}
    done = run(write(tmp_path, fleet), "--fail-on-shortfall", "-o", "json")
    assert done.exit_code == 3
    assert json.loads(done.stdout)["unmet"]


def test_a_plan_that_comes_late_says_so(tmp_path, monkeypatch):
    def late(*given, **named):
        answer = solved(*given, **named)
        return replace(answer, plan=replace(answer.plan, seconds=21.0))

    monkeypatch.setattr("planner.planning.solved", late)
    done = run(write(tmp_path, AWAY), "-o", "json")
    assert done.exit_code == 0
    assert "The plan took 21.0 s of 20 s: this machine is too busy." in done.stderr


def broken(standing, plan, settings):
    return ["move m1: is wrong"] if plan.outcome is not Outcome.FALLBACK else []


def test_a_plan_that_breaks_a_rule_is_replaced_and_told(tmp_path, monkeypatch):
    monkeypatch.setattr("planner.solving.audit_plan", broken)
    done = run(write(tmp_path, AWAY), "-o", "json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["outcome"] == "FALLBACK"
    assert "this is a fault of BigFleet, please report: move m1: is wrong" in done.stderr


def test_a_solver_that_dies_is_replaced_and_told(tmp_path, monkeypatch):
    def die(*_):
        raise OSError("no more threads")

    monkeypatch.setattr("planner.solving.asking", die)
    done = run(write(tmp_path, AWAY), "-o", "json")
    assert json.loads(done.stdout)["outcome"] == "FALLBACK"
    assert "please report: OSError: no more threads" in done.stderr


def test_a_solver_that_is_late_is_no_fault(tmp_path, monkeypatch):
    late = SimpleNamespace(claim=lambda seconds: (None, LATE))
    monkeypatch.setattr("planner.solving.asking", lambda *asked: nullcontext(late))
    done = run(write(tmp_path, AWAY), "-o", "json")
    assert json.loads(done.stdout)["outcome"] == "FALLBACK"
    assert "in time, and was ended; a longer --deadline may help." in done.stderr
    assert "The plan shown is that of the fast method" in done.stderr
    assert "report" not in done.stderr


def test_progress_is_told_line_by_line_where_it_is_asked_for(tmp_path):
    fleet = write(tmp_path, AWAY)
    assert "objective" not in run(fleet).stderr
    lines = run(fleet, "--progress").stderr.splitlines()
    assert any(line.startswith("solving: objective ") for line in lines)


def test_no_plan_that_breaks_a_rule_is_ever_shown(tmp_path, monkeypatch):
    monkeypatch.setattr("planner.solving.audit_plan", lambda *asked: [Refusal()])
    done = run(write(tmp_path, AWAY))
    assert (done.exit_code, done.stdout) == (70, "")
    assert "this is a fault of BigFleet, please report: move m1: is wrong" in done.stderr


class Refusal:
    """Reads as a violation does."""

    def __str__(self) -> str:
        return "move m1: is wrong"


def test_a_goal_that_a_fleet_is_too_large_for_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("rebalancer.snapshot.FINE_PAIRS", 0)
    monkeypatch.setattr("rebalancer.snapshot.FINER", 0)
    done = run(write(tmp_path, AWAY), "--set", "goals.gang_spread=100", "--set", "goals.moves=0")
    assert done.exit_code == 0
    assert [line.split(":")[0] for line in done.stderr.splitlines() if "weigh" in line] == [
        "goals.domain_fragmentation", "goals.gang_spread", "goals.spot_diversity",
    ]  # fmt: skip
