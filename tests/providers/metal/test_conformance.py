"""The kit passes on bare metal, over gRPC, with hooks that are real processes."""

import asyncio
import time

from metal_racks import racked, shell

from providers.conformance.run import conform
from providers.conformance.settings import KitSettings
from providers.conformance.verdict import Verdict
from providers.server import serving
from providers.transport import Security

LABEL = "bigfleet.dev/conformance"
ROWS = [
    *({"id": f"r{n}", "host": f"bmc-{n}", "pricePerHour": 0.5} for n in range(4)),
    *({"id": f"s{n}", "state": "SPECULATIVE"} for n in range(2)),
    {"id": "hc", "state": "SPECULATIVE", "labels": {LABEL: "hang-create"}},
    {"id": "hf", "labels": {LABEL: "hang-configure"}},
]
HANGS = '[ "$BIGFLEET_MACHINE" = {} ] && exec sleep 60; :'


async def conformed(folder):
    settings = KitSettings(int(time.time() * 1000), seconds=20.0)
    hooks = {
        "commission": shell(HANGS.format("hc"), timeout=0.5),
        "configure": shell(HANGS.format("hf"), timeout=0.5),
        "drain": shell("sleep $BIGFLEET_GRACE_SECONDS"),
    }
    async with racked(folder, ROWS, **hooks) as provider, serving(provider) as port:
        return await conform(f"127.0.0.1:{port}", Security(), settings)


def test_bare_metal_passes(tmp_path):
    report = asyncio.run(conformed(tmp_path))
    told = {each.check.name: each.what for each in report.results if each.verdict is Verdict.FAILED}
    assert told == {}
    skipped = {each.check.name for each in report.results if each.verdict is Verdict.SKIPPED}
    # What is real and paid for anyway cannot be given back, so the kit makes nothing real.
    assert skipped == {"create-repeats", "create-conflict", "delete-repeats", "list-columns"}
    # What could not be commissioned stays FAILED: no order leads on, Delete is for elastic ones.
    said = "FAILED: commission took longer than 0.5 s and was ended."
    assert report.left == {"hc": said}
