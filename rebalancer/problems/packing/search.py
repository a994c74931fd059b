"""Pack as well as time allows, and prove how well that is: the door of this package."""

from collections.abc import Callable

from models.fleet import Ints
from rebalancer.limits import Limits
from rebalancer.problems.packing.answer import Packing, aim_of, packing_of
from rebalancer.problems.packing.blocks import Block, blocks
from rebalancer.problems.packing.bound import as_one_type, bound, no_prices, prices_from
from rebalancer.problems.packing.engine import Engine, OrTools
from rebalancer.problems.packing.greedy import best_fit
from rebalancer.problems.packing.hall import Hall
from rebalancer.problems.packing.model import Aim, model_of, most_columns, most_slots
from rebalancer.problems.packing.part import Part, parts
from rebalancer.problems.packing.slots import homes, rounded
from rebalancer.problems.packing.worth import holds, key, left_in, nowhere

SMALLEST_LIMIT = 0.01
"""Below so many seconds no solver is asked."""

SHARE = 0.5
"""A goal may use so much of what is left, lest one that is hard to prove starve later ones."""

SLICE = 0.25
"""A part may use so much of the time of its goal, so that one that is hard does not use it up."""

PART_SLOTS = 6_000
"""Slots that are packed anew together, to begin with, at most: four types of racks with up to 40
free machines, for gangs of 38 sizes, which takes some 2 s."""

ROUNDS = 2
"""So often each block may be in a part in vain before parts grow."""

LARGEST_MODEL = 100_000
"""Columns beyond which no programme is built: building it takes a second, solving it minutes."""

NODES = 2_000
"""Of the search tree of one part; those that matter are done in some tens."""

OnBetter = Callable[[Ints], None]
"""Told the homes of every better packing."""


def pack(
    question: Hall,
    limits: Limits,
    engine: Engine | None = None,
    on_better: OnBetter | None = None,
) -> Packing:
    """Pack gangs into racks and spines, the best that is found within the limits.

    Pure, and safe to call in a process of its own: the question is plain arrays, and so is the
    answer. For gangs that are short in one shard and racks of others: a rack is a (shard, domain)
    with the idle machines of one type, a type is a set of machine classes that no gang tells
    apart, and a row of ``eligible`` is what the requirements of a gang allow.

    The greedy packing is the start, so there always is an answer that holds, and no answer is
    worse. ``answer.takings`` gives the machines of each rack; ``answer.packing_of`` recomputes
    values and bounds of an answer that came from elsewhere.

    Parameters
    ----------
    limits
        ``seconds`` are kept by asking the clock between calls of the solver, and by the solver's
        own limit within. What cannot be cut short is the greedy packing (CPU seconds on a core:
        0.2 to 0.7 for 100,000 gangs), the building of one model (0.1 and 1) and the
        bounds of all goals, at 0.1 each at most whatever the room of racks.
        Without a limit that binds, same question and seed give the same answer. ``workers`` does
        not matter: one thread; nor does ``work``.
    engine
        Who solves programmes; OR-Tools unless said otherwise.
    on_better
        Told of every better packing on the way: all that is lost if the process is ended.
    """
    walk = _Walk(question, limits, engine or OrTools(), on_better)
    walk.look_ahead()
    for goal in range(len(question.priorities) + 1):
        walk.improve(goal)
    return packing_of(question, walk.best, tuple(walk.prices))


