"""The verb ``settings`` and its own: every format, every fault, exit statuses."""

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from models.rules import Goal
from models.settings import Settings, leaves, recorded, settings_document, settings_from
from planner.cli.main import bigfleet
from planner.files import dump_yaml
from tests.planner.cli.fleets import TWO_SHARDS
from tests.planner.cli.fleets import write as write_fleet

ROOT = Path(__file__).resolve().parents[4]
PATHS = [path for path, _ in leaves(settings_document(Settings()))]


def run(*arguments: str, input: str | None = None):
    return CliRunner().invoke(bigfleet, ["settings", *arguments], input=input)


def out(*arguments: str, status: int = 0, input: str | None = None) -> str:
    done = run(*arguments, input=input)
    assert done.exit_code == status, done.stderr
    return done.stdout


def tree(*arguments: str, status: int = 0) -> dict:
    return json.loads(out(*arguments, "-o", "json", status=status))


def write(folder: Path, name: str, **sections) -> str:
    (folder / name).write_text(dump_yaml({"kind": "Settings", **sections}), "utf-8")
    return str(folder / name)


class TestShow:
    def test_defaults(self):
        shown = tree("show")
        assert [row["path"] for row in shown["values"]] == PATHS
        assert all(row["value"] == row["default"] for row in shown["values"])
        assert {(row["source"], row["recorded"]) for row in shown["values"]} == {("default", None)}
        assert {tuple(row) for row in shown["values"]} == {
            ("path", "value", "default", "unit", "source", "recorded", "text")
        }

    def test_where_values_came_from(self, tmp_path):
        fleet = write_fleet(
            tmp_path, TWO_SHARDS, {"kind": "Settings", "rebalance": {"seed": 1, "workers": 1}}
        )
        more = write(tmp_path, "more.yaml", rebalance={"workers": 2}, cycle="3s")
        shown = tree("show", fleet, "--settings", more, "--set", "cycle=4s")
        rows = {row["path"]: row for row in shown["values"] if row["source"] != "default"}
        assert {path: (row["value"], row["source"]) for path, row in rows.items()} == {
            "cycle": ("4s", "--set"),
            "rebalance.seed": (1, f"{fleet}: rebalance.seed"),
            "rebalance.workers": (2, f"{more}: rebalance.workers"),
        }
        assert rows["cycle"]["default"] == "10s"

    def test_later_files_win(self, tmp_path):
        one = write(tmp_path, "1.yaml", goals={"moves": 1})
        two = write(tmp_path, "2.yaml", goals={"moves": 2})
        values = {row["path"]: row["value"] for row in tree("show", one, two)["values"]}
        assert values["goals.moves"] == 2

    def test_yaml_is_a_settings_file_that_records_its_sources(self, tmp_path):
        file = write(tmp_path, "1.yaml", rebalance={"mode": "off"}, goals={"moves": 1})
        body = yaml.safe_load(out("show", file, "--set", "cycle=4s", "-o", "yaml"))
        told = settings_from(body)
        assert (told.cycle, told.goals.moves, told.rebalance.mode) == (4.0, 1.0, "off")
        assert recorded(body).sources == {
            "cycle": "--set",
            "rebalance.mode": f"{file}: rebalance.mode",
            "goals.moves": f"{file}: goals.moves",
        }

    def test_show_of_what_was_shown_is_the_same(self, tmp_path):
        text = out("show", "--set", "goals.moves=2", "-o", "yaml")
        (tmp_path / "s.yaml").write_text(text)
        assert out("show", str(tmp_path / "s.yaml"), "-o", "yaml") == text
        rows = {row["path"]: row for row in tree("show", str(tmp_path / "s.yaml"))["values"]}
        assert rows["goals.moves"]["recorded"] == "--set"
        assert rows["cycle"]["recorded"] == "default"

    def test_tables(self, tmp_path):
        file = write(tmp_path, "s.yaml", assign={"scarce": ["gpu", "tpu"]})
        lines = out("show", file).splitlines()
        assert lines[1].split() == ["SETTING", "VALUE", "DEFAULT", "UNIT", "FROM"]
        assert len(lines) == 2 + len(PATHS)
        [scarce] = (line for line in lines if line.startswith("assign.scarce"))
        assert scarce.split("  ")[0] == "assign.scarce"
        assert '["gpu", "tpu"]' in scarce
        assert f"{file}: assign.scarce" in scarce
        wide = out("show", "-o", "wide")
        assert "WHAT IT DOES" in wide
        assert "A shard decides so often." in wide

    def test_names(self):
        assert out("show", "-o", "name").splitlines() == PATHS

    def test_standard_input_and_a_document_without_a_kind(self):
        values = out("show", "-", "-o", "yaml", input="cycle: 3s\n")
        assert yaml.safe_load(values)["cycle"] == "3s"

    def test_all_faults_at_once(self, tmp_path):
        one = write(tmp_path, "1.yaml", goals={"moovs": 1})
        two = write(tmp_path, "2.yaml", kind="Scenario")
        done = run("show", one, two, "missing.yaml", "--set", "cycel=1s")
        assert (done.exit_code, done.stdout) == (1, "")
        starts = [line.split(": ")[0] for line in done.stderr.splitlines()]
        assert sorted(starts) == sorted([one, two, "missing.yaml", "--set"])
        assert "did you mean 'moves'?" in done.stderr


