"""The verb ``tune``: what it shows, writes, keeps and refuses."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner

from models.settings import recorded, settings_from
from planner.cli.main import bigfleet
from planner.files import read_document
from planner.tune import tuning
from planner.tune.sweep import through
from tests.planner.cli.fleets import write
from tests.planner.tune.worlds import SWEPT, trading

ROOT = Path(__file__).resolve().parents[3]
WEIGHTS = [part for swept in SWEPT for part in ("--weight", swept)]


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """Solve here: to start a process takes a second, and test_processes looks at these."""
    monkeypatch.setattr(
        tuning, "in_processes", lambda grounds, count: through(ThreadPoolExecutor(1), grounds)
    )


@pytest.fixture
def fleet(tmp_path) -> str:
    return write(tmp_path, trading())


def run(*arguments: str):
    return CliRunner().invoke(bigfleet, ["tune", *map(str, arguments)])


def told(done) -> str:
    """Give what stderr says, but that it takes time."""
    lines = done.stderr.splitlines(keepends=True)
    return "".join(line for line in lines if not re.match(r"(solving|reading) ?", line))


def tree(*arguments: str) -> dict:
    done = run(*arguments, "-o", "json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    for trial in found["trials"]:
        assert trial.pop("seconds") >= 0
    return found


def test_the_table_has_each_result_once_with_its_marks(fleet):
    done = run(fleet, *WEIGHTS)
    assert done.exit_code == 0
    head, *lines = done.stdout.split("\n\n")[0].splitlines()[1:]
    assert head.split()[:3] == ["MARK", "TRIAL", "TRIALS"]
    found = [(line.split("  ")[0].strip(), *line.split()[-4:-1]) for line in lines]
    # Cost, seconds, and how far the shards are from like shares.
    assert [row[:3] for row in found] == [
        ("> front", "3", "2,700"),
        ("* front", "12", "720"),
        ("front", "22", "360"),
        ("front", "27", "180"),
    ]
    assert "Knee: trial 5, running_cost=1, time_to_ready=0.01." in done.stdout
    assert "From time_to_ready=1 on no other swept weight changes anything." in done.stdout


def test_the_tree_has_every_number(fleet):
    found = tree(fleet, *WEIGHTS)
    assert (found["present"], found["knee"]) == (4, 5)
    assert found["weights"]["time_to_ready"] == {
        "low": 0.0001, "high": 1, "steps": 3, "spacing": "log", "present": 0.0001,
    }  # fmt: skip
    assert found["dominating"] == {"time_to_ready": 1}
    assert found["idle"] == found["failed"] == []
    assert {"moves", "gang_spread"} < set(found["constant"])
    assert len(found["trials"]) == 9
    trial = found["trials"][4]
    assert trial["weights"] == {"running_cost": 1, "time_to_ready": 0.01}
    assert (trial["served"], trial["drained"], trial["created"]) == (3, 0, 3)
    assert trial["goals"]["running_cost"] == 12
    # By the present weights, and by its own: three moves, 4.5 machines away from like shares.
    assert trial["cost"] == pytest.approx(12 + 720 * 0.0001 + 3 * 0.1 + 4.5 * 0.01)
    assert trial["ownCost"] == pytest.approx(12 + 720 * 0.01 + 3 * 0.1 + 4.5 * 0.01)


def test_of_several_fleets_sums_are_shown_and_each_share(tmp_path, fleet):
    (tmp_path / "other").mkdir()
    other = write(tmp_path / "other", trading(2))
    found = tree(fleet, other, *WEIGHTS)
    assert [each["fleet"] for each in found["fleets"]] == [fleet, other]
    for trial in found["trials"]:
        shares = trial["fleets"]
        assert [share["served"] for share in shares] == [3, 2]
        for goal, value in trial["goals"].items():
            assert value == pytest.approx(sum(share["goals"][goal]["after"] for share in shares))
    wide = run(fleet, other, *WEIGHTS, "-o", "wide").stdout
    assert f"{other}: SERVED/DRAINED/CREATED" in wide
    assert all(line.endswith("2/0/2") for line in wide.splitlines()[2:11])


def test_names_are_the_trials_on_the_front(fleet):
    found = tree(fleet, *WEIGHTS)
    front = [f"trial/{trial['trial']}" for trial in found["trials"] if trial["front"]]
    assert run(fleet, *WEIGHTS, "-o", "name").stdout.split() == front


def test_the_weights_of_the_knee_are_written_with_where_they_came_from(tmp_path, fleet):
    file = tmp_path / "new.yaml"
    assert run(fleet, *WEIGHTS, "--set", "rebalance.seed=7", "--write", file).exit_code == 0
    body = read_document(file).body
    expected = {"goals": {"time_to_ready": 0.01}, "rebalance": {"seed": 7}}
    assert settings_from(body) == settings_from(expected)
    said = f"bigfleet tune {fleet}: trial 5, the knee"
    assert recorded(body).sources == {
        "goals.running_cost": said, "goals.time_to_ready": said, "rebalance.seed": "--set",
    }  # fmt: skip
    # With these settings the knee is what is there already.
    again = tree(fleet, *WEIGHTS, "--settings", str(file))
    assert again["present"] == 5


def test_any_other_trial_can_be_picked(tmp_path, fleet):
    file = tmp_path / "new.json"
    assert run(fleet, *WEIGHTS, "--write", file, "--pick", "9").exit_code == 0
    goals = settings_from(read_document(file).body).goals
    assert (goals.running_cost, goals.time_to_ready) == (2, 1)
    done = run(fleet, *WEIGHTS, "--write", file, "--pick", "10")
    assert (done.exit_code, told(done)) == (1, "--pick: no trial 10 was solved.\n")


def test_without_a_knee_one_must_be_picked(tmp_path, fleet):
    two = ("--weight", "time_to_ready=0.0001:1:2")
    assert "The front has no knee" in run(fleet, *two).stdout
    done = run(fleet, *two, "--write", tmp_path / "x.yaml")
    assert done.exit_code == 1
    assert "The front has no knee" in done.stdout
    assert not (tmp_path / "x.yaml").exists()
    assert told(done) == (
        "--write: the front has no knee; say which trial's weights to write with --pick.\n"
    )


def test_where_nothing_trades_the_present_weights_stay(tmp_path):
    idle = trading() | {"needs": []}
    file = tmp_path / "new.yaml"
    done = run(write(tmp_path, idle), "--weight", "moves=0:2:3", "--write", file)
    assert "Knee: trial 0, moves=0.1." in done.stdout
    assert "Every trial gives the same result" in done.stdout
    assert "Weights that change nothing here: moves." in done.stdout
    assert settings_from(read_document(file).body) == settings_from({})


def test_the_journal_goes_on_and_the_answer_is_the_same(tmp_path, fleet):
    journal = tmp_path / "sweep.jsonl"
    whole = tree(fleet, *WEIGHTS)
    assert tree(fleet, *WEIGHTS, "--journal", journal) == whole
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:4]) + lines[4][:30])
    assert tree(fleet, *WEIGHTS, "--journal", journal) == whole
    assert len(journal.read_bytes().splitlines()) == 10


@pytest.mark.parametrize(
    ("more", "what"),
    [(["--seed", "3"], "settings"), (["--weight", "moves=0:1:2"], "weights")],
)
def test_a_journal_of_another_sweep_is_refused(tmp_path, fleet, more, what):
    journal = tmp_path / "sweep.jsonl"
    tree(fleet, *WEIGHTS, "--journal", journal)
    done = run(fleet, *WEIGHTS, *more, "--journal", journal)
    assert (done.exit_code, done.stdout) == (1, "")
    assert told(done) == f"{journal}: is of another sweep: {what} differ; name another file.\n"


def test_a_line_that_is_no_result_of_its_trial_is_named(tmp_path, fleet):
    journal = tmp_path / "sweep.jsonl"
    tree(fleet, *WEIGHTS, "--journal", journal)
    lines = journal.read_text().splitlines()
    [at] = [at for at, line in enumerate(lines) if line.startswith('{"trial":2,')]
    for old, new in (
        ('"trial":2', '"trial":99'),
        ('"time_to_ready":0.01', '"time_to_ready":0.02'),
        ('"created":3', '"created":Infinity'),
        ('"created":3', '"created":1e999'),
        ('"created":3', '"created":' + "[" * 100_000),
        ('"created":3', '"created":3,"more":1'),
        ('"gang_spread":', '"gang":'),
        ('"reached":[', '"reached":[{},'),
    ):
        assert old in lines[at]
        broken = "\n".join([*lines[:at], lines[at].replace(old, new), *lines[at + 1 :]]) + "\n"
        journal.write_text(broken)
        done = run(fleet, *WEIGHTS, "--journal", journal)
        assert (done.exit_code, done.stdout) == (1, "")
        assert told(done).startswith(f"{journal}: line {at + 1}: is no result of ")
        assert len(told(done).splitlines()) == 1
        assert journal.read_text() == broken


def test_no_input_is_written_over(tmp_path, fleet):
    settings = tmp_path / "s.yaml"
    settings.write_text("kind: Settings\ngoals: {moves: 1}\n")
    before = [Path(fleet).read_bytes(), settings.read_bytes()]
    other = f"{tmp_path}/./fleet.yaml"
    for option in ("--journal", "--write"):
        for path in (fleet, other, settings):
            done = run(fleet, *WEIGHTS, "--settings", settings, option, path)
            assert (done.exit_code, done.stdout) == (1, "")
            assert done.stderr == (
                f"{option}: {path} is read by the same command; name another file.\n"
            )
    assert [Path(fleet).read_bytes(), settings.read_bytes()] == before
    done = run(fleet, other, *WEIGHTS)
    assert (done.exit_code, told(done)) == (1, f"{fleet}: is named twice, also as {other}.\n")


def test_a_changed_fleet_is_another_sweep(tmp_path, fleet):
    journal = tmp_path / "sweep.jsonl"
    tree(fleet, *WEIGHTS, "--journal", journal)
    write(tmp_path, trading(2))
    assert "is of another sweep: fleets differ" in run(fleet, *WEIGHTS, "--journal", journal).stderr


def test_a_search_tries_so_many_and_finds_the_same_front(fleet):
    found = tree(fleet, *WEIGHTS, "--search", "pareto", "--trials", "24")
    assert len(found["trials"]) == 25
    assert found["dominating"] == {}
    pairs = {(t["goals"]["running_cost"], t["goals"]["time_to_ready"]) for t in found["trials"]}
    assert {(3, 2700), (27, 180)} < pairs
    assert tree(fleet, *WEIGHTS, "--search", "pareto", "--trials", "24") == found


def test_all_faults_are_told_at_once(tmp_path, fleet):
    broken = tmp_path / "broken.yaml"
    broken.write_text("kind: Fleet\nmachines: 3\n")
    done = run(fleet, fleet, broken, "--weight", "movs=0:1", "--weight", "moves=3:1")
    assert (done.exit_code, done.stdout) == (1, "")
    lines = told(done).splitlines()
    assert lines[0] == "--weight movs=0:1: there is no goal 'movs'; did you mean 'moves'?"
    assert lines[1].startswith("--weight moves=3:1: 3 is not below 1")
    assert lines[2].startswith(f"{broken}: machines: ")
    assert lines[3] == f"{fleet}: is named twice."
    assert len(lines) == 4


def test_a_file_that_cannot_be_written_is_told_before_anything_is_read(tmp_path):
    done = run("missing.yaml", *WEIGHTS, "--write", tmp_path / "no" / "x.yaml")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == f"--write: {tmp_path}/no/x.yaml: there is no folder '{tmp_path}/no'.\n"


def test_settings_must_hold_for_all_fleets(tmp_path, fleet):
    (tmp_path / "other").mkdir()
    other = write(tmp_path / "other", trading(), {"kind": "Settings", "goals": {"moves": 3}})
    done = run(fleet, other, *WEIGHTS)
    assert done.exit_code == 1
    assert told(done) == (
        f"{other}: goals.moves is 3.0 here and 0.1 in {fleet}; say which with "
        "--set goals.moves=...\n"
    )
    assert run(fleet, other, *WEIGHTS, "--set", "goals.moves=1").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["x"], "Missing option '--weight'"),
        (["--weight", "moves=0:1"], "Missing argument 'FLEET...'"),
        (["x", *WEIGHTS, "--pick", "1"], "--pick goes with --write."),
        (["x", *WEIGHTS, "--dask", "tcp://h:1", "--jobs", "2"], "--dask needs none."),
        (["x", *WEIGHTS, "--jobs", "0"], "0 is not in the range"),
    ],
)
def test_wrong_usage(arguments, said):
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


@pytest.mark.parametrize(
    ("module", "arguments", "said"),
    [
        ("optuna", ["--search", "pareto"], "--search pareto: needs optuna, which is not"),
        ("distributed", ["--dask", "tcp://h:1"], "--dask: needs distributed, which is not"),
        ("matplotlib", ["-o", "html"], "-o html: needs matplotlib, which is not"),
    ],
)
def test_what_is_not_installed_is_told_before_anything_is_read(
    module, arguments, said, monkeypatch
):
    monkeypatch.setattr(
        "planner.tune.request.find_spec", lambda name: None if name == module else object()
    )
    done = run("missing.yaml", *WEIGHTS, *arguments)
    assert done.exit_code == 1
    assert done.stderr.startswith(said)
    assert "pip install 'bigfleet[" in done.stderr


def test_trials_that_fail_are_named_and_the_rest_is_shown(fleet, monkeypatch):
    from planner.tune import solve

    def failing(ground, trial):
        if trial.number in (2, 7):
            raise ValueError("a bug\nof ours")
        return effect_of(ground, trial)

    effect_of = solve.effect_of
    monkeypatch.setattr(solve, "effect_of", failing)
    done = run(fleet, *WEIGHTS)
    assert done.exit_code == 0
    said = "trial {} failed: ValueError: a bug\\nof ours\n"
    assert told(done) == said.format(2) + said.format(7)
    assert [each["trial"] for each in tree(fleet, *WEIGHTS)["failed"]] == [2, 7]
    monkeypatch.setattr(solve, "effect_of", lambda ground, trial: 1 / 0)
    done = run(fleet, *WEIGHTS)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "no trial was solved: ZeroDivisionError: division by zero" in done.stderr


def examples() -> list[str]:
    said = run("--help").stdout
    return re.findall(r"^ +(bigfleet tune .*?)$", said, re.MULTILINE)


def test_there_are_examples():
    assert len(examples()) == 4


@pytest.mark.parametrize("number", range(4))
def test_each_example_of_the_help_runs(number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, trading())
    for name in ("mon.yaml", "tue.yaml"):
        Path(name).write_text(Path("fleet.yaml").read_text())
    words = examples()[number].split(" > ")[0].split()[2:]
    # As it stands, but for how many are tried.
    words = [word.replace(":50:", ":4:").replace("200", "8") for word in words]
    words = [f"{word}:2" if word.endswith(("=0:2", "=0:0.01")) else word for word in words]
    done = run(*words)
    assert done.exit_code == 0, done.stderr
    assert done.stdout


def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path, fleet):
    journal = tmp_path / "sweep.jsonl"
    arguments = [fleet, "--weight", "time_to_ready=0.0001:1:30:log", "--journal", str(journal)]
    process = subprocess.Popen(
        [sys.executable, "-m", "planner.cli.main", "tune", *arguments, "--jobs", "1"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not journal.exists() or len(journal.read_bytes().splitlines()) < 4:
        assert process.poll() is None
        time.sleep(0.01)
    # To all of them, as a terminal does.
    os.killpg(process.pid, signal.SIGINT)
    out, said = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert said.strip().splitlines()[-1] == (
        f"stopped; what is done is in {journal}, and the same command goes on from there."
    )
    assert "Traceback" not in said
    kept = len(journal.read_bytes().splitlines()) - 1
    assert 3 <= kept < 30
    resumed = tree(*arguments)
    assert len(journal.read_bytes().splitlines()) == 32 - (resumed["trials"][0]["trial"] == 1)
    assert resumed == tree(*arguments[:3])
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
