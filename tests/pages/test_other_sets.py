"""The page Versions for a set that grew or drifted: what each part's labels say, and the assumption behind weighted ones."""

import pytest

from testimate.core.selector import Request
from testimate.project.selections import is_of_selection
from tests.pages.test_pages import said
from tests.project.test_grown_sets import ALL, GROWN, OLD, TRUTH, key_of, table
from tests.session.labeling import label_all


@pytest.fixture
def grown(project, say) -> str:
    project.add_table("old.csv", table(range(OLD)))
    project.add_table("grown.csv", table(GROWN))
    session = project.start_session(key_of(project, "old.csv"), Request("rrs", 80, seed=2))
    label_all(session, say, dict(enumerate(TRUTH.tolist())))
    return key_of(project, "grown.csv")


def test_a_set_that_grew_has_a_row_for_each_part_and_a_button_for_labels_of_the_new_ones(opened, project, grown, say):
    test = opened("versions", subject=grown)
    assert not test.exception
    assert "240 of these inputs come from 'old.csv', and 80 of them are labeled. 160 inputs are new" in said(test)
    rows = test.dataframe[0].value
    assert list(rows["Part"]) == ["Old inputs", "New inputs", "All"]
    assert list(rows["Accuracy"])[1:] == ["–", "–"]
    test.button(key="label added").click().run()
    [record] = [one for one in project.sessions() if is_of_selection(one)]
    assert (record.subject, record.request.budget, len(record.request.options["rows"])) == (grown, 60, ALL - OLD)
    label_all(project.session(record.id), say, dict(enumerate(TRUTH[GROWN].tolist())))
    rows = opened("versions", subject=grown).dataframe[0].value
    assert "–" not in list(rows["Accuracy"])


def test_two_sets_are_compared_and_weighted_labels_say_what_they_assume(opened, project, grown):
    project.add_table("more.csv", table(range(OLD + 50)))
    test = opened("versions", subject=grown)
    assert test.selectbox(key="other set").options == ["old.csv", "more.csv"]  # the one with labels first
    test.toggle(key="compare sets").set_value(True).run()
    assert not test.exception
    assert "The interval is wide on purpose: after lists that follow confidence" in said(test)
    assert "No difference shows in confidence and predicted classes" in said(test)
    assert "This assumes that among inputs of one confidence the model fails as often on the new set" in said(test)


def test_the_same_inputs_in_another_order_are_offered_as_a_version(opened, project, grown):
    key = project.add_table("again.csv", table(range(OLD)[::-1])).key
    test = opened("versions", subject=key)
    assert "These are the inputs of 'old.csv' in another order" in said(test)
    test.button(key="ordered version").click().run()
    assert key not in {entry.key for entry in project.entries()}
