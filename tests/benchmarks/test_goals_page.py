"""docs/goals.md is what its generator writes, and its commands do what it says."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.goals_page import FLEETS, page
from models.goal_texts import GOAL_TEXTS
from models.rules import Goal
from planner.cli.main import bigfleet

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "goals.md").read_text("utf-8")
COMMANDS = re.findall(r"^\$ bigfleet (plan \S+ --set \S+)$", PAGE, re.MULTILINE)


def test_the_page_is_what_the_solves_say():
    assert page() == PAGE, "run `make goals`"


def test_every_goal_whose_weight_can_decide_has_a_fleet():
    # Of the others the page says why; see their notes.
    without = {Goal.MOVES, Goal.DONOR_HEADROOM}
    assert {Goal(file.stem) for file in FLEETS.iterdir()} == set(Goal) - without
    assert all(GOAL_TEXTS[goal].note for goal in without)
    assert len(COMMANDS) == len(Goal) - len(without)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_gives_what_the_page_shows(command, monkeypatch):
    monkeypatch.chdir(ROOT)
    done = CliRunner().invoke(bigfleet, [*command.split(), "--workers", "1", "-o", "json"])
    assert done.exit_code == 0, done.stderr
    plan = json.loads(done.stdout)
    rows = _rows_below(command)
    machines = [name for move in plan["moves"] for name in move["machines"]]
    assert rows.pop("machines") == ", ".join(f"`{name}`" for name in machines)
    assert len(rows) >= 2, "a goal that gains and one that loses"
    for label, value in rows.items():
        goal = label.split("`")[1]
        assert plan["goals"][goal]["after"] == pytest.approx(float(value), abs=1e-4)


def _rows_below(command: str) -> dict[str, str]:
    """Give the last column of the table that follows a command, by the first."""
    table = PAGE.split(f"$ bigfleet {command}\n")[1].split("\n\n")[1]
    cells = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    return {row[0]: row[-1] for row in cells}
