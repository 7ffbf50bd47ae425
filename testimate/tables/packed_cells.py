"""Cells that hold more than one value: a class with the chances of all as JSON, a verdict before an output, lists of chances
or of answers."""

import ast
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from testimate.core.errors import BadInput
from testimate.core.spellings import bare, folded
from testimate.core.words import commas
from testimate.tables import limits
from testimate.tables.cells import Array, Cells, Column, pa
from testimate.tables.cells_of_evaluations import with_evaluations_opened
from testimate.tables.chats import with_chats_in_parquet
from testimate.tables.column_names import CHANCES, CHOICES, OF_PREDICTIONS, TRUTHS, words_of
from testimate.tables.evaluation_names import is_called_output
from testimate.tables.evaluation_records import OF_OUTPUTS, OF_RECORD, OF_TRY
from testimate.tables.evaluations import roles_of_evaluation
from testimate.tables.first_cells import FEWEST_ROWS, FirstCells, looks_like_sentence
from testimate.tables.first_row import with_first_row, without_rows_of_header
from testimate.tables.last_rows import without_totals
from testimate.tables.likeliest import CALLED_CLASSES, MOST_IN_ALL, NAMES, are_chances, likeliest_class, note_on
from testimate.tables.pairs import labels_of_flags, winner_of_flags
from testimate.tables.parquet import ParquetColumns, is_text, pieces_of
from testimate.tables.prompts import OUTPUT, SUCCESS
from testimate.tables.records import column_of, columns_of_values, parted
from testimate.tables.rules import ASKED, BY_CONTENT, COUNTED, FOUND, LONE, PAIRED, TOLD, TRANSLATED
from testimate.tables.score_names import path_end
from testimate.tables.telling import CHANCES_IN_ALL
from testimate.tables.tool_cells import with_known_classes, with_labels_of_lines, with_likeliest_of_lists
from testimate.tasks.classification import form_of_sets, names_in_set

OF_TRUTHS = frozenset({"label", *TRUTHS})
"""Names of a column of the truth."""

LISTS, FLAGS = "lists in cells", "flags of labels"
"""What tells a table with opened lists, or with the labels of flags, from the same one as it was read before."""

VERDICT = re.compile(r"\[(PASS|FAIL|ERROR)\]\s*")
"""What promptfoo writes before an output in its CSV; behind [FAIL] stands a reason, and the output below a line."""

BRACES = re.compile(r"""\{[^{}:"']*\}""")
"""Words in braces, with commas between them."""

SCORED, SCORED_LIST, MOST_IN_LIST = "classes with scores in", re.compile(r"""\[\s*\{\s*["']"""), 10_000
"""What tells a table with such lists from the same one as it was read before, how one begins, and its most characters."""

BETWEEN_OBJECTS = re.compile(r"\}\s+\{")
"""What stands between the objects of a list as NumPy prints it."""

SCORED_ALONE = re.compile(r"""\{\s*["']""")
"""How a class with its score begins that is no list."""

WRAPPED = re.compile(r"(?:(?:np|numpy|torch|tf|jnp)\.)?(?:[A-Za-z]\w*_|u?int\d+|float\d+|bool_?|tensor|array)\((.+)\)")
"""One value as NumPy or PyTorch prints it, such as np.str_('cat') or tensor(3)."""

FURTHER_OF_TENSOR = re.compile(r", (?:dtype|device|grad_fn|requires_grad)=.*")
"""What stands behind the value of a tensor."""

BETWEEN_WORDS = re.compile(r"""(?<=['"])\s+(?=['"])""")
"""What stands between the words of a list as NumPy prints it."""

UNWRAPPED = "values in their wrapping"
"""What tells a table with such cells from the same one as it was read before."""

BELOW = "\n---\n"


