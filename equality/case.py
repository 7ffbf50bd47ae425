"""Drive Testimate for one case, in a folder of its own: commands, and what Python's names give."""

import importlib
import io
import shutil
import sys
import tomllib
import traceback
import warnings
from collections.abc import Callable, Iterable
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equality.recording import Recording, content, described, without_seconds


@dataclass(frozen=True)
class Said:
    """Hold what a command left behind."""

    status: str
    out: str
    err: str


class Case:
    """Run commands and calls in the case's folder, which is the current one, and record what each left behind.

    ``testimate`` : the package, of whatever checkout is recorded. ``tree`` : that checkout. ``data`` : the folder of other
    people's data, which may be missing.
    """

    def __init__(self, folder: Path, tree: Path, data: Path) -> None:
        self.folder, self.tree, self.data = folder, tree, data
        self.recording = Recording()
        self.testimate: Any = importlib.import_module("testimate")
        self.recording.hide(str(folder), "<case>")
        self.recording.hide(str(tree), "<tree>")
        self._files: dict[str, tuple[int, int]] = {}

    def put(self, *files: Path) -> None:
        """Copy files or folders into the case's folder; they are not recorded."""
        for file in files:
            if file.is_dir():
                shutil.copytree(file, self.folder / file.name, dirs_exist_ok=True)
            else:
                shutil.copyfile(file, self.folder / file.name)
            for path in [self.folder / file.name, *(self.folder / file.name).rglob("*")]:
                path.chmod(0o755 if path.is_dir() else 0o644)
        self.seen()

    def write(self, name: str, text: str | bytes) -> str:
        """Write a file into the case's folder, not recorded; return its name."""
        (self.folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
        self.seen()
        return name

    def run(self, *arguments: object, typed: str = "", label: str = "") -> Said:
        """Run a command; record its exit status, what it said and the files that it wrote."""
        words = [str(argument) for argument in arguments]
        name = self.recording.label(label or words[0])
        said = said_by(command_of(self.tree), words, typed)
        self.recording.fields[f"{name}/command"] = " ".join(words)
        self.recording.fields |= {f"{name}/status": said.status, f"{name}/out": said.out, f"{name}/err": said.err}
        for path in self.seen():
            self.recording.fields[f"{name}/{path}"] = content(self.folder / path)
        if words[0] == "study":
            for field in [field for field in self.recording.fields if field.startswith(f"{name}/")]:
                self.recording.fields[field] = without_seconds(self.recording.fields[field])
        return said

    def call(self, label: str, function: Callable[..., Any], *given: Any, **options: Any) -> Any:
        """Record what a call returns, and what it warns of; None if it is refused, which is recorded as well."""
        name = self.recording.label(label)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            try:
                result = function(*given, **options)
                self.recording.fields[name] = (
                    without_seconds(described(result)) if "study" in label else described(result)
                )
            except Exception as error:
                result = None
                self.recording.fields[name] = f"{type(error).__name__}: {error}"
        if caught:
            self.recording.fields[f"{name}/warnings"] = "\n".join(str(one.message) for one in caught)
        return result

    def note(self, label: str, text: str) -> None:
        """Record a text."""
        self.recording.fields[self.recording.label(label)] = text

    def seen(self) -> list[str]:
        """Return the files that are new or were changed since the last time, without databases and those inside projects."""
        stats = {str(path.relative_to(self.folder)): path.stat() for path in _files_of(self.folder)}
        files = {name: (stat.st_mtime_ns, stat.st_size) for name, stat in stats.items()}
        changed = sorted(name for name, facts in files.items() if self._files.get(name) != facts)
        self._files = files
        return changed


def _files_of(folder: Path) -> Iterable[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or ".sqlite" in path.name or (path.is_dir() and "project" in path.name):
            continue
        if path.is_dir():
            yield from _files_of(path)
        else:
            yield path


def command_of(tree: Path) -> Callable[[list[str]], None]:
    """Return the command line's entry, which the checkout's ``pyproject.toml`` names."""
    scripts = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    module, _, name = scripts["testimate"].partition(":")
    entry: Callable[[list[str]], None] = getattr(importlib.import_module(module), name)
    return entry


def said_by(command: Callable[[list[str]], None], words: list[str], typed: str = "") -> Said:
    """Run a command in this process; a crash is recorded by its error, because lines of code may move."""
    with _texts(typed) as (out, err), warnings.catch_warnings():
        status = "0"
        try:
            command(words)
        except SystemExit as stop:
            status = str(stop.code or 0)
        except BaseException as error:
            status = "crashed: " + "".join(traceback.format_exception_only(error)).strip()
    return Said(status, _text(out), _text(err))


@contextmanager
def _texts(typed: str) -> Any:
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", write_through=True) for _ in range(2))
    before, sys.stdin = sys.stdin, io.StringIO(typed)
    try:
        with redirect_stdout(out), redirect_stderr(err):
            yield out, err
    finally:
        sys.stdin = before


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8", "backslashreplace")
