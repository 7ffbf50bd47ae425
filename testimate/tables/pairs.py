"""Columns that belong together by their names: what came out and what was expected, and flags of labels."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from testimate.core.spellings import bare
from testimate.tables.cells import Array, Cells, Column, pa
from testimate.tables.column_names import (
    BETTER,
    MODEL_NAMES,
    OF_PREDICTIONS,
    PREDICTING,
    in_english,
    without_units,
    word_set,
)
from testimate.tables.parquet import pieces_of
from testimate.tables.records import column_of
from testimate.tables.rules import LATEST
from testimate.tasks.verdict import A_BETTER, B_BETTER, preferred

CAME_OUT = word_set("""
    pred preds predicted prediction predictions ypred yhat model ai machine auto automatic automated algorithm system llm bot
    classifier generated output response answer completion reply assistant detected inferred computed estimated estimate
    estimates forecast matched recognized classified suggested extracted transcribed translated ocr asr
""")
"""Words in a name that say that a program gave what stands there."""

BY_PROGRAM = CAME_OUT | word_set(
    "tool app software scanner device robot engine says gpt chatgpt recommended recommendation suggestion proposed"
)
"""The same in the name of a column of answers with which another one agrees."""

SURELY_BY_PROGRAM = word_set("ai llm bot chatgpt gpt algorithm classifier automated suggested ocr says")
"""Those of them that say so alone; the others need a word for an answer."""

OF_ANSWERS = word_set("""
    decision label labels verdict finding disposition diagnosis tag tags assessment classification judgment recommendation
    choose chose chosen decided said
""")
"""Words in a name for what was given as an answer, and for no feature."""

MAY_BE_FEATURES = word_set("model system machine tool app software device engine scanner robot")
"""Words for programs that are those of other things, too, such as the model of a car."""

OF_REPLIES = word_set("output response answer completion reply generated")
"""Words for what came out that people's answers are called by, too."""

ABOUT_ANSWERS = word_set("""
    id ids nr num number idx index key name version date time type year reason confidence probability score cost latency tokens
    seconds ms error impact adoption exposure use used usage generated written skill skills risk replacement integration
    investment experience readiness familiarity knowledge trust attitude frequency training policy you your is has
""")
"""Words in a name by which something else stands there than the answer: about an answer, or what people think of programs."""

LONE = word_set(
    "model system machine auto ai algorithm output response bot llm tool app software scanner device robot engine gpt"
)
"""Those of them that say little in the name of a column without a partner: model is the name of a car, too."""

REFERENCE = word_set("reference ref gold true truth groundtruth gt actual observed measured expected correct ytrue")
"""Words in a name that say that a prediction should meet what stands there, whoever gave it."""

SURELY_PERSONS = word_set("""
    human expert manual annotator reviewer teacher examiner doctor clinician physician nurse radiologist pathologist
    dermatologist agronomist lawyer attorney inspector auditor moderator editor adjuster underwriter veterinarian librarian hand
""")
"""Words in a name that say that a person gave what stands there."""

PERSONS = SURELY_PERSONS | word_set("""
    humans experts specialist specialists rater teachers professor cardiologist neurologist ophthalmologist botanist biologist
    geologist ecologist taxonomist linguist engineer technician analyst agent curator operator consensus adjudicated crowd
    histopathology pathology histology biopsy autopsy laboratory
""")
"""The same, or a laboratory, beside the name of a program: an agent or an operator may be one, too."""

MACHINES = (BY_PROGRAM - OF_REPLIES) | word_set("""
    modeled modelled ml automatically network proposal simulated simulation calculated
""")
"""Words in a name that say that a program gave what stands there, beside a person's name or that of the truth."""

EXPECTED = (
    (REFERENCE - {"measured"})
    | SURELY_PERSONS
    | word_set("""
    golden ideal desired intended target label labels annotated reviewed verified confirmed corrected
""")
)
"""Words in a name that say what should have come out, or what a person said."""

