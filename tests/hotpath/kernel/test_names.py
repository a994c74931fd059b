"""Ids as one column: found by class, long, short and foreign ones too."""

from builders import fleet, machine

from hotpath.kernel.names import names_of
from models.machine import State


def build(*ids: str, others: tuple[str, ...] = ()):
    built = fleet()
    for id in ids:
        built = built.machines(machine(id, State.SPECULATIVE))
    for id in others:
        built = built.machines(machine(id, State.SPECULATIVE, instance_type="other"))
    made = built.build()
    return made, names_of(made.machines, len(made.classes))


def test_each_machine_is_found_by_its_name():
    made, names = build("b", "a", "é", "\N{GRINNING FACE}", "zz", others=("c", "aa"))
    ids = [str(id) for id in made.machines.ids]
    assert [names.name(place) for place in range(7)] == ids
    assert names.places(reversed(ids)).tolist() == [6, 5, 4, 3, 2, 1, 0]


def test_what_is_not_there_is_not_found():
    _, names = build("aa", "c", others=("d",))
    assert names.places(["a", "aaa", "b", "zzz", "c", "e", ""]).tolist() == [-1] * 4 + [1, -1, -1]
    assert len(names.places([])) == 0


def test_a_shard_without_machines_has_no_names():
    _, names = build()
    assert names.places(["a"]).tolist() == [-1]
