"""The door: why a need is short, and what would serve it."""

from dataclasses import dataclass

from rebalancer.explain.change import Change
from rebalancer.explain.conflict import Conflict, conflict_of
from rebalancer.explain.counting import counting_of
from rebalancer.explain.ranking import Try, ranked
from rebalancer.explain.scene import Scene


@dataclass(frozen=True, slots=True)
class Short:
    """What keeps a need short, and the changes that would serve it, the best first."""

    conflict: Conflict
    changes: tuple[Change, ...]


def why_short(scene: Scene, tried: Try | None = None) -> Short:
    """Tell of a need that lacks machines which no later cycle finds; see ``lacks_for_good``.

    Of any other there is nothing to tell.
    """
    counting = counting_of(scene)
    if not counting.gap(scene.terms).missing:
        return Short(Conflict((), scene.lacks, counting.number([])), ())
    return Short(conflict_of(counting.merged(whole=True)), ranked(counting, tried))


def lacks_for_good(scene: Scene) -> int:
    """Give how many machines the need lacks that later cycles will not find either.

    A cycle that orders a Create for a need evicts nobody for it, and one that evicts for a higher
    need leaves what that gives back to the next.
    """
    return counting_of(scene).gap(scene.terms).missing if scene.lacks else 0


def is_a_matter_of_time(scene: Scene) -> bool:
    """Tell whether the need lacks machines and will find them without a change."""
    return scene.lacks > 0 and not lacks_for_good(scene)
