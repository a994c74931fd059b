"""A full List against what is known: both kernels against a dictionary."""

from collections.abc import Callable
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpath import reconcile as door
from hotpath.kernel import reconcile as compiled
from hotpath.kernel.library import library
from hotpath.lists import COMPARABLE, Columns, Difference
from hotpath.plain import reconcile as plain

Reconcile = Callable[[Columns, Columns], Difference]
Row = tuple[bytes, tuple[float, ...]]
NOTHING = (0, 0, 0, 0)

needs_compiler = pytest.mark.skipif(
    library() is None, reason="no C compiler was there at build time"
)
KERNELS = [plain.reconcile, *([compiled.reconcile] if library() else [])]
TYPES = ("i1", "i4", "f8", "f4")

# Lengths around the words of 8 bytes that the compiled kernel reads; few letters, so that ids meet.
names = st.text("aé\0", max_size=2).map(str.encode)
ids = st.builds(
    lambda start, length, end: start[:1] * length + end, names, st.integers(0, 17), names
)
values = st.tuples(
    st.integers(-2, 2), st.integers(-2, 2), *[st.sampled_from([nan, 0.0, -0.0, 1.5, -np.inf])] * 2
)
tables = st.lists(st.tuples(ids, values), max_size=12)


def columns_of(rows: list[Row], width: int = 0) -> Columns:
    """Give rows as columns; ids at least ``width`` wide."""
    width = max([width, 1, *(len(name) for name, _ in rows)])
    return Columns(
        np.array([name for name, _ in rows], dtype=f"S{width}"),
        tuple(
            np.array([values[place] for _, values in rows], dtype=kind)
            for place, kind in enumerate(TYPES)
        ),
    )


def known_of(rows: list[Row]) -> list[Row]:
    """Give rows as a shard keeps them."""
    by_id = {name.rstrip(b"\0"): values for name, values in rows}
    return sorted((name, values) for name, values in by_id.items() if name)


def same(before: float, now: float) -> bool:
    return before == now or (before != before and now != now)


def oracle(known: list[Row], listed: list[Row]) -> dict[str, list[int]]:
    answer: dict[str, list[int]] = {name: [] for name in Difference.__slots__}
    first: dict[bytes, int] = {}
    for row, (padded, _) in enumerate(listed):
        name = padded.rstrip(b"\0")
        if not name:
            answer["nameless"].append(row)
        elif name in first:
            answer["repeated"].append(row)
        else:
            first[name] = row
    names = {name for name, _ in known}
    answer["new"] = [row for name, row in first.items() if name not in names]
    for row, (name, values) in enumerate(known):
        if name not in first:
            answer["missing"].append(row)
        elif not all(map(same, values, listed[first[name]][1])):
            answer["changed"].append(row)
            answer["changed_to"].append(first[name])
    return answer


def told(difference: Difference) -> dict[str, list[int]]:
    return {name: getattr(difference, name).tolist() for name in Difference.__slots__}


@pytest.mark.parametrize("reconcile", KERNELS)
@given(tables, tables, st.integers(0, 40), st.integers(0, 40))
def test_any_list_is_told_as_a_dictionary_would(reconcile, before, now, width, other_width):
    known = known_of(before)
    for listed in (now, sorted(now)):
        answer = reconcile(columns_of(known, width), columns_of(listed, other_width))
        assert told(answer) == oracle(known, listed)


def large(chance: np.random.Generator, rows: int) -> list[Row]:
    """Give rows of which some repeat, and one has no id."""
    numbers, states = chance.integers(2 * rows, size=rows), chance.integers(3, size=rows)
    named = [
        (b"m%03d-%d" % (number % 7, number), (state, 0, nan, 0))
        for number, state in zip(numbers.tolist(), states.tolist(), strict=True)
    ]
    return [*named, (b"", NOTHING)]


@pytest.mark.parametrize("reconcile", KERNELS)
@pytest.mark.parametrize("rows", [127, 128, 129, 5_000])
def test_a_large_list_is_told_as_a_dictionary_would(reconcile, rows):
    chance = np.random.default_rng(rows)
    known, now = known_of(large(chance, rows)), large(chance, rows)
    for listed in (now, sorted(now)):
        answer = told(reconcile(columns_of(known), columns_of(listed)))
        assert answer == oracle(known, listed)
        assert all(answer.values())


@pytest.mark.parametrize("reconcile", KERNELS)
@pytest.mark.parametrize("kind", COMPARABLE, ids=str)
def test_every_type_is_compared_in_every_byte(reconcile, kind):
    at = [b"a", b"b", b"c"]
    before = np.array([0, 1, 1], dtype=kind)
    for byte in range(kind.itemsize if kind.kind != "b" else 1):
        now = before.copy()
        # Of a number that is not NaN, no byte says what two others of it say.
        now.view(np.uint8).reshape(3, -1)[0, byte] ^= 1
        answer = reconcile(Columns(np.array(at), (before,)), Columns(np.array(at), (now,)))
        assert told(answer)["changed"] == [0]


@pytest.mark.parametrize("reconcile", KERNELS)
@pytest.mark.parametrize(("kind", "bits"), [("f4", "u4"), ("f8", "u8")])
def test_reals_are_compared_by_value(reconcile, kind, bits):
    before = np.array([nan, nan, 0.0, nan, 1.0, np.inf], dtype=kind)
    now = np.array([nan, nan, -0.0, 1.0, nan, -np.inf], dtype=kind)
    now.view(bits)[1] ^= 1
    names = np.array([b"%d" % row for row in range(6)])
    answer = reconcile(Columns(names, (before,)), Columns(names, (now,)))
    assert answer.changed.tolist() == [3, 4, 5]


