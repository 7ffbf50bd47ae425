"""The question about how a file is read, as a page shows it."""

from testimate.core.errors import Way
from testimate.tables.role_questions import which_column, which_output
from testimate.ui.subject.reading_question import begun
from tests.each import each


@each("name", ["answer_text", "größe", "llm_t03"])
def test_the_name_of_a_column_stays_as_it_is_written_at_the_beginning_of_a_line(name):
    begun_ways = [begun(way).replace("\\", "") for way in which_column("output", [name, "other"]).ways]
    assert begun_ways == [f"{name} is the output", "other is the output"]
    compared = which_output([f"{name} a", f"{name} b"]).ways[-1]
    assert begun(compared).replace("\\", "") == f"{name} a and {name} b are compared"


def test_other_words_begin_a_line_as_a_sentence():
    assert begun(Way("rows of one input belong together", "", "", (("read", ("rows", "together")),))).startswith("Rows")
