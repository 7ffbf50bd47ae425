"""Features of the inputs stay what they are, however well they agree; what the model or another one said is shown to nobody."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from testimate import open_subject
from testimate.core.errors import BadInput, ReadingUnclear
from testimate.core.subject import Subject

RNG = np.random.default_rng(11)
TEXTS = np.array([f"the {one} {two} was seen again" for one in ("red", "small", "old") for two in ("house", "boat")])


def opened(folder: Path, columns: dict[str, object]) -> Subject:
    pd.DataFrame(columns).to_csv(folder / "t.csv", index=False)
    return open_subject(folder / "t.csv")


def cut(values: np.ndarray, parts: int, words: list[str] | None = None) -> np.ndarray:
    """The numbers in parts of as many rows each, numbered, or named by these words."""
    places = np.searchsorted(np.quantile(values, np.arange(1, parts) / parts), values)
    return places if words is None else np.array(words)[places]


def real(name: str) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Features of a set of scikit-learn's, its classes, and what a model predicts for rows that it has not seen."""
    data = {"iris": load_iris, "breast cancer": load_breast_cancer, "wine": load_wine}[name](as_frame=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
    return data.data, data.target.to_numpy(), cross_val_predict(model, data.data, data.target, cv=5)


@pytest.mark.parametrize("words", [None, ["low", "medium", "high"]], ids=["numbered", "in words"])
@pytest.mark.parametrize("name", ["iris", "breast cancer", "wine"])
def test_features_of_real_data_stay_features_beside_prediction_and_truth(
    name: str, words: list[str] | None, tmp_path: Path
) -> None:
    features, true, said = real(name)
    columns = {
        one: cut(features[one].to_numpy(), 2 if name == "breast cancer" and words is None else 3, words)
        for one in features
    }
    subject = opened(tmp_path, {**columns, "actual": true, "prediction": said})
    assert subject.reading.with_role("label") == ("actual",)
    assert {*columns} <= {*subject.reading.roles}


def test_passengers_keep_their_features_beside_prediction_and_truth(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    male, third = rng.random(800) < 0.65, rng.random(800) < 0.55
    survived = (rng.random(800) < np.where(male, np.where(third, 0.14, 0.25), np.where(third, 0.5, 0.95))).astype(int)
    features = {
        "Sex_male": male.astype(int),
        "Sex_female": 1 - male,
        "Pclass_3": third.astype(int),
        "Alone": rng.integers(2, size=800),
    }
    columns: dict[str, object] = {**features, "Age": rng.integers(1, 80, 800), "Survived_true": survived}
    model = DecisionTreeClassifier(max_depth=3)
    given = pd.DataFrame(features)
    subject = opened(tmp_path, {**columns, "Survived_pred": cross_val_predict(model, given, survived, cv=5)})
    assert subject.reading.with_role("prediction") == ("Survived_pred",)
    assert subject.reading.with_role("label") == ("Survived_true",)
    assert {*features, "Age"} <= {*subject.reading.roles}


@pytest.mark.parametrize("share", [0.6, 0.75, 0.9, 0.99])
def test_what_other_models_predict_is_left_out_by_its_name_or_by_the_words_of_the_classes(
    share: float, tmp_path: Path
) -> None:
    rng = np.random.default_rng(int(100 * share))
    true = rng.integers(2, size=900)
    said, other = (np.where(rng.random(900) < right, true, 1 - true) for right in (0.85, share))
    named = {"rf": other, "baseline": other, "target_v2": other, "gpt4_vote": other}
    features: dict[str, object] = {"age": rng.integers(18, 80, 900), "married": rng.integers(2, size=900)}
    subject = opened(tmp_path, {**features, "target": true, "predicted_target": said, **named})
    assert {*features} <= {*subject.reading.roles}
    assert {*named} <= {*subject.reading.left_out}
    words = np.array(["cat", "dog"])
    subject = opened(tmp_path, {**features, "target": words[true], "prediction": words[said], "foo": words[other]})
    assert "foo" in subject.reading.left_out


def test_a_real_model_under_an_unknown_name_is_left_out_where_no_feature_stands_beside_it_and_named_where_one_does(
    tmp_path: Path,
) -> None:
    features, true, said = real("breast cancer")
    other = cross_val_predict(RandomForestClassifier(20, random_state=0), features, true, cv=5)
    near = cross_val_predict(KNeighborsClassifier(), features, true, cv=5)
    subject = opened(tmp_path, {"label": true, "prediction": said, "foo": other, "bar": near})
    assert {"foo", "bar"} <= {*subject.reading.left_out}
    columns = {"radius": features["mean radius"], "label": true, "prediction": said, "foo": other}
    assert any("ignore=foo" in doubt for doubt in opened(tmp_path, columns).reading.doubtful)


def test_features_that_agree_with_predictions_without_a_known_truth_may_be_the_truth(tmp_path: Path) -> None:
    features, true, said = real("breast cancer")
    subject = opened(tmp_path, {"radius": features["mean radius"], "foo": true, "prediction": said})
    assert "foo" in subject.reading.left_out
    assert any("label=foo" in doubt for doubt in subject.reading.doubtful)


def test_bands_of_the_models_chances_are_shown_to_no_tester_and_other_bands_are(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    chances, tenure = rng.uniform(0, 1, 400).round(4), rng.integers(0, 72, 400)
    bands = {"risk_band": cut(chances, 3, ["Low", "Medium", "High"]), "risk_order": cut(chances, 3) + 1}
    bands["action"] = cut(chances, 3, ["nothing", "an offer", "a call"])
    columns: dict[str, object] = {"customer": [f"c{row}" for row in range(400)], "tenure": tenure, **bands}
    columns["tenure_band"] = cut(tenure, 3, ["Low", "Medium", "High"])
    churned = (rng.random(400) < chances).astype(int)
    for said in ({}, {"predicted_churn": (chances >= 0.4).astype(int)}):
        subject = opened(tmp_path, {**columns, "churn_real": churned, "churn_prob": chances, **said})
        assert {*bands} <= {*subject.reading.left_out}
        assert subject.reading.roles["tenure_band"].role == "shown"


def test_names_of_predicted_classes_under_group_are_no_groups(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    names = np.array(["heart", "brain", "kidney", "liver"])
    sets = [";".join(rng.choice(names, rng.integers(1, 4), replace=False)) for _ in range(240)]
    columns: dict[str, object] = {"abstract": rng.choice(TEXTS, 120), "group": sets[:120], "predictions": sets[120:]}
    subject = opened(tmp_path, columns)
    assert subject.inputs.groups is None
    assert "group" in subject.reading.left_out
    assert any("label=group" in doubt for doubt in subject.reading.doubtful)
    columns["group"] = [f"hospital {row % 9}" for row in range(120)]
    assert opened(tmp_path, columns).reading.with_role("group") == ("group",)


def systems(rows: int = 40) -> tuple[pd.DataFrame, np.random.Generator]:
    """Rows of six systems, which two columns tell apart together, for as many inputs each."""
    rng = np.random.default_rng(7)
    kinds = [("kg", "full"), ("kg", "part"), ("kg", "none"), ("pca", "base"), ("raw", "base"), ("all", "full")]
    table = pd.DataFrame(
        [(key, *kind) for kind in kinds for key in range(rows)], columns=["ID", "representation", "variant"]
    )
    return table, rng


def test_two_columns_that_tell_systems_apart_together_are_asked_about(tmp_path: Path) -> None:
    table, rng = systems()
    columns: dict[str, object] = {"ID": table["ID"], "prediction": rng.choice(["a", "b"], 240), **table}
    asked = r"240 rows are of 40 inputs by 'ID', told apart by 'representation and variant'"
    with pytest.raises(ReadingUnclear, match=asked):
        opened(tmp_path, columns)
    columns["label"] = np.tile(rng.choice(["a", "b"], 40), 6)
    with pytest.raises(ReadingUnclear, match=asked):
        opened(tmp_path, columns)
    columns["label"] = rng.choice(["a", "b"], 240)  # each row has a truth of its own
    assert opened(tmp_path, columns).inputs.losses is not None


def test_the_only_number_from_0_to_1_beside_a_truth_of_0_and_1_is_read_whatever_words_stand_beside_it(
    tmp_path: Path,
) -> None:
    table, rng = systems()
    columns: dict[str, object] = {
        **table,
        "y_true": np.tile(rng.integers(2, size=40), 6),
        "y_score": rng.random(240).round(3),
    }
    with pytest.raises(ReadingUnclear, match="told apart by 'representation and variant'"):
        opened(tmp_path, columns)
    columns = {name: cells[:40] for name, cells in columns.items()}
    with pytest.raises(ReadingUnclear, match="'y_score' are numbers from 0 to 1, which may be chances of class 1"):
        opened(tmp_path, columns)


def test_a_key_that_stands_in_several_rows_numbers_none(tmp_path: Path) -> None:
    table, rng = systems()
    subject = opened(
        tmp_path, {"ID": table["ID"], "note": rng.choice(TEXTS, 240), "prediction": rng.choice(["a", "b"], 240)}
    )
    assert subject.reading.with_role("row number") == ()
    once = opened(
        tmp_path, {"ID": range(240), "note": rng.choice(TEXTS, 240), "prediction": rng.choice(["a", "b"], 240)}
    )
    assert once.reading.with_role("row number") == ("ID",)


def test_lists_of_what_columns_of_shares_are_called_are_predictions_and_two_are_asked_about(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    names = ["Physics", "Statistics", "Mathematics"]
    chances = rng.random((90, 3)).astype(np.float32)
    table = pd.DataFrame(
        {"ID": range(90), "abstract": rng.choice(TEXTS, 90), **dict(zip(names, chances.T, strict=True))}
    )
    table["above"] = [[name for name, chance in zip(names, row, strict=True) if chance > 0.5] for row in chances]
    table["largest"] = [[names[place] for place in row.argsort()[:0:-1]] for row in chances]
    table.to_parquet(tmp_path / "two.parquet")
    with pytest.raises(ReadingUnclear, match="'above' and 'largest' may each be the prediction"):
        open_subject(tmp_path / "two.parquet")
    table.drop(columns="largest").to_parquet(tmp_path / "one.parquet")
    subject = open_subject(tmp_path / "one.parquet")
    assert (subject.reading.with_role("prediction"), subject.task.kind) == (("above",), "multi-label")
    assert "above" not in " ".join(subject.reading.doubtful)


@pytest.mark.parametrize(
    "names", [("predicted_price", "price"), ("predicted_cost", "actual_cost"), ("predicted_salary", "y_true")]
)
def test_amounts_by_their_names_are_numbers_without_a_question(names: tuple[str, str], tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    true = 5000 * rng.integers(2, 60, 200)
    subject = opened(tmp_path, {"city": rng.choice(["Rome", "Oslo"], 200), names[0]: true + 5000, names[1]: true})
    assert subject.task.kind == "regression"
    assert subject.reading.task_reason == "its name is that of an amount"
    few = opened(
        tmp_path, {"predicted_price_range": rng.integers(4, size=200), "price_range": rng.integers(4, size=200)}
    )
    assert few.task.kind == "classification"
    with pytest.raises(ReadingUnclear, match="may name classes or be numbers such as prices"):
        opened(tmp_path, {"prediction": true})


def test_a_key_and_classes_alone_are_said_to_be_all_that_is_known(tmp_path: Path) -> None:
    subject = opened(tmp_path, {"Id": range(1500, 1700), "Diabetes": RNG.integers(2, size=200)})
    assert subject.reading.with_role("prediction") == ("Diabetes",)
    assert any(
        "'Diabetes' is read as the prediction, because nothing else" in doubt for doubt in subject.reading.doubtful
    )


@pytest.mark.parametrize(
    "names",
    [
        ("recipe_slug", "estimate", "var_term", "std_term"),
        ("term", "estimate", "std.error", "statistic", "p.value"),
        ("", "coef", "std err", "t", "P>|t|"),
        ("feature", "importance"),
    ],
)
def test_coefficients_of_a_model_are_no_predictions_unless_someone_says_so(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    numbers = {name: RNG.random(30).round(4) for name in names[1:]}
    columns: dict[str, object] = {names[0]: [f"x{row}" for row in range(30)], **numbers}
    with pytest.raises(BadInput, match=f"a row for each term of a model, with '{names[1]}'"):
        opened(tmp_path, columns)
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
    said = open_subject(tmp_path / "t.csv", columns={"prediction": names[1]}, task="regression")
    assert said.reading.with_role("prediction") == (names[1],)
