"""Tables of outputs to judge: what is read of them, what a tester sees, and what is refused in a sentence."""

import io

import numpy as np
import pytest
from PIL import Image

from testimate.core.errors import BadInput
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.subjects.verdict_table import compared
from testimate.tasks.verdict import Judgment
from testimate.ui.components.labeling_surface.view import shown_to_json
from tests.each import each


def table(text: str, **more):
    return read_table(text.encode(), name="outputs.csv", **more)


def test_a_table_with_an_output_and_no_prediction_is_judged_and_its_judge_is_hidden():
    subject = table("input,output,confidence,topic\nWhat is 2+2?,4,0.9,sums\nCapital?,Rome,0.2,places\n")
    assert subject.task == Judgment()
    assert subject.inputs.scores["confidence"].tolist() == pytest.approx([0.1, 0.8])
    shown = subject.dataset.show(0)
    assert [(pane.title, pane.shown.text) for pane in shown.panes] == [("Input", "What is 2+2?"), ("Output", "4")]
    assert "0.9" not in str(shown)
    assert "sums" not in str(shown)


def test_known_grades_are_read_in_words_and_in_numbers():
    assert table("output,label\na,Right\nb,PARTLY\nc,wrong\n").inputs.losses.tolist() == [0.0, 0.5, 1.0]
    graded = table("output,label\na,5\nb,4\nc,1\n")
    assert (graded.task.scale, graded.inputs.losses.tolist()) == ("1-5", [0.0, 0.25, 1.0])
    assert table("output,outcome\na,Pass\nb,Fail\n", task="verdict").inputs.losses.tolist() == [0.0, 1.0]


def test_what_was_read_without_a_task_before_is_read_as_it_was():
    assert table("output,outcome\na,Pass\nb,Fail\n").task.kind == "classification"
    assert table("output,prediction\na,cat\nb,dog\n").task.classes == ("cat", "dog")


def test_another_scale_or_task_has_another_fingerprint_so_no_session_opens_with_it():
    text = "output,outcome\na,Pass\nb,Fail\n"
    marks = {
        table(text).fingerprint,
        table(text, task="verdict").fingerprint,
        table(text, task="verdict", choices=TableChoices(grades="1-5")).fingerprint,
    }
    assert len(marks) == 3


def test_words_that_differ_from_the_reference_are_marked_on_both_sides():
    output = table("output,reference\nIn 3 days it is Friday.,In 3 days it is Monday.\n").dataset.show(0).panes
    assert output[0].pieces == (("In 3 days it is ", False), ("Friday.", True))
    assert output[1].pieces == (("In 3 days it is ", False), ("Monday.", True))


@each(("output", "reference"), [("", "x"), ("a  b\n\nc ", "a b c"), ("é 😀 z", "z 😀 é"), ("a" * 99, "")])
def test_the_pieces_of_a_text_together_are_the_whole_text(output, reference):
    marked = compared(output, reference)
    assert "".join(text for text, _ in marked.first) == output
    assert "".join(text for text, _ in marked.second) == reference


@each(("output", "reference"), [("a b.\n" * 5_000, "b a.\n" * 5_000), ("a" * 131_073, "b")])
def test_texts_too_long_to_be_compared_say_so(output, reference):
    found = compared(output, reference)
    assert (found.first, found.note) == ((), "The texts are too long to be compared: nothing is marked.")


def test_an_empty_output_is_an_output_and_markup_stays_text():
    subject = table('output\n""\n<b>bold</b><script>alert(1)</script>\n'.replace('""', '" "'))
    assert [subject.dataset.show(row).panes[0].shown.text for row in range(2)] == [
        "",
        "<b>bold</b><script>alert(1)</script>",
    ]


def test_two_systems_stand_left_and_right_in_an_order_that_is_the_same_for_everybody_and_differs_by_row():
    text = "input,output_a,output_b,label\n" + "".join(f"q{row},ant {row},bee {row},a\n" for row in range(60))
    one, again = table(text), table(text)
    assert one.task.compares
    assert np.array_equal(one.inputs.predictions, again.inputs.predictions)
    assert 15 <= (one.inputs.predictions == 0).sum() <= 45
    for row in range(60):
        titles = [pane.title for pane in one.dataset.show(row).panes]
        left = one.dataset.show(row).panes[1].shown.text
        assert titles == ["Input", "Left", "Right"]
        assert left == (f"ant {row}" if one.inputs.predictions[row] == 0 else f"bee {row}")
    assert one.inputs.known_accuracy == 1.0  # "a" is better everywhere, on whichever side it stands


