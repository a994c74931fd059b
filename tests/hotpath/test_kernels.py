"""Either kernel gives the same cycle, and says which it is."""

import pytest
from oracle.crowd import crowded
from oracle.engine import reply_of

from hotpath import kernels
from hotpath.kernel.library import library


def replies() -> list[object]:
    return [
        (reply.actions, reply.shortfalls)
        for seed in range(100)
        for number in range(len(crowded(seed).shards))
        for reply in [reply_of(crowded(seed), number)]
    ]


@pytest.mark.skipif(library() is None, reason="no C compiler was there at build time")
def test_both_kernels_decide_alike(monkeypatch):
    assert kernels.kernel_name() == "compiled"
    compiled = replies()
    monkeypatch.setattr(kernels, "library", lambda: None)
    assert kernels.kernel_name() == "numpy"
    assert replies() == compiled
