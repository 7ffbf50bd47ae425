"""What other installed packages add by name: entry points, loaded and checked when a list of them is first asked for."""

import warnings
from collections.abc import Callable, Container, Mapping
from typing import Any, Protocol

from testimate.core.errors import BadInput


# Loaded when techniques are first listed, and checked then: decision 91.
def plug_ins(group: str, check: Callable[[str, Any], None], taken: Container[str] = ()) -> dict[str, Any]:
    """What installed packages name under this group of entry points, by name.

    One that cannot be loaded, that ``check`` refuses with BadInput, or whose name is ``taken`` is left out with a warning that
    says which package it is of: a package that is broken does not take the program with it.

    >>> plug_ins("testimate.of_nobody", lambda name, thing: None)
    {}
    """
    from importlib.metadata import entry_points

    found: dict[str, Any] = {}
    for point in sorted(entry_points(group=group), key=lambda one: one.name):
        of = "a package" if point.dist is None else point.dist.name
        try:
            if point.name in taken or point.name in found:
                raise BadInput(f"the name {point.name!r:.60} is taken")
            thing = point.load()
            check(point.name, thing)
        except Exception as error:  # a package of somebody else may raise anything while it is imported
            warnings.warn(
                f"{point.name!r:.60} of {of} ({group}) is left out: {error!s:.300}. Update or uninstall {of}.",
                stacklevel=2,
            )
            continue
        found[point.name] = thing
    return found


class KnowsContent(Protocol):
    """A reader that tells its own kind of file."""

    def knows(self, content: bytes, /) -> bool:
        """Whether the content is of its kind."""
        ...


def first_that_knows(readers: Mapping[str, KnowsContent], content: bytes) -> str | None:
    """The name of the first reader that knows the content; None where there is none. One that raises knows nothing."""
    for name, reader in readers.items():
        try:
            if reader.knows(content):
                return name
        except Exception as error:  # of another package, which may raise anything at bytes it did not expect
            warnings.warn(f"The reader {name!r:.60} was asked whether it knows a file: {error!s:.200}", stacklevel=2)
    return None
