"""What the fields of other tools' evaluations are: one table of names, and what must stand in a column for its name to count.

A name is the end of a path: ``choices.message.content`` is that of ``output.choices[0].message.content``, and ``*`` any field.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.spellings import remembered
from testimate.tables.cells import Cells, Column, pa
from testimate.tables.column_names import in_english, word_set, words_of
from testimate.tables.evaluation_records import OF_RECORD
from testimate.tables.first_cells import FEWEST_ROWS, TIME, FirstCells, say_the_same
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
from testimate.tables.rules import COUNTED, FOUND, LATEST, LONE, PAIRED, TOLD, TRANSLATED
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
from testimate.tasks.verdict import PREFERENCES, RIGHT_OR_WRONG, WITH_SIDES, folded_grade

FIRST_ROWS = 2_000
"""First rows whose cells decide whether a column can be what its name says."""


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FURTHER: Mapping[int, Mapping[str, tuple[str, ...]]] = {
    LONE: {
        "output_a": _names("response1 answer1 output1 completion1"),
        "output_b": _names("response2 answer2 output2 completion2"),
        "output": _names("""
            model_patch choices.turns choices.turns.content model_outputs generated_response generated_code generated_sql
            predicted_sql llm_output llm_response llm_answer ai_output ai_response ai_answer bot_response bot_answer
            chatbot_response rag_answer rag_response assistant_response system_output system_response agent_output
            agent_response agent_answer final_output final_response final_answer full_response raw_output raw_response
            candidate_answer actual_answer actual_response response_text answer_text responses.content output_list code_list
            completions generations responses ys
        """),
        "input": _names("""
            origin_prompt user_query user_question user_prompt user_message problem_statement question_content question_text
            query_text full_prompt test_input
        """),
        "reference": _names("""
            expected_answer expected_response ground_truth_answer golden_answer gold_answers reference_text
            reference_summary reference_code target_text gold_patch correct_answers
        """),
        "outcome": _names("graded_list accs"),
    },
    FOUND: {
        "output": _names("""
            output_messages responses.text completions.content outputs.text outputs.content generations.text
            generations.content candidates.text candidates.content replies.text replies.content
        """),
        "input": _names("value.messages input_messages messages"),
        "outcome": _names("follow_all_instructions"),
        "reference": _names("expect expects expectation truth post_edited postedited post_edit"),
    },
}
"""Names known since some rules, after the earlier ones of each role."""

EARLIER: Mapping[str, tuple[str, ...]] = {
    "output_a": _names("""
        output_1 response_a answer_a completion_a output_a response_1 answer_1 completion_1 conversation_a.output
        answer1_body chosen.output chosen
    """),
    "output_b": _names("""
        output_2 response_b answer_b completion_b output_b response_2 answer_2 completion_2 conversation_b.output
        answer2_body rejected.output rejected
    """),
    "output": _names("""
        filtered_resps output.completion choices.message.content response.output actual_output completions.text
        predicted_text gen_ai.output.messages gen_ai.completion output.value pred_text predicted_answer pred_answer
        prediction_text sampled messages.output conversations.output conversation.output model_answer model_output
        model_response output_text generated_text generation generated completion response response_preview resps
        hypothesis solution output outputs answer reply output.content response.content output.text generated_summary
        generated_answer mt model_response.text hyp
    """),
    "input": _names("""
        arguments.gen_args_0.arg_0 prompt.raw instance.input.text user_input instruction gen_ai.input.messages
        gen_ai.prompt input.value question audio_filepath request.messages request.messages.input prompt input inputs
        query problem messages.input conversations.input conversation.input conversation_a.input chosen.input request
        request_preview arguments input.messages article source src document
    """),
    "reference": _names("""
        references.output.text expected_output canonical_solution ground_truth ground_truths reference reference_output
        reference_outputs reference_answer gold_answer correct_answer target gold ideal expected best_answer answers answer text
        highlights ref transcript
    """),
    "label": _names("""
        preference winner scores.*.value scores.value judgments.decision label human_preference verdict grade rating
        annotations.value.rating assessments.feedback.value human_score score.value
        human_verdict human_grade human_rating vote
    """),
    "outcome": _names("""
        acc exact_match success passed pass is_correct correct grading_result.pass result base_status stats.exact_match
        status match matches matched is_match
    """),
}
NAMES = {
    role: (*names, *(name for further in FURTHER.values() for name in further.get(role, ())))
    for role, names in EARLIER.items()
}
"""The names of each role, the most telling first."""

CALLED_AS_BOTH = frozenset(_names("answer answers solution solutions completion completions summary text"))
"""Names of an output that datasets give to what is right, too."""

SINCE: Mapping[str, int] = {
    **dict.fromkeys(_names("output.content response.content output.text generated_summary generated_answer mt"), TOLD),
    **dict.fromkeys(_names("input.messages article source src highlights ref"), TOLD),
    **dict.fromkeys(_names("model_response.text hyp transcript"), COUNTED),
    **dict.fromkeys(
        _names("match matches matched is_match human_verdict human_grade human_rating vote document"), PAIRED
    ),
    **{name: since for since, further in FURTHER.items() for names in further.values() for name in names},
}
"""The first rules by which some of these names are known; tables read by those before do not know them."""

UNTIL: Mapping[str, int] = {"judgments.decision": PAIRED}
"""The last rules by which some names are known: what a judge decided is no truth where the label stands beside it."""

CLASSES: Mapping[str, tuple[str, ...]] = {
    "prediction": _names("""
        predictions.result.value.choices predictions.result.value.rating suggestion suggestion.value prediction.label
        predictions.label options.id prediction
    """),
    "label": _names("""
        annotations.result.value.choices annotations.result.value.rating responses responses.value annotation.label
        annotation accept
    """),
    "confidence": _names("predictions.score suggestion.score prediction.score options.meta options.score meta.score"),
    "outcome": ("answer",),
    "text": ("data.text", "text"),
    "image": ("data.image",),
    "audio": ("data.audio",),
}
"""The same for labels that people gave to predicted classes: Label Studio, Argilla, Prodigy."""

NO_ROLE = frozenset({"result.success", "response.success", "request.success"})
"""Ends of paths that look like one of these names: whether a call was answered, not whether the answer is right."""

INPUT_KEYS = _names(
    "doc_id question_id pair_id task_id instance.id instance_id sample_id test_idx prompt_id item_id example_id id"
)
"""Names of the key of an input, which several rows may have: one for each epoch, filter or annotator."""

SEVERAL_BY = _names("epoch filter annotator repeat seed run train_trial_index provider.id judge turn")
"""Names of what tells the rows of one input apart."""


@dataclass(frozen=True)
class SeveralRows:
    """Several rows of one input: the column of its key, the column that tells its rows apart, and the number of inputs."""

    key: str
    by: str
    inputs: int


def several_rows(cells: Cells, given: str | None = None) -> SeveralRows | None:
    """Return how the rows belong to inputs if an input has several; else None. ``given`` : the column of inputs, if known."""
    ends = {path_end(name): name for name in cells.columns}
    by = next((ends[name] for name in SEVERAL_BY if name in ends), "")
    keys = [ends[name] for name in INPUT_KEYS if name in ends]
    for name in (*keys, *([given] if given is not None and given in cells.columns else [])):
        column = Column(name, cells.columns[name])
        distinct = len(column.words)
        if (
            by
            and not column.is_empty.any()
            and distinct < cells.size
            and 2 * distinct > cells.size / len(_words(cells, by))
        ):
            return SeveralRows(name, by, distinct)
    return None


MOST_SYSTEMS, MOST_TRIES = 20, 10_000
"""Rows of one input that may be of a system each, and those that may be tries, which a column numbers."""


def rows_of_systems(
    cells: Cells, taken: Collection[str], given: str | None = None, *, true: str | None = None, rules: int = LATEST
) -> SeveralRows | None:
    """Return how the rows belong to inputs if each input has as many, one for each word of the only other column that fits,
    or of several that say the same.

    ``taken`` : columns that say what is predicted, true or sure. ``given`` : the column of inputs, if known. Beside a key by
    its own name alone numbers are no systems but, say, the slices of a patient. ``true`` : the column of the truth, which is
    one for a date that is a key. ``rules`` : since ``FOUND`` rows of one input have one question, and dates may be keys.
    """
    asked = (
        None if given is None or rules < FOUND or given not in cells.columns else Column(given, cells.columns[given])
    )
    free = [name for name in [*cells.columns][:MOST_COLUMNS] if name not in taken]
    sure = [name for name in free if path_end(name) in (*INPUT_KEYS, "qid", "uid", "key") or name == given]
    keys = [*sure, *(name for name in free if name not in sure and "id" in words_of(name))]
    keys += [name for name in free if name not in keys and rules >= FOUND and _dates_tell(cells, name, true)]
    others = [name for name in free if name not in keys]
    systems = [
        name for name in keys if rules >= FOUND and path_end(name) == "key"
    ]  # of lists under keys: a model's, say
    for name in keys if others or systems else ():
        if 2 * len(cells.columns[name].unique()) > cells.size:  # each row has a key of its own, as in most tables
            continue
        places = Column(name, cells.columns[name]).places
        inputs = int(places.max()) + 1
        rows, rest = divmod(cells.size, inputs)
        uneven = (
            rules >= FOUND and name == OF_RECORD and bool(systems)
        )  # of records under keys, which not each system has
        most = MOST_SYSTEMS if rules < FOUND else MOST_TRIES
        if (not uneven and (rest or not 2 <= rows <= most)) or (asked is not None and len(asked.words) > inputs):
            continue
        if inputs < 2 and rules >= FOUND:
            continue
        among = [*others, *(one for one in systems if one != name)]
        columns = [Column(other, cells.columns[other]) for other in among]
        pairs = [one for one in columns if _are_pairs(places, one.places)]
        told = [one.name for one in pairs if len(one.words) == rows]
        told = told or [one.name for one in pairs if uneven and one.name in systems and len(one.words) <= MOST_SYSTEMS]
        answers = None if true is None or true not in cells.columns else Column(true, cells.columns[true]).places
        alike = answers is None or _go_with(places, answers)
        if not told and rules >= FOUND and (both := _told_by_two(places, columns, rows, nested=alike)):
            return SeveralRows(name, both, inputs)
        if rows > MOST_SYSTEMS:
            told = [one for one in told if FirstCells(one, cells.columns[one]).number_classes]
        told = [one for one in told if name in sure or not Column(one, cells.columns[one]).has_numbers_alone]
        if told and all(
            say_the_same(*(FirstCells(one, cells.columns[one]) for one in (told[0], other))) for other in told
        ):
            return SeveralRows(name, told[0], inputs)
    return _rows_of_named_systems(cells, free) if rules >= FOUND else None


CALLED_SYSTEMS = word_set("""
    model models system method algorithm estimator classifier regressor forecaster learner engine approach
