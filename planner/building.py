"""Compile the kernels when the package is built; without a compiler it works without them.

The build back end calls ``KernelHook`` (see ``pyproject.toml``). Run as a program this file
compiles in place; its arguments are further flags.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path("hotpath/kernel")
LIBRARY = FOLDER / "_kernel.so"
# No fused multiply-add: scores must be what numpy makes of them.
FLAGS = ("-std=c11", "-O3", "-ffp-contract=off", "-fPIC", "-shared", "-Wall", "-Wextra")
# What is missing is to be said when it is built, not found out by a program without a kernel.
LINKED = ("-lm", "-Wl,-z,defs") if sys.platform == "linux" else ("-lm",)


def compile_kernel(root: Path, target: Path, extra: tuple[str, ...] = ()) -> str:
    """Compile every C file of the kernel into ``target``; give "" or why it could not be."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        return "no C compiler was found"
    sources = sorted(str(path) for path in (root / FOLDER).rglob("*.c"))
    # Written beside, under a name of its own, and moved: a library in use is never half written,
    # and two builds at once do not meet.
    with TemporaryDirectory(dir=target.parent, prefix=".build-") as folder:
        fresh = Path(folder) / target.name
        command = [*compiler.split(), *FLAGS, *extra, *sources, *LINKED, "-o", str(fresh)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            return f"{compiler} does not run: {error}"
        if done.returncode != 0:
            return done.stderr.strip() or f"{compiler} ended with {done.returncode}"
        fresh.replace(target)
    return ""


class KernelHook(BuildHookInterface[Any]):
    """Puts the library into the wheel, or says why there is none."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile; ``version`` is "editable" or "standard"."""
        root = Path(self.root)
        why = compile_kernel(root, root / LIBRARY)
        if why:
            self.app.display_warning(f"bigfleet: no compiled kernel, numpy takes its place: {why}")
            return
        build_data["artifacts"].append(str(LIBRARY))
        build_data["pure_python"] = False
        # Loaded with ctypes, so it serves every Python, but one platform.
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"


if __name__ == "__main__":
    sys.exit(compile_kernel(ROOT, ROOT / LIBRARY, tuple(sys.argv[1:])) or 0)
