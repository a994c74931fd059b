"""Which slot of which account each id stands for, and which account the next one comes from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from models.machine import State
from providers.fanout.bindings import Binding, Place
from providers.fanout.sight import Group, Seen

MOST_ADDED = 2**62
"""To a revision: beyond it an id keeps its slot, as revisions are 64 bits."""


@dataclass(slots=True)
class _Hold:
    """Why an id stays where it is.

    ``revision``: reports that are not newer say nothing. ``flying``: Creates that were sent and
    not answered. ``has_begun``: one was accepted, or the machine was seen to be more than a slot.
    ``is_doubtful``: one ended without an answer.
    """

    revision: int = -1
    flying: int = 0
    has_begun: bool = False
    is_doubtful: bool = False


@dataclass(slots=True)
class Slots:
    """Begins from what was saved, and learns the rest from Lists, Gets and answers.

    The id of a machine is ``account/id there``, and at first it stands for just that. Before a
    Create two ids whose slots are free and alike may exchange them: so the id that a shard chose
    gets a slot of the account that has the fewest machines in use. What an id stands for changes
    in no other way, so all ids together always stand for all machines, each for one.

    An id is held, and keeps its slot, from before its Create is sent until either that Create is
    refused for certain, or the machine has begun and is later seen to be a slot again. Where an
    answer is missing it is held until the machine is seen to have begun. An id of which nothing
    was heard yet keeps its slot too. ``changed`` has what must be saved before the next call.
    """

    accounts: Sequence[str]
    bindings: dict[str, Binding] = field(default_factory=dict)
    changed: dict[str, Binding | None] = field(default_factory=dict)
    moves: int = 0
    _names: dict[Place, str] = field(default_factory=dict)
    _holds: dict[str, _Hold] = field(default_factory=dict)
    _groups: dict[Place, Group] = field(default_factory=dict)
    _free: dict[Group, dict[str, dict[str, int]]] = field(default_factory=dict)
    _used: dict[str, set[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, accounts: Sequence[str], saved: Mapping[str, Binding]) -> "Slots":
        """Begin from what was saved: what is fixed there is held, as nobody knows what came of it.

        Bindings of accounts that are no longer there are kept, for they may come back.
        """
        slots = cls(accounts, dict(saved))
        slots._used = {account: set() for account in accounts}
        for name, binding in saved.items():
            slots._names[binding.place] = name
            slots.moves = max(slots.moves, binding.moved)
            if binding.is_fixed:
                slots._hold(name, _Hold(is_doubtful=True))
        return slots

    def place(self, name: str) -> Place | None:
        """Give what an id stands for; None: no account of ours has it."""
        binding = self.bindings.get(name)
        if binding is not None:
            place = binding.place
        else:
            account, is_split, machine = name.partition("/")
            if not is_split or not machine:
                return None
            place = Place(account, machine)
        return place if place.account in self._used else None

    def name(self, place: Place) -> str:
        """Give the id that stands for a machine."""
        return self._names.get(place) or f"{place.account}/{place.machine}"

    def added(self, name: str) -> int:
        """Give what is added to the revisions of an id's machine."""
        binding = self.bindings.get(name)
        return 0 if binding is None else binding.added

    def moved_since(self, number: int) -> list[str]:
        """Give the ids that have another slot since that exchange."""
        return [name for name, binding in self.bindings.items() if binding.moved > number]

    def group(self, place: Place) -> Group | None:
        """Give what a free slot is like; None: it is not free, or nobody knows."""
        return self._groups.get(place)

    def used(self, account: str) -> int:
        """Give how many machines of an account are in use, those on their way among them."""
        return len(self._used[account])

    def saw(self, account: str, seen: Seen) -> str:
        """Learn from a report on a machine; give its id."""
        place = Place(account, seen.machine)
        name = self.name(place)
        hold = self._holds.get(name)
        if seen.state is not State.SPECULATIVE:
            self._use(place)
            if hold is not None and seen.revision > hold.revision:
                hold.revision, hold.has_begun, hold.is_doubtful = seen.revision, True, False
            return name
        if hold is not None:
            is_over = hold.has_begun and not hold.flying and seen.revision > hold.revision
            if not is_over:
                return name
            self._let_go(name)
        self._set_free(place, seen)
        return name

    def lost(self, account: str, machine: str) -> str:
        """Learn that an account no longer lists a machine; give its id."""
        place = Place(account, machine)
        self._take(place)
        self._used[account].discard(machine)
        return self.name(place)

    def choose(self, name: str, place: Place, may: Callable[[str, Group], bool]) -> Place | None:
        """Give the slot to send an id's Create to; its own, unless it is free and may be exchanged.

        ``may`` tells whether an account may be asked for a kind. Of those that may, and have a
        slot like it, the one with the fewest machines in use is taken; of equal ones its own, then
        the first. None: there is none.
        """
        group = self._groups.get(place)
        if group is None:
            return place
        free = self._free[group]
        able = [each for each in self.accounts if free.get(each) and may(each, group)]
        if not able:
            return None
        best = min(able, key=lambda each: (self.used(each), each != place.account))
        if best == place.account:
            return place
        # The one that was heard of last: Lists come in order, and shards choose lowest id first.
        other = Place(best, next(reversed(free[best])))
        return other if self._exchange(name, place, other) else place

    def depart(self, name: str) -> None:
        """Hold an id whose Create is about to be sent."""
        place = self.place(name)
        assert place is not None, "an id that stands for nothing is not sent."
        hold = self._holds.get(name)
        if hold is None:
            group = self._groups.get(place)
            known = -1 if group is None else self._free[group][place.account][place.machine]
            hold = _Hold(known)
            self._hold(name, hold)
            self._fix(name, is_fixed=True)
        hold.flying += 1

    def arrive(self, name: str, *, is_accepted: bool, is_certain: bool, seen: Seen | None) -> None:
        """Learn what came of a Create; ``is_certain``: there is an answer."""
        place, hold = self.place(name), self._holds[name]
        assert place is not None, "what was sent has a place."
        hold.flying -= 1
        if is_accepted:
            hold.has_begun, hold.is_doubtful = True, False
            hold.revision = max(hold.revision, seen.revision if seen is not None else -1)
        hold.is_doubtful |= not is_certain
        if not hold.flying and not hold.has_begun and not hold.is_doubtful:
            self._let_go(name)
        if seen is not None:
            self.saw(place.account, seen)

    def _fix(self, name: str, *, is_fixed: bool) -> Place:
        """Say for what has to last whether an id is held; give its place."""
        binding, place = self.bindings.get(name), self.place(name)
        assert place is not None, "an id that stands for nothing has no binding."
        added, moved = (0, 0) if binding is None else (binding.added, binding.moved)
        self._set(name, Binding(place, added, moved, is_fixed))
        return place

    def _hold(self, name: str, hold: _Hold) -> None:
        self._holds[name] = hold
        if (place := self.place(name)) is not None:
            self._use(place)

    def _let_go(self, name: str) -> None:
        del self._holds[name]
        place = self._fix(name, is_fixed=False)
        self._used[place.account].discard(place.machine)

    def _set(self, name: str, binding: Binding) -> None:
        """Bind an id; what goes without saying is not kept."""
        plain = f"{binding.place.account}/{binding.place.machine}"
        if name == plain and not (binding.added or binding.moved or binding.is_fixed):
            self.bindings.pop(name, None)
            self._names.pop(binding.place, None)
            self.changed[name] = None
        else:
            self.bindings[name] = self.changed[name] = binding
            self._names[binding.place] = name

    def _exchange(self, name: str, place: Place, other: Place) -> bool:
        """Let two ids stand for each other's slot, if their revisions can be made to rise."""
        free = self._free[self._groups[place]]
        mine = free[place.account][place.machine]
        theirs = free[other.account][other.machine]
        second = self.name(other)
        added = max(0, mine + self.added(name) + 1 - theirs)
        added_second = max(0, theirs + self.added(second) + 1 - mine)
        if max(added, added_second) > MOST_ADDED:
            return False
        self.moves += 1
        self._set(name, Binding(other, added, self.moves))
        self._set(second, Binding(place, added_second, self.moves))
        return True

    def _set_free(self, place: Place, seen: Seen) -> None:
        known = self._groups.get(place)
        if known is not None and known != seen.group:
            self._take(place)
        slots = self._free.setdefault(seen.group, {}).setdefault(place.account, {})
        slots[place.machine] = max(seen.revision, slots.get(place.machine, -1))
        self._groups[place] = seen.group
        self._used[place.account].discard(place.machine)

    def _use(self, place: Place) -> None:
        self._take(place)
        self._used[place.account].add(place.machine)

    def _take(self, place: Place) -> None:
        """Let a slot be free no more."""
        group = self._groups.pop(place, None)
        if group is None:
            return
        slots = self._free[group]
        del slots[place.account][place.machine]
        if not slots[place.account]:
            del slots[place.account]
        if not slots:
            del self._free[group]
