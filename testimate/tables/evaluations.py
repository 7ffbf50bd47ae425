"""Which columns of an evaluation are asked, said, expected and judged: by their names, where their cells may be that."""

import re
from collections.abc import Callable, Collection, Mapping
from functools import partial

import numpy as np

from testimate.tables.cells import Cells, Column, pa
from testimate.tables.column_names import in_english, words_of
from testimate.tables.evaluation_names import (
    CLASSES,
    EXAMINED,
    GIVEN,
    MOST_COLUMNS,
    NO_GRADES,
    OF_KEYS,
    WRONG_ONES,
    are_twins,
    ends_in,
    names_by,
)
from testimate.tables.first_cells import FEWEST_ROWS, SOUND_ENDINGS, FirstCells, looks_like_sentence, resemblance
from testimate.tables.pairs import (
    ACTUAL,
    ASKED,
    EXPECTED,
    in_english_without_units,
    pairs_among,
    pairs_in_any_order,
    says_what_came_out,
    systems_among,
)
from testimate.tables.parquet import first_column
from testimate.tables.records import MODELS
from testimate.tables.retrieved import first_texts
from testimate.tables.rows_of_input import CALLED_SYSTEMS
from testimate.tables.rules import FOUND, LATEST, LONE, PAIRED, TRANSLATED
from testimate.tables.score_names import (
    AMOUNT,
    OF_AMOUNTS,
    UNITS,
    fields_of,
    is_in_scores,
    is_of_judge,
    is_of_piece,
    names_judge,
    path_end,
)
from testimate.tasks.verdict import PREFERENCES, RIGHT_OR_WRONG, WITH_SIDES, folded_grade, grade_in_english

FIRST_ROWS = 2_000
"""First rows whose cells decide whether a column can be what its name says."""


def roles_of_evaluation(cells: Cells, taken: Collection[str] = (), *, rules: int = LATEST) -> dict[str, str]:
    """Return the columns by role if these are outputs that people judge, or classes with people's labels; else none.

    ``taken`` : columns that have a role already. ``rules`` : those by which the table is read; older ones know fewer names.
    """
    called: Callable[[str], str] = partial(in_english, rules=rules) if rules >= TRANSLATED else str
    if rules >= FOUND:
        called = in_english_without_units([*cells.columns][:MOST_COLUMNS])
    free: dict[str, str] = {}
    for name in [*cells.columns][:MOST_COLUMNS]:
        path = path_end(called(name))
        path = re.sub(r"_*\._*", ".", path) if rules >= FOUND else path  # __model_response__.text
        if name not in taken and (rules < FOUND or path not in free):
            free[path] = name  # of several entries of a list the first
    if rules >= FOUND:
        free = _with_plurals_as_one(cells, free)
    own = {path: name for path, name in free.items() if rules < PAIRED or not names_judge(name)}
    judged = _found(cells, own, names_by(rules), FITS, rules=rules)
    if rules >= PAIRED and not {"output_a", "output"} & {*judged}:
        judged |= _paired_systems(cells, {name: called(name) for name in free.values()}, taken, rules)
    if rules >= FOUND and _next_of(judged.get("output_a", ""), judged.get("output_b", "")) in cells.columns:
        judged = {role: name for role, name in judged.items() if role not in ("output_a", "output_b")}
    compares = {"output_a", "output_b"} <= {*judged}
    if compares:
        dropped = {"output", "outcome"} if "label" in judged else {"output", "outcome", "label"}
        return {role: name for role, name in judged.items() if role not in dropped}
    judged = {role: name for role, name in judged.items() if role not in ("output_a", "output_b")}
    classes = _found(cells, free, CLASSES, {"outcome": _are_decisions}, rules=min(rules, PAIRED))
    if "outcome" in classes and "label" in free:  # Prodigy: a label that a person accepted or rejected
        undecided = "ignore" in _first_words(cells, classes["outcome"])
        without = ("label", "outcome") if undecided else ("label",)
        return {"prediction": free["label"], **{role: name for role, name in classes.items() if role not in without}}
    if "prediction" in classes:
        if rules < FOUND or not _are_replies(cells, classes["prediction"]):
            return {role: name for role, name in classes.items() if role != "outcome"}
        judged.setdefault("output", classes["prediction"])
    if "output" not in judged and rules >= FOUND:
        judged |= _said_by_model(cells, free)
    if "output" not in judged and "reference" in judged and rules >= FOUND:
        judged = {**_heard(cells, free, judged["reference"]), **judged}
    if "output" not in judged and rules >= PAIRED:
        said = {name for role, name in judged.items() if role != "reference" or rules < FOUND or ACTUAL not in free}
        names = {name: called(name) for name in free.values() if name not in said}
        if rules >= FOUND:
            names = {name: words for name, words in names.items() if not OF_KEYS & words_of(words)}
            names = {name: words for name, words in names.items() if not is_of_judge(words)}
            names = {name: words for name, words in names.items() if not EXAMINED & words_of(words)}
            names = {name: words for name, words in names.items() if words.count(" ") < MOST_WORDS}
            names = {name: words for name, words in names.items() if not WRONG_ONES & words_of(words)}
            names = {name: words for name, words in names.items() if not names_systems(cells, name)}
            names = {name: words for name, words in names.items() if not is_amount(cells, name)}
        true = frozenset() if rules < FOUND else EXPECTED
        judged |= _paired_texts(cells, names, asked="input" in judged, true=true)
    if "output" not in judged or (rules >= FOUND and _is_beyond_judgment(cells, judged)):
        return {}
    if "label" in judged:
        judged.pop("outcome", None)
    return judged


