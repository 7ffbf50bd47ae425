"""The page Versions: what the labels say about each version, the top-ups, and versions added, named and marked by hand."""

from dataclasses import replace

import numpy as np
import pytest

from testimate.core.inputs import OtherModel
from testimate.core.selector import Request
from testimate.project.version_history import NO_PLAN, history_of
from testimate.project.version_labels import is_top_up, shared_request, start_top_up
from testimate.project.versions import add_version, versions_of
from testimate.reports.compared_models import ends_of, points_range, subtracted
from tests.each import each
from tests.pages.test_pages import said
from tests.session.labeling import label_all


def version(project, seed: int, share: float, name: str) -> OtherModel:
    """Predictions that are wrong on a share of the inputs, and unsure there."""
    inputs, rng = project.inputs("digits"), np.random.default_rng(seed)
    wrong = rng.random(len(inputs)) < share
    predictions = np.where(wrong, (inputs.truth + 1 + rng.integers(9, size=len(inputs))) % 10, inputs.truth)
    return OtherModel(name, predictions.astype(np.intp), np.where(wrong, 0.6, 0.95) - rng.random(len(inputs)) / 50)


@pytest.fixture
def labeled(project, say):
    session = project.start_session("digits", Request("rrs", 60, seed=1))
    label_all(session, say, project.inputs("digits").truth)
    return session


def test_without_a_second_version_the_page_says_what_to_add(opened, labeled):
    test = opened("versions", subject="digits")
    assert not test.exception
    assert "your existing labels measure it at once" in said(test)
    assert "has the first estimate. Add another version to compare." in said(test)


def test_before_the_first_labels_there_is_one_sentence_and_a_way_to_plan_them(opened, project):
    second = add_version(project, "digits", version(project, 1, 0.02, "second"))
    test = opened("versions", subject=second.key)
    assert not test.exception
    assert [one.value for one in test.info] == [NO_PLAN]
    assert not test.dataframe
    assert "What got worse" not in said(test)
    assert next(button for button in test.button if button.label == "Plan the first labels")


def test_each_version_has_a_row_and_the_latest_a_verdict(opened, project, labeled):
    add_version(project, "digits", version(project, 1, 0.02, "better"))
    add_version(project, "digits", version(project, 2, 0.40, "broken"))
    test = opened("versions", subject="digits")
    assert not test.exception
    table = test.dataframe[0].value
    found = history_of(project, "digits").versions
    low, high = ends_of(found[2].reused.difference, found[2].reused.difference_headline)
    by = f"{-100 * found[2].reused.difference.value:.1f} points"
    ends = f"{np.floor(-1000 * high) / 10} to {np.ceil(-1000 * low) / 10}"
    assert f"#### broken is worse than better by about {by} (95% interval {ends})." in said(test)
    assert list(table["Version"]) == [one.version.name for one in found]
    assert list(table["Got worse"])[2] == str(len(found[2].worse))
    assert "What got worse" in said(test)
    assert f"{len(found[2].worse)} labeled inputs: better gets them right and broken does not." in said(test)
    classes = next(one.value for one in test.dataframe if "Predicted" in one.value.columns)
    assert set(classes["Predicted"]) == {str(place) for place in range(10)}
    assert any("too few" in cell for cell in classes["Now"])


@pytest.mark.parametrize(
    ("now", "value", "low", "high", "told"),
    [
        (0.913, 0.019, 0.002, 0.036, True),  # the accuracies fall, the difference rises
        (0.958, 0.019, 0.002, 0.036, True),  # both rise, but 4.0 points are outside 0.2 to 3.6
        (0.935, 0.019, 0.002, 0.036, False),
        (0.918, -0.0004, -0.036, 0.034, False),  # both are shown as no change
    ],
)
def test_where_two_accuracies_and_their_difference_seem_to_contradict_it_is_said_which_counts(
    project, labeled, now, value, low, high, told
):
    second = add_version(project, "digits", version(project, 1, 0.10, "second"))
    found = history_of(project, "digits")
    first, one = (
        replace(each, own=None, reused=replace(each.reused, estimate=replace(each.reused.estimate, accuracy=accuracy)))
        for each, accuracy in zip(found.versions, (0.918, now), strict=True)
    )
    gap = replace(one.reused.difference, value=value, low=low, high=high)
    one = replace(one, reused=replace(one.reused, difference=gap, difference_headline="fixed"))
    history = replace(found, versions=(first, one))
    words = subtracted(history, one)
    assert words.startswith("The difference of +1.9 points is measured where second and ") == told
    assert words.endswith("so don't subtract them.") == told
    assert subtracted(history, first) == "", "the first version has none before it"
    assert second.key == one.version.key


