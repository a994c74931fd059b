"""Join an inventory and price lists into one fleet, dealing what could be bought over shards."""

from collections.abc import Sequence

from planner.importers.imported import Document, Imported, ImportNotes, Row


def combine(inventory: Imported, prices: Sequence[Imported]) -> Imported:
    """Give the inventory's fleet with the machines of all price lists appended.

    Each row of a price list is dealt out evenly over the inventory's shards; what does not divide
    goes one by one to the next shard in turn, going on from row to row. The arguments stay as
    they are. Ids are not checked for repetition here: the models do.
    """
    document: Document = dict(inventory.document)
    shards = [shard["name"] for shard in document.get("shards", [])]
    bought = [row for imported in prices for row in imported.document["machines"]]
    rows = _dealt(bought, shards) if shards else bought
    document["machines"] = [*document["machines"], *rows]
    notes = inventory.notes
    for imported in prices:
        notes = notes + imported.notes
    rule = "machines that could be bought are dealt out evenly over the shards, row by row."
    made = f"{sum(row.get('count', 1) for row in rows)} machines that could be bought."
    return Imported(document, notes + ImportNotes(assumed=(rule,) if shards else (), made=(made,)))


def _dealt(rows: Sequence[Row], shards: Sequence[str]) -> list[Row]:
    dealt: list[Row] = []
    turn = 0
    for row in rows:
        each, rest = divmod(row.get("count", 1), len(shards))
        counts = [each] * len(shards)
        for _ in range(rest):
            counts[turn] += 1
            turn = (turn + 1) % len(shards)
        dealt += [
            _part(row, shard, count) for shard, count in zip(shards, counts, strict=True) if count
        ]
    return dealt


def _part(row: Row, shard: str, count: int) -> Row:
    """Give a shard its part of a row; the shard in the id keeps the parts' ids apart."""
    return {**row, "id": f"{shard}-{row['id']}", "shard": shard, "count": count}