def _next_of(first: str, second: str) -> str:
    """The name that follows two names which a number or a letter tells apart; "" where none does.

    >>> _next_of("Response_1", "Response_2"), _next_of("answer_a", "answer_b"), _next_of("chosen", "rejected")
    ('Response_3', 'answer_c', '')
    """
    other = [place for place, (one, two) in enumerate(zip(first, second, strict=False)) if one != two]
    if len(first) != len(second) or len(other) != 1 or ord(second[other[0]]) - ord(first[other[0]]) != 1:
        return ""
    [place] = other
    return f"{second[:place]}{chr(ord(second[place]) + 1)}{second[place + 1 :]}"


def _are_replies(cells: Cells, name: str) -> bool:
    """Whether the cells of a column are sentences of which most stand in one row alone."""
    texts = FirstCells(name, cells.columns[name].slice(0, FIRST_ROWS))
    return texts.hold_sentences and 2 * len(texts.filled) > texts.size


def _with_plurals_as_one(cells: Cells, free: Mapping[str, str]) -> dict[str, str]:
    """These columns by path, where the plural of a name of a question or an answer is that name if its cells are sentences."""
    found = dict(free)
    for many in ("questions", "answers"):
        one, name = many[:-1], free.get(many)
        if name is not None and not any(one in path.split("_") for path in free):
            text = FirstCells(name, cells.columns[name].slice(0, FIRST_ROWS))
            if text.hold_sentences and not text.are_lists:
                found = {one if path == many else path: column for path, column in found.items()}
    return found


def _is_beyond_judgment(cells: Cells, judged: Mapping[str, str]) -> bool:
    """Whether an output holds numbers, and nothing says what was asked or expected: nobody can judge it."""
    words, asked = _first_words(cells, judged["output"]), judged.get("input")
    if {"reference", "label", "outcome"} & {*judged}:
        return False
    if asked is not None and not all(map(_is_number, _first_words(cells, asked))):
        return False
    return all(map(_is_number, words))


def _said_by_model(cells: Cells, free: Mapping[str, str]) -> dict[str, str]:
    """The only text beside which a field says that a model is the speaker; none where there are more."""
    said = {path: path.rpartition(".") for path in free}
    texts = {free[path]: f"{above}.role" for path, (above, _, field) in said.items() if field in SAID and above}
    of_models = [one for one, role in texts.items() if role in free and _first_words(cells, free[role]) <= MODELS]
    return {"output": of_models[0]} if len(of_models) == 1 and _are_texts(_first_words(cells, of_models[0])) else {}


