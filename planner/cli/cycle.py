"""The verb ``cycle``: one hot-path cycle of each shard of a fleet file."""

import click

from planner.cli.options import Common, common_options
from planner.cli.output import show
from planner.cli.progress import working
from planner.cli.verdict import SHORT


@click.command("cycle")
@click.argument("fleet", metavar="FLEET")
@click.option("--shard", metavar="NAME", help="Only this shard; default: all.")
@click.option(
    "--fail-on-shortfall", is_flag=True, help=f"Exit with status {SHORT} when a need is short."
)
@common_options()
@click.pass_obj
def command(common: Common, fleet: str, shard: str | None, fail_on_shortfall: bool) -> None:
    """Decide one hot-path cycle of each shard: what to configure, create, drain and delete.

    FLEET is a fleet file (YAML, JSON or Parquet), or - for standard input.

    \b
    Examples:
      bigfleet cycle fleet.yaml
      bigfleet cycle fleet.yaml --shard s1 -o json
      bigfleet cycle fleet.yaml --set reclaim.delay=0s -o wide
    """
    from planner.cli.naming import shard_rows
    from planner.opening import open_fleet

    with working(f"reading {fleet}"):
        opened = open_fleet(fleet, common.sources())
    shards = shard_rows(opened, shard)
    from planner.deciding import decide_shards, finish_shards, is_short
    from planner.render.answers import cycle_answer

    with working("deciding"):
        decided = decide_shards(opened.fleet, opened.settings, shards)
        cycles = finish_shards(opened.fleet, opened.settings, decided)
        actions = [action for cycle in cycles for action in cycle.actions]
        shortfalls = [shortfall for cycle in cycles for shortfall in cycle.shortfalls]
        shadowed = [action for cycle in cycles for action in cycle.shadowed]
        answer = cycle_answer(opened.fleet, actions, shortfalls, shadowed)
    show(answer, common.output)
    if fail_on_shortfall and any(map(is_short, shortfalls)):
        click.get_current_context().exit(SHORT)
