"""Lists that stand in C and in Python say the same."""

import re
from pathlib import Path

from hotpath.kernel import tables
from hotpath.kernel.orders import SHORT_REASONS, VERBS, Why
from models.machine import State

HEADER = Path(__file__).parents[3] / "hotpath/kernel/shard/shard.h"


def lists() -> list[list[str]]:
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text("utf-8"), flags=re.DOTALL)
    return [
        [entry.strip() for entry in found.split(",") if entry.strip()]
        for found in re.findall(r"^enum \{(.*?)\};", text, flags=re.DOTALL | re.MULTILINE)
    ]


def test_states_verbs_and_reasons_have_the_same_codes():
    states, verbs, whys, shorts = lists()[:4]
    assert states == [*(state.name for state in sorted(State)), "STATES"]
    assert verbs == [verb.name for verb in VERBS]
    assert whys == [why.name for why in sorted(Why)]
    assert shorts == [reason.name for reason in SHORT_REASONS]


def test_what_is_reported_of_a_machine_has_the_same_flags():
    flags = next(dict(e.split(" = ") for e in each) for each in lists() if "PINNED = 1" in each)
    for name in ("PINNED", "NOTICED", "SLOW", "HOSTED"):
        assert int(flags[name]) == getattr(tables, name)