class _Walk:
    """The best homes so far, the prices of each goal, and what is left of the limits."""

    def __init__(
        self, question: Hall, limits: Limits, engine: Engine, on_better: OnBetter | None
    ) -> None:
        self.question, self.limits, self.engine = question, limits, engine
        self.on_better = on_better
        self.started = limits.clock()
        self.best = best_fit(question, nowhere(question))
        self.values = key(question, self.best)
        self.prices = [
            no_prices(question, aim_of(question, self.values, goal))
            for goal in range(len(self.values))
        ]
        self.held: list[tuple[int, ...] | None] = [None] * len(self.values)
        self.blocks = blocks(question, by_pool=True)
        if on_better is not None:
            on_better(self.best)

    def look_ahead(self) -> None:
        """Relax each priority as if those before it came to their bounds.

        The packing that this rounds to is good at all of them; parts that seek one priority alone
        undo much of the lower ones. Twelve types were proven in 6 s on a core; without, 25 s left
        2 machines missing.
        """
        until = self._until()
        held: tuple[int, ...] = ()
        for goal in range(len(self.values) - 1):
            if not self._has_time(until):
                return
            aim = aim_of(self.question, held, goal)
            held = (*held, self._relax(aim, until))

    def improve(self, goal: int) -> None:
        """Seek a goal until it is proven, nothing more is found or its time is up."""
        aim = aim_of(self.question, self.values, goal)
        until = self._until()
        if not self._has_time(until):
            return
        most = bound(self.question, aim, self.prices[goal])
        if self.values[goal] < most and self.held[goal] != aim.held:
            most = self._relax(aim, until)
        self._repack(Aim(aim.held, most), until)

    def _relax(self, aim: Aim, until: float | None) -> int:
        """Keep the prices that prove most, of those found in time; give the bound they prove.

        First as if all types were one, which is done at once, then as it is; the columns of that
        are rounded down to whole slots, which is often a better packing than greedy's.
        """
        question = self.question
        types = question.eligible.shape[1]
        most = bound(question, aim, self.prices[aim.goal])
        for relaxed in (as_one_type(question), question) if types > 1 else (question,):
            whole_types = blocks(relaxed, by_pool=False)
            if (*aim.held, most) <= self.values[: aim.goal + 1] or not self._has_time(until):
                break
            if most_columns(relaxed, whole_types) > LARGEST_MODEL:
                continue
            model = model_of(relaxed, whole_types, aim)
            solved = self.engine.relaxed(model.programme, self._rest(until))
            if solved is None or solved.prices.shape != model.programme.row_lower.shape:
                continue
            found = prices_from(relaxed, model, aim, solved.prices).for_types(types)
            proven = bound(question, aim, found)
            if proven < most:
                self.prices[aim.goal], most = found, proven
            if relaxed is question:
                self.held[aim.goal] = aim.held
                self._take(rounded(question, model, solved.columns))
        return most

    def _repack(self, aim: Aim, until: float | None) -> None:
        """Pack ever larger parts anew, until the last and largest, which is all, brings nothing."""
        count = len(self.blocks)
        columns = most_slots(self.question, self.blocks)
        size = max(1, count * PART_SLOTS // max(1, columns))
        while True:
            order = self._by_room()
            patience, fails = -(-count // size) * ROUNDS, 0
            for places in parts(count, size):
                if self.values[aim.goal] >= aim.most or not self._has_time(until):
                    return
                chosen = [self.blocks[order[place]] for place in places]
                is_better = self._repack_part(chosen, aim, until)
                fails = 0 if is_better else fails + 1
                if fails >= patience:
                    break
            if size >= count:
                return
            size *= 2

    def _by_room(self) -> list[int]:
        """Give the blocks, those with most room left first."""
        rack_left, pool_left = left_in(self.question, self.best)
        room = [
            int(pool_left[block.pool] if block.pool >= 0 else rack_left[block.rows].sum())
            for block in self.blocks
        ]
        return sorted(range(len(room)), key=lambda number: (-room[number], number))

    def _repack_part(self, chosen: list[Block], aim: Aim, until: float | None) -> bool:
        """Pack some blocks anew, with the gangs in them and those that wait; tell if better."""
        question = self.question
        part = Part(question, self.best, chosen, aim)
        inner = blocks(part.question, by_pool=True)
        if not part.is_worth_it or most_columns(part.question, inner) > LARGEST_MODEL:
            return False
        model = model_of(part.question, inner, part.aim)
        seconds = self._rest(until)
        if seconds is not None and len(chosen) < len(self.blocks):
            seconds *= SLICE
        columns = self.engine.values(model.programme, seconds, NODES, self.limits.seed)
        found = None if columns is None else homes(part.question, model, columns)
        if found is None:
            return False
        before = self.values[: aim.goal + 1]
        self._take(part.put_back(found))
        return self.values[: aim.goal + 1] > before

    def _take(self, home: Ints | None) -> None:
        """Take homes if they hold and, with all that fits in beside, are no worse than the best.

        Those that are as good are taken too: what is tried next then starts elsewhere.
        """
        if home is None or not holds(self.question, home):
            return
        filled = best_fit(self.question, home)
        values, before = key(self.question, filled), self.values
        if values < before:
            return
        self.best, self.values = filled, values
        if values > before and self.on_better is not None:
            self.on_better(filled)

    def _left(self) -> float | None:
        seconds = self.limits.seconds
        return None if seconds is None else seconds - (self.limits.clock() - self.started)

    def _until(self) -> float | None:
        """Give the time at which what comes next must be over."""
        left = self._left()
        return None if left is None else self.limits.clock() + SHARE * left

    def _rest(self, until: float | None) -> float | None:
        return None if until is None else until - self.limits.clock()

    def _has_time(self, until: float | None) -> bool:
        rest = self._rest(until)
        return rest is None or rest > SMALLEST_LIMIT
