"""How many shards there are to be, and which of them the clusters belong to.

A cluster changes its shard only while it holds no machine, since a machine in use cannot be
transferred; and a shard goes only when no machine of it must stay.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import count, islice


@dataclass(frozen=True, slots=True)
class Bounds:
    """Sizes above which a shard is split; below a quarter of both it may be merged."""

    max_clusters: int = 100
    max_machines: int = 500_000


@dataclass(frozen=True, slots=True)
class Sizes:
    """What is, and what shall be: shards and clusters by name.

    Attributes
    ----------
    machines
        Of each shard that has a share or is to have one, in order; a new one has none.
    owner
        The shard of each cluster.
    stuck
        Shards of which a machine must stay.
    bound
        Clusters that hold machines, or for which some are on their way or drain.
    conflicts
        What of it cannot be, in sentences.
    """

    machines: dict[str, int]
    owner: dict[str, str]
    stuck: frozenset[str]
    bound: frozenset[str]
    conflicts: tuple[str, ...] = ()

    def clusters(self, shard: str) -> list[str]:
        """Give the clusters of a shard, sorted."""
        return sorted(cluster for cluster, owner in self.owner.items() if owner == shard)


def retired(sizes: Sizes, names: Collection[str]) -> Sizes:
    """Close the named shards; each of their clusters joins a shard that has fewest of them then.

    Ties: the first by name. Whether all their machines may go is left to whoever moves them.
    """
    machines = {name: n for name, n in sizes.machines.items() if name not in names}
    if not machines:
        nobody = "Not every shard can go: somebody must own the machines."
        return _with(sizes, sizes.machines, sizes.owner, [nobody])
    owner, left, told = dict(sizes.owner), _counts(sizes, machines), list[str]()
    for name in sorted(names):
        for cluster in sizes.clusters(name):
            # Where a machine must stay that is told by whoever moves them.
            if cluster in sizes.bound and name not in sizes.stuck:
                told.append(f"{name} cannot go: machines of it are in use by {cluster}.")
            target = min(left, key=lambda shard: (left[shard], shard))
            owner[cluster] = target
            left[target] += 1
    return _with(sizes, machines, owner, told)


def split(sizes: Sizes, bounds: Bounds) -> Sizes:
    """Divide every shard above a bound into as few as keep within it, by clusters.

    A new shard is named after the old one and gets its part of the clusters, of those that hold no
    machine, in the order of their names.
    """
    machines, owner, told = dict(sizes.machines), dict(sizes.owner), list[str]()
    for name, held in sizes.machines.items():
        clusters = sizes.clusters(name)
        parts = max(-(-len(clusters) // bounds.max_clusters), -(-held // bounds.max_machines), 1)
        free = iter([cluster for cluster in clusters if cluster not in sizes.bound])
        for part in range(1, parts):
            new = next(each for each in _numbered(name) if each not in machines)
            machines[new] = 0
            # The parts differ by one cluster at most, the old shard's is the largest.
            for cluster in islice(free, (len(clusters) + parts - 1 - part) // parts):
                owner[cluster] = new
        stay = sum(shard == name for shard in owner.values())
        if stay > bounds.max_clusters:
            told.append(
                f"{name} would keep {stay} clusters, of which it may have {bounds.max_clusters}: "
                f"those that hold machines cannot leave it."
            )
    return _with(sizes, machines, owner, told)


def merged(sizes: Sizes, bounds: Bounds) -> Sizes:
    """Let small shards join one another, the smallest first, while two are small.

    Small is below a quarter of both bounds. A shard of which a machine must stay, or whose clusters
    hold machines, can be joined but not go.
    """
    machines, owner = dict(sizes.machines), dict(sizes.owner)
    holding = {sizes.owner[cluster] for cluster in sizes.bound if cluster in sizes.owner}
    while True:
        clusters = _counts(_with(sizes, machines, owner, ()), machines)
        small = sorted(
            (held, clusters[name], name)
            for name, held in machines.items()
            if 4 * held < bounds.max_machines and 4 * clusters[name] < bounds.max_clusters
        )
        names = [name for _, _, name in small]
        gone = next((name for name in names if name not in sizes.stuck | holding), None)
        stays = next((name for name in names if name != gone), None)
        if gone is None or stays is None:
            return _with(sizes, machines, owner, ())
        machines[stays] += machines.pop(gone)
        owner = {cluster: stays if at == gone else at for cluster, at in owner.items()}


def _counts(sizes: Sizes, shards: Iterable[str]) -> dict[str, int]:
    counts = dict.fromkeys(shards, 0)
    for shard in sizes.owner.values():
        if shard in counts:
            counts[shard] += 1
    return counts


def _numbered(name: str) -> Iterable[str]:
    return (f"{name}-{number}" for number in count(2))


def _with(
    sizes: Sizes, machines: dict[str, int], owner: dict[str, str], told: Iterable[str]
) -> Sizes:
    return Sizes(machines, owner, sizes.stuck, sizes.bound, (*sizes.conflicts, *told))
