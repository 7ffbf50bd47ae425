"""What a tester sees next, and what the technique learns from it."""

from testimate.core.draw import Verdict
from testimate.selectors.random_sampling import SimpleRandomSampling
from testimate.session.session import Session
from tests.session.labeling import rows


def test_inputs_come_in_the_order_of_the_draws_and_go_once_they_are_answered(open_session, say):
    session = open_session()
    first = rows(session, 6)
    assert [draw.row for draw in session.draws[:6]] == first
    session.record([say(first[0], 1), say(first[2], 1)])
    assert rows(session, 4) == [first[1], *first[3:6]]
    assert session.upcoming(0) == ()
    assert len(session.upcoming(1000)) == 38


def test_an_answer_taken_back_comes_first_again_and_counts_no_more(open_session, say):
    session = open_session()
    first = rows(session, 4)
    session.record([say(row, 1) for row in first[:3]])
    session.record([say(first[1], kind="undo"), say(first[0], kind="undo")])
    assert rows(session, 3) == [first[0], first[1], first[3]]  # the latest taken back first
    assert list(session.answers()) == [first[2]]
    session.record([say(first[0], 2)])
    assert rows(session, 1) == [first[1]]
    assert session.answers() == {first[2]: 1, first[0]: 2}


def test_undo_goes_back_step_by_step_and_takes_only_ones_own_votes_back(open_session, say):
    session = open_session()
    row = rows(session)[0]
    session.record([say(row, 1), say(row, 2), say(row, 3, tester="Bob")])
    standing = []
    for tester in ("Ann", "Bob", "Bob", "Ann", "Ann"):
        session.record([say(row, kind="undo", tester=tester)])
        standing.append(session.answers().get(row))
    assert standing == [3, 1, 1, None, None]
    assert rows(session)[0] == row


def test_a_skipped_input_comes_back_after_all_others_and_is_not_settled(open_session, say, inputs):
    session = open_session(budget=4)
    first = rows(session, 4)
    session.record([say(first[0], kind="skip"), say(first[1], 1), say(first[2], kind="skip")])
    assert rows(session, 4) == [first[3], first[0], first[2]]
    session.record([say(first[0], kind="skip")])
    assert rows(session, 4) == [first[3], first[2], first[0]]
    assert [verdict.loss is None for verdict in session.verdicts()] == [True, False, True]
    assert (session.labeled, session.skipped, session.remaining, session.finished) == (1, 2, 3, False)


def test_undoing_a_skip_brings_the_input_back_at_once(open_session, say):
    session = open_session()
    first = rows(session, 3)
    session.record([say(first[0], kind="skip"), say(first[1], 1), say(first[0], kind="undo")])
    assert rows(session, 2) == [first[0], first[2]]


def test_a_skip_on_an_answered_input_takes_no_answer_away(open_session, say):
    session = open_session()
    row = rows(session)[0]
    session.record([say(row, 2), say(row, kind="skip", tester="Bob")])
    assert session.answers() == {row: 2}
    assert row not in rows(session, 1000)


def test_what_a_row_looks_like_and_why_it_was_drawn(open_session):
    session = open_session()
    draw = session.upcoming(1)[0]
    assert session.show(draw.row).text == f"input {draw.row}"
    assert session.draw_of(draw.row) == draw
    assert draw.reason == session.draws[0].reason != ""
    assert [session.position_of(draw.row) for draw in session.draws] == list(range(40))


class PairByPair(SimpleRandomSampling):
    """Gives two draws, waits for both, and notes what it learns."""

    def __init__(self, *args, **settings) -> None:
        super().__init__(*args, **settings)
        self.given, self.told = [], []

    def ask(self, count):
        if len(self.told) < len(self.given):
            return ()
        draws = super().ask(min(count, 2))
        self.given.extend(draws)
        return draws

    def tell(self, verdicts):
        self.told.extend(verdicts)


def test_each_draw_is_told_once_with_its_first_loss_repeats_as_soon_as_they_are_drawn(open_session, say, store, inputs):
    record = open_session().session_record
    selector = PairByPair(12, budget=12, seed=1, replacement=True)
    session = Session(record, inputs, selector, store, lambda _: None)
    right = inputs.predictions
    while upcoming := session.upcoming(2):
        assert len(upcoming) <= 2
        assert session.planned == 12
        for draw in upcoming:
            wrong = (int(right[draw.row]) + 1) % 4
            session.record([say(draw.row, wrong), say(draw.row, int(right[draw.row])), say(draw.row, kind="undo")])
    assert len({draw.row for draw in selector.given}) < 12 == len(selector.given)
    assert sorted(selector.told, key=lambda verdict: verdict.draw.row) == sorted(
        (Verdict(draw, 1.0) for draw in selector.given), key=lambda verdict: verdict.draw.row
    )
