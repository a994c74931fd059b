"""The table of transitions against that of the specification, written out row by row."""

import pytest

from models.machine import (
    CLUSTER_OPTIONAL,
    CLUSTER_REQUIRED,
    HOST_REFUSED,
    HOST_REQUIRED,
    RESERVABLE,
    STABLE,
    TRANSITIONS,
    CapacityType,
    Operation,
    State,
    is_legal,
)

TABLE = """
    SPECULATIVE  Create        CREATING     IDLE
    IDLE         Configure     CONFIGURING  CONFIGURED
    CONFIGURED   Drain         DRAINING     IDLE
    IDLE         Delete        DELETING     SPECULATIVE  elastic
    CREATING     Fail          FAILED       FAILED
    CONFIGURING  Fail          FAILED       FAILED
    DRAINING     Fail          FAILED       FAILED
    DELETING     Fail          FAILED       FAILED
    FAILED       Delete        DELETING     SPECULATIVE  elastic  from:CREATING,DELETING
    FAILED       Configure     CONFIGURING  CONFIGURED   from:CONFIGURING
    FAILED       Release       IDLE         IDLE         from:CONFIGURING
    DRAINING     Drain         DRAINING     IDLE
    FAILED       Drain         DRAINING     IDLE         from:DRAINING
    FAILED       Adopt         SPECULATIVE  SPECULATIVE
    FAILED       Adopt         CREATING     CREATING
    FAILED       Adopt         IDLE         IDLE
    FAILED       Adopt         CONFIGURING  CONFIGURING
    FAILED       Adopt         CONFIGURED   CONFIGURED
    FAILED       Adopt         DRAINING     DRAINING
    FAILED       Adopt         DELETING     DELETING
    SPECULATIVE  Adopt         CREATING     CREATING
    SPECULATIVE  Adopt         IDLE         IDLE
    SPECULATIVE  Adopt         CONFIGURING  CONFIGURING
    SPECULATIVE  Adopt         CONFIGURED   CONFIGURED
    SPECULATIVE  Adopt         DRAINING     DRAINING
    SPECULATIVE  Adopt         DELETING     DELETING
    SPECULATIVE  Adopt         FAILED       FAILED
    CREATING     Reclaimed     SPECULATIVE  SPECULATIVE  elastic  host
    IDLE         Reclaimed     SPECULATIVE  SPECULATIVE  elastic  host
    CONFIGURING  Reclaimed     SPECULATIVE  SPECULATIVE  elastic  host
    CONFIGURED   Reclaimed     SPECULATIVE  SPECULATIVE  elastic  host
    DRAINING     Reclaimed     SPECULATIVE  SPECULATIVE  elastic  host
    DELETING     Reclaimed     SPECULATIVE  SPECULATIVE  elastic  host
    FAILED       Reclaimed     SPECULATIVE  SPECULATIVE  elastic  host
    SPECULATIVE  Lost          FAILED       FAILED
    CREATING     Lost          FAILED       FAILED
    IDLE         Lost          FAILED       FAILED
    CONFIGURING  Lost          FAILED       FAILED
    CONFIGURED   Lost          FAILED       FAILED
    DRAINING     Lost          FAILED       FAILED
    DELETING     Lost          FAILED       FAILED
    FAILED       Lost          FAILED       FAILED
    absent       Listed        SPECULATIVE  SPECULATIVE
    SPECULATIVE  Withdrawn     absent       absent
    SPECULATIVE  Transfer      SPECULATIVE  SPECULATIVE
    IDLE         Transfer      IDLE         IDLE
    IDLE         Decommission  absent       absent       fixed
"""

ELASTIC = (CapacityType.ON_DEMAND, CapacityType.SPOT)
FIXED = (CapacityType.BARE_METAL, CapacityType.RESERVED)
ANYWHERE: tuple[State | None, ...] = (None, *State)


def parsed() -> list[tuple[list[str], set[str]]]:
    lines = [line.split() for line in TABLE.split("\n") if line.strip()]
    return [(words[:4], set(words[4:])) for words in lines]


