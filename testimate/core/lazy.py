"""A mapping from names to classes that imports a class only when it is looked up."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from typing import Generic, TypeVar

from testimate.core.errors import BadInput

Key = TypeVar("Key")
Value = TypeVar("Value")


class UnknownName(BadInput, KeyError):
    """Something was looked up by a name nobody has given; a KeyError, so that ``in`` and ``get`` work as usual."""

    def __str__(self) -> str:
        return str(self.args[0])


class LazyMapping(Mapping[Key, Value], Generic[Key, Value]):
    """A read-only mapping whose values are named, not held: counting, listing and ``in`` import nothing.

    Parameters
    ----------
    package : name of the package the modules lie in.
    places : for each key "module:Name", the module's name inside the package and the name in it, in order of showing.
    what : what a key names, for the message about an unknown one.
    added : gives what other packages add, by key; asked once, when somebody looks for a key that is not among the places or
        lists all.

    >>> parsers = LazyMapping[str, type]("email", {"bytes": "parser:BytesParser", "text": "parser:Parser"}, "parser")
    >>> list(parsers), parsers["text"].__name__, "html" in parsers
    (['bytes', 'text'], 'Parser', False)
    """

    def __init__(
        self,
        package: str,
        places: Mapping[Key, str],
        what: str,
        added: Callable[[], Mapping[Key, Value]] = dict,
    ) -> None:
        self._package, self._places, self._what, self._add = package, dict(places), what, added

    @property
    def own(self) -> tuple[Key, ...]:
        """The keys that are named here, without those that other packages add."""
        return tuple(self._places)

    @cached_property
    def _added(self) -> Mapping[Key, Value]:
        return self._add()

    def __getitem__(self, key: Key) -> Value:
        """The class of that name, imported now; UnknownName (a BadInput and a KeyError) where there is none."""
        if key not in self._places:
            if key in self._added:
                return self._added[key]
            known = ", ".join(str(name) for name in self)
            raise UnknownName(f"There is no {self._what} {key!r:.60}; expected one of {known}. Choose one of these.")
        module, _, name = self._places[key].partition(":")
        value: Value = getattr(import_module(f"{self._package}.{module}"), name)
        return value

    def __contains__(self, key: object) -> bool:
        return key in self._places or key in self._added

    def __iter__(self) -> Iterator[Key]:
        yield from self._places
        yield from self._added

    def __len__(self) -> int:
        return len(self._places) + len(self._added)