""")
"""Words in the name of a column that says which system a row is of."""

MOST_ALONE = 1.5
"""Systems of an input on average, below which most inputs have one row."""


def _rows_of_named_systems(cells: Cells, free: Sequence[str]) -> SeveralRows | None:
    """How the rows belong to inputs that keys, days or times name, where a column named so names the system of each.

    Not every system need have a row for each input. What else is no measured number goes with the input.
    """
    columns = {name: Column(name, cells.columns[name]) for name in free}
    called = [
        one for name, one in columns.items() if words_of(name) & CALLED_SYSTEMS and 2 <= len(one.words) <= MOST_SYSTEMS
    ]
    called = [one for one in called if not one.has_numbers_alone]
    keys = [one for one in columns.values() if one not in called and _names_input(one)]
    rest = [one for one in columns.values() if one not in called and one not in keys]
    rest = [one for one in rest if not one.has_numbers or (one.has_numbers_alone and one.is_whole)]
    for system in called if len(called) == 1 else ():
        for key in sorted(keys, key=lambda one: -len(one.words)):
            for further in [None, *(one for one in keys if one is not key)]:
                places = key.places.astype(np.int64)
                if further is not None:
                    places = np.unique(places * (len(further.words) + 1) + further.places, return_inverse=True)[1]
                inputs = len(np.unique(places))
                if not (inputs >= 2 and MOST_ALONE * inputs <= cells.size and _are_pairs(places, system.places)):
                    continue
                if all(_go_with(places, one.places) for one in rest):
                    by = system.name if further is None else f"{system.name} and {further.name}"
                    return SeveralRows(key.name, by, len(key.words))
    return None


def _names_input(column: Column) -> bool:
    """Whether a column holds keys by its name, or days or times."""
    return path_end(column.name) in INPUT_KEYS or "id" in words_of(column.name) or _are_times(column)


def _are_times(column: Column) -> bool:
    some = column.words[:LOOKED_AT].to_pylist()
    return bool(some) and all(TIME.match(word) for word in some)


LOOKED_AT = 100
"""Distinct cells of a column that are looked at."""


def _dates_tell(cells: Cells, name: str, true: str | None) -> bool:
    """Whether a column holds dates or times of which each has one true answer, and not all the same."""
    if true is None or not {name, true} <= {*cells.columns} or not FirstCells(name, cells.columns[name]).name_things:
        return False
    dates, answers = (Column(one, cells.columns[one]) for one in (name, true))
    return len(answers.words) > 1 and _go_with(dates.places, answers.places)


def _go_with(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether each value of the first has one of the second."""
    pairs = one.astype(np.int64) * (int(other.max()) + 1) + other
    return len(np.unique(pairs)) == len(np.unique(one))


