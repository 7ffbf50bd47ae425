"""Objects that are one answer, references under a person's name, sides of pairs, and what a program took from a reply.

As they stood in files of public repositories, with answers of our own; what is right was written down first.
"""

import json

import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.subjects.verdict_table import compared
from testimate.tables.json_tables import read_json
from testimate.tables.rules import LATEST, LONE
from testimate.tables.whole_objects import whole_objects
from testimate.tasks.verdict import preferred
from tests.each import each
from tests.tables.evaluation_files import document, lines
from tests.tables.kept_evaluation_files import ASKED, PLACES, RIGHT, ROWS, SAID, TRUE

STORED = TableChoices(rules=LONE)
FIELDS = [{"traveler": f"number {row}", "city": PLACES[row], "days": row % 7} for row in ROWS]
EXTRACTED = [{**fields, "city": fields["city"] if right else None} for fields, right in zip(FIELDS, RIGHT, strict=True)]


def table(records, choices=None):
    return read_table(lines(records), name="t.jsonl", choices=choices or TableChoices())


def roles(records, choices=None):
    """The role of each column, without what is only shown or a row's number."""
    found = {column: one.role for column, one in table(records, choices).reading.roles.items()}
    return {role: column for column, role in found.items() if role not in ("shown", "row number", "score")}


@each(
    ("said", "true"),
    [("extracted", "annotated"), ("actual", "expected"), ("prediction", "ground_truth"), ("gpt_4o", "human")],
)
def test_two_objects_with_the_same_fields_are_output_and_reference(said, true):
    records = [{"document": TRUE[row], true: FIELDS[row], said: EXTRACTED[row]} for row in ROWS]
    read = table(records)
    assert roles(records) == {"output": said, "reference": true, "input": "document"}
    assert not [name for name in read.reading.roles if name.startswith(f"{true}.")]
    assert dict(read.dataset.show(0).cells).keys().isdisjoint({true, f"{true}.city"})
    wrong = RIGHT.index(False)
    shown = {pane.title: pane.shown.text for pane in read.dataset.show(wrong).panes}
    assert json.loads(shown["Output"]) == EXTRACTED[wrong]
    assert json.loads(shown["Reference"]) == FIELDS[wrong]
    differing = [text for text, differs in compared(shown["Output"], shown["Reference"]).second if differs]
    assert [PLACES[wrong] in text for text in differing] == [True]
    assert (
        f"{said}.city" in table(records, TableChoices(rules=LONE, columns=(("output", f"{said}.city"),))).reading.roles
    )


def test_a_document_that_was_kept_before_is_read_field_by_field_with_its_lists_by_their_first_object():
    parts = [
        {"chunk": "a#4", "text": "It rains in Rome on most days of May."},
        {"chunk": "b#1", "text": "It is dry in Oslo."},
    ]
    records = [{"contexts": parts, "extracted": EXTRACTED[row], "annotated": FIELDS[row]} for row in ROWS]
    now, before = (read_json(document(records), "t.json").by(rules).columns for rules in (LATEST, LONE))
    assert {*now} == {"contexts", "extracted", "annotated"}
    assert {"contexts[0].chunk", "extracted.city", "annotated.city"} < {*before}


def test_objects_in_a_document_and_in_the_cells_of_a_csv_are_read_alike():
    records = [{"file": f"{row}.pdf", "extracted": EXTRACTED[row], "annotated": FIELDS[row]} for row in ROWS]
    found = read_table(document(records), name="t.json", choices=TableChoices()).reading
    rows = ["file,extracted,annotated"]
    for one in records:
        rows.append(
            ",".join(
                '"' + str(one[name] if name == "file" else json.dumps(one[name])).replace('"', '""') + '"'
                for name in one
            )
        )
    of_csv = read_table("\n".join(rows).encode(), name="t.csv", choices=TableChoices()).reading
    for reading in (found, of_csv):
        assert (reading.with_role("output"), reading.with_role("reference")) == (("extracted",), ("annotated",))


@each(
    "pair",
    [
        {"predicted": {"label": "cat", "score": 0.9}, "true": {"label": "owl", "score": 1.0}},
        {"first": {"city": "Rome", "name": "Ada"}, "second": {"city": "Oslo", "name": "Ada"}},
        {"human": {"fluency": 3, "accuracy": 4}, "model": {"fluency": 2, "accuracy": 4}},
        {"source": {"city": "Rome", "name": "Ada"}, "target": {"city": "Oslo", "name": "Ada"}},
    ],
)
def test_a_class_beside_its_chance_and_objects_of_which_none_is_right_stay_fields(pair):
    assert whole_objects([{"text": ASKED[row], **pair} for row in ROWS]) is None


