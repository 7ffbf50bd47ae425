"""What a lead sees of each tester: counted by hand."""

from testimate.reports.people import ProgressOfTester, progress_of_testers


def test_answers_pace_agreement_and_disputes_lost_are_those_counted_by_hand(open_session, say):
    session = open_session("srs", 40, votes_per_input=2)
    rows = [draw.row for draw in session.draws[:4]]
    for number, row in enumerate(rows):
        session.record([say(row, 1, seconds=float(number))])
        session.record([say(row, 2 if number == 0 else 1, tester="Bob", at=f"2024-05-01T11:0{number}:00Z")])
    session.record([say(rows[0], 1, tester="Lea", kind="adjudication")], lead=True)
    session.record([say(rows[3], kind="undo", tester="Bob")])
    ann, bob = progress_of_testers(session)
    assert ann == ProgressOfTester("Ann", 4, 1.5, "2024-05-01T10:00:00Z", 2 / 3, 0)
    assert bob == ProgressOfTester("Bob", 3, None, "2024-05-01T11:02:00Z", 2 / 3, 1)
