"""Evaluations composed at random are read as their maker meant them, or asked about, or a doubt names what may be otherwise."""

from pathlib import Path

from testimate import open_subject
from testimate.core.errors import BadInput, ReadingUnclear
from tests.tables.composed_evaluations import Piece, composed, written

SEEDS = range(60)


def misread(pieces: list[Piece], path: Path) -> list[str] | None:
    """The pieces that have a role which their maker did not mean, and of which no doubt says so; None where it is not read."""
    try:
        subject = open_subject(path)
    except (ReadingUnclear, BadInput):
        return None
    reading = subject.reading
    roles = {name: one.role for name, one in reading.roles.items()}
    doubts = " ".join(reading.doubtful)
    wrong = [] if reading.size == len(pieces[0].cells) else ["rows"]
    for piece in pieces:
        role = roles.get(piece.name.strip(), "")
        if role not in piece.may_be and repr(piece.name.strip()) not in doubts:
            wrong.append(f"{piece.kind} {piece.name!r} is {role or 'nothing'}")
    return wrong


def test_evaluations_of_pieces_under_any_name_are_read_as_they_were_meant_or_asked_about(tmp_path: Path) -> None:
    found, unread = {}, 0
    for seed in SEEDS:
        pieces = composed(seed)
        wrong = misread(pieces, written(pieces, seed, tmp_path))
        unread += wrong is None
        if wrong:
            found[seed] = wrong, [piece.name for piece in pieces]
    assert not found
    assert unread <= len(SEEDS) / 4