def named(state: State | None) -> str:
    return "absent" if state is None else state.name


def written(row: object) -> tuple[list[str], set[str]]:
    notes = {frozenset(ELASTIC): {"elastic"}, frozenset(FIXED): {"fixed"}}.get(row.capacity, set())
    if row.failed_in:
        notes |= {"from:" + ",".join(state.name for state in sorted(row.failed_in))}
    if row.needs_host:
        notes |= {"host"}
    return [named(row.source), str(row.operation), named(row.via), named(row.to)], notes


def test_the_table_is_the_one_of_the_specification():
    rows = [written(row) for row in TRANSITIONS]
    assert sorted(map(str, rows)) == sorted(map(str, parsed()))
    assert len({str(words) for words, _ in rows}) == len(rows)
    assert all(row.capacity in (set(ELASTIC), set(FIXED), set(CapacityType)) for row in TRANSITIONS)


@pytest.mark.parametrize("capacity", CapacityType)
@pytest.mark.parametrize("operation", Operation)
def test_legal_is_what_the_table_says(operation, capacity):
    for source in ANYWHERE:
        for failed_in in (None, *State) if source is State.FAILED else (None,):
            for has_host in (False, True):
                expected = any(
                    words[:2] == [named(source), str(operation)]
                    and ("elastic" not in notes or capacity in ELASTIC)
                    and ("fixed" not in notes or capacity in FIXED)
                    and ("host" not in notes or has_host)
                    and all(
                        failed_in is None or failed_in.name in note[5:].split(",")
                        for note in notes
                        if note.startswith("from:")
                    )
                    for words, notes in parsed()
                )
                got = is_legal(source, operation, capacity, failed_in=failed_in, has_host=has_host)
                assert got is expected, (source, failed_in, has_host)


@pytest.mark.parametrize("operation", [Operation.DELETE, Operation.RECLAIMED])
def test_fixed_machines_are_never_deleted_or_reclaimed(operation):
    for capacity in FIXED:
        assert not any(is_legal(source, operation, capacity) for source in ANYWHERE)
    for capacity in ELASTIC:
        assert is_legal(State.IDLE, operation, capacity)


@pytest.mark.parametrize(
    ("failed_in", "ways_out"),
    [
        (State.CREATING, {Operation.DELETE}),
        (State.CONFIGURING, {Operation.CONFIGURE, Operation.RELEASE}),
        (State.DRAINING, {Operation.DRAIN}),
        (State.DELETING, {Operation.DELETE}),
        (State.CONFIGURED, set()),
    ],
)
def test_a_failed_machine_leaves_only_the_way_it_came(failed_in, ways_out):
    orders = set(Operation) - {Operation.ADOPT, Operation.LOST, Operation.RECLAIMED}
    legal = {
        operation
        for operation in orders
        if is_legal(State.FAILED, operation, CapacityType.SPOT, failed_in=failed_in)
    }
    assert legal == ways_out


def test_states_by_what_they_need():
    assert {state.name for state in STABLE} == {"SPECULATIVE", "IDLE", "CONFIGURED"}
    required = {"IDLE", "CONFIGURING", "CONFIGURED", "DRAINING", "DELETING"}
    assert {state.name for state in HOST_REQUIRED} == required
    assert {state.name for state in HOST_REFUSED} == {"SPECULATIVE"}
    assert {state.name for state in CLUSTER_REQUIRED} == {"CONFIGURING", "CONFIGURED", "DRAINING"}
    assert {state.name for state in CLUSTER_OPTIONAL} == {"FAILED"}
    assert {state.name for state in RESERVABLE} == {"DRAINING", "IDLE", "CREATING"}


def test_elastic_is_what_is_billed_while_it_runs():
    assert {kind for kind in CapacityType if kind.is_elastic} == set(ELASTIC)


def test_capacity_types_are_listed_by_code_point():
    assert [str(kind) for kind in CapacityType] == sorted(str(kind) for kind in CapacityType)
