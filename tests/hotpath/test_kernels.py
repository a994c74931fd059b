"""Either kernel gives the same cycle, and says which it is."""

import pytest
from either_kernel import at_work
from oracle.crowd import crowded
from oracle.engine import reply_of

from hotpath.kernel import library as module
from hotpath.kernel.library import kernel_name, library


def replies() -> list[object]:
    return [
        (reply.actions, reply.shortfalls)
        for seed in range(100)
        for number in range(len(crowded(seed).shards))
        for reply in [reply_of(crowded(seed), number)]
    ]


@pytest.mark.skipif(library() is None, reason="no C compiler was there at build time")
def test_both_kernels_decide_alike():
    assert kernel_name() == "compiled"
    compiled = replies()
    with at_work("numpy"):
        assert replies() == compiled


def test_without_a_library_the_kernel_is_numpy(monkeypatch):
    monkeypatch.setattr(module, "FILE", "nowhere.so")
    assert kernel_name() == "numpy"
    assert library.__wrapped__() is None
