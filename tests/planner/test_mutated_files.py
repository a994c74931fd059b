"""Fleet files with one thing wrong: refused by its path, one line a fault, nothing on stdout."""

import copy
import gzip
import json
import os
from collections.abc import Iterator
from math import inf, nan
from pathlib import Path

import pytest
from click.testing import CliRunner

from planner.cli.main import bigfleet
from planner.files import dump_yaml

ZONE = "topology.kubernetes.io/zone"

FLEET = {
    "apiVersion": "bigfleet.dev/v1",
    "kind": "Fleet",
    "metadata": {"name": "mutated"},
    "topology": ["topology.kubernetes.io/region", ZONE],
    "shards": [{"name": "s0", "clusters": ["a"]}, {"name": "s1", "clusters": ["b"]}],
    "clusters": [{"name": "a", "mode": "active"}],
    "machines": [
        {
            "id": "g{}",
            "count": 3,
            "shard": "s0",
            "state": "CONFIGURED",
            "host": {"provider": "p", "ref": "h{}"},
            "cluster": "a",
            "serves": "train",
            "instanceType": "t",
            "capacityType": "bare-metal",
            "pricePerHour": 0.5,
            "interruptionProbability": 0.25,
            "resources": {"cpu": "8", "memory": "1Gi"},
            "labels": {ZONE: "z1"},
            "reclamationPenalty": 5.5,
            "readySeconds": 60.5,
            "pinned": False,
            "stateSince": "-10m",
        },
        {"id": "i", "shard": "s1", "capacityType": "spot", "pricePerHour": 1.5},
    ],
    "needs": [
        {
            "id": "train",
            "cluster": "a",
            "priority": 500000,
            "count": 4,
            "resources": {"cpu": "4"},
            "requirements": [{"key": ZONE, "operator": "In", "values": ["z1"]}],
            "spread": [{"key": ZONE, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}],
            "interruptionPenalty": 10.5,
            "reclamationPenalty": 2.5,
            "drainSeconds": 30.5,
            "floor": 1,
        },
        {"id": "serve", "cluster": "b", "count": 1, "same": ZONE},
    ],
}

SETTINGS = {
    "apiVersion": "bigfleet.dev/v1",
    "kind": "Settings",
    "cycle": "10s",
    "assign": {"scarce": ["gpu"], "price_tolerance": 0.05, "max_wait": "15m"},
    "preempt": {"normal": [1.5, 1.5, 1.5], "saturation": 0.95},
    "release": {"hold": {"spot": "5m"}},
    "rebalance": {"mode": "apply", "max_moves": 5, "seed": 0},
    "goals": {"moves": 0.1},
}

NONSENSE = {
    bool: ["maybe", 3, [], {"a": 1}],
    int: ["many", [], {"a": 1}, nan, inf, -inf, 2**70, 0.5],
    float: ["many", [], {"a": 1}, nan, inf, -0.5],
    str: [[], {"a": {}}, nan, inf, True],
    dict: [7, "text", [1], {"nonsense": {"a": 1}}],
    list: [7, "text", {"a": 1}, [0.5], [[]]],
}
"""For a value of each type, values that no field of that type takes."""

REQUIRED = (
    ("shards", 0, "name"), ("clusters", 0, "name"),
    ("machines", 0, "id"), ("machines", 0, "shard"), ("machines", 0, "host"),
    ("machines", 0, "host", "ref"), ("machines", 0, "cluster"), ("machines", 0, "capacityType"),
    ("needs", 0, "id"), ("needs", 0, "cluster"), ("needs", 0, "count"),
    ("needs", 0, "requirements", 0, "key"), ("needs", 0, "requirements", 0, "operator"),
    ("needs", 0, "requirements", 0, "values"), ("needs", 0, "spread", 0, "key"),
)  # fmt: skip