def test_the_reference_stands_below_two_systems_where_the_row_has_one():
    subject = table("input,output_a,output_b,reference\nq0,ant,bee,wasp\nq1,ant,bee,\n")
    assert [[pane.title for pane in subject.dataset.show(row).panes] for row in (0, 1)] == [
        ["Input", "Left", "Right", "Reference"],
        ["Input", "Left", "Right"],
    ]
    assert subject.dataset.show(0).panes[3].shown.text == "wasp"


def test_columns_chosen_to_be_shown_are_panes_beside_the_input_and_code_is_said_beside_a_role():
    columns = (("show", "contexts"), ("show", "level"), ("code", "output"))
    rows = 'q0,"[""one"", ""two""]",3,x = 1,x = 2\n'
    subject = table(f"input,contexts,level,output,reference\n{rows}", choices=TableChoices(columns=columns))
    panes = subject.dataset.show(0).panes
    seen = [(pane.title, pane.shown.text, pane.further, pane.shown.code) for pane in panes]
    assert seen == [
        ("Input", "q0", False, False),
        ("contexts", '["one", "two"]', True, False),
        ("level", "3", True, False),
        ("Output", "x = 1", False, True),
        ("Reference", "x = 2", False, False),
    ]
    assert "level" not in subject.inputs.scores


def test_a_column_of_source_code_is_code_among_the_cells_of_a_row():
    content = "snippet,words,prediction\nx = 1,one,a\nx = 2,two,b\n"
    columns = (("show", "snippet"), ("show", "words"), ("code", "snippet"))
    shown = table(content, choices=TableChoices(columns=columns)).dataset.show(1)
    assert (shown.cells, shown.code_cells) == ((("row", "1"), ("snippet", "x = 2"), ("words", "two")), ("snippet",))
    assert shown_to_json(1, shown) == {"cells": [["row", "1"], ["snippet", "x = 2", True], ["words", "two"]]}


def test_a_text_is_source_code_only_where_its_owner_says_so():
    text = 'text,prediction,label\n"def f():\n    return 1",a,a\nx,b,a\n'
    assert not table(text).dataset.show(0).code
    assert table(text, choices=TableChoices(columns=(("code", "text"),))).dataset.show(0).code


def test_a_caption_stands_beside_its_picture(tmp_path):
    picture = io.BytesIO()
    Image.new("RGB", (6, 4), "red").save(picture, "PNG")
    (tmp_path / "one.png").write_bytes(picture.getvalue())
    subject = table("image,output\none.png,a red field\n", choices=TableChoices(inputs=tmp_path))
    shown = subject.dataset.show(0)
    assert shown.image is not None
    assert [pane.title for pane in shown.panes] == ["Input", "Output"]
    assert (shown.panes[0].shown.image, shown.panes[1].shown.text) == (shown.image, "a red field")


def test_outputs_of_which_some_have_a_grade_are_judged_with_these_as_known():
    subject = read_table(b"output,label\na,right\nb,\nc,wrong\n", name="some.csv")
    assert subject.inputs.truth is None
    assert dict(subject.inputs.known) == {0: "right", 2: "wrong"}
    assert "known in 2 of 3 rows" in str(subject.reading)


@each(
    ("text", "more", "sentence"),
    [
        ("prediction\ncat\ndog\n", {"task": "verdict"}, "no column contains what is to be judged"),
        ("output,label\na,right\nb,splendid\n", {}, "row 1 .counted from 0.: The grade 'splendid' is not on the scale"),
        ("output,label\na,5\nb,60\n", {}, "The grade '60' is not on the scale. Expected one of 1, 2, 3, 4, 5"),
        ("output\na\n", {"choices": TableChoices(grades="1-50")}, "The grades are '1-50'. Expected one of"),
        (
            "output\na\n",
            {"choices": TableChoices(grades="sides")},
            "Two outputs are to be compared but there is only one",
        ),
        ("output,output_a,output_b\na,b,c\n", {}, "either one output that is graded, or two that are compared"),
        ("output\na\n", {"tolerance": 0.5}, "Expected none of these"),
        ("prediction\ncat\ndog\n", {"choices": TableChoices(grades="1-5")}, "the task is not verdict"),
        ("prediction,said\ncat,a\ndog,b\n", {"choices": TableChoices((("input", "said"),))}, "nothing is judged here"),
    ],
)
def test_what_cannot_be_judged_is_refused_in_a_sentence(text, more, sentence):
    with pytest.raises(BadInput, match=sentence):
        table(text, **more)


def test_an_output_of_nine_million_letters_is_refused_by_its_row():
    with pytest.raises(BadInput, match=r"Column 'output', row 1 .counted from 0. has 9,000,000 characters"):
        table(f"output\nshort\n{'x' * 9_000_000}\n")
