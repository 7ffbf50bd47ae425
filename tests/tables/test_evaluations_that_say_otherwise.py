"""Evaluations of language models in which a name says one thing and the cells another, or two columns the same thing.

Of twenty real files, at first sight 8 were read right, 6 asked about, 2 refused and 4 misread without a word; of twenty others
after what these taught 4, 8, 5 and 3, of ten more 3, 4, 1 and 2, and of another ten 4, 1, 1 and 4. Most questions are on rows
of several systems.
"""

import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.tables.rules import LONE
from tests.each import each
from tests.tables.evaluation_files import lines
from tests.tables.kept_evaluation_files import ASKED, PLACES, RIGHT, ROWS, SAID, SIZE, TRUE

STORED = TableChoices(rules=LONE)


def roles(records, choices=None):
    reading = read_table(lines(records), name="t.jsonl", choices=choices or TableChoices()).reading
    return {column: one.role for column, one in reading.roles.items()}, reading


def of_calls(went):
    """Replies beside whether their calls went well."""
    return [
        {
            "task": {"prompt": ASKED[row], "expect": TRUE[row]},
            "execution_result": {"success": went[row], "final_output": SAID[row] if went[row] else None},
        }
        for row in ROWS
    ]


@each("went", [[True] * SIZE, [row % 20 > 0 for row in ROWS]])
def test_whether_a_call_went_well_is_not_whether_its_answer_is_right(went):
    now, _ = roles(of_calls(went))
    assert now["execution_result.final_output"] == "output"
    assert now["task.expect"] == "reference"
    assert "outcome" not in now.values()
    assert roles(of_calls(went), STORED)[0]["execution_result.success"] == "outcome"


@each("beside", [{}, {"score": 1}])
def test_success_in_every_row_says_what_is_right_only_beside_what_a_grader_said(beside):
    records = [{"question": ASKED[row], "response": SAID[row], "success": True, **beside} for row in ROWS]
    assert ("outcome" in roles(records)[0].values()) == bool(beside)
    assert roles(records, STORED)[0]["success"] == "outcome"


def test_success_that_is_false_exactly_where_there_is_no_answer_is_that_of_the_call():
    records = [
        {"question": ASKED[row], "response": SAID[row] if right else "", "success": right}
        for row, right in enumerate(RIGHT)
    ]
    assert "outcome" not in roles(records)[0].values()
    records[RIGHT.index(False)]["response"] = "I do not know where that was."
    assert roles(records)[0]["success"] == "outcome"


def test_one_grade_in_every_row_is_none_and_is_offered():
    records = [{"prompt": ASKED[row], "response": SAID[row], "rating": 5} for row in ROWS]
    now, reading = roles(records)
    assert "rating" not in now
    assert roles(records, STORED)[0]["rating"] == "label"
    assert any("--column label=rating" in doubt for doubt in reading.doubtful)
    records[7]["rating"] = 4
    assert roles(records)[0]["rating"] == "label"


def test_a_text_that_differs_between_replies_to_one_question_is_not_that_question():
    records = [{"question_id": f"q{row % 6}", "aside": TRUE[row], "response": SAID[row]} for row in ROWS]
    assert "input" not in roles(records)[0].values()
    assert roles(records, STORED)[0]["aside"] == "input"
    records = [{"question_id": f"q{row}", "aside": TRUE[row], "response": SAID[row]} for row in ROWS]
    assert roles(records)[0]["aside"] == "input"