def _heard(cells: Cells, free: Mapping[str, str], reference: str) -> dict[str, str]:
    """The only transcript, much like what was truly said, where sounds or errors of words are there, too; else none."""
    named = [
        name for path, name in free.items() if path in TRANSCRIPTS and name != reference and _are_long(cells, name)
    ]
    if len(named) != 1 or not _resemble(cells, named[0], reference):
        return {}
    sounds = [
        name
        for name in free.values()
        if all(word.endswith(SOUND_ENDINGS) for word in _first_words(cells, name) or [""])
    ]
    if not sounds and not any(ERRORS_OF_WORDS & words_of(one) for one in cells.columns):
        return {}
    return {**({"input": sounds[0]} if len(sounds) == 1 else {}), "output": named[0]}


def _resemble(cells: Cells, name: str, other: str) -> bool:
    """Whether two columns of texts have many words in common, row for row, as no summary has them with what it is of."""
    texts = [first_texts(FirstCells(one, first_column(cells, one, FIRST_ROWS))) for one in (name, other)]
    return bool(resemblance(*texts).mean() >= LEAST_ALIKE)


LEAST_ALIKE = 0.3
"""Words in common, of all words of what was said and of what was heard."""

TRANSCRIPTS = frozenset({"transcript", "transcription"})
"""Names of what was heard, and of what was truly said."""

SAID = frozenset({"content", "text"})
"""Names of what a speaker said."""


def names_systems(cells: Cells, name: str) -> bool:
    """Return whether a column holds the names of systems: its own name ends in a word for one, and its cells are no texts."""
    last = re.split(r"[\W_]+", path_end(in_english(name)))[-1]
    return last in CALLED_SYSTEMS and not any(" " in word.strip() for word in _first_words(cells, name))


MOST_WORDS = 12
"""Words from which on a name is a sentence, in which a word for a program says nothing."""


def _paired_texts(cells: Cells, called: Mapping[str, str], *, asked: bool, true: frozenset[str]) -> dict[str, str]:
    """The only two columns of texts that say what came out and what was expected, or asked; none where there are more.

    ``asked`` : whether another column is what was asked, so that a single one of what came out is the output.
    ``true`` : words in a name by which it is not what was asked.
    """
    pairs = [*pairs_among(called), *(pairs_in_any_order(called) if true else [])]
    found = [pair for pair in dict.fromkeys(pairs) if all(_are_long(cells, name) for name in pair)]
    if true and not found:  # what was read of forms recurs somewhat oftener in one column
        found = [pair for pair in dict.fromkeys(pairs) if any(_are_long(cells, name) for name in pair)]
        found = [pair for pair in found if all(_are_long(cells, name, least=3) for name in pair)]
    if len(found) == 1:
        return {"output": found[0].came_out, "reference": found[0].expected}
    found = [pair for pair in pairs_among(called, beside=ASKED) if all(_are_long(cells, name) for name in pair)]
    if len(found) == 1:
        return {"output": found[0].came_out, "input": found[0].expected}
    said = [name for name, words in called.items() if says_what_came_out(words) and _are_long(cells, name)]
    named = [name for name, words in called.items() if ASKED & words_of(words) and name not in said]
    named = [name for name in named if not true & words_of(called[name])]
    put = [name for name in named if _are_long(cells, name)]
    if len(said) != 1 or not (asked or len(put) == 1):
        return {}
    return {"output": said[0], **({} if asked else {"input": put[0]})}


