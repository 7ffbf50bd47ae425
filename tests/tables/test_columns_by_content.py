"""Columns are what stands in them: chances under any name, a truth beside chances alone, and names that promise too much."""

import json

import numpy as np
import pandas as pd
import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import AS_NAMED, TableChoices
from testimate.tables.rules import EVERYWHERE
from tests.each import each

SIZE = 300
CLASSES = np.array(["ant", "bee", "cat", "dog"])
RNG = np.random.default_rng(51)
TRUTH = RNG.integers(0, 4, SIZE)
SAID = np.where(RNG.random(SIZE) < 0.8, TRUTH, RNG.integers(0, 4, SIZE))
RIGHT = float((SAID == TRUTH).mean())
CHANCES = RNG.dirichlet(np.ones(4), SIZE)
CHANCES[np.arange(SIZE), SAID] += 3
CHANCES /= CHANCES.sum(axis=1, keepdims=True)
SURE = CHANCES.max(axis=1)
WORDS_OF_ROWS = [f"What is the animal in place {row}?" for row in range(SIZE)]


def opened(choices=AS_NAMED, **columns):
    return read_table(pd.DataFrame(columns).to_csv(index=False).encode(), name="t.csv", choices=choices)


@each("before", ["prob_", "Probability of ", "softmax:", "p."])
def test_chances_are_found_under_any_beginning_of_their_names(before):
    chances = {f"{before}{name}": CHANCES[:, place] for place, name in enumerate(CLASSES)}
    subject = opened(pred=CLASSES[SAID], label=CLASSES[TRUTH], **chances)
    assert subject.inputs.confidence == pytest.approx(SURE, abs=1e-6)
    assert [*subject.inputs.scores] == ["confidence"]


def test_chances_in_an_object_of_json_lines_are_those_of_the_classes():
    lines = [
        {
            "text": f"the text of number {row}",
            "predicted_label": CLASSES[SAID[row]],
            "probs": dict(zip(CLASSES, one, strict=True)),
        }
        for row, one in enumerate(CHANCES.tolist())
    ]
    content = "\n".join(map(json.dumps, lines)).encode()
    assert read_table(content, name="t.jsonl").inputs.confidence == pytest.approx(SURE, abs=1e-6)


def test_scores_of_classes_that_do_not_sum_to_1_are_no_chances():
    subject = opened(
        pred=CLASSES[SAID], **{f"score_{name}": 1 + CHANCES[:, place] for place, name in enumerate(CLASSES)}
    )
    assert subject.inputs.probabilities is None


@each("name", ["True Class", "y_true", "gold"])
def test_a_truth_beside_chances_alone_is_known(name):
    chances = {f"p_{word}": CHANCES[:, place] for place, word in enumerate(CLASSES)}
    subject = opened(**chances, **{name: CLASSES[TRUTH]})
    assert 1 - subject.inputs.losses.mean() == pytest.approx(RIGHT)
    assert subject.reading.roles[name].role == "label"


@each("name", ["fail_probability", "errorProb", "confidence_interval_lower"])
def test_a_chance_of_something_else_is_no_confidence(name):
    subject = opened(prediction=CLASSES[SAID], **{name: 1 - SURE})
    assert subject.inputs.confidence is None
    assert name in subject.inputs.scores


@each("name", ["score", "probability"])
def test_numbers_too_small_for_a_predicted_class_are_left_as_a_score_with_a_word(name):
    subject = opened(prediction=CLASSES[SAID], **{name: RNG.random(SIZE).round(4)})
    assert subject.inputs.confidence is None
    assert any(f"--column confidence={name}" in doubt for doubt in subject.reading.doubtful)
    assert opened(prediction=CLASSES[SAID], **{name: SURE}).inputs.confidence == pytest.approx(SURE)


def test_two_columns_with_a_word_for_predictions_are_asked_about_and_one_is_taken():
    names = {"resnet_pred": CLASSES[SAID], "vit_pred": CLASSES[RNG.permutation(SAID)]}
    with pytest.raises(ReadingUnclear) as asked:
        opened(label=CLASSES[TRUTH], **names)
    assert [way.option for way in asked.value.ways] == [f"--column prediction={name}" for name in names]
    subject = opened(choices=TableChoices(columns=(("prediction", "resnet_pred"),)), label=CLASSES[TRUTH], **names)
    assert 1 - subject.inputs.losses.mean() == pytest.approx(RIGHT)
    assert "vit_pred" not in dict(subject.dataset.show(0).cells)
    assert opened(resnet_pred=CLASSES[SAID]).reading.roles["resnet_pred"].role == "prediction"


def of_chances(wrong):
    """Predictions of which this share is not the most probable class, beside the chances."""
    away = RNG.permutation(SIZE) < wrong * SIZE
    said = np.where(away, (CHANCES.argmax(axis=1) + 1) % 4, CHANCES.argmax(axis=1))
    return {"prediction": CLASSES[said], **{f"p_{name}": CHANCES[:, place] for place, name in enumerate(CLASSES)}}


