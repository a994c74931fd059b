"""The file of SQLite: what is written is read again, and whatever is no store is left alone."""

import os
import sqlite3
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from provider_strategies import machines

from models.errors import InputFault
from models.failure import FailureClass
from models.machine import CapacityType, State
from providers.machine import Failure, Health, Machine, MachineClass
from providers.metal.record import Record, from_text, to_text
from providers.metal.store import APPLICATION, VERSION, SqliteStore
from providers.orders import Fence

ROOT = Path(__file__).resolve().parents[3]
U64 = st.integers(0, 2**64 - 1)
FENCES = st.builds(Fence, st.text(), U64, U64)
FAILURES = st.builds(Failure, st.sampled_from(FailureClass), st.text(), st.floats(0, 1e10))
"""Never refused: refusals are told to whoever ordered, and not kept."""


@st.composite
def records(draw):
    machine = draw(machines)
    machine = replace(
        machine,
        health=Health.UNKNOWN,
        reclaim_at=None,
        last_failure=draw(st.none() | FAILURES),
    )
    flags = draw(st.booleans()), draw(st.booleans())
    return Record(machine, draw(st.none() | FENCES), draw(st.floats(0, 1e10)), *flags)


@given(records())
def test_a_record_is_read_as_it_was_written(record):
    assert from_text(to_text(record)) == record


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "null", '{"machine": {}}', '{"machine": 5}'])
def test_what_is_no_record_says_so(text):
    with pytest.raises(ValueError):  # noqa: PT011
        from_text(text)


WRITES = st.lists(
    st.tuples(
        st.lists(records(), max_size=3),
        st.lists(st.integers(0, 5), max_size=2),
        st.dictionaries(st.text(max_size=3), U64, max_size=2),
        st.booleans(),
    ),
    max_size=6,
)


@settings(deadline=None, max_examples=40)
@given(WRITES)
def test_a_store_is_a_dictionary_that_lasts(writes):
    kept, epochs = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore.open(Path(folder) / "s.db")
        for some, gone, heard, is_opened_again in writes:
            names = [sorted(kept)[place] for place in gone if place < len(kept)]
            store.write(some, names, heard)
            kept |= {record.machine.id: record for record in some}
            for name in names:
                kept.pop(name, None)
            epochs |= heard
            if is_opened_again:
                store.close()
                store = SqliteStore.open(Path(folder) / "s.db")
            found, seen = store.load()
            assert {record.machine.id: record for record in found} == kept
            assert seen == epochs
        store.close()


def record(name="r0", **more):
    return Record(Machine(name, State.IDLE, MachineClass(CapacityType.BARE_METAL), **more))


def test_a_write_is_done_whole_or_not_at_all(tmp_path):
    store = SqliteStore.open(tmp_path / "s.db")
    store.write([record()], epochs={"s": 1})
    with pytest.raises(sqlite3.Error):
        store.write([record("r1")], ["r0"], {None: 2})
    found, epochs = store.load()
    assert ([each.machine.id for each in found], epochs) == (["r0"], {"s": 1})
    store.write([record("r2")])
    store.close()


def said(path):
    """Give the one line that refuses a file, which is then as it was."""
    before = {each.name: each.read_bytes() for each in path.parent.iterdir() if each.is_file()}
    with pytest.raises(InputFault) as refused:
        SqliteStore.open(path).load()
    after = {each.name: each.read_bytes() for each in path.parent.iterdir() if each.is_file()}
    assert after == before
    [line] = str(refused.value).splitlines()
    assert line.startswith(f"{path}: ")
    return line.removeprefix(f"{path}: ")


def of_sqlite(path, *statements):
    file = sqlite3.connect(path)
    for statement in statements:
        file.execute(statement)
    file.commit()
    file.close()
    return path


