"""Write a file of kind Settings that says where each of its values came from."""

from collections.abc import Mapping
from pathlib import Path

from models.errors import Fault, InputFault
from models.settings import Settings, recorded, settings_file
from planner.files.atomic import check_replaceable, write_text_atomically
from planner.files.json_layout import dump_json
from planner.files.source import shown
from planner.files.yaml_layout import dump_yaml


def write_settings(path: str | Path, settings: Settings, sources: Mapping[str, str]) -> None:
    """Write all settings to a file, whole or not at all; reading it gives equal settings.

    The file is JSON where its name ends in ``.json``, else YAML.

    Parameters
    ----------
    sources
        By path of a setting (``goals.moves``), where its value came from, in a line that is not
        empty. What is not in it is written without a source: it has its default.

    Raises
    ------
    InputFault
        When the file cannot be written, or a source is none of a setting.
    """
    document = settings_file(settings, sources)
    try:
        recorded(document)
    except InputFault as fault:
        raise fault.within(shown(path)) from None
    check_settings_path(path)
    is_json = Path(path).suffix.lower() == ".json"
    write_text_atomically(path, (dump_json if is_json else dump_yaml)(document))


def check_settings_path(path: str | Path) -> None:
    """Refuse a file that settings cannot be written to, as far as that can be told beforehand.

    Raises
    ------
    InputFault
        When it is.
    """
    check_replaceable(path)
    if Path(path).suffix.lower() == ".parquet":
        message = "would be read as a table of machines; name a .yaml or .json file."
        raise InputFault([Fault(shown(path), message)])
