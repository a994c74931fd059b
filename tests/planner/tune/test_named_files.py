"""No file is read twice, nor written over while it is needed."""

import os

import pytest

from models.errors import InputFault
from planner.tune.named_files import check_outputs, named_twice


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.yaml").write_text("x")
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to("f.yaml")
    return tmp_path


def spellings(folder) -> list[str]:
    return ["f.yaml", "./f.yaml", "sub/../f.yaml", str(folder / "f.yaml"), "link", ".//f.yaml"]


def test_the_same_file_by_another_name_is_named_twice(folder):
    for first in spellings(folder):
        for second in spellings(folder):
            also = "" if first == second else f", also as {second}"
            said = [str(fault) for fault in named_twice(["g", first, "h", second])]
            assert said == [f"{first}: is named twice{also}."]


def test_others_are_not():
    assert list(named_twice(["f.yaml", "g.yaml", "-", "./-", "sub/f.yaml"])) == []
    assert len([*named_twice(["-", "-", "g", "g", "g"])]) == 2


def refusals(reads, journal=None, write=None) -> list[str]:
    with pytest.raises(InputFault) as caught:
        check_outputs(reads, journal, write)
    return [str(fault) for fault in caught.value.faults]


def test_what_is_read_is_not_written(folder):
    for path in spellings(folder):
        for option, given in (("--journal", {"journal": path}), ("--write", {"write": path})):
            assert refusals(["g", "f.yaml"], **given) == [
                f"{option}: {path} is read by the same command; name another file."
            ]
    assert refusals([], "f.yaml", "./f.yaml") == [
        "--write: ./f.yaml is that of --journal; name another file."
    ]
    check_outputs(["f.yaml"], "journal", "new.yaml")
    check_outputs(["-"], None, None)


def test_settings_that_cannot_be_written_are_told_beforehand(folder):
    os.mkfifo("pipe")
    for path, said in {
        "sub": "is no regular file; write to another name.",
        "/dev/full": "is no regular file; write to another name.",
        "pipe": "is no regular file; write to another name.",
        "-": "stands for a stream, not for a file; name a file.",
        "no/x.yaml": "there is no folder 'no'.",
        "x.parquet": "would be read as a table of machines; name a .yaml or .json file.",
        "a\0b": "is no name that a file can have.",
    }.items():
        shown = path if path.isprintable() else "a\\x00b"
        assert refusals([], None, path) == [f"--write: {shown}: {said}"]
    assert "''" in refusals([], None, "")[0]
    assert sorted(os.listdir()) == ["f.yaml", "link", "pipe", "sub"]