def _paired_systems(cells: Cells, called: Mapping[str, str], taken: Collection[str], rules: int) -> dict[str, str]:
    """The only two columns of texts whose names tell two systems apart, with the column of preferences; else none.

    Without one they are called what a model gave, on two sides; numbers may count the answers of one system.

    ``taken`` : columns with a role, of which one may hold the preferences.
    """
    found = [pair for pair in systems_among(called) if all(_are_long(cells, name) for name in pair)]
    if len(found) != 1:
        return {}
    names = [*called, *(name for name in taken if name in cells.columns)]
    preferences = PREFERENCES if rules < FOUND else WITH_SIDES
    better = [name for name in names if len(words := _first_words(cells, name)) > 1 and words <= preferences]
    sides = [fields_of(called[name])[-1] for name in found[0]]
    if not better and rules >= FOUND and all(GIVEN & words_of(side) and not re.search("[0-9]", side) for side in sides):
        return {"output_a": found[0][0], "output_b": found[0][1]}
    if len(better) != 1:
        return {}
    label = {} if better[0] in taken else {"label": better[0]}
    return {"output_a": found[0][0], "output_b": found[0][1], **label}


def _are_long(cells: Cells, name: str, *, least: int = 2) -> bool:
    """Whether the cells of a column are mostly distinct, and no numbers: nobody's classes. ``least`` : one new in so many."""
    words, size = _first_words(cells, name), min(cells.size, FIRST_ROWS)
    return least * len(words) > size and not all(map(_is_number, words))


def roles_beside_output(cells: Cells, output: str, taken: Collection[str], *, rules: int = LATEST) -> dict[str, str]:
    """Return the columns of the question and of the reference beside an output that is known, by their names.

    ``taken`` : columns that have a role already.
    """
    columns = [*cells.columns][:MOST_COLUMNS]
    in_words = in_english_without_units(columns) if rules >= FOUND else in_english
    called = {path_end(in_words(name)): name for name in columns if name not in taken}
    names = {role: ends for role, ends in names_by(rules).items() if role in ("input", "reference")}
    fits: Mapping[str, Fit] = dict.fromkeys(names, _are_texts)
    found = _found(cells, {path: name for path, name in called.items() if name != output}, names, fits, rules=rules)
    if rules >= FOUND and not _is_where(cells, found.get("input", output), output):
        found.pop("input")
    return {role: name for role, name in found.items() if _are_long(cells, name) or role == "input"}


ZERO_OR_ONE = frozenset({"0", "1", "0.0", "1.0"})
"""Numbers by which a judged output is right or wrong."""


DECISIONS = frozenset({"accept", "reject", "ignore"})
"""What a person says about a suggestion."""


Fit = Callable[[set[str]], bool]
"""Whether the words of a column may have a role."""


def _found(
    cells: Cells,
    free: Mapping[str, str],
    names: Mapping[str, tuple[str, ...]],
    fits: Mapping[str, Fit],
    *,
    rules: int,
) -> dict[str, str]:
    """The column of each role, the first whose path ends so and whose cells fit; each column has one role.

    ``rules`` : since ``LONE`` one without any content, and an outcome that is not known in each row, are passed over, and which
    of two outputs is better is said at the top of a record before it is within a part of it, such as a judge's.
    """
    strict, found = rules >= LONE, dict[str, str]()
    of_field: dict[str, list[tuple[str, str]]] = {}
    for path, name in free.items():
        of_field.setdefault(path.rpartition(".")[2], []).append((path, name))
    for role, ends in names.items():
        fitting: list[str] = []
        for end in ends:
            last = end.rpartition(".")[2]
            ending = [
                name
                for path, name in (free.items() if last == "*" else of_field.get(last, ()))
                if ends_in(path, end) and name not in found.values()
            ]
            ending = [name for name in ending if _fits(cells, role, name, end, found, fits.get(role), rules)]
            if strict:
                ending = [name for name in ending if not _says_nothing(cells, role, name, end)]
            if rules >= FOUND:
                output = found.get("output", "")
                ending = [name for name in ending if not is_no_verdict(cells, role, name, output)]
                ending = [name for name in ending if role != "label" or not path_end(name).endswith(NO_GRADES)]
                ending = [name for name in ending if role != "reference" or not are_twins(name, output)]
                ending = [name for name in ending if role != "reference" or not is_of_piece(name)]
                ending = [
                    name for name in ending if not is_in_scores(name) or (role not in TEXTS and _may_grade(role, end))
                ]
                ending = [name for name in ending if role not in ("input", "reference") or _is_filled(cells, name)]
                ending = [name for name in ending if role != "input" or _is_where(cells, name, output)]
                ending = [name for name in ending if role != "input" or not _names_document(cells, name, end)]
                ending = [name for name in ending if role not in TEXTS or not is_amount(cells, name)]
            fitting += sorted(ending, key=lambda name: name.count("."))
            if fitting and not (strict and role == "label" and {"output_a", "output_b"} <= {*found}):
                break
        if fitting:
            found[role] = next((name for name in fitting if strict and "." not in name), fitting[0])
    return found


