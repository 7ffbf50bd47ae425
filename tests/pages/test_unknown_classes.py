"""Labels of three classes that a network does not know, from files of labels to Results and the report."""

import html
import json
import re

import pytest

from testimate.core.selector import Request
from testimate.reports.report import report_html
from tests.cli.test_plan_labels import labeled_there

SIZE, LABELS = 60, 20
TRUTH = [("cat", "dog", "fox", "cat", "owl", "dog", "elk", "cat")[row % 8] for row in range(SIZE)]
SAID = [name if name in ("cat", "dog") and row % 9 else "dog" for row, name in enumerate(TRUTH)]


def begun(project):
    """A session of a new test set of texts, of which three in eight are of no class."""
    lines = [
        f"a {name} by the river {row},{said},{0.5 + row / 200}\n"
        for row, (name, said) in enumerate(zip(TRUTH, SAID, strict=True))
    ]
    subject = project.add_table("animals.csv", ("text,prediction,confidence\n" + "".join(lines)).encode())
    return project.start_session(subject.key, Request("srs", LABELS, 4))


def unknown(rows):
    """What the row of unknown classes says: how many, and each name with its count, the commonest first."""
    names = [TRUTH[row] for row in rows if TRUTH[row] not in ("cat", "dog")]
    return len(names), {name: names.count(name) for name in names}


def row_of(report):
    """The same, as the report says it."""
    said = re.search(r"none of these: (\d+), ((?:\w+ \d+,? ?)+)", report)
    return int(said[1]), {name: int(count) for name, count in re.findall(r"(\w+) (\d+)", said[2])}


def words_of(report):
    """The text of a report, without its tags."""
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", report)).split())


@pytest.mark.parametrize("by", ["votes.csv", "label-studio.json"])
def test_votes_from_a_file_bring_unknown_classes_to_results_and_the_report(opened, project, command, tmp_path, by):
    session = begun(project)
    id, rows, file = session.session_record.id, [draw.row for draw in session.draws], tmp_path / by
    if by == "votes.csv":
        file.write_text("row,answer\n" + "".join(f"{row},{TRUTH[row]}\n" for row in rows))
    else:
        tasks = [{"data": {"row": row}, "annotations": [labeled_there(TRUTH[row], ["cat", "dog"])]} for row in rows]
        file.write_text(json.dumps(tasks))
    said = command("sessions", "import", file, "--into", id, "--project", project.folder)
    assert said.status == 0
    assert "labels are no class of this network and count as wrong" in said.err
    test = opened("results", subject=session.session_record.subject, session=id)
    assert not test.exception
    assert "What it meets but does not know" in [one.value for one in (*test.header, *test.subheader)]
    session.refresh()
    assert row_of(words_of(report_html(session))) == unknown(rows)
