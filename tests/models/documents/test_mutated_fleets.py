"""Fleet documents: any change to one gives rows, or faults whose paths lead somewhere."""

import copy
from datetime import datetime
from math import inf, nan

from fleet_documents import CONTRACT, NOW
from hypothesis import given, settings
from hypothesis import strategies as st

from models.documents import document_from, fleet_from
from models.errors import InputFault

WRONG = st.sampled_from(
    [None, True, False, -1, 0, 1, 2**63, 10**5000, -0.0, 1.5, nan, inf, -inf, "", "x", "n", "{}",
     "{//0}", "\ud800", "\x00\n", "9" * 5000, "1e999999999", b"x", (), [], {}, [[]], [None],
     {"a": 1}, {None: 1}, {1: {}}, {"\ud800": 1, b"x": 2, (): 3, "": 4},
     datetime(2026, 1, 1), NOW, NOW.date(), float, "IDLE", "a/train"]
)  # fmt: skip


def spots(value, path=()):
    """Give the way to every place in a document."""
    yield path
    items = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else items
    for key, inner in items:
        yield from spots(inner, (*path, key))


def mutated(document, way, change, wrong):
    *above, last = way
    parent = document
    for key in above:
        parent = parent[key]
    if change == "drop":
        del parent[last]
    elif change == "swap":
        parent[last] = wrong
    elif change == "double" and isinstance(parent, list):
        parent.append(copy.deepcopy(parent[last]))
    elif change == "extra" and isinstance(parent, dict):
        parent[f"{last}z"] = wrong


CHANGES = st.tuples(
    st.integers(0, 10**6), st.sampled_from(["drop", "swap", "swap", "double", "extra"]), WRONG
)


@settings(max_examples=600, deadline=None)
@given(st.lists(CHANGES, min_size=1, max_size=4), st.sampled_from([None, NOW]))
def test_any_document_gives_rows_or_faults_with_paths(changes, now):
    document = copy.deepcopy(CONTRACT)
    for pick, change, wrong in changes:
        ways = list(spots(document))[1:]
        if ways:
            mutated(document, ways[pick % len(ways)], change, copy.deepcopy(wrong))
    rows, faults = read(document, now)
    if rows is not None:
        assert fleet_from(document_from(rows)) == rows
        return
    assert faults
    known = {written(way) for way in spots(document)}
    for one in faults:
        assert one.path in known or parent(one.path) in known, one
        assert str(one).isprintable(), one
        assert str(one).encode(), one


def read(document, now):
    try:
        return fleet_from(document, now), ()
    except InputFault as fault:
        return None, fault.faults


def written(way):
    """Write a way as faults do, by other means."""
    text = ""
    for key in way:
        text += f"[{key}]" if isinstance(key, int) else f".{ascii(key)[1:-1]}"
    return text.removeprefix(".")


def parent(path):
    """Give the path without its last part: a required field that is absent is named, too."""
    return path.rsplit(".", 1)[0] if "." in path else ""
