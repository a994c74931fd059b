"""The programme of one goal over classes.

Columns, for each block b of racks (see ``classes``) with N_f racks of f free machines:

    w[b,u,s]  whole    slots of s machines from node u on
    l[b,u]             waste from node u to the next
    e[b,f]    (whole)  racks left alone, whole in a pool      only for the last goal
    z[b,s]    whole    slots of s machines in the pool        where gangs may draw on it
    x[c,t]             gangs of class c in slots of type t

Rows:

    flow      out of a node - into it = racks that start there - racks that end there
    slots     sum_c x[c,t] of one level and size <= sum of w, or of z, of that size and type
    gangs     sum_t x[c,t] <= K_c
    pool      sum s z + sum s w + sum f e <= free machines
    held      sum s x of an earlier priority >= its value

x need not be whole: for whole slots it is a transport, in which the optima of the priorities, held
one after the other, span an integral face. It leaves a third of the integers: four types take 2 s
instead of 17 to 39.
"""

from dataclasses import dataclass, field

import numpy as np

from models.distinct import sums
from models.fleet import Ints, Mask, Reals
from rebalancer.problems.packing.blocks import Block
from rebalancer.problems.packing.classes import GangClasses
from rebalancer.problems.packing.columns import RACK, SPINE
from rebalancer.problems.packing.engine import Programme
from rebalancer.problems.packing.graph import Graph, graph
from rebalancer.problems.packing.hall import Hall

INFINITE = np.inf

Slot = tuple[int, int, int]
"""Level, size, type."""

Numbers = Ints | Reals


@dataclass(frozen=True, slots=True)
class Aim:
    """Which goal is sought, and what earlier ones have reached and must not lose.

    Attributes
    ----------
    held
        Machines of each priority before; the goal is the next one, or the last goal of all where
        they are as many as the priorities.
    most
        The goal cannot be more than that.
    """

    held: tuple[int, ...]
    most: int

    @property
    def goal(self) -> int:
        """Give the place of the goal among all."""
        return len(self.held)


@dataclass(frozen=True, eq=False, slots=True)
class Model:
    """A programme and what its columns and rows stand for.

    ``arcs``, ``draws`` and ``alone`` give, by block, the columns of w, z and e, the last by height;
    ``slot_row``, ``pool_row`` and ``held_row`` the rows whose prices tell a bound.
    """

    programme: Programme
    classes: GangClasses
    blocks: list[Block]
    graphs: list[Graph]
    draw_sizes: list[Ints]
    arcs: list[Ints]
    draws: list[Ints]
    alone: list[Ints]
    slot_row: dict[Slot, int]
    pool_row: dict[int, int]
    held_row: list[int]


def model_of(question: Hall, parts: list[Block], aim: Aim) -> Model:
    """Give the programme of a goal over blocks of all racks; gangs of lower priority are out."""
    return _Draft(question, parts, aim).model()


def most_slots(question: Hall, parts: list[Block]) -> int:
    """Give a number that the columns of slots do not exceed, without making them."""
    free, sizes = question.racks.free, len(question.slot_sizes)
    return sum((sizes + 1) * (int(free[block.rows].max(initial=0)) + 1) for block in parts)


def most_columns(question: Hall, parts: list[Block]) -> int:
    """Give a number that the columns of a model do not exceed, without making them."""
    return most_slots(question, parts) + int(question.fits.sum())


@dataclass(slots=True)
class _Columns:
    """Columns and rows as they come."""

    lower: list[Reals] = field(default_factory=list)
    upper: list[Reals] = field(default_factory=list)
    integer: list[Mask] = field(default_factory=list)
    goal: list[Reals] = field(default_factory=list)
    row_lower: list[Reals] = field(default_factory=list)
    row_upper: list[Reals] = field(default_factory=list)
    entries: list[tuple[Ints, Ints, Reals]] = field(default_factory=list)
    columns: int = 0
    rows: int = 0

    def add_columns(self, upper: Numbers, *, whole: bool, goal: Numbers | None = None) -> Ints:
        self.lower.append(np.zeros(len(upper)))
        self.upper.append(upper.astype(np.float64))
        self.integer.append(np.full(len(upper), whole))
        self.goal.append(np.zeros(len(upper)) if goal is None else goal.astype(np.float64))
        self.columns += len(upper)
        return np.arange(self.columns - len(upper), self.columns, dtype=np.int64)

    def add_rows(self, lower: Numbers, upper: Numbers) -> Ints:
        self.row_lower.append(lower.astype(np.float64))
        self.row_upper.append(upper.astype(np.float64))
        self.rows += len(lower)
        return np.arange(self.rows - len(lower), self.rows, dtype=np.int64)

    def add_row(self, lower: float, upper: float) -> int:
        return int(self.add_rows(np.array([lower]), np.array([upper]))[0])

    def enter(self, rows: Ints | int, columns: Ints, factors: Ints | float) -> None:
        shape = columns.shape
        self.entries.append((
            np.broadcast_to(np.asarray(rows, dtype=np.int64), shape),
            columns,
            np.broadcast_to(np.asarray(factors, dtype=np.float64), shape),
        ))  # fmt: skip

    def programme(self) -> Programme:
        rows, columns, factors = (np.concatenate(part) for part in zip(*self.entries, strict=True))
        return Programme(
            np.concatenate(self.goal),
            np.concatenate(self.lower),
            np.concatenate(self.upper),
            np.concatenate(self.integer),
            np.concatenate(self.row_lower),
            np.concatenate(self.row_upper),
            rows,
            columns,
            factors,
        )


