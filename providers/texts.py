"""Many texts as two arrays: all their bytes one after the other, and where each ends."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, slots=True)
class Texts:
    """Texts in UTF-8.

    Attributes
    ----------
    data
        All of them without gaps.
    ends
        Shape ``(n,)``, uint32. Where each ends in ``data``; the next begins there.

    Raises
    ------
    ValueError
        When the ends fall or do not reach the end of the data, or a text is no UTF-8.
    """

    data: bytes
    ends: NDArray[np.uint32]

    def __post_init__(self) -> None:
        last = int(self.ends[-1]) if len(self.ends) else 0
        if last != len(self.data):
            raise ValueError(f"the texts end at {last}, but there are {len(self.data)} bytes.")
        if np.any(self.ends[:-1] > self.ends[1:]):
            raise ValueError("a text ends before it begins.")
        if not self.data.isascii():
            self.data.decode()
            starts = np.frombuffer(self.data, dtype=np.uint8)[self.ends[self.ends < last]]
            if np.any(starts & 0b1100_0000 == 0b1000_0000):
                raise ValueError("a text begins in the middle of a letter.")

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Texts":
        """Put texts one after the other."""
        parts = [text.encode() for text in texts]
        ends = np.cumsum([len(part) for part in parts], dtype=np.uint32)
        return cls(b"".join(parts), ends)

    @classmethod
    def of_padded(cls, texts: NDArray[np.bytes_]) -> "Texts":
        """Put the texts of an array ``(n,)`` one after the other; none of them holds a NUL."""
        width = max(texts.itemsize, 1)
        letters = np.ascontiguousarray(texts).view(np.uint8).reshape(len(texts), width)
        is_used = letters != 0
        ends = np.cumsum(is_used.sum(axis=1, dtype=np.uint32), dtype=np.uint32)
        return cls(letters[is_used].tobytes(), ends)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, place: int) -> str:
        """Give one text; negative places are none."""
        start = int(self.ends[place - 1]) if place else 0
        return self.data[start : int(self.ends[place])].decode()

    def tolist(self) -> list[str]:
        """Give all of them."""
        starts = [0, *self.ends[:-1].tolist()]
        # Ids are ASCII nearly always: then one decoding does for all.
        if self.data.isascii():
            whole = self.data.decode("ascii")
            return [whole[a:b] for a, b in zip(starts, self.ends.tolist(), strict=False)]
        return [self.data[a:b].decode() for a, b in zip(starts, self.ends.tolist(), strict=False)]

    def padded(self) -> NDArray[np.bytes_]:
        """Give them as an array of the longest's width, shape ``(n,)``, filled up with NUL."""
        lengths = np.diff(self.ends, prepend=np.uint32(0)).astype(np.int64)
        width = max(int(lengths.max(initial=0)), 1)
        flat = np.frombuffer(self.data, dtype=np.uint8)
        if len(lengths) and np.all(lengths == width):
            return flat.view(f"S{width}")
        rows = np.zeros((len(lengths), width), dtype=np.uint8)
        # Row-major order of the marked places is the order of the bytes.
        rows[np.arange(width) < lengths[:, None]] = flat
        return rows.view(f"S{width}")[:, 0]
