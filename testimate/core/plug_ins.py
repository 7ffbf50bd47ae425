"""What is imported only when it is wanted: classes by name, plug-ins, extras, and modules that only some systems have.

A mapping from names to classes that imports a class only when it is looked up.

What other installed packages add by name: entry points, loaded and checked when a list of them is first asked for.

Libraries that only some need: which extra of Testimate brings each, and the sentence where one is wanted and not there.

Modules of the standard library that only some systems have; ruff lets nobody import them in another way.
"""

import importlib
import warnings
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Generic, Protocol, TypeVar

from testimate.core.errors import BadInput

Key = TypeVar("Key")
Value = TypeVar("Value")


class UnknownName(BadInput, KeyError):
    """Something was looked up by a name nobody has given; a KeyError, so that ``in`` and ``get`` work as usual."""

    def __str__(self) -> str:
        return str(self.args[0])


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """The question after a name that is close to one that is meant; "" where none is.

    >>> did_you_mean("rss", ["rrs", "gbs"]), did_you_mean("xyz", ["rrs"])
    ("Did you mean 'rrs'?", '')
    """
    from difflib import get_close_matches  # only where somebody mistyped

    near = get_close_matches(name.casefold(), known, 1)
    return f"Did you mean {near[0]!r}?" if near else ""


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
            known = [str(name) for name in self]
            near = did_you_mean(str(key), known) or "Choose one of these."
            raise UnknownName(f"There is no {self._what} {key!r:.60}. Expected one of {', '.join(known)}. {near}")
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


# The core does without all of these: decision 92.
EXTRA_OF = {
    "torch": "torch",
    "tensorflow": "tensorflow",
    "keras": "tensorflow",
    "h5py": "tensorflow",
    "onnx": "onnx",
    "onnxruntime": "onnx",
    "tokenizers": "onnx",
    "psycopg": "team",
    "authlib": "team",
    "ray": "ray",
    "mlflow": "mlflow",
    "anywidget": "notebook",
}
"""By the name of the module."""

NAMES = {"torch": "PyTorch", "tensorflow": "TensorFlow", "onnxruntime": "ONNX Runtime", "ray": "Ray"}


def is_there(module: str) -> bool:
    """Whether the module is installed; it is not imported.

    >>> is_there("json"), is_there("of_nobody")
    (True, False)
    """
    try:
        return find_spec(module) is not None
    except ValueError:  # it was imported by something that left no trace of where from
        return True


def check_extra(modules: Sequence[str], what: str, instead: str = "") -> None:
    """BadInput with the extra's name where one of the modules is not installed.

    ``what`` : what needs it, as the beginning of a sentence. ``instead`` : another way, as its end.

    >>> check_extra(["json"], "This")
    """
    lacking = next((module for module in modules if not is_there(module)), None)
    if lacking is not None:
        raise missing_extra(lacking, what, instead)


def missing_extra(module: str, what: str, instead: str = "") -> BadInput:
    """The error for a module that is not installed."""
    extra = EXTRA_OF[module]
    other = f", or {instead}" if instead else ""
    return BadInput(
        f"{what} needs {NAMES.get(module, module)}, which is not installed here. Expected the extra {extra!r}. Run: "
        f'python -m pip install "testimate[{extra}]"{other}.'
    )


# Everything of some systems only goes through here: decision 72.
def optional_module(name: str) -> Any:
    """The module of that name, or None where this system has none; the caller decides what to do without it.

    >>> optional_module("json").dumps([1]), optional_module("of_no_system")
    ('[1]', None)
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
