"""Settings: defaults are the contract's, faults name their path, writing and reading agree."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import InputFault
from models.machine import CapacityType
from models.rules import Goal
from models.settings import (
    Settings,
    settings_document,
    settings_from,
    settings_hash,
    settings_schema,
    with_overrides,
)
from models.settings.sections import GoalSettings

# The block of the contract, with `migrate: off` as a reader of YAML 1.1 understands it.
CONTRACT = {
    "kind": "Settings",
    "cycle": "10s",
    "reconcile": "10s",
    "needs": {"ttl": "5m"},
    "assign": {
        "scarce": ["gpu"],
        "price_tolerance": 0.05,
        "spot_max_share": 0.5,
        "max_wait": "15m",
        "bootstrap_keys": ["kubernetes.io/kubelet-version", "feature.node.kubernetes.io/*"],
    },
    "preempt": {
        "normal": [1, 1, 1],
        "saturated": [10, 3, 3],
        "saturation": 0.95,
        "grace": [[900001, "10s"], [500000, "30s"], [100001, "2m"], [0, "10m"]],
    },
    "reclaim": {"delay": "60s"},
    "release": {
        "hold": {"spot": "5m", "on-demand": "10m"},
        "hold_max": "1h",
        "window": "5m",
        "half_life": "15m",
    },
    "timeouts": {
        "creating": "15m",
        "configuring": "10m",
        "draining_extra": "5m",
        "deleting": "10m",
    },
    "backoff": {"first": "3m", "max": "30m"},
    "shortfalls": {"max": 100, "escalate_after": 5, "incident_after": "15m", "tier1": 900000},
    "recovery": {"read_only": 2, "percent": 5, "window": "5m"},
    "lists": {"missing": 3, "orphan_idle": 3, "health_misses": 3, "full": "5m"},
    "rebalance": {
        "mode": "apply",
        "every": "30s",
        "deadline": "20s",
        "min_gap": 100000,
        "drain_percent": 5,
        "window": "5m",
        "canary_percent": 5,
        "max_moves": None,
        "cool_down": "10m",
        "seed": 0,
        "workers": 0,
        "migrate": False,
        "migrate_horizon": "24h",
        "max_clusters": 100,
        "max_machines": 500000,
    },
    "goals": {
        "preemption_damage": 1,
        "running_cost": 1,
        "interruption_risk": 1,
        "moves": 0.1,
        "time_to_ready": 0.0001,
        "shard_balance": 0.01,
        "domain_fragmentation": 0.1,
        "gang_spread": 0.1,
        "spot_diversity": 0.1,
        "donor_headroom": 0.05,
    },
}


def paths_of(fault):
    return [one.path for one in fault.value.faults]


def test_an_empty_file_and_the_contract_give_the_defaults():
    assert settings_from({}) == Settings()
    assert settings_from(CONTRACT) == Settings()
    assert settings_from({"needs": None, "goals": {"moves": None}}) == Settings()


def test_the_contract_names_every_setting():
    assert leaves(settings_document(Settings())) == leaves(CONTRACT) - {"kind"}


def leaves(document, above=""):
    found = set()
    for name, value in document.items():
        inside = isinstance(value, dict)
        found |= leaves(value, f"{above}{name}.") if inside else {above + name}
    return found


def test_writing_and_reading_agree():
    changed = with_overrides(
        Settings(), ["cycle=0.0005", "release.hold.on-demand=1h30m", "rebalance.max_moves=7"]
    )
    for settings in (Settings(), changed):
        document = json.loads(json.dumps(settings_document(settings)))
        assert settings_from(document) == settings
        assert settings_hash(settings_from(document)) == settings_hash(settings)
    assert settings_hash(changed) != settings_hash(Settings())


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_every_length_of_time_survives_writing(seconds):
    settings = settings_from({"cycle": seconds})
    assert settings.cycle == seconds
    assert settings_from(settings_document(settings)) == settings


def test_equal_settings_have_one_hash():
    minus = settings_from({"goals": {"moves": -0.0}})
    plus = settings_from({"goals": {"moves": 0}})
    assert minus == plus
    assert settings_hash(minus) == settings_hash(plus)
    assert settings_hash(settings_from({"reclaim": {"delay": 60}})) == settings_hash(Settings())


def test_goals_are_exactly_those_of_the_rebalancer():
    assert list(GoalSettings.model_fields) == [goal.value for goal in Goal]
    assert Settings().goals.weight(Goal.DONOR_HEADROOM) == 0.05


def test_hold_by_capacity_type():
    held = [Settings().release.hold.seconds(kind) for kind in CapacityType]
    assert held == [float("inf"), 600.0, float("inf"), 300.0]
    partly = settings_from({"release": {"hold": {"spot": "1m"}}})
    assert partly.release.hold.seconds(CapacityType.ON_DEMAND) == 600.0


def test_settings_are_frozen_and_hashable():
    with pytest.raises(ValueError, match="frozen"):
        Settings().goals.moves = 2.0
    assert hash(Settings()) == hash(settings_from({}))


@pytest.mark.parametrize(
    ("told", "path", "words"),
    [
        ({"cyle": "1s"}, "cyle", ["unknown", "cycle", "1s"]),
        ({"rebalance": {"every": "0s"}}, "rebalance.every", ["0s", "longer"]),
        ({"rebalance": {"mode": "aply"}}, "rebalance.mode", ["aply", "apply"]),
        ({"rebalance": {"max_move": 1}}, "rebalance.max_move", ["max_moves"]),
        ({"rebalance": {"max_moves": -1}}, "rebalance.max_moves", ["-1"]),
        ({"goals": {"moves": float("nan")}}, "goals.moves", ["nan", "finite"]),
        ({"goals": {"moves": -1}}, "goals.moves", ["-1"]),
        ({"goals": {"moves": 2e9}}, "goals.moves", ["2000000000.0"]),
        ({"goals": {"moves": True}}, "goals.moves", ["true"]),
        ({"goals": {"movs": 1}}, "goals.movs", ["moves"]),
        ({"assign": {"spot_max_share": 1.5}}, "assign.spot_max_share", ["1.5"]),
        ({"preempt": {"grace": [[1, "1s"], [5, "2s"]]}}, "preempt.grace", ["[1, 5]", "fall"]),
        ({"preempt": {"grace": []}}, "preempt.grace", ["0"]),
        ({"assign": {"bootstrap_keys": ["a", "b?c"]}}, "assign.bootstrap_keys", ["b?c", "end"]),
        ({"preempt": {"normal": [1, 1]}}, "preempt.normal[2]", ["required"]),
        ({"backoff": {"first": "2h"}}, "backoff", ["7200"]),
        ({"release": {"hold": {"bare-metal": "1m"}}}, "release.hold.bare-metal", ["unknown"]),
        ({"kind": "Fleet"}, "kind", ["Fleet", "Settings"]),
        ({"needs": 3}, "needs", ["3", "mapping"]),
        ({"shortfalls": {"tier1": 2**31}}, "shortfalls.tier1", [str(2**31)]),
        ({3: 4}, "", ["3", "quotes"]),
        ({"rebalance": {"drain_percent": 101}}, "rebalance.drain_percent", ["101", "100"]),
        ({"recovery": {"percent": -1}}, "recovery.percent", ["-1"]),
        ({"rebalance": {"workers": 1025}}, "rebalance.workers", ["1025", "1024"]),
        ({"rebalance": {"seed": -1}}, "rebalance.seed", ["-1"]),
        ({"rebalance": {"min_gap": 0}}, "rebalance.min_gap", ["0", "1"]),
        ({"rebalance": {"min_gap": 2**31}}, "rebalance.min_gap", [str(2**31)]),
        ({"rebalance": {"max_clusters": 0}}, "rebalance.max_clusters", ["0", "1"]),
        ({"lists": {"missing": 2.5}}, "lists.missing", ["2.5", "whole"]),
        ({"lists": {"full": "0s"}}, "lists.full", ["longer"]),
        (
            {"metadata": {"sources": {"goals.moovs": "x"}}},
            "metadata.sources.goals.moovs",
            ["moves"],
        ),
    ],
)
def test_faults_name_path_and_value(told, path, words):
    with pytest.raises(InputFault) as fault:
        settings_from(told)
    assert paths_of(fault) == [path]
    assert all(word in str(fault.value) for word in words)


def test_all_faults_at_once_below_a_path():
    with pytest.raises(InputFault) as fault:
        settings_from({"cycle": "x", "goals": {"moves": -1}, "kind": "Plan"}, path="settings")
    assert sorted(paths_of(fault)) == ["settings.cycle", "settings.goals.moves", "settings.kind"]


def test_off_and_on_as_yaml_1_1_reads_them():
    told = settings_from({"rebalance": {"mode": False, "migrate": True}})
    assert (told.rebalance.mode, told.rebalance.migrate) == ("off", "on")


def test_whole_numbers_may_be_written_as_floats():
    told = settings_from({"rebalance": {"drain_percent": 100.0, "seed": 7.0, "min_gap": 1.0}})
    assert (told.rebalance.drain_percent, told.rebalance.seed, told.rebalance.min_gap) == (
        100,
        7,
        1,
    )


def test_overrides():
    told = with_overrides(
        Settings(),
        [
            "goals.moves=0.5",
            "reclaim.delay=2m",
            "assign.scarce=[]",
            'goals={"running_cost": 2}',
            "rebalance.migrate=on",
            "goals.gang_spread=null",
        ],
    )
    assert (told.goals.moves, told.goals.running_cost, told.goals.gang_spread) == (0.5, 2.0, 0.1)
    assert (told.reclaim.delay, told.assign.scarce, told.rebalance.migrate) == (120.0, (), "on")
    assert with_overrides(told, []) == told


@pytest.mark.parametrize(
    ("override", "path", "words"),
    [
        ("goals.moovs=1", "goals.moovs", ["goals.moves", "'1'"]),
        ("goals.moves", "goals.moves", ["path=value"]),
        ("goals.moves=-1", "goals.moves", ["-1"]),
        ("goals.moves=much", "goals.moves", ["much"]),
        ("cycle=" + "[" * 100_000, "cycle", ["[["]),
        ("goals=1", "goals", ["1", "mapping"]),
    ],
)
def test_faulty_overrides(override, path, words):
    with pytest.raises(InputFault) as fault:
        with_overrides(Settings(), [override])
    assert paths_of(fault) == [path]
    assert all(word in str(fault.value) for word in words)


def test_the_schema_knows_every_section_and_is_json():
    schema = json.loads(json.dumps(settings_schema()))
    assert set(settings_document(Settings())) < set(schema["properties"])
    assert schema["additionalProperties"] is False
