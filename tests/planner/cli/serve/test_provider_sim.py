"""``bigfleet serve provider-sim``: files and what is wrong with them; a real process and client."""

import asyncio
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from models.errors import ProviderThrottled
from models.machine import State
from planner.cli.main import bigfleet
from planner.simulated_worlds import open_world
from providers.client import connected
from providers.orders import CreateOrder, Fence
from providers.simulated.knobs import Knobs

ROOT = Path(__file__).resolve().parents[4]
SERVE = [sys.executable, "-m", "planner.cli.main", "serve", "provider-sim"]
SCENARIO = """
kind: Scenario
seed: 3
machines:
  - {id: "s{}", count: 5, capacityType: spot, instanceType: t, provider: p}
  - {id: h0, capacityType: bare-metal, state: IDLE, host: {provider: p, ref: host-0}}
  - {id: x, capacityType: spot, provider: other}
providers:
  p: {create: 1h, rate: {calls: 0.0001}}
events: [{at: 0s, restart: s0}]
"""


@contextmanager
def served(path: Path, *options: str):
    """Run the service; give the process and its first line."""
    with subprocess.Popen(
        [*SERVE, "--config", str(path), "--provider", "p", *options],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


async def bought(address: str):
    """Create two machines, wait for the first, and order once more."""
    async with connected(address, "p") as provider:
        pages = [page async for page in provider.list()]
        fence = Fence("s0", 1, 1)
        acks = await provider.create(fence, [CreateOrder("s0"), CreateOrder("nobody")])
        while True:
            [machine] = (await provider.get(["s0"])).machines
            if machine.state is not State.CREATING:
                break
            await asyncio.sleep(0.05)
        with pytest.raises(ProviderThrottled):
            await provider.create(fence, [CreateOrder("s1")])
        return pages, acks, machine


def test_a_process_serves_what_the_file_says_until_it_is_told_to_end(tmp_path):
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO)
    with served(path, "--speed", "3600") as (process, address):
        pages, acks, machine = asyncio.run(bought(address))
        assert sorted(each.id for page in pages for each in page.machines) == [
            "h0", "s0", "s1", "s2", "s3", "s4",
        ]  # fmt: skip
        assert [ack.failure is None for ack in acks] == [True, False]
        assert (machine.state, machine.host) == (State.IDLE, "s0-1")
        assert 3600 <= machine.state_since - acks[0].snapshot.state_since < 3700
        second = subprocess.run(
            [*SERVE, "--config", str(path), "--provider", "p", "--address", address],
            cwd=ROOT, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert (second.returncode, second.stdout) == (1, "")
        assert second.stderr.splitlines() == [
            "note: the events of a scenario are not played here.",
            f"{address}: cannot be bound (Failed to bind to address {address}); is it taken?",
        ]
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert process.stdout.read() == ""
        assert "p: 6 machines, seed 3." in process.stderr.read()


def test_ctrl_c_ends_it_too(tmp_path):
    path = tmp_path / "fleet.yaml"
    path.write_text("kind: Fleet\nproviders: {p: }\n")
    with served(path, "--seed", "7", "--boards", "127.0.0.1:0") as (process, _):
        with pytest.raises(HTTPError, match="404"):
            urlopen(process.stdout.readline().strip() + "x", timeout=20)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stderr.read() == "p: 0 machines, seed 7.\n"


def refused(tmp_path, text: str, *options: str) -> list[str]:
    path = tmp_path / "f.yaml"
    path.write_text(text)
    arguments = ["serve", "provider-sim", "--config", str(path), *options]
    done = CliRunner().invoke(bigfleet, arguments)
    assert (done.exit_code, done.stdout) == (1, "")
    return [line.removeprefix(f"{path}: ") for line in done.stderr.splitlines()]


def test_all_faults_are_told_at_once(tmp_path):
    text = """
kind: Scenario
seed: x
sed: 3
machines: [{id: a, capacityType: spt}]
providers:
  p: {create: soon}
  q: 5
"""
    assert refused(tmp_path, text) == [
        "sed: unknown field (value 3); did you mean 'needs'?",
        "machines[0].capacityType: 'spt' is not one of bare-metal, on-demand, reserved, spot; "
        "did you mean spot?",
        "providers.p.create: 'soon' is not a duration; write it as in 500ms, 10s, 1h30m, 2d.",
        "providers.q: 5 is not a mapping of knobs.",
        "seed: 'x' is not a whole number.",
    ]


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (SCENARIO, [], "providers: there are several, other, p; say which with --provider."),
        (SCENARIO, ["--provider", "othr"],
         "providers: there is no provider 'othr'; did you mean 'other'?"),
        ("kind: Fleet", [], "providers: there is none, and no machine."),
        ("kind: Fleet\nproviders: [p]", [], "providers: ['p'] is not a mapping of providers."),
        ("kind: Plan", [], "kind: 'Plan' is not one of Scenario, Fleet."),
        ("kind: Settings", [],
         "holds 0 documents of kind Scenario or Fleet; one is expected."),
        ("kind: Fleet\n---\nkind: Fleet", [],
         "holds 2 documents of kind Scenario or Fleet; one is expected."),
        ("kind: Fleet\nproviders: {p: }", ["--address", "0.0.0.0:0"],
         "0.0.0.0:0: is not loopback: give certificates, or ask for plain text by name "
         "(--plain-text)."),
        ("kind: Fleet\nproviders: {p: }", ["--tls-ca", "none.pem"],
         "none.pem: cannot be read (No such file or directory)."),
        ("kind: Fleet\nproviders: {p: }", ["--tls-cert", "none.pem"],
         "127.0.0.1:0: TLS needs both a certificate and its key."),
        ('kind: Fleet\nmachines: [{id: "a\\0", capacityType: spot}]', [],
         "machines: 'a\\x00' holds a NUL, which no name of a machine may."),
    ],
)  # fmt: skip
def test_one_line_says_what_is_wrong(tmp_path, text, options, said):
    assert refused(tmp_path, text, *options) == [said]


