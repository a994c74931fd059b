"""``explain`` about a plan: the page on it is run, and its flips are planned on both sides."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from models.outcome import Outcome
from planner.cli.main import bigfleet
from planner.files import dump_yaml
from planner.solving import solved
from tests.planner.cli.fleets import TWO_SHARDS, machine, need, write

PAGE = (Path(__file__).parents[3] / "docs/why-not.md").read_text()
[FLEET] = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
TRANSCRIPTS = re.findall(r"```console\n\$ bigfleet (.*?)\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(autouse=True)
def shop(tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fleet.yaml").write_text(FLEET)
    return "fleet.yaml"


def run(*arguments: str):
    return CliRunner().invoke(bigfleet, arguments)


def tree(*arguments: str) -> dict:
    done = run("explain", *arguments, "-o", "json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(("command", "shown"), TRANSCRIPTS)
def test_the_page_shows_what_is_said(command, shown):
    done = run(*command.split())
    assert done.exit_code == 0, done.stderr
    assert [line.rstrip() for line in done.stdout.splitlines()] == shown.splitlines()


def test_there_is_something_to_show():
    assert len(TRANSCRIPTS) == 6


def test_plans_on_both_sides_bear_out_every_flip(shop):
    told = tree(shop, "need/web", "--why-not", "machine/steady")["instead"]
    flips = {flip["goal"]: (flip["at"], flip["side"]) for flip in told["flips"]}
    assert flips == {
        "running_cost": (pytest.approx(0.603 / 1.1), "below"),
        "interruption_risk": (pytest.approx(1.994), "above"),
        "time_to_ready": (pytest.approx(0.5 / 30), "above"),
        "spot_diversity": (pytest.approx(0.597), "above"),
    }
    assert told["unknownFlips"] == []
    for goal, (at, side) in flips.items():
        served = {}
        for factor in (0.999, 1.001):
            done = run("plan", shop, "--set", f"goals.{goal}={at * factor}", "-o", "json")
            [move] = [m for m in json.loads(done.stdout)["moves"] if m["need"] == "web"]
            served[factor] = move["machines"]
        expected = [["spot"], ["steady"]] if side == "above" else [["steady"], ["spot"]]
        assert list(served.values()) == expected, goal


def test_differences_add_up(shop):
    told = tree(shop, "move/m1")
    assert told["move"]["id"] == "m1"
    assert told["byItselfUsd"] == pytest.approx(sum(r["usd"] for r in told["byItself"].values()))
    instead = told["instead"]
    assert (instead["decidedBy"], instead["priority"], instead["isProven"]) == ("GOALS", None, True)
    assert instead["usd"] == pytest.approx(sum(g["usd"] for g in instead["goals"].values()))
    assert instead["usd"] == pytest.approx(0.497)
    assert [level["difference"] for level in instead["levels"]] == [0, 0, 0]


def test_what_comes_before_the_goals_is_not_a_matter_of_weights(shop):
    at_gap = ("--set", "rebalance.min_gap=50000")
    told = tree(shop, "need/web", "--why-not", "machine/busy", *at_gap)["instead"]
    assert (told["decidedBy"], told["priority"]) == ("LEVEL", 450000)
    assert (told["flips"], told["usd"] < 0) == (None, True)


def test_a_gang_is_forced_whole_or_refused(shop):
    refused = tree(shop, "need/train", "--why-not", "domain/example.com/rack=r1")["refused"]
    assert refused["rule"] == "DOMAIN"
    assert tree(shop, "need/train", "--why-not", "domain/z2/r2")["answer"] == "The plan does that."


@pytest.mark.parametrize(
    ("what", "why_not", "said"),
    [
        ("web", "machine/spot", "The plan does that."),
        ("crawl", "machine/busy", "That serves crawl already."),
        ("crawl", "machine/spot", "crawl lacks nothing once its shard's cycle is done"),
        ("web", "machine/gpu0", "That may not be (not enough of a resource)."),
    ],
)
def test_what_needs_no_comparison(shop, what, why_not, said):
    told = tree(shop, f"need/{what}", "--why-not", why_not)
    assert told["answer"].startswith(said)
    assert told["instead"] is None


def test_like_machines_go_by_their_ids(tmp_path):
    rows = [machine("i{}", count=3, shard="s1", state="IDLE")]
    fleet = TWO_SHARDS | {"machines": rows, "needs": [need("n", "a", priority=5, count=2)]}
    file = write(tmp_path, fleet)
    told = tree(file, "need/n", "--why-not", "machine/i2")
    assert told["answer"] == (
        "Nothing tells i2 apart from i0, which the plan takes: of like machines the lowest id "
        "goes first."
    )
    assert tree(file, "need/n", "--why-not", "machine/i0")["answer"] == "The plan does that."


def test_a_move_can_be_asked_about_something_else(shop):
    told = tree(shop, "move/m1", "--why-not", "machine/steady")
    assert told["move"]["machines"] == ["spot"]
    assert told["instead"]["moves"][0]["machines"] == ["steady"]
    assert "byItself" not in told


def test_all_moves_with_what_they_are_worth(shop):
    told = tree(shop, "plan")
    assert [(m["id"], m["need"]) for m in told["moves"]] == [("m1", "web"), ("m2", "train")]
    assert told["moves"][0]["byItself"]["moves"] == {"change": 1, "usd": 0.1}
    assert run("explain", shop, "plan", "-o", "name").stdout == "m1\nm2\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("move/m9",), "moves: there is no move 'm9'; did you mean 'm"),
        (("need/wbe", "--why-not", "domain/z1"), "no need 'wbe'; did you mean 'web'?"),
        (("need/web", "--why-not", "machine/stedy"), "no machine 'stedy'; did you mean 'steady'?"),
        (("need/web", "--why-not", "domain/z9"), "domains: there is no domain 'z9'; did you mean"),
        (("need/web", "--why-not", "domain/rck=r1"), "levels: there is no level 'rck'"),
    ],
)
def test_wrong_names_are_told_with_the_nearest(shop, arguments, said):
    done = run("explain", shop, *arguments)
    assert (done.exit_code, done.stdout) == (1, "")
    assert said in done.stderr


def test_a_name_in_two_levels_is_not_guessed(tmp_path):
    labels = {"topology.kubernetes.io/zone": "x", "topology.kubernetes.io/region": "x"}
    fleet = TWO_SHARDS | {"machines": [machine("m", shard="s1", state="IDLE", labels=labels)]}
    file = write(tmp_path, fleet)
    done = run("explain", file, "need/serve", "--why-not", "domain/x")
    assert done.exit_code == 1
    assert "'x' is the name of 2 domains; write topology.kubernetes.io/region=x or" in done.stderr
    told = tree(file, "need/train", "--why-not", "domain/topology.kubernetes.io/zone=x")
    assert told["asked"] == "with domain/topology.kubernetes.io/zone=x for train"


@pytest.mark.parametrize("name", ["a=b", "=", "a/b", "x=a=b", "rack=", "<b>", "a b", "a\nb"])
def test_a_domain_may_have_any_name(tmp_path, name):
    zone = "topology.kubernetes.io/zone"
    fleet = TWO_SHARDS | {"machines": [machine("m", shard="s1", state="IDLE", labels={zone: name})]}
    file = write(tmp_path, fleet)
    for asked in (name, f"{zone}={name}"):
        told = tree(file, "need/train", "--why-not", f"domain/{asked}")
        assert told["answer"] == tree(file, "need/train", "--why-not", "machine/m")["answer"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("machine/spot", "--why-not", "machine/steady"), "--why-not goes with need/ID or move/ID"),
        (("plan", "--why-not", "machine/steady"), "--why-not goes with need/ID or move/ID"),
        (("need/web", "--why-not", "steady"), "'steady' is not machine/ID or domain/NAME"),
        (("moves/m1",), "did you mean 'move'?"),
    ],
)
def test_what_makes_no_question(shop, arguments, said):
    done = run("explain", shop, *arguments)
    assert done.exit_code == 2
    assert said in done.stderr


def test_a_fleet_too_large_to_ask_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("rebalancer.wide.stage.most_pairs", lambda limits: 1)
    done = run("explain", "fleet.yaml", "move/m1")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "too many machines and needs" in done.stderr


def test_without_time_nothing_is_claimed(monkeypatch, shop):
    monkeypatch.setattr("planner.explain.asked_plan.ANSWERING_SECONDS", 1e9)
    told = tree(shop, "move/m1")
    assert told["answer"] == "No answer in time: a larger rebalance.deadline may help."
    assert told["instead"] is None


def test_pins_are_named(tmp_path):
    rows = [machine("i{}", count=2, shard="s1", state="IDLE", pinned=True)]
    fleet = TWO_SHARDS | {"machines": rows, "needs": [need("n", "a")]}
    file = tmp_path / "pinned.yaml"
    file.write_text(dump_yaml(fleet), "utf-8")
    refused = tree(str(file), "need/n", "--why-not", "machine/i1")["refused"]
    assert (refused["rule"], refused["remedy"]) == ("UNTOUCHED", "Take the pin off i1.")
    assert refused["machines"] == {"UNTOUCHED": 1}


def test_climbing_back_is_told_and_not_compared(tmp_path):
    dear = machine("dear", shard="s0", state="CONFIGURED", cluster="a", serves="n", pricePerHour=5)
    dear["capacityType"] = "on-demand"
    cheap = machine("cheap", shard="s0", capacityType="on-demand", pricePerHour=1, readySeconds=60)
    fleet = TWO_SHARDS | {"machines": [dear, cheap], "needs": [need("n", "a")]}
    file, climbs = write(tmp_path, fleet), ("--set", "rebalance.migrate=on")
    moves = tree(file, "plan", *climbs)["moves"]
    assert [(m["kind"], m["machines"]) for m in moves] == [
        ("replace", ["cheap"]),
        ("drain", ["dear"]),
    ]
    assert [m["byItselfUsd"] for m in moves] == [None, None]
    for move in moves:
        told = tree(file, f"move/{move['id']}", *climbs)
        assert (told["answer"], told["instead"]) == ("n would keep what it has.", None)
    told = tree(file, "need/n", "--why-not", "machine/cheap", *climbs)
    assert told["answer"] == "The plan does that."
    told = tree(file, "need/n", "--why-not", "machine/dear", *climbs)
    assert told["answer"] == "That serves n already."
    assert run("explain", file, "plan", *climbs).exit_code == 0


def test_beside_a_plan_that_is_not_proven_no_flip_is_asked_for(shop, monkeypatch):
    def unproven(standing, settings):
        assert settings.rebalance.workers == 1
        answer = solved(standing, settings)
        return replace(answer, plan=replace(answer.plan, outcome=Outcome.FEASIBLE))

    monkeypatch.setattr("planner.explain.asked_plan.solved", unproven)
    told = tree(shop, "move/m1")
    assert (told["outcome"], told["instead"]["decidedBy"]) == ("FEASIBLE", "GOALS")
    assert (told["instead"]["flips"], told["instead"]["unknownFlips"]) == (None, None)
    assert "not asked, as the plan is not proven" in told["answer"]
