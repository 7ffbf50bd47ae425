"""Answers that several threads hand in while another is being stored go to the store together, sent by one of them."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass
class _HandedIn(Generic[Item, Result]):
    """One thread's item, and what became of it."""

    item: Item
    done: bool = False
    result: Result | None = None
    error: BaseException | None = None


class StoredTogether(Generic[Item, Result]):
    """One call of ``work`` at a time, with all that was handed in while the last one ran, oldest first.

    So fifty testers who answer in the same moment wait for two transactions at most, and not for fifty.

    Parameters
    ----------
    work : takes the items and returns what became of each, in their order. An error of it reaches all whose item was among
        them.
    """

    def __init__(self, work: Callable[[Sequence[Item]], Sequence[Result]]) -> None:
        self._work = work
        self._changed = threading.Condition()
        self._waiting: list[_HandedIn[Item, Result]] = []
        self._at_work = False

    def hand_in(self, item: Item) -> Result:
        """What became of the item; raises what ``work`` raised."""
        mine: _HandedIn[Item, Result] = _HandedIn(item)
        with self._changed:
            self._waiting.append(mine)
            self._changed.wait_for(lambda: mine.done or not self._at_work)
            if not mine.done:
                self._at_work, together, self._waiting = True, self._waiting, []
        if not mine.done:
            self._do(together)
        if mine.error is not None:
            raise mine.error
        assert mine.result is not None
        return mine.result

    def _do(self, together: list[_HandedIn[Item, Result]]) -> None:
        error: BaseException | None = None
        results: Sequence[Result | None] = [None] * len(together)
        try:
            found_out = self._work([one.item for one in together])
            assert len(found_out) == len(together)
            results = found_out
        except BaseException as found:  # an interrupted thread, too: whoever waits for it has to hear of it
            error = found
        with self._changed:
            for one, result in zip(together, results, strict=True):
                one.done, one.result, one.error = True, result, error
            self._at_work = False
            self._changed.notify_all()
