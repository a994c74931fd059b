"""The verb ``version``."""

import json
import platform
from importlib.metadata import version

import pytest
from click.testing import CliRunner
from prometheus_client.parser import text_string_to_metric_families

from hotpath.kernel.library import kernel_name
from planner.cli.main import bigfleet


def test_versions_are_those_installed():
    done = CliRunner().invoke(bigfleet, ["version", "-o", "json"])
    assert json.loads(done.stdout) == {
        "bigfleet": version("bigfleet"),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "ortools": version("ortools"),
        "kernel": kernel_name(),
    }


@pytest.mark.parametrize("kernel", ["compiled", "numpy"])
def test_a_metric_names_the_kernel(kernel, monkeypatch):
    monkeypatch.setattr("hotpath.kernel.library.kernel_name", lambda: kernel)
    done = CliRunner().invoke(bigfleet, ["version", "-o", "metrics"])
    [family] = text_string_to_metric_families(done.stdout)
    [sample] = family.samples
    assert (sample.name, sample.value) == ("bigfleet_build_info", 1.0)
    assert sample.labels["kernel"] == kernel
    assert sample.labels["ortools"] == version("ortools")


def test_the_common_options_are_taken_and_checked():
    done = CliRunner().invoke(bigfleet, ["version", "--set", "cycle=soon"])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("--set: cycle: ")
