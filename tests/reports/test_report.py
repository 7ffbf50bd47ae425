"""The report stands alone: it says what the session says, gives the same numbers again, and runs nothing."""

import base64
import html
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image
from sklearn.metrics import precision_recall_fscore_support

from testimate.core.reading import ColumnRole, Reading
from testimate.core.subject import Shown
from testimate.core.words import number_in_full
from testimate.planning.build import build
from testimate.project.bundle import read_bundle
from testimate.project.cluster_review import NamedPart
from testimate.project.jobs import Explanations
from testimate.reports.exports import labels_csv, plan_json
from testimate.reports.live import live
from testimate.reports.report import report_html
from testimate.session.session import Session
from testimate.subjects.occlusion import Explained
from testimate.tasks.regression import Regression

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"


class Read(HTMLParser):
    """Tags with their attributes, and the text between them."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(document)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data


def labeled(session, inputs, say, testers=("Ann",)):
    for name in testers:
        for row in {draw.row for draw in session.draws}:
            session.record([say(row, int(inputs.truth[row]), tester=name)])
    return session


def test_the_report_says_what_the_session_says(open_session, inputs, say):
    session = labeled(open_session("rrs", 60), inputs, say)
    read = Read(report_html(session))
    report = live(session)
    assert report.words[1:] in read.text
    assert f"{report.failures} faults found" in read.text
    assert "Ann" in read.text
    assert session.session_record.fingerprint in read.text


def test_the_faults_come_before_how_it_was_measured_and_the_full_tables_are_folded(open_session, inputs, say):
    report = report_html(labeled(open_session("rrs", 60), inputs, say))
    first, folded = report.split("<details>")
    asked = ["label by label", "faults found", "How this was measured", "Recompute this result"]
    places = [first.index(f"{words}</h2>") for words in asked]
    assert places == sorted(places)
    assert "Testers</h2>" in folded
    assert "<script" not in report


def test_the_first_page_has_at_most_350_words_and_the_six_most_severe_faults(open_session, inputs, say):
    session = open_session("srs", 60)
    for row in {draw.row for draw in session.draws}:
        session.record([say(row, (int(inputs.predictions[row]) + 1) % len(inputs.task.classes))])
    first, folded = report_html(session).split("<details>")
    own = re.sub(r"(?s)<figure>.*?<figcaption>", "", first.split("</style>")[1])  # without what the inputs show
    assert len(re.findall("[A-Za-z]{2,}", Read(own).text)) <= 350  # and without numbers
    rows = [int(row) for row in re.findall(r"actually [^<]*<br>input (\d+)", first)]
    sure = sorted((inputs.confidence[draw.row] for draw in session.draws), reverse=True)[:6]
    assert [inputs.confidence[row] for row in rows] == pytest.approx(sure)
    assert folded.count("actually ") == 54


def test_a_fault_that_was_explained_is_shown_where_the_network_looked(open_session, inputs, say):
    session = open_session("srs", 20)
    row = session.draws[0].row
    session.record([say(row, (int(inputs.predictions[row]) + 1) % len(inputs.task.classes))])
    picture = io.BytesIO()
    Image.new("L", (4, 4)).save(picture, "PNG")
    session.show = lambda _: Shown("image", image=picture.getvalue())
    kept = Explanations()
    assert "where it looked" not in report_html(session, explanations=kept)
    kept.keep(inputs.fingerprint, row, Explained("picture", np.ones((4, 4)), (), (0, 0, 1, 1), 1.0, "7", 4))
    assert "orange: where it looked" in report_html(session, explanations=kept).split("<details>")[0]


def test_how_the_files_were_read_is_in_it_with_every_doubt(store, inputs, open_session):
    opened = open_session("srs", 30)
    roles = {HOSTILE: ColumnRole("prediction", "its name", "2 classes"), "gold": ColumnRole("label", "it agrees")}
    read = replace(inputs, reading=Reading("t.csv", "CSV", roles=roles, doubtful=("It may be otherwise.",), size=1234))
    session = Session(opened.session_record, read, build(inputs, opened.session_record.request), store, opened.show)
    document = report_html(session)
    for words in ("How this was read", "truth `gold` (hidden from testers)", "2 classes", "It may be otherwise."):
        assert words in Read(document).text
    assert "<script" not in document
    assert "How this was read" not in report_html(opened)


def test_numbers_that_are_predicted_are_no_percentages_and_the_largest_error_comes_first(
    store, inputs, open_session, say
):
    opened, rng = open_session("srs", 30), np.random.default_rng(4)
    truth = rng.normal(size=len(inputs))
    guess = truth + rng.normal(0, 0.2, len(inputs))
    task = Regression(tolerance=0.1, unit="degrees")
    numbers = replace(
        inputs, task=task, truth=truth, predictions=guess, losses=task.losses(guess, truth), confidence=None
    )
    selector = build(numbers, opened.session_record.request)
    session = Session(opened.session_record, numbers, selector, store, opened.show)
    for draw in session.draws:
        session.record([say(draw.row, float(truth[draw.row]))])
    text = " ".join(Read(report_html(session)).text.split())
    assert f"The true share is known here: {100 * np.mean(np.abs(guess - truth) <= 0.1):.2f}%." in text
    assert "within 0.1 degrees of all inputs" in text
    assert "By the size of the error: severe (0.26 degrees and more)" in text
    worst = max((draw.row for draw in session.draws), key=lambda row: abs(guess[row] - truth[row]))
    first = f"predicted {guess[worst]:.2f} degrees, actually {number_in_full(truth[worst])} degrees"
    assert text.index(first) == text.index("predicted ", text.index("faults found"))


def test_the_scores_of_the_classes_in_it_are_those_that_scikit_learn_counts(open_session, inputs, say):
    session = labeled(open_session("srs", 300), inputs, say)
    rows = sorted(session.answers())
    true, said = inputs.truth[rows], inputs.predictions[rows]
    lines = {}
    for line in re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td></tr>", report_html(session)):
        lines.setdefault(line[0], line[1:])
    expected = precision_recall_fscore_support(true, said, labels=range(10), zero_division=0)
    shown = 0
    for place, name in enumerate(inputs.task.classes):
        for words, value in zip(lines[name], [of[place] for of in expected[:3]], strict=True):
            if "too few" not in words:
                assert words.startswith(f"{100 * value:.1f}% (")
                shown += 1
    assert shown > 10
    share = 100 * np.mean((true == 3) & (said == 3))
    assert f'<td class="right">{share:.1f}</td>' in report_html(session)


def test_the_plan_and_the_votes_in_it_are_the_exports(open_session, inputs, say):
    session = labeled(open_session("rra", 40), inputs, say)
    files = {
        attributes["download"]: base64.b64decode(attributes["href"].split(",")[1]).decode()
        for tag, attributes in Read(report_html(session)).tags
        if tag == "a" and str(attributes.get("download")).endswith((".json", ".csv"))
    }
    assert json.loads(files["testimate-s-plan.json"]) == json.loads(json.dumps(plan_json(session)))
    assert files["testimate-s-labels.csv"] == labels_csv(session)


def test_the_whole_session_in_it_is_its_bundle(open_session, inputs, say):
    session = labeled(open_session("rrs", 20, votes_per_input=2), inputs, say, testers=("Ann", "Bob"))
    [bundle] = [
        base64.b64decode(str(attributes["href"]).split(",")[1])
        for tag, attributes in Read(report_html(session)).tags
        if tag == "a" and attributes.get("download") == "testimate-s.testimate"
    ]
    assert read_bundle(bundle).events == session.history()


def test_a_dispute_is_shown_with_every_vote_and_the_word_of_the_lead(open_session, say):
    session = open_session("rrs", 20, votes_per_input=2)
    first, second = session.draws[0].row, session.draws[1].row
    for row in (first, second):
        session.record([say(row, 1), say(row, 2, tester="Bob")])
    words = [
        say(first, 2, kind="adjudication", tester="Lea"),
        say(second, kind="adjudication", tester="Lea"),
    ]
    session.record(words, lead=True)
    text = " ".join(Read(report_html(session)).text.split())
    assert text.count("Ann: b; Bob: c") == 2
    assert "c (Lea)" in text
    assert "can't tell (Lea)" in text
    assert "2 were settled by a lead" in text


def test_nothing_in_it_runs_or_fetches(store, inputs, open_session, say):
    opened = open_session("srs", 30, votes_per_input=2)
    hostile = Session(
        opened.session_record, inputs, _again(inputs, opened), store, lambda row: Shown("text", text=HOSTILE)
    )
    labeled(hostile, inputs, say, testers=(HOSTILE, "Bob"))
    html = report_html(hostile)
    read = Read(html)
    assert read.text.count(HOSTILE) > 1
    assert "script" not in {tag for tag, _ in read.tags}
    assert not any(name.startswith("on") for _, attributes in read.tags for name in attributes)
    addresses = [value for _, attributes in read.tags for name, value in attributes.items() if name in ("src", "href")]
    assert all(address.startswith("data:") for address in addresses)
    assert re.search(r"Content-Security-Policy\" content=\"default-src 'none'", html)


def _again(inputs, session):
    return build(inputs, session.session_record.request)


def test_a_team_is_named_with_how_far_it_agrees(open_session, inputs, say):
    session = open_session("rrs", 20, votes_per_input=2)
    rows = [draw.row for draw in session.draws]
    for row in rows:
        truth = int(inputs.truth[row])
        session.record([say(row, truth), say(row, (truth + 1) % 4 if row == rows[3] else truth, tester="Bob")])
    text = Read(report_html(session)).text
    assert "they agree on 95.0% of the pairs" in " ".join(text.split())
    assert "1 input is disputed" in " ".join(text.split())


@pytest.mark.parametrize("technique", ["srs", "pace", "rra", "sups"])
def test_a_session_without_labels_has_a_report_without_numbers(open_session, technique):
    text = " ".join(Read(report_html(open_session(technique, 20))).text.split())
    assert "0 faults found" in text
    assert "Nobody has labeled anything yet" in text


def test_the_line_of_the_estimate_ends_where_the_estimate_is(open_session, inputs, say):
    session = labeled(open_session("srs", 40), inputs, say)
    [line] = [attributes["points"] for tag, attributes in Read(report_html(session)).tags if tag == "polyline"]
    trail = live(session).trail
    pairs = re.findall(r'<text x="-8" y="([\d.]+)" text-anchor="end">([\d.]+)</text>', report_html(session))
    (top, most), (bottom, least) = sorted((float(height) - 4, float(mark)) for height, mark in (pairs[0], pairs[-1]))
    last = float(line.split()[-1].split(",")[1])
    found = most + (last - top) / (bottom - top) * (least - most)
    assert found == pytest.approx(100 * trail.accuracy[-1], abs=0.1)


def test_what_reviewers_named_and_the_faults_that_were_explained_are_in_it_as_text(open_session, inputs, say):
    session = labeled(open_session("rrs", 60), inputs, say)
    fault = next(row for row in session.answers() if inputs.losses[row])
    right = next(row for row in session.answers() if not inputs.losses[row])
    effect = np.array([0.5, -0.125])
    explanations = Explanations()
    for row in (fault, right):
        explanations.keep(
            inputs.fingerprint, row, Explained("words", effect, ("<b>not</b>", "so"), (0,), 0.5, HOSTILE, 3)
        )
    named = [NamedPart("light", f"night {HOSTILE}", 1_234, 20, 18, "Ann", "2026-11-20T10:05:00+00:00")]
    named.append(NamedPart("cluster 3", "loops\nand more", 70, None, None, "Ben", "2026-11-21T10:05:00+00:00"))
    document = report_html(session, named=named, explanations=explanations)
    read, text = Read(document), " ".join(html.unescape(re.sub("<[^>]*>", " ", document)).split())
    assert f"night {HOSTILE} light 1,234 20 18 Ann" in text
    assert "loops and more cluster 3 70 – – Ben" in text
    assert f"input {fault} Without <b>not</b> the network says {HOSTILE}." in text
    assert "without <b>not</b> 50.0 points without so -12.5 points" in text
    assert text.count("the network says") == 1  # the right one is no fault
    assert not [tag for tag, _ in read.tags if tag == "script"]
