"""Other models' predictions on the Subject and Plan pages: added by a column, said what they save, and planned with."""

import numpy as np
import pytest

from testimate.core.inputs import OtherModel

SIZE = 300
TRUTH = np.random.default_rng(3).integers(0, 3, SIZE)


def said(seed: int, wrong: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.where(rng.random(SIZE) < wrong, (TRUTH + 1) % 3, TRUTH)


@pytest.fixture
def key(project) -> str:
    own, other = said(1, 0.3), said(2, 0.1)
    sure = np.random.default_rng(4).uniform(0.5, 1, SIZE).round(3)
    lines = [f"{own[row]},{sure[row]},{other[row]}" for row in range(SIZE)]
    text = "prediction,confidence,model_b\n" + "\n".join(lines)
    return project.add_table("own.csv", text.encode()).key


def field(test, kind: str, label: str):
    [found] = [one for one in getattr(test, kind) if one.label == label]
    return found


def words(test) -> str:
    return " ".join(str(one.value) for one in (*test.markdown, *test.caption, *test.error)).replace("\\", "")


def test_a_column_of_the_table_is_added_on_the_subject_page(project, key, opened):
    test = opened("subject", subject=key)
    test.button_group(key="others from").set_value("a column").run()
    field(test, "selectbox", "Prediction").set_value("model_b").run()
    field(test, "button", "Add these predictions").click().run()
    assert not test.exception
    [other] = project.others.of(key)
    assert other.name == "model_b"
    assert (other.predictions == said(2, 0.1)).all()
    agrees = 100 * (said(1, 0.3) == said(2, 0.1)).mean()
    assert f"model_b agrees with the tested model on {agrees:.1f}" in words(test)


def test_a_plan_takes_the_others_and_says_what_they_are_expected_to_save(project, key, opened):
    project.others.add(key, OtherModel("b", said(2, 0.1), np.full(SIZE, 0.9)))
    test = opened("plan", subject=key)
    assert "expected to save about" in words(test)
    assert "without the other models" in words(test)
    field(test, "button", "Start labeling").click().run()
    [record] = project.sessions()
    assert record.request.auxiliary == "combined"
    assert record.resolved["others"] == [project.others.of(key)[0].fingerprint]
    assert {"disagreement", "votes"} <= set(record.resolved["terms"])


def test_a_plan_without_the_others_follows_the_confidence(project, key, opened):
    project.others.add(key, OtherModel("b", said(2, 0.1), np.full(SIZE, 0.9)))
    test = opened("plan", subject=key)
    field(test, "multiselect", "Other models that help").set_value([]).run()
    field(test, "button", "Start labeling").click().run()
    [record] = project.sessions()
    assert (record.request.auxiliary, record.resolved["others"]) == ("confidence", [])
