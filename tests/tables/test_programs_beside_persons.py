"""A program's answers beside a person's, numbers beside their difference, chances of several models, and names that repeat."""

import numpy as np
import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.tables.rules import LATEST
from tests.each import each
from tests.tables.held_out_files import lines
from tests.tables.workbooks import workbook

RNG = np.random.default_rng(85)
START = RNG.bit_generator.state


@pytest.fixture(autouse=True)
def same_draws_whatever_ran_before():
    RNG.bit_generator.state = START


def csv(header, *columns, separator=","):
    rows = zip(*columns, strict=True)
    return "\n".join([header, *(separator.join(map(str, row)) for row in rows)]).encode() + b"\n"


def opened(content, name="t.csv", **columns):
    return read_table(content, name=name, choices=TableChoices(columns=tuple(columns.items()), rules=LATEST))


def measured(size):
    """Numbers that people measured, what a program gave, and by how much it is off."""
    true = RNG.normal(50, 10, size).round(1)
    said = (true + RNG.normal(0, 2, size)).round(1)
    return said, true, (said - true).round(1)


@each("header", ["id,Modell,Referenz,Abweichung", "Alumno,Nota IA,Nota profesora,Diferencia", "no,est,wins,error"])
@each("size", [8, 14, 60])
def test_numbers_beside_their_difference_are_predicted_and_true_as_their_names_say(header, size):
    said, true, off = measured(size)
    names = header.split(",")
    subject = opened(csv(header, [f"S{row}" for row in range(size)], said, true, off))
    assert subject.inputs.predictions.tolist() == pytest.approx(said.tolist())
    assert subject.truth.tolist() == pytest.approx(true.tolist())
    assert names[3] in subject.reading.left_out
    assert not {*names[1:]} & {*dict(subject.dataset.show(0).cells)}


def test_numbers_whose_names_tell_nothing_are_asked_about_beside_their_difference():
    said, true, off = measured(20)
    content = csv("station,sensor,lab,difference", [f"S{row}" for row in range(20)], said, true, off)
    with pytest.raises(ReadingUnclear, match="'sensor' and 'lab' differ by what 'difference' says") as asked:
        opened(content)
    for way, predicted in zip(asked.value.ways, (said, true), strict=True):
        subject = opened(content, **dict(change[1] for change in way.changes))
        assert subject.inputs.predictions.tolist() == pytest.approx(predicted.tolist())
        assert "difference" in subject.reading.left_out


def answers(size, words=("rust", "blight", "healthy")):
    """What a person said, and a program in four of five rows."""
    true = RNG.choice(words, size)
    return np.where(np.arange(size) % 5 == 4, np.roll(true, 1), true), true


@each(
    "header",
    ["Fall;Modell-Vorschlag;Triage Arzt", "ticket;auto_tag;agent_tag", "leaf;ai diagnosis;agronomist diagnosis"],
)
@each("size", [8, 12, 100])
def test_what_a_person_said_is_the_truth_of_what_a_program_said(header, size):
    said, true = answers(size)
    subject = opened(csv(header, [f"C{row}" for row in range(size)], said, true, separator=";"))
    _, program, person = header.split(";")
    assert subject.reading.with_role("prediction") == (program,)
    assert subject.reading.with_role("label") == (person,)
    assert subject.inputs.losses.mean() == pytest.approx((said != true).mean())


@each("size", [8, 12, 100])
def test_a_label_beside_its_confidence_is_met_by_what_a_person_said(size):
    said, true = answers(size)
    rows = [
        {
            "image": f"{row}.jpg",
            "diagnosis": {"label": said[row], "confidence": 0.9 - row / 1000},
            "agronomist_label": true[row],
        }
        for row in range(size)
    ]
    subject = opened(lines(rows), name="leaves.jsonl")
    assert subject.reading.with_role("prediction") == ("diagnosis.label",)
    assert subject.reading.with_role("label") == ("agronomist_label",)


def test_of_several_persons_none_is_the_truth_unasked():
    said, true = answers(60)
    other = np.where(np.arange(60) % 7 == 3, np.roll(true, 2), true)
    subject = opened(csv("case,model call,doctor call,nurse call", [f"C{row}" for row in range(60)], said, true, other))
    assert subject.reading.with_role("prediction") == ("model call",)
    assert subject.reading.with_role("label") == ()
    assert {"doctor call", "nurse call"} <= {*subject.reading.left_out}


