"""All settings, their defaults, and settings to and from plain data."""

from models.settings.reading import settings_from, with_overrides
from models.settings.sections import Settings
from models.settings.writing import settings_document, settings_hash, settings_schema

__all__ = [
    "Settings",
    "settings_document",
    "settings_from",
    "settings_hash",
    "settings_schema",
    "with_overrides",
]