def _may_grade(role: str, end: str) -> bool:
    """Whether a field in a record of scores is a person's grade: where the name of the grade is that of such a record."""
    return role != "label" or "score" in end


TEXTS = frozenset({"output", "output_a", "output_b", "input", "reference"})
"""Roles of texts that no record of scores has: there a judge's messages stand."""


OF_CALLS = frozenset({"success", "succeeded", "error", "ok"})
"""Words in a status of a call, which do not say whether its answer is right."""


def _says_nothing(cells: Cells, role: str, name: str, end: str) -> bool:
    """Whether a column holds too little for its role: one word in all rows, or a word for where an input is from."""
    if role == "outcome":
        called = end == "status" and bool(OF_CALLS & _first_words(cells, name))
        return called or bool(Column(name, cells.columns[name]).is_empty.any())
    if role != "input" or cells.size < FEWEST_ROWS:
        return False
    return len(_first_words(cells, name)) < 2 or (end in ("source", "src", "task") and not _are_long(cells, name))


def is_amount(cells: Cells, name: str) -> bool:
    """Return whether a column says how many tokens, seconds or dollars something took, or lists tokens by their numbers.

    However its path ends. Lists are compared as grades are, without brackets.
    """
    words = re.split("[^a-z0-9]+", path_end(in_english(name)).replace("_", " "))
    return bool(OF_AMOUNTS & {*words} or words[-1] in UNITS) and all(map(AMOUNT.fullmatch, _first_words(cells, name)))


LEAST_FILLED = 0.1
"""Share of rows that hold what was asked or expected."""


def _is_filled(cells: Cells, name: str) -> bool:
    """Whether a column says something in more than a few of the first rows."""
    return bool((~first_column(cells, name, FIRST_ROWS).is_empty).mean() >= LEAST_FILLED)


def _is_where(cells: Cells, name: str, output: str) -> bool:
    """Whether a column says something in half of the rows with an output at least, as what was asked does."""
    if output not in cells.columns:
        return True
    given, empty = (~first_column(cells, output, FIRST_ROWS).is_empty, first_column(cells, name, FIRST_ROWS).is_empty)
    return 2 * int(empty[given].sum()) <= int(given.sum())


def _names_document(cells: Cells, name: str, end: str) -> bool:
    """Whether a column called a document or an article holds its name, which several rows have, and not its text."""
    words = _first_words(cells, name) if end in ("document", "article") else set()
    return bool(words) and not _are_long(cells, name) and not any(map(looks_like_sentence, words))


WENT = frozenset({"success", "status", "result", "base_status"})
"""Names of whether a call went well, or whether its answer is right."""


PARTS_OF_CALLS = frozenset(
    {"result", "response", "request", "execution", "exec", "call", "api", "run", "http", "trace"}
)
"""Words in the name of a record about a call."""


OF_GRADING = frozenset(
    {"pass", "passed", "score", "scores", "grading", "graded", "assert", "asserts", "assertion", "correct"}
)
"""Words in the names of other columns by which one of these says whether an answer is right."""


OF_INPUT = frozenset({"doc", "document", "item", "example", "instance", "input", "inputs"})
"""Names of a record of what was asked, in which no verdict on its answer stands."""


