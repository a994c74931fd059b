"""The door: why a need is short, and what would serve it."""

from dataclasses import dataclass

from rebalancer.explain.change import Change
from rebalancer.explain.conflict import Conflict, conflict_of
from rebalancer.explain.counting import counting_of
from rebalancer.explain.ranking import Try, ranked
from rebalancer.explain.scene import Scene


@dataclass(frozen=True, slots=True)
class Short:
    """What keeps a need short, and the changes that would serve it, the best first.

    ``conflict`` is None where later cycles find what the need lacks: nothing has to change.
    """

    conflict: Conflict | None
    changes: tuple[Change, ...]


def why_short(scene: Scene, tried: Try | None = None) -> Short:
    """Tell of a need that lacks machines; whether for good, see ``lacks_for_good``."""
    counting = counting_of(scene)
    if not counting.gap(scene.terms).missing:
        return Short(None, ())
    return Short(conflict_of(counting.merged(whole=True)), ranked(counting, tried))


def lacks_for_good(scene: Scene) -> int:
    """Give how many machines the need lacks that later cycles will not find either.

    A cycle that orders a Create for a need evicts nobody for it, and one that evicts for a higher
    need leaves what that gives back to the next.
    """
    return counting_of(scene).gap(scene.terms).missing if scene.lacks else 0
