"""Plain mappings to models and back, every fault with its path; bytes and files are elsewhere."""

from models.documents.fleet_document import fleet_from, fleet_schema
from models.documents.needs import needs_from
from models.documents.writing import document_from

__all__ = ["document_from", "fleet_from", "fleet_schema", "needs_from"]
