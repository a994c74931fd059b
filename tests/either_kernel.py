"""Run a test with the compiled kernel and with numpy in its place."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest

from hotpath.kernel.library import library

KERNELS = ("compiled", "numpy")

either_kernel = pytest.mark.parametrize(
    "kernel",
    [
        pytest.param(
            "compiled",
            marks=pytest.mark.skipif(library() is None, reason="no C compiler when it was built"),
        ),
        "numpy",
    ],
)


@contextmanager
def at_work(kernel: str) -> Iterator[None]:
    """Let a kernel decide, as on a machine where it is the one there is."""
    if kernel == "compiled":
        yield
        return
    with (
        patch("hotpath.cycle.library", lambda: None),
        patch("hotpath.reconcile.library", lambda: None),
    ):
        yield
