"""Tables as other tools write them are read by what stands in them, or asked about; each is made here with the right value."""

import json

import numpy as np
import pandas as pd
import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.core.reading import READS
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import AS_NAMED, TableChoices
from testimate.tables.rules import BY_NAME
from tests.each import each

SIZE = 300
WORDS = np.array(["ant", "bee", "cat", "dog", "eel"])
RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 5, SIZE)
SAID = np.where(RNG.random(SIZE) < 0.8, TRUTH, RNG.integers(0, 5, SIZE))
SURE = RNG.uniform(0.3, 1, SIZE).round(4)
RIGHT = float((SAID == TRUTH).mean())


def opened(separator=",", task=None, choices=AS_NAMED, **columns):
    """The subject of a CSV with these columns."""
    table = pd.DataFrame(columns).to_csv(index=False, sep=separator).encode()
    return read_table(table, name="t.csv", task=task, choices=choices)


def read(**answers):
    return TableChoices(read=tuple(answers.items()))


def ways(**columns):
    with pytest.raises(ReadingUnclear) as asked:
        opened(**columns)
    return [way.option for way in asked.value.ways]


@each("name", ["true_label", "y_true", "Target", "gold", "actual"])
def test_a_truth_under_another_name_is_known_and_never_shown(name):
    subject = opened(prediction=WORDS[SAID], confidence=SURE, **{name: WORDS[TRUTH]})
    assert 1 - subject.inputs.losses.mean() == pytest.approx(RIGHT)
    assert name not in dict(subject.dataset.show(0).cells)
    assert "agrees" in subject.reading.roles[name].reason


@each("name", ["baseline", "expert_2", "zzz"])
def test_what_agrees_far_above_chance_is_hidden_and_offered(name):
    subject = opened(prediction=WORDS[SAID], **{name: WORDS[TRUTH]}, place=RNG.permutation(SIZE).astype(str))
    assert name not in dict(subject.dataset.show(0).cells)
    assert subject.inputs.losses is None
    assert any(f"--column label={name}" in doubt for doubt in subject.reading.doubtful)
    unrelated = opened(prediction=WORDS[SAID], **{name: WORDS[RNG.permutation(SAID)]})
    assert name in dict(unrelated.dataset.show(0).cells)


@each("name", ["correct", "is_correct", "error", "anything"])
def test_right_and_wrong_is_hidden_from_testers(name):
    told = np.where(SAID == TRUTH, "y", "n")
    known = {} if name != "anything" else {"label": WORDS[TRUTH]}
    subject = opened(prediction=WORDS[SAID], **known, **{name: told})
    assert name in subject.reading.left_out


@each(
    ("names", "roles"),
    [
        (("path", "pred_class", "score"), ("file", "prediction", "confidence")),
        (("filename", "PredictedLabel", "prob"), ("file", "prediction", "confidence")),
        (("img", "y_pred", "y_prob"), ("file", "prediction", "confidence")),
    ],
)
def test_names_of_other_tools_are_guessed_by_content(names, roles):
    values = ([f"img/{row}.png" for row in range(SIZE)], WORDS[SAID], SURE)
    reading = opened(**dict(zip(names, values, strict=True))).reading
    assert tuple(reading.roles[name].role for name in names) == roles


def test_a_key_is_never_a_score_whatever_its_name():
    for key in (np.arange(7000, 7000 + SIZE), RNG.permutation(SIZE) * 7):
        subject = opened(sample_no=key, prediction=WORDS[SAID], age=RNG.integers(20, 70, SIZE))
        assert [*subject.inputs.scores] == ["age"]
        assert subject.reading.roles["sample_no"].role == "row number"


@each("spelled", [lambda p: f"{100 * p:.2f}%", lambda p: f"{100 * p:.2f}", lambda p: f"{np.log(p):.8f}"])
def test_a_confidence_in_another_unit_is_converted_and_said(spelled):
    subject = opened(prediction=WORDS[SAID], confidence=[spelled(p) for p in SURE])
    np.testing.assert_allclose(subject.inputs.confidence, SURE, atol=1e-6)
    assert "read as the chance of the predicted class" in subject.reading.roles["confidence"].meaning


