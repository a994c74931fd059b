"""Rows of machines through Parquet and back, and what a file from elsewhere may hold."""

import builtins
import datetime
import enum
import io
import math

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from models.errors import InputFault
from planner.files import parquet_rows, write_parquet
from planner.files.parquet_rows import parse_parquet
from planner.files.source import Source, read_source


def stored(columns):
    buffer = io.BytesIO()
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    parquet.write_table(table, buffer)
    return Source("m.parquet", buffer.getvalue())


def faults(call, *arguments):
    with pytest.raises(InputFault) as caught:
        call(*arguments)
    lines = [str(fault) for fault in caught.value.faults]
    assert all(line.isprintable() for line in lines)
    return lines


def again(rows, path):
    write_parquet(rows, path)
    return parse_parquet(read_source(path))


keys = st.text(min_size=1, max_size=5)
rows = st.lists(
    st.fixed_dictionaries(
        {"id": st.text()},
        optional={
            "pricePerHour": st.floats(allow_nan=False),
            "reclamationPenalty": st.integers(-(2**63), 2**63 - 1),
            "pinned": st.booleans(),
            "host": st.fixed_dictionaries({"ref": st.text()}),
            "resources": st.dictionaries(keys, st.text(), min_size=1),
            "labels": st.dictionaries(keys | st.just("a.b/c.d"), st.text(), min_size=1),
        },
    ),
    max_size=5,
)


@settings(deadline=None, max_examples=50)
@given(rows)
def test_rows_come_back(tmp_path_factory, rows):
    assert again(rows, tmp_path_factory.mktemp("m") / "m.parquet") == rows


def test_the_first_dot_splits():
    source = stored({"id": ["a"], "labels.topology.kubernetes.io/zone": ["z"], "host.ref": ["r"]})
    wanted = {"id": "a", "labels": {"topology.kubernetes.io/zone": "z"}, "host": {"ref": "r"}}
    assert parse_parquet(source) == [wanted]


def test_a_null_is_left_out(tmp_path):
    source = stored({"id": ["a", None], "labels.x": [None, "y"], "cluster": pa.nulls(2)})
    assert parse_parquet(source) == [{"id": "a"}, {"labels": {"x": "y"}}]
    assert again([{"id": "a", "cluster": None, "labels": {}}], tmp_path / "m") == [{"id": "a"}]


@pytest.mark.parametrize("rows", [[], [{}], [{}, {"id": "a"}]])
def test_few_rows(tmp_path, rows):
    assert again(rows, tmp_path / "m") == rows


def test_types_of_other_writers():
    moment = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
    east = datetime.timezone(datetime.timedelta(hours=2))
    source = stored(
        {
            "a": pa.array(["x"]).dictionary_encode(),
            "b": pa.array(["x"], pa.large_string()),
            "c": pa.array([7], pa.uint8()),
            "d": pa.array([0.5], pa.float32()),
            "e": pa.array([moment.replace(tzinfo=None)], pa.timestamp("ns")),
            "f": pa.array([moment.astimezone(east)], pa.timestamp("s", tz="+02:00")),
            "g": pa.array([None], pa.timestamp("ms")),
        }
    )
    time = "2026-01-02T03:04:05Z"
    assert parse_parquet(source) == [{"a": "x", "b": "x", "c": 7, "d": 0.5, "e": time, "f": time}]


def test_not_finite_numbers_get_through():
    assert math.isnan(parse_parquet(stored({"pricePerHour": [math.nan]}))[0]["pricePerHour"])


def test_truth_values_are_no_text(tmp_path):
    path = tmp_path / "m"
    said = [f"{path}: a: holds what no column can hold."]
    assert faults(write_parquet, [{"a": "x"}, {"a": True}], path) == said
    assert faults(write_parquet, [{"a": 2**53 + 1}, {"a": 0.5}], path) == said


def test_columns_of_foreign_types_are_named():
    source = stored({"id": ["a"], "labels": [{"x": 1}], "b\n": [b"x"], "c": [[1]]})
    lines = faults(parse_parquet, source)
    assert [line.partition(" is no type")[0] for line in lines] == [
        "m.parquet: labels: struct<x: int64>",
        "m.parquet: b\\n: binary",
        "m.parquet: c: list<element: int64>",
    ]


