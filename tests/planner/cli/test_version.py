"""The verb ``version``."""

import json
import platform
from importlib.metadata import version

from click.testing import CliRunner

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


def test_the_common_options_are_taken_and_checked():
    done = CliRunner().invoke(bigfleet, ["version", "--set", "cycle=soon"])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("--set: cycle: ")
