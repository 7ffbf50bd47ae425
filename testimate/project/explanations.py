"""Explanations of single inputs, kept while the program runs: asking a large model again would take minutes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from testimate.subjects.occlusion import Explained

MOST_EXPLANATIONS = 200


class Explanations:
    """Explanations by the fingerprint of the inputs and the row; the oldest make room for new ones. Safe between threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int], Explained] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, fingerprint: str, row: int) -> Explained | None:
        """The explanation of an input; None where nobody asked for it yet."""
        with self._lock:
            return self._kept.get((fingerprint, row))

    def keep(self, fingerprint: str, row: int, found: Explained) -> None:
        """Keeps the explanation of an input, in the place of an earlier one."""
        with self._lock:
            self._kept[fingerprint, row] = found
            while len(self._kept) > MOST_EXPLANATIONS:
                self._kept.popitem(last=False)
