"""What every goal is worth, read off the machines one by one: slow, plain, and no engine's code.

A plan is a mapping from machines to the needs that they go to. Its value is counted anew on the
fleet as the plan leaves it; nothing is added up along the way.
"""

from collections import Counter
from collections.abc import Mapping
from math import isnan

from models.machine import CapacityType, State
from models.plan import Plan
from models.rules import Goal
from models.standing import Standing

Plain = Mapping[int, int]
"""For each machine that moves the need it goes to."""


def moved_by(plan: Plan) -> dict[int, int]:
    """Give the machines that a plan moves; none of them twice."""
    moved = [(machine, move.need) for move in plan.moves for machine in move.machines]
    assert len(dict(moved)) == len(moved), "moved twice"
    return dict(moved)


class Counted:
    """A standing, to be counted as it is or as a plan leaves it."""

    def __init__(self, standing: Standing) -> None:
        fleet, columns = standing.fleet, standing.fleet.machines
        self.standing, self.fleet, self.needs = standing, fleet, fleet.needs
        self.all = range(len(columns))
        self.klass = [fleet.classes[k] for k in columns.class_index]
        self.state = [State(s) for s in columns.state]
        self.shard, self.serves = columns.shard.tolist(), standing.serves.tolist()
        self.cluster = columns.cluster.tolist()
        self.idle = [
            bool(standing.free[m]) and self.state[m] is State.IDLE for m in self.all
        ]  # fmt: skip
        self.noticed = [not isnan(at) for at in columns.reclaim_at]
        self.hosted = [ref is not None for ref in columns.host_refs]
        owner = {c: i for i, shard in enumerate(fleet.shards) for c in shard.clusters}
        self.home = [owner.get(c, -1) for c in fleet.need_cluster.tolist()]
        labels = {level: fleet.cell_labels(level) for level in fleet.levels}
        cell = columns.cell.tolist()
        self.paths = {
            level: [self._path(labels, level, cell[m]) for m in self.all] for level in fleet.levels
        }
        self.zone = [labels["topology.kubernetes.io/zone"][cell[m]] for m in self.all]

    def _path(self, labels, level, cell):
        """Give the labels down to a level, None where the machine lacks that one."""
        above = self.fleet.topology
        down = above[: above.index(level) + 1] if level in above else (level,)
        path = tuple(labels[key][cell] for key in down)
        return path if path[-1] else None

    def values(self, plan: Plain) -> dict[Goal, float]:
        """Give every goal after a plan; an empty one shows how things are before."""
        return {goal: float(getattr(self, str(goal))(plan)) for goal in Goal}

    def lost(self, plan: Plain) -> list[int]:
        return [m for m in plan if self.serves[m] >= 0]

    def serving(self, plan: Plain) -> list[int]:
        return [plan.get(m, self.serves[m]) for m in self.all]

    def preemption_damage(self, plan: Plain) -> float:
        damage, own = 0.0, self.fleet.machines.reclamation_penalty
        for m in self.lost(plan):
            need = self.needs[self.serves[m]]
            damage += max(float(own[m]), need.reclamation_penalty)
            damage += 0 if need.same else need.interruption_penalty
        broken = {self.serves[m] for m in self.lost(plan) if self.needs[self.serves[m]].same}
        return damage + sum(self.needs[n].interruption_penalty for n in broken)

    def running_cost(self, plan: Plain) -> float:
        paid = [m for m in self.all if self.hosted[m] or m in plan]
        prices = [self.klass[m].price_per_hour for m in paid]
        return sum(price for price in prices if not isnan(price))

    def interruption_risk(self, plan: Plain) -> float:
        return sum(
            self.klass[m].interruption_probability * self.needs[n].interruption_penalty
            for m, n in enumerate(self.serving(plan))
            if n >= 0
        )

    def moves(self, plan: Plain) -> float:
        return len(plan)

    def time_to_ready(self, plan: Plain) -> float:
        ready = self.fleet.machines.ready_seconds
        new = [m for m in plan if self.state[m] is State.SPECULATIVE]
        drains = (self.needs[self.serves[m]].drain_seconds for m in self.lost(plan))
        return sum(float(ready[m]) for m in new) + sum(drains)

    def shard_balance(self, plan: Plain) -> float:
        where = [self.home[plan[m]] if m in plan else self.shard[m] for m in self.all]
        have = Counter(zip(self.klass, where, strict=True))
        shards, total = range(len(self.fleet.shards)), 0.0
        for klass in self.fleet.classes:
            fair = sum(have[klass, s] for s in shards) / len(shards)
            total += sum(abs(have[klass, s] - fair) for s in shards)
        return total / 2

    def domain_fragmentation(self, plan: Plain) -> float:
        if not self.fleet.topology:
            return 0
        place = self.paths[self.fleet.topology[-1]]
        free: Counter[object] = Counter()
        used: Counter[object] = Counter()
        for m in self.all:
            if place[m] and (self.hosted[m] or m in plan):
                is_free = self.idle[m] and m not in plan
                (free if is_free else used)[place[m]] += 1
        return sum(count for domain, count in free.items() if used[domain])

    def gang_spread(self, plan: Plain) -> float:
        return sum(self.spread_of(n, plan) for n in range(len(self.needs)))

    def spread_of(self, n: int, plan: Plain) -> int:
        key, levels = self.needs[n].same, self.fleet.topology
        if key not in levels or key == levels[-1]:
            return 0
        top, low = self.paths[key], self.paths[levels[levels.index(key) + 1]]
        # What it loses counts as its own all the same.
        own = [m for m in self.all if self.serves[m] == n or plan.get(m) == n]
        if not self.standing.short[n] and n in plan.values():
            own = [m for m in plan if plan[m] == n]
        total = 0
        for domain in {top[m] for m in own} - {None}:
            inside = [m for m in own if top[m] == domain]
            could = [m for m in self.all if top[m] == domain and (self.could(m, n) or m in own)]
            rooms = Counter(low[m] for m in could)
            left, fewest = len(inside), 0
            for room in sorted(rooms.values(), reverse=True):
                fewest, left = fewest + (left > 0), left - room
            total += len({low[m] for m in inside}) - fewest
        return total

    def could(self, m: int, n: int) -> bool:
        """Tell whether a machine has what the need asks for, which here is its resources alone."""
        assert not self.needs[n].requirements
        has = dict(zip(self.fleet.resources, self.klass[m].resources, strict=True))
        return all(has.get(name, 0) >= wanted for name, wanted in self.needs[n].resources.items())

    def spot_diversity(self, plan: Plain) -> float:
        boxes: dict[int, Counter[object]] = {}
        for m, n in enumerate(self.serving(plan)):
            if self.klass[m].capacity_type is not CapacityType.SPOT:
                continue
            stays = self.state[m] is State.CONFIGURED and not self.noticed[m]
            cluster = (
                int(self.fleet.need_cluster[n]) if n >= 0 else self.cluster[m] if stays else -1
            )
            if cluster >= 0:
                boxes.setdefault(cluster, Counter())[self.klass[m], self.zone[m]] += 1
        return sum(
            max(held.values()) / sum(held.values()) * sum(held.values()) for held in boxes.values()
        )

    def donor_headroom(self, plan: Plain) -> float:
        idle = Counter(
            (self.shard[m], self.klass[m]) for m in self.all if self.idle[m] and m not in plan
        )
        expected = self.standing.forecast
        return sum(
            max(0, int(expected[s, k]) - idle[s, klass])
            for s in range(len(self.fleet.shards))
            for k, klass in enumerate(self.fleet.classes)
        )
