"""``explain FLEET room/N``: where a gang would fit, and whom it would cost."""

import json

import pytest
from click.testing import CliRunner

from planner.cli.main import bigfleet
from tests.planner.cli.fleets import machine, need, write

RACK = "example.com/rack"
RUNS = {"state": "CONFIGURED", "cluster": "c"}
RACKS = {
    "kind": "Fleet",
    "topology": [RACK],
    "machines": [
        machine("a{}", count=2, state="IDLE", labels={RACK: "r1"}),
        machine("b{}", count=2, serves="dear", **RUNS, labels={RACK: "r1"}),
        machine("d{}", count=4, serves="cheap", **RUNS, labels={RACK: "r2"}),
        machine("e", instanceType="u", state="IDLE", labels={RACK: "r3"}),
    ],
    "needs": [
        need("dear", "c", count=2, priority=9, interruptionPenalty=1000),
        need("cheap", "c", count=4, interruptionPenalty=3),
    ],
}


SIZES = ("-3", "1.5", "1_0", "\uff11", "\u0663", " 1", "9223372036854775808", "9" * 5000)
"""What is no size, though Python's int may read it."""


def run(*arguments: str):
    return CliRunner().invoke(bigfleet, ["explain", *arguments])


def tree(*arguments: str) -> dict:
    done = run(*arguments, "-o", "json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_what_fits_drains_nobody(tmp_path):
    told = tree(write(tmp_path, RACKS), "room/2")
    assert told["level"] == RACK
    assert (told["clearing"]["domain"], told["clearing"]["drains"]) == ("r1", 0)


def test_it_is_together_on_the_lowest_level_unless_told(tmp_path):
    file = write(tmp_path, RACKS | {"topology": ["example.com/row", RACK]})
    assert tree(file, "room/2")["level"] == RACK
    assert tree(file, "room/2", "--level", "example.com/row")["level"] == "example.com/row"


def test_what_must_be_bought_is_told_apart_from_what_is_idle(tmp_path):
    bought = {**RACKS, "machines": [*RACKS["machines"], machine("s", labels={RACK: "r1"})]}
    clearing = tree(write(tmp_path, bought), "room/3")["clearing"]
    assert (clearing["idle"], clearing["new"], clearing["drains"]) == (2, 1, 0)
    said = run(write(tmp_path, bought), "room/3").stdout
    assert "3 machines fit in r1 in s0 if 1 is bought beside 2 that are idle." in said


def test_the_cheapest_rack_is_cleared(tmp_path):
    clearing = tree(write(tmp_path, RACKS), "room/4")["clearing"]
    assert clearing == {
        "domain": "r2",
        "shard": "s0",
        "idle": 0,
        "new": 0,
        "drains": 4,
        "machines": ["d0", "d1", "d2", "d3"],
        "loses": [{"need": "cheap", "count": 4}],
        "damage": 12,
    }
    said = run(write(tmp_path, RACKS), "room/4").stdout
    assert "4 machines would fit in r2 in s0 if 4 of its machines were drained" in said
    assert "$12.00 of penalties" in said


@pytest.mark.parametrize(
    "options", [("--priority", "0"), ("--class", "u/bare-metal@p"), ("--priority", "-5")]
)
def test_no_room_is_an_answer(tmp_path, options):
    assert tree(write(tmp_path, RACKS), "room/4", *options)["clearing"] is None
    assert "could hold 4 machines" in run(write(tmp_path, RACKS), "room/4", *options).stdout


def test_only_what_is_lower_gives_way(tmp_path):
    clearing = tree(write(tmp_path, RACKS), "room/3", "--priority", "9")["clearing"]
    assert clearing["domain"] == "r2"


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        *(
            (["room/" + size], 2, "is not a whole number of 1 or more, below 2^63")
            for size in SIZES
        ),
        (["room/0"], 2, "not a whole number of 1 or more"),
        (["room/x"], 2, "not a whole number of 1 or more"),
        (["room/2", "--level", "example.com/rak"], 1, f"did you mean '{RACK}'?"),
        (["room/2", "--class", "t/bare-metl@p"], 1, "did you mean 't/bare-metal@p'?"),
        (["need/cheap", "--level", RACK], 2, "go with room/N"),
        (["room/2", "--why-not", "machine/e"], 2, "--why-not goes with"),
    ],
)
def test_a_wrong_word_is_one_line(tmp_path, arguments, status, says):
    done = run(write(tmp_path, RACKS), *arguments)
    assert (done.exit_code, says in done.stderr) == (status, True), done.stderr
