"""Blocks of work that do not depend on each other: who runs them, and in which order, is not the caller's business."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from testimate.core.progress import Progress

Block = TypeVar("Block")
Answer = TypeVar("Answer")


class OnBlocks(Protocol):
    """Calls ``work`` once for every block, here or elsewhere, and gives each answer with its place among the blocks.

    In whatever order they are done. Where ``work`` is done on other machines, the first block is also done here, and has to
    come out the same there. What ``work`` or ``progress`` raises stops the blocks not begun yet and is raised.
    """

    def __call__(
        self, work: Callable[[Any], Any], blocks: Sequence[Any], progress: Progress, what: str
    ) -> Iterator[tuple[int, Any]]:
        """The place of each block and the answer for it."""
        ...


def one_by_one(
    work: Callable[[Block], Answer], blocks: Sequence[Block], progress: Progress, what: str
) -> Iterator[tuple[int, Answer]]:
    """Each block in order, in this thread.

    >>> from testimate.core.progress import silent
    >>> list(one_by_one(abs, [-1, 2], silent, "numbers"))
    [(0, 1), (1, 2)]
    """
    for place, block in enumerate(blocks):
        progress(place, len(blocks), what)
        yield place, work(block)
    progress(len(blocks), len(blocks), what)
