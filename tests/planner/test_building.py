"""The build hook: a library where a compiler is, a reason where none is, never half a file."""

from pathlib import Path

from planner.building import FOLDER, ROOT, compile_kernel


def test_no_compiler_is_a_reason_and_no_file(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("CC", str(tmp_path / "nowhere"))
    assert "does not run" in compile_kernel(ROOT, tmp_path / "kernel.so")
    assert list(tmp_path.iterdir()) == []


def test_code_that_does_not_compile_leaves_the_library_as_it_was(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / FOLDER / "bad.c").write_text("int main( {")
    library = tmp_path / "kernel.so"
    library.write_bytes(b"old")
    why = compile_kernel(tmp_path, library)
    assert why
    assert library.read_bytes() == b"old"
    assert {path.name for path in tmp_path.iterdir()} == {"hotpath", "kernel.so"}
