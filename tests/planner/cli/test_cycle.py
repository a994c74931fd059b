"""The verb ``cycle``: formats, shards, settings, exit status."""

import json

import pytest
import yaml
from click.testing import CliRunner

from planner.cli.main import bigfleet
from tests.planner.cli.fleets import TWO_SHARDS, machine, need, write

JSON_KEYS = ["action", "shard", "machine", "cluster", "need", "graceSeconds", "reason"]


def run(*arguments: str, stdin: str | None = None):
    return CliRunner().invoke(bigfleet, ["cycle", *arguments], input=stdin)


def test_json_has_exactly_the_promised_keys(tmp_path):
    out = json.loads(run(write(tmp_path, TWO_SHARDS), "-o", "json").stdout)
    assert list(out) == ["actions", "shortfalls"]
    assert {tuple(row) for row in out["actions"]} == {tuple(JSON_KEYS)}
    assert {tuple(row) for row in out["shortfalls"]} == {
        ("need", "cluster", "priority", "count", "reason")
    }


def test_what_each_kind_of_order_names(tmp_path):
    actions = json.loads(run(write(tmp_path, TWO_SHARDS), "-o", "json").stdout)["actions"]
    by_kind = {}
    for row in actions:
        by_kind.setdefault(row["action"], []).append([row[key] for key in JSON_KEYS[1:6]])
    assert by_kind["create"] == [["s0", "q", "c", "burst", None]]
    assert by_kind["configure"] == [["s1", "i0", "b", "serve", None]]
    # Who loses the machine, for whom, and the grace of a gap of 400000.
    assert [row[0::2] for row in by_kind["drain"]] == [["s0", "a", 120]] * 3
    assert {row[3] for row in by_kind["drain"]} == {"train"}


def test_a_drain_names_the_cluster_that_loses_and_the_preemptor(tmp_path):
    fleet = {
        "kind": "Fleet",
        "machines": [machine("v", state="CONFIGURED", cluster="loser", serves="low")],
        "needs": [need("low", "loser"), need("high", "winner", priority=500000)],
    }
    [row] = json.loads(run(write(tmp_path, fleet), "-o", "json").stdout)["actions"]
    assert (row["action"], row["cluster"], row["need"]) == ("drain", "loser", "high")
    assert row["graceSeconds"] == 30
    assert isinstance(row["graceSeconds"], int)


def test_a_delete_names_nobody(tmp_path):
    idle = machine("i", state="IDLE", capacityType="spot")
    fleet = {"kind": "Fleet", "machines": [idle], "needs": []}
    [row] = json.loads(run(write(tmp_path, fleet), "-o", "json").stdout)["actions"]
    assert (row["action"], row["cluster"], row["need"], row["graceSeconds"]) == (
        "delete", None, None, None,
    )  # fmt: skip


def test_yaml_holds_the_same_tree_as_json(tmp_path):
    file = write(tmp_path, TWO_SHARDS)
    assert yaml.safe_load(run(file, "-o", "yaml").stdout) == json.loads(
        run(file, "-o", "json").stdout
    )


def test_name_gives_the_machines_one_a_line(tmp_path):
    file = write(tmp_path, TWO_SHARDS)
    actions = json.loads(run(file, "-o", "json").stdout)["actions"]
    assert run(file, "-o", "name").stdout.split("\n")[:-1] == [row["machine"] for row in actions]


def test_table_puts_alike_orders_in_one_line_and_wide_does_not(tmp_path):
    idle = machine("i{}", count=5, state="IDLE")
    fleet = {"kind": "Fleet", "machines": [idle], "needs": [need("n", "a", count=5)]}
    file = write(tmp_path, fleet)
    table, wide = run(file).stdout, run(file, "-o", "wide").stdout
    assert "i0, i1 ... i4" in table
    assert "i3" not in table
    assert "Nothing is short." in table
    assert all(f"i{row} " in wide for row in range(5))
    assert "$0.50" in wide


def test_shard_restricts_the_answer(tmp_path):
    file = write(tmp_path, TWO_SHARDS)
    actions = json.loads(run(file, "--shard", "s1", "-o", "json").stdout)["actions"]
    assert {row["shard"] for row in actions} == {"s1"}


def test_a_wrong_shard_is_told_with_the_nearest(tmp_path):
    file = write(tmp_path, TWO_SHARDS)
    done = run(file, "--shard", "s00")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == f"{file}: shards: there is no shard 's00'; did you mean 's0'?\n"


SHORT = {"kind": "Fleet", "machines": [], "needs": [need("n", "a", count=7)]}