class TestCheck:
    def test_a_sound_file(self, tmp_path):
        file = write(tmp_path, "s.yaml", goals={"moves": 1})
        assert tree("check", file) == {"files": [{"file": file, "faults": [], "warnings": []}]}
        assert out("check", file, "-o", "name") == ""

    def test_all_faults_of_all_files(self, tmp_path):
        wrong = write(
            tmp_path, "1.yaml", cyle="3s", goals={"moves": -1}, metadata={"sources": {"cycel": "x"}}
        )
        odd = write(tmp_path, "2.yaml", goals={"moves": 0})
        done = run("check", wrong, odd, str(tmp_path), "-o", "json")
        assert done.exit_code == 1
        files = json.loads(done.stdout)["files"]
        assert [(len(each["faults"]), len(each["warnings"])) for each in files] == [
            (3, 0), (0, 1), (1, 0)
        ]  # fmt: skip
        assert {fault["path"] for fault in files[0]["faults"]} == {
            f"{wrong}: metadata.sources.cycel", f"{wrong}: goals.moves", f"{wrong}: cyle"
        }  # fmt: skip
        warning = files[1]["warnings"][0]
        assert (warning["path"], warning["value"]) == ("goals.moves", 0)
        lines = done.stderr.splitlines()
        assert len(lines) == 4
        assert f"{wrong}: cyle: unknown field (value '3s'); did you mean 'cycle'?" in lines
        assert out("check", wrong, odd, "-o", "name", status=1) == f"{wrong}\n"

    def test_more_faults_than_are_shown_elsewhere(self, tmp_path):
        file = write(tmp_path, "s.yaml", **{f"x{number}": 1 for number in range(40)})
        done = run("check", file)
        assert len(done.stderr.splitlines()) == 40
        assert done.stdout.splitlines()[2].split()[-2:] == ["40", "0"]

    def test_warnings_alone_are_no_failure(self, tmp_path):
        file = write(tmp_path, "s.yaml", rebalance={"deadline": "1m"})
        said = out("check", file)
        assert "rebalance.deadline" in said
        assert "rebalance.every is 30s" in said

    def test_sources_of_what_is_not_set(self, tmp_path):
        sources = {"goals.moves": "a", "cycle": "b", "release.hold.spot": "c"}
        goals = {"moves": 1, "gang_spread": None}
        held = {"goals": goals, "release": {"hold": {"on-demand": "1m"}}}
        file = write(tmp_path, "s.yaml", metadata={"sources": sources}, **held)
        [told] = tree("check", file)["files"]
        assert [(each["path"], each["value"]) for each in told["warnings"]] == [
            ("metadata.sources.cycle", "b"), ("metadata.sources.release.hold.spot", "c")
        ]  # fmt: skip

    def test_settings_beside_a_fleet_and_a_fleet_without(self, tmp_path):
        both = write_fleet(tmp_path, TWO_SHARDS, {"kind": "Settings", "goals": {"moves": -1}})
        assert "goals.moves" in run("check", both).stderr
        alone = write_fleet(tmp_path, TWO_SHARDS)
        [told] = tree("check", alone)["files"]
        assert [each["message"] for each in told["warnings"]] == [
            "there are no settings in this file."
        ]

    @pytest.mark.parametrize(
        ("documents", "said"),
        [
            ("kind: Settings\n---\nkind: Settings\n", "holds 2 documents of kind Settings"),
            ("kind: Plan\n", "'Plan' is not Fleet or Settings"),
            ("kind: 3\n", "'' is not Fleet or Settings"),
            ("cycle: 1s\n---\nkind: Fleet\n", "'' is not Fleet or Settings"),
            ("a: [\n", "is not YAML"),
            ("", "is empty"),
        ],
    )
    def test_files_that_hold_something_else(self, tmp_path, documents, said):
        (tmp_path / "s.yaml").write_text(documents)
        done = run("check", str(tmp_path / "s.yaml"))
        assert done.exit_code == 1
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1

    def test_options_are_checked_too(self, tmp_path):
        assert run("check", write(tmp_path, "s.yaml"), "--set", "cycel=1s").exit_code == 1