def test_columns_that_clash():
    twice = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["id", "id"])
    assert faults(parse_parquet, stored(twice)) == ["m.parquet: id: is the name of two columns."]
    for names in (["host", "host.ref"], ["host.ref", "host"]):
        clash = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=names)
        (line,) = faults(parse_parquet, stored(clash))
        assert line.startswith("m.parquet: host: is a column, and so is host.KEY")


def test_a_time_beyond_the_calendar():
    source = stored({"stateSince": pa.array([2**62], pa.timestamp("us"))})
    assert "is not a readable Parquet file" in faults(parse_parquet, source)[0]


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_a_corrupt_file_is_a_fault(data):
    content = bytearray(stored({"id": ["a", "b"], "labels.x": ["y", None]}).content)
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content) - 1))]
    for _ in range(data.draw(st.integers(0, 3))):
        if content:
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        parse_parquet(Source("m.parquet", bytes(content)))
        lines = []
    except InputFault as fault:
        lines = [str(line) for line in fault.faults]
    assert all(line.startswith("m.parquet: ") and line.isprintable() for line in lines)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"kind: Fleet", b"PAR1" + b"\0" * 90 + b"PAR1"])
def test_what_is_no_parquet(content):
    (line,) = faults(parse_parquet, Source("m.parquet", content))
    assert line.startswith("m.parquet: is not a readable Parquet file: ")


def test_absurd_sizes_are_refused(monkeypatch):
    source = stored({"id": ["a"] * 10, "cluster": ["a"] * 10})
    monkeypatch.setattr(parquet_rows, "MOST_MACHINES", 9)
    assert "has 10 rows; a fleet has at most 9 machines" in faults(parse_parquet, source)[0]
    monkeypatch.setattr(parquet_rows, "MOST_MACHINES", 10)
    monkeypatch.setattr(parquet_rows, "MAX_CELLS", 19)
    assert "at most 19 cells" in faults(parse_parquet, source)[0]
    monkeypatch.setattr(parquet_rows, "MAX_CELLS", 20)
    assert len(parse_parquet(source)) == 10


def test_without_pyarrow(monkeypatch, tmp_path):
    real = builtins.__import__

    def absent(name, *arguments):
        if name.partition(".")[0] == "pyarrow":
            raise ImportError(name)
        return real(name, *arguments)

    source = stored({"id": ["a"]})
    monkeypatch.setattr(builtins, "__import__", absent)
    said = "Parquet needs pyarrow: pip install 'bigfleet[parquet]'."
    assert faults(parse_parquet, source) == [f"m.parquet: {said}"]
    assert faults(write_parquet, [], tmp_path / "m") == [f"{tmp_path / 'm'}: {said}"]


def test_quantities_written_in_several_ways_become_text(tmp_path):
    rows = [{"resources": {"cpu": cpu}} for cpu in ("500m", 4, 0.1, 2**70)]
    assert [row["resources"]["cpu"] for row in again(rows, tmp_path / "m")] == [
        "500m",
        "4",
        "0.1",
        str(2**70),
    ]


def test_whole_numbers_beside_floats_become_floats(tmp_path):
    assert again([{"p": 1}, {"p": 0.5}, {}], tmp_path / "m") == [{"p": 1.0}, {"p": 0.5}, {}]


def test_words_of_an_enumeration_are_text(tmp_path):
    state = enum.StrEnum("state", ["IDLE"])
    assert again([{"s": state.IDLE}, {"s": 1}], tmp_path / "m") == [{"s": "idle"}, {"s": "1"}]
    assert again([{"s": state.IDLE}], tmp_path / "m") == [{"s": "idle"}]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"a.b": 1}, "machines[1]: a row of Parquet holds"),
        ({"a": [1]}, "machines[1]: a row of Parquet holds"),
        ({"a": {"b": {"c": 1}}}, "machines[1]: a row of Parquet holds"),
        ({"a": 2**70}, "a: holds what no column can hold."),
        ({"a": True}, "a: holds what no column can hold."),
        ({"a": "\ud800"}, "a: holds what no column can hold."),
    ],
)
def test_what_no_column_can_hold(tmp_path, row, said):
    path = tmp_path / "m"
    (line,) = faults(write_parquet, [{"a": 1}, row], path)
    assert line.startswith(f"{path}: {said}")
    assert list(tmp_path.iterdir()) == []
