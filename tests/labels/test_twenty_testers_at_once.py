"""Twenty testers of one team label at the same time on a real database: none is refused, lost or doubled."""

import threading

from benchmarks.labeling_page.session import new_session, true_answer
from testimate.core.session_record import Event
from testimate.reports.people import team_progress

TESTERS, LABELS = 20, 8


def test_twenty_testers_at_once_lose_no_label_and_meet_no_others_turn(open_store):
    session = new_session(open_store(), "srs", 400, votes_per_input=1)
    acknowledged: list[tuple[str, str, int]] = []
    failures: list[object] = []

    def label(tester: str) -> None:
        try:
            for count in range(LABELS):
                [draw, *_] = session.upcoming(8, tester)
                event = Event(
                    f"{tester}-{count:06}", "answer", draw.row, tester, "2026-01-01T00:00:00Z", true_answer(draw.row)
                )
                recorded = session.record([event])
                if recorded.acknowledged != (event.id,):
                    failures.append(recorded)
                acknowledged.append((event.id, tester, event.row))
                team_progress(session)
        except Exception as failure:
            failures.append(failure)

    threads = [threading.Thread(target=label, args=(f"t{number}",)) for number in range(TESTERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    again = new_session(open_store(), "srs", 400)  # another process reads what is on disk
    stored = [(event.id, event.tester, event.row) for event in again.history()]
    assert sorted(stored) == sorted(acknowledged)
    assert len({row for _, _, row in stored}) == len(stored) == TESTERS * LABELS
    assert team_progress(again).answered == TESTERS * LABELS