def is_no_verdict(cells: Cells, role: str, name: str, output: str) -> bool:
    """Return whether the cells of an outcome or a label contradict its name: it says how a call went, or the same in each row.

    ``output`` : the column that is judged, "" if it is not known.
    """
    words = _first_words(cells, name)
    *above, field = path_end(in_english(name)).split(".")
    if role == "label":
        return bool(above and above[-1] in OF_INPUT) or (
            cells.size >= FEWEST_ROWS and len(words) == 1 and all(map(_is_number, words)) and not words <= ZERO_OR_ONE
        )
    if role != "outcome" or field not in WENT:
        return False
    if PARTS_OF_CALLS & {word for part in above[-1:] for word in part.split("_")}:
        return True
    others = {word for one in cells.columns if one != name for word in words_of(one)}
    if len(words) < 2 and cells.size >= FEWEST_ROWS:
        return not OF_GRADING & others
    return output in cells.columns and _fails_without(cells, name, output)


def _fails_without(cells: Cells, name: str, output: str) -> bool:
    """Whether two words tell the rows with an output from those without one."""
    went, given = Column(name, cells.columns[name]), Column(output, cells.columns[output])
    return len(went.words) == 2 and len(np.unique(went.places * 2 + given.is_empty)) == 2 and bool(given.is_empty.any())


SPOKEN, ERRORS_OF_WORDS = frozenset({"pred_text", "hyp"}), frozenset({"wer", "cer", "mer"})
"""Names of what was heard, and words in the names of shares of words that were heard wrong."""


RIGHT_ANSWER = "right_answer"
"""A name of the reference, or of what stands to the right of another answer."""


def _fits(cells: Cells, role: str, name: str, end: str, found: Mapping[str, str], fits: Fit | None, rules: int) -> bool:
    """Whether the cells of a column may have this role."""
    words = _first_words(cells, name)
    if end == "messages" and all(map(_is_number, words)):
        return False
    if end == RIGHT_ANSWER and any("left" in words_of(one) for one in cells.columns):
        return False
    heard = path_end(found.get("output", ""))
    spoken = heard in SPOKEN
    if rules >= FOUND and not spoken and found.get("output"):
        spoken = heard == "hypothesis" or any(ERRORS_OF_WORDS & words_of(one) for one in cells.columns)
    if not words or (end in ("text", "transcript") and role == "reference" and not spoken):
        return False
    if role == "label" and {"output_a", "output_b"} <= {*found}:
        return words <= (PREFERENCES if rules < FOUND else WITH_SIDES) or _are_shares_of_two(words)
    if rules >= FOUND:
        words = {*map(grade_in_english, words)}
    return fits is None or fits(words)


def _first_words(cells: Cells, name: str) -> set[str]:
    """The distinct filled cells of the first rows, as grades are compared."""
    column = first_column(cells, name, FIRST_ROWS)
    if pa.types.is_boolean(column.cells.type):
        return {word.lower() for word in column.words.to_pylist() if word}
    return {folded_grade(word) for word in column.words.to_pylist() if word}


def _is_number(word: str) -> bool:
    return re.fullmatch(r"[+-]?[0-9]+\.?[0-9]*([eE][+-]?[0-9]+)?", word) is not None


def _are_shares_of_two(words: set[str]) -> bool:
    """Whether these are preferences between 1, the first, and 2, the second, as a weighted judge writes them."""
    return all(_is_number(word) and 1 <= float(word) <= 2 for word in words)


def _are_right_or_wrong(words: set[str]) -> bool:
    return words <= RIGHT_OR_WRONG


def _are_decisions(words: set[str]) -> bool:
    """Whether a person accepted or rejected what was suggested."""
    return words <= DECISIONS


def are_grades(words: set[str]) -> bool:
    """Return whether these are right or wrong in some words, or whole numbers of a scale."""
    numbers = [float(word) for word in words if _is_number(word)]
    scale = len(numbers) == len(words) and min(numbers) >= 0 and max(numbers) <= 10
    return words <= RIGHT_OR_WRONG or scale


def _are_texts(words: set[str]) -> bool:
    """Whether these are no verdicts."""
    return not words <= RIGHT_OR_WRONG


FITS: Mapping[str, Fit] = {
    "output": _are_texts,
    "output_a": _are_texts,
    "output_b": _are_texts,
    "outcome": _are_right_or_wrong,
    "label": are_grades,
}
"""What must stand in a column of outputs that has a role by its name."""
