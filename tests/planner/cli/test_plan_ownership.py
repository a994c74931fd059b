"""The verb ``plan`` with --problem: who owns what, and which problems may stand together."""

import json

import pytest
from click.testing import CliRunner

from planner.cli.main import bigfleet
from tests.planner.cli.fleets import machine, need, write

RACK = "example.com/rack"
RACKED = {
    "kind": "Fleet",
    "metadata": {"name": "racked"},
    "topology": [RACK],
    "shards": [{"name": "s0", "clusters": ["a"]}, {"name": "s1", "clusters": ["b"]}],
    "machines": [
        machine("m{}", count=8, shard="s0", state="IDLE", labels={RACK: "r{//2}"}),
        machine("q{}", count=2, shard="s0", capacityType="on-demand"),
    ],
    "needs": [],
}
"""All is of s0: four racks of two, and two slots."""


def run(*arguments: str):
    return CliRunner().invoke(bigfleet, ["plan", *arguments])


def owned(file: str, *arguments: str) -> dict:
    done = run(file, "--problem", "ownership", *arguments, "-o", "json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_half_of_all_goes_to_the_shard_that_owns_nothing(tmp_path):
    out = owned(write(tmp_path, RACKED))
    assert list(out) == [
        "snapshot", "settings", "seed", "outcome", "levels", "actions", "moves", "unmet",
        "displaced", "goals", "fragmentation", "seconds",
    ]  # fmt: skip
    assert out["outcome"] == "OPTIMAL"
    moves = [(row["unit"], row["kind"], row["machines"], row["from"], row["to"], row["need"])
             for row in out["moves"]]  # fmt: skip
    assert moves == [
        ("u1", "transfer-idle", ["m0", "m1"], "s0", "s1", None),
        ("u2", "transfer-idle", ["m2", "m3"], "s0", "s1", None),
        ("u3", "transfer-speculative", ["q0"], "s0", "s1", None),
    ]
    assert out["moves"][0]["preconditions"][0] == "s0 still owns the machines."
    assert out["goals"]["moves"]["after"] == 5
    assert (out["goals"]["shard_balance"]["before"], out["goals"]["shard_balance"]["after"]) == (
        5,
        0,
    )


def test_tables_and_the_page(tmp_path):
    file = write(tmp_path, RACKED)
    table = run(file, "--problem", "ownership", "--retire", "s1").stdout
    assert "No machine moves." in table
    assert "Clusters" in table
    assert "closed" in table
    page = run(file, "--problem", "ownership", "--retire", "s1", "-o", "html").stdout
    assert "<h2>Clusters</h2>" in page
    assert "<h2>Shards</h2>" in page
    # Slots that only change their owner are not bought.
    assert "Bought" not in run(file, "--problem", "ownership", "-o", "html").stdout
    assert "s0 holds 4 and then 2" in run(file, "--problem", "ownership").stdout
    assert run(file, "--problem", "ownership", "-o", "name").stdout.split() == ["m1", "m2", "m3"]


def test_a_shard_that_retires_is_named_with_its_clusters(tmp_path):
    out = owned(write(tmp_path, RACKED), "--retire", "s0")
    assert out["clusters"] == [{"cluster": "a", "from": "s0", "to": "s1"}]
    assert out["shards"] == [{"shard": "s0", "change": "closed"}]
    assert sum(row["count"] for row in out["moves"]) == 10


def test_a_new_shard_is_named(tmp_path):
    out = owned(write(tmp_path, RACKED), "--set", "rebalance.max_machines=5")
    assert out["shards"] == [{"shard": "s0-2", "change": "added"}]
    assert {row["to"] for row in out["moves"]} == {"s0-2", "s1"}


def test_small_shards_are_merged_when_asked(tmp_path):
    assert owned(write(tmp_path, RACKED), "--merge")["shards"] == [
        {"shard": "s1", "change": "closed"}
    ]


def test_machines_that_leave_are_not_moved(tmp_path):
    out = owned(
        write(tmp_path, RACKED), "--decommission", f"{RACK}=r0", "--decommission", f"{RACK}=r1"
    )
    assert [row["machines"] for row in out["moves"]] == [["m4", "m5"], ["q0"]]


def test_rules_in_conflict_are_named(tmp_path):
    gang = {"same": RACK, "count": 2, "priority": 1}
    one = [machine("m{}", count=2, shard="s0", state="IDLE", labels={RACK: "r"})]
    asked = [need("g", "a", **gang, resources={"cpu": "9"}), need("h", "b", **gang)]
    out = owned(write(tmp_path, RACKED | {"machines": one, "needs": asked}))
    # Nothing has nine cores, so the rack is for h; a domain set aside is beyond the proof.
    assert out["outcome"] == "FEASIBLE"
    assert [row["to"] for row in out["moves"]] == ["s1"]
    both = [need("g", "a", **gang), need("h", "b", **gang)]
    file = write(tmp_path, RACKED | {"machines": one, "needs": both})
    out = owned(file)
    assert (out["outcome"], out["moves"]) == ("INFEASIBLE", [])
    assert out["conflicts"][-1] == "Domains are owned whole."
    assert "In conflict: s1 must keep" in run(file, "--problem", "ownership").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--problem", "ownership", "--problem", "transfer"], "ownership stands alone"),
        (["--retire", "s0"], "--retire goes with --problem ownership"),
        (["--merge"], "--merge goes with --problem ownership"),
        (["--decommission", "a=b"], "--decommission goes with --problem ownership"),
        (["--problem", "ownership", "--decommission", "a"], "'a' is not of the form KEY=VALUE"),
        (["--problem", "ownership", "--decommission", "=a"], "'=a' is not of the form KEY=VALUE"),
        (["--problem", "nothing"], "'nothing' is not one of"),
    ],
)
def test_usage(tmp_path, arguments, said):
    done = run(write(tmp_path, RACKED), *arguments)
    assert done.exit_code == 2
    assert said in done.stderr


