"""Which columns of a table are models, each with the class it predicts for every input."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from shlex import quote

from testimate.core.spellings import bare, folded
from testimate.core.words import commas
from testimate.tables.cells import Cells
from testimate.tables.column_evidence import FIRST_ROWS
from testimate.tables.column_names import TRUTHS, in_english
from testimate.tables.first_cells import FEWEST_ROWS, FirstCells
from testimate.tables.roles import is_index_name

USUAL_TRUTHS = frozenset({"label", "y", *TRUTHS})
"""Names under which people keep true labels, in lower-case letters and digits."""


@dataclass(frozen=True)
class ModelColumns:
    """Which columns are models, in the order of the file, and why others are ``left_out``.

    ``truths`` : those of them that seem to hold the truth. ``spellings`` : names of classes of one model that another spells
    otherwise, each with that spelling.
    """

    models: tuple[str, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    truths: tuple[str, ...] = ()
    spellings: Mapping[str, str] = field(default_factory=dict)

    def in_words(self, size: int) -> str:
        """Return what was understood, in one line, and how the truth would be named."""
        models = ", ".join(f"`{name:.60}`" for name in self.models[:MOST_NAMED])
        rest = f" and {commas(len(self.models) - MOST_NAMED)} more" if len(self.models) > MOST_NAMED else ""
        out = ", ".join(f"`{name:.60}` ({why})" for name, why in self.left_out.items())
        line = f"{commas(size)} rows: {commas(len(self.models))} models {models}{rest}{f' · left out: {out}' if out else ''}"
        suspects = (
            f"{name!r:.60} looks like the true labels but is ranked as a model. If so, run again with --truth {quote(name)}"
            for name in self.truths
        )
        return "\n".join((line, *suspects))


MOST_NAMED = 6
"""Models that are named in a sentence; the others are counted."""


def models_among(cells: Cells, names: Sequence[str]) -> ModelColumns:
    """Which of these columns are models: those whose cells are the others' classes.

    Keys, names of files, texts and measurements are left out, and so is a column that shares no class with the others or has
    the name of the truth.
    """
    left_out: dict[str, str] = {}
    words: dict[str, set[str]] = {}
    for name in names:
        first = FirstCells(name, cells.columns[name].slice(0, FIRST_ROWS))
        reason = _no_model(first)
        if reason:
            left_out[name] = reason
        else:
            words[name] = {folded(word) for word in first.filled}
    truths = tuple(name for name in words if _names_truth(name) and _shared(words, name))
    for name in truths:
        left_out[name] = "its name is that of the truth"
    models = [name for name in words if name not in truths]
    if len(models) > 2:
        apart = [name for name in models if not _shared({one: words[one] for one in models}, name)]
        left_out |= dict.fromkeys(apart, "its cells are not the others' classes")
        models = [name for name in models if name not in apart]
    return ModelColumns(tuple(models), left_out, truths)


def _names_truth(name: str) -> bool:
    """Whether a column has the usual name of the truth, in any language whose words are known."""
    called = in_english(name).split()
    return not USUAL_TRUTHS.isdisjoint({bare(" ".join(called)), bare(" ".join(reversed(called)))})


def _no_model(first: FirstCells) -> str:
    """Why a column predicts no classes; "" where it may."""
    if first.size < FEWEST_ROWS:
        return ""
    if first.number_rows or is_index_name(first.column.name):
        return "it numbers the rows"
    if first.are_files:
        return "it names files"
    if first.are_numbers and not first.are_whole:
        return "it contains numbers with decimals"
    return "it differs in nearly every row" if 2 * len(first.filled) > first.size else ""


def _shared(words: Mapping[str, set[str]], name: str) -> bool:
    """Whether at least half of the classes of a column, or of all others together, are those of the others."""
    others = set[str]().union(*(own for one, own in words.items() if one != name))
    common = len(words[name] & others)
    return 2 * common >= min(len(words[name]), len(others) or 1)
