"""How long-running work reports its progress, and how it is stopped."""

from typing import Protocol


class Progress(Protocol):
    """Called now and then by long work with what is done, out of how much, and of what; raises Cancelled to stop it."""

    def __call__(self, done: int, total: int, what: str = "") -> None:
        """Report that ``done`` of ``total`` steps of ``what`` are done."""
        ...


def silent(done: int, total: int, what: str = "") -> None:
    """The progress of work nobody watches."""
