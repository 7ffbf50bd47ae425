"""Values that take long to make: each is made once per key, also where several threads ask at the same time."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Made = TypeVar("Made")


class MadeOnce(Generic[Key, Made]):
    """Values by key, each made by the first caller; only callers who ask for the same key wait for it.

    ``lock`` : of the dictionaries alone, never held while something is made; several may share one.
    """

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock
        self._made: dict[Key, Made] = {}
        self._making: dict[Key, threading.RLock] = {}

    def __contains__(self, key: object) -> bool:
        return key in self._made

    def get(self, key: Key) -> Made | None:
        """What was made; None where nothing was yet."""
        with self._lock:
            return self._made.get(key)

    def get_or_make(self, key: Key, make: Callable[[], Made]) -> Made:
        """What was made, or is made now; after an error of ``make`` nothing is kept, and the next caller makes it."""
        with self._lock:
            if key in self._made:
                return self._made[key]
            making = self._making.setdefault(key, threading.RLock())
        with making:
            with self._lock:
                if key in self._made:
                    return self._made[key]
            made = make()
            with self._lock:
                return self._made.setdefault(key, made)

    def put(self, key: Key, made: Made) -> None:
        """Stores a value made elsewhere, in place of the one that was there."""
        with self._lock:
            self._made[key] = made

    def all(self) -> list[Made]:
        """Everything made so far."""
        with self._lock:
            return list(self._made.values())

    def drop(self, key: Key) -> None:
        """Drops the value, so that it is made again for the next who asks."""
        with self._lock:
            self._made.pop(key, None)
