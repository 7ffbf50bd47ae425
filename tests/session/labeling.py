"""A tester labeling in a test: the rows on offer, and all of them labeled."""


def rows(session, count=5) -> list[int]:
    return [draw.row for draw in session.upcoming(count)]


def label_all(session, say, answers) -> None:
    while upcoming := session.upcoming(8):
        session.record([say(draw.row, int(answers[draw.row])) for draw in upcoming])
