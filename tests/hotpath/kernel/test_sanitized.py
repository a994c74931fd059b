"""The C code under the address and undefined-behaviour sanitizers: no index is out of range."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from planner.building import compile_kernel

ROOT = Path(__file__).parents[3]
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1", "-Werror")

DEALS = """
import ctypes
import sys

import numpy as np
from hotpath.attribution import Groups, fill, keep
from hotpath.kernel import attribution
from hotpath.kernel.library import typed

library = typed(ctypes.CDLL(sys.argv[1]))
attribution.library = lambda: library
chance = np.random.default_rng(7)
for _ in range(400):
    needs, width = chance.integers(1, 12), chance.integers(1, 12)
    fits = chance.random((needs, width)) < chance.random()
    label = chance.integers(-1, needs, width)
    moves = (label[None, :] != np.arange(needs)[:, None]).astype(np.int64)
    groups = Groups(chance.integers(0, 9, width), fits, moves)
    wanted = chance.integers(0, 12, needs)
    flow = keep(groups, wanted)
    attribution.fill_some(groups, flow, wanted, 0, int(needs))
    assert flow.tolist() == fill(groups, wanted).tolist()
print("alike")
"""


@pytest.fixture(scope="module")
def runtime() -> str:
    """Give the sanitizers' runtime, which must be there before Python's own allocator."""
    if not shutil.which("gcc"):
        pytest.skip("no gcc, so no sanitizers")
    found = subprocess.run(
        ["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not Path(found).is_file():
        pytest.skip("gcc came without the runtime of its sanitizers")
    return found


def run(library: Path, runtime: str, code: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "LD_PRELOAD": runtime, "ASAN_OPTIONS": "detect_leaks=0"}
    return subprocess.run(
        [sys.executable, "-c", code, str(library)],
        capture_output=True, text=True, check=False, cwd=ROOT, env=environment, timeout=120,
    )  # fmt: skip


def test_dealing_stays_inside_its_arrays(tmp_path: Path, runtime: str) -> None:
    library = tmp_path / "kernel.so"
    assert compile_kernel(ROOT, library, SANITIZERS) == ""
    done = run(library, runtime, DEALS)
    assert (done.returncode, done.stdout.strip()) == (0, "alike"), done.stderr[-2000:]


def test_the_sanitizers_would_tell(tmp_path: Path, runtime: str) -> None:
    """A library that writes one past its memory is caught, so the test above can fail."""
    (tmp_path / "hotpath/kernel").mkdir(parents=True)
    source = (ROOT / "hotpath/kernel/attribution.c").read_text()
    spoiled = source.replace("g + 5 * n + 1 + n * g", "g + 5 * n")
    assert spoiled != source
    (tmp_path / "hotpath/kernel/attribution.c").write_text(spoiled)
    library = tmp_path / "kernel.so"
    assert compile_kernel(tmp_path, library, SANITIZERS) == ""
    done = run(library, runtime, DEALS)
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stderr
