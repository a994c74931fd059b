"""The command as a process of its own: what only a process has."""

import json
import os
import pty
import random
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.planner.cli.fleets import TWO_SHARDS, machine, need, write

COMMAND = [sys.executable, "-m", "planner.cli.main"]
ROOT = Path(__file__).resolve().parents[3]


def run(*arguments: str, **more) -> subprocess.CompletedProcess:
    return subprocess.run(
        [*COMMAND, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60, **more
    )


def test_help_is_quick():
    """Half a second is generous: with nothing imported but click it takes a tenth."""
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        assert run("--help").returncode == 0
        seconds.append(time.perf_counter() - start)
    assert statistics.median(seconds) < 0.5


@pytest.mark.parametrize(
    "arguments", [["--help"], ["plan", "--help"], ["settings", "--help"], ["version"]]
)
def test_what_decides_nothing_imports_no_engine(arguments):
    code = (
        "import sys\n"
        "from planner.cli.main import bigfleet\n"
        "try: bigfleet.main(sys.argv[1:])\n"
        "finally: print('heavy:', {'numpy', 'pydantic', 'rich', 'ortools'} & set(sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert "heavy: set()" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["cycle", "{file}"], 0),
        (["cycle", "missing.yaml"], 1),
        (["cycle"], 2),
        (["cycle", "{file}", "--fail-on-shortfall"], 3),
    ],
)
def test_exit_statuses(arguments, status, tmp_path):
    file = write(tmp_path, TWO_SHARDS)
    done = run(*(argument.format(file=file) for argument in arguments))
    assert done.returncode == status
    assert bool(done.stdout) == (status in (0, 3))
    assert bool(done.stderr) == (status in (1, 2))


@pytest.mark.parametrize("verb", [["cycle", "{file}"], ["version"], ["--help"]])
def test_a_closed_pipe_is_quiet(verb, tmp_path):
    file = write(tmp_path, TWO_SHARDS)
    process = subprocess.Popen(
        [*COMMAND, *(argument.format(file=file) for argument in verb)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    # Before it has written anything: how much a pipe holds differs from system to system.
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert (process.wait(60), said.replace(b"deciding ...\n", b"")) == (141, b"")


@pytest.mark.parametrize("verb", [["version"], ["--help"]])
def test_a_full_disk_is_told(verb):
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, *verb], cwd=ROOT, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr == b"the operating system refused: No space left on device.\n"


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_closed_streams_do_no_harm(closed, tmp_path):
    command = (
        f"exec {sys.executable} -m planner.cli.main cycle {write(tmp_path, TWO_SHARDS)} {closed}"
    )
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr.replace("deciding ...\n", "")) == (0, "")


@pytest.mark.parametrize("environment", [{}, {"PYTHONUNBUFFERED": "1"}], ids=["", "unbuffered"])
def test_an_answer_that_is_not_taken_whole_is_no_success(environment, tmp_path):
    """More than a pipe holds, to a reader who leaves in the middle of it."""
    wanted = need("n", "a", count=5_000)
    many = {"kind": "Fleet", "machines": [machine("m{}", count=5_000)], "needs": [wanted]}
    process = subprocess.Popen(
        [*COMMAND, "cycle", write(tmp_path, many), "-o", "json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        env={k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"} | environment,
    )
    assert process.stdout.read(10) == b'{\n  "actio'
    process.stdout.close()
    assert process.wait(60) == 141


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_an_encoding_that_lacks_letters_gets_escapes(encoding, tmp_path):
    idle = machine("猫", state="IDLE")
    file = write(tmp_path, {"kind": "Fleet", "machines": [idle], "needs": [need("n", "a")]})
    done = run("cycle", file, "-o", "json", env={**os.environ, "PYTHONIOENCODING": encoding})
    assert json.loads(done.stdout)["actions"][0]["machine"] == "猫"


@pytest.mark.parametrize(
    "arguments",
    [
        [b"\xff\x1b[31m"],
        [b"cycle", b"\xff\x1b[31m"],
        [b"cycle", b"x", b"-o", b"\xff\x1b[31m"],
        [b"cycle", b"x", b"\x1b[31m\n\xff"],
        [b"cycle", b"x", b"--\x1b[31m\xff"],
        [b"explain", b"x", b"\x1b[31m\xff/"],
        [b"cycle", b"x", b"--set", b"\x1b[31m\xff=1"],
        [b"version", b"--set", b"\x1b[31m\xff"],
        [b"version", b"--settings", b"\x1b[31m\xff"],
        [b"plan", b"x", b"--deadline", b"\x1b[31m\xff"],
        [b"import", b"openb", b"\x1b[31m\xff"],
        [b"import", b"\x1b[31m\xff"],
    ],
)
def test_whatever_is_typed_in_is_told_in_plain_letters(arguments):
    done = subprocess.run([*COMMAND, *arguments], cwd=ROOT, capture_output=True)
    assert done.returncode in (1, 2)
    assert (done.stdout, b"\x1b" in done.stderr, b"Traceback" in done.stderr) == (b"", False, False)
    assert done.stderr


