"""``bigfleet serve provider-metal``: the how-to as it stands; its files, and what is wrong."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from models.errors import Unsupported
from models.machine import CapacityType, State
from planner.cli.main import bigfleet
from planner.files import write_parquet
from planner.racks import open_hooks, open_inventory
from providers.client import connected
from providers.orders import ConfigureOrder, DeleteOrder, Fence

ROOT = Path(__file__).resolve().parents[4]
PAGE = (ROOT / "docs/how-to/bare-metal.md").read_text("utf-8")
SERVE = [sys.executable, "-m", "planner.cli.main", "serve", "provider-metal"]
HOOKS = '{configure: {command: [sh, -c, "cat > blob"]}, drain: {command: ["true"]}}'


def test_the_how_to_runs_and_the_kit_passes(tmp_path):
    for name, text in re.findall(r"^```\w+ (\S+)\n(.*?)^```", PAGE, re.M | re.S):
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        ["sh", "-eu", "run.sh"],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert "metal: 3 machines." in done.stderr
    assert "life" in done.stdout
    assert not list(tmp_path.glob("node-*"))


@contextmanager
def served(folder: Path, *options: str):
    """Run the service; give the process and its first line."""
    files = ["--inventory", "racks.csv", "--hooks", "hooks.yaml", "--store", "metal.db"]
    with subprocess.Popen(
        [*SERVE, *files, *options],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


async def states(address):
    async with connected(address, "metal") as provider:
        return {each.id: each.state async for page in provider.list() for each in page.machines}


async def configured(address):
    async with connected(address, "metal") as provider:
        fence = Fence("s", 1, 1)
        await provider.configure(fence, [ConfigureOrder("r0", "c", 1, user_data=b"blob\n")])
        with pytest.raises(Unsupported):
            await provider.delete(fence, [DeleteOrder("r0", 1)])
        while (await states(address))["r0"] is not State.CONFIGURED:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


def told_until(process, ending):
    lines = []
    while not lines or not lines[-1].endswith(ending):
        lines.append(process.stderr.readline().strip())
        assert lines[-1]
    return lines


def test_a_process_reads_its_list_again_and_keeps_the_old_one_where_it_is_wrong(tmp_path):
    (tmp_path / "racks.csv").write_text("id\nr0\nr1\n")
    (tmp_path / "hooks.yaml").write_text(HOOKS)
    with served(tmp_path, "--allow-shrink") as (process, address):
        asyncio.run(configured(address))
        assert (tmp_path / "blob").read_bytes() == b"blob\n"
        (tmp_path / "racks.csv").write_text("id,state\nr2,\nr2,NONE\n")
        process.send_signal(signal.SIGHUP)
        assert told_until(process, "stays as it was.")[-3:-1] == [
            "racks.csv: line 3.state: 'NONE' is not one of SPECULATIVE, IDLE.",
            "racks.csv: line 3.id: 'r2' is a duplicate of line 2; each id must differ.",
        ]
        (tmp_path / "racks.csv").write_text("id\nr2\n")
        process.send_signal(signal.SIGHUP)
        assert told_until(process, "busy: r0.")[-2:] == [
            "the inventory was read: 1 came, 1 are gone, 0 changed.",
            "not in it, and busy: r0.",
        ]
        assert asyncio.run(states(address)) == {"r0": State.CONFIGURED, "r2": State.IDLE}
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert process.stderr.read() == ""


def test_a_list_that_lost_more_than_half_is_taken_only_where_that_is_allowed(tmp_path):
    whole, half, few = "id\nr0\nr1\nr2\nr3\n", "id\nr0\nr1\n", "id\nr9\n"
    (tmp_path / "hooks.yaml").write_text(HOOKS)

    def reloaded(process, text, ending):
        (tmp_path / "racks.csv").write_text(text)
        process.send_signal(signal.SIGHUP)
        return told_until(process, ending)[-1]

    (tmp_path / "racks.csv").write_text(whole)
    with served(tmp_path) as (process, address):
        for text in (few, "id\n"):
            assert reloaded(process, text, "takes it.") == (
                "4 of 4 machines are not in it any more: the inventory stays as it was; "
                "--allow-shrink takes it."
            )
        assert sorted(asyncio.run(states(address))) == ["r0", "r1", "r2", "r3"]
        assert "2 are gone" in reloaded(process, half, "changed.")
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    with served(tmp_path, "--allow-shrink") as (process, address):
        assert "2 are gone" in reloaded(process, few, "changed.")


def refused(folder, inventory="id\nr0\n", hooks=HOOKS, store="metal.db", options=()):
    (folder / "racks.csv").write_text(inventory)
    (folder / "hooks.yaml").write_text(hooks)
    files = ["--inventory", folder / "racks.csv", "--hooks", folder / "hooks.yaml"]
    arguments = [str(each) for each in (*files, "--store", folder / store, *options)]
    done = CliRunner().invoke(bigfleet, ["serve", "provider-metal", *arguments])
    assert (done.exit_code, done.stdout) == (1, "")
    return [line.removeprefix(f"{folder}/") for line in done.stderr.splitlines()]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"inventory": "id,host\nr0\n"},
         ["racks.csv: line 2: the row has 1 cells, the first line 2."]),
        ({"inventory": "id,id,,labels,labels.a\n"},
         ["racks.csv: line 1: column 'id' is there twice.",
          "racks.csv: line 1: column 3 has no name.",
          "racks.csv: line 1: column 'labels' stands beside labels.…; name one or the other."]),
        ({"inventory": 'id\n"r0'}, ["racks.csv: line 2: is no CSV (unexpected end of data)."]),
        ({"inventory": "id,state\ns0,SPECULATIVE\n"},
         ["racks.csv: line 2.state: SPECULATIVE needs the hook `commission`, which there is none "
          "of."]),
        ({"inventory": ""}, ["racks.csv: is empty."]),
        ({"hooks": "configure: {}"},
         ["hooks.yaml: configure: says neither or both of command and url; give one.",
          "hooks.yaml: drain: is required, and null or absent."]),
        ({"store": "racks.csv"}, ["racks.csv: is no store of machines; nothing was changed."]),
        ({"store": "none/metal.db"},
         ["none/metal.db: cannot be opened (unable to open database file)."]),
        ({"options": ["--address", "0.0.0.0:0"]},
         ["0.0.0.0:0: is not loopback: give certificates, or ask for plain text by name "
          "(--plain-text)."]),
    ],
)  # fmt: skip
def test_a_line_for_each_thing_that_is_wrong(tmp_path, more, said):
    assert refused(tmp_path, **more) == said


def test_all_formats_say_the_same(tmp_path):
    (tmp_path / "a.csv").write_text(
        "\ufeffid,host, pricePerHour ,resources.cpu,labels.a.b/c,capacityType\n"
        'r0,"bmc,0",1.5,64, x ,reserved\n\nr1,,,,,\n'
    )
    rows = [
        {"id": "r0", "host": "bmc,0", "pricePerHour": 1.5, "resources": {"cpu": "64"},
         "labels": {"a.b/c": "x"}, "capacityType": "reserved"},
        {"id": "r1"},
    ]  # fmt: skip
    (tmp_path / "a.yaml").write_text(str(rows))
    write_parquet(rows, tmp_path / "a.parquet")
    found = [
        open_inventory(str(tmp_path / f"a.{kind}"), may_commission=False)
        for kind in ("csv", "yaml", "parquet")
    ]
    assert found[0] == found[1] == found[2]
    assert found[0]["r0"].labels == {"a.b/c": "x"}
    assert found[0]["r0"].kind.capacity_type is CapacityType.RESERVED
    (tmp_path / "hooks.json").write_text(
        '{"configure": {"command": ["a"]}, "drain": {"url": "https://h/x"}}'
    )
    assert open_hooks(str(tmp_path / "hooks.json")).drain.url == "https://h/x"
