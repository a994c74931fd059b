"""The rebalancer and its peers on the same instances, side by side: ``python -m benchmarks.peers``.

Every peer has the same seconds and a process of its own, one after the other; every answer is
checked and valued by one judge. Lines of progress go to standard error.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.peers.instances import INSTANCES
from benchmarks.peers.measured import ROOT, Measured, measured
from benchmarks.peers.table import settings, table

APART = Path(".venv-peers/bin/python")
"""Where ``make bench-peers`` puts the peers that the project's own environment has not."""

MISSING = (
    f"No {APART}, so no Meta's Rebalancer and no scipy: make bench-peers makes it where it finds a "
    "Python from 3.12 to 3.14 with venv, or with PEERS_PYTHON=..."
)
_META = "benchmarks/peers/meta.py"


def commands(seconds: float) -> dict[str, list[str]]:
    """Give the command of each peer that can run here."""
    limit = f"{seconds:g}"
    ours = {
        name: [sys.executable, "-m", f"benchmarks.peers.{module}", limit]
        for name, module in (("ours", "ours"), ("greedy", "greedy"), ("cp-sat", "cp_sat"))
    }
    if not (ROOT / APART).exists():
        return ours
    python = str(ROOT / APART)
    return ours | {
        "milp": [python, "-m", "benchmarks.peers.milp", limit],
        "meta-stratified": [python, "-P", _META, limit, "stratified"],
        "meta-highs": [python, "-P", _META, limit, "highs"],
    }


_ALONE = "no plain words for it: its objects move alone, a gang is evicted or served whole"
CANNOT = {("meta-stratified", "victims"): _ALONE, ("meta-highs", "victims"): _ALONE}
"""What a peer has no words for, by peer and problem."""


def rows(instances: Sequence[str], peers: Sequence[str], seconds: float) -> Iterator[Measured]:
    """Measure each peer on each instance."""
    able = commands(seconds)
    for instance in instances:
        problem = INSTANCES[instance]()
        for peer in peers:
            if why := CANNOT.get((peer, problem.name)):
                yield Measured(instance, peer, None, (), None, 0.0, 0.0, 0.0, "", why)
            elif peer in able:
                _say(f"{instance}: {peer}, {seconds:g} s at most ...")
                yield measured(instance, problem, peer, able[peer], seconds)


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


def main() -> None:
    """Read what is asked, print the rows."""
    known = list(commands(0))
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--instance", action="append", choices=list(INSTANCES))
    parser.add_argument("--peer", action="append", choices=known)
    parser.add_argument("--seconds", type=float, default=60.0, help="for each, default 60")
    parser.add_argument("-o", "--output", choices=("table", "json"), default="table")
    asked = parser.parse_args()
    if not (ROOT / APART).exists():
        _say(MISSING)
    found = list(rows(asked.instance or list(INSTANCES), asked.peer or known, asked.seconds))
    if asked.output == "json":
        lines: Iterator[str] = iter([json.dumps([asdict(row) for row in found], indent=1)])
    else:
        load = ", ".join(f"{load:.1f}" for load in os.getloadavg())
        lines = iter([*table(found), *settings(found), f"- load at the end: {load}."])
    for line in lines:
        sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main()
