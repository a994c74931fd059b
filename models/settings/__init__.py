"""All settings, their defaults, and settings to and from plain data."""

from models.settings.metadata import Metadata
from models.settings.paths import leaves
from models.settings.reading import recorded, settings_from, with_overrides
from models.settings.sections import Settings
from models.settings.writing import (
    settings_document,
    settings_file,
    settings_hash,
    settings_schema,
)

__all__ = [
    "Metadata",
    "Settings",
    "leaves",
    "recorded",
    "settings_document",
    "settings_file",
    "settings_from",
    "settings_hash",
    "settings_schema",
    "with_overrides",
]
