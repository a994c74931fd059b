"""A file is written whole or not at all, whatever goes wrong in between."""

import os
import stat

import pytest

from models.errors import InputFault
from planner.files import write_text_atomically
from planner.files.atomic import replacing


def fault(path, text="new"):
    with pytest.raises(InputFault) as caught:
        write_text_atomically(path, text)
    (only,) = caught.value.faults
    assert str(only).isprintable()
    return only


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_writes_utf8_and_leaves_nothing_else(folder):
    write_text_atomically("a", "é\n")
    assert (folder / "a").read_bytes() == "é\n".encode()
    assert names(folder) == ["a"]


def test_a_new_file_has_the_mode_of_any_new_file(folder):
    (folder / "other").touch()
    write_text_atomically("a", "new")
    assert (folder / "a").stat().st_mode == (folder / "other").stat().st_mode


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755])
def test_the_mode_is_kept(folder, mode):
    (folder / "a").touch()
    (folder / "a").chmod(mode)
    write_text_atomically("a", "new")
    assert stat.S_IMODE((folder / "a").stat().st_mode) == mode


def test_the_target_of_a_link_is_replaced(folder):
    (folder / "sub").mkdir()
    (folder / "sub/a").write_text("old")
    os.symlink("sub/a", "link")
    os.symlink("sub/new", "dangling")
    write_text_atomically("link", "new")
    write_text_atomically("dangling", "new")
    assert names(folder) == ["dangling", "link", "sub"]
    assert (folder / "link").is_symlink()
    assert (folder / "sub/a").read_text() == (folder / "sub/new").read_text() == "new"


def test_other_names_of_the_old_file_keep_the_old_content(folder):
    """A rename, not a write into the file: who has it open reads on."""
    (folder / "a").write_text("old")
    with open("a") as reading:
        write_text_atomically("a", "new")
        assert reading.read() == "old"


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_a_failing_block_changes_nothing(folder, error):
    (folder / "a").write_text("old")

    def write_half():
        with replacing("a") as file:
            file.write(b"ne")
            file.flush()
            raise error

    with pytest.raises(error):
        write_half()
    assert names(folder) == ["a"]
    assert (folder / "a").read_text() == "old"


@pytest.mark.parametrize("call", ["fsync", "replace", "fchmod"])
def test_a_failing_disk_changes_nothing(folder, monkeypatch, call):
    def fails(*_):
        raise OSError(28, "No space left on device")

    (folder / "a").write_text("old")
    monkeypatch.setattr(os, call, fails)
    assert str(fault("a")) == "a: cannot be written: No space left on device."
    assert names(folder) == ["a"]
    assert (folder / "a").read_text() == "old"


def test_the_content_is_on_disk_before_the_name_is(folder, monkeypatch):
    calls = []
    fsync, replace = os.fsync, os.replace

    def synced(descriptor):
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        calls.append(("folder" if is_folder else "file", os.fstat(descriptor).st_size))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", lambda *names: (calls.append("rename"), replace(*names)))
    write_text_atomically("a", "new")
    assert calls[:2] == [("file", 3), "rename"]
    assert calls[2][0] == "folder"


def test_what_is_no_regular_file_stays(folder):
    os.mkfifo("pipe")
    (folder / "sub").mkdir()
    for path in ("pipe", "sub", "/dev/null"):
        assert fault(path).message == "is no regular file; write to another name."
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_places_where_nothing_can_be_written(folder):
    assert fault("nowhere/a").message == "there is no folder 'nowhere'."
    assert fault("-").message == "stands for a stream, not for a file; name a file."
    (folder / "file").touch()
    assert fault("file/a").message == "cannot be written: Not a directory."
    os.symlink("loop", "loop")
    assert "cannot be written" in fault("loop").message
    assert "no name that a file can have" in fault("a\0b").message
    assert "too long" in fault("a" * 300).message


def test_text_that_utf8_cannot_write(folder):
    assert fault("a", "x\ud800").message == "cannot be written: U+D800 in its text is no character."
    assert names(folder) == []