def test_the_only_object_that_a_program_took_from_a_text_is_the_output():
    records = [
        {"id": row, "text": TRUE[row], "attempts": 1, "final": {**EXTRACTED[row], "summary": SAID[row]}} for row in ROWS
    ]
    read = table(records)
    assert read.reading.with_role("output") == ("final",)
    assert [pane.title for pane in read.dataset.show(0).panes] == ["Input", "Output"]


@each(
    ("output", "reference"),
    [
        ("Raw MT", "Post-edited"),
        ("MT", "PE"),
        ("model_summary", "editor_summary"),
        ("output", "canonical"),
        ("Modellantwort", "Musterantwort"),
        ("response", "author_version"),
        ("output", "lawyerRevision"),
    ],
)
def test_a_text_that_resembles_the_output_under_the_name_of_a_person_or_of_what_is_right_is_the_reference(
    output, reference
):
    edited = [text.replace("I think", f"in {PLACES[row - 1]}") for row, text in enumerate(SAID)]
    records = [{"source": ASKED[row], output: SAID[row], reference: edited[row]} for row in ROWS]
    found = roles(records)
    assert (found["output"], found["reference"]) == (output, reference)
    assert found.get("input") == "source"


def test_a_text_of_a_person_that_does_not_resemble_the_output_is_no_reference():
    others = [f"Born in {PLACES[row - 7]}, with {row % 5} children and a dog of the neighbors." for row in ROWS]
    records = [{"source": ASKED[row], "output": SAID[row], "persona_of_student": others[row]} for row in ROWS]
    assert "reference" not in roles(records)


@each("sides", [("answer_left", "answer_right"), ("left_response", "right_response")])
@each("preferred", [None, "winner"])
def test_answers_on_two_sides_are_outputs_and_the_names_of_their_models_are_not_shown(sides, preferred):
    models = ("one-7b", "two-8b", "three-9b")
    records = [
        {
            "question": ASKED[row],
            "model_left": models[row % 3],
            sides[0]: SAID[row],
            "model_right": models[(row + 1) % 3],
            sides[1]: TRUE[row],
            **({} if preferred is None else {preferred: ("left", "right", "tie")[row % 3]}),
        }
        for row in ROWS
    ]
    read = table(records)
    expected = {"input": "question", "output_a": sides[0], "output_b": sides[1]}
    assert roles(records) == expected | ({} if preferred is None else {"label": preferred})
    assert not {"model_left", "model_right"} & {*dict(read.dataset.show(0).cells)}


def test_a_side_is_a_preference_and_numbered_answers_of_one_system_are_no_pair():
    assert [preferred(word) for word in ("left", "Right", "answer_left", "model_right")] == [0, 2, 0, 2]
    records = [{"bill": ASKED[row], "answers": {"3": SAID[row], "4": TRUE[row]}} for row in ROWS]
    with pytest.raises((BadInput, ReadingUnclear)):
        roles(records)


@each("unparsed", [1, 3])
def test_an_answer_that_could_not_be_parsed_is_asked_about_in_a_small_table_too(unparsed):
    records = [
        {
            "question": ASKED[row],
            "parsed_answer": "ABCD"[row % 4] if row >= unparsed else "",
            "correct_answer": "ABCD"[(row + (row == 5)) % 4],
        }
        for row in range(8)
    ]
    columns = (("prediction", "parsed_answer"), ("label", "correct_answer"))
    with pytest.raises(ReadingUnclear, match="unpredicted=failures"):
        table(records, TableChoices(columns=columns))
    read = table(records, TableChoices(columns=columns, read=(("rows", "each"), ("unpredicted", "failures"))))
    assert read.inputs.known_accuracy == pytest.approx((8 - unparsed - 1) / 8)