def test_predictions_against_their_chances_are_counted_and_asked_about_where_many_are():
    few = opened(**of_chances(0.05))
    assert any("15 of 300 rows" in doubt for doubt in few.reading.doubtful)
    assert opened(**of_chances(0)).reading.doubtful == ()
    many = of_chances(0.5)
    with pytest.raises(ReadingUnclear, match="150 of 300 rows") as asked:
        opened(**many)
    assert [way.option for way in asked.value.ways] == ["--read chances=as-they-are", "--column ignore=prediction"]
    kept = opened(choices=TableChoices(read=(("chances", "as-they-are"),)), **many)
    assert (CLASSES[kept.inputs.predictions] == many["prediction"]).all()
    of_most = opened(choices=TableChoices(columns=(("ignore", "prediction"),)), **many)
    assert of_most.inputs.predictions.tolist() == CHANCES.argmax(axis=1).tolist()


def test_rows_of_one_file_are_counted_and_drawn_together_where_that_is_said():
    files = [f"{row // 5}.png" for row in range(SIZE)]
    subject = opened(file=files, prediction=CLASSES[SAID])
    assert subject.inputs.groups is None
    assert any("60 inputs" in doubt and "--read rows=together" in doubt for doubt in subject.reading.doubtful)
    together = opened(choices=TableChoices(read=(("rows", "together"),)), file=files, prediction=CLASSES[SAID])
    assert together.inputs.groups.sizes.tolist() == [5] * 60
    with pytest.raises(BadInput, match="one row for each input"):
        opened(
            choices=TableChoices(read=(("rows", "together"),)),
            file=[f"{row}.png" for row in range(SIZE)],
            prediction=CLASSES[SAID],
        )


def test_lines_before_the_header_that_begin_with_a_hash_are_comments():
    table = pd.DataFrame({"prediction": CLASSES[SAID], "label": CLASSES[TRUTH]}).to_csv(index=False)
    for before in ("# made by a tool\n", "# one, two, three\n#\n# über\r\n"):
        subject = read_table((before + table).encode(), name="t.csv")
        assert 1 - subject.inputs.losses.mean() == pytest.approx(RIGHT)
    assert read_table(("#," + table.replace("\n", "\n7,")[:-2]).encode(), name="t.csv").reading.size == SIZE


def test_a_table_as_r_writes_it_has_a_header_of_one_cell_less():
    frame = pd.DataFrame({"prediction": CLASSES[SAID], "label": CLASSES[TRUTH]})
    for between in (" ", ",", "\t"):
        rows = frame.to_csv(index=True, header=False, sep=between, quoting=2)
        subject = read_table((f'"prediction"{between}"label"\n' + rows).encode(), name="t.txt")
        assert 1 - subject.inputs.losses.mean() == pytest.approx(RIGHT)
        assert subject.reading.size == SIZE


@each("scores", [[0, 1], [0.0, 1.0]])
def test_an_expected_text_beside_an_output_is_its_reference_and_scores_of_0_and_1_are_offered(scores):
    columns = {"input": [f"ask {row}" for row in range(SIZE)], "output": [f"say {row}" for row in range(SIZE)]}
    expected = [f"want {row}" for row in range(SIZE)]
    subject = opened(**columns, expected=expected, score=RNG.choice(scores, SIZE))
    assert [pane.title for pane in subject.dataset.show(0).panes] == ["Input", "Output", "Reference"]
    assert "score" not in subject.inputs.scores
    assert any("--column outcome=score" in doubt for doubt in subject.reading.doubtful)


@each("numbers", [np.arange(SIZE) * 1234.5, np.arange(SIZE) * 7.25])
def test_numbers_that_rise_with_predicted_ones_are_offered_as_the_truth(numbers):
    predicted = numbers * (1 + RNG.uniform(-0.05, 0.05, SIZE))
    sold = RNG.permutation(SIZE)
    table = pd.DataFrame({"prediction": predicted[sold], "SalePrice": numbers[sold], "noise": RNG.random(SIZE)})
    subject = read_table(table.to_csv(index=False).encode(), name="t.csv", task="regression")
    assert sum("--column label=" in doubt for doubt in subject.reading.doubtful) == 1
    assert any("'SalePrice'" in doubt for doubt in subject.reading.doubtful)


