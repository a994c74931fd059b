"""Who may have whose machines is said four times; here all four say the same of every pair.

By the rules on pairs, by the judge of a plan that moves one machine that way, by what ``wide``
counts for its flows, and by the circulation laid from that.
"""

from collections.abc import Iterator
from itertools import count, product

import numpy as np
from plan_twins import plan_of
from worlds import random_world

from models.audit import audit_plan
from models.audit.laws import Law
from models.fleet import Mask
from models.plan import Move, MoveKind
from models.rules import Rule
from models.settings import Settings
from models.settings.sections import RebalanceSettings
from rebalancer.limits import DEFAULT_GOALS, Limits
from rebalancer.naming import FREE_KINDS
from rebalancer.problems.assignment import allowed_pairs
from rebalancer.problems.transfer.entry import entry_levels
from rebalancer.problems.transfer.exchange import Exchange
from rebalancer.problems.transfer.groups import groups_of
from rebalancer.problems.transfer.network import network_of
from rebalancer.rules.keeps_own import keeps_own
from rebalancer.rules.route import own_shard
from rebalancer.settings import rules_from
from rebalancer.snapshot import Snapshot, SupplyKind, snapshot_of
from rebalancer.wide.drawn import Drawn, drawn

SETTINGS = Settings(rebalance=RebalanceSettings(min_gap=2))

ON_PAIRS = {
    *(Rule.MATCHES, Rule.FITS, Rule.PRIORITY, Rule.KEEPS_OWN, Rule.AVAILABLE),
    *(Law.MOVE_ROUTE, Law.MOVE_KIND, Law.VICTIM),
}
"""What breaks a move of one machine whatever else moves."""


def random_snapshots() -> Iterator[tuple[int, Snapshot]]:
    """Give the seed and the snapshot of tiny fleets in which a rule allows something."""
    for seed in range(400):
        standing = random_world(seed, spread=seed % 3 == 0).standing()
        snapshot = snapshot_of(standing, rules_from(SETTINGS))
        if allowed_pairs(snapshot).any():
            yield seed, snapshot


def across(snapshot: Snapshot) -> Mask:
    """Mark the pairs, ``(G, N)``, of two shards."""
    return ~own_shard(snapshot)


def is_accepted(snapshot: Snapshot, group: int, demand: int) -> bool:
    """Ask the judge about one machine of the group that goes to the demand's need."""
    supply, wants = snapshot.supply, snapshot.demand
    move = Move(
        id="m1",
        unit="u1",
        window=0,
        kind=FREE_KINDS.get(SupplyKind(supply.kind[group]), MoveKind.DRAIN_AND_TRANSFER),
        machine_class=int(supply.machine_class[group]),
        machines=(int(supply.machines[group][0]),),
        source=int(supply.shard[group]),
        target=int(wants.shard[demand]),
        need=int(wants.need[demand]),
        victim=int(supply.victim[group]),
        reason="",
        preconditions=(),
        expires_seconds=1.0,
    )
    plan = plan_of(snapshot.standing, (move,))
    return ON_PAIRS.isdisjoint(each.rule for each in audit_plan(snapshot.standing, plan, SETTINGS))


def entered(exchange: Exchange) -> Mask:
    """Mark offer and row of what is wanted, ``(O, W)``, as eligibility and entry allow."""
    offers, wanted = exchange.offers, exchange.wanted
    usable = exchange.eligible[wanted.profile][:, offers.thing].T
    return usable & (wanted.level[None, :] >= entry_levels(exchange)[:, None])


def flows(exchange: Exchange) -> Mask:
    """Mark offer and row of what is wanted, ``(O, W)``, between which arcs lead with room."""
    groups = groups_of(exchange)
    network = network_of(exchange, groups)
    arcs = network.arcs
    ways = [
        *zip(network.free.offer, network.free.at.start + network.free.arc, strict=True),
        *zip(network.drained.offer, count(network.drained.at.start)),
    ]
    mask = np.zeros((len(exchange.offers), len(exchange.wanted)), dtype=np.bool_)
    inner = np.arange(network.drained.at.stop, network.served.start)
    inner = inner[arcs.most[inner] > 0]
    for offer, arc in ways:
        reached = np.zeros(arcs.nodes, dtype=np.bool_)
        reached[arcs.head[arc]] = arcs.most[arc] > 0
        for _ in range(arcs.nodes):
            reached[arcs.head[inner[reached[arcs.tail[inner]]]]] = True
        mask[offer] = reached[arcs.tail[network.served]][groups.of_wanted]
    return mask


def wide(snapshot: Snapshot) -> Drawn:
    allowed = allowed_pairs(snapshot)
    hopeless = np.zeros(len(snapshot.demand), dtype=np.bool_)
    return drawn(snapshot, allowed, hopeless, DEFAULT_GOALS, Limits(None))


def test_the_judge_accepts_a_machine_where_the_rules_allow_its_pair():
    seen = dict.fromkeys(product((False, True), repeat=2), 0)
    for seed, snapshot in random_snapshots():
        allowed, keeps = allowed_pairs(snapshot), keeps_own(snapshot)
        for group, demand in np.argwhere(across(snapshot)).tolist():
            said = is_accepted(snapshot, group, demand)
            assert said == allowed[group, demand], (seed, group, demand)
            seen[said, bool(keeps[group, demand])] += 1
    assert seen[True, True] > 200
    assert seen[False, True] > 100
    assert seen[False, False] > 100


def test_arcs_lead_where_eligibility_and_entry_allow():
    seen = [0, 0]
    for seed, snapshot in random_snapshots():
        exchange = wide(snapshot).question.plain
        expected = entered(exchange)
        # Laid for machines that are there and needs that lack some, as all do here.
        assert np.array_equal(flows(exchange), expected), seed
        seen = np.add(seen, np.bincount(expected.ravel(), minlength=2))
    assert min(seen) > 200


def test_wide_counts_the_pairs_that_the_rules_allow():
    """Or fewer: machines that only a donor's own need tells apart are kept as one thing."""
    seen = fewer = 0
    for seed, snapshot in random_snapshots():
        found = wide(snapshot)
        offer, demands = found.offer_of_group, found.demand_of_wanted
        drawn_up = entered(found.question.plain)[offer]
        pairs = across(snapshot)[:, demands]
        allowed = allowed_pairs(snapshot)[:, demands] & pairs
        # Nothing goes back to its own shard, and nothing where a rule forbids it.
        assert not (drawn_up & ~allowed).any(), seed
        thing = found.question.plain.offers.thing[offer]
        keeps = keeps_own(snapshot)[:, demands]
        for group, row in np.argwhere(allowed & ~drawn_up).tolist():
            alike = (thing == thing[group]) & (
                snapshot.supply.shard == snapshot.supply.shard[group]
            )
            assert not keeps[alike, row].all(), (seed, group, row)
            fewer += 1
        seen += int(np.count_nonzero(drawn_up))
    assert seen > 200
    assert fewer < seen / 20
