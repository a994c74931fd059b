"""The README is a claim: its commands run, and what it says they print is what they print."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

# All of these use the folder out/, so they run one after the other.
pytestmark = pytest.mark.xdist_group("out")

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
SECONDS = re.compile(r"\d+\.\d+ s\b")


def commands() -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    return [line.removeprefix("$ ").split("  #")[0].strip() for line in lines]


def run(command: str) -> "subprocess.CompletedProcess[str]":
    # `make test` is what runs this test; all others run as they stand.
    return subprocess.run(
        command, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False
    )


def without_seconds(text: str) -> list[str]:
    return [SECONDS.sub("N s", line.rstrip()) for line in text.strip().splitlines()]


def test_there_are_commands_and_make_test_is_one_of_them() -> None:
    assert "make test" in commands()
    assert len(commands()) > 4


def test_make_run_prints_what_the_readme_shows() -> None:
    shown = re.search(r"```text\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    done = run("make --silent run")
    assert done.returncode == 0, done.stderr
    assert without_seconds(done.stdout) == without_seconds(shown.group(1))
    assert (ROOT / "out/report.html").stat().st_size > 0


def test_what_is_served_answers_what_is_shown_beside_it() -> None:
    [block] = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    serve, call = (line.split("  #")[0].strip() for line in block.splitlines())
    if not (ROOT / "out/fleet.yaml").exists():
        assert run("make --silent run").returncode == 0
    shown = "127.0.0.1:7443"
    assert shown in serve
    with subprocess.Popen(
        shlex.split(serve.replace(shown, "127.0.0.1:0")),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            done = run(call.replace(shown, process.stdout.readline().strip()))
            assert done.returncode == 0, done.stderr
            assert " 0 failed" in done.stdout + done.stderr
            process.terminate()
            assert process.wait(30) == 0
        finally:
            process.kill()


@pytest.mark.parametrize("command", [c for c in commands() if not c.startswith("make ")])
def test_command_runs(command: str) -> None:
    if not (ROOT / "out/fleet.yaml").exists():
        assert run("make --silent run").returncode == 0
    done = run(command)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert "Traceback" not in done.stderr
