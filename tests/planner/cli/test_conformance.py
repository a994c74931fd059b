"""The verb ``conformance`` against simulated providers that are served for real."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from planner.cli.main import bigfleet
from providers.client import connected
from providers.conformance.checks import CHECKS
from providers.conformance.settings import KitSettings, Role
from providers.conformance.verdict import Result, Verdict
from providers.transport import Security

SCENARIO = """
apiVersion: bigfleet.dev/v1
kind: Scenario
duration: 1h
machines:
  - {id: "m{}", count: 9, capacityType: spot, pricePerHour: 1.5, provider: p, instanceType: t}
  - {id: hang, capacityType: spot, pricePerHour: 1.5, provider: p, instanceType: t}
providers:
"""
KNOBS = {
    "right": "{create: 50ms, configure: 50ms, drain: 50ms, timeouts: {create: 300ms}, "
    "fail: [{rpc: create, match: {id: hang}, class: hang}]}",
    "slow": "{create: 2s, delete: 50ms}",
    "broken": "{list: [{returns: error}]}",
}


@contextmanager
def served(folder, knobs):
    """Give the address of a simulated provider."""
    path = folder / f"{knobs}.yaml"
    path.write_text(f"{SCENARIO}  p: {KNOBS[knobs]}\n")
    command = [sys.executable, "-m", "planner.cli.main", "serve", "provider-sim"]
    with subprocess.Popen(
        [*command, "--config", str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield process.stdout.readline().decode().strip()
        finally:
            process.terminate()
            process.wait()


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    with served(tmp_path_factory.mktemp("right"), "right") as address:
        yield address


def run(*arguments):
    return CliRunner().invoke(bigfleet, ["conformance", *arguments])


def states(address):
    async def ask():
        async with connected(address) as provider:
            return [
                m.state.name for page in [p async for p in provider.list()] for m in page.machines
            ]

    return asyncio.run(ask())


def test_a_right_provider_passes(right):
    done = run("--address", right, "--role", "hang-create=hang", "-o", "json", "--timeout", "30s")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert [each["check"] for each in told["checks"]] == [check.name for check in CHECKS]
    assert {each["verdict"] for each in told["checks"]} == {"passed", "skipped"}
    assert told["failed"] == 0
    assert told["passed"] + told["skipped"] == len(CHECKS)
    assert told["machines"] == ["hang", *(f"m{n}" for n in range(8))]
    assert told["left"] == []
    assert set(states(right)) == {"SPECULATIVE"}


def test_the_table_says_what_was_checked(right):
    done = run("--address", right, "--only", "unknown-get", "--only", "health")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == f"Provider at {right}"
    assert [line.split()[:2] for line in lines[1:4]] == [
        ["CHECK", "VERDICT"],
        ["health", "passed"],
        ["unknown-get", "passed"],
    ]
    assert lines[-1] == "2 passed, 0 failed, 0 skipped; no machine was used."


def test_only_machines_that_are_named_are_used(right):
    done = run("--address", right, "--machines", "m[34]", "--only", "life", "-o", "json")
    assert json.loads(done.stdout)["machines"] == ["m3"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--machines", "x*"), "--machines x*: 10 machines are listed, and none of them is"),
        (("--role", "unpriced=x"), "--role unpriced=x: no such machine is listed."),
    ],
)
def test_machines_that_are_not_there_are_an_input_that_is_wrong(right, arguments, said):
    done = run("--address", right, *arguments, "--only", "health")
    assert (done.exit_code, done.stdout) == (1, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_where_nothing_passes_nothing_is_proved(right):
    done = run("--address", right, "--only", "timeout-configure")
    assert done.exit_code == 1
    assert "0 passed, 0 failed, 1 skipped" in done.stdout
    assert "nothing was proved: every check was skipped." in done.stderr


def test_a_broken_provider_fails(tmp_path):
    with served(tmp_path, "broken") as address:
        done = run("--address", address, "-o", "name")
        assert done.exit_code == 1
        assert "check/list-whole\n" in done.stdout
        assert "check/health" not in done.stdout
        table = run("--address", address, "--only", "list-whole")
        assert "failed" in table.stdout
        assert "expected an answer; saw UNAVAILABLE: the List failed." in table.stdout


def test_a_run_that_is_interrupted_gives_machines_back(tmp_path):
    with served(tmp_path, "slow") as address:
        for number in (signal.SIGINT, signal.SIGTERM):
            check_interrupted(address, number)


def check_interrupted(address, number):
    command = [sys.executable, "-m", "planner.cli.main", "conformance", "--address", address]
    with subprocess.Popen(
        [*command, "--only", "health", "--only", "life"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as kit:
        until = time.monotonic() + 30
        while "CREATING" not in states(address):
            assert time.monotonic() < until, "the kit never began"
        kit.send_signal(number)
        out, err = kit.communicate(timeout=30)
    assert kit.returncode == 130
    assert [line.split()[:2] for line in out.splitlines()[2:-2]] == [[b"health", b"passed"]]
    assert b"stopped after 1 of 2 checks." in err
    assert b"Traceback" not in err
    assert set(states(address)) == {"SPECULATIVE"}


def test_what_is_said_is_what_the_kit_is_told(tmp_path, monkeypatch):
    said = []

    async def conform(address, security, settings, checks, done, report):
        said.extend([address, security, settings])
        report.results.append(Result(CHECKS[0], Verdict.PASSED, ""))

    monkeypatch.setattr("providers.conformance.run.conform", conform)
    (tmp_path / "blob").write_bytes(b"secret blob")
    options = {
        "--tls-ca": "ca.pem",
        "--tls-cert": "cert.pem",
        "--tls-key": "key.pem",
        "--machines": "r*",
        "--most": "3",
        "--timeout": "2m",
        "--cluster": "c",
        "--user-data": str(tmp_path / "blob"),
    }
    given = [word for pair in options.items() for word in pair]
    roles = ["--role", "unpriced=a=b", "--role", "hang-create=h"]
    before = time.time()
    assert run("--address", "lab:1", "--plain-text", *given, *roles).exit_code == 0
    address, security, settings = said
    files = (Path("cert.pem"), Path("key.pem"), Path("ca.pem"))
    assert (address, security) == ("lab:1", Security(*files, plain_text=True))
    assert before * 1000 - 1 < settings.epoch < time.time() * 1000 + 1
    assert settings == KitSettings(
        settings.epoch,
        "r*",
        3,
        120.0,
        "c",
        b"secret blob",
        ((Role.UNPRICED, "a=b"), (Role.HANG_CREATE, "h")),
    )
    assert "secret" not in repr(settings)


def test_nobody_there_is_unreachable(monkeypatch):
    monkeypatch.setattr("providers.conformance.run.CONNECT_SECONDS", 0.2)
    done = run("--address", "127.0.0.1:1")
    assert (done.exit_code, done.stdout) == (4, "")
    assert "127.0.0.1:1: nobody answers within 0.2 s" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--only", "helth"], 2, "there is no check 'helth'; did you mean 'health'?"),
        (["--role", "hang=m0"], 2, "unpriced; did you mean 'hang-create'?"),
        (["--role", "unpriced="], 2, "--role 'unpriced=' is not ROLE=ID"),
        (["--timeout", "soon"], 2, "'soon' is not a duration"),
        (["--timeout", "0s"], 2, "no transition is over in no time"),
        (["--most", "0"], 2, "0 is not in the range"),
        (["--user-data", "/nowhere/x"], 1, "/nowhere/x: cannot be read"),
        (["--tls-ca", "/nowhere/x"], 1, "/nowhere/x: cannot be read"),
        (["--tls-cert", "x"], 1, "127.0.0.1:1: TLS needs both a certificate and its key."),
        (["--tls-key", "x"], 1, "127.0.0.1:1: TLS needs both a certificate and its key."),
        (["--tls-ca", __file__], 1, f"{__file__}: holds no certificate in PEM"),
        (["--address", "127.0.0.1:99999"], 1, "127.0.0.1:99999: port 99999 is not 0 to 65535."),
        (["--address", "example.com:1"], 1, "ask for plain text by name (--plain-text)"),
        ([], 2, "Missing option '--address'"),
    ],
)
def test_wrong_arguments_are_told_in_a_line(arguments, status, said):
    address = [] if "--address" in arguments or not arguments else ["--address", "127.0.0.1:1"]
    done = run(*address, *arguments)
    assert (done.exit_code, done.stdout) == (status, "")
    assert said in done.stderr
