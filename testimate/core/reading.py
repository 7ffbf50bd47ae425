"""What was understood of a table's, a dataset's or a model's files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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


def read_as(name: str, taken: Sequence[str]) -> str:
    """Return the sentence that says what a file was taken for.

    >>> read_as("votes.csv", ["text in UTF-16", "columns separated by tabs"]).partition(". ")[0]
    'votes.csv is read as text in UTF-16; columns separated by tabs'
    """
    return f"{name} is read as {'; '.join(taken)}. Where that is wrong, save it as CSV UTF-8 with commas."
