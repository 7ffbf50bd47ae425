"""Which columns of a table a model takes as numbers or texts, and which one beside the inputs holds their labels."""

import math
from collections.abc import Sequence
from shlex import quote

from testimate.core.errors import BadInput
from testimate.core.words import commas
from testimate.datasets.dataset import OpenedDataset
from testimate.datasets.tables import LABEL, NumberDataset
from testimate.models.facts import ModelFacts
from testimate.subjects.class_order import key_of
from testimate.tables.first_cells import looks_like_sentence

LOOKED_AT, TEXTS_LOOKED_AT = 256, 64
"""Rows whose cells are compared with the model's classes, and looked at for sentences."""


def label_by_content(opened: OpenedDataset, classes: Sequence[str]) -> str | None:
    """The only column of a table without labels that holds names of the model's classes and nothing else, else None.

    ``classes`` : as the model's own file names them; case, spaces and Unicode form do not count.
    """
    if opened.known is not None or not opened.columns or not classes:
        return None
    if opened.reading is None or not opened.reading.roles:
        cells = {name: {*words} for name, words in opened.words.items()}
    else:
        shown = [dict(opened.dataset.show(row).cells) for row in range(min(len(opened.dataset), LOOKED_AT))]
        cells = {name: {row.get(name, "") for row in shown} for name in opened.columns} | {
            name: {*words} for name, words in opened.words.items()
        }
    names = {*map(key_of, classes)}
    found = [name for name, words in cells.items() if len(words) > 1 and {*map(key_of, words)} <= names]
    return found[0] if len(found) == 1 else None


def label_by_count(opened: OpenedDataset, facts: ModelFacts) -> str | None:
    """The only column of classes beside inputs without labels that has as many as a model without names for its own, else None.

    It is the label only if the model agrees with it, as ``agrees`` says.
    """
    if opened.known is not None or facts.class_names or facts.classes < 2:
        return None
    found = [name for name, words in opened.words.items() if len(words) == facts.classes]
    return found[0] if len(found) == 1 else None


def text_by_content(opened: OpenedDataset) -> str | None:
    """The only column of a table of numbers that holds sentences, mostly different ones, else None."""
    if opened.dataset.modality != "tabular":
        return None
    shown = [opened.dataset.show(row).cells for row in range(min(len(opened.dataset), TEXTS_LOOKED_AT))]
    cells: dict[str, list[str]] = {}
    for name, cell in (pair for row in shown for pair in row):
        cells.setdefault(name, []).append(cell)
    texts = [name for name, some in cells.items() if 2 * sum(map(looks_like_sentence, some)) > len(shown)]
    texts = [name for name in texts if 2 * len({*cells[name]}) > len(shown)]
    return texts[0] if len(texts) == 1 else None


def columns_taken(facts: ModelFacts, opened: OpenedDataset) -> tuple[str, ...]:
    """The columns of numbers without those that name or count the rows, if a model takes as many; () where it takes all."""
    dataset, shape = opened.dataset, facts.input_shape
    if (
        not isinstance(dataset, NumberDataset)
        or facts.columns
        or len(shape) != 1
        or len(dataset.names) <= (shape[0] or 0)
    ):
        return ()
    keys = dataset.keys
    rest = tuple(name for name in dataset.names if name not in keys)
    return rest if len(rest) == shape[0] else ()


class UnclearAnswers(BadInput):
    """A table has one column of numbers more than a model takes.

    ``found`` : the sentence without what to do. ``columns`` : those that may be the answers.
    """

    def __init__(self, found: str, columns: Sequence[str]) -> None:
        ways = " or ".join(f"--label {quote(name)}" for name in dict.fromkeys((columns[-1], columns[0])))
        super().__init__(f"{found} Say which, such as {ways}.")
        self.found, self.columns = found, tuple(columns)


def check_columns(facts: ModelFacts, opened: OpenedDataset) -> None:
    """BadInput where a table has another number of columns of numbers than the model takes, and what to do about it.

    Or where one of them has a gap, unless the model says which columns it takes.
    """
    gaps = opened.dataset.gaps if isinstance(opened.dataset, NumberDataset) and not facts.columns else {}
    names: Sequence[str] = [*getattr(opened.dataset, "names", ()), *gaps]
    shape = facts.input_shape
    if gaps and (None in shape or len(names) == shape[-1]):
        raise next(iter(gaps.values()))
    if not names or facts.columns or None in shape or len(names) == shape[-1]:
        return
    taken = math.prod(side or 1 for side in shape)
    if len(shape) > 1 and len(names) == taken:
        label = opened.reading.with_role(LABEL) if opened.reading else ()
        pixels = f"t.drop(columns={list(label)!r:.60})" if label else "t"
        sides = ", ".join(str(side) for side in shape if side != 1)
        answers = f", y_test=t[{label[0]!r:.60}]" if label else ""
        raise BadInput(
            f"The model takes pictures of {' x '.join(map(str, shape))}, and the table has these {commas(taken)} in a row. "
            f"Expected pictures. In Python: t = pandas.read_csv({opened.name!r:.60}); numpy.savez('data.npz', "
            f"x_test={pixels}.to_numpy('uint8').reshape(-1, {sides}){answers})."
        )
    if len(shape) == 1 and len(names) == taken + 1 and opened.known is None:
        raise UnclearAnswers(
            f"The model takes {commas(taken)} numbers, and the table has {commas(len(names))} columns of them. One seems to be "
            "the answers. Expected its name.",
            names,
        )
    if len(shape) == 1:
        raise BadInput(
            f"The model takes {commas(taken)} numbers, and the table has {commas(len(names))} columns of them "
            f"({', '.join(map(repr, names))!s:.600}). Expected those that it was trained on, in that order. "
            f"{_without_some(opened, names, len(names) - taken)}"
        )


def _without_some(opened: OpenedDataset, names: Sequence[str], more: int) -> str:
    """How columns that the model does not take are left out: those that name or count the rows, and some of the others."""
    if more < 0:
        return "Give it the table that it was trained for."
    keys = [name for name in names if name in getattr(opened.dataset, "keys", ())][:more]
    rest = [name for name in names if name not in keys]
    last = rest[len(rest) - (more - len(keys)) :]
    read = "read_parquet" if opened.name.lower().endswith(".parquet") else "read_csv"
    which = f"{', '.join(map(repr, keys))!s:.200}, which numbers or names the rows" if keys else ""
    if last:
        which += (
            f"{', and ' if keys else ''}{commas(len(last))} of the others, such as {', '.join(map(repr, last))!s:.300}"
        )
    return (
        f"Leave out {which}. In Python: import pandas; pandas.{read}({opened.name!r:.60}).drop(columns={[*keys, *last]!r:.500})"
        ".to_parquet('data.parquet')."
    )
