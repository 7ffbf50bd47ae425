"""Which columns of a table a model takes as numbers or texts, and which one beside the inputs holds their labels."""

import math
from collections.abc import Sequence
from itertools import combinations
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.subject import Model
from testimate.core.words import commas
from testimate.datasets.dataset import OpenedDataset
from testimate.datasets.preprocessing import Preprocessing
from testimate.datasets.tables import LABEL, NumberDataset
from testimate.datasets.usual_preprocessings import (
    TriedPreprocessing,
    UsualPreprocessing,
    predicted_classes,
    try_preprocessings,
)
from testimate.models.facts import ModelFacts
from testimate.subjects.class_order import key_of
from testimate.subjects.ways_compared import FEW_LABELS, is_confirmed, possible_ways
from testimate.tables.column_names import words_of
from testimate.tables.few_rows_evidence import OF_KEYS
from testimate.tables.first_cells import looks_like_sentence, same_and_by_chance

LOOKED_AT, TEXTS_LOOKED_AT = 256, 64
"""Rows whose cells are compared with the model's classes, and looked at for sentences."""


def label_by_content(opened: OpenedDataset, classes: Sequence[str]) -> str | None:
    """The only column of a table without labels that holds names of the model's classes and nothing else, else None.

    Or, where the folders that are the labels are no classes of the model, the only depth of folders that are.
    ``classes`` : as the model's own file names them; case, spaces and Unicode form do not count.
    """
    if classes and _in_folders(opened):
        names = {*map(key_of, classes)}
        fitting = [depth for depth, words in opened.words.items() if {*map(key_of, words)} <= names]
        return fitting[0] if len(fitting) == 1 and not {*map(key_of, opened.classes)} <= names else None
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

    Or the only other depth of folders, where folders are the labels. It is the label only if the model agrees with it, as
    ``agrees`` says.
    """
    if (opened.known is not None and not _in_folders(opened)) or facts.class_names or facts.classes < 2:
        return None
    found = [name for name, words in opened.words.items() if len(words) == facts.classes]
    return found[0] if len(found) == 1 else None


def _in_folders(opened: OpenedDataset) -> bool:
    """Whether folders are the labels, and there are others within or around them."""
    return opened.known is not None and opened.known.source == "folders" and bool(opened.words)


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


def columns_taken(
    model: Model, facts: ModelFacts, opened: OpenedDataset, placed: OpenedDataset | None
) -> tuple[str, ...]:
    """The columns of numbers that a model takes where a table has more; () where it takes all, or nothing says which.

    Those that name or count the rows are none. Of the others, known classes decide where the model is right with one choice far
    more often than with any other; else, and where these are too few, those are none whose names say when or where a row was
    measured, if no other one may be the answers.
    ``placed`` : the dataset with its answers as places among the outputs; None where their order is not clear.
    """
    dataset, shape = opened.dataset, facts.input_shape
    if not isinstance(dataset, NumberDataset) or facts.columns or len(shape) != 1 or not shape[0]:
        return ()
    rest = tuple(name for name in dataset.names if name not in dataset.keys)
    if len(rest) <= shape[0]:
        return rest if len(rest) == shape[0] < len(dataset.names) else ()
    named = tuple(name for name in rest if not (OF_KEYS | OF_TIMES) & words_of(name))
    by_name = named if len(named) == shape[0] else ()
    if placed is not None and placed.known is not None and math.comb(len(rest), shape[0]) <= MOST_CHOICES:
        possible = _choices_by_labels(model, placed, [*combinations(rest, shape[0])])
        if possible:
            return possible[0] if len(possible) == 1 else by_name if by_name in possible else ()
    return by_name if opened.known is not None or not _may_be_answers(facts, dataset, named) else ()


OF_TIMES = frozenset({"year", "month", "day", "week", "hour"})
"""Words in the name of a number that says when a row was measured, beside those of keys."""

MOST_CHOICES = 20
"""Choices of columns that are tried on known classes."""


def _choices_by_labels(
    model: Model, placed: OpenedDataset, choices: Sequence[tuple[str, ...]]
) -> Sequence[tuple[str, ...]]:
    """The choices of columns with which the model may be right most often, the best first; none where labels are too few."""
    known = placed.known
    if known is None or known.answers.ndim != 1 or not known.classes or len(known.rows) < FEW_LABELS:
        return ()
    rows = np.unique(np.linspace(0, len(known.rows) - 1, TRIED_ROWS).astype(np.intp))
    tried = list[TriedPreprocessing]()
    for number, some in enumerate(choices):
        way = UsualPreprocessing(str(number), getattr(placed.dataset, "preprocessing", Preprocessing()))
        tried += try_preprocessings(model, placed.with_columns(some), [way], rows=rows)
    tried.sort(key=lambda one: -one.accuracy)
    if not tried or not is_confirmed(tried[0]):
        return ()
    return [choices[int(one.name)] for one in possible_ways(tuple(tried))]


def _may_be_answers(facts: ModelFacts, dataset: NumberDataset, names: Sequence[str]) -> bool:
    """Whether a column may hold what the model says: any number, or the number of a class."""
    if facts.output == "numbers":
        return True
    rows = np.unique(np.linspace(0, len(dataset) - 1, TRIED_ROWS).astype(np.intp))
    values = dataset.with_columns(names).batch(rows)
    return bool((((values % 1) == 0) & (values >= 0) & (values <= max(facts.classes, 2))).all(axis=0).any())


MOST_TRIED_AS_ANSWERS, TRIED_ROWS = 64, 1_000
"""Columns that are tried as the answers, and rows on which the model is run for each."""

CLEARLY, HARDLY = 0.5, 0.2
"""Share of the spread of numbers that a model explains, or its agreement with classes beyond chance: of the answers at least
the first, of any other column below the second."""


def label_by_answers(model: Model, facts: ModelFacts, opened: OpenedDataset) -> str | None:
    """The only column that a model's answers meet if it takes the others, in a table with one column too many; else None."""
    dataset, shape = opened.dataset, facts.input_shape
    if opened.known is not None or not isinstance(dataset, NumberDataset) or facts.columns or len(shape) != 1:
        return None
    names = [name for name in dataset.names if name not in dataset.keys or len(dataset.names) == (shape[0] or 0) + 1]
    if len(names) != (shape[0] or 0) + 1 or len(names) > MOST_TRIED_AS_ANSWERS:
        return None
    layer = "CON" if "CON" in model.roles and facts.output != "numbers" else "OUT"
    width = facts.classes if layer == "CON" else 1
    rows = np.unique(np.linspace(0, len(dataset) - 1, TRIED_ROWS).astype(np.intp))
    met = dict[str, float]()
    numbers = dataset.with_columns(names).batch(rows).astype(np.float64)
    for place, name in enumerate(names if layer in model.roles and facts.widths.get(layer, 2) == width else ()):
        if facts.output != "numbers" and ((numbers[:, place] % 1).any() or numbers[:, place].min() < 0):
            continue  # no places of classes
        said = np.asarray(
            model.run(dataset.with_columns([one for one in names if one != name]).batch(rows), [model.roles[layer]])[
                model.roles[layer]
            ]
        )
        met[name] = (_numbers_met if facts.output == "numbers" else _classes_met)(said, numbers[:, place])
    best = max(met, key=lambda name: met[name], default=None)
    clear = best is not None and met[best] >= CLEARLY and all(met[name] < HARDLY for name in met if name != best)
    return best if clear else None


