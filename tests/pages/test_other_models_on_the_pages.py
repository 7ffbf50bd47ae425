"""Other models' predictions on the Subject and Plan pages: added by a column, said what they save, and planned with."""

import numpy as np
import pytest

from testimate.core.inputs import OtherModel
from testimate.project.project import Project

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


def test_each_of_two_other_models_has_a_button_of_its_own_that_removes_it(project, key, opened):
    for name, seed in (("b", 2), ("c", 5)):
        project.others.add(key, OtherModel(name, said(seed, 0.1), np.full(SIZE, 0.9)))
    test = opened("subject", subject=key)
    field(test, "button", "Remove c").click().run()
    assert not test.exception
    assert [other.name for other in project.others.of(key)] == ["b"]
    assert {one.label for one in test.button} >= {"Remove b"}
    assert "c agrees with" not in words(test)


def test_a_plan_takes_the_others_and_says_what_they_are_expected_to_save(project, key, opened):
    project.others.add(key, OtherModel("b", said(2, 0.1), np.full(SIZE, 0.9)))
    test = opened("plan", subject=key)
    assert "With adaptive rounds (rra) they are expected to make the stop-safe interval about" in words(test)
    assert "without the other models" in words(test)
    field(test, "button", "Start labeling").click().run()
    [record] = project.sessions()
    assert record.request.auxiliary == "combined"
    assert record.resolved["others"] == [project.others.of(key)[0].fingerprint]
    assert {"disagreement", "votes"} <= set(record.resolved["terms"])


def test_plan_says_that_one_of_two_models_is_too_confident_where_they_differ_too_often(project, key, opened):
    project.others.add(key, OtherModel("b", said(2, 0.5), np.full(SIZE, 0.99)))
    test = opened("plan", subject=key)
    assert not test.exception
    assert "b and the tested model: They differ on" in words(test)
    assert "one of them is more confident than it should be, and before there are labels nobody knows which" in words(
        test
    )


def test_a_plan_without_the_others_follows_the_confidence(project, key, opened):
    project.others.add(key, OtherModel("b", said(2, 0.1), np.full(SIZE, 0.9)))
    test = opened("plan", subject=key)
    field(test, "multiselect", "Other models that help").set_value([]).run()
    field(test, "button", "Start labeling").click().run()
    [record] = project.sessions()
    assert (record.request.auxiliary, record.resolved["others"]) == ("confidence", [])


def test_several_auxiliary_variables_are_joined_on_plan(project, key, opened):
    project.others.add(key, OtherModel("b", said(2, 0.1), np.full(SIZE, 0.9)))
    test = opened("plan", subject=key)
    field(test, "toggle", "Choose the technique yourself").set_value(True).run()
    field(test, "selectbox", "Technique").set_value("sups").run()
    field(test, "multiselect", "Failure scores").set_value(["confidence", "votes"]).run()
    field(test, "button", "Start labeling").click().run()
    [record] = project.sessions()
    assert (record.request.technique, record.request.auxiliary) == ("sups", "confidence+votes")


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("prediction\n" + "0\n" * 299, "299 rows and the tested model 300 inputs"),
        ("prediction\n" + "owl\n" * 300, "predicts 'owl' and others that are not classes here"),
        ("prediction,confidence\n" + "0,0.5\n" * 299 + "1,\n", "'confidence', row 299 (counted from 0) is empty"),
        ("own", "from which nothing can be learned"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_in_a_sentence_and_nothing_is_kept(project, key, opened, table, says):
    if table == "own":
        own = project.inputs(key)
        pairs = zip(own.predictions.tolist(), own.confidence.tolist(), strict=True)
        table = "prediction,confidence\n" + "\n".join(f"{one},{sure}" for one, sure in pairs)
    test = opened("subject", subject=key)
    test.button_group(key="others from").set_value("a table").run()
    field(test, "file_uploader", "Table of predictions").upload("other.csv", table.encode(), "text/csv").run()
    field(test, "button", "Add these predictions").click().run()
    assert not test.exception
    assert says in words(test)
    assert project.others.of(key) == ()


def test_plan_takes_results_of_earlier_models_and_starts_with_them(project, key, opened):
    old = "\n".join(["v1,v2", *(f"{int(said(6, 0.3)[row] == TRUTH[row])},wrong" for row in range(SIZE))])
    kept = project.others.add_history(key, "old.csv", old.encode())
    test = opened("plan", subject=key)
    assert not test.exception
    field(test, "selectbox", "Results that help").select(kept.fingerprint).run()
    assert not test.exception
    assert "results of 2 earlier models, wrong on" in words(test)
    field(test, "button", "Start labeling").click().run()
    [record] = project.sessions()
    assert record.request.auxiliary == "earlier-results"
    assert record.resolved["others"] == [kept.fingerprint]


def test_without_a_confidence_plan_forecasts_by_results_of_earlier_models(project, opened):
    lines = ["prediction,label", *(f"{'ab'[row % 2]},{'ab'[(row // 3) % 2]}" for row in range(SIZE))]
    key = project.add_table("plain.csv", "\n".join(lines).encode()).key
    old = "\n".join(["v1,v2", *(f"{int(row % 3 > 0)},{int(row % 4 > 0)}" for row in range(SIZE))])
    project.others.add_history(key, "old.csv", old.encode())
    test = opened("plan", subject=key)
    assert not test.exception
    assert "Expect about" in words(test)
    assert "It takes what earlier models got wrong as the chance of failing" in words(test)


def test_one_click_takes_what_earlier_versions_of_the_questions_demo_got_wrong(project, opened):
    offer = "Take this demo's results of earlier versions"
    test = opened("plan", subject="answers")
    field(test, "button", offer).click().run()
    assert not test.exception
    assert offer not in [one.label for one in test.button]
    assert "results of 2 earlier models, wrong on" in words(test)
    field(test, "button", "Start labeling").click().run()
    [record], [kept] = project.sessions(), project.others.histories("answers")
    assert record.request.auxiliary == "earlier-results"
    assert record.resolved["others"] == [kept.fingerprint]
    drawn = [draw.row for draw in project.session(record.id).draws]
    assert [draw.row for draw in Project(project.folder).session(record.id).draws] == drawn


def test_a_subject_without_earlier_versions_of_its_own_is_offered_none(project, key, opened):
    for subject in (key, "digits"):
        assert "Take this demo's results of earlier versions" not in [
            one.label for one in opened("plan", subject=subject).button
        ]


@pytest.mark.parametrize("goal", ["tight interval", "balance"])
def test_the_forecast_follows_the_choice_of_other_models_each_time_it_changes(project, key, opened, goal):
    project.others.add(key, OtherModel("b", said(2, 0.1), np.full(SIZE, 0.9)))
    test = opened("plan", subject=key)
    test.radio(key="objective").set_value(goal).run()
    choice = field(test, "multiselect", "Other models that help")
    helped = forecast(test)
    assert helped != forecast(choice.set_value([]).run()), "other models change what is expected"
    choice = field(test, "multiselect", "Other models that help")
    assert forecast(choice.set_value([project.others.of(key)[0].fingerprint]).run()) == helped
    assert "without the other models" in words(test)


def forecast(test) -> str:
    [found] = [str(one.value) for one in test.markdown if str(one.value).startswith("Expect about")]
    return found
