"""Run code against a library built with the address and undefined-behaviour sanitizers."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from planner.building import compile_kernel

ROOT = Path(__file__).parents[3]
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1", "-Werror")

Sanitized = Callable[[Path, str], "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Sanitized:
    """Give how to run code with the kernel below a root, whose library is its first argument."""
    if not shutil.which("gcc"):
        pytest.skip("no gcc, so no sanitizers")
    # The runtime must be there before Python's own allocator.
    runtime = subprocess.run(
        ["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not Path(runtime).is_file():
        pytest.skip("gcc came without the runtime of its sanitizers")
    environment = {**os.environ, "LD_PRELOAD": runtime, "ASAN_OPTIONS": "detect_leaks=0"}

    def run(root: Path, code: str) -> "subprocess.CompletedProcess[str]":
        library = tmp_path_factory.mktemp("sanitized") / "kernel.so"
        assert compile_kernel(root, library, SANITIZERS) == ""
        return subprocess.run(
            [sys.executable, "-c", code, str(library)],
            capture_output=True, text=True, check=False, cwd=ROOT, env=environment, timeout=120,
        )  # fmt: skip

    return run


@pytest.fixture
def spoiled(tmp_path: Path) -> Callable[[str, str, str], Path]:
    """Give how to copy the kernel with one text of a file replaced; it gives the copy's root."""

    def spoil(file: str, text: str, other: str) -> Path:
        shutil.copytree(ROOT / "hotpath/kernel", tmp_path / "hotpath/kernel")
        path = tmp_path / "hotpath/kernel" / file
        source = path.read_text("utf-8")
        assert source.count(text) == 1
        path.write_text(source.replace(text, other), "utf-8")
        return tmp_path

    return spoil