@pytest.mark.parametrize("reconcile", KERNELS)
def test_columns_with_gaps_or_out_of_line_are_read_too(reconcile):
    wide = np.arange(12, dtype="f8").reshape(6, 2)
    odd = np.frombuffer(b"\0" + np.arange(6, dtype="f8").tobytes(), dtype="f8", offset=1)
    names = np.array([b"%d" % row for row in range(6)])
    now = wide[:, 1].copy()
    now[4] = 99
    assert not odd.flags.aligned
    answer = reconcile(
        Columns(np.repeat(names, 2)[::2], (wide[:, 1], odd)), Columns(names, (now, np.arange(6.0)))
    )
    assert (answer.changed.tolist(), answer.changed_to.tolist()) == ([4], [4])
    assert len(answer.new) == len(answer.missing) == 0


@pytest.mark.parametrize("reconcile", KERNELS)
def test_without_columns_ids_alone_are_compared(reconcile):
    known, listed = Columns(np.array([b"a", b"b"]), ()), Columns(np.array([b"c", b"a"]), ())
    answer = told(reconcile(known, listed))
    assert (answer["changed"], answer["missing"], answer["new"]) == ([], [1], [0])


def test_an_answer_is_read_only():
    answer = door.reconcile(columns_of([]), columns_of([]))
    assert not any(getattr(answer, name).flags.writeable for name in Difference.__slots__)


@pytest.mark.parametrize("reconcile", KERNELS)
@pytest.mark.parametrize("names", [[b"b", b"a"], [b"a", b"a"], [b"", b"a"], [b"a", b"a\0"]])
@pytest.mark.parametrize("listed", [[], [b"a", b"b"], [b"b", b"a"]])
def test_what_is_known_must_be_in_order(reconcile, names, listed):
    sides = [columns_of([(name, NOTHING) for name in side]) for side in (names, listed)]
    with pytest.raises(ValueError, match=r"sorted, unique and not empty\."):
        reconcile(*sides)


@pytest.mark.parametrize("reconcile", KERNELS)
@pytest.mark.parametrize("others", [(), (np.zeros(1),), (np.zeros(1, "i4"), np.zeros(1))])
def test_both_sides_must_have_the_same_columns(reconcile, others):
    known, listed = (
        Columns(np.array([b"a"]), (np.zeros(1, "i4"),)),
        Columns(np.array([b"a"]), others),
    )
    with pytest.raises(ValueError, match="known columns have types"):
        reconcile(known, listed)


@pytest.mark.parametrize(
    ("names", "column", "said"),
    [
        (["a"], np.zeros(1), "ids have type <U1"),
        ([b"a"], np.zeros(2), r"column 0 has shape \(2,\), expected \(1,\)"),
        ([b"a"], np.zeros((1, 1)), "column 0 has shape"),
        ([[b"a"]], np.zeros(1), "ids has shape"),
        ([b"a"], np.zeros(1, "f2"), "column 0 has type float16"),
        ([b"a"], np.zeros(1, ">i4"), "column 0 has type >i4"),
        ([b"a"], np.zeros(1, object), "column 0 has type object"),
        ([b"a"], np.zeros(1, "M8[s]"), "column 0 has type datetime64"),
    ],
)
def test_columns_of_another_kind_are_refused(names, column, said):
    with pytest.raises(ValueError, match=said):
        Columns(np.array(names), (column,))


def mixed(word: int) -> int:
    """Mix as the compiled kernel does for its hashes."""
    word = (word ^ word >> 32) * 0x9E3779B97F4A7C15 % 2**64
    return word ^ word >> 29


def colliding(count: int) -> list[Row]:
    """Give rows whose ids, two words of 8 bytes, all have one hash; the last id first."""
    words = [(1 << 56) + number for number in range(count, 0, -1)]
    return [
        (word.to_bytes(8, "big") + (mixed(word) ^ 1).to_bytes(8, "big"), NOTHING) for word in words
    ]


@needs_compiler
@pytest.mark.parametrize(("rows", "gives_up"), [(2, False), (1_000, False), (1_100, True)])
@pytest.mark.parametrize("share_known", [0, 1, 2])
def test_ids_of_one_hash_are_told_apart(rows, gives_up, share_known, monkeypatch):
    """Too many of them are sorted in numpy, or a provider could hold the shard up with them."""
    listed = colliding(rows)
    known = known_of(listed[: rows * share_known // 2])
    asked: list[int] = []

    def noted(known: Columns, listed: Columns) -> Difference:
        asked.append(len(listed))
        return in_numpy(known, listed)

    in_numpy = plain.reconcile
    monkeypatch.setattr(plain, "reconcile", noted)
    answer = compiled.reconcile(columns_of(known), columns_of(listed))
    assert told(answer) == oracle(known, listed)
    # Half of them in each of two tables are too few.
    assert asked == [rows] * (gives_up and share_known != 1)


@needs_compiler
def test_too_many_rows_never_reach_the_compiled_code(monkeypatch):
    monkeypatch.setattr(compiled, "MOST_ROWS", 1)
    two = columns_of([(b"a", NOTHING), (b"b", NOTHING)])
    with pytest.raises(ValueError, match="2 known and 0 listed rows are too many"):
        compiled.reconcile(two, columns_of([]))


def test_without_a_library_numpy_does_it(monkeypatch):
    monkeypatch.setattr(door, "library", lambda: None)
    monkeypatch.setattr(compiled, "library", lambda: None)
    both = columns_of([(b"a", NOTHING)]), columns_of([])
    assert told(door.reconcile(*both)) == oracle([(b"a", NOTHING)], [])
    with pytest.raises(ValueError, match="there is no compiled kernel"):
        compiled.reconcile(*both)