def with_opened_cells(cells: Cells, rules: int) -> Cells:
    """Return a table with the chats and the answers in its cells in columns of their own; ``rules`` : as in ``content``."""
    if rules < BY_CONTENT:
        return cells
    cells = cells.by(rules)
    cells = with_known_classes(with_labels_of_lines(cells)) if rules >= FOUND else cells
    cells = without_totals(cells) if rules >= FOUND else cells
    cells = with_first_row(without_rows_of_header(cells, rules), rules) if rules >= LONE else cells
    cells = with_chats_in_parquet(cells) if rules >= ASKED else cells
    cells = _with_unpacked_cells(cells) if rules >= TOLD else cells
    cells = _with_lists_for_braces(cells, tags=rules >= FOUND) if rules >= COUNTED else cells
    cells = _with_unwrapped_cells(cells) if rules >= FOUND else cells
    cells = with_likeliest_of_lists(cells) if rules >= FOUND else cells
    cells = _with_lists_opened(cells) if rules >= TRANSLATED else cells
    cells = _with_scored_classes(cells, alone=rules >= FOUND) if rules >= PAIRED else cells
    cells = _with_rows_of_tries(cells) if rules >= LONE else cells
    if rules >= FOUND:
        cells = _with_right_choices(_with_chosen_answers(_with_values_of_objects(with_evaluations_opened(cells))))
        cells = _with_what_should_be(cells)
    flags = labels_of_flags(cells, paths=rules < FOUND) if rules >= PAIRED else None
    if flags is not None and rules >= FOUND and "label" not in flags.columns and _has_answered_question(cells):
        flags = None  # they are what several judges say about the answer
    flags = winner_of_flags(cells) if flags is None and rules >= FOUND else flags
    return cells if flags is None else _with_columns(cells, *flags, change=FLAGS)


def _has_answered_question(cells: Cells) -> bool:
    """Whether a table has a question and an output of sentences, by their names."""
    found = roles_of_evaluation(cells)
    output = found.get("output", "")
    return "input" in found and output in cells.columns and FirstCells(output, cells.columns[output]).are_sentences


def _with_lists_opened(cells: Cells) -> Cells:
    """Return a table whose predictions are lists with a column of chances for each class, a row for each answer, or sets."""
    said = {
        name: lists for name in cells.columns if _is_called(name, OF_PREDICTIONS) and (lists := _lists(cells, name))
    }
    if len(said) != 1:
        return cells
    [(name, predictions)] = said.items()
    true = {one: lists for one in cells.columns if _is_called(one, OF_TRUTHS) and (lists := _lists(cells, one))}
    answers = {name: predictions, **true}
    if len({*map(len, predictions)}) == 1 and all(
        are_chances(one) and sum(one) > CHANCES_IN_ALL for one in predictions
    ):
        return _with_chances_of_lists(cells, name, predictions)
    if all({*one} <= {0, 1} for lists in answers.values() for one in lists) and _are_as_long(answers.values()):
        sets = {one: _column_of_sets(lists) for one, lists in answers.items()}
        note = f"Lists of 0 and 1 in {' and '.join(map(repr, sets))!s:.120} are sets of classes, by their place from 0."
        return _with_columns(cells, sets, [*sets], note)
    if isinstance(cells.columns, ParquetColumns) or not _are_rows([*answers.values()]):
        return cells
    return _with_rows_of_lists(cells, predictions)


def _with_scored_classes(cells: Cells, *, alone: bool) -> Cells:
    """Return a table with the likeliest class of each list of classes with scores that stands in its cells as text.

    ``alone`` : whether one class with its score need not be in a list.
    """
    for name in [*cells.columns]:
        lists = _scored_classes(cells, name, alone=alone)
        if lists is not None:
            first, likeliest = parted(columns_of_values(name, lists))
            note = note_on([name]) if isinstance(lists[0], list) else ""
            if not note:  # the class takes the place of the object, its score stands beside it
                classes = [one for one in first if bare(one.rpartition(".")[2]) in CALLED_CLASSES | NAMES]
                first = {(name if one == classes[0] else one): column for one, column in first.items()}
            cells = _with_columns(cells, {**first, **likeliest}, [name], note, change=f"{SCORED} {name}")
    return cells