def test_what_is_not_there_is_refused(tmp_path):
    file = write(tmp_path, RACKED)
    done = run(file, "--problem", "ownership", "--retire", "s7", "--decommission", f"{RACK}=r9")
    assert done.exit_code == 1
    assert done.stderr.splitlines()[0] == "--retire: 's7' is no shard of this fleet."
    assert f"no machine carries {RACK}=r9" in done.stderr


def test_other_problems_may_stand_together(tmp_path):
    file = write(tmp_path, RACKED | {"needs": [need("n", "b", count=2)]})

    def moves(*problems: str) -> list:
        flags = [word for problem in problems for word in ("--problem", problem)]
        return json.loads(run(file, *flags, "-o", "json").stdout)["moves"]

    assert len(moves()) == len(moves("transfer", "packing")) == 1
    assert moves("packing") == []


def test_what_stays_short_still_counts(tmp_path):
    file = write(tmp_path, RACKED | {"needs": [need("n", "b", count=2)]})
    done = run(file, "--problem", "ownership", "--fail-on-shortfall")
    assert done.exit_code == 3


@pytest.mark.parametrize(
    ("wish", "outcome"), [(("--merge",), "OPTIMAL"), (("--retire", "s0"), "INFEASIBLE")]
)
def test_a_cluster_stays_where_its_machines_are_though_these_will_go(tmp_path, wish, outcome):
    """What is decommissioned counts nowhere, but as long as it is in use its cluster stays."""
    busy = {"state": "CONFIGURING", "cluster": "a", "host": {"ref": "h{}"}}
    machines = [machine("m{}", count=2, shard="s0", labels={RACK: "r1"}, **busy)]
    file = write(tmp_path, RACKED | {"machines": machines})
    out = owned(file, "--decommission", f"{RACK}=r1", *wish)
    assert out["outcome"] == outcome
    assert all(row["cluster"] != "a" for row in out.get("clusters", []))