@each("names", [("prob_M1", "prob_M2", "prob_M3"), ("lr_risk", "rf_risk", "gbm_risk")])
@each("words", [("0", "1"), ("no", "yes")])
@each("size", [8, 40])
def test_chances_of_several_models_beside_one_outcome_are_asked_about(names, words, size):
    happened = np.arange(size) % 3 == 0
    chances = [np.clip(happened * 0.4 + RNG.uniform(0.05, 0.5, size), 0, 1).round(3) for _ in names]
    content = csv(
        f"patient_id,died,{','.join(names)}",
        [f"P{row}" for row in range(size)],
        np.array(words)[happened * 1],
        *chances,
    )
    with pytest.raises(ReadingUnclear, match="may each be the prediction") as asked:
        opened(content)
    assert [dict([way.changes[0][1]])["prediction"] for way in asked.value.ways] == [*names]


NOTES = ("id", "answer text", "prediction", "label", "note", "note")


def repeated(size=20):
    said, true = answers(size)
    cells = [range(size), [f"leaf number {row}" for row in range(size)], said, true, ["seen"] * size, ["dark"] * size]
    return [[str(cell) for cell in row] for row in zip(*cells, strict=True)]


def test_a_second_column_of_one_name_that_nobody_needs_is_left_out_with_a_word():
    rows = repeated()
    content = csv(",".join(NOTES), *zip(*rows, strict=True))
    subject = opened(content)
    assert subject.reading.left_out["note (second)"] == "a column before it is called 'note', too"
    saved = opened(workbook([NOTES, *rows]), name="t.xlsx")
    assert saved.reading.left_out["note (second)"] == subject.reading.left_out["note (second)"]
    once = opened(
        csv(",".join(NOTES[:5]), *[column for place, column in enumerate(zip(*rows, strict=True)) if place < 5])
    )
    assert subject.reading.roles.keys() == once.reading.roles.keys()
    assert np.array_equal(subject.inputs.losses, once.inputs.losses)


def test_a_label_that_a_person_gave_is_the_truth_though_all_predictions_are_wrong():
    true = np.array(["Fake", "Real"] * 5)
    content = csv("id,label_name,pred_name", [f"a{row}" for row in range(10)], true, true[np.arange(10) - 1])
    subject = opened(content)
    assert subject.reading.with_role("label") == ("label_name",)
    assert subject.inputs.losses.mean() == 1


@each("twice", ["prediction", "label", "answer text"])
def test_a_name_that_repeats_where_it_is_needed_is_refused(twice):
    names = [*NOTES[:5], twice]
    with pytest.raises(BadInput, match=f"Two columns are named '{twice}'"):
        opened(csv(",".join(names), *zip(*repeated(), strict=True)))


def test_a_first_line_of_cells_in_which_one_stands_twice_is_no_header():
    words = ["cat", "dog"] * 10
    with pytest.raises(BadInput, match="Two columns are named 'cat'"):
        opened(csv("a1,cat,cat", [f"a{row}" for row in range(2, 22)], words, words[::-1]))


def test_keys_that_are_spelled_as_the_first_of_the_first_line_show_that_it_is_a_row():
    said, true, _ = measured(40)
    content = csv("mp-17,51.25,50.75", [f"mp-{row * 37}" for row in range(1, 41)], said, true)
    with pytest.raises(ReadingUnclear, match="'column 2' and 'column 3' have no name") as asked:
        opened(content)
    subject = opened(content, **dict(change[1] for change in asked.value.ways[0].changes))
    assert subject.inputs.predictions.tolist() == pytest.approx([51.25, *said.tolist()])


def test_a_number_that_rises_with_predictions_of_a_weak_model_is_offered_as_their_truth():
    true = RNG.normal(0.7, 0.5, 400).round(3)
    said = (0.3 * true + RNG.normal(0.5, 0.3, 400)).round(3)
    depth = RNG.normal(40, 9, 400).round(2)
    subject = opened(csv("station,turbidity,pred,depth", [f"S{row}" for row in range(400)], true, said, depth))
    assert subject.reading.with_role("label") == ()
    assert [said for said in subject.reading.doubtful if "label=" in said] == [
        "'turbidity' may be the truth or another model's answer. To use it as known: --column label=turbidity."
    ]


def test_another_answer_that_agrees_with_the_truth_is_asked_about_where_one_is_called_the_prediction():
    said, true = answers(40)
    weak = RNG.permutation(true)
    for name in ("predicted call", "auto call"):
        content = csv(f"id,{name},v1 usable,teacher call b", range(40), weak, said, true)
        with pytest.raises(ReadingUnclear, match=f"'{name}' and 'v1 usable' may each"):
            opened(content)


def test_rare_words_that_are_the_same_in_two_columns_may_be_predicted_as_well_as_classes_that_recur():
    names = [f"kind {row}" for row in range(7)] + [f"kind {row}" for row in range(5)]
    other = [*names[:9], "kind 1", "kind 0", "kind 2"]
    grade = ["upper", "lower", "upper"] * 4
    sure = RNG.uniform(0.5, 1, 12).round(3)
    content = csv("a,reviewer b,shelf,confidence", names, other, grade, sure)
    with pytest.raises(ReadingUnclear, match="'a' and 'reviewer b' and 'shelf' may each be the prediction"):
        opened(content)


