"""Reading and writing files: YAML, JSON and Parquet in; YAML, JSON and Parquet out, whole or not.

Everything read is plain data (mappings, lists, text, numbers, true, false, null); what it means is
for ``models.documents``. Whatever is wrong with a file is an ``InputFault`` that begins with the
file's name; a float that is not finite gets through, to be refused with the path of its field.
"""

from planner.files.atomic import write_text_atomically
from planner.files.documents import Document, read_document, read_documents, read_rows
from planner.files.json_layout import dump_json
from planner.files.parquet_rows import write_parquet
from planner.files.yaml_layout import dump_yaml

__all__ = [
    "Document",
    "dump_json",
    "dump_yaml",
    "read_document",
    "read_documents",
    "read_rows",
    "write_parquet",
    "write_text_atomically",
]
