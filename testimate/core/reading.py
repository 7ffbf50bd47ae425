"""What was understood of a table's, a dataset's or a model's files: one record for every place that says it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

from msgspec import Meta

from testimate.core.errors import BadInput, Way
from testimate.core.stored_record import (
    MOST_LISTED,
    From0,
    Rule,
    Text,
    TextByName,
    Texts,
    WrongRecord,
    read_record,
)
from testimate.core.words import commas

Tell = Callable[[str], object]
"""Called with a sentence that a person should read."""

READ_AS = "read as"
"""The name of the fact about what a file's format was taken for."""

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "spaces"}
"""What separates the columns of a CSV, and its name."""

UTF_8, UTF_16, WINDOWS_1252 = "utf-8", "utf-16", "cp1252"


@dataclass(frozen=True)
class TextFormat:
    """How the text of a table is written.

    Attributes
    ----------
    encoding : UTF_8, UTF_16 or WINDOWS_1252. separator : of the columns, a key of ``SEPARATORS``.
    example : a few letters by which a person can judge an encoding that nothing in the file marks; "" if it is marked.
    decimal_commas : names of columns whose numbers had a comma as their decimal point.
    """

    encoding: Text = UTF_8
    separator: Annotated[str, Rule(SEPARATORS.__contains__, "what separates columns")] = ","
    example: Text = ""
    decimal_commas: Texts = ()

    def in_words(self) -> tuple[str, ...]:
        """Return what was assumed, in words; nothing for UTF-8 with commas.

        >>> TextFormat(UTF_16, ";", decimal_commas=("loss",)).in_words()
        ('text in UTF-16', "columns separated by semicolons, decimal commas in 'loss'")
        """
        assumed = []
        if self.encoding == UTF_16:
            assumed.append("text in UTF-16")
        if self.encoding == WINDOWS_1252:
            assumed.append(f"text in Windows-1252 (such as {self.example!r})")
        if self.separator != ",":
            columns = ", ".join(map(repr, self.decimal_commas))
            commas = f", decimal commas in {columns:.120}" if columns else ""
            assumed.append(f"columns separated by {SEPARATORS[self.separator]}{commas}")
        return tuple(assumed)


PLAIN = TextFormat()
"""UTF-8 with commas."""


FROM_1, AS_THEY_ARE, EXCHANGED, SAME, DIFFERENT = "from-1", "as-they-are", "exchanged", "same", "different"
WRONG, REFUSED = "wrong", "refused"
"""Answers of ``READS``: how labels number classes, whether two spellings are one class, and labels that are no class."""

FAILURES = "failures"
"""The answer of ``READS`` by which rows without a predicted class are failures."""

A_CLASS = "class"
"""The answer of ``READS`` by which an empty cell, of a prediction as of a label, is a class of its own."""

FIRST_IN_LIST = "first"
"""The answer of ``READS`` by which the first of each list is predicted."""

A_ROW, A_NAME = "row", "name"
"""Answers of ``READS``: what a first line is that may be a value or the name of its column."""

READS: dict[str, tuple[str, ...]] = {
    "prediction": ("chance",),
    "confidence": ("predicted", "second", "failure", "percent", "log"),
    "labels": (FROM_1, AS_THEY_ARE, EXCHANGED),
    "numbers": ("thousands", "decimals"),
    "rows": ("together", "each"),
    "spelling": (SAME, DIFFERENT),
    "empty": ("none", "skipped"),
    "outside": (WRONG, REFUSED),
    "unpredicted": (FAILURES, A_CLASS),
    "chances": ("as-they-are",),
    "header": (A_ROW, A_NAME),
    "lists": (FIRST_IN_LIST,),
}
"""What may be asked about a table besides its task and its columns, and the answers: ``--read confidence=percent``."""

Read = Annotated[tuple[tuple[Text, Text], ...], Meta(max_length=MOST_LISTED)]
"""The answers that were given: (question, answer) pairs of ``READS``."""


def way_to_read(question: str, answer: str, words: str) -> Way:
    """Return the reading that an answer of ``READS`` takes."""
    keyword = f'read={{"{question}": "{answer}"}}'
    return Way(words, f"--read {question}={answer}", keyword, (("read", (question, answer)),))