def test_a_key_whose_rows_have_different_questions_is_none_of_an_input():
    records = [
        {"prompt_id": f"p{row // 3}", "model": f"m{row % 3}", "prompt": ASKED[row], "response": SAID[row]}
        for row in ROWS
    ]
    assert "output" in roles(records)[0].values()
    with pytest.raises(ReadingUnclear, match="told apart by 'model'"):
        read_table(lines(records), name="t.jsonl", choices=STORED)
    for row in ROWS:
        records[row]["prompt"] = ASKED[row // 3]
    with pytest.raises(ReadingUnclear, match="told apart by 'model'"):
        read_table(lines(records), name="t.jsonl")


def test_rows_of_a_question_that_a_model_and_a_criterion_tell_apart_are_asked_about():
    records = [
        {
            "question_id": f"q{row // 6:02}",
            "model": f"m{row % 3}",
            "criterion": "ab"[row // 3 % 2],
            "pred": PLACES[row // 6],
        }
        for row in ROWS
    ]
    records = [{**record, "gold": PLACES[row // 6 if row % 5 else row]} for row, record in enumerate(records)]
    with pytest.raises(
        ReadingUnclear, match="60 rows are of 10 inputs by 'question_id', told apart by 'model and criterion'"
    ):
        read_table(lines(records), name="t.jsonl")
    assert read_table(lines(records), name="t.jsonl", choices=STORED).inputs.groups is None


def test_a_key_that_is_the_same_in_every_row_is_none_of_an_input():
    records = [
        {"prompt_id": "neutral", "case": f"c{row}", "prompt": "Who?", "response": SAID[row]} for row in range(12)
    ]
    assert "output" in roles(records)[0].values()
    with pytest.raises(ReadingUnclear, match="of 1 inputs by"):
        read_table(lines(records), name="t.jsonl", choices=STORED)


def test_which_of_two_was_better_is_no_prediction_and_why_is_no_output():
    records = [
        {"question": ASKED[row], "winner": "brief" if right else "long", "reasoning": TRUE[row]}
        for row, right in enumerate(RIGHT)
    ]
    with pytest.raises(
        BadInput, match=r"has no predictions, and nothing is called an output.*which were asked or expected, or say why"
    ):
        read_table(lines(records), name="t.jsonl")
    assert roles(records, STORED)[0]["winner"] == "prediction"


def test_a_tester_does_not_see_why_a_class_was_predicted():
    records = [
        {"id": f"c{row}", "predicted_label": PLACES[row], "rationale": TRUE[row], "label": PLACES[row - right]}
        for row, right in enumerate(RIGHT)
    ]
    assert "rationale" not in roles(records)[0]
    assert TRUE[2] not in str(read_table(lines(records), name="t.jsonl").dataset.show(2))
    assert read_table(lines(records), name="t.jsonl", choices=STORED).dataset.show(2).text == TRUE[2]


def test_a_predicted_answer_of_sentences_keeps_its_question_and_its_reference():
    records = [{"question": ASKED[row], "answer": TRUE[row], "predicted_answer": SAID[row]} for row in ROWS]
    now, then = roles(records)[0], roles(records, STORED)[0]
    assert now == {"question": "input", "answer": "reference", "predicted_answer": "output"}
    assert "input" not in then.values()


def test_what_only_the_line_about_the_run_holds_is_no_reference():
    first = {"run": {"gold": "gold_labels.jsonl", "api": "https://a.b/chat", "k": 5}}
    asked = [{"q": ASKED[row], "answer": SAID[row]} for row in ROWS]
    with pytest.raises(ReadingUnclear, match=r"'answer' is empty in 1 of 61 rows, which hold 'run\.gold' instead"):
        read_table(lines([first, *asked]), name="t.jsonl")
    counted = TableChoices(read=(("unpredicted", "failures"),))
    assert "reference" not in roles([first, *asked], counted)[0].values()
    assert roles([first, *asked], STORED)[0]["run.gold"] == "reference"


def test_a_text_that_many_replies_answer_is_shown_beside_them():
    records = [{"stance": f"{ASKED[row % 6]} Defend it.", "response": SAID[row]} for row in ROWS]
    assert roles(records)[0]["stance"] == "input"
    kinds = [{**record, "payload": ASKED[row], "kind": f"a kind of {row % 6}"} for row, record in enumerate(records)]
    assert roles(kinds)[0]["payload"] == "input"
    assert roles(records, STORED)[0].get("stance") != "input"


@each("begins", ["{}. That is where", "ANSWER: {}\n", "I would say {}, since"])
def test_a_tester_does_not_see_the_reply_that_a_class_was_read_from(begins):
    records = [
        {
            "qid": f"{row:04x}",
            "pred": PLACES[row],
            "raw": f"{begins.format(PLACES[row])} {SAID[row]}",
            "gold": PLACES[row - right],
        }
        for row, right in enumerate(RIGHT)
    ]
    assert SAID[2] not in str(read_table(lines(records), name="t.jsonl").dataset.show(2))
    assert SAID[2] in str(read_table(lines(records), name="t.jsonl", choices=STORED).dataset.show(2))
    for row, record in enumerate(records):
        record["raw"] = ASKED[row]
    assert ASKED[2] in str(read_table(lines(records), name="t.jsonl").dataset.show(2))


def test_what_was_retrieved_and_when_is_no_second_output():
    records = [
        {
            "question": ASKED[row],
            "answer": SAID[row],
            "facts": [TRUE[row], TRUE[row - 1]],
            "retrieved_sources": f"paper {row}, paper {row + 1}",
            "asked": f"2026-03-24T13:{row % 60:02}:00.{row:06}",
        }
        for row in ROWS
    ]
    assert roles(records)[0] == {"question": "input", "answer": "output"}
    scored = [
        {"question_id": f"q{row // 2}", "human_score": row % 5, "human_notes": TRUE[row], "timestamp": record["asked"]}
        for row, record in enumerate(records)
    ]
    with pytest.raises(BadInput, match="nothing is called an output"):
        read_table(lines(scored), name="t.jsonl")


def test_rows_of_one_question_are_counted_where_nothing_tells_them_apart():
    records = [{"question": ASKED[row // 3], "response": SAID[row]} for row in ROWS]
    assert any(f"{SIZE} rows are of {SIZE // 3} inputs by 'question'" in doubt for doubt in roles(records)[1].doubtful)
    assert not any("inputs by" in doubt for doubt in roles(records, STORED)[1].doubtful)


def test_what_is_actual_beside_what_was_expected_is_the_output():
    records = [{"query": ASKED[row], "expected": TRUE[row], "actual": SAID[row]} for row in ROWS]
    assert roles(records)[0] == {"query": "input", "expected": "reference", "actual": "output"}
    with pytest.raises(BadInput):
        read_table(lines(records), name="t.jsonl", choices=STORED)


def test_what_a_model_thought_before_its_reply_is_not_what_it_was_asked():
    records = [{"thinking": TRUE[row], "response": SAID[row]} for row in ROWS]
    assert "input" not in roles(records)[0].values()
    assert roles(records, STORED)[0]["thinking"] == "input"


def test_two_texts_that_are_called_outputs_are_asked_about():
    records = [{"question": ASKED[row], "base_answer": SAID[row], "tuned_answer": TRUE[row]} for row in ROWS]
    with pytest.raises(ReadingUnclear, match="'base_answer' and 'tuned_answer' may each be the output") as asked:
        read_table(lines(records), name="t.jsonl")
    assert asked.value.ways[-1].option == "--column output_a=base_answer --column output_b=tuned_answer"
    told = TableChoices(columns=tuple(pair for _, pair in asked.value.ways[-1].changes))
    panes = read_table(lines(records), name="t.jsonl", choices=told).dataset.show(3).panes
    assert [pane.title for pane in panes] == ["Input", "Left", "Right"]
    assert {pane.shown.text for pane in panes} == {ASKED[3], SAID[3], TRUE[3]}


def test_an_answer_that_was_cut_out_of_a_reply_is_no_second_output():
    records = [
        {"question": ASKED[row], "response": SAID[row], "final_answer": SAID[row].split(", ")[0]} for row in ROWS
    ]
    assert "output" in roles(records)[0].values()
    for row in ROWS:
        records[row]["final_answer"] = TRUE[row]
    with pytest.raises(ReadingUnclear, match="may each be the output"):
        read_table(lines(records), name="t.jsonl")
    assert "output" in roles(records, STORED)[0].values()


def test_rows_of_another_kind_among_replies_are_asked_about():
    records = [
        {"user": ASKED[row], "prediction": SAID[row], "reference": TRUE[row]}
        if row % 3
        else {"talk": {"city": PLACES[row], "place": PLACES[row - 1], "visits": row}}
        for row in ROWS
    ]
    with pytest.raises(ReadingUnclear, match=f"is empty in 20 of {SIZE} rows, which hold 'talk.city' instead"):
        read_table(lines(records), name="t.jsonl")
    counted = TableChoices(read=(("unpredicted", "failures"),))
    assert len(read_table(lines(records), name="t.jsonl", choices=counted).inputs) == SIZE
    assert len(read_table(lines(records), name="t.jsonl", choices=STORED).inputs) == SIZE


def test_which_of_several_texts_was_asked_is_asked_or_said():
    records = [{"issue_title": TRUE[row], "issue_body": ASKED[row], "output": SAID[row]} for row in ROWS]
    with pytest.raises(ReadingUnclear, match="'issue_title' and 'issue_body' may each be the input") as asked:
        read_table(lines(records), name="t.jsonl")
    none = TableChoices(columns=tuple(pair for _, pair in asked.value.ways[-1].changes))
    assert "input" not in roles(records, none)[0].values()
    assert "input" not in roles(records, STORED)[0].values()
    many = [{**record, **{f"part {n}": f"{ASKED[row]} {n}" for n in range(3)}} for row, record in enumerate(records)]
    assert any("more texts may be what was asked" in doubt for doubt in roles(many)[1].doubtful)


def test_the_same_field_of_a_record_beside_that_of_the_output_is_no_reference():
    records = [
        {
            "dense": {"question": ASKED[row], "answer": SAID[row]},
            "hybrid": {"question": ASKED[row], "answer": TRUE[row]},
        }
        for row in ROWS
    ]
    with pytest.raises(ReadingUnclear, match=r"'dense\.answer' and 'hybrid\.answer' may each be the output"):
        read_table(lines(records), name="t.jsonl")
    assert roles(records, STORED)[0]["hybrid.answer"] == "reference"
    true = [{"said": record["dense"], "true": record["hybrid"]} for record in records]
    assert roles(true)[0]["true.answer"] == "reference"


def test_texts_in_a_record_that_is_called_an_output_are_offered_as_outputs():
    records = [{"question": ASKED[row], "output": {"headline": SAID[row], "article": TRUE[row]}} for row in ROWS]
    with pytest.raises(
        ReadingUnclear, match=r"'output\.headline' and 'output\.article' may each be the output"
    ) as asked:
        read_table(lines(records), name="t.jsonl")
    assert len(asked.value.ways) == 2


def test_a_text_that_several_replies_share_is_offered_as_the_output_too():
    keyed = [{"question": ASKED[row], "answer_key": SAID[row], "response": TRUE[row]} for row in ROWS]
    assert roles(keyed)[0]["response"] == "output"
    records = [{"question": ASKED[row], "source_response": SAID[row % 6], "response": TRUE[row]} for row in ROWS]
    with pytest.raises(ReadingUnclear, match="'response' and 'source_response' may each be the output"):
        read_table(lines(records), name="t.jsonl")


def test_a_judges_number_is_no_chance_of_what_its_condition_is():
    records = [
        {
            "id": f"q{row:04x}",
            "condition": ("baseline", "market")[row % 2],
            "judge": {"coherence": row % 3 + 3, "probability_error": (row % 7 + 3) / 10 * (1 - row % 2)},
        }
        for row in ROWS
    ]
    with pytest.raises(BadInput, match="no predictions"):
        read_table(lines(records), name="t.jsonl")
    assert roles(records, STORED)[0]["condition"] == "label"


def test_labels_of_another_kind_than_the_predicted_sets_are_refused():
    types = [",".join("IENSFT"[place] for place in (row % 2, 2 + row % 3, 5)[: 2 + row % 5 % 2]) for row in ROWS]
    records = [{"label": f"Traveler {row}" if row else "n", "predict": types[row]} for row in ROWS]
    with pytest.raises(
        BadInput, match="'Traveler 1', 'Traveler 2' and 57 more, and the sets in 'predict' name 'e', 'f' and 4 more"
    ):
        read_table(lines(records), name="t.jsonl")
    assert roles(records, STORED)[0]["label"] == "label"
    assert roles(records, TableChoices(columns=(("ignore", "label"),)))[0] == {"predict": "prediction"}
    rare = [{"label": "n" if row == 1 else "Q", "predict": types[row]} for row in ROWS]
    assert roles(rare)[0]["label"] == "label"


def test_a_confidence_beside_a_verdict_on_the_output_is_the_judges():
    records = [
        {
            "test_id": f"q{row:04x}",
            "grade": ("PASS", "SOFT_FAIL", "HARD_FAIL")[row % 3],
            "confidence": 0.5 + row % 5 / 10,
            "response": SAID[row],
        }
        for row in ROWS
    ]
    found, reading = roles(records)
    assert "confidence" not in found
    assert reading.left_out["confidence"] == "it may be how sure the judge of 'grade' is"
    assert roles(records, STORED)[0]["confidence"] == "confidence"
    said = roles(records, TableChoices(columns=(("confidence", "confidence"),)))[1]
    assert "chance of a right output, 0.50 to 0.90" in said.in_words()
    for record in records:
        del record["grade"]
    assert roles(records)[0]["confidence"] == "confidence"


def test_empty_cells_that_are_right_answers_are_asked_about_and_no_rows_to_remove():
    slots = [f"inform food of {place}" for place in PLACES]
    records = [
        {
            "label": "\n" if row % 5 == 0 else f"{slots[row]},{SAID[row]}" if row % 5 < 4 else slots[row],
            "predict": "\n" if row % 5 < 2 else slots[row],
        }
        for row in ROWS
    ]
    with pytest.raises(ReadingUnclear, match=f"are both empty in 12 of {SIZE} rows") as asked:
        read_table(lines(records), name="t.jsonl")
    assert [way.option for way in asked.value.ways] == [
        "--task multi-label",
        "--read unpredicted=class",
        "--column output=predict --column reference=label",
    ]
    texts = TableChoices(columns=tuple(pair for _, pair in asked.value.ways[2].changes))
    assert roles(records, texts)[0] == {"label": "reference", "predict": "output"}
    assert len(read_table(lines(records), name="t.jsonl", task="multi-label").inputs) == SIZE
    with pytest.raises((BadInput, ReadingUnclear), match="emove these rows"):
        read_table(lines(records), name="t.jsonl", choices=STORED)
    ends = [*[{"label": PLACES[row], "predict": PLACES[row - 1]} for row in ROWS], *[{"label": "", "predict": ""}] * 5]
    with pytest.raises(ReadingUnclear, match="Remove these rows, or let them count"):
        read_table(lines(ends), name="t.jsonl")


def test_a_reference_is_found_by_the_words_of_its_name_though_its_texts_recur():
    records = [
        {
            "question_bn": ASKED[row // 2],
            "gold_answer_bn": PLACES[row // 2] + str(row // 2),
            "generated_answer_bn": SAID[row],
            "answer_correct_0_1": int(RIGHT[row]),
        }
        for row in ROWS
    ]
    found, reading = roles(records)
    assert found == {"question_bn": "input", "gold_answer_bn": "reference", "generated_answer_bn": "output"}
    assert reading.left_out["answer_correct_0_1"] == "it may say what is right or wrong"
    with pytest.raises(BadInput, match="nothing is called an output"):
        read_table(lines(records), name="t.jsonl", choices=STORED)


def test_what_is_right_in_each_of_several_records_is_no_output_of_theirs():
    records = [
        {
            way: {
                "short_output": str(row * place % 7),
                "detailed_output": f"{SAID[row]} By {way}.",
                "answer": str(row % 7),
                "detailed_answer": TRUE[row],
            }
            for place, way in enumerate(("plain", "cot", "act"))
        }
        for row in ROWS
    ]
    with pytest.raises(ReadingUnclear) as asked:
        read_table(lines(records), name="t.jsonl")
    assert [way.option for way in asked.value.ways] == [
        f"--column output={way}.{field}" for field in ("detailed_output", "short_output") for way in records[0]
    ]


def test_0_and_1_that_stand_exactly_where_predictions_are_right_are_no_score():
    places = ["Rome" if right else place for right, place in zip(RIGHT, PLACES, strict=True)]
    records = [
        {"claim": ASKED[row], "label": PLACES[row], "llm_prediction": place, "llm_hit": int(place == PLACES[row])}
        for row, place in enumerate(places)
    ]
    found, reading = roles(records)
    assert "llm_hit" not in found
    assert reading.left_out["llm_hit"] == "it says what is right or wrong"
    assert roles(records, STORED)[0]["llm_hit"] == "score"


def test_an_empty_cell_is_a_class_where_a_person_says_so():
    records = [
        {"text": ASKED[row], "label": PLACES[row] if row % 5 else "", "prediction": PLACES[row - 1] if row % 5 else ""}
        for row in ROWS
    ]
    read = TableChoices(read=(("unpredicted", "class"),))
    table = read_table(lines(records), name="t.jsonl", choices=read)
    assert table.task.classes == ("Bern", "Oslo", "Riga", "Rome", "nothing")
    assert table.inputs.losses[:60:5].tolist() == [0.0] * 12


def test_a_confidence_beside_the_preferred_output_or_in_a_judgment_is_no_score():
    pairs = [
        {
            "question": ASKED[row],
            "response_a": SAID[row],
            "response_b": TRUE[row],
            "winner": ("A", "B", "tie")[row % 3],
            "confidence": 0.5 + row % 5 / 10,
        }
        for row in ROWS
    ]
    found, reading = roles(pairs)
    assert "confidence" not in found
    assert reading.left_out["confidence"] == "it may be how sure the judge of 'winner' is"
    assert roles(pairs, STORED)[0]["confidence"] == "confidence"
    judged = [
        {"question": ASKED[row], "response": SAID[row], "judge": {"verdict": "yes", "confidence": 0.5 + row % 5 / 10}}
        for row in ROWS
    ]
    assert roles(judged)[1].left_out["judge.confidence"] == "it may be how sure a judge is"
    assert roles(judged, STORED)[0]["judge.confidence"] == "judge"