OF_ANY_LABEL = frozenset({"label", "labels", "target"})
"""Those of them that a program's answer is called by, too, where another word says so."""

ASKED = word_set("input prompt question query request user customer asked")
"""Words in a name that say what was asked, beside what came out."""

ACTUAL, BESIDE_ACTUAL = "actual", word_set("expected reference ideal desired intended")
"""The word that says what came out beside one of these, and what is true beside a prediction."""


SYSTEMS = (("a", "b"), ("1", "2"), ("left", "right"))
"""Words that tell the outputs of two systems apart."""


class PairedColumns(NamedTuple):
    """The column of what came out and the column of what was expected."""

    came_out: str
    expected: str


def pairs_among(names: Mapping[str, str], *, beside: frozenset[str] = EXPECTED) -> list[PairedColumns]:
    """Return the pairs of columns whose names differ in one word, which says what came out and what was expected.

    ``names`` : how each column is called, by its name. ``beside`` : the words of the second, ``ASKED`` for what was put in.

    >>> pairs_among({name: name for name in ("id", "actual_call", "expected_call", "note")})
    [PairedColumns(came_out='actual_call', expected='expected_call')]
    """
    sides: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for name, called in names.items():
        words = _in_order(called)
        for place, word in enumerate(words):
            if word in CAME_OUT or word in beside:
                sides.setdefault((*words[:place], "", *words[place + 1 :]), []).append((word, name))
    found = []
    for rest, columns in sides.items():
        if not any(rest) and ACTUAL not in {word for word, _ in columns}:
            continue
        expected = {word for word, _ in columns if word in beside}
        out = CAME_OUT | ({ACTUAL} if expected & BESIDE_ACTUAL else set())
        came = [name for word, name in columns if word in out]
        true = [name for word, name in columns if word in beside and word not in out]
        found += [PairedColumns(came[0], true[0])] if len(came) == len(true) == 1 else []
    return found


SETTLED = word_set("resolved settled final ist")
"""Words that say so, too, in a name that has all other words of what a program gave: a sentence tells that they did."""

SMALL = word_set("in of by from the a da de do das dos du des del della la le el von der die das des dem van het")
"""Words in a name that say nothing alone."""


def pairs_in_any_order(names: Mapping[str, str]) -> list[PairedColumns]:
    """Return the pairs of columns whose names have the same words but those that say what came out and what was expected.

    ``names`` : as in ``pairs_among``.

    >>> pairs_in_any_order({name: name for name in ("ai decision", "decision of the human", "ai score", "decision date")})
    [PairedColumns(came_out='ai decision', expected='decision of the human')]
    """
    sides: dict[frozenset[str], tuple[list[str], list[str]]] = {}
    expected = (EXPECTED - OF_ANY_LABEL) | SETTLED
    of_systems = {name for pair in systems_among(names) for name in pair}
    for name, called in names.items():
        if name in of_systems:
            continue  # of which neither is the only one
        words = frozenset(re.findall(r"[^\W_]+", re.sub("(?<=[a-z])(?=[A-Z])", " ", called).casefold())) - SMALL
        came, true = bool(words & BY_PROGRAM), bool(words & expected)
        rest = words - BY_PROGRAM - expected
        if rest and came != true:
            sides.setdefault(rest, ([], []))[true].append(name)
    return [PairedColumns(came[0], true[0]) for came, true in sides.values() if len(came) == len(true) == 1]


def says_what_came_out(name: str, words_for: frozenset[str] = CAME_OUT) -> bool:
    """Return whether a name says by itself that a program gave what stands there; ``words_for`` : the words that do.

    >>> says_what_came_out("Model estimate"), says_what_came_out("model")
    (True, False)
    """
    words = {*_in_order(name)}
    return bool(words_for & words) and not words <= LONE