def checked_read(pairs: Read) -> Read:
    """Return the answers; BadInput where one is not of ``READS``, or a question is answered twice."""
    for question, answer in pairs:
        if answer not in READS.get(question, ()):
            known = ", ".join(f"{name}={one}" for name, answers in READS.items() for one in answers)
            raise BadInput(
                f"There is no reading {question}={answer:.40}. Expected one of {known}. Choose one of these."
            )
    if len({question for question, _ in pairs}) < len(pairs):
        raise BadInput("One question about the reading is answered twice. Expected one answer. Leave the other out.")
    return pairs


CHOSEN = "as chosen"
"""The reason for what a person decided."""

UNUSABLE, EMPTY_COLUMN = "contains neither numbers nor words", "empty in every row"
"""The reasons why a column is left out whatever is asked of it."""

UNSEEN = "not shown"
"""Why a column without another role is not used, where rows have a picture, a sound, a text or an output to look at."""


ROW_NUMBER = "row number"
"""The role of columns that only number the rows."""

NUMBERS, ON_SCREEN = "numbers the rows", "testers see it"
"""The words on such a column, and its meaning where testers see the cells of a row."""

BEFORE = {
    "p_": "chances of the classes",
    "image": "pictures by",
    "audio": "sounds by",
    "file": "files by",
    "text": "texts",
    "group": "groups by",
    "score": "scores",
    "judge": "judges",
    "history": "results of earlier models",
    "shown": "shown",
    "input": "input",
    "output": "output",
    "reference": "reference",
    "output_a": "output A",
    "output_b": "output B",
    "boxes": "boxes",
    "feature": "features",
}
"""What is said before the names of columns with a role."""

MOST_NAMED = 6
"""Columns or classes that are named in a sentence; the others are counted."""


def _quoted(name: str) -> str:
    return f"`{name:.60}`"


def listed(words: Sequence[str]) -> str:
    """Return the first of these words, and how many there are more.

    >>> listed(["ant 3", "bee 1"]), listed(list("abcdefgh"))
    ('ant 3, bee 1', 'a, b, c, d, e, f and 2 more')
    """
    rest = len(words) - MOST_NAMED
    return ", ".join(words[:MOST_NAMED]) + (f" and {commas(rest)} more" if rest > 0 else "")


@dataclass(frozen=True)
class ColumnRole:
    """What a column is for, such as "prediction" or "score", and the reason, such as "its name".

    ``meaning`` : what its cells are, for people, such as "43 classes"; "" where the role says it.
    """

    role: Text
    reason: Text
    meaning: Text = ""


