"""What may be read: regular files and standard input, in UTF-8; all else is a fault, no hang."""

import io
import os
import socket
import sys

import pytest

from models.errors import InputFault
from planner.files import source
from planner.files.source import read_source


def fault(path):
    with pytest.raises(InputFault) as caught:
        read_source(path).text()
    (only,) = caught.value.faults
    assert str(only).isprintable()
    return only


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_text_with_and_without_a_mark(folder):
    (folder / "a").write_bytes("\ufeffé".encode())
    (folder / "b").write_bytes("é".encode())
    assert read_source("a").text() == read_source("b").text() == "é"


def test_the_name_is_as_it_was_given(folder):
    (folder / "sub").mkdir()
    (folder / "sub/a").write_bytes(b"")
    assert fault("./sub/../sub/a").path == "./sub/../sub/a"


@pytest.mark.parametrize("content", [b"", b" \n\n", b"\xef\xbb\xbf"])
def test_empty(folder, content):
    (folder / "a").write_bytes(content)
    assert fault("a").message == "is empty."


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_other_encodings_are_named(folder, encoding):
    (folder / "a").write_bytes("kind: Fleet".encode(encoding))
    message = fault("a").message
    assert encoding.upper()[:6] in message or (encoding == "utf-32-be" and "UTF-16" in message)
    assert "write it in UTF-8" in message


def test_latin_1_has_its_line(folder):
    (folder / "a").write_bytes("a: 1\nb: é\n".encode("latin-1"))
    assert fault("a").message == "line 2: is not UTF-8 (byte 0xe9); write it in UTF-8."


def test_a_missing_file_suggests_its_neighbour(folder):
    (folder / "fleet.yaml").touch()
    (folder / "other").touch()
    assert fault("fleet.yml").message == "there is no such file; did you mean 'fleet.yaml'?"
    assert fault("qqq").message == "there is no such file."
    assert fault("nowhere/a").message == "there is no folder 'nowhere'."
    assert str(fault("")) == "'': there is no such file."


def test_a_folder(folder):
    assert fault(".").message == "is a folder; name a file in it."


def test_a_file_as_a_folder(folder):
    (folder / "a").touch()
    assert fault("a/b").message == "cannot be read: Not a directory."


def test_a_pipe_a_socket_and_a_device_do_not_hang(folder):
    os.mkfifo("pipe")
    assert "is a pipe" in fault("pipe").message
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        assert "is a device or a socket" in fault("socket").message
    assert "is a device or a socket" in fault("/dev/zero").message


def test_without_permission(folder):
    (folder / "a").write_text("x")
    (folder / "a").chmod(0)
    folder.chmod(0o755)
    if os.geteuid():
        assert fault("a").message == "cannot be read: Permission denied."
        return
    # Root may read everything: be somebody else for a moment.
    os.seteuid(65534)
    try:
        message = fault("a").message
    finally:
        os.seteuid(0)
    assert message == "cannot be read: Permission denied."


def test_names_that_no_file_can_have(folder):
    assert fault("a\0b").path == "a\\x00b"
    assert "too long" in fault("a" * 5000).message
    os.symlink("loop", "loop")
    assert "cannot be read" in fault("loop").message


def test_a_name_with_a_line_break_stays_on_one_line(folder):
    assert str(fault("a\nb")) == "a\\nb: there is no such file."


def test_a_name_that_is_not_utf8(folder):
    assert str(fault(os.fsdecode(b"a\xff"))).startswith("a\\udcff: ")


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a: 1")))
    assert read_source("-") == source.Source("<stdin>", b"a: 1")


def test_standard_input_that_was_closed_before_the_start(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert str(fault("-")) == "<stdin>: is closed; name a file, or pipe one in."


@pytest.mark.parametrize("name", ["-", "a"])
def test_absurd_sizes_are_refused(folder, monkeypatch, name):
    monkeypatch.setattr(source, "MAX_INPUT_BYTES", 1 << 21)
    content = b"x" * (1 << 21)
    for more, is_taken in ((b"", True), (b"x", False)):
        (folder / "a").write_bytes(content + more)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content + more)))
        if is_taken:
            assert read_source(name).content == content
        else:
            assert "is larger than" in fault(name).message
