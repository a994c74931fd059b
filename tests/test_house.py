"""The tree itself: what lies where, what each file must have, and what none may hold."""

import ast
import re
import subprocess
import tomllib
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {"models", "hotpath", "rebalancer", "providers", "planner"}
TOP_LEVEL = PACKAGES | {
    "benchmarks",
    "tests",
    "docs",
    "pyproject.toml",
    "requirements.lock",
    "Makefile",
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
}
LONGEST_MODULE_LINES = 600

# An absolute path below one of these exists on one machine only; so does the way to a neighbour
# of the repository. A path within a URL or after a name is something else.
MACHINE_PATH = re.compile(r"(?<![\w.:/\\~-])/(?:work|root|home|Users|tmp)/|\.\./shared\b")
# Tests may name the one folder that is there for passing things.
MACHINE_PATH_IN_TESTS = re.compile(MACHINE_PATH.pattern.replace("|tmp", ""))


def tracked() -> list[Path]:
    """Return the files git knows, relative to the root, without those just deleted."""
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    paths = [Path(name) for name in listed.stdout.split("\0") if name]
    return [path for path in paths if (ROOT / path).is_file()]


def modules() -> list[Path]:
    """Return the tracked Python files; never none, or the tests below would check nothing."""
    found = [path for path in tracked() if path.suffix == ".py"]
    assert found
    return found


def machine_paths(path: Path, text: str) -> list[str]:
    """Return ``path:line`` for each line of ``text`` that names a path of one machine."""
    pattern = MACHINE_PATH_IN_TESTS if path.parts[0] == "tests" else MACHINE_PATH
    lines = enumerate(text.splitlines(), start=1)
    return [f"{path}:{number}" for number, line in lines if pattern.search(line)]


def test_top_level_holds_only_what_belongs_there():
    names = {path.parts[0] for path in tracked()}
    assert {name for name in names if not name.startswith(".")} - TOP_LEVEL == set()


def test_all_packages_are_there():
    assert {path.parts[0] for path in modules() if path.name == "__init__.py"} >= PACKAGES


def test_every_module_says_what_it_is_for():
    silent = [
        str(path)
        for path in modules()
        if not ast.get_docstring(ast.parse((ROOT / path).read_text("utf-8")))
    ]
    assert silent == []


def test_every_package_has_its_place_in_the_design():
    design = (ROOT / "docs" / "design.md").read_text("utf-8")
    rows = "\n".join(line for line in design.splitlines() if line.startswith("| `"))
    rooms = [f"{path.parent}/" for path in modules() if path.name == "__init__.py"]
    assert [room for room in rooms if f"`{room}`" not in rows] == []


def test_no_module_is_too_long():
    lines = {str(path): len((ROOT / path).read_text("utf-8").splitlines()) for path in modules()}
    assert {path: n for path, n in lines.items() if n > LONGEST_MODULE_LINES} == {}


def test_generated_code_lies_beside_its_proto():
    """``make check-protos`` compares what there is; it would not miss the leftovers of a proto."""
    paths = tracked()
    protos = {path.with_suffix("") for path in paths if path.suffix == ".proto"}
    kinds = ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py", "_pb2_grpc.pyi")
    wanted = {Path(f"{proto}{kind}") for proto in protos for kind in kinds}
    assert protos
    assert {path for path in paths if re.search(r"_pb2(_grpc)?\.pyi?$", path.name)} == wanted


def test_tests_are_no_packages():
    """An ``__init__.py`` in tests/models would make it stand in for the package models."""
    packages = [path for path in modules() if path.name == "__init__.py"]
    assert [str(path) for path in packages if path.parts[0] == "tests"] == []


def test_nothing_names_a_path_of_one_machine():
    found = []
    for path in tracked():
        content = (ROOT / path).read_bytes()
        if b"\0" not in content:  # A picture or another binary file has no lines.
            found += machine_paths(path, content.decode("utf-8"))
    assert found == []


@pytest.mark.parametrize(
    ("file", "parts", "hits"),
    [
        ("docs/a.md", ["see ", "work", "main"], 1),
        ("docs/a.md", ["`", "tmp", "fleet.yaml`"], 1),
        ("tests/test_a.py", ["'", "tmp", "fleet.yaml'"], 0),
        ("tests/test_a.py", ["'", "home", "me'"], 1),
        ("docs/a.md", ["..", "shared"], 1),
        ("docs/a.md", ["https://example.org", "home", "index.html"], 0),
        ("docs/a.md", ["planner", "work", "unit.py"], 0),
    ],
)
def test_paths_of_one_machine_are_told_from_others(file, parts, hits):
    assert len(machine_paths(Path(file), "/".join(parts))) == hits


def test_the_lock_holds_nothing_but_hashed_pins():
    text = (ROOT / "requirements.lock").read_text("utf-8").replace("\\\n", " ")
    entries = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    entry = re.compile(r"[a-z0-9-]+==\S+( ; [^-]+)?(\s+--hash=sha256:[0-9a-f]{64})+\s*")
    assert entries
    assert [line for line in entries if not entry.fullmatch(line)] == []


def test_every_dependency_is_locked():
    """A dependency added without ``make lock`` would be missing from every environment."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = chain(project["dependencies"], *project["optional-dependencies"].values())
    names = {re.match(r"[\w-]+", line).group().lower() for line in wanted}
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    assert names - set(re.findall(r"^([a-z0-9-]+)==", lock, flags=re.MULTILINE)) == set()
