"""What the network meets but does not know: the row in tables, the share of all inputs, and the names, in the report, too."""

from testimate.core.spellings import counted_names
from testimate.planning.parts import outside_row
from testimate.reports.outside import outside_of
from testimate.reports.parts import score_lines, session_scores, shares_confused
from testimate.reports.report import report_html

NAMES = ["fox", "owl", "", "Fox", "fox", "owl"]


def labeled(open_session, inputs, say, names=NAMES, budget=60):
    """A session in which inputs with these names are none of the classes, and all others are what they truly are."""
    session = open_session("srs", budget)
    for place, draw in enumerate(session.draws):
        session.record([say(draw.row, names[place] if place < len(names) else int(inputs.truth[draw.row]))])
    return session


def test_nothing_is_said_where_every_label_is_a_class(open_session, inputs, say):
    session = labeled(open_session, inputs, say, names=[])
    assert outside_of(session) is None
    assert "does not know" not in report_html(session)


def test_names_stand_with_their_counts_and_what_they_were_taken_for(open_session, inputs, say):
    session = labeled(open_session, inputs, say)
    found = outside_of(session)
    drawn = [draw.row for draw in session.draws]
    assert found.row == "none of these: 6, fox 3, owl 2"
    assert found.rows == tuple(drawn[:6])
    assert [(one.name, one.rows) for one in found.named] == [
        ("fox", (drawn[0], drawn[3], drawn[4])),
        ("owl", (drawn[1], drawn[5])),
        ("", (drawn[2],)),
    ]
    said = [inputs.task.classes[inputs.predictions[row]] for row in found.named[0].rows]
    assert dict(found.named[0].taken) == {name: said.count(name) for name in said}


def test_their_share_of_all_inputs_is_that_of_the_sample(open_session, inputs, say):
    session = labeled(open_session, inputs, say)
    found = outside_of(session)
    assert found.estimate.accuracy == 54 / 60
    assert found.words(session).startswith(
        "6 labeled inputs are none of the classes: about 10.0% of all 300 inputs (95%"
    )


def test_confusion_and_recall_have_a_row_of_their_own_by_name(open_session, inputs, say):
    session = labeled(open_session, inputs, say)
    scores, row = session_scores(session), outside_of(session).row
    lines = {line.name: line for line in score_lines(scores, inputs.task.classes, row)}
    assert lines[row].recall.startswith("0%")
    table = dict(shares_confused(scores, inputs.task.classes, most=20, outside=row).lines)
    assert sum(float(cell) for cell in table[row] if cell) == 10.0
    pairs = shares_confused(scores, inputs.task.classes, most=2).pairs
    assert any(was == "none of these" for was, _, _ in pairs)


def test_the_report_shows_them_with_names_and_pictures(open_session, inputs, say):
    page = report_html(labeled(open_session, inputs, say))
    assert "<h2>What it meets but does not know</h2>" in page
    assert (
        page.count("none of these: 6, fox 3, owl 2") == 3
    )  # recall, confusion of all inputs, confusion of the labeled
    assert "without a name" in page


def test_five_thousand_names_make_one_short_row_in_a_moment():
    names = [f"animal {number}" for number in range(5000)]
    row = outside_row("none of these", names)
    assert row.count(", ") == 7
    assert row.endswith("more names")
    assert len(counted_names(names)) == 5000