def test_ctrl_c_ends_without_a_traceback():
    process = subprocess.Popen(
        [*COMMAND, "cycle", "-"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    # It says that it reads once it has waited for its input for half a second.
    assert process.stderr.readline() == b"reading - ...\n"
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in said


def slow_to_solve() -> dict:
    """Give a fleet whose plan takes the solver some ten seconds: 20 shards, each short of much."""
    chance, shards, machines, needs = random.Random(2), [], [], []
    for shard in range(20):
        name, cluster = f"s{shard}", f"c{shard}"
        shards.append({"name": name, "clusters": [cluster]})
        for row in range(60):
            state = chance.choice(["IDLE", "CONFIGURED", "SPECULATIVE", "CONFIGURED"])
            fields = {
                "count": chance.randrange(3, 30),
                "shard": name,
                "state": state,
                "instanceType": f"t{chance.randrange(8)}",
                "pricePerHour": chance.randrange(1, 900) / 100,
                "reclamationPenalty": chance.randrange(500),
                "resources": {"gpu": str(chance.choice([4, 8]))},
                "labels": {"rack": f"r{chance.randrange(40)}"},
            }
            if state == "CONFIGURED":
                fields |= {"cluster": cluster, "serves": f"{cluster}/low{row % 6}"}
            machines.append(machine(f"m{shard}-{row}-{{}}", **fields))
        for row in range(6):
            low = {"priority": chance.randrange(5) * 1000, "count": chance.randrange(1, 200)}
            low["interruptionPenalty"] = chance.randrange(300)
            needs.append(need(f"{cluster}/low{row}", cluster, resources={"gpu": "4"}, **low))
        for row in range(8):
            high = {"priority": chance.randrange(2, 9) * 100_000, "count": chance.randrange(1, 90)}
            high |= {"same": "rack"} if row % 2 else {}
            needs.append(need(f"{cluster}/hi{row}", cluster, resources={"gpu": "8"}, **high))
    fleet = {"kind": "Fleet", "topology": ["rack"], "shards": shards}
    return fleet | {"machines": machines, "needs": needs}


def test_ctrl_c_ends_a_solve_and_shows_no_plan(tmp_path):
    """Whichever thread the signal reaches: some of numpy's are older than the solver's."""
    process = subprocess.Popen(
        [*COMMAND, "plan", write(tmp_path, slow_to_solve()), "--deadline", "60s", "-o", "json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while process.stderr.readline() != b"solving ...\n":
        pass
    # The import of the solver is part of it.
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=60)
    assert (process.returncode, out, said.strip()) == (130, b"", b"")


def on_a_terminal(arguments: list[str], **environment: str) -> bytes:
    """Run with stdout on a terminal; give what arrives there."""
    primary, secondary = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=ROOT,
        stdout=secondary,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm-256color", **environment},
    )
    os.close(secondary)
    shown = b""
    while True:
        try:
            part = os.read(primary, 65536)
        except OSError:  # Linux says so when the last writer is gone.
            break
        if not part:
            break
        shown += part
    os.close(primary)
    assert process.wait(60) == 0
    return shown


@pytest.fixture
def hostile(tmp_path) -> str:
    fleet = {
        "kind": "Fleet",
        "machines": [machine("g[red]\x1b[31m", state="IDLE")],
        "needs": [need("n", "a")],
    }
    return write(tmp_path, fleet)


def test_a_terminal_gets_style_but_none_from_ids(hostile):
    shown = on_a_terminal(["cycle", hostile], COLUMNS="200")
    assert b"\x1b[1m" in shown
    assert b"g[red]\\x1b[31m" in shown
    assert b"\x1b[31m" not in shown


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_style_where_none_is_wanted(hostile, environment):
    assert b"\x1b" not in on_a_terminal(["cycle", hostile], **environment)


def test_a_narrow_terminal_folds(hostile):
    shown = on_a_terminal(["cycle", hostile], COLUMNS="60", NO_COLOR="1")
    assert max(len(line) for line in shown.decode().splitlines()) <= 60


SOLVE_THAT_TAKES_THE_SIGNAL = """
import ctypes, sys, time, types, click
from planner.cli import main as program
from planner.cli.interruptible import interruptible

def solve():
    # What a solver does that handles the signal by itself: Python hears nothing of it.
    ctypes.CDLL(None).signal(2, 1)
    print("solving", flush=True)
    time.sleep(60)

@click.command()
def command():
    interruptible(solve)
    print("shown all the same")

sys.modules["slow"] = types.SimpleNamespace(command=command)
program.VERBS["slow"] = ("slow", "")
sys.argv = ["bigfleet", "slow"]
program.main()
"""


def test_ctrl_c_ends_a_solve_that_takes_the_signal():
    process = subprocess.Popen(
        [sys.executable, "-c", SOLVE_THAT_TAKES_THE_SIGNAL],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout.readline() == b"solving\n"
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=30)
    assert (process.returncode, out, said.strip()) == (130, b"", b"")
