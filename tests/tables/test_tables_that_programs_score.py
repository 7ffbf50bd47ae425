"""Tables as programs that score them write them: what is predicted, its chances, the truth, and what was made of these.

Who made a table here knows its columns; the layouts are those that the tools' manuals show.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from testimate import open_subject
from testimate.core.errors import BadInput, ReadingUnclear
from testimate.core.subject import Subject
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.tables.files import read_cells
from testimate.tables.packed_cells import with_opened_cells
from testimate.tables.rules import FOUND, LONE


@dataclass(frozen=True)
class Scored:
    """Chances of classes, the likeliest class of each row, and the true one."""

    chances: np.ndarray
    said: np.ndarray
    true: np.ndarray

    def words(self, classes: list[Any]) -> tuple[list[Any], list[Any]]:
        """The predicted and the true classes by their names."""
        return [classes[place] for place in self.said], [classes[place] for place in self.true]


def scored(count: int, classes: int, *, seed: int = 5) -> Scored:
    """Chances from a Dirichlet distribution, and classes that are drawn by them."""
    rng = np.random.default_rng(seed)
    chances = rng.dirichlet([0.7] * classes, count).round(6)
    chances[:, -1] = 1 - chances[:, :-1].sum(axis=1)
    true = np.array([rng.choice(classes, p=row) for row in chances.clip(0)])
    return Scored(chances, chances.argmax(axis=1), true)


def opened(folder: Path, cells: dict[str, Any], **options: Any) -> Subject:
    """The table as it is read from a CSV."""
    pd.DataFrame(cells).to_csv(folder / "t.csv", index=False)
    return open_subject(folder / "t.csv", **options)


def column_of(subject: Subject, role: str) -> list[str]:
    """The columns of a role."""
    assert subject.reading is not None
    return [*subject.reading.with_role(role)]


def losses(subject: Subject) -> list[float]:
    """The losses, which are known."""
    found = subject.inputs.losses
    assert found is not None
    return [float(loss) for loss in found]


def test_a_class_beside_its_chance_in_a_list_is_no_truth_and_the_column_that_was_predicted_is(tmp_path: Path) -> None:
    made = scored(50, 2)
    rng = np.random.default_rng(1)
    true = rng.permutation(made.true)  # a model that knows nothing, whose truth no agreement tells
    rows = [
        {
            "predicted_churned": bool(said),
            "predicted_churned_probs": [
                {"label": str(bool(said)).lower(), "prob": float(row.max())},
                {"label": str(not said).lower(), "prob": float(row.min())},
            ],
            "churned": bool(right),
        }
        for row, said, right in zip(made.chances, made.said, true, strict=True)
    ]
    (tmp_path / "t.json").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    subject = open_subject(tmp_path / "t.json")
    assert column_of(subject, "prediction") == ["predicted_churned"]
    assert column_of(subject, "label") == ["churned"]
    assert losses(subject) == [float(one != other) for one, other in zip(made.said, true, strict=True)]
    for row in rows:
        del row["churned"]
    (tmp_path / "t.json").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    subject = open_subject(tmp_path / "t.json")
    assert (column_of(subject, "prediction"), subject.truth) == (["predicted_churned"], None)


@pytest.mark.parametrize(
    ("said", "true"), [("predicted_spam", "spam"), ("Spam.Predicted", "Spam"), ("prediction(Spam Mail)", "spam_mail")]
)
def test_the_column_that_a_prediction_is_named_after_is_the_truth_however_few_rows_agree(
    said: str, true: str, tmp_path: Path
) -> None:
    made = scored(60, 2)
    words = np.random.default_rng(2).permutation(["yes", "no"] * 30)
    subject = opened(tmp_path, {"age": np.arange(60) % 7, said: made.words(["yes", "no"])[0], true: words})
    assert (column_of(subject, "prediction"), column_of(subject, "label")) == ([said], [true])


@pytest.mark.parametrize("named", ["Random Forest ({})", "Forest_{}", "{} of forest"])
@pytest.mark.parametrize("made_of", ["missing", "logarithm", "brier"])
def test_chances_are_found_beside_a_number_of_their_name_that_is_made_of_the_truth(
    named: str, made_of: str, tmp_path: Path
) -> None:
    made, classes = scored(60, 3), ["ash", "elm", "oak"]
    of_true = made.chances[np.arange(60), made.true]
    error = {"missing": 1 - of_true, "logarithm": -np.log(of_true), "brier": (1 - of_true) ** 2}[made_of]
    said, true = made.words(classes)
    columns = {
        "label": true,
        "prediction": said,
        **{named.format(name): made.chances[:, place] for place, name in enumerate(classes)},
        named.format("error"): error,
        "width": np.random.default_rng(0).normal(size=60),
    }
    subject = opened(tmp_path, columns)
    assert subject.inputs.probabilities is not None
    assert np.allclose(subject.inputs.probabilities, made.chances, atol=1e-6)
    assert [*subject.inputs.scores] == ["confidence", "width"]


def test_of_the_chances_of_two_models_those_are_read_whose_likeliest_class_is_predicted(tmp_path: Path) -> None:
    made, other, classes = scored(60, 3), scored(60, 3, seed=9), ["ash", "elm", "oak"]
    said, true = made.words(classes)
    columns = {"label": true, "prediction": said}
    columns |= {f"kNN ({name})": other.chances[:, place] for place, name in enumerate(classes)}
    columns |= {f"Tree ({name})": made.chances[:, place] for place, name in enumerate(classes)}
    subject = opened(tmp_path, columns)
    assert subject.inputs.probabilities is not None
    assert np.allclose(subject.inputs.probabilities, made.chances, atol=1e-6)


@pytest.mark.parametrize("made_of", ["residual", "Pearson", "loss"])
def test_what_is_made_of_the_chance_of_a_truth_that_nobody_named_is_no_score(made_of: str, tmp_path: Path) -> None:
    made = scored(60, 2)
    said, true = made.words(["no", "yes"])
    chance, left = made.chances[:, 1], made.chances[:, 0]
    off = made.true - chance
    number = {
        "residual": off,
        "Pearson": off / np.sqrt(np.maximum(chance * left, 1e-9)),
        "loss": -np.log(np.maximum(1 - np.abs(off), 1e-9)),
    }[made_of]
    columns = {"width": np.arange(60) % 7, "died": true, "PRE_1": chance, "PGR_1": said, "X_1": number}
    subject = opened(tmp_path, columns)
    assert [*subject.inputs.scores] == ["confidence", "width"]
    assert not {"died", "X_1"} & {name for name, _ in subject.dataset.show(0).cells}


def test_numbers_made_of_the_chances_alone_stay_scores(tmp_path: Path) -> None:
    made, classes = scored(60, 3), ["ash", "elm", "oak"]
    said, true = made.words(classes)
    columns = {"label": true, "prediction": said, "margin": 2 * made.chances.max(axis=1) - 1}
    columns |= {f"p_{name}": made.chances[:, place] for place, name in enumerate(classes)}
    assert [*opened(tmp_path, columns).inputs.scores] == ["confidence", "margin"]


@pytest.mark.parametrize("names", [["EST1_1", "EST2_1", "EST3_1"], ["Prob[1]", "Prob[2]", "Prob[3]"]])
def test_the_likeliest_class_of_numbered_chances_is_the_prediction(names: list[str], tmp_path: Path) -> None:
    made = scored(60, 3)
    columns: dict[str, Any] = {"age": np.arange(60) % 50, "brand": made.true + 1}
    columns |= {name: made.chances[:, place] for place, name in enumerate(names)}
    columns |= {"PRE_1": made.said + 1, "ACP_1": made.chances[np.arange(60), made.true]}
    subject = opened(tmp_path, columns)
    assert column_of(subject, "prediction") == ["PRE_1"]
    assert subject.inputs.probabilities is not None
    assert np.allclose(subject.inputs.probabilities, made.chances, atol=1e-6)
    assert [*subject.inputs.scores] == ["confidence", "age"]
    assert not {"brand", "ACP_1"} & {name for name, _ in subject.dataset.show(0).cells}


@pytest.mark.parametrize("named", ["Score_{}", "proba_{}", "p_{}"])
def test_the_only_column_of_the_classes_of_chances_is_shown_to_nobody(named: str, tmp_path: Path) -> None:
    made, classes = scored(60, 2), ["no", "yes"]
    columns: dict[str, Any] = {"age": np.arange(60) % 50, "sex": [*"mf"] * 30}
    true = np.where(np.arange(60) % 3 == 0, 1 - made.said, made.said)  # right in 40 of 60 rows, not far above chance
    columns["churn"] = [classes[one] for one in true]
    columns |= {named.format(name): made.chances[:, place] for place, name in enumerate(classes)}
    subject = opened(tmp_path, columns)
    shown = {name for name, _ in subject.dataset.show(0).cells}
    assert ("sex" in shown, "churn" in shown) == (True, False)
    assert subject.reading is not None
    assert any("'churn' may be the truth" in doubt for doubt in subject.reading.doubtful)
    assert opened(tmp_path, columns, columns={"label": "churn"}).truth is not None


def test_a_flag_called_as_a_class_is_no_score(tmp_path: Path) -> None:
    made = scored(60, 2)
    columns = {"age": np.arange(60) % 50, "good": made.true, "p_bad": made.chances[:, 0], "p_good": made.chances[:, 1]}
    assert [*opened(tmp_path, columns).inputs.scores] == ["confidence", "age"]
    known = opened(tmp_path, columns, columns={"label": "good"})
    assert losses(known) == [float(row) for row in made.said != made.true]


def test_classes_with_chances_as_numpy_prints_objects_are_read(tmp_path: Path) -> None:
    made = scored(50, 2)
    both = [
        f"[{{'label': 1, 'prob': {row[1]!s}}}\n {{'label': 0, 'prob': {row[0]!s}}}]" for row in made.chances.tolist()
    ]
    columns = {"predicted_churn": made.said, "predicted_churn_probs": both, "churn": made.true}
    subject = opened(tmp_path, columns)
    assert (column_of(subject, "prediction"), column_of(subject, "label")) == (["predicted_churn"], ["churn"])
    assert np.allclose(subject.inputs.confidence, made.chances.max(axis=1))


SAS = {"whole": ("F_", "I_"), "without F_": ("I_",), "without both": ()}


@pytest.mark.parametrize("beside", SAS.values(), ids=SAS)
@pytest.mark.parametrize("classes", [[0, 1], ["no", "yes"]])
def test_chances_named_after_a_column_and_its_classes_are_those_of_these_classes(
    beside: tuple[str, ...], classes: list[Any], tmp_path: Path
) -> None:
    made = scored(50, 2)
    said, true = made.words(classes)
    columns: dict[str, Any] = {"BAD": true, "LOAN": np.arange(50)[::-1] % 9}
    columns |= {name + "BAD": said if name == "I_" else true for name in beside}
    columns |= {f"P_BAD{str(name).upper()}": made.chances[:, place] for place, name in enumerate(classes)}
    subject = opened(tmp_path, columns)
    assert {*subject.task.classes} == {*map(str, classes)}
    assert column_of(subject, "label") == ["BAD"]
    assert losses(subject) == [float(one != other) for one, other in zip(said, true, strict=True)]
    assert [*subject.inputs.scores] == ["confidence", "LOAN"]
    chosen = opened(tmp_path, columns, columns={"label": "BAD"})
    assert losses(chosen) == losses(subject)


def test_a_table_that_was_stored_before_keeps_its_reading(tmp_path: Path) -> None:
    made = scored(50, 2)
    columns = {"BAD": made.true, "I_BAD": made.said, "P_BAD0": made.chances[:, 0], "P_BAD1": made.chances[:, 1]}
    content = pd.DataFrame(columns).to_csv(index=False).encode()
    assert read_table(content, name="t.csv", choices=TableChoices(rules=LONE)).task.classes == ("BAD0", "BAD1")


def test_labels_that_name_no_class_of_the_chances_are_refused(tmp_path: Path) -> None:
    made = scored(50, 2)
    columns = {"label": made.true, "p_good": made.chances[:, 0], "p_bad": made.chances[:, 1]}
    with pytest.raises(BadInput, match="The labels in 'label' are '1', '0'"):
        opened(tmp_path, columns)
    columns["label"] = np.where(made.true == 1, "bad", "good")
    assert losses(opened(tmp_path, columns)) == [float(row) for row in made.said != made.true]


def test_a_column_of_one_value_is_no_prediction_where_another_one_fits(tmp_path: Path) -> None:
    made = scored(50, 2)
    columns = {
        "left_1.0_PREDICTION": made.chances[:, 1],
        "left_0.0_PREDICTION": made.chances[:, 0],
        "left_PREDICTION": made.said.astype(float),
        "prediction_status": "OK",
        "left": made.true.astype(float),
    }
    subject = opened(tmp_path, columns)
    assert (column_of(subject, "prediction"), column_of(subject, "label")) == (["left_PREDICTION"], ["left"])
    assert [*subject.inputs.scores] == ["confidence"]
    assert losses(subject) == [float(row) for row in made.said != made.true]


@pytest.mark.parametrize("words", [["No", "Yes"], [0, 1]])
def test_classes_that_a_chance_splits_are_predicted_and_a_truth_with_gaps_is_shown_to_nobody(
    words: list[Any], tmp_path: Path
) -> None:
    rng = np.random.default_rng(3)
    chance = rng.uniform(0.05, 0.95, 120).round(5)
    true = [words[one] for one in (rng.random(120) < chance).astype(int)]
    columns = {
        "income": rng.normal(size=120),
        "default": ["" if row % 9 == 0 else cell for row, cell in enumerate(true)],
        "PRE_1": chance,
        "PGR_1": [words[one] for one in (chance > 0.5).astype(int)],
    }
    subject = opened(tmp_path, columns)
    assert (column_of(subject, "prediction"), column_of(subject, "confidence")) == (["PGR_1"], ["PRE_1"])
    assert np.allclose(subject.inputs.confidence, np.maximum(chance, 1 - chance))
    assert subject.reading is not None
    assert "default" in subject.reading.left_out
    assert not {"default", "PRE_1"} & {name for name, _ in subject.dataset.show(1).cells}
    known = opened(tmp_path, columns, columns={"label": "default"})
    assert len(known.inputs.known) == sum(cell != "" for cell in columns["default"])


def test_classes_that_a_chance_does_not_split_are_no_prediction(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    chance = rng.uniform(0.05, 0.95, 60)
    flag = np.where(chance > 0.5, "Yes", "No")
    flag[chance.argmax()] = "No"
    with pytest.raises(BadInput, match="no predictions"):
        opened(tmp_path, {"PRE_1": chance, "PGR_1": flag})


WEKA_HEADER = "inst#,actual,predicted,error,distribution"


def weka(made: Scored, classes: list[str], *, unknown: bool = False) -> bytes:
    """WEKA's predictions with its option -distribution, as it writes them as CSV."""
    numbered = [f"{place}:{name}" for place, name in enumerate(classes, 1)]
    lines = [WEKA_HEADER + "," * (len(classes) - 1)]
    for row, (chances, said, true) in enumerate(zip(made.chances, made.said, made.true, strict=True), 1):
        shares = [f"{'*' if place == said else ''}{chance:.3f}" for place, chance in enumerate(chances)]
        actual = "1:?" if unknown else numbered[true]
        lines.append(",".join([str(row), actual, numbered[said], "" if unknown or said == true else "+", *shares]))
    return "\n".join(lines).encode()