def test_drawn_again_every_part_keeps_its_place_so_that_what_was_opened_stays_open(opened, project, labeled):
    second = add_version(project, "digits", version(project, 1, 0.02, "second"))
    test = opened("versions", subject=second.key)
    places = {number: one.type for number, one in test.main.children.items()}
    test.run()
    assert {number: one.type for number, one in test.main.children.items()} == places


def test_a_version_added_on_the_page_is_the_one_that_more_labels_are_offered_for(opened, project, labeled):
    second = add_version(project, "digits", version(project, 1, 0.10, "second"))
    test = opened("versions", subject=second.key)
    assert "How accurate is second?" in said(test)
    third = version(project, 2, 0.05, "third")
    lines = [f"{one},{sure:.4f}" for one, sure in zip(third.predictions.tolist(), third.confidence, strict=True)]
    test.button_group(key="versions from").set_value("a table").run()
    [field] = [one for one in test.file_uploader if one.label == "Table of predictions"]
    field.upload("third.csv", ("prediction,confidence\n" + "\n".join(lines)).encode(), "text/csv").run()
    test.button(key="add version").click().run()
    assert not test.exception
    assert len(versions_of(project, "digits")) == 3
    assert "How accurate is third.csv?" in said(test)


def test_a_button_starts_a_top_up_where_the_versions_differ(opened, project, labeled):
    second = add_version(project, "digits", version(project, 1, 0.10, "second"))
    test = opened("versions", subject=second.key)
    assert "Too close to call: second is between" in said(test)
    test.button(key="start difference").click().run()
    [record] = [one for one in project.sessions() if is_top_up(one)]
    wanted = history_of(project, "digits").versions[1].reused.labels_to_tell
    assert f"About {wanted} labels where they differ would show with a 90% chance which is better." in said(test)
    assert (record.subject, record.request.options["purpose"]) == (second.key, "difference")
    assert record.request.budget == wanted


def test_a_top_up_is_labeled_without_a_number_and_leads_to_the_versions(opened, project, labeled, say):
    second = add_version(project, "digits", version(project, 1, 0.10, "second"))
    session = start_top_up(project, second.key, "accuracy", 10)
    test = opened("label", subject=second.key, session=session.session_record.id)
    assert not test.exception
    assert [metric.value for metric in test.metric] == ["0 of 10"]
    label_all(session, say, project.inputs("digits").truth)
    for page in ("label", "results"):
        test = opened(page, subject=second.key, session=session.session_record.id)
        assert not test.exception
        assert any(button.label in ("See the versions", "Versions") for button in test.button)


def test_the_headline_decides_about_the_version_that_is_chosen(opened, project, labeled):
    close = add_version(project, "digits", version(project, 1, 0.10, "close"))
    add_version(project, "digits", version(project, 2, 0.40, "broken"))
    test = opened("versions", subject="digits")
    assert "#### broken is worse than close" in said(test)
    assert "Label" not in said(test).splitlines()[1]
    test.selectbox(key="version beside digits").set_value(close.key).run()
    assert "#### Too close to call: close is between" in said(test)
    assert test.button(key="start difference").label.endswith("where they differ")


def test_a_version_that_knew_the_labels_gets_a_sentence_and_no_number(opened, project, labeled):
    second = add_version(project, "digits", version(project, 1, 0.02, "second"))
    test = opened("versions", subject=second.key)
    test.checkbox(key=f"knew {second.key}").check()
    test.button(key="FormSubmitter:versions-Keep").click().run()
    assert not test.exception
    assert "It was trained or chosen by labels of these inputs" in said(test)
    assert list(test.dataframe[0].value["Accuracy"])[1] == "–"
    assert "What got worse" not in said(test)


def test_versions_are_named_and_put_in_order(opened, project, labeled):
    second = add_version(project, "digits", version(project, 1, 0.02, "second"))
    test = opened("versions", subject=second.key)
    test.text_input(key=f"name {second.key}").input("week 2")
    test.number_input(key="place digits").set_value(2)
    test.number_input(key=f"place {second.key}").set_value(1)
    test.button(key="FormSubmitter:versions-Keep").click().run()
    assert next(one.name for one in versions_of(project, "digits")) == "week 2"


def test_on_opening_a_subject_it_is_said_whose_inputs_these_are(opened, project, labeled):
    second = add_version(project, "digits", version(project, 1, 0.02, "second"))
    assert f"These are the inputs of '{project.subject('digits').name}', 60 of them labeled" in said(
        opened("subject", subject=second.key)
    )
    third = add_version(project, "digits", version(project, 2, 0.05, "third"))
    assert "60 of them labeled, and of 1 more version." in said(opened("subject", subject=third.key))