class TestDiff:
    def test_what_differs(self, tmp_path):
        file = write(
            tmp_path, "s.yaml", goals={"moves": 0.2}, metadata={"sources": {"goals.moves": "t"}}
        )
        told = tree("diff", "defaults", file)
        assert (told["a"], told["b"], told["goalsFactor"]) == ("defaults", file, None)
        [row] = told["differences"]
        assert row == {
            "path": "goals.moves", "a": 0.1, "b": 0.2, "sourceA": "default",
            "sourceB": f"{file}: goals.moves (t)",
            "meaning": "One machine counts 0.2 USD instead of 0.1: 2 times as much.",
        }  # fmt: skip
        assert out("diff", file, "defaults", "-o", "name") == "goals.moves\n"

    def test_options_go_over_the_second(self, tmp_path):
        file = write(tmp_path, "s.yaml", cycle="3s")
        [row] = tree("diff", file, file, "--set", "cycle=4s")["differences"]
        assert (row["a"], row["b"], row["sourceB"]) == ("3s", "4s", "--set")

    def test_nothing(self):
        assert out("diff", "defaults", "defaults") == "No setting differs.\n"
        assert tree("diff", "defaults", "defaults")["goalsFactor"] == 1

    def test_sentences_on_goals(self):
        doubled = [f"--set=goals.{goal}={2 * Settings().goals.weight(goal)}" for goal in Goal]
        assert "All goals weigh 2 times as much" in out("diff", "defaults", "defaults", *doubled)
        other = out("diff", "defaults", "defaults", "--set", "cycle=1s", "-o", "wide")
        assert "Goals are weighed alike." in other
        assert "B FROM" in other
        alone = out("diff", "defaults", "defaults", "--set", "goals.moves=1")
        assert "alike" not in alone
        assert "All goals" not in alone

    def test_faults(self, tmp_path):
        done = run("diff", "default", write(tmp_path, "s.yaml"))
        assert done.exit_code == 1
        assert "there is no such file" in done.stderr
        assert run("diff", "-", "-").exit_code == 2


class TestSchema:
    def test_it_is_the_one_in_the_docs(self):
        text = (ROOT / "docs/schema/settings.schema.json").read_text("utf-8")
        assert out("schema") == text
        assert yaml.safe_load(out("schema", "-o", "yaml")) == json.loads(text)


class TestGoals:
    def test_all(self):
        told = tree("goals", "--set", "goals.moves=3")["goals"]
        assert list(told) == [str(goal) for goal in Goal]
        assert (told["moves"]["weight"], told["moves"]["default"]) == (3, 0.1)
        assert out("goals", "-o", "name").split() == list(told)
        assert "FORMULA" in out("goals", "-o", "wide")
        assert "FORMULA" not in out("goals")

    def test_one(self):
        assert list(tree("goals", "gang_spread")["goals"]) == ["gang_spread"]
        said = out("goals", "gang_spread")
        assert "sum over gangs q and domains D" in said
        assert "USD per domain" in said

    def test_a_wrong_name(self):
        done = run("goals", "movs")
        assert done.exit_code == 2
        assert "there is no goal 'movs'; did you mean 'moves'?" in done.stderr


VERBS = ["check", "diff", "goals", "schema", "show"]


def test_the_overview_names_every_verb():
    said = run("--help").stdout
    assert all(f"  {verb} " in said for verb in VERBS)
    done = run("chek")
    assert done.exit_code == 2
    assert "there is no verb 'chek'; did you mean 'check'?" in done.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_examples_and_the_common_options(verb):
    said = run(verb, "--help").stdout
    assert f"Examples:\n    bigfleet settings {verb}" in said
    assert all(option in said for option in ("-o, --output", "--settings FILE", "--set PATH=VALUE"))