def _scored_classes(cells: Cells, name: str, *, alone: bool) -> list[Any] | None:
    """The lists of classes with scores in a column of texts, as JSON or as Python writes them; None where a cell is none."""
    first = next(pieces_of(cells.columns, name)).slice(0, 1)
    start = str(first[0].as_py() if len(first) and is_text(first.type) else "")
    kind = list if SCORED_LIST.match(start) else dict if alone and SCORED_ALONE.match(start) else None
    if kind is None or len(start) > MOST_IN_LIST:
        return None
    parse = json.loads if '"' in start else ast.literal_eval
    found: list[Any] = []
    for text in cells.columns[name].to_pylist():
        try:
            text = BETWEEN_OBJECTS.sub("}, {", text or "") if alone else text
            one = parse(text) if text and len(text) <= MOST_IN_LIST else None
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return None
        entries = one if isinstance(one, list) else [one]
        if not one or not isinstance(one, kind) or likeliest_class(name, entries) is None:
            return None
        found.append(one)
    return found


def _with_unwrapped_cells(cells: Cells) -> Cells:
    """Return a table with the value of each cell that holds one as a program prints it, or a list of that one alone.

    Lists stay where others of the table have several values; words between which NumPy sets no comma get one.
    """
    found, alone, several = dict[str, Array](), list[str](), False
    for name in cells.columns:
        first = next(pieces_of(cells.columns, name)).slice(0, LOOKED_AT)
        some = Column(name, pa.chunked_array([first])).words.to_pylist() if is_text(first.type) else [""]
        if not any(some) or not all(text.startswith("[") or WRAPPED.fullmatch(text) for text in some if text):
            continue
        column = Column(name, cells.columns[name])
        words = column.words.to_pylist()
        parted = [BETWEEN_WORDS.sub(", ", text) for text in words]
        values = [_unwrapped(text) for text in parted]
        if None not in values:
            alone += [name] if any(text.startswith("[") for text in words) else []
        elif parted != words:
            values, several = [*parted], True
        else:
            several = several or FirstCells(name, pa.chunked_array([first])).list_several
            continue
        found[name] = pa.chunked_array([pa.array(values, pa.large_string()).take(pa.array(column.places))])
    kept = {*alone} if several else set()
    found = {name: column for name, column in found.items() if name not in kept}
    return _with_columns(cells, found, [], "", change=UNWRAPPED) if found else cells


LOOKED_AT = 100
"""First rows that show in most columns that their cells are no wrapped values."""


def _unwrapped(text: str) -> str | None:
    """The one value in a wrapping, as text, "" of an empty cell; None where there is none, or are several."""
    if not text:
        return ""
    match = WRAPPED.fullmatch(text)
    inner = FURTHER_OF_TENSOR.sub("", match[1]) if match else text
    if len(inner) > MOST_IN_LIST:
        return None
    try:
        value = ast.literal_eval(inner)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        try:
            value = json.loads(inner)
        except (ValueError, RecursionError):
            return None
    while isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    return str(value) if isinstance(value, str | int | float) else None


def _is_called(name: str, names: Collection[str]) -> bool:
    return bare(name.rpartition(".")[2]) in names


def _with_chances_of_lists(cells: Cells, name: str, lists: Sequence[Sequence[Any]]) -> Cells:
    """Return a table with the chances of each class in a column of its own; as it is where some have such names already."""
    values = np.array(lists, dtype=np.float64)
    chances = {f"p_{place}": pa.chunked_array([pa.array(values[:, place])]) for place in range(values.shape[1])}
    if any(one.casefold().startswith("p_") for one in cells.names):
        return cells
    note = f"The lists in {name!r:.60} are the chances of the classes, from 0 to {len(chances) - 1}."
    return _with_columns(cells, chances, [name], note)


def _with_columns(
    cells: Cells, columns: Mapping[str, Array], instead: Collection[str], note: str, *, change: str = LISTS
) -> Cells:
    """Return a table with these columns instead of some, and with a sentence about them."""
    held = cells.columns
    rest = {name: column for name, column in held.items() if name not in instead} if isinstance(held, dict) else {}
    made = held.opened(instead, columns) if isinstance(held, ParquetColumns) else {**rest, **columns}
    return replace(cells, columns=made, notes=(*cells.notes, *filter(None, [note])), changes=(*cells.changes, change))