def says_program_answered(name: str) -> bool:
    """Return whether a name says by itself that a program gave the answer there, and is not that of a key or of a program.

    >>> [says_program_answered(name) for name in ("AI disposition", "Model year", "model decision", "App says", "bot_id")]
    [True, False, True, True, False]
    """
    words = {*_in_order(name)}
    sure = words & SURELY_BY_PROGRAM and not words <= LONE
    answers = words & OF_ANSWERS and (words - OF_ANSWERS) & (BY_PROGRAM - OF_REPLIES)
    return bool(sure or answers) and not words & ABOUT_ANSWERS


def says_who(words: str) -> bool:
    """Return whether words say that a program gave something, or a person, or which system did.

    >>> says_who("(AI)"), says_who("(gt)"), says_who("(a)"), says_who("(EN)")
    (True, True, True, False)
    """
    known = {one for pair in SYSTEMS for one in pair} | CAME_OUT | EXPECTED | ASKED | MODEL_NAMES
    return bool(known & {*_in_order(words)})


def in_english_without_units(names: Sequence[str]) -> Callable[[str], str]:
    """Return what gives the English of a name, without the unit or the language in parentheses behind it."""
    plain = {name: one for name, one in without_units(names).items() if not says_who(name[len(one) :])}
    return lambda name: in_english(plain.get(name, name), LATEST)