@pytest.mark.parametrize("classes", [["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"]])
def test_the_distribution_of_weka_is_the_chances_of_the_classes(classes: list[str]) -> None:
    made = scored(60, len(classes))
    subject = read_table(weka(made, classes), name="p.csv", choices=TableChoices(rules=FOUND))
    assert subject.task.classes == tuple(f"{place}:{name}" for place, name in enumerate(classes, 1))
    assert subject.inputs.probabilities is not None
    assert np.abs(subject.inputs.probabilities - made.chances).max() < 0.002
    assert losses(subject) == [float(row) for row in made.said != made.true]
    new = read_table(weka(made, classes, unknown=True), name="p.csv", choices=TableChoices(rules=FOUND))
    assert (new.truth, new.inputs.losses) == (None, None)


def test_a_distribution_of_two_classes_that_was_stored_keeps_its_reading() -> None:
    stored = read_table(weka(scored(60, 2), ["a", "b"]), name="p.csv", choices=TableChoices(rules=LONE))
    assert stored.inputs.probabilities is None


def test_the_chance_beside_the_predicted_class_is_its_chance_though_it_is_called_prediction(tmp_path: Path) -> None:
    made = scored(50, 3)
    said, true = made.words(["1:a", "2:b", "3:c"])
    error = ["" if one == other else "+" for one, other in zip(said, true, strict=True)]
    columns = {"actual": true, "predicted": said, "error": error, "prediction": made.chances.max(axis=1)}
    subject = opened(tmp_path, columns)
    assert (column_of(subject, "prediction"), column_of(subject, "confidence")) == (["predicted"], ["prediction"])
    assert losses(subject) == [float(row) for row in made.said != made.true]
    columns["prediction"] = np.linspace(0.01, 0.99, 50)  # shares of which many are too small for a class of three
    with pytest.raises(ReadingUnclear, match="numbers from 0 to 1"):
        opened(tmp_path, columns)