def test_the_chance_of_class_1_becomes_that_of_the_predicted_class():
    chance = RNG.uniform(0, 1, SIZE).round(5)
    subject = opened(y_pred=(chance > 0.5).astype(int), y_prob=chance)
    np.testing.assert_allclose(subject.inputs.confidence, np.maximum(chance, 1 - chance))
    assert subject.reading.roles["y_prob"].meaning.startswith("chance of '1'")


def test_a_chance_of_class_1_with_another_threshold_is_asked_about():
    chance = RNG.uniform(0, 1, SIZE).round(5)
    table = {"prediction": (chance > 0.3).astype(int), "confidence": chance}
    assert ways(**table) == ["--read confidence=second", "--read confidence=predicted"]
    kept = opened(**table, choices=read(confidence="predicted"))
    np.testing.assert_array_equal(kept.inputs.confidence, chance)


def test_a_confidence_that_is_mostly_too_small_is_asked_about():
    table = {"prediction": WORDS[SAID], "confidence": 1 - RNG.uniform(0.85, 1, SIZE).round(4)}
    assert ways(**table) == ["--read confidence=failure", "--read confidence=predicted"]
    turned = opened(**table, choices=read(confidence="failure"))
    np.testing.assert_allclose(turned.inputs.confidence, 1 - table["confidence"])


def test_predicted_shares_beside_labels_0_and_1_are_asked_about():
    chance = RNG.uniform(0, 1, SIZE).round(4)
    table = {"prediction": chance, "label": (chance + RNG.normal(0, 0.3, SIZE) > 0.5).astype(int)}
    assert ways(**table) == ["--read prediction=chance", "--task regression"]
    classes = opened(**table, choices=read(prediction="chance"))
    right = (chance >= 0.5) == (table["label"] == 1)
    assert 1 - classes.inputs.losses.mean() == pytest.approx(right.mean())
    np.testing.assert_allclose(classes.inputs.confidence, np.maximum(chance, 1 - chance))


def sets_of(rows):
    names = np.array(["mug", "lamp", "chair", "plant"])
    return [[*RNG.permutation(names[row])] for row in rows]


MEMBERS = RNG.random((SIZE, 4)) < 0.4
SHOWN = np.where(RNG.random((SIZE, 1)) < 0.2, ~MEMBERS, MEMBERS)


@each("form", ["|".join, ";".join, "#".join, ",".join, json.dumps, str])
def test_sets_in_every_form_are_equal_whatever_their_order(form):
    predicted, label = ([form(list(map(str, one))) for one in sets_of(rows)] for rows in (SHOWN, MEMBERS))
    subject = opened(prediction=predicted, label=label)
    assert subject.task.classes == ("chair", "lamp", "mug", "plant")
    assert subject.inputs.losses.mean() == pytest.approx((SHOWN != MEMBERS).any(axis=1).mean())
    assert subject.task.typed_answer(form(["mug", "chair"]), 0) == [2, 0]


def test_names_with_commas_are_classes_and_sets_of_one_size_are_asked_about():
    names = np.array(["tabby, tabby cat", "great gray owl, owl", "tench"])
    assert opened(prediction=names[TRUTH % 3]).task.classes == tuple(sorted(names))
    pairs = [f"{WORDS[a]}|{b}" for a, b in zip(SAID, np.array(["old", "new", "odd"])[TRUTH % 3], strict=True)]
    assert ways(prediction=pairs) == ["--task classification", "--task multi-label"]
    with pytest.raises(BadInput, match="names two classes"):
        opened(prediction=WORDS[SAID], task="multi-label")


@each(
    ("cells", "numbers"),
    [
        (['"$442,304.65"', '"$1,200.00"', "$3"], [442304.65, 1200, 3]),
        (["442.304,65", "1.133.200,00", "0,5"], [442304.65, 1133200, 0.5]),
        (["1 133 200", "442 304", "12"], [1133200, 442304, 12]),
        (["€3.50", "€4", "€10.25"], [3.5, 4, 10.25]),
    ],
)
def test_numbers_are_read_by_the_one_rule_that_all_cells_obey(cells, numbers):
    table = "\n".join(["prediction;x", *(f"{cell};w" for cell in cells * 5)]).encode()
    subject = read_table(table, name="t.csv", task="regression")
    np.testing.assert_allclose(subject.inputs.predictions, numbers * 5)
    assert " is " in subject.reading.roles["prediction"].meaning or subject.reading.text.decimal_commas


