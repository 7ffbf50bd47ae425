"""Tables made of pieces by a maker who knows them: cells as programs print them, labels that are being filled in, and columns
that were made from the truth. What was predicted is read, and testers see nothing of the truth.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from testimate import open_subject
from testimate.core.errors import ReadingUnclear
from testimate.core.subject import Subject
from tests.each import each

CLASSES = ["crow", "owl", "wren"]
SIZE = 60
RNG = np.random.default_rng(70)
TRUE = RNG.integers(3, size=SIZE)
SAID = np.where(RNG.random(SIZE) < 0.8, TRUE, (TRUE + 1) % 3)
RIGHT = SAID == TRUE
TEXTS = [f"The bird of picture {row} sat on a branch." for row in range(SIZE)]


def read(folder: Path, columns: dict[str, object]) -> Subject:
    pd.DataFrame(columns).to_csv(folder / "t.csv", index=False)
    return open_subject(folder / "t.csv")


def words(places: Sequence[int]) -> list[str]:
    return [CLASSES[place] for place in places]


PRINTED: dict[str, Callable[[int], str]] = {
    "np.str_('owl')": lambda place: f"np.str_({CLASSES[place]!r})",
    "['owl']": lambda place: str([CLASSES[place]]),
    '["owl"]': lambda place: json.dumps([CLASSES[place]]),
    "tensor(1)": lambda place: f"tensor({place})",
    "tensor(1, device='cuda:0')": lambda place: f"tensor({place}, device='cuda:0')",
    "np.int64(1)": lambda place: f"np.int64({place})",
    "{'label': 'owl', 'score': 0.5}": lambda place: str({"label": CLASSES[place], "score": 0.5 + place / 10}),
    '{"label": "owl", "score": 0.5}': lambda place: json.dumps({"label": CLASSES[place], "score": 0.5 + place / 10}),
}


@each("form", [*PRINTED])
def test_a_class_as_a_program_prints_it_is_that_class(form, tmp_path):
    subject = read(tmp_path, {"text": TEXTS, "prediction": [PRINTED[form](place) for place in SAID.tolist()]})
    names = ["0", "1", "2"] if "(1" in form else CLASSES
    assert subject.task.classes == tuple(names)
    assert subject.inputs.predictions.tolist() == SAID.tolist()


def test_sets_that_numpy_prints_without_commas_are_sets(tmp_path):
    said = [str(np.array(CLASSES[: 1 + place])) for place in SAID.tolist()]
    subject = read(tmp_path, {"text": TEXTS, "prediction": said})
    assert subject.task.classes == tuple(CLASSES)
    assert subject.inputs.predictions.sum(axis=1).tolist() == (1 + SAID).tolist()


@each("unit", [" km", "kg", " °C", " µg/m³", " kg/m²"])
def test_numbers_with_their_unit_are_numbers(unit, tmp_path):
    amounts = RNG.normal(50, 10, SIZE).round(1)
    subject = read(tmp_path, {"text": TEXTS, "prediction": [f"{amount}{unit}" for amount in amounts]})
    assert subject.task.kind == "regression"
    assert subject.inputs.predictions == pytest.approx(amounts)


def test_names_of_classes_that_end_alike_keep_their_names(tmp_path):
    subject = read(tmp_path, {"text": TEXTS, "prediction": [f"{place + 2}D" for place in SAID.tolist()]})
    assert subject.task.classes == ("2D", "3D", "4D")


def test_a_second_line_of_a_header_is_no_input(tmp_path):
    both = {("species", "guess"): words(SAID), ("species", "age"): range(SIZE), ("site", "height"): RNG.random(SIZE)}
    frame = pd.DataFrame({("id", "key"): range(100, 100 + SIZE), **both})
    frame.columns = pd.MultiIndex.from_tuples([("id", "key"), ("prediction", "class"), ("age", "years"), ("h", "cm")])
    frame.to_csv(tmp_path / "t.csv", index=False)
    subject = open_subject(tmp_path / "t.csv")
    assert subject.inputs.predictions.tolist() == SAID.tolist()
    assert any("below the header" in doubt for doubt in subject.reading.doubtful)


def is_hidden(subject: Subject, name: str) -> bool:
    """Whether testers see nothing of a column, and it is nothing but the truth."""
    shown = {column for row in range(SIZE) for column, _ in subject.dataset.show(row).cells}
    role = subject.reading.roles[name].role if name in subject.reading.roles else "label"
    return name not in shown and name not in subject.inputs.scores and role == "label"


KNOWN = np.arange(SIZE) % 4 == 0


def partly(cells: Sequence[object], mark: str) -> list[object]:
    return [cell if known else mark for cell, known in zip(cells, KNOWN, strict=True)]


@each("mark", ["", "TBD", "-1", "unknown"])
def test_labels_that_are_being_filled_in_are_shown_to_no_tester(mark, tmp_path):
    forms = {"words": words(TRUE), "upper": [word.upper() for word in words(TRUE)], "numbers": TRUE.tolist()}
    for form, cells in forms.items():
        subject = read(tmp_path, {"age": RNG.integers(18, 80, SIZE), "guess": words(SAID), "foo": partly(cells, mark)})
        assert is_hidden(subject, "foo"), (form, str(subject.reading))


@each("mark", ["", "TBD", "NA", "?"])
def test_true_numbers_that_are_being_filled_in_are_shown_to_no_tester(mark, tmp_path):
    amounts = RNG.normal(50, 10, SIZE).round(1)
    said = (amounts + RNG.normal(0, 4, SIZE)).round(1)
    subject = read(tmp_path, {"age": RNG.integers(18, 80, SIZE), "yhat": said, "foo": partly(amounts.tolist(), mark)})
    assert is_hidden(subject, "foo") or any("'foo'" in doubt for doubt in subject.reading.doubtful)


def test_flags_of_the_true_classes_are_shown_to_no_tester(tmp_path):
    for predicted in (words(SAID), SAID.tolist()):
        flags = {f"is_{name}": (place == TRUE).astype(int) for place, name in enumerate(CLASSES)}
        subject = read(tmp_path, {"age": RNG.integers(18, 80, SIZE), "prediction": predicted, **flags})
        assert all(is_hidden(subject, name) for name in flags), str(subject.reading)


MADE_OF_TRUTH = {
    "val": np.where(RIGHT, RNG.uniform(0, 0.6, SIZE), RNG.uniform(1, 4, SIZE)).round(3).tolist(),
    "place": np.where(RIGHT, 1, RNG.integers(2, 4, SIZE)).tolist(),
    "cause": np.where(RIGHT, "", "too dark").tolist(),
    "kind": np.where(RIGHT, "fine", np.where(TRUE > 0, "blur", "night")).tolist(),
}


@each("name", [*MADE_OF_TRUTH])
def test_what_parts_right_from_wrong_in_every_row_is_shown_to_no_tester(name, tmp_path):
    for true in (words(TRUE), TRUE.tolist()):
        columns = {"age": RNG.integers(18, 80, SIZE), "prediction": words(SAID), "foo": true, name: MADE_OF_TRUTH[name]}
        subject = read(tmp_path, columns)
        assert is_hidden(subject, name), str(subject.reading)
        assert any(f"--column score={name}" in doubt for doubt in subject.reading.doubtful)


def test_a_score_that_nearly_parts_right_from_wrong_stays_one(tmp_path):
    doubt = np.where(RIGHT, RNG.uniform(0, 0.7, SIZE), RNG.uniform(0.5, 1, SIZE)).round(3)
    subject = read(tmp_path, {"text": TEXTS, "prediction": words(SAID), "foo": words(TRUE), "doubt": doubt})
    assert "doubt" in subject.inputs.scores


@each("name", ["corrected_label", "should_be", "human_override"])
def test_corrections_are_shown_to_no_tester(name, tmp_path):
    fixed = [""] * SIZE
    fixed[7] = "crow"
    subject = read(tmp_path, {"age": RNG.integers(18, 80, SIZE), "prediction": words(SAID), name: fixed})
    assert is_hidden(subject, name), str(subject.reading)


def test_the_first_of_ranked_guesses_is_the_prediction_and_the_others_are_shown_to_no_tester(tmp_path):
    chances = np.sort(RNG.dirichlet(np.ones(3), SIZE), axis=1)[:, ::-1].round(4)
    guesses = [words((SAID + rank) % 3) for rank in range(3)]
    for class_called, chance_called in (("label_{}", "score_{}"), ("top{}", "top{}_prob"), ("class{}", "prob{}")):
        named = {class_called.format(rank + 1): guess for rank, guess in enumerate(guesses)}
        named |= {chance_called.format(rank + 1): chances[:, rank] for rank in range(3)}
        subject = read(tmp_path, {"text": TEXTS, "Y": words(TRUE), **named})
        assert subject.inputs.predictions.tolist() == SAID.tolist()
        assert subject.inputs.confidence == pytest.approx(chances[:, 0])
        assert subject.reading.with_role("label") == ("Y",)
        assert [*subject.inputs.scores] == ["confidence"]


def test_teams_that_never_meet_themselves_are_no_guesses(tmp_path):
    teams = {"team1": words(SAID), "team2": words((SAID + 1) % 3), "prediction": words(TRUE)}
    assert read(tmp_path, {"text": TEXTS, **teams}).reading.with_role("prediction") == ("prediction",)


def test_classes_and_numbers_that_no_question_asks_for_are_asked_about_though_they_are_called_an_output(tmp_path):
    for cells in (words(SAID), RNG.normal(50, 10, SIZE).round(1)):
        with pytest.raises(ReadingUnclear, match="'output' is called an output"):
            read(tmp_path, {"age": RNG.integers(18, 80, SIZE), "output": cells, "height": RNG.random(SIZE)})


@each("mark", ["TBD", "not labeled", "pending", "?"])
def test_a_label_that_is_to_be_written_is_none(mark, tmp_path):
    subject = read(tmp_path, {"text": TEXTS, "prediction": words(SAID), "label": partly(words(TRUE), mark)})
    assert [*subject.inputs.known] == np.flatnonzero(KNOWN).tolist()
    assert subject.task.classes == tuple(CLASSES)


AMOUNTS = RNG.normal(50, 10, SIZE).round(1)
GUESSED = (AMOUNTS + RNG.normal(0, 4, SIZE)).round(1)
OFF = np.abs(AMOUNTS - GUESSED)


@each("name,cells", [("near", OFF < 5), ("grade", np.where(OFF / AMOUNTS > 0.1, "far", "near")), ("d", OFF.round(1))])
def test_what_says_how_far_a_number_is_off_is_shown_to_no_tester(name, cells, tmp_path):
    columns = {"age": RNG.integers(18, 80, SIZE), "prediction": GUESSED, "foo": AMOUNTS, name: cells}
    assert is_hidden(read(tmp_path, columns), name)


@each("price", ["${:,.2f}", "{:.1f} km"])
def test_amounts_beside_marks_are_amounts(price, tmp_path):
    true = partly([price.format(amount) for amount in AMOUNTS], "pending")
    subject = read(tmp_path, {"text": TEXTS, "prediction": [price.format(one) for one in GUESSED], "label": true})
    assert {row: float(label) for row, label in subject.inputs.known.items()} == pytest.approx(
        {row: AMOUNTS[row] for row in np.flatnonzero(KNOWN).tolist()}
    )


def test_what_is_called_the_truth_is_shown_to_no_tester_though_nothing_tells_that_it_is(tmp_path):
    for name in ("gold", "reviewed_class", "observed_state"):
        for cells in (RNG.permutation(TRUE), RNG.permutation(words(TRUE))):
            columns = {"age": RNG.integers(18, 80, SIZE), "prediction": words(SAID), name: cells}
            assert is_hidden(read(tmp_path, columns), name), (name, cells[0])


@each("name", ["p_true", "true_class_prob", "prob_of_label"])
def test_the_chance_of_the_true_class_is_no_score(name, tmp_path):
    chance = np.where(RIGHT, RNG.uniform(0.4, 1, SIZE), RNG.uniform(0, 0.6, SIZE)).round(3)
    subject = read(tmp_path, {"text": TEXTS, "prediction": words(SAID), name: chance})
    assert is_hidden(subject, name)
    assert any(f"--column score={name}" in doubt for doubt in subject.reading.doubtful)


def test_chances_whose_classes_have_points_in_their_names_are_read_together(tmp_path):
    chances = RNG.dirichlet(np.ones(3), SIZE).round(4)
    named = {f"proba_{name}": chances[:, place] for place, name in enumerate(("a.b", "c.d", "c.d.e"))}
    assert read(tmp_path, {"text": TEXTS, **named}).inputs.predictions.tolist() == chances.argmax(axis=1).tolist()


def test_what_numbers_a_few_rows_is_no_score(tmp_path):
    columns = {
        "case": [7, 3, 12, 9, 4, 8],
        "prediction": words(SAID[:6]),
        "nr": [1, 2, 3, 4, 5, 6],
        "dose": [1, 2, 2, 4, 3, 1],
    }
    assert [*read(tmp_path, columns).inputs.scores] == ["dose"]