@pytest.mark.parametrize(("fleet", "status"), [(SHORT, 3), ({**SHORT, "needs": []}, 0)])
def test_fail_on_shortfall(tmp_path, fleet, status):
    done = run(write(tmp_path, fleet), "--fail-on-shortfall", "-o", "json")
    assert done.exit_code == status
    # The answer is there all the same.
    assert len(json.loads(done.stdout)["shortfalls"]) == len(fleet["needs"])


def test_short_without_the_flag_is_done(tmp_path):
    assert run(write(tmp_path, SHORT)).exit_code == 0


def test_machines_that_are_late_are_no_shortfall(tmp_path):
    late = machine("c", state="CREATING", capacityType="spot", serves="n", stateSince="-10m")
    fleet = {"kind": "Fleet", "machines": [late], "needs": [need("n", "a")]}
    done = run(write(tmp_path, fleet), "--fail-on-shortfall", "-o", "json")
    assert [row["reason"] for row in json.loads(done.stdout)["shortfalls"]] == ["WaitingForCreate"]
    assert done.exit_code == 0


def test_standard_input(tmp_path):
    text = (tmp_path / "fleet.yaml", write(tmp_path, TWO_SHARDS))[0].read_text("utf-8")
    done = run("-", "-o", "name", stdin=text)
    assert done.exit_code == 0
    assert "i0" in done.stdout


def test_shadow_mode_holds_orders_back_and_shows_them(tmp_path):
    fleet = {
        "kind": "Fleet",
        "clusters": [{"name": "a", "mode": "shadow"}],
        "machines": [machine("i", state="IDLE")],
        "needs": [need("n", "a")],
    }
    file = write(tmp_path, fleet)
    out = json.loads(run(file, "-o", "json").stdout)
    assert out["actions"] == []
    assert [row["machine"] for row in out["shadowed"]] == ["i"]
    assert "Held back by shadow mode" in run(file).stdout


HOSTILE = "g[red]\x1b[31m\u202e\x9b"


@pytest.mark.parametrize("form", ["table", "wide", "json", "yaml", "name"])
def test_ids_are_shown_as_they_are_and_steer_no_terminal(tmp_path, form):
    fleet = {
        "kind": "Fleet",
        "machines": [machine(HOSTILE, state="IDLE")],
        "needs": [need("[bold]n", "a")],
    }
    done = run(write(tmp_path, fleet), "-o", form)
    assert done.exit_code == 0
    assert "g[red]" in done.stdout
    assert not set("\x1b\u202e\x9b") & set(done.stdout)
    if form in ("json", "yaml"):
        assert yaml.safe_load(done.stdout)["actions"][0]["machine"] == HOSTILE


def delays(tmp_path, *arguments: str, inner: dict | None = None) -> bool:
    """Tell whether an excess machine is drained at once: not with the default of 60 s."""
    fleet = {
        "kind": "Fleet",
        "machines": [
            machine("e", state="CONFIGURED", cluster="a", serves="n", stateSince="-30s"),
            machine("f", state="CONFIGURED", cluster="a", serves="n", stateSince="-30s"),
        ],
        "needs": [need("n", "a")],
    }
    more = [{"kind": "Settings", **inner}] if inner else []
    return run(write(tmp_path, fleet, *more), *arguments, "-o", "name").stdout == ""


def test_the_order_of_precedence_of_settings(tmp_path):
    long, short = {"reclaim": {"delay": "1h"}}, {"reclaim": {"delay": "0s"}}
    files = []
    for name, body in (("long", long), ("short", short)):
        (tmp_path / f"{name}.yaml").write_text(json.dumps({"kind": "Settings", **body}))
        files.append(str(tmp_path / f"{name}.yaml"))
    assert delays(tmp_path)
    assert not delays(tmp_path, inner=short)
    assert delays(tmp_path, "--settings", files[0], inner=short)
    assert not delays(tmp_path, "--settings", files[1], inner=long)
    assert not delays(tmp_path, "--settings", files[0], "--set", "reclaim.delay=0s")
    assert not delays(tmp_path, "--set", "reclaim.delay=0s", "--settings", files[0])
    assert delays(tmp_path, "--set", "reclaim.delay=0s", "--set", "reclaim.delay=1h")
    assert not delays(tmp_path, "--settings", files[0], "--settings", files[1])


def test_an_answer_that_breaks_a_rule_is_never_shown(tmp_path, monkeypatch):
    monkeypatch.setattr("planner.deciding.audit_cycle", lambda *asked: ["machine i0: is wrong"])
    done = run(write(tmp_path, TWO_SHARDS))
    assert (done.exit_code, done.stdout) == (70, "")
    assert "this is a fault of BigFleet, please report: machine i0: is wrong" in done.stderr
