"""The dial of the letters' shift, on the first screen, under Project and where models are compared."""

import pytest


def test_the_dial_of_the_first_screen_starts_a_session_at_its_level(opened, project):
    test = opened("subject")
    assert test.button(key="demo glyphs").label == "Start labeling"
    test.select_slider(key="shift card glyphs").set_value(80).run()
    test.button(key="demo glyphs").click().run(timeout=120)
    [record] = project.sessions()
    assert (record.subject, record.subject_name) == ("glyphs-80", "Letters, LeNet-5, shift 0.80")
    again = opened("subject")
    assert again.button(key="demo glyphs").label == "Start labeling"  # at 0.65 nothing is begun
    again.select_slider(key="shift card glyphs").set_value(80).run()
    assert again.button(key="go on glyphs").label == "Continue labeling"


def test_turning_the_dial_of_the_subject_opens_that_level_and_leaves_the_session_behind(opened, project):
    test = opened("subject", subject="glyphs-95", truth="on")
    assert not test.exception
    [dial] = test.select_slider
    assert dial.value == 95
    dial.set_value(100).run(timeout=120)
    assert not test.exception
    assert test.query_params["subject"] == "glyphs-100"
    assert "session" not in test.query_params
    values = {metric.label: metric.value for metric in test.metric}
    accuracy = 100 * (1 - project.inputs("glyphs-100").losses.mean())
    assert values["Inputs"] == "10,000"
    assert values["Accuracy, known here"].startswith(f"{accuracy:.1f}")


def test_a_level_that_is_none_is_refused_in_a_sentence_and_digits_have_no_dial(opened):
    assert "There is no test set" in opened("subject", subject="glyphs-81").error[0].value
    assert not opened("subject", subject="digits").select_slider


@pytest.mark.slow  # test_compare_page.py compares the nine at the usual level, tests/demos opens the others
def test_nine_models_are_compared_at_the_level_of_the_dial(opened, project):
    test = opened("compare")
    test.select_slider(key="shift compare glyphs").set_value(70).run()
    next(button for button in test.button if button.label == "Compare nine models").click().run(timeout=180)
    assert not test.exception
    assert "9 models, 10,000 inputs" in " ".join(element.value for element in test.markdown)
    [entry] = [entry for entry in project.entries() if not entry.demo]
    assert entry.name == "Nine models that read letters, shift 0.70"
    assert project.subject(entry.key).dataset.fingerprint == project.subject("glyphs-70").dataset.fingerprint
