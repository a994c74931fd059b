"""The needs of a compiled shard: each with the menu, profiles and labels that it goes by."""

from collections.abc import Mapping
from ctypes import c_uint8
from dataclasses import replace
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotpath.kernel import tables
from hotpath.kernel.binding import MOST, NEED, SPREAD, Compiled
from hotpath.kernel.menus import NO_PENALTY, Menu, Menus
from hotpath.kernel.numbers import Numbers
from hotpath.kernel.places import Places, Profile, Suits
from models import labels
from models.fleet import Fleet, Reals, named_keys
from models.need import Need
from models.settings import Settings

_NOTHING = 0
"""Number of the menu and the profile of needs that this shard never serves."""

_NO_CELLS: Profile = (0, ())

_Terms = tuple[int, int, int]
"""What a need goes by: numbers of its menu and of its profiles, unconfigured and as it is."""


class Asking:
    """Writes needs into a compiled shard and keeps count of what they go by."""

    def __init__(
        self, shard: Compiled, fleet: Fleet, own: frozenset[int], places: Places, settings: Settings
    ) -> None:
        self._shard, self._fleet, self._own = shard, fleet, own
        self._needs = list(fleet.needs)
        self._name_ranks = tables.name_ranks(fleet.needs)
        self._share = tables.spot_share(settings)
        self._menus = Menus(fleet, settings)
        self._suits = Suits(fleet, places, tuple(settings.assign.bootstrap_keys))
        self._menu_numbers, self._profile_numbers = Numbers(), Numbers()
        self._clusters: list[int] = fleet.need_cluster.tolist()
        self._terms: dict[int, _Terms] = {}
        self._axes: dict[tuple[bool, str], int] = {}
        self._known_labels = _known_labels(fleet)
        self.clamped: dict[int, int] = {}
        self._vast: set[int] = set()

    def enter(self, arrival: Reals) -> None:
        """Write all needs; ``arrival`` has the shape of the fleet's."""
        self._menu_numbers.take(None)
        self._profile_numbers.take(None)
        number = np.full(1, _NOTHING, dtype=np.int32)
        self._shard.call("menus", 1, number, *self._menus.columns([NO_PENALTY]))
        self._shard.call("profiles", 1, number, self._suits.words([_NO_CELLS]))
        own = {n: self._needs[n] for n in sorted(self._own)}
        self._terms = self._take(own)
        table, spreads = self._table(dict(enumerate(self._needs)), self._terms)
        table["arrival"] = arrival
        self._clamp(dict(enumerate(self._needs)))
        self._shard.call("needs", NEED.itemsize, len(table), table, len(spreads), spreads)

    def ask(self, asked: Mapping[int, Need]) -> None:
        """Write what is new of some needs; see ``Live.ask``."""
        asked = {n: asked[n] for n in sorted(asked)}
        for n, need in asked.items():
            self._check(n, need)
        numbers_in_use = (self._menu_numbers, self._profile_numbers)
        for each in numbers_in_use:
            each.begin()
        try:
            taken = self._take(asked)
            table, spreads = self._table(asked, taken)
            numbers = np.array(list(asked), dtype=np.int32)
            self._shard.call(
                "ask", NEED.itemsize, len(table), numbers, table, len(spreads), spreads
            )
        except BaseException:
            # A number that was given out but stands for nothing must not be believed later.
            for each in numbers_in_use:
                each.undo()
            raise
        for each in numbers_in_use:
            each.end()
        self._terms.update(taken)
        self._clamp(asked)
        for n, need in asked.items():
            self._needs[n] = need

    def count(self, counts: Mapping[int, int]) -> None:
        """Write new counts of some needs; see ``Live.count``."""
        if not self._own.issuperset(counts):
            raise ValueError(f"need {min(set(counts) - self._own)} is not one of this shard.")
        counts = {n: index(count) for n, count in counts.items()}
        # Where a count was cut short its floor was too, and must be told anew.
        if not self._vast.isdisjoint(counts) or max(counts.values(), default=0) > MOST:
            self.ask({n: replace(self._needs[n], count=count) for n, count in counts.items()})
            return
        top, bottom = self._share.numerator, self._share.denominator
        spot_caps = [-(-count * top // bottom) for count in counts.values()]
        numbers, wanted, caps = (
            np.fromiter(column, np.int32, len(counts))
            for column in (counts, counts.values(), spot_caps)
        )
        self._shard.call("counts", len(counts), numbers, wanted, caps)

    def _clamp(self, asked: Mapping[int, Need]) -> None:
        """Note how far counts are above the largest one, and whose limits are."""
        for n, need in asked.items():
            if n in self._vast:
                self._vast.remove(n)
                self.clamped.pop(n, None)
            if need.count > MOST or need.floor > MOST:
                self._vast.add(n)
            if need.count > MOST:
                self.clamped[n] = need.count - MOST

    def _check(self, n: int, need: Need) -> None:
        if n not in self._own:
            raise ValueError(f"need {n} is not one of this shard.")
        known = self._needs[n]
        if (need.cluster, need.id, need.name) != (known.cluster, known.id, known.name):
            raise ValueError(f"need {n} is {known.name}, not {need.name}.")
        unknown = named_keys([need]) - self._known_labels
        if unknown:
            raise ValueError(f"{need.name} names {min(unknown)}, which is in no column.")

    def _take(self, asked: Mapping[int, Need]) -> dict[int, _Terms]:
        """Give what each need goes by, written into the shard where it is new.

        Where a need says what it said, its numbers stay its own: nothing is taken or let go.
        """
        taken: dict[int, _Terms] = {}
        menus: dict[int, Menu] = {}
        plain: dict[int, Profile] = {}
        for n, need in asked.items():
            known, terms = self._needs[n], self._terms.get(n)
            if terms is None:
                taken[n] = (self._take_menu(need, menus), *self._take_profiles(need, plain))
                continue
            menu, blank, ready = terms
            is_alike = need.resources == known.resources
            if not is_alike or need.interruption_penalty != known.interruption_penalty:
                self._menu_numbers.let_go(menu)
                menu = self._take_menu(need, menus)
            if not is_alike or need.requirements != known.requirements:
                self._profile_numbers.let_go(blank)
                self._profile_numbers.let_go(ready)
                blank, ready = self._take_profiles(need, plain)
            taken[n] = (menu, blank, ready)
        if menus:
            self._write_menus(menus)
        self._write(plain)
        return taken

    def _write_menus(self, menus: dict[int, Menu]) -> None:
        numbers, asked = np.array(list(menus), dtype=np.int32), list(menus.values())
        penalties = np.array([penalty for penalty, _ in asked], dtype=np.float64)
        wastes, in_doubt = self._menus.wastes(asked), (c_uint8 * len(asked))()
        self._shard.call(
            "penalties", len(numbers), numbers, penalties, wastes, *self._menus.tolerance, in_doubt
        )
        # Costs near a rounding boundary, and those that are too large for a double.
        rows = [row for row, doubtful in enumerate(in_doubt) if doubtful]
        if rows:
            columns = self._menus.columns([asked[row] for row in rows])
            self._shard.call("menus", len(rows), numbers[rows], *columns)

    def _take_menu(self, need: Need, menus: dict[int, Menu]) -> int:
        """Give the number of a need's menu; a new one is put in ``menus``."""
        menu = self._menus.menu(need)
        number, is_new = self._menu_numbers.take(menu)
        if is_new:
            menus[number] = menu
        return number

    def _write(self, plain: dict[int, Profile]) -> None:
        """Write profiles that go by class alone, and empty the mapping."""
        if plain:
            numbers, words = (
                np.array(list(plain), dtype=np.int32),
                self._suits.words(plain.values()),
            )
            self._shard.call("profiles", len(numbers), numbers, words)
            plain.clear()

    def _take_profiles(self, need: Need, plain: dict[int, Profile]) -> tuple[int, int]:
        """Give numbers of a need's profiles; new ones that go by class alone are put in ``plain``.

        There are many such, so they are written together.
        """
        blank, ready = self._suits.profiles(need)
        number = self._take_profile(blank, plain)
        if ready is blank:
            return number, self._profile_numbers.take_again(number)
        return number, self._take_profile(ready, plain)

    def _take_profile(self, profile: Profile, plain: dict[int, Profile]) -> int:
        number, is_new = self._profile_numbers.take(profile)
        if is_new and profile[1]:
            boxes, cells = self._suits.masks(profile)
            # A number must not be written before the one below it.
            self._write(plain)
            words = self._suits.words([profile])
            self._shard.call("profile", number, words, len(boxes), boxes, len(cells), cells)
        elif is_new:
            plain[number] = profile
        return number

    def _table(
        self, asked: Mapping[int, Need], terms: Mapping[int, _Terms]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Give rows of needs and of their spread constraints."""
        spreads: list[tuple[int, int, bool]] = []
        rows = [self._row(n, need, terms.get(n), spreads) for n, need in asked.items()]
        return np.array(rows, dtype=NEED), np.array(spreads, dtype=SPREAD)

    def _row(
        self, n: int, need: Need, terms: _Terms | None, spreads: list[tuple[int, int, bool]]
    ) -> tuple[float, ...]:
        count, floor, spot_cap = tables.limits(need, self._share)
        first, gang_axis = len(spreads), -1
        if terms is not None:
            gang_axis = -1 if need.same is None else self._axis(need.same, is_domain=True)
            spreads.extend(
                (
                    self._axis(spread.key, is_domain=False),
                    min(spread.max_skew, MOST),
                    spread.is_hard,
                )
                for spread in need.spread
            )
        menu, profile, ready = terms or (_NOTHING, _NOTHING, _NOTHING)
        return (
            self._clusters[n], need.priority, count, floor, menu, profile, ready,
            spot_cap, gang_axis, first, len(spreads) - first, self._name_ranks[n],
            0.0, need.drain_seconds, need.interruption_penalty, need.reclamation_penalty,
        )  # fmt: skip

    def _axis(self, key: str, *, is_domain: bool) -> int:
        """Give the number of a label, written into the shard where it is new.

        A gang's domains are nodes of the topology; a spread goes by the values alone.
        """
        axis = self._axes.get((is_domain, key))
        if axis is None:
            codes = (self._fleet.cell_domains if is_domain else self._fleet.cell_values)(key)[0]
            axis = self._axes[is_domain, key] = len(self._axes)
            width = int(codes.max(initial=-1)) + 1
            self._shard.call("axis", axis, width, np.ascontiguousarray(codes, dtype=np.int32))
        return axis


def _known_labels(fleet: Fleet) -> frozenset[str]:
    fields = (labels.INSTANCE_TYPE, labels.CAPACITY_TYPE, labels.PROVIDER)
    return frozenset((*fleet.levels, *fleet.class_labels, *fields))
