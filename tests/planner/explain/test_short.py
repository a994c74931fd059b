"""Why a need is short, from a file to the answer; the example of the decision is run."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from models.builder import FleetBuilder
from models.machine import CapacityType, MachineRow, State
from models.need import Need
from models.requirement import Operator, Requirement
from models.settings import Settings
from planner.cli.main import bigfleet
from planner.explain.short import MOST_MACHINES, why_short_of
from planner.render.explain.short import short_tree

DECISION = Path(__file__).parents[3] / "docs/decisions/016-why-short.md"


@pytest.fixture(autouse=True)
def time_to_try(monkeypatch):
    """Give the tries all the time they want, however busy the machine is."""
    monkeypatch.setattr("planner.explain.short.TRYING_SECONDS", 60.0)


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", DECISION.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return found.group(1)


def asked(file: Path, *options: str) -> str:
    done = CliRunner().invoke(bigfleet, ["explain", str(file), "need/a/train", *options])
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_the_example_prints_what_the_decision_shows(tmp_path):
    file = tmp_path / "fleet.yaml"
    file.write_text(block("yaml"), "utf-8")
    command, _, shown = block("console").partition("\n")
    assert command == "$ bigfleet explain fleet.yaml need/a/train"
    printed = asked(file)
    told = printed[printed.index("Why it is short") :].partition("\n\nClasses of")[0]
    assert [line.rstrip() for line in told.splitlines()] == shown.rstrip().splitlines()


def test_the_example_as_json_has_what_the_decision_lists(tmp_path):
    file = tmp_path / "fleet.yaml"
    file.write_text(block("yaml"), "utf-8")
    told = json.loads(asked(file, "-o", "json"))["whyShort"]
    assert told["deficit"] == 4
    assert [row["rule"] for row in told["conflict"]] == ["MATCHES", "PRIORITY"]
    kinds = [row["kind"] for row in told["changes"]]
    assert kinds[:4] == ["fewest-machines", "lowest-price", "weakest-requirement", "lower-need"]
    assert [row["rank"] for row in told["changes"]] == [*range(1, len(kinds) + 1)]
    assert all(row["isTried"] for row in told["changes"])
    edits = {part["edit"] for row in told["changes"] for part in row["parts"]}
    assert edits == {"add-machines", "drop", "lower-count"}
    text = DECISION.read_text("utf-8")
    assert all(f"`{key}`" in text for row in told["changes"] for key in row)
    assert all(f"`{key}`" in text for row in told["conflict"] for key in row)


def told_of(fleet, **options) -> dict:
    return short_tree(why_short_of(fleet, Settings(), 0, **options))


def world(*needs: Need) -> FleetBuilder:
    builder = FleetBuilder(topology=("rack",))
    builder.shard("s0", "a", "b").needs(*needs)
    return builder


def idle(name: str, count: int, **fields: object) -> tuple[MachineRow, int]:
    row = MachineRow(
        f"{name}{{}}", CapacityType.BARE_METAL, state=State.IDLE, shard="s0",
        host_ref=f"host-{name}{{}}", price_per_hour=1.0, **fields,
    )  # fmt: skip
    return row, count


def test_a_need_that_is_served_needs_no_change():
    fleet = world(Need("n", "a", 2)).machines(*idle("m", 2)).build()
    told = told_of(fleet)
    assert (told["deficit"], told["conflict"], told["changes"]) == (0, [], [])
    assert told["words"] == "It is served whole: nothing has to change."


def test_what_drains_takes_time_only():
    row = MachineRow(
        "m{}", CapacityType.BARE_METAL, state=State.CONFIGURED, shard="s0", cluster="b",
        host_ref="h{}", price_per_hour=1.0,
    )  # fmt: skip
    fleet = (
        world(Need("n", "a", 2, 500_000), Need("low", "b", 2, 0))
        .machines(row, 2, serves="b/low")
        .build()
    )
    told = told_of(fleet)
    assert (told["deficit"], told["changes"]) == (0, [])
    assert "2 of its machines are still draining" in told["words"]


def test_a_cycle_that_buys_first_takes_time_only():
    row = MachineRow(
        "m{}", CapacityType.BARE_METAL, state=State.CONFIGURED, shard="s0", cluster="b",
        host_ref="h{}", price_per_hour=1.0,
    )  # fmt: skip
    slot = MachineRow("q", CapacityType.ON_DEMAND, shard="s0", price_per_hour=1.0)
    fleet = (
        world(Need("n", "a", 3, 500_000), Need("low", "b", 2, 0))
        .machines(row, 2, serves="b/low")
        .machines(slot)
        .build()
    )
    told = told_of(fleet)
    assert (told["deficit"], told["changes"]) == (2, [])
    assert "nothing has to change" in told["words"]


def test_without_time_changes_are_told_untried():
    fleet = world(Need("n", "a", 4)).machines(*idle("m", 1)).build()
    ticks = iter(range(0, 100_000, 100))
    told = told_of(fleet, clock=lambda: float(next(ticks)))
    assert [row["isTried"] for row in told["changes"]] == [False]
    assert told["changes"][0]["machinesAdded"] == 3


@pytest.mark.parametrize("count", [MOST_MACHINES + 1, 2**31, 2**62, 2**63 - 1])
def test_a_fleet_that_would_grow_too_large_is_not_made(count, monkeypatch):
    monkeypatch.setattr("planner.explain.short.fleet_of", None)
    fleet = world(Need("n", "a", count)).machines(*idle("m", 1)).build()
    first = told_of(fleet)["changes"][0]
    assert (first["machinesAdded"], first["isTried"]) == (count - 1, False)


def test_a_fleet_may_grow_to_so_many_machines_and_no_more(monkeypatch):
    monkeypatch.setattr("planner.explain.short.MOST_MACHINES", 10)
    for count, is_tried in ((10, True), (11, False)):
        fleet = world(Need("n", "a", count)).machines(*idle("m", 4)).build()
        first = told_of(fleet)["changes"][0]
        assert (first["machinesAdded"], first["isTried"]) == (count - 4, is_tried)


@pytest.mark.parametrize(
    ("requirement", "label"),
    [
        (Requirement("k", Operator.IN, ("x", "y")), "x"),
        (Requirement("k", Operator.GT, ("7",)), "8"),
        (Requirement("k", Operator.LT, ("7",)), "6"),
        (Requirement("k", Operator.EXISTS), "any"),
        (Requirement("k", Operator.DOES_NOT_EXIST), None),
    ],
)
def test_where_no_class_suits_machines_are_made_to_measure(requirement, label):
    need = Need("n", "a", 3, requirements=(requirement,), resources={"gpu": 4})
    fleet = world(need).machines(*idle("m", 5, resources={"gpu": 2})).build()
    [first, *_] = told_of(fleet)["changes"]
    [part] = first["parts"]
    assert (part["class"], part["count"], first["pricePerHour"]) == (None, 3, None)
    assert part["labels"].get("k") == label
    assert first["isTried"]


def test_only_the_gap_between_shards_may_be_in_the_way():
    row = MachineRow(
        "m{}", CapacityType.BARE_METAL, state=State.CONFIGURED, shard="s1", cluster="c",
        host_ref="h{}", price_per_hour=1.0,
    )  # fmt: skip
    fleet = (
        FleetBuilder(topology=("rack",))
        .shard("s0", "a")
        .shard("s1", "c")
        .needs(Need("n", "a", 2, 60_000), Need("low", "c", 2, 10_000))
        .machines(row, 2, serves="c/low")
        .build()
    )
    told = told_of(fleet)
    by_kind = {row["kind"]: row for row in told["changes"]}
    assert by_kind["setting"]["words"] == "lower rebalance.min_gap from 100000 to 50000"
    assert by_kind["lower-need"]["words"] == "lower the count of low (priority 10000) from 2 to 0"
    assert all(row["isTried"] for row in told["changes"])


def test_less_of_a_resource_and_a_lower_floor_only_as_far_as_it_takes():
    need = Need("n", "a", 4, resources={"gpu": 8}, floor=3)
    risky = MachineRow(
        "r{}", CapacityType.SPOT, state=State.IDLE, shard="s0", host_ref="r{}",
        price_per_hour=1.0, interruption_probability=0.1, resources={"gpu": 8},
    )  # fmt: skip
    builder = world(need).machines(*idle("m", 4, resources={"gpu": 6}))
    builder.machines(*idle("s", 4, resources={"gpu": 2})).machines(risky, 3)
    told = told_of(builder.machines(*idle("f", 1, resources={"gpu": 8})).build())
    words = [row["words"] for row in told["changes"]]
    assert "lower floor 3 to 1" in words
    assert "lower gpu >= 8 to 6" in words
