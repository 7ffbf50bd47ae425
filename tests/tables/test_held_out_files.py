"""Every file of the kinds that people have is read right, asked about or refused: none is misread without a word."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.subjects.prediction_table import read_table, table_content
from testimate.subjects.table_choices import TableChoices
from testimate.tables.rules import COUNTED, EVERYWHERE, LATEST, LONE, PAIRED, SEEN, TOLD, TRANSLATED
from tests.each import each
from tests.tables.eighteenth_held_out_files import EIGHTEENTH_HELD_OUT
from tests.tables.eighth_held_out_files import EIGHTH_HELD_OUT
from tests.tables.eleventh_held_out_files import ELEVENTH_HELD_OUT
from tests.tables.fifteenth_held_out_files import FIFTEENTH_HELD_OUT
from tests.tables.fourteenth_held_out_files import FOURTEENTH_HELD_OUT
from tests.tables.fourth_held_out_files import FIFTH_HELD_OUT, FOURTH_HELD_OUT
from tests.tables.held_out_files import HELD_OUT
from tests.tables.kept_evaluation_files import KEPT
from tests.tables.more_held_out_files import MORE_HELD_OUT
from tests.tables.nineteenth_held_out_files import NINETEENTH_HELD_OUT
from tests.tables.ninth_held_out_files import NINTH_HELD_OUT
from tests.tables.people_held_out_files import (
    PEOPLE,
    of_a_padded_title,
    of_a_title,
    of_calls,
    of_counts,
    of_notes_below,
    of_picks,
    of_recommendations,
    of_two_sheets,
)
from tests.tables.seventeenth_held_out_files import SEVENTEENTH_HELD_OUT
from tests.tables.seventh_held_out_files import SEVENTH_HELD_OUT
from tests.tables.sixteenth_held_out_files import SIXTEENTH_HELD_OUT
from tests.tables.sixth_held_out_files import SIXTH_HELD_OUT
from tests.tables.tenth_held_out_files import TENTH_HELD_OUT
from tests.tables.third_held_out_files import THIRD_HELD_OUT
from tests.tables.thirteenth_held_out_files import THIRTEENTH_HELD_OUT
from tests.tables.twelfth_held_out_files import TWELFTH_HELD_OUT
from tests.tables.twentieth_held_out_files import TWENTIETH_HELD_OUT, of_alloys, of_ranked_guesses, of_ratings
from tests.tables.twenty_second_held_out_files import TWENTY_SECOND_HELD_OUT, of_risks
from tests.tables.twenty_third_held_out_files import PHISHING, SAID, TWENTY_THIRD_HELD_OUT

ALL = (
    HELD_OUT,
    MORE_HELD_OUT,
    THIRD_HELD_OUT,
    FOURTH_HELD_OUT,
    FIFTH_HELD_OUT,
    SIXTH_HELD_OUT,
    SEVENTH_HELD_OUT,
    EIGHTH_HELD_OUT,
    NINTH_HELD_OUT,
    TENTH_HELD_OUT,
    ELEVENTH_HELD_OUT,
    TWELFTH_HELD_OUT,
    THIRTEENTH_HELD_OUT,
    FOURTEENTH_HELD_OUT,
    KEPT,
    FIFTEENTH_HELD_OUT,
    SIXTEENTH_HELD_OUT,
    SEVENTEENTH_HELD_OUT,
    EIGHTEENTH_HELD_OUT,
    NINETEENTH_HELD_OUT,
    TWENTIETH_HELD_OUT,
    TWENTY_SECOND_HELD_OUT,
    TWENTY_THIRD_HELD_OUT,
    PEOPLE,
)


@pytest.mark.parametrize("file", [file for files in ALL for file in files], ids=lambda file: file.name)
def test_a_file_of_another_tool_is_read_right_asked_about_or_refused(file):
    if file.asks or file.refuses:
        with pytest.raises(ReadingUnclear if file.asks else BadInput, match=file.asks or file.refuses):
            read_table(file.content, name=file.name)
        return
    subject = file.subject
    roles = {name: one.role for name, one in subject.reading.roles.items()}
    assert file.roles.items() <= roles.items()
    shown = {name for name, _ in subject.dataset.show(0).cells}
    assert not shown & {*file.hidden, *subject.reading.unseen}
    assert {*file.hidden} <= {*roles, *subject.reading.left_out}
    if file.accuracy is not None:
        assert 1 - subject.inputs.losses.mean() == pytest.approx(file.accuracy)


def test_what_is_not_shown_is_said_and_why():
    why = {
        name: reason
        for file in TWENTY_SECOND_HELD_OUT
        if not (file.asks or file.refuses)
        for name, reason in file.subject.reading.unseen.items()
    }
    assert why.items() >= {
        ("artist", "it holds the names of the classes"),
        ("composer", "each of its values goes with one true class"),
        ("id", "numbers the rows"),
        ("confidence", "it says in words how sure the model is"),
        ("q10", "it is an end of the interval around the predicted number"),
        ("wind", "no number in 10 of 90 rows"),
    }


def _of_the_twenty_third(name):
    [file] = [file for file in TWENTY_THIRD_HELD_OUT if file.name == name]
    return file.subject


def test_what_files_tell_of_the_true_class_is_said_or_not_shown():
    for name, column in (("faces.csv", "filename"), ("wake_words.csv", "path")):
        said = f"The names of files in '{column}' hold what goes with the classes"
        assert any(doubt.startswith(said) for doubt in _of_the_twenty_third(name).reading.doubtful)
    assert dict(_of_the_twenty_third("spoofs.csv").dataset.show(0).cells)["image_path"] == "5000.png"


def test_a_chance_that_the_prediction_splits_at_a_half_is_that_of_the_class_above_it():
    found = _of_the_twenty_third("links.csv")
    np.testing.assert_allclose(found.inputs.confidence, np.maximum(PHISHING, 1 - PHISHING))


def test_a_table_of_wrong_rows_alone_says_that_none_is_right():
    for name, true in (("wrong_words.csv", "true_label"), ("missed.csv", "gold")):
        doubts = _of_the_twenty_third(name).reading.doubtful
        assert any(doubt.startswith(f"What '{true}' says was predicted in no row") for doubt in doubts)


def test_a_first_row_of_numbers_in_a_sheet_is_one_and_was_its_header_before():
    assert _of_the_twenty_third("no_header.xlsx").reading.size == 80
    [file] = [file for file in TWENTY_THIRD_HELD_OUT if file.name == "no_header.xlsx"]
    before = TableChoices(columns=(("prediction", str(SAID[0])),), rules=LONE)
    assert read_table(file.content, name=file.name, choices=before).reading.size == 79


def test_chances_of_one_class_in_percent_are_those_of_the_predicted_one():
    content = of_risks()
    chance = pd.read_csv(io.BytesIO(content))["probability"] / 100
    subject = read_table(content, name="risks.csv")
    np.testing.assert_allclose(subject.inputs.confidence, np.maximum(chance, 1 - chance))
    assert "`probability` = chance of 'HIGH', read as the chance of the predicted class" in str(subject.reading)


@each("make,last", [(of_calls, "'Total'"), (of_counts, "'TOTAL'"), (of_notes_below, "'Panel: Dana and Kevin'")])
def test_rows_below_the_others_that_sum_them_up_or_remark_on_them_are_none_and_that_is_said(make, last):
    content = make()
    subject = read_table(content, name="a.csv")
    assert subject.reading.size == 80
    assert any(f"with {last}" in doubt for doubt in subject.reading.doubtful)
    roles = tuple(
        (one.role, name) for name, one in subject.reading.roles.items() if one.role in ("prediction", "label")
    )
    stored = TableChoices(columns=roles, rules=LONE, read=(("unpredicted", "failures"),))
    if make is of_notes_below:
        assert read_table(content, name="a.csv", choices=stored).reading.size == 82


@each("make", [of_a_title, of_a_padded_title])
def test_what_stands_above_the_header_of_a_csv_is_left_out_and_that_is_said(make):
    doubts = read_table(make(), name="a.csv").reading.doubtful
    assert any("is the header. What stands above is left out." in doubt for doubt in doubts)


def test_of_texts_that_an_editor_picked_from_the_one_that_a_person_chooses_is_shown_alone():
    content = of_picks(["sonnet", "mini", "flash"])
    subject = read_table(content, name="a.csv", choices=TableChoices(columns=(("output", "mini"),)))
    roles = {name: one.role for name, one in subject.reading.roles.items()}
    assert roles == {"excerpt": "input", "mini": "output"}
    assert {"sonnet", "flash", "editor_pick"} <= {*subject.reading.unseen}


def test_a_sheet_with_more_columns_for_the_same_keys_is_named():
    doubts = read_table(of_two_sheets(), name="a.xlsx").reading.doubtful
    assert any("'Sheet2' has the same 'Lesion' with 'Histology', which may be the truth" in doubt for doubt in doubts)


def test_the_first_of_things_between_semicolons_is_the_prediction_where_a_person_says_so():
    content = of_recommendations()
    choices = TableChoices(columns=(("prediction", "recommended (top 5)"),), read=(("lists", "first"),))
    first = [one.split("; ")[0] for one in pd.read_csv(io.BytesIO(content))["recommended (top 5)"]]
    subject = read_table(content, name="a.csv", choices=choices)
    assert [subject.task.classes[place] for place in subject.inputs.predictions] == first


def test_times_of_parquet_are_words_and_were_left_out_of_tables_stored_before():
    [file] = [file for file in TWENTY_SECOND_HELD_OUT if file.name == "forecasts_of_one.parquet"]
    assert dict(file.subject.dataset.show(0).cells)["target_hour"] == "2026-06-20 00:00:00"
    before = read_table(file.content, name=file.name, choices=TableChoices(rules=LONE))
    assert {*before.reading.left_out} == {"made_at", "target_hour"}
    assert before.fingerprint != file.subject.fingerprint


def test_a_time_above_others_was_a_name_in_tables_stored_before():
    [file] = [file for file in TWENTY_SECOND_HELD_OUT if file.name == "fruit.csv"]
    roles = (("prediction", "Good"),)
    before = read_table(file.content, name=file.name, choices=TableChoices(columns=roles, rules=LONE))
    assert before.reading.size == 29
    roles = (("prediction", "column 2"),)
    assert read_table(file.content, name=file.name, choices=TableChoices(columns=roles)).reading.size == 30


READ = [file for files in ALL for file in files if not (file.asks or file.refuses)]


@each("file", READ)
def test_a_table_whose_cells_were_opened_before_is_read_as_one_whose_cells_were_not(file):
    opened = read_table(table_content(file.content, file.name).by(LATEST), name=file.name)
    assert (opened.fingerprint, opened.reading) == (file.subject.fingerprint, file.subject.reading)


@pytest.mark.parametrize("file", READ, ids=lambda file: file.name)
def test_a_truth_that_was_found_may_be_confirmed_or_left_out_by_one_click(file):
    content, subject = file.content, file.subject
    roles = {name: one.role for name, one in subject.reading.roles.items()}
    for truth in (name for name, role in roles.items() if role in ("label", "outcome")):
        confirmed = read_table(content, name=file.name, choices=TableChoices(columns=((roles[truth], truth),)))
        assert {name: one.role for name, one in confirmed.reading.roles.items()} == roles
        np.testing.assert_array_equal(confirmed.inputs.predictions, subject.inputs.predictions)
        without = TableChoices(columns=(("ignore", truth),))
        if file.name in CHANCES_ALONE | ONE_CLASS_ALONE:
            with pytest.raises(BadInput, match=r"chances of class 1|the only class"):
                read_table(content, name=file.name, choices=without)
            continue
        left = read_table(content, name=file.name, choices=without).reading
        kept = {name for name, one in left.roles.items() if one.role in ("prediction", "output")}
        assert kept == {name for name, role in roles.items() if role in ("prediction", "output")}


CHANCES_ALONE = {"churn.csv", "trains.tsv", "loans.csv", "bank.csv"}
"""Files of chances that nothing else explains once the truth is left out."""

ONE_CLASS_ALONE = {"missed.csv"}
"""Files whose only other class is the truth."""


def test_eight_of_ten_of_all_such_files_are_read_without_a_question_refused_ones_counted():
    files = [file for some in ALL for file in some]
    assert sum(not (file.asks or file.refuses) for file in files) >= 0.8 * len(files)


def test_folders_called_as_the_classes_are_shown_to_no_tester():
    [file] = [file for file in THIRD_HELD_OUT if file.name == "keras.csv"]
    subject = file.subject
    assert dict(subject.dataset.show(0).cells)["filename"] == "0000.jpg"
    assert "The folders in 'filename'" in str(subject.reading)


def test_a_table_stored_before_is_read_by_the_rules_it_was_stored_with():
    [file] = [file for file in THIRD_HELD_OUT if file.name == "lm.csv"]
    before = read_table(file.make(), name=file.name, choices=TableChoices(rules=SEEN))
    now = file.subject
    assert before.reading.roles["residual"].role == "score"
    assert "residual" in now.reading.left_out
    assert before.fingerprint != now.fingerprint


@each(
    "name,rules",
    [
        ("details.parquet", TOLD),
        ("asr.csv", TOLD),
        ("summaries.jsonl", SEEN),
        ("comet.json", SEEN),
        ("traces.json", SEEN),
    ],
)
def test_names_of_outputs_known_since_are_no_outputs_in_a_table_stored_before(name, rules):
    [file] = [file for file in (*FOURTH_HELD_OUT, *THIRD_HELD_OUT) if file.name == name]
    with pytest.raises(BadInput, match="has no predictions"):
        read_table(file.make(), name=file.name, choices=TableChoices(rules=rules))


@each("name", ["highlights", "ref"])
def test_names_of_references_known_since_are_shown_as_before_in_a_table_stored_before(name):
    said, asked, true = ([f"{words} {row}" for row in range(20)] for words in ("It may be", "How many is", "It is not"))
    records = [{"response": a, "question": b, name: c} for a, b, c in zip(said, asked, true, strict=True)]
    content = "".join(json.dumps(one) + "\n" for one in records).encode()
    found = {
        rules: read_table(content, name="a.jsonl", choices=TableChoices(rules=rules)).reading.roles[name].role
        for rules in (SEEN, TOLD)
    }
    assert found == {SEEN: "shown", TOLD: "reference"}


@each("name", ["mlr3.csv", "autopilot.csv", "numbered.csv", "folds.csv", "braces.csv"])
def test_a_table_stored_before_classes_were_counted_is_read_as_it_was(name):
    [file] = [file for file in (*FOURTH_HELD_OUT, *FIFTH_HELD_OUT) if file.name == name]
    before = read_table(file.make(), name=file.name, choices=TableChoices(rules=TOLD))
    roles = {column: one.role for column, one in before.reading.roles.items()}
    assert (
        roles.items()
        >= {
            "mlr3.csv": {"response": "output"},
            "autopilot.csv": {"probabilities": "text"},
            "numbered.csv": {"gt_class": "score"},
            "folds.csv": {"fold": "score"},
            "braces.csv": {"true_tags": "shown"},
        }[name].items()
    )


def test_numbers_from_1_count_the_classes_from_1_in_a_table_of_many_rows():
    numbers = np.arange(90) % 3 + 1
    assert read_table({"prediction": numbers}, name="t", undecided="classes").task.classes == ("1", "2", "3")
    few = read_table({"prediction": numbers[:6]}, name="t", undecided="classes")
    assert few.task.classes == ("0", "1", "2", "3")
    before = read_table({"prediction": numbers}, name="t", undecided="classes", choices=TableChoices(rules=TOLD))
    assert before.task.classes == ("0", "1", "2", "3")


@each(
    "name,before",
    [("folds.json", {"y_true": "text"}), ("log.csv", {"feedback": "shown"})],
)
def test_a_table_stored_before_names_were_translated_is_read_as_it_was(name, before):
    [file] = [file for file in SIXTH_HELD_OUT if file.name == name]
    read, now = (
        read_table(file.make(), name=name, choices=TableChoices(rules=rules)) for rules in (COUNTED, TRANSLATED)
    )
    assert {column: one.role for column, one in read.reading.roles.items()}.items() >= before.items()
    assert read.fingerprint != now.fingerprint


@each("name", ["lists.json", "unicode.txt"])
def test_what_was_no_prediction_before_names_were_translated_is_none_in_a_table_stored_then(name):
    [file] = [file for file in FOURTH_HELD_OUT if file.name == name]
    with pytest.raises(BadInput, match="has no predictions"):
        read_table(file.make(), name=name, choices=TableChoices(rules=COUNTED))


def test_second_guesses_are_shown_in_a_table_stored_before():
    [top] = [file for file in SEVENTH_HELD_OUT if file.name == "top3.csv"]
    before = read_table(top.make(), name=top.name, choices=TableChoices(rules=TRANSLATED))
    assert before.reading.roles["top2"].role == "shown"


@each("name", ["flags.csv", "churn.csv", "calls.jsonl"])
def test_what_was_no_prediction_before_columns_were_paired_is_none_in_a_table_stored_then(name):
    [file] = [file for file in SEVENTH_HELD_OUT if file.name == name]
    with pytest.raises(BadInput, match="has no predictions"):
        read_table(file.make(), name=file.name, choices=TableChoices(rules=EVERYWHERE))


def test_answers_of_few_words_are_judged_in_a_table_stored_before():
    [exam] = [file for file in SEVENTH_HELD_OUT if file.name == "exam.txt"]
    before = read_table(exam.make(), name=exam.name, choices=TableChoices(rules=EVERYWHERE))
    assert before.reading.roles["Answer"].role == "output"


def test_rows_a_level_deeper_are_one_row_in_a_table_stored_before():
    [file] = [file for file in TENTH_HELD_OUT if file.name == "sentiment.json"]
    before = read_table(file.make(), name=file.name, choices=TableChoices(rules=EVERYWHERE))
    assert (len(before.inputs), len(file.subject.inputs)) == (1, 230)


@each("name", ["sugar.csv", "submission.csv", "target.csv", "titles.tsv", "invoices.csv"])
def test_the_only_answers_are_no_prediction_in_a_table_stored_before(name):
    [file] = [file for file in (*TENTH_HELD_OUT, *FOURTEENTH_HELD_OUT) if file.name == name]
    with pytest.raises(BadInput, match="has no predictions"):
        read_table(file.make(), name=file.name, choices=TableChoices(rules=PAIRED))
    if name != "invoices.csv":  # of which the names of two columns say what they are
        assert ("the prediction, because" in str(file.subject.reading)) == (name != "sugar.csv")


def test_a_row_that_was_lost_as_a_header_stays_lost_in_a_table_stored_before():
    [file] = [file for file in FIFTEENTH_HELD_OUT if file.name == "saved.csv"]
    content = file.make()
    stored, now = (read_table(content, name=file.name, choices=TableChoices(rules=rules)) for rules in (PAIRED, LATEST))
    assert (len(stored.inputs), len(now.inputs)) == (239, 240)
    assert stored.inputs.predictions.tolist() == now.inputs.predictions[1:].tolist()


def test_labels_that_share_no_class_with_the_predictions_are_all_wrong_in_a_table_stored_before():
    [file] = [file for file in FIFTEENTH_HELD_OUT if file.name == "foreign.csv"]
    assert read_table(file.make(), name=file.name, choices=TableChoices(rules=PAIRED)).inputs.losses.all()


def test_rows_without_a_predicted_class_are_failures_where_a_person_says_so():
    [file] = [file for file in SIXTEENTH_HELD_OUT if file.name == "gaps.csv"]
    subject = read_table(file.make(), name=file.name, choices=TableChoices(read=(("unpredicted", "failures"),)))
    whole = read_table(file.make().replace(b",,", b",tense,"), name=file.name)
    assert len(subject.dataset) == len(whole.dataset) == 240
    assert subject.inputs.losses[[3, 70]].tolist() == [1, 1]
    np.testing.assert_array_equal(*(np.delete(one.inputs.losses, [3, 70]) for one in (subject, whole)))
    with pytest.raises(BadInput, match="Expected a value in every row"):
        read_table(file.make(), name=file.name, choices=TableChoices(rules=PAIRED))


def test_a_table_in_which_many_rows_lack_a_prediction_is_refused():
    said = ["cat", "owl", ""] * 40
    with pytest.raises(BadInput, match="as are 39 more"):
        read_table({"prediction": said, "label": ["cat"] * 120}, name="t")


def test_the_reading_of_few_rows_says_that_a_name_alone_tells_the_truth():
    [file] = [file for file in SIXTEENTH_HELD_OUT if file.name == "prices.csv"]
    assert "'Actual_Price' is read as the truth by its name: 5 rows cannot tell." in str(file.subject.reading)


def test_folders_that_go_with_numbered_classes_are_shown_to_no_tester_but_in_a_table_stored_before():
    [file] = [file for file in SEVENTEENTH_HELD_OUT if file.name == "folders.csv"]
    now, before = (
        read_table(file.make(), name=file.name, choices=TableChoices(rules=rules)) for rules in (LATEST, LONE)
    )
    assert dict(now.dataset.show(0).cells)["filepath"] == "00000.jpg"
    assert "The folders in 'filepath' go with the classes" in str(now.reading)
    assert dict(before.dataset.show(0).cells)["filepath"].startswith("/data/")


def test_many_columns_that_may_be_known_are_offered_in_one_sentence():
    [file] = [file for file in SEVENTEENTH_HELD_OUT if file.name == "stocks.csv"]
    offers = [said for said in file.subject.reading.doubtful if "To use" in said]
    assert [said for said in offers if "may be the truth" in said] == [
        "'Open', 'High' and 3 more may be the truth or another model's answer. To use one as known: --column label=NAME."
    ]


@each(
    "name,role",
    [("players.csv", ("completions", "output")), ("unsure.csv", ("uncertainty", "shown"))],
)
def test_a_table_stored_before_numbers_alone_were_no_outputs_is_read_as_it_was(name, role):
    [file] = [file for file in SEVENTEENTH_HELD_OUT if file.name == name]
    before = read_table(file.make(), name=name, choices=TableChoices(rules=LONE))
    assert (role[0], before.reading.roles[role[0]].role) == role


@each("name", ["three.csv", "tools.csv", "weather.csv", "models.csv"])
def test_what_was_no_prediction_before_columns_of_a_kind_were_asked_about_is_none_in_a_table_stored_then(name):
    [file] = [file for file in SEVENTEENTH_HELD_OUT if file.name == name]
    with pytest.raises(BadInput, match="has no predictions"):
        read_table(file.make(), name=name, choices=TableChoices(rules=LONE))


def test_a_first_line_that_may_be_a_value_is_one_or_a_name_as_a_person_says_and_a_name_in_a_table_stored_before():
    [file] = [file for file in EIGHTEENTH_HELD_OUT if file.name == "lone.csv"]
    content = file.make()
    row, name = (
        read_table(content, name=file.name, choices=TableChoices(read=(("header", said),))) for said in ("row", "name")
    )
    before = read_table(content, name=file.name, choices=TableChoices(rules=LONE))
    assert [len(one.inputs) for one in (row, name, before)] == [241, 240, 240]
    assert row.inputs.predictions.tolist() == [0, *name.inputs.predictions.tolist()]
    np.testing.assert_array_equal(name.inputs.predictions, before.inputs.predictions)
    assert not any("first line" in said for said in name.reading.doubtful)


@each("name,role", [("people.csv", ("response", "output")), ("lands.csv", ("country", "prediction"))])
def test_a_table_stored_before_a_reading_needed_evidence_is_read_as_it_was(name, role):
    [file] = [file for file in EIGHTEENTH_HELD_OUT if file.name == name]
    before = read_table(file.make(), name=name, choices=TableChoices(rules=LONE))
    assert (role[0], before.reading.roles[role[0]].role) == role


def test_names_of_files_that_begin_as_the_classes_are_called_are_said():
    [file] = [file for file in NINETEENTH_HELD_OUT if file.name == "told.csv"]
    now, before = (
        read_table(file.make(), name=file.name, choices=TableChoices(rules=rules)) for rules in (LATEST, LONE)
    )
    said = "The names of files in 'file' hold what goes with the classes"
    assert [any(doubt.startswith(said) for doubt in one.reading.doubtful) for one in (now, before)] == [True, False]


def test_a_mark_of_what_came_true_is_shown_in_a_table_stored_before_it_was_known_as_one():
    [file] = [file for file in NINETEENTH_HELD_OUT if file.name == "stock.csv"]
    before = read_table(file.make(), name=file.name, choices=TableChoices(rules=LONE))
    assert before.reading.roles["Result"].role == "shown"


def test_a_list_of_guesses_may_be_a_set_or_ranked_and_the_true_one_among_them_is_shown_to_nobody():
    content, chosen = of_ranked_guesses(), (("prediction", "pred_birds"),)
    whole = read_table(content, name="a.jsonl", choices=TableChoices(columns=chosen))
    first = read_table(content, name="a.jsonl", choices=TableChoices(columns=chosen, read=(("lists", "first"),)))
    assert (whole.task.kind, first.task.kind) == ("multi-label", "classification")
    for subject in (whole, first):
        assert "bird" in subject.reading.left_out
        assert "'bird' may be the truth" in str(subject.reading)
    known = TableChoices(columns=(*chosen, ("label", "bird")), read=(("lists", "first"),))
    lines = [json.loads(line) for line in content.decode().splitlines()]
    right = np.mean([one["bird"] == one["pred_birds"][0] for one in lines])
    assert 1 - read_table(content, name="a.jsonl", choices=known).inputs.losses.mean() == pytest.approx(right)


def test_lists_whose_first_should_be_read_must_be_lists():
    known = TableChoices(columns=(("prediction", "pred_strain"),), read=(("lists", "first"),))
    with pytest.raises(BadInput, match="contains no lists"):
        read_table(of_alloys(), name="a.csv", choices=known)


@each("name,other", [("strain", "strength"), ("strength", "strain")])
def test_of_several_predicted_numbers_each_has_the_truth_that_is_called_as_it_is(name, other):
    subject = read_table(of_alloys(), name="a.csv", choices=TableChoices(columns=(("prediction", f"pred_{name}"),)))
    assert subject.reading.roles[f"true_{name}"].role == "label"
    assert f"true_{other}" in subject.reading.left_out


@each(
    "said,true",
    [
        ("חזוי", "בפועל"),
        ("المتوقع", "الفعلي"),
        ("भविष्यवाणी", "वास्तविक"),
        ("dự đoán", "thực tế"),
        ("kelas prediksi", "kelas sebenarnya"),
        ("clasă prezisă", "clasă adevărată"),
        ("előrejelzett osztály", "tényleges osztály"),
        ("Προβλεπόμενη κλάση", "Πραγματική κλάση"),
        ("předpovězená_třída", "skutečná_třída"),
        ("forudsagt klasse", "faktisk klasse"),
        ("predikert_utfall", "faktisk_utfall"),
    ],
)
def test_names_in_further_languages_are_known_and_were_not_in_a_table_stored_before(said, true):
    classes = np.array(["kiwi", "pear", "plum"])[np.arange(60) % 3]
    wrong = np.where(np.arange(60) % 5 == 0, np.roll(classes, 1), classes)
    columns = {"a": np.arange(60), said: wrong, true: classes, "b": np.roll(classes, 7)}
    roles = {name: one.role for name, one in read_table(columns, name="t").reading.roles.items()}
    assert (roles[said], roles[true]) == ("prediction", "label")
    with pytest.raises((BadInput, ReadingUnclear)):
        read_table(columns, name="t", choices=TableChoices(rules=LONE))


def test_what_rises_with_the_predictions_of_three_models_is_offered_as_the_truth():
    chosen = TableChoices(columns=(("prediction", "חזוי_XGB"),))
    said = str(read_table(of_ratings(), name="a.csv", choices=chosen).reading)
    assert "'רייטינג' may be the truth" in said
    assert "'אורך' may be the truth" not in said
    before = TableChoices(columns=chosen.columns, rules=LONE)
    assert "'רייטינג' may be the truth" not in str(read_table(of_ratings(), name="a.csv", choices=before).reading)


def test_lists_that_hold_the_prediction_in_many_rows_are_shown_to_nobody_and_those_that_always_do_are():
    rows = [json.loads(line) for line in of_ranked_guesses().decode().splitlines()]
    first = [row["pred_birds"][0] for row in rows]
    right = [sorted({row["bird"], "B59"}) for row in rows]
    made = zip(first, right, [row["pred_birds"] for row in rows], strict=True)
    lines = [json.dumps({"prediction": one, "birds": true, "choices": some}) for one, true, some in made]
    reading = read_table("\n".join(lines).encode(), name="a.jsonl").reading
    assert "birds" in reading.left_out
    assert reading.roles["choices"].role == "text"