def _column_of_sets(lists: Sequence[Sequence[int]]) -> Array:
    """Lists of 0 and 1 as sets of the places of a 1."""
    return column_of([[str(place) for place, one in enumerate(values) if one] for values in lists])


def _are_as_long(answers: Iterable[Sequence[Sequence[Any]]]) -> bool:
    """Whether all lists of many rows have as many values, more than one."""
    lengths = {len(one) for lists in answers for one in lists}
    return len(lengths) == 1 and max(lengths) > 1 and all(len(lists) >= FEWEST_ROWS for lists in answers)


def _are_rows(answers: Sequence[Sequence[Sequence[Any]]]) -> bool:
    """Whether lists are answers to many inputs each: as long in each row, and with repetitions, which no set of names has."""
    lengths = [[*map(len, lists)] for lists in answers]
    if any(one != lengths[0] for one in lengths) or sum(lengths[0]) < FEWEST_ROWS:
        return False
    numbers = all(isinstance(value, int | float) for one in answers[0] for value in one)
    repeat = [len({*map(str, one)}) < len(one) for one in answers[0] if len(one) > 1]
    return not (numbers and _are_as_long(answers)) and 2 * sum(repeat) > len(repeat) > 0


def _with_rows_of_lists(cells: Cells, predictions: Sequence[Sequence[Any]]) -> Cells:
    """Return a table with a row for each value of its lists of this length; other cells are repeated."""
    lengths = [*map(len, predictions)]
    limits.check_text_shape(sum(lengths), len(cells.columns))
    places = pa.array(np.repeat(np.arange(cells.size), lengths))
    columns: dict[str, Array] = {}
    for name, column in cells.columns.items():
        lists = _lists(cells, name)
        if lists is not None and [*map(len, lists)] == lengths:
            columns[name] = column_of([value for one in lists for value in one])
        else:
            columns[name] = column.take(places)
    many = f"Each of the {commas(cells.size)} records lists" if cells.size > 1 else "The record lists"
    note = f"{many} the answers to several inputs. Each of these is a row."
    notes, changes = (*cells.notes, note), (*cells.changes, LISTS)
    return replace(cells, columns=columns, size=sum(lengths), notes=notes, changes=changes)


def with_first_of_lists(cells: Cells, name: str) -> Cells:
    """Return a table with the first of each list in a column in its place; BadInput where the column has no lists."""
    texts = cells.columns[name].to_pylist() if name in cells.columns and is_text(cells.columns[name].type) else []
    form = form_of_sets({text or "" for text in texts})
    if form is None:
        raise BadInput(
            f"The prediction {name!r:.60} contains no lists, whose first should be read. Expected a list such as "
            '["cat", "owl"] in each row. Leave --read lists out, or choose that column: --column prediction=NAME.'
        )
    first = pa.array([next(iter(names_in_set(text or "", form.form)), "") for text in texts], pa.large_string())
    note = f"Of each list in {name!r:.60} the first is the prediction."
    return _with_columns(cells, {name: pa.chunked_array([first])}, [name], note, change="first of lists")


def _with_rows_of_tries(cells: Cells) -> Cells:
    """Return a table whose records list several outputs, and perhaps whether each is right, with a row for each."""
    if isinstance(cells.columns, ParquetColumns) or {OF_RECORD, OF_TRY} & {*cells.columns}:
        return cells
    lists = {
        name: found for name in cells.columns if (found := _lists(cells, name)) and any(len(one) > 1 for one in found)
    }
    flags = [name for name, found in lists.items() if all(isinstance(value, bool) for one in found for value in one)]
    texts = [name for name, found in lists.items() if all(isinstance(value, str) for one in found for value in one)]
    beside = [name for name in texts if len(flags) == 1 and [*map(len, lists[name])] == [*map(len, lists[flags[0]])]]
    if not beside:
        called = [name for name in texts if path_end(name).rpartition(".")[2] in OF_OUTPUTS]
        beside = [
            name for name in called if all(len(one) > 1 and any(map(looks_like_sentence, one)) for one in lists[name])
        ]
        if len(beside) != 1:
            return cells
    lengths = [*map(len, lists[beside[0]])]
    opened = _with_rows_of_lists(cells, lists[beside[0]])
    places = {OF_RECORD: np.repeat(np.arange(cells.size), lengths), OF_TRY: np.concatenate([*map(np.arange, lengths)])}
    made = {name: pa.chunked_array([pa.array(values)]) for name, values in places.items()}
    return replace(opened, columns={**made, **opened.columns})


