"""What the keys of a labeling surface mean, written down a second time and plainly: the oracle of random typing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.task import Task
from testimate.core.words import read_number
from testimate.tasks.classification import MultiLabel
from testimate.tasks.regression import Regression
from testimate.ui.components.labeling_surface.class_keys import action_keys, class_keys

Said = tuple[str, str, Any]
"""Kind of the event, row, and its answer, or the note of a flag."""


def fitting(names: Sequence[str], typed: str) -> list[int]:
    """The places of the names that a few letters may mean, the best first."""
    plain = typed.lower()
    words = " ".join(re.findall(r"[^\W_]+", plain))
    letters = words.replace(" ", "")
    beginnings = " " + r"(?:|\S*(?: \S+)* )".join(map(re.escape, letters))
    ranked = []
    for place, name in enumerate(names):
        lower = name.lower()
        in_words = " ".join(["", *re.findall(r"[^\W_]+", lower), ""])
        fits = [
            name == typed,
            lower == plain,
            lower.startswith(plain),
            bool(words) and f" {words} " in in_words,
            bool(words) and f" {words}" in in_words,
            0 < len(letters) <= 12 and re.search(beginnings, in_words) is not None,
            plain in lower,
        ]
        if any(fits):
            ranked.append((fits.index(True), place))
    return [place for _, place in sorted(ranked)]


@dataclass
class ModelOfTheKeys:
    """One tester at one surface; ``said`` are the events that the keys until now come to."""

    task: Task
    said: list[Said] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    focus: str = ""  # "number", "search", "note", "help", or nothing
    before_help: str = ""
    typed: dict[str, str] = field(default_factory=lambda: dict.fromkeys(("number", "search", "note"), ""))
    chosen: set[int] = field(default_factory=set)
    acted: bool = False

    def press(self, key: str, row: str, repeated: bool = False) -> None:
        """A key goes down while ``row`` is on the screen; ``repeated`` : because it is held."""
        if repeated and self.acted:
            return
        self.acted = False
        if self.focus == "help":
            if key in ("Escape", "?", "Enter", " "):  # the last two press its close button, which has the focus
                self.focus = self.before_help
                self.acted = key in ("Escape", "?")
        elif self.focus == "note":
            self.in_note(key, row)
        elif self.typed["number"]:
            self.in_number(key, row)
        elif self.focus == "search":
            self.in_search(key, row, repeated)
        else:
            self.outside(key, row, repeated)

    def insert(self, text: str) -> None:
        """A paste, or what an input method wrote: only into a field that has the focus."""
        if self.focus in self.typed:
            self.typed[self.focus] += text

    def edit(self, name: str, key: str) -> None:
        if key == "Backspace":
            self.typed[name] = self.typed[name][:-1]
        elif len(key) == 1:
            self.typed[name] += key

    def in_note(self, key: str, row: str) -> None:
        if key in ("Enter", "Escape"):
            if key == "Enter":
                self.said.append(("flag", row, self.typed["note"].strip()))
            self.focus = ""
            self.acted = key == "Escape"
        else:
            self.edit("note", key)

    def in_number(self, key: str, row: str) -> None:
        if key == "Enter":
            self.store_number(row)
        elif key == "Escape":
            self.typed["number"], self.focus, self.acted = "", "", True
        else:
            self.focus = "number"
            self.edit("number", key)

    def store_number(self, row: str) -> None:
        self.acted, self.focus = True, "number"
        try:
            assert isinstance(self.task, Regression)
            self.settle("answer", row, self.task.check_answer(read_number(self.typed["number"])))
        except BadInput:
            pass

    def in_search(self, key: str, row: str, repeated: bool) -> None:
        wanted = self.typed["search"].strip()
        if key == "Escape":
            self.typed["search"], self.focus, self.acted = "", "", True
        elif self.names_are_typed and not self.typed["search"] and key != "Backspace":
            self.outside(key, row, repeated)
        elif key == "Enter":
            self.acted = True
            found = fitting(self.task.classes, wanted) if wanted else []
            if wanted and not found:
                return
            self.typed["search"] = self.focus = ""
            if wanted:
                self.take(found[0], row)
        else:
            self.edit("search", key)

    def outside(self, key: str, row: str, repeated: bool) -> None:
        numbers = isinstance(self.task, Regression)
        if numbers and len(key) == 1 and key in "0123456789.,-":
            self.focus = "number"
            self.edit("number", key)
        elif key in self.meanings() and not repeated:
            self.acted = True
            self.act(key, row)
        elif self.names_are_typed and len(key) == 1 and key not in self.meanings():
            self.focus = "search"
            self.edit("search", key)
        elif self.focus == "number" and key not in self.meanings():
            if key == "Escape":
                self.focus, self.acted = "", True
            elif len(key) == 1:
                self.edit("number", key)

    def meanings(self) -> list[str]:
        searched = ["/"] if len(self.classes) > 20 else []
        stored = [] if self.task.kind == "classification" else ["Enter"]
        keys = class_keys(self.classes)
        actions = [key for name, key in action_keys(keys).items() if name != "play"]
        return [*filter(None, keys), "?", *actions, *searched, *stored]

    @property
    def names_are_typed(self) -> bool:
        return bool(self.classes) and not any(class_keys(self.classes))

    @property
    def classes(self) -> tuple[str, ...]:
        return getattr(self.task, "classes", ())

    def act(self, key: str, row: str) -> None:
        keys = class_keys(self.classes)
        does = {key: name for name, key in action_keys(keys).items()}.get(key)
        if key in keys:
            self.take(keys.index(key), row)
        elif key == "?":
            self.before_help, self.focus = self.focus, "help"
        elif does in ("cannot tell", "skip"):
            self.settle(does, row)
        elif does == "flag":
            self.focus, self.typed["note"] = "note", ""
        elif key == "/":
            self.focus = "search"
        elif key == "Enter" and isinstance(self.task, Regression):
            self.store_number(row)
        elif key == "Enter":
            self.settle("answer", row, sorted(self.chosen))
        elif does == "undo" and self.done:
            self.said.append(("undo", self.done.pop(), None))
            self.chosen = set()

    def take(self, place: int, row: str) -> None:
        if isinstance(self.task, MultiLabel):
            self.chosen ^= {place}
        else:
            self.settle("answer", row, place)

    def settle(self, kind: str, row: str, answer: Any = None) -> None:
        self.said.append((kind, row, answer))
        self.done = [*(other for other in self.done if other != row), row]
        self.typed["number"] = ""
        self.chosen = set()
