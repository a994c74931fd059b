"""The cases in ``tests/cases``: small fleets, what to run on them, and what must come of it.

Each YAML document is one case: ``name``, ``why``, ``fleet``, ``run`` (cycle, plan, or a list of
arguments), optional ``settings`` and ``args``, and ``expect``.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from either_kernel import at_work, either_kernel

from planner.cli.main import bigfleet

CASES = Path(__file__).parent.parent / "cases"

LEFT_OUT = {"scenarios": "needs the verb `simulate`, which does not exist yet"}
"""Files of cases that are not run, and why."""


class Quoted(yaml.SafeDumper):
    """Puts text in quotes, so that no reader takes 129e6, y or n for something else."""


Quoted.add_representer(
    str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
)


def cases() -> Iterator[object]:
    """Give every case with ``file/name`` as its id."""
    for path in sorted(CASES.glob("*.yaml")):
        if path.stem in LEFT_OUT:
            continue
        for case in yaml.safe_load_all(path.read_text("utf-8")):
            if case is not None:
                yield pytest.param(case, id=f"{path.stem}/{case['name']}")


def document(kind: str, body: dict) -> str:
    head = {"apiVersion": "bigfleet.dev/v1", "kind": kind}
    return yaml.dump(head | body, Dumper=Quoted, sort_keys=False)


def run(case: dict, folder: Path):
    """Run a case through the command, in this process."""
    command = case.get("run", "cycle")
    path = folder / "input.yaml"
    if isinstance(case.get("fleet"), str):
        path.write_text(case["fleet"], "utf-8")
    elif "fleet" in case:
        path.write_text(document("Fleet", {"metadata": {"name": "case"}, **case["fleet"]}), "utf-8")
    arguments = [command, str(path)] if isinstance(command, str) else list(map(str, command))
    arguments += map(str, case.get("args", []))
    if "settings" in case:
        settings = folder / "settings.yaml"
        settings.write_text(document("Settings", case["settings"]), "utf-8")
        arguments += ["--settings", str(settings)]
    return CliRunner().invoke(bigfleet, [*arguments, "-o", "json"])


@either_kernel
@pytest.mark.parametrize("case", list(cases()))
def test_case(case, kernel, tmp_path):
    with at_work(kernel):
        done = run(case, tmp_path)
    expect = case["expect"]
    assert "Traceback" not in done.stderr
    if "error" in expect:
        assert (done.exit_code, done.stdout) == (1, "")
        assert len(done.stderr) < 1000
        assert [word for word in expect["error"] if word not in done.stderr] == []
        return
    assert done.exit_code == expect.get("exit", 0), done.stderr
    out = json.loads(done.stdout)
    if "json" in expect:
        assert {key: out.get(key) for key in expect["json"]} == expect["json"]
        return
    if case.get("run", "cycle") == "plan":
        wrong = list(wrong_in_plan(out, expect))
    else:
        wrong = [*illegal_orders(out, case["fleet"]), *wrong_in_cycle(out, expect)]
    assert wrong == []


def differs(found: list, wanted, label: str) -> Iterator[str]:
    """Say where a list differs from a number of entries, or from its entries in any order."""
    if isinstance(wanted, int):
        if len(found) != wanted:
            yield f"{label}: {len(found)} {found[:5]}, expected {wanted}"
    elif sorted(found) != sorted(wanted):
        yield f"{label}: {sorted(found)}, expected {sorted(wanted)}"


def machines_of(fleet: dict) -> dict[str, tuple[str, str]]:
    """Give state and capacity type of each machine, patterns expanded."""
    found = {}
    for row in fleet.get("machines") or []:
        names = [str(row["id"])]
        if "count" in row:
            names = [str(row["id"]).replace("{}", str(index)) for index in range(row["count"])]
        for name in names:
            found[name] = (row.get("state", "SPECULATIVE"), row["capacityType"])
    return found


STATE_BEFORE = {
    "configure": "IDLE",
    "create": "SPECULATIVE",
    "drain": "CONFIGURED",
    "delete": "IDLE",
}


def illegal_orders(out: dict, fleet: dict) -> Iterator[str]:
    """Say which orders no correct cycle gives, whatever the case asks."""
    machines = machines_of(fleet)
    clusters = {need["id"]: need["cluster"] for need in fleet.get("needs") or []}
    for machine, times in Counter(row["machine"] for row in out["actions"]).items():
        if times > 1:
            yield f"{times} actions on {machine}"
    for row in out["actions"]:
        state, capacity = machines[row["machine"]]
        fixed = capacity not in ("on-demand", "spot")
        if state != STATE_BEFORE[row["action"]] or (row["action"] == "delete" and fixed):
            yield f"{row['action']} of {row['machine']}, which is {state} {capacity}"
        gains = row["action"] in ("configure", "create")
        if gains and (row["need"] is None or row["cluster"] != clusters[row["need"]]):
            yield f"{row['machine']} goes to cluster {row['cluster']} for {row['need']}"


def wrong_in_cycle(out: dict, expect: dict) -> Iterator[str]:
    actions = out["actions"]
    gained = [row for row in actions if row["action"] in ("configure", "create")]
    for kind in STATE_BEFORE:
        if kind in expect:
            ids = [row["machine"] for row in actions if row["action"] == kind]
            yield from differs(ids, expect[kind], kind)
    if expect.get("none") and actions:
        yield f"{len(actions)} actions, expected none: {actions[:3]}"
    for need, count in expect.get("assigned", {}).items():
        ids = [row["machine"] for row in gained if row["need"] == need]
        yield from differs(ids, count, f"assigned to {need}")
    for prefix, count in expect.get("prefixes", {}).items():
        ids = [row["machine"] for row in gained if row["machine"].startswith(prefix)]
        yield from differs(ids, count, f"machines {prefix}*")
    drains = {row["machine"]: row["graceSeconds"] for row in actions if row["action"] == "drain"}
    for machine, seconds in expect.get("grace", {}).items():
        if drains.get(machine) != seconds:
            yield f"grace of {machine}: {drains.get(machine)}, expected {seconds}"
    if "shortfalls" in expect:
        short = {row["need"]: [row["count"], row["reason"]] for row in out["shortfalls"]}
        if short != expect["shortfalls"]:
            yield f"shortfalls: {short}, expected {expect['shortfalls']}"


MOVES = ("transfer-idle", "transfer-speculative", "drain-and-transfer", "drain", "replace")


def wrong_in_plan(out: dict, expect: dict) -> Iterator[str]:
    moved = [(move, machine) for move in out["moves"] for machine in move["machines"]]
    for machine, times in Counter(machine for _, machine in moved).items():
        if times > 1:
            yield f"{machine} is moved {times} times"
    ordered = {row["machine"] for row in out["actions"]} & {machine for _, machine in moved}
    if ordered:
        yield f"both moved and ordered about: {sorted(ordered)}"
    for kind, wanted in expect.get("actions", {}).items():
        ids = [row["machine"] for row in out["actions"] if row["action"] == kind]
        yield from differs(ids, wanted, f"action {kind}")
    if out["outcome"] not in expect.get("outcome", ["OPTIMAL", "FEASIBLE", "FALLBACK"]):
        yield f"outcome {out['outcome']}"
    for kind in MOVES:
        if kind in expect:
            ids = [machine for move, machine in moved if move["kind"] == kind]
            yield from differs(ids, expect[kind], kind)
    for label in ("unmet", "displaced"):
        counts = {row["need"]: row["count"] for row in out[label] if row["count"]}
        if label in expect and counts != expect[label]:
            yield f"{label}: {counts}, expected {expect[label]}"
    if "window_at_most" in expect:
        drained = Counter(move["window"] for move, _ in moved if move["kind"].startswith("drain"))
        if max(drained.values(), default=0) > expect["window_at_most"]:
            yield f"drains by window: {drained}, expected at most {expect['window_at_most']} each"
    if "windows" in expect:
        drained = Counter(move["window"] for move, _ in moved if move["kind"].startswith("drain"))
        if [drained[window] for window in sorted(drained)] != expect["windows"]:
            yield f"drains by window: {drained}, expected {expect['windows']}"
    for level in out["levels"]:
        if level["served"] > level["bound"] or not 0 <= level["gap"] <= 1:
            yield f"level {level} does not add up"
    for need, prefix in expect.get("from_prefix", {}).items():
        ids = [machine for move, machine in moved if move["need"] == need]
        if not ids or not all(machine.startswith(prefix) for machine in ids):
            yield f"{need} got {ids[:3]}, expected some, and only {prefix}*"


def test_every_file_of_cases_is_run_or_left_out_for_a_reason():
    """A renamed or emptied file must not take its cases away unseen."""
    files = {path.stem for path in CASES.glob("*.yaml")}
    run_files = {param.id.split("/")[0] for param in cases()}
    assert run_files | set(LEFT_OUT) == files
    assert not run_files & set(LEFT_OUT)
    assert len(list(cases())) >= 50
