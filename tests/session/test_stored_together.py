"""What is handed in while something is stored goes to the store at once."""

import threading
from collections.abc import Sequence

import pytest

from testimate.session.history import StoredTogether


class SlowStore:
    """Work of which the first call waits until so many more have been handed in."""

    def __init__(self, fails: bool = False) -> None:
        self.calls: list[list[int]] = []
        self.begun, self.go_on, self.fails = threading.Event(), threading.Event(), fails

    def work(self, items: Sequence[int]) -> Sequence[str]:
        self.calls.append(list(items))
        self.begun.set()
        assert self.go_on.wait(timeout=10)
        if self.fails and 3 in items:
            raise ValueError(f"no disk for {sorted(items)}")
        return [f"item {item}" for item in items]


def handed_in_while_one_is_stored(store: SlowStore, count: int) -> dict[int, str]:
    """What each thread was told; the threads 1.. come while 0 is being stored."""
    together, results = StoredTogether(store.work), {}

    def hand_in(item: int) -> None:
        try:
            results[item] = together.hand_in(item)
        except ValueError as error:
            results[item] = f"error: {error}"

    threads = [threading.Thread(target=hand_in, args=(item,)) for item in range(count)]
    threads[0].start()
    assert store.begun.wait(timeout=10)
    for thread in threads[1:]:
        thread.start()
    while len(together._waiting) < count - 1:
        threads[-1].join(timeout=0.001)
    store.go_on.set()
    for thread in threads:
        thread.join(timeout=10)
    return results


def test_all_that_came_meanwhile_is_stored_at_once_and_each_hears_of_their_own():
    store = SlowStore()
    assert handed_in_while_one_is_stored(store, 50) == {item: f"item {item}" for item in range(50)}
    assert [len(call) for call in store.calls] == [1, 49]
    assert sorted(store.calls[1]) == list(range(1, 50))


def test_an_error_reaches_all_whose_item_was_there_and_nobody_else_and_the_next_is_stored():
    store = SlowStore(fails=True)
    results = handed_in_while_one_is_stored(store, 5)
    assert results[0] == "item 0"
    assert {results[item] for item in range(1, 5)} == {"error: no disk for [1, 2, 3, 4]"}
    assert StoredTogether(store.work).hand_in(9) == "item 9"


def test_a_stop_in_the_middle_leaves_nobody_waiting():
    def work(items: Sequence[int]) -> Sequence[str]:
        if items == [1]:
            raise KeyboardInterrupt
        return [str(item) for item in items]

    together = StoredTogether(work)
    with pytest.raises(KeyboardInterrupt):
        together.hand_in(1)
    assert together.hand_in(2) == "2"


def test_work_that_says_too_little_is_an_error_and_nobody_waits_for_ever():
    answers = [[], ["2"]]
    together = StoredTogether(lambda _: answers.pop(0))
    with pytest.raises(AssertionError):
        together.hand_in(1)
    assert together.hand_in(2) == "2"
