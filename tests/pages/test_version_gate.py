"""Ready to release: the gate on Versions and beside the surface, from its margin to its answer."""

import numpy as np

from testimate.core.inputs import OtherModel
from testimate.planning.margin_gate import Margin
from testimate.project.version_gate import gate_between, gate_of_session, start_gate
from testimate.project.versions import add_version
from tests.pages.test_pages import said
from tests.session.labeling import label_all


def version(project, changed: int, name: str) -> OtherModel:
    """The subject's own predictions but for ``changed`` inputs, of which it gets a third wrong and the others right."""
    inputs = project.inputs("digits")
    rows = np.random.default_rng(5).permutation(np.flatnonzero(inputs.predictions == inputs.truth))[:changed]
    predictions = inputs.predictions.copy()
    predictions[rows] = (inputs.truth[rows] + 1) % 10
    return OtherModel(name, predictions.astype(np.intp), None)


def press(test, label: str):
    next(button for button in test.button if button.label == label).click().run()


def test_a_gate_begins_on_versions_and_says_before_how_many_labels_it_takes(opened, project):
    second = add_version(project, "digits", version(project, 60, "second"))
    test = opened("versions", subject=second.key)
    assert not test.exception
    assert "Ready to release?" in said(test)
    for points in ("+1 point", "+0 points", "-0.5 points", "-2 points"):
        assert f"| {points} | " in said(test)
    test.number_input(key=f"margin {second.key}").set_value(0.0).run()
    assert "| +0 points | " in said(test)
    assert "| +1 point | " not in said(test)
    press(test, "Label until decided")
    record = project.sessions()[0]
    assert record.request.options["purpose"] == "gate"
    assert record.request.budget == 60


def test_identical_versions_pass_on_the_page_without_a_label(opened, project):
    second = add_version(project, "digits", version(project, 0, "second"))
    test = opened("versions", subject=second.key)
    assert any("**Pass**" in one.value and "No label is needed" in one.value for one in test.success)
    assert not any(button.label == "Label until decided" for button in test.button)


def test_the_first_version_and_one_that_knew_the_labels_have_no_gate(opened, project):
    assert "Ready to release?" not in said(opened("versions", subject="digits"))


def test_a_gate_is_labeled_to_its_answer_which_versions_and_label_show(opened, project, say):
    second = add_version(project, "digits", version(project, 60, "second"))
    session = start_gate(project, second.key, "digits", Margin(1.0))
    test = opened("label", subject=second.key, session=session.session_record.id)
    assert not test.exception
    assert [metric.value for metric in test.metric] == ["Keep going"]
    label_all(session, say, project.inputs("digits").truth)
    assert gate_of_session(project, session).outcome == "fail"  # 60 of 1,000 or so are lost
    found = gate_between(project, second.key, "digits", Margin(5.0))
    assert (found.gate.margin, found.gate.outcome) == (Margin(1.0), "fail")  # a gate keeps the margin it was begun with
    for page in ("label", "versions"):
        test = opened(page, subject=second.key, session=session.session_record.id)
        assert not test.exception
        assert any("**Fail**" in one.value for one in test.error), page
