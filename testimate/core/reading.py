"""What was understood of a table's, a dataset's or a model's files: one record for every place that says it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.visible_text import is_storable

Tell = Callable[[str], object]
"""Called with a sentence that a person should read."""

READ_AS = "read as"
"""The name of the fact about what a file's format was taken for."""

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
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

    encoding: str = UTF_8
    separator: str = ","
    example: str = ""
    decimal_commas: tuple[str, ...] = ()

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


CHOSEN = "as chosen"
"""The reason for what a person decided."""

UNUSABLE = "holds neither numbers nor words"
"""The reason why a column is left out whatever is asked of it."""

LONGEST_TEXT, MOST_ENTRIES = 10_000, 100_000
"""Characters of a text in a stored record, and entries of a list: a file may have 25,000 columns and as many classes."""


@dataclass(frozen=True)
class ColumnRole:
    """What a column is for, such as "prediction" or "score", and the reason, such as "its name"."""

    role: str
    reason: str


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

    >>> Reading("t.csv", "CSV", TextFormat(separator=";")).separator
    ';'
    """

    source: str
    format: str = ""
    text: TextFormat | None = None
    roles: Mapping[str, ColumnRole] = field(default_factory=dict)
    task: str = ""
    task_reason: str = ""
    classes: tuple[str, ...] = ()
    classes_from: str = ""
    preprocessing: str = ""
    preprocessing_reason: str = ""
    left_out: Mapping[str, str] = field(default_factory=dict)
    doubtful: tuple[str, ...] = ()

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
        fields = _fields(stored, cls)
        text = fields.get("text")
        if text is not None:
            text = TextFormat(**_of_texts(_fields(text, TextFormat)))
            if text.separator not in SEPARATORS:
                raise _damaged()
        roles = {
            _text(name): ColumnRole(**_of_texts(_fields(one, ColumnRole))) for name, one in _entries(fields, "roles")
        }
        left_out = {_text(name): _text(reason) for name, reason in _entries(fields, "left_out")}
        others = {name: value for name, value in fields.items() if name not in ("text", "roles", "left_out")}
        return cls(**{**_of_texts(others), "text": text, "roles": roles, "left_out": left_out})


def _fields(stored: object, record: Any) -> dict[str, Any]:
    """The fields of a record; BadInput where one is unknown, or one without which there is none is missing."""
    known = record.__dataclass_fields__
    if not isinstance(stored, dict) or not stored.keys() <= known.keys():
        raise _damaged()
    if any(name not in stored for name in ("source", "role", "reason") if name in known):
        raise _damaged()
    return stored


def _entries(fields: Mapping[str, Any], name: str) -> list[tuple[object, object]]:
    found = fields.get(name, {})
    if not isinstance(found, dict) or len(found) > MOST_ENTRIES:
        raise _damaged()
    return list(found.items())


LISTS = ("classes", "doubtful", "decimal_commas")


def _of_texts(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields, each a text or, in ``LISTS``, some of them."""
    found: dict[str, Any] = {}
    for name, value in fields.items():
        if name not in LISTS:
            found[name] = _text(value)
        elif isinstance(value, list | tuple) and len(value) <= MOST_ENTRIES:
            found[name] = tuple(map(_text, value))
        else:
            raise _damaged()
    return found


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or not is_storable(value):
        raise _damaged()
    return value


def _damaged() -> BadInput:
    return BadInput(
        "The record of how a subject was read is damaged; expected one as Testimate writes it. Add the same files again."
    )


def read_as(name: str, taken: Sequence[str]) -> str:
    """Return the sentence that says what a file was taken for.

    >>> read_as("votes.csv", ["text in UTF-16", "columns separated by tabs"]).partition(". ")[0]
    'votes.csv is read as text in UTF-16; columns separated by tabs'
    """
    return f"{name} is read as {'; '.join(taken)}. Where that is wrong, save it as CSV UTF-8 with commas."
