"""The name of a fleet tells its texts apart, wherever one ends and the next begins."""

from dataclasses import replace
from itertools import combinations

import numpy as np
from worlds import World

from models.standing import Standing
from rebalancer.digest import digest_of
from rebalancer.transfer_rules import TransferRules


def with_texts(column: str, texts: list[str | None]) -> Standing:
    standing = World().shard("s0", "a").machines("i", len(texts)).standing()
    fleet = standing.fleet
    changed = {column: np.array(texts, dtype=object)}
    machines = replace(fleet.machines, **changed)
    return replace(standing, fleet=replace(fleet, machines=machines))


def test_texts_that_read_alike_end_to_end_are_told_apart():
    for column in ("ids", "host_refs"):
        names = [
            digest_of(with_texts(column, texts), TransferRules(), None)
            for texts in (["ab", "c"], ["a", "bc"], ["", "abc"], ["abc", ""], ["c", "ab"])
        ]
        assert all(one != other for one, other in combinations(names, 2))


def test_no_host_is_not_one_without_a_name():
    one, other = (with_texts("host_refs", [text, "h"]) for text in (None, ""))
    assert digest_of(one, TransferRules(), None) != digest_of(other, TransferRules(), None)