@pytest.mark.parametrize("further", ["", " __label__sport 0.1"])
def test_lines_of_fasttext_are_labels_and_their_chances(further: str) -> None:
    made = scored(40, 3)
    said, _ = made.words(["economy", "sport", "culture"])
    sure = made.chances.max(axis=1).clip(max=0.9)
    sure[0] = 1.00001  # fastText's are as large as that
    text = "".join(f"__label__{word} {chance:.6g}{further}\n" for word, chance in zip(said, sure, strict=True))
    subject = read_table(text.encode(), name="p.txt", choices=TableChoices(rules=FOUND))
    assert len(subject.dataset) == 40
    assert [subject.task.classes[place] for place in subject.inputs.predictions] == said
    assert np.allclose(subject.inputs.confidence, sure.clip(max=1), atol=1e-4)


@pytest.mark.parametrize(("label", "score"), [("label", "prob"), ("class", "score"), ("category", "prob")])
@pytest.mark.parametrize("several", [False, True])
def test_a_label_beside_its_chance_and_lists_of_both_as_numpy_prints_them_are_predicted(
    label: str, score: str, several: bool, tmp_path: Path
) -> None:
    made, classes = scored(48, 3), np.array(["tabby", "lynx", "coffee_mug"])
    order = np.argsort(-made.chances, axis=1)
    rows: dict[str, Any] = {"filename": [f"IMG_{row * 3}.jpg" for row in range(48)]}
    if several:
        rows[label] = [str(classes[one]) for one in order]
        rows[score] = [str(chances[one]) for chances, one in zip(made.chances.astype(np.float32), order, strict=True)]
    else:
        rows[label], rows[score] = classes[made.said], made.chances.max(axis=1)
    subject = opened(tmp_path, rows)
    assert column_of(subject, "prediction") == [label]
    assert [subject.task.classes[place] for place in subject.inputs.predictions] == [*classes[made.said]]
    assert np.allclose(subject.inputs.confidence, made.chances.max(axis=1), atol=1e-5)


