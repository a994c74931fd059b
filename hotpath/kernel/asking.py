"""The needs of a compiled shard: each with the menu, profiles and labels that it goes by."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from hotpath.inventory import Inventory
from hotpath.kernel import tables
from hotpath.kernel.binding import MOST, NEED, SPREAD, Compiled
from hotpath.kernel.menus import Menu, Menus
from hotpath.kernel.numbers import Numbers
from hotpath.kernel.places import NONE_GIVEN, Places, Profile, Suits
from models import labels
from models.fleet import Fleet, Reals, named_keys
from models.need import Need
from models.settings import Settings

_NOTHING = 0
"""Number of the menu and the profile of needs that this shard never serves."""

_Keys = tuple[Menu, Profile, Profile]

_Row = tuple[float, ...]


class Asking:
    """Writes needs into a compiled shard and keeps count of what they go by."""

    def __init__(
        self, shard: Compiled, inventory: Inventory, places: Places, settings: Settings
    ) -> None:
        fleet = inventory.fleet
        self._shard, self._fleet = shard, fleet
        self._own = frozenset(inventory.needs.tolist())
        self._needs = list(fleet.needs)
        self._name_ranks = tables.name_ranks(fleet.needs)
        self._share = tables.spot_share(settings)
        self._menus = Menus(fleet, settings)
        self._suits = Suits(fleet, places, tuple(settings.assign.bootstrap_keys))
        self._menu_numbers, self._profile_numbers = Numbers(), Numbers()
        self._keys: dict[int, _Keys] = {}
        self._axes: dict[tuple[bool, str], int] = {}
        self._known_labels = _known_labels(fleet)
        self.clamped: dict[int, int] = {}

    def enter(self, arrival: Reals) -> None:
        """Write all needs; ``arrival`` has the shape of the fleet's."""
        self._menu_numbers.take(None)
        self._profile_numbers.take(None)
        classes = len(self._fleet.classes)
        nothing = np.zeros(classes, dtype=np.int64)
        self._shard.call("menu", _NOTHING, nothing, nothing, np.zeros(classes, dtype=np.uint8))
        self._shard.call(
            "profile", _NOTHING, np.zeros(classes, dtype=np.uint8), 0, NONE_GIVEN, 0, NONE_GIVEN
        )
        own = {n: self._needs[n] for n in sorted(self._own)}
        for n, keys in self._take(own).items():
            self._keys[n] = keys
        table, spreads = self._table(dict(enumerate(self._needs)), self._keys)
        table["arrival"] = arrival
        self._shard.call("needs", NEED.itemsize, len(table), table, len(spreads), spreads)

    def ask(self, asked: Mapping[int, Need]) -> None:
        """Write what is new of some needs; see ``Live.ask``."""
        asked = {n: asked[n] for n in sorted(asked)}
        for n, need in asked.items():
            self._check(n, need)
        taken = self._take(asked)
        try:
            table, spreads = self._table(asked, taken)
            numbers = np.array(list(asked), dtype=np.int32)
            self._shard.call(
                "ask", NEED.itemsize, len(table), numbers, table, len(spreads), spreads
            )
        except ValueError:
            self._release(taken)
            raise
        self._release({n: self._keys[n] for n in asked})
        self._keys.update(taken)
        for n, need in asked.items():
            self._needs[n] = need

    def count(self, counts: Mapping[int, int]) -> None:
        """Write new counts of some needs; see ``Live.count``."""
        for n in counts:
            if n not in self._own:
                raise ValueError(f"need {n} is not one of this shard.")
        asked = {n: replace(self._needs[n], count=count) for n, count in counts.items()}
        if any(max(need.count, need.floor) > MOST for need in asked.values()):
            self.ask(asked)
            return
        written = [tables.limits(need, self._share) for need in asked.values()]
        columns = np.array(written, dtype=np.int32).reshape(len(written), 3).T
        self._shard.call(
            "counts",
            len(written),
            np.array(list(asked), dtype=np.int32),
            np.ascontiguousarray(columns[0]),
            np.ascontiguousarray(columns[2]),
        )
        for n, need in asked.items():
            self._needs[n] = need
            self.clamped.pop(n, None)

    def _check(self, n: int, need: Need) -> None:
        if n not in self._own:
            raise ValueError(f"need {n} is not one of this shard.")
        known = self._needs[n]
        if (need.cluster, need.id, need.name) != (known.cluster, known.id, known.name):
            raise ValueError(f"need {n} is {known.name}, not {need.name}.")
        unknown = named_keys([need]) - self._known_labels
        if unknown:
            raise ValueError(f"{need.name} names {min(unknown)}, which is in no column.")

    def _take(self, asked: Mapping[int, Need]) -> dict[int, _Keys]:
        """Give what each need goes by, written into the shard where it is new."""
        taken: dict[int, _Keys] = {}
        menus: dict[Menu, int] = {}
        for n, need in asked.items():
            menu = self._menus.menu(need)
            profiles = [
                self._suits.profile(need, configured=configured) for configured in (False, True)
            ]
            taken[n] = (menu, profiles[0], profiles[1])
            number, is_new = self._menu_numbers.take(menu)
            if is_new:
                menus[menu] = number
            for configured, profile in enumerate(profiles):
                number, is_new = self._profile_numbers.take(profile)
                if is_new:
                    masks = self._suits.masks(need, configured=bool(configured))
                    classes, boxes, cells = masks
                    self._shard.call(
                        "profile", number, classes, len(boxes), boxes, len(cells), cells
                    )
        if menus:
            for number, *columns in zip(
                menus.values(), *self._menus.columns(list(menus)), strict=True
            ):
                self._shard.call("menu", number, *columns)
        return taken

    def _release(self, keys: Mapping[int, _Keys]) -> None:
        for menu, blank, ready in keys.values():
            self._menu_numbers.release(menu)
            self._profile_numbers.release(blank)
            self._profile_numbers.release(ready)

    def _table(
        self, asked: Mapping[int, Need], keys: Mapping[int, _Keys]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Give rows of needs and of their spread constraints."""
        spreads: list[tuple[int, int, bool]] = []
        rows = [self._row(n, need, keys.get(n), spreads) for n, need in asked.items()]
        return np.array(rows, dtype=NEED), np.array(spreads, dtype=SPREAD)

    def _row(
        self, n: int, need: Need, keys: _Keys | None, spreads: list[tuple[int, int, bool]]
    ) -> _Row:
        count, floor, spot_cap = tables.limits(need, self._share)
        if need.count > count:
            self.clamped[n] = need.count - count
        else:
            self.clamped.pop(n, None)
        first, gang_axis = len(spreads), -1
        menu = profile = ready = _NOTHING
        if keys is not None:
            menu = self._menu_numbers.of(keys[0])
            profile, ready = (self._profile_numbers.of(key) for key in keys[1:])
            gang_axis = -1 if need.same is None else self._axis(need.same, is_domain=True)
            spreads.extend(
                (
                    self._axis(spread.key, is_domain=False),
                    min(spread.max_skew, MOST),
                    spread.is_hard,
                )
                for spread in need.spread
            )
        return (
            int(self._fleet.need_cluster[n]), need.priority, count, floor, menu, profile, ready,
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