@dataclass(frozen=True)
class Reading:
    """How a table, a dataset or a model was read. All texts are untrusted.

    Attributes
    ----------
    source : the name of the file, for people. format : what the file is, such as "CSV" or "Parquet".
    text : how its text is written; None where it is not text in columns.
    roles : of the columns that are used, in the order of the file.
    task : the kind of task, and ``task_reason`` why. classes : their names in order, and ``classes_from`` where these and
        their order come from; empty of a regression.
    preprocessing : what is done to an input before the model sees it, and ``preprocessing_reason`` who or what decided it;
        empty of a table.
    left_out : the reason for each column or kind of file that is not used. doubtful : sentences on what may be otherwise.
    size : rows, 0 where they were not counted. unit : what is counted, such as "pictures". known : which inputs of a
        dataset came with their truth, and from where, if no column holds it. rules : the set of rules by which columns got
        their roles, and ``read`` the answers that a person gave.

    >>> Reading("t.csv", "CSV", TextFormat(separator=";")).separator
    ';'
    """

    source: Text
    format: Text = ""
    text: TextFormat | None = None
    roles: Annotated[Mapping[Text, ColumnRole], Meta(max_length=MOST_LISTED)] = field(default_factory=dict)
    task: Text = ""
    task_reason: Text = ""
    classes: Texts = ()
    classes_from: Text = ""
    preprocessing: Text = ""
    preprocessing_reason: Text = ""
    left_out: TextByName = field(default_factory=dict)
    doubtful: Texts = ()
    size: From0 = 0
    unit: Text = "rows"
    known: Text = ""
    rules: From0 = 1
    read: Read = ()

    def __str__(self) -> str:
        """Return what was understood, for people: one line, and one for each doubt."""
        return "\n".join((self.in_words(), *self.doubtful))

    def in_words(self) -> str:
        """Return what was understood, in one line.

        >>> roles = {"said": ColumnRole("prediction", "its name", "2 classes"), "id": ColumnRole("row number", "its name")}
        >>> print(Reading("t.csv", "CSV", roles=roles, size=3).in_words())
        3 rows: `said` 2 classes · left out: `id` numbers the rows
        """
        found = [*self.taken, *(part for role in dict.fromkeys(self._roles) if (part := self._of_role(role)))]
        if self.known:
            found.append(f"truth {self.known} (hidden from testers)")
        if self.preprocessing:
            found.append(f"{commas(len(self.classes))} classes ({self.classes_from})" if self.classes else "numbers")
            found.append(f"prepared: {self.preprocessing}")
        if self.unseen:
            found.append(f"left out: {listed([f'{_quoted(name)} {why}' for name, why in self.unseen.items()])}")
        what = f"{commas(self.size)} {self.unit}" if self.size else self.source
        return f"{what}: {' · '.join(found)}" if found else what

    @property
    def unused(self) -> dict[str, str]:
        """The columns and files that are not used, and why; those that only number the rows among them."""
        return dict.fromkeys(self.with_role(ROW_NUMBER), NUMBERS) | dict(self.left_out)

    @property
    def unseen(self) -> dict[str, str]:
        """Those of them that no tester sees."""
        seen = {name for name, one in self.roles.items() if one.role == ROW_NUMBER and one.meaning == ON_SCREEN}
        return {name: why for name, why in self.unused.items() if name not in seen}

    @property
    def _roles(self) -> list[str]:
        """The roles of the columns, those of chances as one."""
        return ["p_" if one.role.startswith("p_") else one.role for one in self.roles.values()]

    def _of_role(self, role: str) -> str:
        """What the columns of a role are, in words; "" of those that only number the rows, and are not seen."""
        own = {
            name: one for name, one in self.roles.items() if one.role == role or (role == "p_" and one.role[:2] == "p_")
        }
        names = listed([_quoted(name) for name in own])
        meaning = next(iter(own.values())).meaning
        if role in ("label", "outcome"):
            what = "truth" if role == "label" else "right or wrong"
            return f"{what} {names} (hidden from testers{', ' if meaning else ''}{meaning})"
        if role == ROW_NUMBER:
            seen = [_quoted(name) for name, one in own.items() if one.meaning == ON_SCREEN]
            return f"{listed(seen)} {NUMBERS if len(seen) == 1 else 'number the rows'}" if seen else ""
        if role == "confidence":
            return f"{names} = {meaning}" if meaning else f"{names} confidence"
        before = BEFORE.get(role)
        words = f"{before} {names}" if before is not None else names
        return f"{words} {meaning or ('' if before else role)}".rstrip()

    @property
    def encoding(self) -> str:
        """The encoding of the text; "" where it is not text in columns."""
        return "" if self.text is None else self.text.encoding

    @property
    def separator(self) -> str:
        """The separator of the columns; "" where it is not text in columns."""
        return "" if self.text is None else self.text.separator

    @property
    def taken(self) -> tuple[str, ...]:
        """What was assumed about the text, in words."""
        return () if self.text is None else self.text.in_words()

    def with_role(self, role: str) -> tuple[str, ...]:
        """Return the columns of this role, in the order of the file."""
        return tuple(name for name, one in self.roles.items() if one.role == role)

    def left_out_because(self, reason: str) -> tuple[str, ...]:
        """Return what is left out for this reason."""
        return tuple(name for name, why in self.left_out.items() if why == reason)

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: object) -> "Reading":
        """Return the record from ``to_json``; BadInput where it is not one. Anybody may have written it."""
        try:
            return read_record(cls, stored)
        except WrongRecord:
            raise BadInput(
                "The record of how a test set was read is damaged. Expected one as Testimate writes it. Add the same files "
                "again."
            ) from None


def read_as(name: str, taken: Sequence[str]) -> str:
    """Return the sentence that says what a file was taken for.

    >>> read_as("votes.csv", ["text in UTF-16", "columns separated by tabs"]).partition(". ")[0]
    'votes.csv is read as text in UTF-16; columns separated by tabs'
    """
    return f"{name} is read as {'; '.join(taken)}. If that is wrong, save it as UTF-8 CSV with commas."