NEARLY_ALL = 0.9
"""Share of the filled cells that are objects with one field."""


def _with_values_of_objects(cells: Cells) -> Cells:
    """Return a table with the value alone in columns whose cells are objects with one field.

    That field is called as another column, or its values recur, as classes do; of a text, what stands around it may count.
    """
    held = cells.columns
    if isinstance(held, ParquetColumns):
        return cells
    for name in [name for name, column in held.items() if _first_text(column).lstrip().startswith("{")]:
        texts = [text or "" for text in held[name].to_pylist()]
        objects = [_single_field(text) for text in texts]
        fields = {one[0] for one in objects if one is not None}
        known = sum(one is not None for one in objects) >= NEARLY_ALL * sum(map(bool, texts))
        if len(fields) != 1 or not known:
            continue
        values = [text if one is None else one[1] for text, one in zip(texts, objects, strict=True)]
        if fields & ({*held} - {name}) or 2 * len({*values}) <= len(values):
            note = f"The cells of {name!r:.60} are objects with {min(fields)!r:.40} alone, whose value is read."
            columns = {**cells.columns, name: column_of(values)}
            changes = (*cells.changes, f"values of {name}")
            cells = replace(cells, columns=columns, notes=(*cells.notes, note), changes=changes)
    return cells


def _single_field(text: str) -> tuple[str, str] | None:
    """The name and the value of the only field of an object in a text; None of any other text."""
    try:
        held = json.loads(text) if text.lstrip().startswith("{") and len(text) <= MOST_IN_LIST else None
    except (ValueError, RecursionError):
        return None
    [field] = held.items() if isinstance(held, dict) and len(held) == 1 else [("", None)]
    return (field[0], str(field[1])) if isinstance(field[1], str | int | float) else None


CHOSEN = ("model_answer", "correct_answer", "is_correct", "confidence")
"""The columns of the likeliest of several answers, of the right one, of whether they are the same, and of its chance."""

NEARLY_ALL_AMONG = 0.9
"""Share of the rows whose output is one of the row's choices, where the others say something else."""

RIGHT_ONE = frozenset({"answer", "label", "target", "gold", "correct"})
"""Words in the name of the place of the right one among several answers."""


def _with_chosen_answers(cells: Cells) -> Cells:
    """Return a table of questions with the likeliest of their choices as the output, and the right one if it is known."""
    held, others = cells.columns, {*CHOSEN, "output", "prediction", "sut", "outcome"}
    if isinstance(held, ParquetColumns) or others & {*map(str.casefold, cells.names)}:
        return cells
    chances = {name: found for name in held if CHANCES & words_of(name) and (found := _lists(cells, name))}
    lists = {name: found for name in held if bare(name) in CHOICES and (found := _lists(cells, name))}
    if len(chances) != 1 or len(lists) != 1:
        return cells
    [(name, shares)], [(named, choices)] = chances.items(), lists.items()
    if not all(are_chances(one) and sum(one) > CHANCES_IN_ALL for one in shares) or [*map(len, shares)] != [
        *map(len, choices)
    ]:
        return cells
    said = [str(one[values.index(max(values))]) for values, one in zip(shares, choices, strict=True)]
    made: dict[str, Any] = {CHOSEN[0]: said, CHOSEN[3]: [*map(max, shares)]}
    true = [one for one in held if RIGHT_ONE & words_of(one) and _are_places(Column(one, held[one]), choices)]
    if len(true) == 1:
        places = Column(true[0], held[true[0]]).values.astype(np.intp)
        right = [str(one[place]) for place, one in zip(places, choices, strict=True)]
        made |= {CHOSEN[1]: right, CHOSEN[2]: [one == other for one, other in zip(said, right, strict=True)]}
    note = f"Of the answers in {named!r:.60} the one with the largest chance in {name!r:.60} is the output."
    columns = {new: column_of(values) for new, values in made.items()}
    return _with_columns(cells, columns, [name, *true], note, change="chosen answers")


