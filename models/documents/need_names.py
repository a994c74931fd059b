"""By which names the needs of a document go: as written, as cluster/id, or by a bare id."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from models.documents.faults import nearest, shown
from models.need import Need


@dataclass(frozen=True, slots=True)
class NeedNames:
    """By which texts the needs of a document may be named, each with its row number.

    Where needs share a name the first has it; ``bare`` holds all needs of an id, each identity
    once. ``complete`` is False where a need was too broken to have a name: then a name that is not
    found is not necessarily wrong.
    """

    written: Mapping[str, int]
    qualified: Mapping[str, int]
    bare: Mapping[str, tuple[int, ...]]
    complete: bool
    _refusals: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def of(needs: Sequence[Need], *, complete: bool = True) -> "NeedNames":
        """Give the names of needs; rows count in ``needs``."""
        written: dict[str, int] = {}
        qualified: dict[str, int] = {}
        bare: defaultdict[str, list[int]] = defaultdict(list)
        known: set[tuple[str, str]] = set()
        for row, need in enumerate(needs):
            written.setdefault(need.name, row)
            qualified.setdefault(f"{need.cluster}/{need.id}", row)
            if (need.cluster, need.id) not in known:
                bare[need.id].append(row)
            known.add((need.cluster, need.id))
        return NeedNames(written, qualified, {k: tuple(v) for k, v in bare.items()}, complete)

    def find(self, name: str) -> int | None:
        """Give the row of a need as written, else as cluster/id, else by a unique bare id."""
        for names in (self.written, self.qualified):
            if name in names:
                return names[name]
        rows = self.bare.get(name, ())
        return rows[0] if len(rows) == 1 else None

    def refusal(self, name: str) -> str:
        """Say why ``find`` found nothing; once a name, since a whole fleet may bear a wrong one."""
        if name not in self._refusals:
            known = [*self.written, *self.qualified]
            self._refusals[name] = (
                f"{shown(name)} is the id of several needs; write it as cluster/id."
                if len(self.bare.get(name, ())) > 1
                else f"{shown(name)} names no need{nearest(name, known)}"
            )
        return self._refusals[name]
