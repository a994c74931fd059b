"""The committed schemas are those of the code."""

from pathlib import Path

from planner.schemas import schemas, write_schemas

FOLDER = Path(__file__).parents[2] / "docs" / "schema"


def test_the_committed_schemas_are_current(tmp_path: Path) -> None:
    write_schemas(tmp_path)
    assert {path.name for path in FOLDER.iterdir()} == set(schemas())
    for name in schemas():
        assert (FOLDER / name).read_text() == (tmp_path / name).read_text(), "run `make schemas`"