def _with_right_choices(cells: Cells) -> Cells:
    """Return a table with the text of the right choice instead of its place, where outputs are the texts of choices."""
    held = cells.columns
    if isinstance(held, ParquetColumns):
        return cells
    for name in [name for name in held if CHOICES & {*map(bare, name.split(".")[-2:])}]:
        choices = _lists(cells, name)
        if choices is None or not all(choices):
            continue
        said = [one for one in held if is_called_output(one) and _are_among(held[one], choices)]
        true = [one for one in held if RIGHT_ONE & words_of(one.rpartition(".")[2])]
        true = [one for one in true if _are_places(Column(one, held[one]), choices)]
        if not said or len(true) != 1:
            continue
        places = Column(true[0], held[true[0]]).values.astype(np.intp)
        right = [str(one[place]).strip() for place, one in zip(places, choices, strict=True)]
        note = f"The places in {true[0]!r:.60} are shown as the choices in {name!r:.60} that they stand for."
        return _with_columns(cells, {true[0]: column_of(right)}, [true[0]], note, change="right choices")
    return cells


def _with_what_should_be(cells: Cells) -> Cells:
    """Return a table with the classes of another column where a column says that each should be, as in ``should_block``."""
    if isinstance(cells.columns, ParquetColumns):
        return cells
    for name in [name for name, column in cells.columns.items() if SHOULD_BE.match(_first_text(column))]:
        column = Column(name, cells.columns[name])
        words = column.words.to_pylist()
        rests = [SHOULD_BE.sub("", word) for word in words]
        if len(words) > MOST_THAT_SHOULD or not all(SHOULD_BE.match(word) for word in words if word):
            continue
        known = {folded(one) for one in rests if one}
        others = [
            Column(one, cells.columns[one]) for one in cells.columns if one != name and is_text(cells.columns[one].type)
        ]
        if not any(
            known <= {*map(folded, one.words.to_pylist())} for one in others if len(one.words) <= MOST_THAT_SHOULD
        ):
            continue
        made = pa.chunked_array([pa.array(rests, pa.large_string()).take(pa.array(column.places))])
        note = f"{words[0]!r:.40} and the like in {name!r:.60} are read as {rests[0]!r:.40}, which should be there."
        cells = _with_columns(cells, {name: made}, [], note, change=f"what should be in {name}")
    return cells


SHOULD_BE, MOST_THAT_SHOULD = re.compile(r"(?:should|must)[_ -](?:be[_ -])?(?!not)", re.IGNORECASE), 1000
"""How a class is written that should be predicted, and the most classes of such."""


def _are_among(column: Array, choices: Sequence[Sequence[Any]]) -> bool:
    """Whether nearly all texts of a column are among the choices of their row."""
    if not is_text(column.type):
        return False
    texts = zip(column.to_pylist(), choices, strict=True)
    among = [folded(str(text or "")) in {folded(str(one)) for one in some} for text, some in texts]
    return sum(among) >= NEARLY_ALL_AMONG * len(among)


def _are_places(column: Column, choices: Sequence[Sequence[Any]]) -> bool:
    """Whether the cells of a column are places in these lists, from 0."""
    if not column.has_numbers_alone or not column.is_whole:
        return False
    return all(0 <= place < len(one) for place, one in zip(column.values, choices, strict=True))


def _lists(cells: Cells, name: str) -> list[list[Any]] | None:
    """The lists of plain values in the cells of a column; None where a cell is none."""
    first = next(pieces_of(cells.columns, name)).slice(0, 1)
    if not is_text(first.type) or not str(first[0].as_py() if len(first) else "").startswith("["):
        return None
    try:
        found = [json.loads(text or "null") for text in cells.columns[name].to_pylist()]
    except (ValueError, RecursionError):
        return None
    plain = all(isinstance(one, list) and not any(isinstance(value, list | dict) for value in one) for one in found)
    return found if plain else None