def systems_among(names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the pairs of columns whose names differ in one word that tells two systems apart.

    >>> systems_among({name: name for name in ("source", "System A", "System B")})
    [('System A', 'System B')]
    """
    known = {_in_order(called): name for name, called in names.items()}
    return [
        (name, known[other])
        for words, name in known.items()
        for place, word in enumerate(words)
        for one, two in SYSTEMS
        if word == one and len(words) > 1 and (other := (*words[:place], two, *words[place + 1 :])) in known
    ]


def differ_in_one_word(name: str, other: str) -> bool:
    """Return whether two names have the same words but for one, as those of what two systems gave; fields of one record do not.

    >>> differ_in_one_word("base_answer", "lora_answer"), differ_in_one_word("output.title", "output.text")
    (True, False)
    """
    one, two = _in_order(name), _in_order(other)
    if "." in name and name.rpartition(".")[0] == other.rpartition(".")[0]:
        return False
    same = sum(first == second for first, second in zip(one, two, strict=False))
    return len(one) == len(two) == same + 1 > 1


def differing_word(name: str, other: str) -> tuple[int, str] | None:
    """Return the word of a name that another one of as many words lacks, with its place; None where it is no single one.

    >>> differing_word("base_answer", "lora_answer"), differing_word("answer", "answer")
    ((0, 'base'), None)
    """
    words = [*enumerate(_in_order(name))]
    found = [one for one, second in zip(words, _in_order(other), strict=False) if one[1] != second]
    return found[0] if len(found) == 1 else None


def has_word(name: str, place: int, word: str) -> bool:
    """Return whether a name has a word at a place.

    >>> has_word("base_score", 0, "base"), has_word("score_base", 0, "base")
    (True, False)
    """
    return _in_order(name)[place : place + 1] == (word,)


def _in_order(name: str) -> tuple[str, ...]:
    """The words of a name in their order, in lower case; the two of ground truth and of y true are one."""
    plain = re.sub("(?<=[a-z])(?=[A-Z])", " ", name).casefold()
    plain = re.sub(r"\b(ground|y)[ _-]*(truth|true|pred|hat)\b", r"\1\2", plain.replace("_", " "))
    return tuple(word for word in re.split(r"[\W_]+", plain) if word)


FLAGS = frozenset({"0", "1", "0.0", "1.0", "true", "false"})
"""What stands in a column that tells which rows have a label."""

FIRST_FLAGS = 1_000
"""First cells that show in most columns that they are no flags."""


class LabelsOfFlags(NamedTuple):
    """Columns of labels by their new names, the columns of flags they replace, and a sentence about them."""

    columns: Mapping[str, Array]
    instead: Collection[str]
    note: str


def labels_of_flags(cells: Cells, *, paths: bool) -> LabelsOfFlags | None:
    """Return the labels of each row where columns flag each label, as ``pred_red`` and ``true_red`` do.

    None where fewer than two labels have flags, or another column is a prediction or a label by its name.

    ``paths`` : whether a path to a field deep in a record may name a label, as in older readings.
    """
    sides = [_by_rest(cells.columns, words) for words in (PREDICTING, EXPECTED)]
    sides = [{label: name for label, name in one.items() if paths or not {".", "["} & {*label}} for one in sides]
    said, true = ({label: name for label, name in one.items() if are_flags(cells, name)} for one in sides)
    if len(said) < 2 or {bare(name) for name in cells.names} & {"label", *OF_PREDICTIONS}:
        return None
    if not true:
        plain = {name.casefold(): name for name in cells.columns}
        true = {label: plain[label] for label in said if label in plain and are_flags(cells, plain[label])}
    if true and {*true} != {*said}:
        return None
    made = {"prediction": _labels(cells, said), **({"label": _labels(cells, true)} if true else {})}
    names = [*said.values()]
    note = f"{names[0]!r:.60}, {names[1]!r:.60} and the like say yes or no to a label each, and are read as sets of labels."
    return LabelsOfFlags(made, {*names, *true.values()}, note)


def winner_of_flags(cells: Cells) -> LabelsOfFlags | None:
    """Return which of two outputs is better where a column flags each side, and perhaps a tie, as ``winner_model_a`` does.

    None where a row has no flag, or several.
    """
    named = _by_rest(cells.columns, BETTER).items()
    sides = {word: name for word, name in named if preferred(word) is not None and word != "c"}  # a third side
    if not {A_BETTER, B_BETTER} <= {*map(preferred, sides)} or "winner" in {bare(name) for name in cells.names}:
        return None
    if not all(are_flags(cells, name) for name in sides.values()):
        return None
    told = _labels(cells, sides)
    if not {*told.unique().to_pylist()} <= {*sides}:
        return None
    names = " and ".join(f"{name!r:.40}" for name in sides.values())
    note = f"{names} say yes or no to one side each, and are read as which output is better."
    return LabelsOfFlags({"winner": told}, {*sides.values()}, note)


def _by_rest(names: Iterable[str], words: Collection[str]) -> dict[str, str]:
    """The columns whose names begin or end in one of these words, by the rest of the name."""
    return {rest: name for name in names for rest in _rests(name, words)}


def _rests(name: str, words: Collection[str]) -> Iterator[str]:
    folded = name.casefold()
    for pattern in (r"(y[ _]?)?(?P<word>[a-z]+)[_ .:-]+(?P<rest>.+)", r"(?P<rest>.+)[_ .:-]+(?P<word>[a-z]+)"):
        match = re.fullmatch(pattern, folded)
        if match is not None and match["word"] in words:
            yield match["rest"]
            return


def are_flags(cells: Cells, name: str) -> bool:
    """Return whether every cell of a column says yes or no."""
    first = Column(name, pa.chunked_array([next(pieces_of(cells.columns, name)).slice(0, FIRST_FLAGS)]))
    if not {*map(str.casefold, first.words.to_pylist())} <= FLAGS:
        return False
    return {*map(str.casefold, Column(name, cells.columns[name]).words.to_pylist())} <= FLAGS


def _labels(cells: Cells, flags: Mapping[str, str]) -> Array:
    """The labels of each row, as lists in JSON; of rows with one label each the labels."""
    columns = [(label, Column(name, cells.columns[name])) for label, name in sorted(flags.items())]
    held = []
    for label, column in columns:
        yes = [word.casefold() in ("1", "1.0", "true") for word in column.words.to_pylist()]
        held.append([label if yes[place] else "" for place in column.places.tolist()])
    return column_of([[label for label in row if label] for row in zip(*held, strict=True)])
