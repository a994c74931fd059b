"""Settings to plain data, to their JSON Schema and to a short name for one set of them."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from models.rows import API_VERSION
from models.settings.metadata import Metadata
from models.settings.sections import Settings


def settings_document(settings: Settings) -> dict[str, Any]:
    """Give every setting as plain data, as a file has it; reading it gives the same settings."""
    return settings.model_dump(mode="json", by_alias=True)


def settings_file(settings: Settings, sources: Mapping[str, str]) -> dict[str, Any]:
    """Give a whole document of kind Settings: all settings, and the source of those that have one.

    ``sources`` is by path (``goals.moves``); reading refuses those of what is no setting.
    """
    head = {
        "apiVersion": API_VERSION,
        "kind": "Settings",
        "metadata": {"sources": dict(sources)},
    }
    return head | settings_document(settings)


def settings_hash(settings: Settings) -> str:
    """Give twelve hexadecimal digits that are equal for equal settings, however written."""
    canonical = json.dumps(settings_document(settings), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]


def settings_schema() -> dict[str, Any]:
    """Give the JSON Schema of a document of kind Settings."""
    schema = Settings.model_json_schema(by_alias=True)
    head = {
        "apiVersion": {"const": API_VERSION},
        "kind": {"const": "Settings"},
        "metadata": Metadata.model_json_schema(),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "properties": head | schema["properties"],
    }
