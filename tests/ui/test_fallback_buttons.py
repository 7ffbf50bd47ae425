"""The plain buttons, and the surface itself, under Streamlit's own page test."""

from streamlit.testing.v1 import AppTest


def labeling_page(kind, plain, refused):
    import streamlit as st

    from testimate.core.subject import Shown
    from testimate.tasks.classification import Classification, MultiLabel
    from testimate.tasks.regression import Regression
    from testimate.ui.components.labeling_surface.fallback_buttons import fallback_buttons
    from testimate.ui.components.labeling_surface.surface import labeling_surface
    from testimate.ui.components.labeling_surface.view import Past, QueuedInput, SurfaceView

    events = st.session_state.setdefault("events", [])
    tasks = {
        "few": Classification(("cat", "[dog](https://evil.example)")),
        "many": Classification(tuple(f"kind {place}" for place in range(30))),
        "several": MultiLabel(("cat", "dog", "bird")),
        "number": Regression(tolerance=0.1, unit="degrees"),
    }
    rows = [row for row in (10, 11, 12) if row not in [event.row for event in events if event.kind == "answer"]]
    queue = [QueuedInput(row, row - 10, Shown("text", text=f"input {row}"), "a reason") for row in rows]
    past = [Past(event.row, event.row - 10, event.answer, "an answer") for event in events if event.kind == "answer"]
    counts = {"done": len(past), "planned": 3, "finished": not rows}
    view = SurfaceView("s", "ada", tasks[kind], queue, past, refused=refused, **counts)
    if plain:
        fallback_buttons(view, key="plain", on_event=events.append)
    else:
        labeling_surface(view, key="surface", on_events=events.extend)


def run(kind, plain=True, refused=None):
    given = {"kind": kind, "plain": plain, "refused": refused or {}}
    page = AppTest.from_function(labeling_page, kwargs=given, default_timeout=60).run()
    assert not page.exception
    return page


def click(page, words):
    next(button for button in page.button if button.label.startswith(words)).click()
    page.run()
    assert not page.exception
    return [(event.kind, event.row, event.answer) for event in page.session_state["events"]]


def test_the_surface_draws_without_a_browser():
    page = run("few", plain=False)
    assert page.session_state["events"] == []


def test_what_is_refused_is_said():
    page = run("few", refused={"id": "The answer *1e300* is too large."})
    assert [error.value.replace("\\", "") for error in page.error] == ["The answer *1e300* is too large."]


def test_each_button_is_one_event_for_the_input_shown():
    page = run("few")
    assert page.text[0].value == "input 10"
    assert click(page, "cat") == [("answer", 10, 0)]
    assert page.text[0].value == "input 11"
    assert click(page, "Can't tell")[-1] == ("cannot tell", 11, None)
    assert click(page, "Skip")[-1] == ("skip", 11, None)
    assert click(page, "Undo input 10")[-1] == ("undo", 10, None)
    ids = [event.id for event in page.session_state["events"]]
    assert len(set(ids)) == len(ids) == 4


def test_a_class_name_cannot_become_a_link():
    assert [button.label for button in run("few").button][1].startswith("\\[dog\\]\\(https\\:")


def test_many_classes_are_chosen_from_a_list():
    page = run("many")
    page.selectbox[0].set_value(17)
    assert click(page, "Save") == [("answer", 10, 17)]


def test_several_classes_are_stored_as_a_list():
    page = run("several")
    page.multiselect[0].set_value([0, 2])
    assert click(page, "Save") == [("answer", 10, [0, 2])]


def test_a_number_is_stored_and_an_empty_field_is_not():
    page = run("number")
    assert click(page, "Save") == []
    page.text_input[0].set_value("450,000")
    assert click(page, "Save") == []
    assert "could be 450000 or 450.000" in page.error[0].value.replace("\\", "")
    page.text_input[0].set_value("−0,25")
    assert click(page, "Save") == [("answer", 10, -0.25)]


def test_a_flag_keeps_its_note():
    page = run("few")
    next(one for one in page.text_input if one.label == "Note").set_value("two animals")
    click(page, "Flag")
    assert page.session_state["events"][0].detail == {"position": 0, "prediction_shown": False, "note": "two animals"}


def test_the_end_is_said():
    page = run("few")
    for _ in range(3):
        click(page, "cat")
    assert page.info[0].value.startswith("All planned inputs are done")