def _with_lists_for_braces(cells: Cells, *, tags: bool) -> Cells:
    """Return a table with sets such as {a, b}, as PostgreSQL writes arrays, as lists in JSON.

    ``tags`` : whether <a><b>, as Stack Exchange writes its tags, is a set, too.
    """
    if isinstance(cells.columns, ParquetColumns):
        return cells
    found = {
        name: lists
        for name, column in cells.columns.items()
        if (lists := _lists_in_braces(column)) is not None or (tags and (lists := _lists_of_tags(column)) is not None)
    }
    return replace(cells, columns={**cells.columns, **found}) if found else cells


def _lists_in_braces(column: Array) -> Array | None:
    """The cells of a column as lists in JSON if all are words in braces; else None."""
    if BRACES.fullmatch(_first_text(column)) is None:
        return None
    texts = [text or "" for text in column.to_pylist()]
    if not all(map(BRACES.fullmatch, texts)):
        return None
    return _in_json([[name.strip() for name in text[1:-1].split(",") if name.strip()] for text in texts])


TAG = re.compile("<([^<>/]+)>")


def _lists_of_tags(column: Array) -> Array | None:
    """The cells of a column as lists in JSON if all are tags or empty, of which some have several; else None."""
    if not _first_text(column).startswith("<"):
        return None
    texts = [(text or "").strip() for text in column.to_pylist()]
    names = [TAG.findall(text) for text in texts]
    sets = all(TAG.sub("", text) == "" for text in texts) and any(len(some) > 1 for some in names)
    return _in_json(names) if sets else None


def _in_json(lists: Sequence[Sequence[str]]) -> Array:
    return pa.chunked_array([pa.array(map(json.dumps, lists), pa.large_string())])


def _with_unpacked_cells(cells: Cells) -> Cells:
    """Return a table with the values of such cells in columns of their own; Parquet, which has structs, is left as it is."""
    if isinstance(cells.columns, ParquetColumns):
        return cells
    judged = [
        name for name, column in cells.columns.items() if _first_text(column).startswith("[") and _verdicts(column)
    ]
    columns: dict[str, Array] = {}
    for name, column in cells.columns.items():
        if name in judged:
            columns |= _outputs(name, column)
        elif _first_text(column).startswith("{") and (answers := _answers(column)) is not None:
            columns |= parted(columns_of_values(name, answers))[0]
        else:
            columns[name] = column
    return cells if columns.keys() == cells.columns.keys() else replace(cells, columns=columns)


def _first_text(column: Array) -> str:
    return str(column[0].as_py() or "") if is_text(column.type) and len(column) else ""


def _answers(column: Array) -> list[Mapping[str, Any]] | None:
    """The objects of a column, each a class with its chances; None where a cell is no such object."""
    if _answer(_first_text(column)) is None:
        return None
    found = [_answer(text or "") for text in column.to_pylist()]
    answers = [one for one in found if one is not None]
    return answers if len(answers) == len(found) else None


def _answer(text: str) -> Mapping[str, Any] | None:
    """The object in a text, if it has a word and the chances of classes; else None."""
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(held, dict) or not any(isinstance(value, str) for value in held.values()):
        return None
    return held if any(map(_are_chances, held.values())) else None


def _are_chances(value: object) -> bool:
    """Whether this is an object with the chances of several classes, of which one is right."""
    return isinstance(value, dict) and are_chances([*value.values()]) and sum(value.values()) >= 2 - MOST_IN_ALL


def _verdicts(column: Array) -> bool:
    return all(text is not None and VERDICT.match(text) for text in column.to_pylist())


def _outputs(name: str, column: Array) -> dict[str, Array]:
    """The outputs of a column, and whether each passed, as two columns."""
    texts = column.to_pylist()
    outputs = [VERDICT.sub("", text, count=1).rpartition(BELOW)[2] for text in texts]
    passed = [text.startswith("[PASS]") for text in texts]
    return {
        name + OUTPUT: pa.chunked_array([pa.array(outputs, pa.large_string())]),
        name + SUCCESS: pa.chunked_array([pa.array(passed)]),
    }
