"""The documents of a file, in each format, and machines that stand in a file of their own."""

import io
import json
import sys

import pytest

from models.errors import InputFault
from planner.files import Document, read_document, read_documents, read_rows, write_parquet

ROWS = [{"id": "a", "resources": {"cpu": "1"}}, {"id": "b"}]


def faults(path, read=read_documents):
    with pytest.raises(InputFault) as caught:
        read(path)
    return [str(fault) for fault in caught.value.faults]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_fleet_and_its_settings(folder):
    text = "kind: Fleet\nneeds: []\n---\n---\nkind: Settings\ncycle: 10s\n---\n"
    (folder / "f.yaml").write_text(text)
    assert read_documents("f.yaml") == [
        Document("Fleet", {"kind": "Fleet", "needs": []}, "f.yaml", 0),
        Document("Settings", {"kind": "Settings", "cycle": "10s"}, "f.yaml", 2),
    ]


def test_one_document_is_one(folder):
    (folder / "f.yaml").write_text("kind: Fleet\n---\n")
    assert read_document("f.yaml") == Document("Fleet", {"kind": "Fleet"}, "f.yaml", 0)
    (folder / "f.yaml").write_text("kind: Fleet\n---\nkind: Settings\n")
    assert faults("f.yaml", read_document) == ["f.yaml: holds 2 documents; one is expected."]


@pytest.mark.parametrize("kind", ["", "kind: 1\n", "kind: [Fleet]\n"])
def test_without_a_kind_that_is_text(folder, kind):
    (folder / "f.yaml").write_text(f"{kind}a: 1\n")
    assert read_document("f.yaml").kind == ""


def test_what_is_no_mapping(folder):
    (folder / "f.yaml").write_text("[a]\n---\nb\n---\nkind: Fleet\n")
    assert faults("f.yaml") == [
        "f.yaml: document 1 is a list; a mapping is expected.",
        "f.yaml: document 2 is the value 'b'; a mapping is expected.",
    ]


@pytest.mark.parametrize("text", ["# nothing\n", "---\n---\n", "null", ""])
def test_empty(folder, text):
    (folder / "f.yaml").write_text(text)
    assert faults("f.yaml") == ["f.yaml: is empty."]


@pytest.mark.parametrize("name", ["f.json", "f.JSON", "f.txt", "f"])
def test_json(folder, name):
    body = {"kind": "Fleet", "metadata": {"name": "\U0001f600"}}
    # The escape of a character beyond 16 bits is JSON, but not YAML.
    (folder / name).write_text(json.dumps(body))
    assert read_document(name) == Document("Fleet", body, name, 0)


def test_json_is_not_yaml_where_the_name_says_json(folder):
    (folder / "f.json").write_text("{kind: Fleet}")
    assert "is not JSON" in faults("f.json")[0]


def test_without_a_known_extension_it_may_be_yaml(folder):
    (folder / "f").write_text("{kind: Fleet}")
    assert read_document("f").kind == "Fleet"
    (folder / "f").write_text('{"a": 1, "a": 2}')
    assert faults("f") == ["f: line 1, column 10: duplicate key 'a'; keep one of them."]
    (folder / "f").write_text("{a: [\n")
    assert faults("f")[0].startswith("f: line 2, column 1: is not YAML")


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"kind: Fleet")))
    assert read_document("-") == Document("Fleet", {"kind": "Fleet"}, "<stdin>", 0)


@pytest.mark.parametrize("name", ["m.parquet", "m"])
def test_parquet_alone_is_a_fleet_without_needs(folder, name):
    write_parquet(ROWS, name)
    body = {"apiVersion": "bigfleet.dev/v1", "kind": "Fleet", "machines": ROWS}
    assert read_documents(name) == [Document("Fleet", body, name, 0)]


@pytest.mark.parametrize("name", ["m.parquet", "m.json", "m.yaml"])
def test_machines_in_a_file_beside_the_document(folder, monkeypatch, name):
    (folder / "sub").mkdir()
    if name == "m.parquet":
        write_parquet(ROWS, f"sub/{name}")
    else:
        (folder / "sub" / name).write_text(json.dumps(ROWS))
    (folder / "sub/f.yaml").write_text(f"kind: Fleet\nmachines: {name}\nneeds: []\n")
    wanted = {"kind": "Fleet", "machines": ROWS, "needs": []}
    assert read_document("sub/f.yaml").body == wanted
    monkeypatch.chdir("sub")
    assert read_document("f.yaml").body == wanted


def test_machines_of_a_document_on_standard_input(folder, monkeypatch):
    (folder / "m.json").write_text(json.dumps(ROWS))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"machines: m.json")))
    assert read_document("-").body == {"machines": ROWS}


def test_machines_that_are_not_there_name_both_files(folder):
    (folder / "machines.parquet").touch()
    (folder / "f.yaml").write_text("machines: machine.parquet\n")
    assert faults("f.yaml") == [
        "f.yaml: machines: ./machine.parquet: there is no such file; "
        "did you mean 'machines.parquet'?"
    ]


def test_machines_never_come_from_standard_input(folder, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[]")))
    (folder / "f.yaml").write_text("machines: '-'\n")
    assert faults("f.yaml") == ["f.yaml: machines: ./-: there is no such file."]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1", "is a mapping; a list of rows is expected."),
        ("1", "is the value '1'; a list of rows is expected."),
        ("[a]\n---\n[b]", "is 2 documents; a list of rows is expected."),
        ("# nothing", "is 0 documents; a list of rows is expected."),
    ],
)
def test_rows_are_a_list(folder, text, said):
    (folder / "m.yaml").write_text(text)
    assert faults("m.yaml", read_rows) == [f"m.yaml: {said}"]
