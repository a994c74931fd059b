"""What is asked of a provider over gRPC: a smoke run, and what its counts must be."""

from multiprocessing import active_children

import pytest

from models.errors import Unreachable
from models.settings import Settings
from planner.bench.instances import Size
from planner.bench.provider.calls import AT_ONCE, BATCH, provider_samples
from planner.bench.provider.served import served
from planner.bench.questions import size_of
from planner.bench.run import Run


def asked(machines: int, repeat: int):
    run = Run(size_of(machines, 2), repeat, 0.01, 1, Settings(), lambda _: None)
    return {sample.question: sample for sample in provider_samples(run)}


def test_every_question_is_asked_with_what_it_says():
    rows = asked(3_000, 2)
    assert [*rows] == [
        "creates",
        f"creates, {AT_ONCE} at once",
        "changes as columns",
        "changes as rows",
        "List as columns",
        "List as rows",
    ]
    assert {row.machines for row in rows.values()} == {3_000}
    assert [row.actions for row in rows.values()][:2] == [BATCH, BATCH * AT_ONCE]
    assert [row.changes for row in rows.values()][2:] == [30, 30, None, None]
    assert [len(row.timing.seconds) for row in rows.values()] == [2, 2, 2, 2, 1, 1]
    assert [row.found["pages"] for row in rows.values() if "pages" in row.found] == [2, 2, 2, 4]
    for row in rows.values():
        assert row.found["server CPU ms"] > 0
        assert row.found["server peak MiB"] > 10
    for name in ("creates", f"creates, {AT_ONCE} at once"):
        calls = AT_ONCE if "at once" in name else 1
        rate = calls / rows[name].timing.median
        assert rows[name].found["calls a second"] == pytest.approx(rate, rel=0.001)


def test_a_server_ends_with_its_block():
    before = active_children()
    with served(size_of(10, 1)) as server:
        assert server.usage().cpu_seconds > 0
    assert active_children() == before


def test_a_server_that_ends_at_once_is_told(capfd):
    # No shard has a negative number of machines: the process fails in making it.
    with pytest.raises(Unreachable, match="ended at once"), served(Size(-1, 0, 1, 1)):
        pass
    assert "Error" in capfd.readouterr().err