def test_of_numbers_that_rise_with_predicted_ones_those_of_their_range_may_be_the_truth(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    year = rng.integers(2005, 2023, 60)
    price = ((year - 2000) * 700 + rng.normal(0, 600, 60)).round()
    columns = {"year": year, "price": price, "prediction_label": price + rng.normal(0, 500, 60)}
    subject = opened(tmp_path, columns)
    assert subject.reading is not None
    [offered] = [doubt for doubt in subject.reading.doubtful if "may be the truth" in doubt]
    assert "'price'" in offered
    assert [*subject.inputs.scores] == ["year"]


def test_a_name_is_no_text_that_is_shown_instead_of_all_else(tmp_path: Path) -> None:
    rng, made = np.random.default_rng(0), scored(40, 2)
    said, true = made.words(["Yes", "No"])
    names = [f"Fox, Mr. {''.join(rng.choice([*'abcde'], 5))} {row}" for row in range(40)]
    columns = {"Name": names, "Sex": rng.choice(["f", "m"], 40), "prediction(Ok)": said, "Ok": true}
    subject = opened(tmp_path, columns)
    assert {"Name", "Sex"} <= {name for name, _ in subject.dataset.show(0).cells}


def test_short_answers_that_a_column_compares_with_the_truth_are_not_judged(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    true = ["".join(rng.choice([*"ABCDEFGH0123456789"], 7)) for _ in range(120)]
    said = [one if rng.random() < 0.8 else one[1:] for one in true]
    right = [int(one == other) for one, other in zip(said, true, strict=True)]
    columns = {"truth": true, "prediction": said, "correct": right, "confidence": rng.uniform(0.8, 1, 120).round(4)}
    subject = opened(tmp_path, columns)
    assert column_of(subject, "prediction") == ["prediction"]
    assert column_of(subject, "label") == ["truth"]
    assert losses(subject) == [1 - one for one in right]
    assert {name for row in range(120) for name, _ in subject.dataset.show(row).cells}.isdisjoint({"truth", "correct"})
    flipped = opened(tmp_path, {**columns, "correct": [1 - right[0], *right[1:]]})
    assert column_of(flipped, "output") == ["prediction"]


def test_of_few_rows_a_name_of_nothing_but_the_truth_tells_it(tmp_path: Path) -> None:
    said, true = ["calm", "calm", "happy", "calm", "happy", "calm"], ["sad", "angry", "calm", "bored", "tired", "sad"]
    columns = {"clip": [f"{row}.mp4" for row in range(6)], "final_prediction": said}
    subject = opened(tmp_path, {**columns, "ground_truth": true})
    assert column_of(subject, "label") == ["ground_truth"]
    other = opened(tmp_path, {**columns, "target": true})
    assert column_of(other, "label") == []


def test_labels_that_count_from_1_are_asked_about_under_any_name(tmp_path: Path) -> None:
    made = scored(150, 5, seed=3)
    columns = {"body": [f"Review number {row} of a bag" for row in range(150)], "stars": made.true + 1}
    columns |= {"pred_idx": made.said, "pred_p": made.chances.max(axis=1)}
    with pytest.raises(ReadingUnclear, match="'stars' the labels go from 1 to 5"):
        opened(tmp_path, columns)
    subject = opened(tmp_path, columns, read={"labels": "from-1"})
    assert losses(subject) == [*(made.true != made.said)]
    assert column_of(subject, "confidence") == ["pred_p"]


def test_a_confidence_is_that_of_the_classes_without_gaps_that_are_in_no_name_of_a_file(tmp_path: Path) -> None:
    rng, made = np.random.default_rng(1), scored(90, 4, seed=1)
    said, _ = made.words(["fox", "hare", "roe deer", "empty"])
    station = rng.choice(["KF-03", "KF-07", "HB-02"], 90)
    columns = {"photo": [f"{one}/{row:04d}.jpg" for row, one in enumerate(station)], "station": station, "animal": said}
    columns |= {"likelihood": made.chances.max(axis=1), "remark": rng.choice(["", "", "two?", "blurred"], 90)}
    subject = opened(tmp_path, columns)
    assert column_of(subject, "prediction") == ["animal"]
    assert np.allclose(subject.inputs.confidence, made.chances.max(axis=1))
    with pytest.raises((ReadingUnclear, BadInput)):  # codes that are no place may be predicted, too
        opened(tmp_path, {**columns, "station": rng.permutation(station)})


def test_the_logarithm_of_a_chance_tells_by_its_name_which_classes_were_predicted(tmp_path: Path) -> None:
    made = scored(90, 3, seed=2)
    said, true = made.words(["nl", "de", "sv"])
    score = np.log(made.chances.max(axis=1))
    subject = opened(tmp_path, {"hyp_lang": said, "hyp_logprob": score, "spoken_lang": true})
    assert column_of(subject, "prediction") == ["hyp_lang"]
    assert np.allclose(subject.inputs.confidence, np.exp(score))
    assert "spoken_lang" not in {name for name, _ in subject.dataset.show(0).cells}


@pytest.mark.parametrize(
    ("suggested", "kept", "sure"),
    [
        ("categoría sugerida", "categoría validada", "fiabilidad"),
        ("Service proposé", "Service retenu", "Fiabilité"),
        ("Themen KI", "Themen Redaktion", "Zuverlässigkeit"),
        ("llm_queue", "resolved_in_queue", "likelihood"),
        ("algo_dx", "histopathology", "algo_certainty"),
        ("ia_diagnostic", "résultat biopsie", "ia_score"),
        ("KI-Befund", "Laborbefund", "KI-Score"),
        ("foreslått nivå", "endelig nivå", "sikkerhet"),
        ("décision automatique", "décision finale", "certitude"),
        ("予測", "実際", "確率"),
    ],
)
def test_names_in_several_languages_say_what_was_suggested_what_was_kept_and_how_sure_it_was(
    tmp_path: Path, suggested: str, kept: str, sure: str
) -> None:
    made = scored(90, 3, seed=2)
    said, true = made.words(["north", "south", "harbor"])
    subject = opened(tmp_path, {kept: true, suggested: said, sure: made.chances.max(axis=1)})
    assert column_of(subject, "prediction") == [suggested]
    assert column_of(subject, "label") == [kept]
    assert column_of(subject, "confidence") == [sure]


def test_numbered_chances_are_those_of_the_classes_that_are_predicted_where_they_are_largest(tmp_path: Path) -> None:
    made = scored(90, 3, seed=2)
    said, true = made.words([0, 1, 3])
    columns = {f"prob_{place + 1}": made.chances[:, place] for place in range(3)}
    subject = opened(tmp_path, {"predict": said, "true_label": true, **columns})
    assert [column_of(subject, f"p_{word}") for word in (0, 1, 3)] == [["prob_1"], ["prob_2"], ["prob_3"]]
    assert np.allclose(subject.inputs.probabilities, made.chances)


def test_a_flag_of_where_two_columns_are_the_same_tells_which_was_predicted_beside_a_truth_by_name(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(0)
    true = [f"{rng.integers(0, 99999):05d}" for _ in range(140)]
    said = [one if rng.random() < 0.8 else one[:-1] + str(rng.integers(0, 9)) for one in true]
    same = [one == other for one, other in zip(said, true, strict=True)]
    subject = opened(tmp_path, {"read_value": said, "actual_value": true, "match": same})
    assert column_of(subject, "prediction") == ["read_value"]
    assert column_of(subject, "label") == ["actual_value"]
    assert losses(subject) == [not one for one in same]


def test_what_was_final_beside_a_program_is_the_truth_and_a_sentence_says_so(tmp_path: Path) -> None:
    made = scored(90, 3, seed=2)
    said, true = made.words(["approve", "reject", "refer"])
    subject = opened(tmp_path, {"auto_label": said, "final_label": true})
    assert subject.reading is not None
    assert any("--column ignore=final_label" in doubt for doubt in subject.reading.doubtful)
    columns = {"model_decision": said, "model_likelihood": made.chances.max(axis=1), "final_decision": true}
    subject = opened(tmp_path, columns)
    assert column_of(subject, "label") == ["final_decision"]
    assert column_of(subject, "confidence") == ["model_likelihood"]
    assert subject.reading is not None
    assert any("--column ignore=final_decision" in doubt for doubt in subject.reading.doubtful)


def test_whole_amounts_that_are_all_distinct_may_be_predicted_as_those_that_recur(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    sold = rng.permutation(np.arange(120) * 310 + 6_000)
    near = (sold * rng.normal(1, 0.05, 120)).round(-2)
    columns = {"car": [f"Seat Leon number {row}" for row in range(120)], "a": sold, "b": near}
    with pytest.raises(ReadingUnclear, match="'b' and 'a' rise with each other"):
        opened(tmp_path, columns)
    subject = opened(
        tmp_path, {"coche": columns["car"], "precio estimado": sold, "precio de venta": near}, task="regression"
    )
    assert column_of(subject, "prediction") == ["precio estimado"]


def test_for_what_something_was_sold_is_the_truth_of_its_predicted_price(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sold = (rng.gamma(4, 100_000, 80) + 50_000).round(-2)
    columns = {"Address": [f"{row} Long Hill Street" for row in range(80)], "Beds": rng.integers(1, 6, 80)}
    columns |= {"Assessed": (sold * rng.normal(0.8, 0.08, 80)).round(-2), "Sold For": sold}
    subject = opened(
        tmp_path, {**columns, "AVM Estimate": (sold * rng.normal(1, 0.05, 80)).round(-2)}, task="regression"
    )
    assert column_of(subject, "prediction") == ["AVM Estimate"]
    assert column_of(subject, "label") == ["Sold For"]
    assert subject.reading is not None
    assert any("--column 'ignore=Sold For'" in doubt for doubt in subject.reading.doubtful)
    columns["Last Sold"] = columns.pop("Sold For")
    subject = opened(
        tmp_path, {**columns, "AVM Estimate": (sold * rng.normal(1, 0.05, 80)).round(-2)}, task="regression"
    )
    assert column_of(subject, "label") == []


def test_lines_that_are_the_header_again_are_left_out_and_said(tmp_path: Path) -> None:
    made = scored(120, 2)
    lines = [f"{true},{said}" for true, said in zip(made.true, made.said, strict=True)]
    header = "true_label,predicted_label"
    (tmp_path / "t.csv").write_text("\n".join([header, *lines[:40], header, *lines[40:90], header, *lines[90:]]))
    subject = open_subject(tmp_path / "t.csv")
    assert len(subject.inputs) == 120
    assert subject.task.classes == ("0", "1")
    assert "2 lines that are the header again were left out" in str(subject.reading)
    old = read_table(tmp_path / "t.csv", name="t.csv", choices=TableChoices(rules=LONE))
    assert len(old.inputs) == 122


@pytest.mark.parametrize(
    "lines", ["0.25,0.75 0.5,0.5 0.25,0.75 0.125,0.875", "cat,dog cat,cat dog,dog cat,dog dog,cat"]
)
def test_a_row_that_is_as_the_first_line_of_a_file_without_a_header_is_kept(lines: str) -> None:
    rows = lines.split() * 30
    cells = with_opened_cells(read_cells("\n".join(rows).encode(), "t.csv"), FOUND)
    assert cells.size == len(rows)


def test_the_only_classes_called_a_prediction_come_before_what_agreement_tells(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    none, services = rng.random(300) < 0.3, ["OnlineBackup", "DeviceProtection", "TechSupport", "StreamingTV"]
    columns: dict[str, Any] = {"customerID": [f"{row * 37 % 9973:04}-QX" for row in range(300)]}
    columns |= {name: np.where(none, "No internet service", rng.choice(["Yes", "No"], 300)) for name in services}
    subject = opened(tmp_path, {**columns, "Churn Prediction": rng.choice(["Yes", "No"], 300)})
    assert column_of(subject, "prediction") == ["Churn Prediction"]


def test_words_of_a_verdict_beside_predictions_are_shown_to_no_tester(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    true = rng.random(80).round(3)
    columns = {
        "model": rng.choice(["small", "large"], 80),
        "prediction": (true + rng.normal(0, 0.2, 80)).round(2),
        "label": true,
    }
    subject = opened(
        tmp_path, {**columns, "unit_test_status": np.where(true > 0.5, "PASSED", "FAILED")}, task="regression"
    )
    assert subject.reading is not None
    assert "unit_test_status" not in subject.reading.roles
    assert "`unit_test_status` its words say what is right or wrong" in str(subject.reading)


def test_a_flag_of_where_the_prediction_is_right_is_no_other_prediction(tmp_path: Path) -> None:
    made = scored(85, 2)
    columns = {
        "Actual_Diagnosis": made.true,
        "Predicted_Diagnosis": made.said,
        "Prediction_Correct": made.true == made.said,
    }
    subject = opened(tmp_path, columns)
    assert column_of(subject, "prediction") == ["Predicted_Diagnosis"]
    assert column_of(subject, "label") == ["Actual_Diagnosis"]
    assert "Prediction_Correct" not in column_of(subject, "shown")


def test_points_part_thousands_where_other_numbers_of_the_file_have_commas_and_a_few_are_below_a_thousand():
    lines = [f"{week};{visitors:,};{visitors + week % 90:,};{week / 4:.2f}" for week, visitors in enumerate(AMOUNTS)]
    text = "week;predicted visitors;actual visitors;rain\n" + "\n".join(
        line.replace(",", "X").replace(".", ",").replace("X", ".") for line in lines
    )
    subject = read_table(text.encode(), name="visitors.csv", task="regression")
    assert subject.inputs.predictions.tolist() == [float(visitors) for visitors in AMOUNTS]
    assert subject.inputs.truth.tolist() == [float(visitors + week % 90) for week, visitors in enumerate(AMOUNTS)]


AMOUNTS = [90_000 - 1_370 * week for week in range(66)]


def test_chances_are_named_after_classes_of_which_two_are_numbers():
    matches = [tuple(row) for row in np.random.default_rng(2).dirichlet([1, 1, 1], 40).tolist()]
    said = ["1X2"[max(range(3), key=chances.__getitem__)] for chances in matches]
    lines = [
        f"{match},{','.join(map(str, chances))},{one}"
        for match, (chances, one) in enumerate(zip(matches, said, strict=True))
    ]
    subject = read_table(("match,p_1,p_X,p_2,prediction\n" + "\n".join(lines)).encode(), name="matches.csv")
    chances = dict(zip(subject.task.classes, subject.inputs.probabilities.T.tolist(), strict=True))
    for place, name in enumerate("1X2"):
        assert chances[name] == pytest.approx([match[place] for match in matches])


def test_a_chosen_chance_has_the_truth_that_it_tells_apart_and_what_only_one_class_has_is_not_shown():
    late = [row % 5 == 0 for row in range(200)]
    chances = [(0.5 if one else 0.1) + (row * 37 % 40) / 100 for row, one in enumerate(late)]
    lines = [
        f"C{row:03},{int(one)},{f'2025-{1 + row % 12:02}' if one else ''},{chance:.3f},{chance / 2 + 0.2:.3f}"
        for row, (one, chance) in enumerate(zip(late, chances, strict=True))
    ]
    table = "account,target_late,first_late_month,predicted_probability,raw_probability\n" + "\n".join(lines)
    with pytest.raises(ReadingUnclear, match="'predicted_probability' and 'raw_probability' may each"):
        read_table(table.encode(), name="a.csv")
    chosen = TableChoices(columns=(("prediction", "predicted_probability"),))
    subject = read_table(table.encode(), name="a.csv", choices=chosen)
    assert subject.reading.with_role("label") == ("target_late",)
    assert subject.reading.left_out["first_late_month"] == "it is filled only where 'target_late' is '1'"
    assert subject.inputs.predictions.tolist() == [int(chance >= 0.5) for chance in chances]
    assert "first_late_month" not in dict(subject.dataset.show(0).cells)


def test_what_a_person_calls_a_chance_has_the_truth_that_it_tells_apart():
    late = [row % 4 == 0 for row in range(200)]
    lines = [
        f"K{row},{row % 60},{(0.45 if one else 0.05) + (row * 37 % 50) / 100:.3f},{int(one)}"
        for row, one in enumerate(late)
    ]
    table = ("kunde,monate,vorhersage,gekuendigt\n" + "\n".join(lines)).encode()
    with pytest.raises(ReadingUnclear, match="chances of class 1"):
        read_table(table, name="a.csv")
    subject = read_table(table, name="a.csv", choices=TableChoices(read=(("prediction", "chance"),)))
    assert subject.reading.with_role("label") == ("gekuendigt",)
    assert "gekuendigt" not in dict(subject.dataset.show(0).cells)
    assert subject.truth.tolist() == [int(one) for one in late]