@each("rows", [25, 40])
def test_many_tries_of_one_input_are_asked_about(rows):
    records = [
        {"question": ASKED[row // rows], "sample": row % rows, "response": f"{SAID[row % 60]} {row}"}
        for row in range(4 * rows)
    ]
    with pytest.raises(ReadingUnclear, match="rows are of 4 inputs by 'question', told apart by 'sample'"):
        table(records)
    assert roles(records, STORED)["output"] == "response"


def test_of_few_rows_the_class_that_was_parsed_from_a_reply_is_the_prediction():
    said = ["A", "B", "C", "D", "A", "B"]
    true = ["A", "B", "C", "A", "A", "C"]
    records = [
        {
            "question": ASKED[row],
            "response": f"{SAID[row]} So the answer is {said[row]}.",
            "choice": said[row],
            "answer": true[row],
        }
        for row in range(6)
    ]
    found = table(records).reading
    assert found.with_role("prediction") == ("choice",)
    assert not {"response", "answer"} & {*found.roles}


def test_what_is_right_by_an_outcome_tells_that_a_verdict_was_parsed_from_a_reply():
    said = ["AB"[row % 3 % 2] for row in ROWS]
    records = [
        {
            "question": ASKED[row],
            "raw_response": f"FINAL VERDICT: {said[row]}",
            "parsed_verdict": said[row],
            "ground_truth_label": ("A>B", "B>A")[RIGHT[row] == (said[row] == "A")],
            "correct": RIGHT[row],
        }
        for row in ROWS
    ]
    found = table(records).reading
    assert found.with_role("prediction") == ("parsed_verdict",)
    assert not {"raw_response", "ground_truth_label", "correct"} & {*found.roles}


@each("unit", ["generation_ms", "response_seconds", "completion_usd"])
def test_what_an_answer_took_is_no_answer_and_tells_that_a_model_gave_the_text_beside_it(unit):
    records = [{unit: 100 + 7 * (row % 9), "question": ASKED[row], "text": SAID[row]} for row in ROWS]
    assert roles(records) == {"input": "question", "output": "text"}


@each("names", [("llm_label", "annotation"), ("gpt4_label", "human_annotation"), ("claude_label", "annotations")])
def test_the_label_of_a_language_model_is_the_prediction_and_that_of_people_the_truth(names):
    true = [("pos", "neg", "neutral")[row % 3] for row in ROWS]
    said = [one if right else "neg" for one, right in zip(true, RIGHT, strict=True)]
    records = [{"text": SAID[row], names[0]: said[row], names[1]: true[row]} for row in ROWS]
    assert roles(records) == {"text": "text", "prediction": names[0], "label": names[1]}


def test_measures_of_what_was_retrieved_and_rounds_of_a_talk_are_no_answers():
    records = [
        {"query": ASKED[row], "metrics": {"precision@1": float(row % 2), "mrr": (0.3, 1.0)[row % 2] - row / 1000}}
        for row in ROWS
    ]
    with pytest.raises(BadInput):
        table(records)
    talk = [{"round": 1 + row % 8, "user": ASKED[row], "assistant": f"{row % 8 + 1}. {SAID[row]}"} for row in ROWS]
    assert roles(talk) == {"input": "user", "output": "assistant"}


def test_grades_called_human_are_known_beside_a_column_output_and_the_true_winner_beside_two():
    graded = [
        {"prompt": ASKED[row], "output": SAID[row], "human_score": 1 + row % 5, "reason": TRUE[row]} for row in ROWS
    ]
    assert roles(graded)["label"] == "human_score"
    pairs = [
        {
            "prompt_text": ASKED[row],
            "prompt_text_en": ASKED[row],
            "response_A": SAID[row],
            "response_B": TRUE[row],
            "ground_truth_winner": "AB"[row % 2],
            "preferred": ("A", "B", "Tie")[row % 3],
        }
        for row in ROWS
    ]
    found = roles(pairs)
    assert (found["input"], found["label"]) == ("prompt_text", "ground_truth_winner")
    assert "preferred" not in found.values()


def test_rows_beside_a_summary_of_one_row_are_the_rows():
    details = [
        {"problem_id": row, "prediction": PLACES[row], "gold": PLACES[row - RIGHT[row]], "response": SAID[row]}
        for row in ROWS
    ]
    whole = {"model": "m", "summary": [{"total": 60, "accuracy": 0.7}], "details": {"strict": details}}
    found = read_table(document(whole), name="t.json", choices=TableChoices())
    assert len(found.dataset) == 60
    assert (found.reading.with_role("prediction"), found.reading.with_role("label")) == (("prediction",), ("gold",))
    with pytest.raises(BadInput):
        read_table(document(whole), name="t.json", choices=STORED)


def test_a_second_prediction_that_never_varies_is_asked_about():
    records = [
        {
            "ground_truth": int(RIGHT[row]),
            "first_pred": 0,
            "second_pred": int(row % 5 > 0),
            "bucket": ("both", "second_wins")[row % 5 > 0],
        }
        for row in ROWS
    ]
    with pytest.raises(ReadingUnclear, match="prediction=second_pred or --column prediction=first_pred"):
        table(records)


def test_a_reply_that_a_record_repeats_is_judged_once_and_a_category_is_no_question():
    records = [
        {
            "task_id": f"E{row}",
            "category": f"Kind number {row % 20}",
            "response_text": SAID[row],
            "raw_response": {"model": "m", "choices": [{"message": {"role": "assistant", "content": SAID[row]}}]},
        }
        for row in ROWS
    ]
    read = table(records)
    assert len(read.reading.with_role("output")) == 1
    assert [pane.shown.text for pane in read.dataset.show(3).panes if pane.title == "Output"] == [SAID[3]]
    assert "category" not in read.reading.with_role("input")


def test_classes_called_predicted_beside_a_problem_and_a_raw_response_are_the_prediction():
    records = [
        {
            "variant_problem": ASKED[row],
            "gold": PLACES[row - RIGHT[row]],
            "predicted": PLACES[row],
            "correct": RIGHT[row],
            "raw_response": TRUE[row - 7],
        }
        for row in ROWS
    ]
    found = table(records).reading
    assert (found.with_role("prediction"), found.with_role("label")) == (("predicted",), ("gold",))
    assert not {"raw_response", "correct"} & {*found.roles}


def test_whether_an_answer_is_acceptable_is_not_shown():
    records = [
        {"Question": ASKED[row], "Model answer": SAID[row], "Acceptable?": ("No", "Yes")[RIGHT[row]]} for row in ROWS
    ]
    read = table(records)
    assert "Acceptable?" in read.reading.left_out
    assert any("outcome=Acceptable?" in doubt for doubt in read.reading.doubtful)


def test_cases_in_the_list_of_each_category_are_the_rows():
    cases = [{"case": row, "question": ASKED[row], "expected": TRUE[row], "model_answer": SAID[row]} for row in ROWS]
    report = [{"category": f"kind {part}", "passed": 3, "cases": cases[part::4]} for part in range(4)]
    read = read_table(document(report), name="t.json", choices=TableChoices())
    assert len(read.dataset) == 60
    judged = {role: read.reading.with_role(role) for role in ("input", "output", "reference")}
    assert judged == {"input": ("question",), "output": ("model_answer",), "reference": ("expected",)}
    assert len(read_table(document(report), name="t.json", choices=STORED).dataset) == 4


def test_wrong_answers_that_a_question_offers_keys_and_names_of_models_are_no_outputs():
    offered = [{"question": ASKED[row], "correct_answer": TRUE[row], "wrong_answer": SAID[row]} for row in ROWS]
    keyed = [{"question": ASKED[row], "questionid": f"r{row}q1", "answers_cleaned": TRUE[row]} for row in ROWS]
    named = [{"question": ASKED[row], "target_score": row / 10, "answer_model": f"model-{row}-7b"} for row in ROWS]
    for records in (offered, named):
        with pytest.raises(BadInput):
            table(records)
    assert roles(keyed).get("output") != "questionid"


def test_a_score_that_splits_the_direction_of_texts_is_asked_about():
    records = [
        {
            "original_paragraph": f"{TRUE[row]} It rained all day, and nobody minded.",
            "rewritten_paragraph": f"{SAID[row]} It rained all day, and everybody was content.",
            "agreement_score": 0.1 + 0.8 * RIGHT[row] + row / 1000,
            "direction": ("anti_to_pro", "pro_to_anti")[RIGHT[row]],
        }
        for row in ROWS
    ]
    with pytest.raises(ReadingUnclear, match="prediction=direction or --column output=original_paragraph"):
        table(records)


def test_a_sentence_in_the_place_of_a_name_says_nothing_of_what_stands_below():
    name = "How consistent is the model across its runs in whether it finds each of the items"
    with pytest.raises(BadInput):
        table([{"Question": ASKED[row], name: SAID[row]} for row in ROWS])


@each("name", ["gpt4", "assistant", "candidate", "generated"])
def test_a_score_beside_what_a_program_wrote_is_no_prediction(name):
    numbers = [(37 * row) % 499 + 1 for row in ROWS]
    records = [
        {
            "question": ASKED[row].replace("number", "called"),
            name: f"{SAID[row]} The answer is {numbers[row] + (not RIGHT[row])}.",
            "reference": numbers[row],
            "score": ((row * 7) % 60) / 59,
        }
        for row in ROWS
    ]
    found = roles(records)
    assert found["output"] == name
    assert "prediction" not in found


def test_a_score_from_0_to_1_predicts_no_amount_that_is_called_the_truth():
    true = [10 * (37 * row % 47) + 2.5 for row in ROWS]
    records = [
        {
            "question": ASKED[row],
            "gpt4": true[row] + (not RIGHT[row]),
            "true_answer": true[row],
            "score": ((row * 7) % 60) / 59,
        }
        for row in ROWS
    ]
    found = roles(records)
    assert (found["prediction"], found["label"]) == ("gpt4", "true_answer")