WRONG = (
    (("machines", 0, "state"), "SPECULATIVE"), (("machines", 0, "state"), "ASLEEP"),
    (("machines", 0, "serves"), "trian"), (("machines", 0, "serves"), "serve"),
    (("machines", 0, "shard"), "s9"), (("machines", 0, "cluster"), "nobody"),
    (("machines", 0, "capacityType"), "borrowed"), (("machines", 0, "count"), 10_000_001),
    (("machines", 0, "count"), -1), (("machines", 0, "resources", "cpu"), "-8"),
    (("machines", 0, "resources", "cpu"), "1e3m"), (("machines", 0, "resources", "memory"), "1gb"),
    (("machines", 0, "interruptionProbability"), 1.5), (("machines", 0, "id"), ""),
    (("machines", 0, "stateSince"), "yesterday"), (("machines", 1, "id"), "g2"),
    (("needs", 0, "count"), -1), (("needs", 0, "priority"), 2**31),
    (("needs", 0, "requirements", 0, "operator"), "Like"), (("needs", 0, "cluster"), "nobody"),
    (("needs", 0, "drainSeconds"), -1), (("needs", 0, "spread", 0, "maxSkew"), 0),
    (("needs", 0, "spread", 0, "whenUnsatisfiable"), "Perhaps"), (("needs", 1, "id"), "train"),
    (("shards", 1, "name"), "s0"), (("shards", 1, "clusters"), ["a"]), (("shards",), []),
    (("kind",), "Fleets"), (("apiVersion",), "bigfleet.dev/v9"),
)  # fmt: skip


def paths(value, above=()) -> Iterator[tuple]:
    """Give the path of every value inside ``value``."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*above, key)
        if isinstance(inner, dict | list):
            yield from paths(inner, (*above, key))


def at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def put(tree, path, value):
    """Give a copy of ``tree`` with another value at ``path``; ``...`` takes it away."""
    tree = copy.deepcopy(tree)
    inner = at(tree, path[:-1])
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return tree


def written(path) -> str:
    """Give a path as faults write it."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")


def nonsense(tree) -> Iterator[tuple]:
    for path in paths(tree):
        for value in NONSENSE[type(at(tree, path))]:
            yield path, value


def mutations() -> Iterator[object]:
    """Give (fleet, settings, the path that must be told) for each mutation."""
    for path, value in nonsense(FLEET):
        yield pytest.param(
            put(FLEET, path, value), SETTINGS, path, id=f"{written(path)}={str(value)[:12]}"
        )
    for path, value in nonsense(SETTINGS):
        yield pytest.param(
            FLEET, put(SETTINGS, path, value), path, id=f"settings.{written(path)}={value}"
        )
    for path in REQUIRED:
        yield pytest.param(put(FLEET, path, ...), SETTINGS, path[:-1], id=f"no-{written(path)}")
    for path, value in WRONG:
        yield pytest.param(
            put(FLEET, path, value), SETTINGS, path[:1], id=f"{written(path)}={str(value)[:12]}!"
        )
    for path in [(), ("metadata",), *(p for p in paths(FLEET) if isinstance(at(FLEET, p), dict))]:
        if path[-1:] not in (("resources",), ("labels",)):
            extra = (*path, "surprise")
            yield pytest.param(put(FLEET, extra, 1), SETTINGS, extra, id=f"{written(extra)}")


def refused(arguments: list[str], name: str) -> str:
    """Run a verb that must refuse its input; give what stderr says."""
    done = CliRunner().invoke(bigfleet, arguments)
    assert (done.exit_code, done.stdout) == (1, ""), done.output[-500:]
    assert "Traceback" not in done.stderr
    lines = done.stderr.splitlines()
    assert 1 <= len(lines) <= 21
    assert all(line.startswith((name, "... and ")) for line in lines), lines
    return done.stderr


@pytest.mark.parametrize(("fleet", "settings", "path"), list(mutations()))
def test_a_mutated_field_is_told_by_its_path(fleet, settings, path, tmp_path):
    file = tmp_path / "fleet.yaml"
    file.write_text(f"{dump_yaml(fleet)}---\n{dump_yaml(settings)}", "utf-8")
    said = refused(["cycle", str(file)], str(file))
    # A fault may name the container of what is wrong, never something beside it.
    told = [line.removeprefix(f"{file}: ").split(": ")[0] for line in said.splitlines()]
    whole = written(path)
    assert any(whole.startswith(place) or place.startswith(whole) for place in told), said


def test_there_are_many_mutations():
    assert len(list(mutations())) >= 200


def test_the_file_before_mutation_is_right(tmp_path):
    """Otherwise a mutation might be refused for something else."""
    from planner.opening import Sources, open_fleet

    file = tmp_path / "fleet.yaml"
    file.write_text(f"{dump_yaml(FLEET)}---\n{dump_yaml(SETTINGS)}", "utf-8")
    opened = open_fleet(str(file), Sources())
    assert (len(opened.fleet.machines), opened.settings.rebalance.max_moves) == (4, 5)


JSON_TEXT = json.dumps(FLEET)


