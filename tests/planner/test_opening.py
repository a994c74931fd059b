"""Opening a fleet file: which documents it may hold and how settings come together."""

import gc
import json

import pytest

from models.errors import InputFault
from models.settings import Settings
from planner.opening import Override, Sources, open_fleet, open_settings

FLEET = {"kind": "Fleet", "metadata": {"name": "f"}, "machines": [], "needs": []}


def write(folder, name: str, *documents: dict) -> str:
    file = folder / name
    file.write_text("\n---\n".join(map(json.dumps, documents)), "utf-8")
    return str(file)


def settings(**sections) -> dict:
    return {"kind": "Settings", **sections}


def faults(*arguments) -> list[str]:
    with pytest.raises(InputFault) as caught:
        open_fleet(*arguments)
    return [str(fault) for fault in caught.value.faults]


def test_a_fleet_alone_has_the_default_settings(tmp_path):
    opened = open_fleet(write(tmp_path, "f.yaml", FLEET), Sources())
    assert (opened.fleet.name, opened.settings) == ("f", Settings())


def test_documents_may_come_in_any_order(tmp_path):
    file = write(tmp_path, "f.yaml", settings(cycle="7s"), FLEET)
    assert open_fleet(file, Sources()).settings.cycle == 7.0


def test_each_layer_covers_only_what_it_says(tmp_path):
    inner = settings(rebalance={"seed": 1, "workers": 1, "max_moves": 1, "window": "1m"})
    first = write(tmp_path, "1.yaml", settings(rebalance={"seed": 2, "workers": 2, "max_moves": 2}))
    # Null says nothing: it does not bring the default back.
    second = write(tmp_path, "2.yaml", settings(rebalance={"seed": 3, "workers": None}))
    sources = Sources((first, second), (Override("--set", "rebalance.seed=4"),))
    got = open_fleet(write(tmp_path, "f.yaml", FLEET, inner), sources).settings.rebalance
    assert (got.seed, got.workers, got.max_moves, got.window) == (4, 2, 2, 60.0)


def test_lists_are_replaced_whole(tmp_path):
    inner = settings(assign={"scarce": ["gpu", "tpu"]})
    file = write(tmp_path, "1.yaml", settings(assign={"scarce": ["fpga"]}))
    opened = open_fleet(write(tmp_path, "f.yaml", FLEET, inner), Sources((file,)))
    assert opened.settings.assign.scarce == ("fpga",)


def test_layers_that_clash_only_together_are_told(tmp_path):
    inner = settings(backoff={"first": "20m"})
    file = write(tmp_path, "1.yaml", settings(backoff={"max": "10m"}))
    [fault] = faults(write(tmp_path, "f.yaml", FLEET, inner), Sources((file,)))
    assert fault.startswith("settings of all files together: backoff")


def test_each_fault_names_its_source(tmp_path):
    file = write(tmp_path, "f.yaml", {**FLEET, "needs": 7}, settings(cycle="-1s"))
    other = write(tmp_path, "1.yaml", settings(goals={"moves": -1}))
    sources = Sources(
        (other, str(tmp_path / "missing.yaml")), (Override("--seed", "rebalance.seed=x"),)
    )
    told = faults(file, sources)
    starts = (f"{file}: needs", f"{file}: cycle", f"{other}: goals.moves", "--seed: rebalance.seed")
    assert all(any(line.startswith(start) for line in told) for start in starts), told
    assert any("missing.yaml" in line for line in told)


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        ([FLEET, FLEET], "holds 2 documents of kind Fleet"),
        ([settings()], "holds 0 documents of kind Fleet"),
        ([FLEET, settings(), settings()], "holds 2 documents of kind Settings"),
        ([{"machines": []}], "kind: document 1 says none"),
        ([FLEET, {"kind": "Scenario"}], "kind: 'Scenario' is not Fleet or Settings"),
    ],
)
def test_other_lists_of_documents_are_refused(tmp_path, documents, said):
    assert any(said in line for line in faults(write(tmp_path, "f.yaml", *documents), Sources()))


def test_a_settings_file_is_of_its_kind(tmp_path):
    with pytest.raises(InputFault, match="kind"):
        open_settings(Sources((write(tmp_path, "s.yaml", FLEET),)))


@pytest.mark.parametrize("was_on", [True, False])
def test_the_garbage_collector_is_left_as_it_was(tmp_path, was_on):
    file = write(tmp_path, "f.yaml", {**FLEET, "needs": 7})
    before = gc.isenabled()
    (gc.enable if was_on else gc.disable)()
    try:
        faults(file, Sources())
        assert gc.isenabled() is was_on
    finally:
        (gc.enable if before else gc.disable)()