def _told_by_two(places: NDArray[Any], columns: Sequence[Column], rows: int, *, nested: bool) -> str:
    """The only two columns of words that together tell the rows of each input apart, as a model and a criterion; else "".

    ``nested`` : or as a model and a variant that is its own.
    """
    few = [one for one in columns if 2 <= len(one.words) < rows and not one.has_numbers_alone]
    found = []
    for place, one in enumerate(few):
        for other in few[place + 1 :]:
            if len(one.words) * len(other.words) != rows and not nested:
                continue
            both = one.places.astype(np.int64) * len(other.words) + other.places
            same = len(np.unique(both)) == rows and _are_pairs(places, both)
            found += [f"{one.name} and {other.name}"] if same else []
    return found[0] if len(found) == 1 else ""


def _are_pairs(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether no two rows have the same two values."""
    pairs = one.astype(np.int64) * (int(other.max()) + 1) + other
    return len(np.unique(pairs)) == len(pairs)


def _words(cells: Cells, name: str) -> list[str]:
    found: list[str] = Column(name, cells.columns[name]).words.to_pylist()
    return found or [""]


def roles_of_evaluation(cells: Cells, taken: Collection[str] = (), *, rules: int = LATEST) -> dict[str, str]:
    """Return the columns by role if these are outputs that people judge, or classes with people's labels; else none.

    ``taken`` : columns that have a role already. ``rules`` : those by which the table is read; older ones know fewer names.
    """
    called: Callable[[str], str] = partial(in_english, rules=rules) if rules >= TRANSLATED else str
    if rules >= FOUND:
        called = in_english_without_units([*cells.columns][:MOST_COLUMNS])
    free: dict[str, str] = {}
    for name in [*cells.columns][:MOST_COLUMNS]:
        if name not in taken and (rules < FOUND or path_end(called(name)) not in free):
            free[path_end(called(name))] = name  # of several entries of a list the first
    if rules >= FOUND:
        free = _with_plurals_as_one(cells, free)
    own = {path: name for path, name in free.items() if rules < PAIRED or not names_judge(name)}
    judged = _found(cells, own, _names_by(rules), FITS, rules=rules)
    if rules >= PAIRED and not {"output_a", "output"} & {*judged}:
        judged |= _paired_systems(cells, {name: called(name) for name in free.values()}, taken, rules)
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
        return {role: name for role, name in classes.items() if role != "outcome"}
    if "output" not in judged and rules >= FOUND:
        judged |= _said_by_model(cells, free)
    if "output" not in judged and rules >= PAIRED:
        said = {name for role, name in judged.items() if role != "reference" or rules < FOUND or ACTUAL not in free}
        names = {name: called(name) for name in free.values() if name not in said}
        if rules >= FOUND:
            names = {name: words for name, words in names.items() if not OF_KEYS & words_of(words)}
            names = {name: words for name, words in names.items() if not is_of_judge(words)}
            names = {name: words for name, words in names.items() if words.count(" ") < MOST_WORDS}
            names = {name: words for name, words in names.items() if not WRONG_ONES & words_of(words)}
            names = {name: words for name, words in names.items() if not names_systems(cells, name)}
        true = frozenset() if rules < FOUND else EXPECTED
        judged |= _paired_texts(cells, names, asked="input" in judged, true=true)
    if "output" not in judged or (rules >= FOUND and _is_beyond_judgment(cells, judged)):
        return {}
    if "label" in judged:
        judged.pop("outcome", None)
    return judged


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


SAID = frozenset({"content", "text"})
"""Names of what a speaker said."""


def names_systems(cells: Cells, name: str) -> bool:
    """Return whether a column holds the names of systems: its own name ends in a word for one, and its cells are no texts."""
    last = re.split(r"[\W_]+", path_end(in_english(name)))[-1]
    return last in CALLED_SYSTEMS and not any(" " in word.strip() for word in _first_words(cells, name))


WRONG_ONES = frozenset({"wrong", "incorrect", "distractor", "distractors"})
"""Words in the name of an answer that a question offers beside the right one, and that no system gave."""

MOST_WORDS = 12
"""Words from which on a name is a sentence, in which a word for a program says nothing."""

OF_KEYS = frozenset({"id", "ids", "uid", "uuid", "guid", "qid", "idx"})
"""Words in the name of a column that tells rows apart."""


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


def _names_by(rules: int) -> dict[str, tuple[str, ...]]:
    """The names of each role that a set of rules knows."""
    return {
        role: tuple(end for end in ends if SINCE.get(end, rules) <= rules <= UNTIL.get(end, rules))
        for role, ends in NAMES.items()
    }


@remembered
def is_called_input_or_reference(name: str) -> bool:
    """Return whether a name is that of a question, or of what was expected.

    >>> [is_called_input_or_reference(name) for name in ("Question", "doc.target", "text")]
    [True, True, False]
    """
    path = path_end(in_english(name))
    ends = {*NAMES["input"], *NAMES["reference"]} - {"text", "output", "answers", "answer"}
    return any(_ends_in(path, end) for end in ends)


@remembered
def is_called_input(name: str) -> bool:
    """Return whether a name is that of a question.

    >>> [is_called_input(name) for name in ("Question", "doc.target", "user_prompt")]
    [True, False, True]
    """
    return any(_ends_in(path_end(in_english(name)), end) for end in NAMES["input"])


@remembered
def is_called_grade(name: str) -> bool:
    """Return whether a name is that of a grade that a person gave.

    >>> [is_called_grade(name) for name in ("rating", "human_score", "length")]
    [True, True, False]
    """
    return any(_ends_in(path_end(in_english(name)), end) for end in NAMES["label"])


def are_twins(name: str, other: str) -> bool:
    """Return whether two paths are of the same field in two records side by side, and none says that it was expected.

    >>> [are_twins(*names) for names in (("dense.answer", "hybrid.answer"), ("true.answer", "said.answer"), ("a", "a"))]
    [True, False, False]
    """
    parts = [fields_of(in_english(one)) for one in (name, other)]
    above = {word for one in parts for word in one[0].split("_")}
    return len(parts[0]) > 1 and parts[0][0] != parts[1][0] and parts[0][1:] == parts[1][1:] and not EXPECTED & above


@remembered
def is_called_output(name: str, *, above: bool = False) -> bool:
    """Return whether a name is that of what a model gave, or has a word for it and none for what was asked or expected.

    ``above`` : whether the name of the record that it is a field of may say so, too.

    >>> [is_called_output(name) for name in ("choices[0].message.content", "base_answer", "lora output", "correct answer")]
    [True, True, True, False]
    """
    path = path_end(in_english(name))
    parts = path.split(".")[-2 if above else -1 :]
    words = {word for part in parts for word in part.split("_")}
    within = len(parts) > 1 and bool(GIVEN & {*parts[0].split("_")})
    if (EXPECTED | ASKED) & words or (not within and is_called_input_or_reference(name)):
        return False
    return bool(GIVEN & words) or any(_ends_in(path, end) for end in NAMES["output"])


def roles_beside_output(cells: Cells, output: str, taken: Collection[str], *, rules: int = LATEST) -> dict[str, str]:
    """Return the columns of the question and of the reference beside an output that is known, by their names.

    ``taken`` : columns that have a role already.
    """
    columns = [*cells.columns][:MOST_COLUMNS]
    in_words = in_english_without_units(columns) if rules >= FOUND else in_english
    called = {path_end(in_words(name)): name for name in columns if name not in taken}
    names = {role: ends for role, ends in _names_by(rules).items() if role in ("input", "reference")}
    fits: Mapping[str, Fit] = dict.fromkeys(names, _are_texts)
    found = _found(cells, {path: name for path, name in called.items() if name != output}, names, fits, rules=rules)
    if rules >= FOUND and not _is_where(cells, found.get("input", output), output):
        found.pop("input")
    return {role: name for role, name in found.items() if _are_long(cells, name) or role == "input"}


GIVEN = frozenset(
    {
        *(
            "output",
            "outputs",
            "response",
            "responses",
            "answer",
            "answers",
            "reply",
            "replies",
            "completion",
            "completions",
        ),
        *("generation", "generated", "prediction", "predicted", "pred", "hypothesis", "translation", "summary"),
    }
)
"""Words in the name of a text that a model gave."""

MOST_COLUMNS = 2_000
"""Columns whose names are looked at."""


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
                if _ends_in(path, end) and name not in found.values()
            ]
            ending = [name for name in ending if _fits(cells, role, name, end, found, fits.get(role), rules)]
            if strict:
                ending = [name for name in ending if not _says_nothing(cells, role, name, end)]
            if rules >= FOUND:
                output = found.get("output", "")
                ending = [name for name in ending if not is_no_verdict(cells, role, name, output)]
                ending = [name for name in ending if role != "reference" or not are_twins(name, output)]
                ending = [name for name in ending if role != "reference" or not is_of_piece(name)]
                ending = [name for name in ending if role not in TEXTS or not is_in_scores(name)]
                ending = [name for name in ending if role not in ("input", "reference") or _is_filled(cells, name)]
                ending = [name for name in ending if role != "input" or _is_where(cells, name, output)]
                ending = [name for name in ending if role not in TEXTS or not is_amount(cells, name)]
            fitting += sorted(ending, key=lambda name: name.count("."))
            if fitting and not (strict and role == "label" and {"output_a", "output_b"} <= {*found}):
                break
        if fitting:
            found[role] = next((name for name in fitting if strict and "." not in name), fitting[0])
    return found


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
    """Return whether a column says how many tokens, seconds or dollars something took, however its path ends."""
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


def is_no_verdict(cells: Cells, role: str, name: str, output: str) -> bool:
    """Return whether the cells of an outcome or a label contradict its name: it says how a call went, or the same in each row.

    ``output`` : the column that is judged, "" if it is not known.
    """
    words = _first_words(cells, name)
    if role == "label":
        return (
            cells.size >= FEWEST_ROWS and len(words) == 1 and all(map(_is_number, words)) and not words <= ZERO_OR_ONE
        )
    *above, field = path_end(in_english(name)).split(".")
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


def _ends_in(path: str, end: str) -> bool:
    """Whether a path ends in these fields, and in none that only look like them."""
    if not (end.endswith("*") or path.endswith(end.rpartition(".")[2])):
        return False  # as most do, of many paths and many ends
    fields, wanted = path.split("."), end.split(".")
    if len(fields) < len(wanted) or ".".join(fields[-2:]) in NO_ROLE or (end == "answer" and fields[0] == "scores"):
        return False
    return all(want in ("*", field) for field, want in zip(fields[-len(wanted) :], wanted, strict=True))


SPOKEN, ERRORS_OF_WORDS = frozenset({"pred_text", "hyp"}), frozenset({"wer", "cer", "mer"})
"""Names of what was heard, and words in the names of shares of words that were heard wrong."""


def _fits(cells: Cells, role: str, name: str, end: str, found: Mapping[str, str], fits: Fit | None, rules: int) -> bool:
    """Whether the cells of a column may have this role."""
    words = _first_words(cells, name)
    if end == "messages" and all(map(_is_number, words)):
        return False
    heard = path_end(found.get("output", ""))
    spoken = heard in SPOKEN
    if rules >= FOUND and not spoken and found.get("output"):
        spoken = heard == "hypothesis" or any(ERRORS_OF_WORDS & words_of(one) for one in cells.columns)
    if not words or (end in ("text", "transcript") and role == "reference" and not spoken):
        return False
    if role == "label" and {"output_a", "output_b"} <= {*found}:
        return words <= PREFERENCES or _are_shares_of_two(words)
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