def _numbers_met(said: NDArray[Any], numbers: NDArray[np.float64]) -> float:
    """The share of the spread of ``numbers`` that one column of answers explains."""
    spread = float(np.var(numbers))
    return 1 - float(np.mean((said[:, 0] - numbers) ** 2)) / spread if spread else 0.0


def _classes_met(said: NDArray[Any], places: NDArray[np.float64]) -> float:
    """The kappa of the predicted classes and of ``places``; 0 where one is beyond those that the model distinguishes."""
    if said.shape[1] > 1 and places.max() >= said.shape[1]:
        return 0.0
    _, codes = np.unique(np.concatenate([places, predicted_classes(said)]), return_inverse=True)
    same, by_chance = same_and_by_chance(codes[: len(places)], codes[len(places) :])
    return (same - by_chance) / (1 - by_chance) if by_chance < 1 else 0.0


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
    _check_pictures_in_rows(opened, shape)
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
    rest = [name for name in names if name not in getattr(opened.dataset, "keys", ())]
    if len(shape) == 1 and opened.known is None and taken + 1 in (len(names), len(rest)):
        columns = names if len(names) == taken + 1 else rest
        besides = "" if columns is names else " that neither number nor name the rows"
        raise UnclearAnswers(
            f"The model takes {commas(taken)} numbers, and the table has {commas(len(columns))} columns of them{besides}. One "
            "seems to be the answers. Expected its name.",
            columns,
        )
    if len(shape) == 1:
        raise BadInput(
            f"The model takes {commas(taken)} numbers, and the table has {commas(len(names))} columns of them "
            f"({', '.join(map(repr, names))!s:.600}). Expected those that it was trained on, in that order. "
            f"{_without_some(opened, names, len(names) - taken)}"
        )


def _check_pictures_in_rows(opened: OpenedDataset, shape: Sequence[int | None]) -> None:
    """BadInput where an array has pictures in rows of numbers, with what makes pictures of them, whose scale is looked at."""
    dataset, sides = opened.dataset, [side or 0 for side in shape if side != 1]
    if not isinstance(dataset, NumberDataset) or dataset.names or len(sides) < 2 or dataset.width != math.prod(sides):
        return
    array = dict(opened.facts).get("array", "").partition(",")[0]
    load, made = f"numpy.load({opened.name!r:.60})", f"reshape(-1, {', '.join(map(str, sides))})"
    way = f"d = {load}; numpy.savez('data.npz', **{{**d, {array!r:.60}: d[{array!r:.60}].{made}}})"
    way = f"numpy.save('data.npy', {load}.{made})" if opened.name.lower().endswith(".npy") else way
    raise BadInput(
        f"The model takes inputs of {' x '.join(map(str, shape))}, and the array has these {commas(dataset.width)} in a row. "
        f"Expected them as the model takes them. In Python: {way}."
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