class _Draft:
    """One model in the making."""

    def __init__(self, question: Hall, parts: list[Block], aim: Aim) -> None:
        self.question, self.parts, self.aim = question, parts, aim
        self.is_last = aim.goal == len(question.priorities)
        self.classes = question.classes
        self.room = question.room
        self.store = _Columns()
        self.slot_row: dict[Slot, int] = {}
        self.pool_row: dict[int, int] = {}
        self.takers = self._takers()

    def model(self) -> Model:
        nets, draw_sizes, arcs, draws, alone = [], [], [], [], []
        for number, block in enumerate(self.parts):
            free = self.question.racks.free[block.rows]
            net = graph(self._sizes(RACK, block.type, int(free.max(initial=0))), int(free.max()))
            slots, spared = self._flow(block, net, free)
            nets.append(net)
            arcs.append(slots)
            alone.append(spared)
            sizes = self._sizes(SPINE, block.type, int(free.sum()) if block.pool >= 0 else 0)
            draw_sizes.append(sizes)
            draws.append(self._draw(block, sizes, free))
            if block.pool >= 0:
                row = self.pool_row[number] = self.store.add_row(-INFINITE, free.sum())
                self.store.enter(row, slots, net.size)
                self.store.enter(row, draws[-1], sizes)
                self.store.enter(row, spared, np.unique(free)[: len(spared)])
        held = self._gangs()
        return Model(
            self.store.programme(), self.classes, self.parts, nets, draw_sizes, arcs, draws, alone,
            self.slot_row, self.pool_row, held,
        )  # fmt: skip

    def _takers(self) -> dict[Slot, Ints]:
        """Give the classes that may use each kind of slot."""
        classes = self.classes
        found: dict[Slot, Ints] = {}
        inside = classes.rank <= self.aim.goal
        for level, size in np.unique(np.column_stack([classes.level, classes.size]), axis=0):
            rows = np.flatnonzero((classes.level == level) & (classes.size == size) & inside)
            for kind in np.flatnonzero(self.room[level] >= size).tolist():
                fit = rows[self.question.eligible[classes.types[rows], kind]]
                if len(fit):
                    found[int(level), int(size), kind] = fit
        return found

    def _sizes(self, level: int, kind: int, room: int) -> Ints:
        sizes = [s for lv, s, t in self.takers if lv == level and t == kind and s <= room]
        return np.array(sorted(sizes), dtype=np.int64)

    def _slot_rows(self, level: int, sizes: Ints, kind: int) -> Ints:
        """Give the rows of slots, which are made where there are none yet."""
        slots: list[Slot] = [(level, size, kind) for size in sizes.tolist()]
        for slot in slots:
            if slot not in self.slot_row:
                self.slot_row[slot] = self.store.add_row(-INFINITE, 0.0)
        return np.array([self.slot_row[slot] for slot in slots], dtype=np.int64)

    def _flow(self, block: Block, net: Graph, free: Ints) -> tuple[Ints, Ints]:
        """Add slots, waste and racks left alone; give the columns of the first and the last."""
        store, nodes = self.store, net.nodes
        heights, counts = np.unique(free, return_counts=True)
        ends = np.searchsorted(nodes, net.end(heights))
        supply = -sums(ends, counts, len(nodes))
        supply[0] += len(free)
        balance = store.add_rows(supply, supply)
        heads = net.tail + net.size
        reaching = len(free) - np.searchsorted(np.sort(free), heads)
        arcs = store.add_columns(reaching.astype(np.int64), whole=True)
        store.enter(balance[np.searchsorted(nodes, net.tail)], arcs, 1.0)
        store.enter(balance[np.searchsorted(nodes, heads)], arcs, -1.0)
        sizes, which = np.unique(net.size, return_inverse=True)
        store.enter(self._slot_rows(RACK, sizes, block.type)[which], arcs, -1.0)
        waste = store.add_columns(np.full(len(nodes) - 1, len(free)), whole=False)
        store.enter(balance[:-1], waste, 1.0)
        store.enter(balance[1:], waste, -1.0)
        if not self.is_last:
            return arcs, arcs[:0]
        # Without a pool the best of them follow from w, see ``slots.peeled``.
        alone = store.add_columns(counts.astype(np.int64), whole=block.pool >= 0, goal=heights)
        passing = ends > 0
        store.enter(balance[0], alone[passing], 1.0)
        store.enter(balance[ends[passing]], alone[passing], -1.0)
        return arcs, alone

    def _draw(self, block: Block, sizes: Ints, free: Ints) -> Ints:
        """Add slots of the pool; give their columns."""
        draws = self.store.add_columns(free.sum() // sizes, whole=True)
        self.store.enter(self._slot_rows(SPINE, sizes, block.type), draws, -1.0)
        return draws

    def _gangs(self) -> list[int]:
        """Add the gangs, what is held and what the goal is; give the rows of what is held."""
        store, classes, aim = self.store, self.classes, self.aim
        limits = store.add_rows(np.full(len(classes), -INFINITE), classes.count)
        held = [store.add_row(value, INFINITE) for value in aim.held]
        most = store.add_row(-INFINITE, aim.most)
        for slot, rows in self.takers.items():
            if slot not in self.slot_row:
                continue
            size, rank = slot[1], classes.rank[rows]
            goal = np.where(rank == aim.goal, size, 0)
            columns = store.add_columns(classes.count[rows], whole=False, goal=goal)
            store.enter(self.slot_row[slot], columns, 1.0)
            store.enter(limits[rows], columns, 1.0)
            for place, row in enumerate([*held, most]):
                store.enter(row, columns[rank == place], size)
        return held