@pytest.mark.parametrize("length", range(1, len(JSON_TEXT), len(JSON_TEXT) // 40))
def test_a_truncated_file_is_refused(length, tmp_path):
    file = tmp_path / "fleet.json"
    file.write_text(JSON_TEXT[:length], "utf-8")
    refused(["plan", str(file)], str(file))


CONTENTS = {
    "empty": b"",
    "blank": b" \n\n",
    "comment": b"# nothing\n",
    "separators": b"---\n---\n",
    "utf-16": JSON_TEXT.encode("utf-16"),
    "utf-16-without-mark": JSON_TEXT.encode("utf-16-le"),
    "utf-32": JSON_TEXT.encode("utf-32"),
    "latin-1": "kind: Fleet\nmetadata: {name: é}\n".encode("latin-1"),
    "nul": b"kind: Fleet\nmetadata: {name: \0}\n",
    "packed": gzip.compress(JSON_TEXT.encode()),
    "bytes": bytes(range(256)),
    "a-list": b"- 1\n- 2\n",
    "a-word": b"fleet\n",
    "a-number": b"1\n",
    "two-fleets": b"kind: Fleet\n---\nkind: Fleet\n",
    "settings-alone": b"kind: Settings\n",
    "two-settings": b"kind: Fleet\n---\nkind: Settings\n---\nkind: Settings\n",
    "no-kind": b"machines: []\n",
    "scenario": b"kind: Scenario\n",
    "repeated-key": b"kind: Fleet\nkind: Fleet\n",
    "deep": b"kind: Fleet\nmetadata: " + b"[" * 5000,
    "aliases": b"kind: Fleet\na: &a [x,x,x,x,x,x,x,x,x]\n"
    + b"".join(b"%c: &%c [%s]\n" % (c, c, b",".join([b"*%c" % (c - 1)] * 9)) for c in b"bcdefghi"),
    "code": b"kind: !!python/object/apply:os.system ['true']\n",
    "tabs": b"kind:\n\t- Fleet\n",
    "control": b"kind: Fleet\nmetadata: {name: \x1b[31m}\n",
    "escape-in-a-key": b'kind: Fleet\n"\\e[31mred": 1\n',
    "long-number": b"kind: Fleet\nmachines: " + b"9" * 5000 + b"\n",
}


@pytest.mark.parametrize("name", CONTENTS)
@pytest.mark.parametrize("extension", ["", ".yaml", ".json", ".parquet"])
def test_other_contents_are_refused(name, extension, tmp_path):
    file = tmp_path / f"fleet{extension}"
    file.write_bytes(CONTENTS[name])
    said = refused(["cycle", str(file)], str(file))
    assert "\x1b" not in said


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def loop(path: Path) -> Path:
    path.symlink_to(path)
    return path


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def below_a_file(path: Path) -> Path:
    path.write_text("kind: Fleet\n")
    return path / "fleet.yaml"


PLACES = {
    "missing": lambda path: path,
    "folder": folder,
    "loop": loop,
    "pipe": pipe,
    "below-a-file": below_a_file,
    "no-folder": lambda path: path / "fleet.yaml",
    "too-long": lambda path: path.with_name("x" * 300),
    "device": lambda path: Path(os.devnull),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("verb", ["cycle", "plan"])
def test_what_is_no_readable_file_is_refused(place, verb, tmp_path):
    """Permissions are not among them: they do not bind root, who may run this."""
    file = PLACES[place](tmp_path / "fleet.yaml")
    refused([verb, str(file)], str(file))


def test_many_faults_are_cut_short(tmp_path):
    file = tmp_path / "fleet.yaml"
    needs = [{"id": f"n{row}", "cluster": "a", "count": -1} for row in range(500)]
    file.write_text(dump_yaml({"kind": "Fleet", "needs": needs}), "utf-8")
    lines = refused(["cycle", str(file)], str(file)).splitlines()
    assert (len(lines), lines[-1]) == (21, "... and 480 more")


def test_faults_of_all_inputs_come_together(tmp_path):
    fleet, settings = tmp_path / "fleet.yaml", tmp_path / "settings.yaml"
    fleet.write_text("kind: Fleet\nmachines: 7\n---\nkind: Settings\ncycle: never\n", "utf-8")
    settings.write_text("kind: Settings\nrebalance: {seed: -1}\n", "utf-8")
    arguments = ["cycle", str(fleet), "--settings", str(settings), "--set", "goals.mvoes=1"]
    said = CliRunner().invoke(bigfleet, arguments)
    assert (said.exit_code, said.stdout) == (1, "")
    for part in (f"{fleet}: machines", f"{fleet}: cycle", f"{settings}: rebalance.seed"):
        assert part in said.stderr
    assert "--set: goals.mvoes" in said.stderr
    assert "goals.moves" in said.stderr