def test_groups_of_thousands_that_may_be_decimals_are_asked_about():
    table = {"prediction": ["442.304", "133.200", "951.112"] * 5, "note": ["w"] * 15}
    assert ways(separator=";", **table) == ["--read numbers=thousands", "--read numbers=decimals"]
    whole = opened(separator=";", task="regression", choices=read(numbers="thousands"), **table)
    assert whole.inputs.predictions[:3].tolist() == [442304, 133200, 951112]


@each("codes", [["01", "02", "10"], ["1E2", "1E3", "2E1"], ["007", "7", "70"]])
def test_codes_stay_words(codes):
    table = "\n".join(["prediction", *codes * 5]).encode()
    assert read_table(table, name="t.csv").task.classes == tuple(sorted(codes))


@each("mark", ["", "-1", "unknown", "n/a", "?"])
def test_a_label_that_is_not_known_is_to_label_and_never_wrong(mark):
    known = RNG.random(SIZE) < 0.4
    subject = opened(prediction=WORDS[SAID], label=np.where(known, WORDS[TRUTH], mark))
    assert subject.inputs.losses is None
    assert subject.task.classes == tuple(WORDS)
    assert f"known in {known.sum()} of {SIZE} rows" in subject.reading.roles["label"].meaning
    assert "label" not in dict(subject.dataset.show(0).cells)


def test_a_mark_that_is_predicted_is_a_class():
    words = np.array(["none", "-", "?", "dog", "eel"])
    subject = opened(prediction=words[SAID], label=words[TRUTH])
    assert subject.task.classes == tuple(sorted(words))
    assert 1 - subject.inputs.losses.mean() == pytest.approx(RIGHT)


def test_labels_from_1_beside_predictions_from_0_are_asked_about():
    table = {"prediction": SAID, "label": TRUTH + 1}
    assert ways(**table) == ["--read labels=from-1", "--read labels=as-they-are"]
    assert ways(pred=SAID, gt=TRUTH + 1) == ["--read labels=from-1", "--read labels=as-they-are"]
    moved = opened(**table, choices=read(labels="from-1"))
    assert 1 - moved.inputs.losses.mean() == pytest.approx(RIGHT)


def test_labels_spelled_otherwise_are_asked_about():
    table = {"prediction": WORDS[SAID], "label": [f" {word.title()}" for word in WORDS[TRUTH]]}
    assert ways(**table) == ["--read spelling=same", "--read spelling=different"]
    same = opened(**table, choices=read(spelling="same"))
    assert 1 - same.inputs.losses.mean() == pytest.approx(RIGHT)


def test_gaps_in_a_column_that_nobody_asked_for_are_left_out_with_a_word():
    subject = opened(prediction=WORDS[SAID], age=[None if row % 3 == 0 else row % 50 for row in range(SIZE)])
    assert subject.reading.left_out["age"] == f"no number in 100 of {SIZE} rows"
    assert "age" not in subject.inputs.scores


def test_a_table_stored_before_is_read_by_the_rules_of_then():
    frame = {"prediction": WORDS[SAID], "y_true": WORDS[TRUTH], "size": np.arange(SIZE)}
    before = opened(**frame, choices=TableChoices(rules=BY_NAME))
    assert [*before.inputs.scores] == ["size"]
    assert "y_true" in dict(before.dataset.show(0).cells)
    assert opened(**frame).fingerprint != before.fingerprint


def test_every_answer_that_is_asked_for_is_known_and_another_is_refused():
    for question, answers in READS.items():
        for answer in answers:
            TableChoices(read=((question, answer),))
    with pytest.raises(BadInput, match="There is no reading color=red"):
        opened(prediction=WORDS[SAID], choices=read(color="red"))


def test_what_was_understood_is_one_line():
    subject = opened(
        id=np.arange(SIZE),
        file=[f"{row}.png" for row in range(SIZE)],
        prediction=WORDS[SAID],
        conf=SURE,
        y_true=WORDS[TRUTH],
    )
    assert str(subject.reading) == (
        f"300 rows: `id` numbers the rows · files by `file` · `prediction` 5 classes · `conf` = chance of the predicted class, "
        f"{SURE.min():.2f} to {SURE.max():.2f} · truth `y_true` (hidden from testers)"
    )
    assert subject.inputs.reading is subject.reading
