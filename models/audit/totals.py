"""The numbers of a plan: levels, unmet and displaced, counted again from its moves."""

from collections import Counter
from collections.abc import Iterable, Iterator

from models.audit.laws import Law
from models.audit.names import need_name
from models.audit.transfers import Transfers
from models.audit.violation import Violation
from models.fleet import Ints
from models.need import MAX_COUNT
from models.plan import Displaced, Level, Unmet
from models.shortfall import Reason


def total_violations(transfers: Transfers) -> Iterator[Violation]:
    """Compare what the plan claims with what its moves do."""
    yield from _entries(transfers, Law.DISPLACED, transfers.plan.displaced, transfers.lost)
    handed_in = {shortfall.need: shortfall for shortfall in transfers.standing.shortfalls}
    on_the_way = {n for n, s in handed_in.items() if s.reason is Reason.WAITING_FOR_CREATE}
    unmet = [entry for entry in transfers.plan.unmet if entry.need not in on_the_way]
    yield from _entries(transfers, Law.UNMET, unmet, transfers.lacking)
    claimed = [level.priority for level in transfers.plan.levels]
    expected = sorted(set(transfers.priority.tolist()), reverse=True)
    if claimed != expected:
        yield Violation(Law.LEVELS, "the plan", f"levels {claimed}, expected {expected}")
    asked, served = _asked(transfers), _served(transfers)
    for level in transfers.plan.levels:
        yield from _level(level, asked[level.priority], served[level.priority])


def _entries(
    transfers: Transfers, law: Law, entries: Iterable[Unmet | Displaced], expected: Ints
) -> Iterator[Violation]:
    """Each need once, with the count that its moves give; a need that is absent counts 0."""
    claimed: Counter[int] = Counter()
    for entry in entries:
        if entry.need in claimed:
            name = need_name(transfers.fleet, entry.need)
            yield Violation(law, name, "named more than once")
        claimed[entry.need] = entry.count
    for need, count in enumerate(expected.tolist()):
        if claimed[need] != count:
            name = need_name(transfers.fleet, need)
            yield Violation(law, name, f"said to be {claimed[need]}, found {count}")


def _asked(transfers: Transfers) -> Counter[int]:
    """Give what the needs of each priority ask for together; counts may add up to any size."""
    asked: Counter[int] = Counter()
    for need in transfers.fleet.needs:
        asked[need.priority] += need.count
    return asked


def _served(transfers: Transfers) -> Counter[int]:
    """Served is what serves, is on its way, drains for it or is moved to it, less what it loses."""
    standing = transfers.standing
    after = standing.have + standing.waiting + transfers.gained - transfers.lost
    served: Counter[int] = Counter()
    for priority, machines in zip(transfers.priority.tolist(), after.tolist(), strict=True):
        served[priority] += machines
    return served


def _level(level: Level, asked: int, served: int) -> Iterator[Violation]:
    """Compare one level with what its needs ask for and what serves them."""
    where, most = f"level {level.priority}", min(asked, MAX_COUNT)
    if level.asked != most:
        yield Violation(Law.LEVELS, where, f"asked {level.asked}, found {most}")
    if level.served != served:
        yield Violation(Law.LEVELS, where, f"served {level.served}, found {served}")
    if not 0 <= level.served <= level.bound <= level.asked:
        message = f"served {level.served}, bound {level.bound}, asked {level.asked}"
        yield Violation(Law.LEVELS, where, message)