def test_a_table_with_the_keys_of_a_labeled_one_is_offered_as_its_version(opened, project, say):
    rng = np.random.default_rng(1)
    truth = rng.integers(3, size=90)

    def table(order, wrong):
        return "key,prediction\n" + "".join(f"k{row},{'abc'[(truth[row] + (row in wrong)) % 3]}\n" for row in order)

    first = project.add_table("one.csv", table(range(90), range(0, 90, 9)).encode())
    session = project.start_session(first.key, Request("srs", 40, seed=1))
    label_all(session, say, truth)
    other = project.add_table("two.csv", table(range(89, -1, -1), range(0, 90, 30)).encode())
    test = opened("subject", subject=other.key)
    assert "These look like the inputs of 'one.csv'" in said(test)
    next(button for button in test.button if button.label == "Make it a version").click().run()
    first_version, second = history_of(project, first.key).versions
    assert second.version.name == "two.csv"
    right = [one.reused.estimate.accuracy for one in (first_version, second)]
    assert right[1] > right[0]
    assert other.key not in {entry.key for entry in project.entries()}


def test_a_subject_of_another_kind_is_told_that_it_needs_labels_of_its_own(opened, project):
    rows = "".join(f"{row / 7:.3f}\n" for row in range(40))
    numbers = project.add_table("numbers.csv", f"prediction\n{rows}".encode(), tolerance=0.5)
    test = opened("versions", subject=numbers.key)
    assert "each version needs labels of its own" in said(test)


@each(
    ("ends", "words"),
    [
        ((-0.01234, 0.05), "-1.3 to +5.0 points"),
        ((0.0101, 0.0299), "+1.0 to +3.0 points"),
        ((-0.2, -0.0101), "-20.0 to -1.0 points"),
    ],
)
def test_ends_of_a_difference_are_rounded_outwards(ends, words):
    assert points_range(*ends) == words


def test_one_sample_is_planned_for_several_models_and_results_has_a_row_for_each(opened, project, say):
    second = add_version(project, "digits", version(project, 1, 0.05, "second"))
    third = add_version(project, "digits", version(project, 2, 0.10, "third"))
    test = opened("plan", subject="digits")
    test.number_input[0].set_value(60)
    test.multiselect(key="several models of digits").set_value([second.key, third.key]).run()
    assert not test.exception
    next(button for button in test.button if button.label == "Start labeling").click().run()
    [record] = project.sessions()
    assert record.request.technique == "shared"
    assert record.request.options["models"] == ["digits", second.key, third.key]
    session = project.session(record.id)
    label_all(session, say, project.inputs("digits").truth)
    test = opened("results", subject="digits", session=record.id)
    assert not test.exception
    [table] = [one.value for one in test.dataframe if "Version" in one.value.columns]
    judged = {one.version.name: one for one in history_of(project, "digits").versions}
    assert set(table["Version"]) == set(judged)
    for name in ("second", "third"):
        found, right = judged[name].reused.estimate, judged[name].truth
        assert found.low < right < found.high
    assert "judged by all" not in said(test).lower()  # these are all there are


def test_results_of_a_sample_for_several_models_say_so_where_labels_of_other_sessions_judge_them_too(
    opened, project, labeled, say
):
    second = add_version(project, "digits", version(project, 1, 0.05, "second"))
    request = shared_request(project, ["digits", second.key], 30, seed=2)
    session = project.start_session("digits", request)
    label_all(session, say, project.inputs("digits").truth)
    test = opened("results", subject="digits", session=session.session_record.id)
    assert not test.exception
    known = len(history_of(project, "digits").labels)
    assert f"Judged by all {known} labels of 2 plans that these inputs have" in said(test)
    assert "on this session's alone" in said(test)


def test_of_thirty_versions_the_latest_ten_are_judged_at_first_and_a_choice_among_many_is_warned_of(
    opened, project, labeled
):
    for number in range(29):
        added = add_version(project, "digits", version(project, number, 0.02 + number / 300, f"week {number}"))
    test = opened("versions", subject=added.key)
    assert not test.exception
    assert list(test.dataframe[0].value["Version"]) == [f"week {number}" for number in range(19, 29)]
    assert "Of many versions, the best-looking one looks better than it is" in said(test)
    assert test.toggle(key="all versions").label == "Judge all 30 versions"
    assert "The latest 10 of 30 versions on the same inputs, judged by 60 labels of 1 plan." in said(test)


def test_on_subject_the_versions_stand_together_in_their_order_with_a_way_to_versions(opened, project, labeled):
    second = add_version(project, "digits", version(project, 1, 0.02, "week 2"))
    test = opened("subject")
    assert not test.exception
    shown = [one.value for one in test.text]
    assert [one for one in shown if one.startswith(("1. ", "2. "))] == ["1. Handwritten digits", "2. week 2"]
    assert "2 versions on the same inputs" in said(test)
    assert {"versions digits", f"open {second.key}"} <= {button.key for button in test.button}
