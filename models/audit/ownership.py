"""The judge of a plan of ownership: who owns what afterwards, counted again machine by machine.

Judged are the moves, that domains stay whole, that shares are alike as far as what must stay lets
them, that closed shards end with nothing, that every shard keeps a domain for its largest gang, and
that no cluster leaves machines behind. Not judged is whether less movement would have done.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from models.audit.laws import Law
from models.audit.names import machine_name, need_name
from models.audit.suits import Suits
from models.audit.totals import total_violations
from models.audit.transfers import transfers_of
from models.audit.violation import Violation
from models.fleet import Fleet, Ints, Mask
from models.machine import State
from models.outcome import Outcome
from models.plan import Move, MoveKind, Plan
from models.rules import Goal, Rule
from models.settings import Settings
from models.standing import Standing

_STATES = {
    MoveKind.TRANSFER_IDLE: State.IDLE,
    MoveKind.TRANSFER_SPECULATIVE: State.SPECULATIVE,
}


@dataclass(frozen=True, eq=False, slots=True)
class _Books:
    """Who owned what and who does afterwards, as lists by row.

    ``domain`` is the domain of each machine, -1 for one that leaves the fleet; ``stays`` says which
    must not change hands; ``mix`` is what a domain consists of, ``path`` what it is called.
    """

    standing: Standing
    plan: Plan
    settings: Settings
    domain: list[int]
    paths: list[str]
    state: list[int]
    stays: list[bool]
    owner: list[int]
    after: list[int]
    mix: list[tuple[tuple[int, int], ...]]

    @property
    def fleet(self) -> Fleet:
        return self.standing.fleet

    @property
    def open(self) -> list[int]:
        closed = set(self.plan.closed)
        return [row for row in range(len(self.fleet.shards)) if row not in closed]

    def members(self) -> dict[int, list[int]]:
        """Give the machines of each domain."""
        found = defaultdict(list)
        for row, domain in enumerate(self.domain):
            if domain >= 0:
                found[domain].append(row)
        return found


def audit_ownership(
    standing: Standing, plan: Plan, settings: Settings, cooling: Mask, without: Mask
) -> tuple[Violation, ...]:
    """Give every rule that a plan of ownership breaks.

    ``cooling`` machines were transferred a moment ago, those ``without`` leave the fleet; both
    ``(M,)``. A plan that names rows which do not exist is refused for that alone. A FALLBACK, for
    which there was no time to share anything out, must change nothing.
    """
    if plan.outcome is Outcome.INFEASIBLE:
        return tuple(_without_answer(plan))
    dangling = tuple(_dangling(standing.fleet, plan))
    if dangling:
        return dangling
    claims = transfers_of(standing, replace(plan, moves=()), settings)
    if plan.outcome is Outcome.FALLBACK:
        return (*_changing(plan), *total_violations(claims))
    books = _books(standing, plan, settings, cooling, without)
    return (
        *_moves(books),
        *_whole(books),
        *_alike(books),
        *_closed(books),
        *_gangs(books),
        *_clusters(books),
        *_goals(books),
        *total_violations(claims),
    )


def _without_answer(plan: Plan) -> Iterator[Violation]:
    if plan.moves or plan.clusters or plan.added or plan.closed or not plan.conflicts:
        message = f"{len(plan.moves)} moves, {len(plan.conflicts)} conflicts named"
        yield Violation(Law.NO_MOVES, "the plan", message)


def _changing(plan: Plan) -> Iterator[Violation]:
    if plan.moves or plan.clusters or plan.added or plan.closed:
        message = f"{len(plan.moves)} moves, {len(plan.clusters)} clusters that change their shard"
        yield Violation(Law.NO_MOVES, "the plan", message)


def _dangling(fleet: Fleet, plan: Plan) -> Iterator[Violation]:
    machines, shards = range(len(fleet.machines)), range(len(fleet.shards))
    for move in plan.moves:
        rows = all(row in machines for row in move.machines)
        if not (rows and move.source in shards and move.target in shards):
            yield Violation(Law.MOVE_SHAPE, f"move {move.id}", "names a row that does not exist")
    for change in plan.clusters:
        known = change.cluster in range(len(fleet.clusters))
        if not (known and change.source in shards and change.target in shards):
            yield Violation(Law.CLUSTER_MOVE, "the plan", "names a row that does not exist")
    if not all(row in shards for row in (*plan.added, *plan.closed)):
        yield Violation(Law.ONE_OWNER, "the plan", "names a shard that does not exist")
    if set(plan.closed) >= set(shards):
        yield Violation(Law.ONE_OWNER, "the plan", "every shard is closed")
    for need in [*(entry.need for entry in plan.unmet), *(entry.need for entry in plan.displaced)]:
        if need not in range(len(fleet.needs)):
            yield Violation(Law.UNMET, "the plan", f"need number {need} is none")


def _books(
    standing: Standing, plan: Plan, settings: Settings, cooling: Mask, without: Mask
) -> _Books:
    fleet, machines = standing.fleet, standing.fleet.machines
    domain, paths = _domains(fleet, without)
    stable = np.isin(machines.state, [int(State.IDLE), int(State.SPECULATIVE)])
    free = standing.free & stable & (standing.serves < 0) & np.isnan(machines.reclaim_at)
    stays = ~free | machines.pinned | cooling
    owner = machines.shard.tolist()
    after = list(owner)
    for move in plan.moves:
        for row in move.machines:
            after[row] = move.target
    mixes: list[Counter[int]] = [Counter() for _ in paths]
    for place, machine_class in zip(domain, machines.class_index.tolist(), strict=True):
        if place >= 0:
            mixes[place][machine_class] += 1
    mix = [tuple(sorted(each.items())) for each in mixes]
    return _Books(
        standing, plan, settings, domain, paths, machines.state.tolist(), stays.tolist(), owner,
        after, mix,
    )  # fmt: skip


def _domains(fleet: Fleet, without: Mask) -> tuple[list[int], list[str]]:
    """Number the domains of the lowest level that any machine has; the others stand alone."""
    found = np.full(len(fleet.machines), -1)
    paths: list[str] = []
    for key in reversed(fleet.topology):
        by_cell, names = fleet.cell_domains(key)
        found = np.where(without, -1, by_cell[fleet.machines.cell])
        if np.any(found >= 0):
            paths = list(names)
            break
    domain = found.tolist()
    for row in np.flatnonzero(~without & (found < 0)).tolist():
        domain[row] = len(paths)
        paths.append(str(fleet.machines.ids[row]))
    return domain, paths


def _moves(books: _Books) -> Iterator[Violation]:
    """Each move by itself, and that no two have anything in common."""
    for row, times in Counter(row for m in books.plan.moves for row in m.machines).items():
        if times > 1:
            name = machine_name(books.fleet, row)
            yield Violation(Law.MOVE_SHAPE, name, f"moved {times} times")
    for name, times in Counter(move.id for move in books.plan.moves).items():
        if times > 1:
            yield Violation(Law.MOVE_SHAPE, f"move {name}", f"{times} moves of this id")
    limit = books.settings.rebalance.max_moves
    moved = sum(len(move.machines) for move in books.plan.moves)
    if limit is not None and moved > limit:
        message = f"{moved} machines moved, at most {limit} may be"
        yield Violation(Law.MAX_MOVES, "the plan", message)
    for move in books.plan.moves:
        yield from _form(books, move)
        yield from _machines(books, move)


def _form(books: _Books, move: Move) -> Iterator[Violation]:
    where, machines = f"move {move.id}", books.fleet.machines
    if not move.machines or {int(machines.class_index[row]) for row in move.machines} != {
        move.machine_class
    }:
        message = f"{len(move.machines)} machines, not all of class {move.machine_class}"
        yield Violation(Law.MOVE_SHAPE, where, message)
    if move.window != 0:
        yield Violation(Law.MOVE_SHAPE, where, f"window {move.window}, yet it drains nothing")
    if move.need != -1 or move.victim != -1:
        message = f"names need {move.need} and victim {move.victim}, yet only the owner changes"
        yield Violation(Law.VICTIM, where, message)
    if move.source == move.target or {books.owner[row] for row in move.machines} - {move.source}:
        message = f"from shard {move.source} to shard {move.target}, not from the owner elsewhere"
        yield Violation(Law.OWNER_ROUTE, where, message)


def _machines(books: _Books, move: Move) -> Iterator[Violation]:
    fleet, fitting = books.fleet, _STATES.get(move.kind)
    for row in move.machines:
        if books.state[row] != fitting:
            message = f"{move.kind}, but it is {State(books.state[row]).name}"
            yield Violation(Law.MOVE_KIND, machine_name(fleet, row), message)
        if books.stays[row]:
            message = "moved though in use, reserved, pinned, noticed or cooling"
            yield Violation(Rule.UNTOUCHED, machine_name(fleet, row), message)
        if books.domain[row] < 0:
            message = "moved though it leaves the fleet"
            yield Violation(Law.WHOLE_DOMAIN, machine_name(fleet, row), message)


def _whole(books: _Books) -> Iterator[Violation]:
    """A domain is a unit and has one owner, but for machines that must stay elsewhere."""
    units = defaultdict(set)
    for move in books.plan.moves:
        for row in move.machines:
            units[books.domain[row]].add(move.unit)
    for unit, times in Counter(unit for each in units.values() for unit in each).items():
        if times > 1:
            yield Violation(Law.UNIT, f"unit {unit}", f"{times} domains in it")
    for domain, rows in books.members().items():
        where = f"domain {books.paths[domain]}"
        if len(units[domain]) > 1:
            yield Violation(Law.UNIT, where, f"in {len(units[domain])} units")
        owners = {books.after[row] for row in rows if not books.stays[row]}
        staying = {books.after[row] for row in rows if books.stays[row]}
        if len(owners) > 1 or (owners and staying and not owners <= staying):
            names = sorted(books.fleet.shards[row].name for row in owners | staying)
            yield Violation(Law.WHOLE_DOMAIN, where, f"shared by {', '.join(names)}")


def _alike(books: _Books) -> Iterator[Violation]:
    """No domain that may change hands is less crowded elsewhere, nor are classes or totals.

    Domains are alike that have as many machines of each class. Of what is counted together, those
    of the same classes, and all, only what holds nothing that must stay is judged.
    """
    members = books.members()
    holder, must_stay = {}, {}
    for domain, rows in members.items():
        must_stay[domain] = any(books.stays[row] for row in rows)
        holder[domain] = _holder(books, rows)
    alike, kinds = defaultdict(list), defaultdict(list)
    for domain in members:
        alike[books.mix[domain]].append(domain)
        kinds[tuple(machine_class for machine_class, _ in books.mix[domain])].append(domain)
    for domains in alike.values():
        count = Counter(holder[domain] for domain in domains)
        free = {holder[domain] for domain in domains if not must_stay[domain]}
        most = max((count[shard] for shard in free), default=0)
        if most > min(count[shard] for shard in books.open) + 1:
            yield _uneven(books, domains, count)
    for domains in [*kinds.values(), list(members)]:
        if any(must_stay[domain] for domain in domains):
            continue
        count = Counter(holder[domain] for domain in domains)
        held = [count[shard] for shard in books.open]
        if max(held) > min(held) + 1:
            yield _uneven(books, domains, count)
    for kind, domains in kinds.items():
        if len(kind) == 1 and not any(must_stay[domain] for domain in domains):
            yield from _machines_alike(books, domains, holder, members)


def _machines_alike(
    books: _Books,
    domains: Sequence[int],
    holder: dict[int, int],
    members: dict[int, list[int]],
) -> Iterator[Violation]:
    machines: Counter[int] = Counter()
    for domain in domains:
        machines[holder[domain]] += len(members[domain])
    held = [machines[shard] for shard in books.open]
    largest = max(len(members[domain]) for domain in domains)
    if max(held) - min(held) > largest:
        yield _uneven(books, domains, machines)


def _holder(books: _Books, rows: Sequence[int]) -> int:
    """Give who holds a domain: where most must stay, then where most are, then the lower number."""
    staying = Counter(books.after[row] for row in rows if books.stays[row])
    all_of_it = Counter(books.after[row] for row in rows)
    return min(all_of_it, key=lambda shard: (-staying[shard], -all_of_it[shard], shard))


def _uneven(books: _Books, domains: Sequence[int], count: Counter[int]) -> Violation:
    shares = ", ".join(f"{books.fleet.shards[row].name} {count[row]}" for row in books.open)
    where = f"the {len(domains)} domains like {books.paths[min(domains)]}"
    return Violation(Law.LIKE_SHARE, where, shares)


def _closed(books: _Books) -> Iterator[Violation]:
    closed = set(books.plan.closed)
    for row, shard in enumerate(books.after):
        if shard in closed and books.domain[row] >= 0:
            name = machine_name(books.fleet, row)
            message = f"left with {books.fleet.shards[shard].name}, which is closed"
            yield Violation(Law.ONE_OWNER, name, message)


def _homes_of_clusters(books: _Books) -> dict[int, int]:
    home = {c: row for row, shard in enumerate(books.fleet.shards) for c in shard.clusters}
    return home | {change.cluster: change.target for change in books.plan.clusters}


def _gangs(books: _Books) -> Iterator[Violation]:
    """The largest gang of each shard, of those that any domain of the fleet can hold."""
    fleet, suits = books.fleet, Suits(books.fleet, books.settings)
    home = _homes_of_clusters(books)
    gangs = [row for row, need in enumerate(fleet.needs) if need.same is not None and need.count]
    seen: set[int] = set()
    place: dict[str, Ints] = {}
    for row in sorted(gangs, key=lambda row: (-fleet.needs[row].count, row)):
        need, shard = fleet.needs[row], home.get(int(fleet.need_cluster[row]), -1)
        if shard in seen or need.same is None:
            continue
        if need.same not in place:
            codes = fleet.cell_domains(need.same)[0]
            place[need.same] = codes[fleet.machines.cell].astype(np.int64)
        anywhere, here = _most_together(books, suits, row, place[need.same], shard)
        if anywhere < need.count:
            continue
        seen.add(shard)
        if here < need.count:
            message = f"{need.count} machines, and {fleet.shards[shard].name} has {here} together"
            yield Violation(Law.GANG_DOMAIN, need_name(fleet, row), message)


def _most_together(
    books: _Books, suits: Suits, need: int, place: Ints, shard: int
) -> tuple[int, int]:
    """Give the most suitable machines in one domain of any owner, and of one shard afterwards.

    ``place`` is the domain of each machine at the gang's level, ``(M,)``; -1 for none.
    """
    suitable = suits.machines(need) & (place >= 0) & (np.array(books.domain) >= 0)
    suitable &= books.fleet.machines.state != State.FAILED
    here = suitable & (np.array(books.after) == shard)
    most = (int(np.bincount(place[some], minlength=1).max()) for some in (suitable, here))
    return next(most), next(most)


def _clusters(books: _Books) -> Iterator[Violation]:
    """A cluster that moves holds no machine, comes from its shard, and no closed shard has one."""
    fleet, standing = books.fleet, books.standing
    owner = {c: row for row, shard in enumerate(fleet.shards) for c in shard.clusters}
    holding = set(fleet.machines.cluster.tolist())
    served = {need for need in standing.serves.tolist() if need >= 0}
    served |= set(np.flatnonzero(standing.have + standing.waiting).tolist())
    holding |= {int(fleet.need_cluster[need]) for need in served}
    for cluster, times in Counter(change.cluster for change in books.plan.clusters).items():
        if times > 1:
            where = f"cluster {fleet.clusters[cluster]}"
            yield Violation(Law.CLUSTER_MOVE, where, f"moved {times} times")
    for change in books.plan.clusters:
        where = f"cluster {fleet.clusters[change.cluster]}"
        if owner.get(change.cluster) != change.source or change.source == change.target:
            message = f"from shard {change.source} to shard {change.target}"
            yield Violation(Law.CLUSTER_MOVE, where, message)
        if change.cluster in holding:
            yield Violation(Law.CLUSTER_MOVE, where, "it holds machines, which cannot follow")
    for cluster, shard in _homes_of_clusters(books).items():
        if shard in books.plan.closed:
            where = f"cluster {fleet.clusters[cluster]}"
            yield Violation(Law.ONE_OWNER, where, f"left with {fleet.shards[shard].name}")


def _goals(books: _Books) -> Iterator[Violation]:
    value = books.plan.goals.get(Goal.MOVES)
    moved = sum(len(move.machines) for move in books.plan.moves)
    if value is not None and value.after != moved:
        message = f"said to be {value.after:g}, found {moved}"
        yield Violation(Law.GOALS, "goal moves", message)
