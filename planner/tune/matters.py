"""Which weights of a sweep never matter, and which leave no say to the others."""

import numpy as np

from models.fleet import Mask, Reals


def idle(weights: Reals, vectors: Reals) -> Mask:
    """Mark the weights, ``(W,)``, that change nothing: trials that differ in it alone agree.

    ``weights`` has shape ``(T, W)``, what came of them ``(T, K)``. A weight that no two trials
    differ in alone is not marked: nothing is known of it.
    """
    mask = np.zeros(weights.shape[1], dtype=np.bool_)
    for w in range(weights.shape[1]):
        slices = _alike(np.delete(weights, w, axis=1))
        mask[w] = bool(slices) and all(_agree(vectors[rows]) for rows in slices)
    return mask


def dominates_from(weights: Reals, vectors: Reals) -> list[float | None]:
    """Give for each weight the least value from which on no other weight changes anything.

    None where there is none, and where the others change nothing below it either.
    """
    found: list[float | None] = []
    for w in range(weights.shape[1]):
        settled = {
            float(weights[rows[0], w]): _agree(vectors[rows]) for rows in _alike(weights[:, [w]])
        }
        least: float | None = None
        for value in sorted(settled, reverse=True):
            if not settled[value]:
                break
            least = value
        found.append(None if all(settled.values()) else least)
    return found


def _alike(keys: Reals) -> list[list[int]]:
    """Give the rows of equal keys together, where there are at least two."""
    groups: dict[bytes, list[int]] = {}
    for row, key in enumerate(np.ascontiguousarray(keys)):
        groups.setdefault(key.tobytes(), []).append(row)
    return [rows for rows in groups.values() if len(rows) > 1]


def _agree(vectors: Reals) -> bool:
    return bool((vectors == vectors[0]).all())
