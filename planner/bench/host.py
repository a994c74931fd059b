"""What a measurement was made on: figures without it say nothing."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

from hotpath.kernel.library import kernel_name

CPU_INFO = Path("/proc/cpuinfo")


def host_facts(cpu_info: Path = CPU_INFO) -> dict[str, str | int | None]:
    """Give cores, CPU model, versions and kernel; the model is None where nothing tells it."""
    return {
        "cores": os.cpu_count(),
        "cpu": _cpu_model(cpu_info),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "kernel": kernel_name(),
    }


def _cpu_model(cpu_info: Path) -> str | None:
    """Give the model that Linux names, or what the platform knows elsewhere."""
    try:
        lines = cpu_info.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor()) or None
