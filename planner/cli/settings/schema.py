"""The verb ``settings schema``: the JSON Schema of a settings file, for editors."""

import click

from planner.cli.options import Common, common_options
from planner.cli.output import show
from planner.render.formats import Answer, Format


@click.command("schema", short_help="The JSON Schema of a settings file, for editors.")
@common_options((Format.JSON, Format.YAML))
@click.pass_obj
def command(common: Common) -> None:
    """Print the JSON Schema of a settings file: names, kinds, bounds, defaults, units, texts.

    \b
    Examples:
      bigfleet settings schema > settings.schema.json
    """
    from models.settings import settings_schema
    from planner.schemas import schema_text

    common.check()
    if common.output is Format.JSON:
        # Laid out for people, as docs/schema has it.
        click.echo(schema_text(settings_schema()), nl=False)
    else:
        show(Answer(settings_schema(), list, lambda wide: []), common.output)