def test_a_wrong_service_is_told_the_nearest():
    done = CliRunner().invoke(bigfleet, ["serve", "provider-sm"])
    assert done.exit_code == 2
    assert "there is no verb 'provider-sm'; did you mean 'provider-sim'?" in done.stderr


def test_the_example_of_the_documentation_is_one(tmp_path):
    page = (ROOT / "docs" / "simulated-provider.md").read_text("utf-8")
    path = tmp_path / "scenario.yaml"
    path.write_text(page.partition("```yaml\n")[2].partition("```")[0])
    cloud, metal = open_world(str(path), "cloud"), open_world(str(path), "metal", 3)
    assert (cloud.seed, metal.seed) == (7, 3)
    assert cloud.knobs.subnets == {"net-0": 251}
    assert metal.knobs.no_delete
    assert sum(row.count for row in cloud.rows.machines if row.provider == "cloud") == 1200
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    told = {name.strip("` ") for row in rows for name in row.split(",")}
    assert told == {field.alias or name for name, field in Knobs.model_fields.items()} | {"kind"}


@pytest.mark.parametrize("speed", ["nan", "inf", "0", "-1"])
def test_a_speed_is_a_number_above_zero(tmp_path, speed):
    path = tmp_path / "f.yaml"
    path.write_text(SCENARIO)
    arguments = ["serve", "provider-sim", "--config", str(path), "--provider", "p"]
    done = CliRunner().invoke(bigfleet, [*arguments, "--speed", speed])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "'--speed'" in done.stderr


def test_no_address_is_told_where_the_boards_cannot_answer(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        assert refused(tmp_path, SCENARIO, "--provider", "p", "--boards", address)[-1] == (
            f"{address}: cannot be bound; is it taken?"
        )
    [*_, said] = refused(tmp_path, SCENARIO, "--provider", "p", "--boards", "127.0.0.1:99999")
    assert said == "127.0.0.1:99999: port 99999 is not 0 to 65535."