def test_a_column_named_after_the_one_it_agrees_with_is_asked_about_where_its_name_says_no_more():
    with pytest.raises(ReadingUnclear, match="'bird_knn' and 'bird' contain the same classes") as asked:
        opened(
            age=np.arange(SIZE) % 7,
            bird=CLASSES[TRUTH],
            place=np.tile(["hill", "lake"], SIZE // 2),
            bird_knn=CLASSES[SAID],
        )
    assert asked.value.ways[0].option == "--column prediction=bird_knn --column label=bird"


def test_several_pairs_of_answers_are_asked_about():
    grades = {
        f"{who} {what}": CLASSES[cells]
        for what in ("grade", "mood")
        for who, cells in (("AI", SAID), ("teacher", TRUTH))
    }
    with pytest.raises(ReadingUnclear, match="'AI grade' and 'AI mood' may each be the prediction"):
        opened(**grades)


LOSS = np.where(SAID == TRUTH, RNG.uniform(0.01, 0.7, SIZE), RNG.uniform(0.5, 4, SIZE)).round(4)
LEFT_OUT = "it is made from the truth in"


@each("name", ["loss", "val_loss", "crossEntropy", "error", "brier_score"])
def test_a_loss_beside_the_truth_it_was_made_from_is_no_score_and_is_shown_to_nobody(name):
    subject = opened(TableChoices(), text=WORDS_OF_ROWS, prediction=CLASSES[SAID], label=CLASSES[TRUTH], **{name: LOSS})
    assert subject.reading.left_out[name] == f"{LEFT_OUT} 'label'"
    assert name not in subject.inputs.scores
    assert name not in dict(subject.dataset.show(0).cells)
    before = TableChoices(rules=EVERYWHERE)
    assert name in opened(before, prediction=CLASSES[SAID], label=CLASSES[TRUTH], **{name: LOSS}).inputs.scores


def test_a_loss_is_left_out_where_the_truth_is_known_in_some_rows_or_only_what_is_right():
    some = np.where(np.arange(SIZE) % 3, "", CLASSES[TRUTH])
    partly = opened(TableChoices(), text=WORDS_OF_ROWS, prediction=CLASSES[SAID], label=some, loss=LOSS)
    right = opened(TableChoices(), text=WORDS_OF_ROWS, outcome=SAID == TRUTH, loss=LOSS)
    assert [one.reading.left_out["loss"] for one in (partly, right)] == [f"{LEFT_OUT} 'label'", f"{LEFT_OUT} 'outcome'"]


@each("name", ["weight_loss", "gps_accuracy", "uncertainty"])
def test_a_number_that_tells_nothing_of_right_and_wrong_or_is_not_called_a_loss_stays_a_score(name):
    numbers = LOSS if name == "uncertainty" else RNG.permutation(LOSS)
    subject = opened(TableChoices(), prediction=CLASSES[SAID], label=CLASSES[TRUTH], **{name: numbers})
    assert name in subject.inputs.scores


def test_a_loss_without_a_truth_stays_a_score_and_is_asked_about():
    subject = opened(TableChoices(), text=WORDS_OF_ROWS, prediction=CLASSES[SAID], loss=LOSS, reconstruction_error=LOSS)
    assert {"loss", "reconstruction_error"} <= {*subject.inputs.scores}
    assert [doubt for doubt in subject.reading.doubtful if "may be made from the truth" in doubt] == [
        "'loss' may be made from the truth, which no new input has. If so, leave it out: --column ignore=loss."
    ]


@each("made", [lambda off: off, np.abs, np.square])
def test_by_how_much_a_number_is_off_is_left_out_under_any_name(made):
    true = RNG.normal(50, 9, SIZE).round(3)
    said = (true + RNG.normal(0, 3, SIZE)).round(3)
    columns = {"prediction": said, "label": true, "x1": made(said - true).round(4), "x2": RNG.random(SIZE).round(4)}
    left_out = opened(TableChoices(), **columns).reading.left_out
    assert left_out["x1"] == f"{LEFT_OUT} 'label'"
    assert "x2" not in left_out


@each("name", ["annotator_id", "worker", "rater_no"])
def test_numbers_of_people_who_gave_labels_are_no_scores(name):
    who = RNG.integers(1, 9, SIZE)
    subject = opened(TableChoices(), text=WORDS_OF_ROWS, prediction=CLASSES[SAID], label=CLASSES[TRUTH], **{name: who})
    assert subject.reading.left_out[name] == "it says who gave a label"
    assert name not in subject.inputs.scores


def test_a_metric_beside_the_match_that_is_taken_for_right_is_no_score_and_beside_grades_of_people_it_is():
    texts = {"question": WORDS_OF_ROWS, "response": [f"The answer is {row}." for row in range(SIZE)]}
    close = RNG.random(SIZE).round(3)
    counted = opened(TableChoices(), **texts, exact_match=(close > 0.5).astype(int), f1=close)
    judged = opened(TableChoices(), **texts, grade=np.where(close > 0.5, "pass", "fail"), f1=close)
    assert counted.reading.left_out["f1"] == f"{LEFT_OUT} 'exact_match'"
    assert "f1" in judged.inputs.scores
