"""Write an answer to stdout, whole: a verb that fails has written nothing."""

import sys

import click

from planner.render.formats import Answer, Format, written
from planner.render.screen import screen_of


def show(answer: Answer, form: Format) -> None:
    """Write an answer in the format asked for."""
    click.echo(written(answer, form, screen_of(sys.stdout)), nl=False)