def test_what_is_no_store_is_refused_in_one_line_and_left_alone(tmp_path):
    path = tmp_path / "s.db"
    path.write_bytes(b"id,host\nr0,bmc\n" * 100)
    assert said(path) == "is no store of machines; nothing was changed."
    path.write_bytes(b"x")
    assert said(path) == "is no store of machines; nothing was changed."
    other = of_sqlite(tmp_path / "other.db", "CREATE TABLE t (x)")
    assert said(other) == "is a file of another program; nothing was changed."
    wal = of_sqlite(tmp_path / "w.db", "PRAGMA journal_mode=WAL", "CREATE TABLE t (x)")
    assert said(wal) == "is a file of another program; nothing was changed."


@pytest.mark.parametrize("version", [0, VERSION + 1, 2**31 - 1])
def test_another_version_is_refused_and_left_alone(tmp_path, version):
    path = tmp_path / "s.db"
    SqliteStore.open(path).close()
    of_sqlite(path, f"PRAGMA user_version={version}")
    assert said(path) == (
        f"has version {version}, and this program knows {VERSION}; nothing was changed."
    )


def test_a_broken_file_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "s.db"
    store = SqliteStore.open(path)
    store.write([record(f"r{n}") for n in range(500)])
    store.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\x5a" * 8192 + whole[12288:])
    assert "is broken (" in said(path)
    path.write_bytes(whole[: len(whole) // 2])
    assert "is broken (" in said(path)
    path.write_bytes(whole[:90])
    assert "another program" in said(path) or "broken" in said(path)


def test_a_record_that_is_none_is_refused(tmp_path):
    path = tmp_path / "s.db"
    SqliteStore.open(path).close()
    of_sqlite(path, "INSERT INTO machines VALUES ('r0', 'no record')")
    assert "is broken (" in loaded(path)
    of_sqlite(path, "DELETE FROM machines")
    of_sqlite(path, f"INSERT INTO machines VALUES ('r1', '{to_text(record())}')")
    assert "'r1' is that of 'r0'" in loaded(path)


def loaded(path):
    store = SqliteStore.open(path)
    with pytest.raises(InputFault) as refused:
        store.load()
    store.close()
    return str(refused.value)


def test_folders_and_missing_folders_are_refused(tmp_path):
    assert "Is a directory" in str(refusal(tmp_path))
    assert "cannot be opened" in str(refusal(tmp_path / "none" / "s.db"))


def refusal(path):
    with pytest.raises(InputFault) as refused:
        SqliteStore.open(path)
    return refused.value


def test_an_empty_file_becomes_a_store_with_its_marks_in_the_header(tmp_path):
    path = tmp_path / "s.db"
    path.touch()
    store = SqliteStore.open(path)
    header = path.read_bytes()[:100]
    store.close()
    assert int.from_bytes(header[68:72], "big") == APPLICATION
    assert int.from_bytes(header[60:64], "big") == VERSION


def test_one_writer(tmp_path):
    path = tmp_path / "s.db"
    store = SqliteStore.open(path)
    store.write([record()])
    assert str(refusal(path)) == (
        f"{path}: is in use by another process; one store serves one provider."
    )
    store.close()
    SqliteStore.open(path).close()


WRITER = """
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[2], sys.argv[3]]
import os
from test_store import record
from providers.metal.store import SqliteStore
store = SqliteStore.open(Path(sys.argv[1]))
n = 0
while True:
    n += 1
    store.write([record(f"r{k}", revision=n) for k in range(20)], epochs={"s": n})
    os.write(1, b"%d\\n" % n)
"""


def test_a_writer_that_is_killed_leaves_whole_writes_and_all_that_were_done(tmp_path):
    path = tmp_path / "s.db"
    folders = [str(Path(__file__).parent), str(ROOT / "tests")]
    for lines in (1, 7, 40):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), *folders],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
        ) as process:
            done = [int(process.stdout.readline()) for _ in range(lines)][-1]
            process.kill()
        store = SqliteStore.open(path)
        found, epochs = store.load()
        store.close()
        assert {each.machine.revision for each in found} == {epochs["s"]}
        assert len(found) == 20
        assert epochs["s"] >= done