def test_what_a_person_said_is_shown_to_no_tester_though_it_agrees_with_nothing():
    said, true = answers(20)
    content = csv(
        "case,prediction,teacher view,size", [f"C{row}" for row in range(20)], said, RNG.permutation(true), range(20)
    )
    subject = opened(content)
    assert "teacher view" not in dict(subject.dataset.show(0).cells)
    assert any("label=teacher view" in said for said in subject.reading.doubtful)


def test_of_what_is_true_and_what_a_person_said_the_truth_by_its_name_is_taken():
    said, true = answers(60, ("No entry", "Ahead only", "Keep to the right"))
    person = np.where(np.arange(60) % 9 == 2, said, true)
    seen = [str(row % 2 == 0) for row in range(60)]
    sure = RNG.uniform(0.5, 1, 60).round(3)
    header = "image_path,true_label_name,top1_name,top1_prob,human_label_name,accepted_top1,model_top1_correct"
    names = [f"signs/{row}.png" for row in range(60)]
    subject = opened(csv(header, names, true, said, sure, person, seen, said == true))
    assert subject.reading.with_role("prediction") == ("top1_name",)
    assert subject.reading.with_role("label") == ("true_label_name",)
    assert subject.inputs.losses.mean() == pytest.approx((said != true).mean())


def test_a_chance_that_is_named_after_a_column_offers_it_as_the_truth_and_words_of_the_prediction_do_not_count():
    happened = (RNG.random(200) < 0.2) * 1
    chance = np.clip(RNG.beta(1, 5, 200) + 0.1 * happened, 0, 1).round(2)
    said = (chance > 0.5) * 1
    content = csv("clerk,Attrition,Prediccion,Probabilidad_Attrition", range(7, 207), happened, said, chance)
    subject = opened(content)
    assert subject.reading.left_out["Attrition"] == "'Probabilidad_Attrition' is named after it"
    assert any("--column label=Attrition" in said for said in subject.reading.doubtful)
    likely = (chance > 0.2) * 1
    named = csv("clerk,is_high_true,is_high_pred,is_high_pred_proba", range(7, 207), likely, said, chance)
    assert opened(named).reading.with_role("confidence") == ("is_high_pred_proba",)


def test_shares_beside_a_key_that_recurs_and_a_date_are_asked_about():
    days = [f"2021-{row % 12 + 1:02d}-01" for row in range(240)]
    content = csv(
        "ID_CLIENTE,SAFRA_REF,INADIMPLENTE", [row // 3 * 97 for row in range(240)], days, RNG.random(240).round(2)
    )
    with pytest.raises(ReadingUnclear, match="'INADIMPLENTE' are numbers from 0 to 1"):
        opened(content)


def test_lines_without_any_cell_above_the_header_are_passed_over():
    said, true = answers(30)
    content = csv("text,prediction,label", [f"leaf {row}" for row in range(30)], said, true)
    subject = opened(b",,\r\n , ,\n" + content)
    assert subject.reading.roles.keys() == opened(content).reading.roles.keys()
    assert len(subject.dataset) == 30


def test_a_reply_of_people_beside_predicted_and_actual_classes_is_no_output_to_judge():
    said, true = answers(40, ("0", "1"))
    texts = [f"You are not the {row}th to say that" for row in range(40)]
    subject = opened(csv("Reply,Code,actual_binary,predicted_binary", texts, ["2b", "3g"] * 20, true, said))
    assert subject.reading.with_role("prediction") == ("predicted_binary",)
    assert subject.reading.with_role("label") == ("actual_binary",)
    assert subject.reading.with_role("text") == ("Reply",)


def test_a_column_after_which_the_answers_of_a_program_are_named_is_hidden_and_offered():
    said = np.array(["support", "oppose"] * 20)
    stance = np.array(["Neutral", "Support", "Oppose", "Oppose"] * 10)
    texts = [f"A text about the {row}th thing" for row in range(40)]
    subject = opened(csv("Text,Stance,llm_predicted_stance", texts, stance, said))
    assert subject.reading.left_out["Stance"] == "'llm_predicted_stance' is named after it"
    assert any("--column label=Stance" in said for said in subject.reading.doubtful)


def test_flags_of_a_program_and_of_a_person_are_asked_about_beside_the_only_classes_of_words():
    said, true = RNG.integers(0, 2, 60), RNG.integers(0, 2, 60)
    shelf = np.array(["include", "exclude", "open"] * 20)
    content = csv(
        "Confidence,algorithm.view,shelf,ClassicReviewer", RNG.uniform(0.5, 1, 60).round(3), said, shelf, true
    )
    with pytest.raises(ReadingUnclear, match="'shelf' may each be the prediction"):
        opened(content)
