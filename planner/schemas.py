"""The JSON Schemas of the file formats, for editors: `make schemas` writes them to docs/schema/."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from models.documents import fleet_schema
from models.settings import settings_schema
from planner.files import write_text_atomically


def schemas() -> dict[str, Mapping[str, Any]]:
    """Give each schema by the name of its file."""
    return {"fleet.schema.json": fleet_schema(), "settings.schema.json": settings_schema()}


def schema_text(schema: Mapping[str, Any]) -> str:
    """Write a schema as its file has it."""
    return json.dumps(schema, indent=2) + "\n"


def write_schemas(folder: Path) -> None:
    """Write every schema into a folder that exists."""
    for name, schema in schemas().items():
        write_text_atomically(folder / name, schema_text(schema))


if __name__ == "__main__":
    write_schemas(Path(sys.argv[1]))
