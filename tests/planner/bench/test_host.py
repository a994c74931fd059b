"""What a measurement was made on."""

import numpy as np
import pytest

from hotpath.kernel.library import kernel_name
from planner.bench.host import host_facts


def test_versions_and_kernel():
    facts = host_facts()
    assert facts["numpy"] == np.__version__
    assert facts["kernel"] == kernel_name()


@pytest.mark.parametrize(
    ("content", "model"),
    [
        (b"processor\t: 0\nmodel name\t: AMD EPYC\nmodel name\t: other\n", "AMD EPYC"),
        (b"model name\t: \xff: x\n", "\N{REPLACEMENT CHARACTER}: x"),
        (b"Hardware\t: a board\n", None),
        (None, None),
    ],
)
def test_the_cpu_is_named_where_linux_names_it(content, model, tmp_path, monkeypatch):
    monkeypatch.setattr("platform.processor", lambda: "")
    path = tmp_path / "cpuinfo"
    if content is not None:
        path.write_bytes(content)
    assert host_facts(path)["cpu"] == model
