"""A study as the app asks for it: the rows that are done, and the same numbers as the study itself."""

import pytest

from testimate.core.errors import Canceled
from testimate.studies.study import StudyChoice, sensible_choice, study

CHOICE = StudyChoice(("srs", "rrs"), (40, 80), repetitions=6, seed=5)


def test_its_rows_are_those_of_the_study_and_are_found_again(inputs, tmp_path):
    file = tmp_path / "study.jsonl"
    assert CHOICE.done(inputs, file) == [None] * 4
    rows = CHOICE.run(inputs, resume_file=file, workers=1)
    assert rows == study(inputs, techniques=["srs", "rrs"], budgets=[40, 80], repetitions=6, seed=5, workers=1)
    assert CHOICE.done(inputs, file) == rows


def test_of_a_study_that_was_stopped_the_finished_rows_are_there_in_their_places(inputs, tmp_path):
    file = tmp_path / "study.jsonl"

    def cancel(done, total, what=""):
        if done >= 14:
            raise Canceled("The study was stopped at the person's wish. Start it again.")

    with pytest.raises(Canceled):
        CHOICE.run(inputs, resume_file=file, workers=1, progress=cancel)
    done = CHOICE.done(inputs, file)
    assert None in done
    whole = CHOICE.run(inputs, resume_file=file, workers=1)
    assert [row for row in done if row is not None] == [row for row, was in zip(whole, done, strict=True) if was]


def test_looking_at_a_row_that_is_just_being_written_leaves_it_alone(inputs, tmp_path):
    file = tmp_path / "study.jsonl"
    rows = CHOICE.run(inputs, resume_file=file, workers=1)
    cut = file.read_text()[:-30]
    file.write_text(cut)
    assert sum(row is not None for row in CHOICE.done(inputs, file)) == 3
    assert file.read_text() == cut
    assert CHOICE.run(inputs, resume_file=file, workers=1) == rows
    assert CHOICE.done(inputs, file) == rows


def test_the_first_choice_runs_on_the_inputs_at_hand(inputs):
    choice = sensible_choice(inputs)
    assert "srs" in choice.techniques
    assert max(choice.budgets) <= len(inputs) // 3
    assert choice.auxiliaries == ("confidence",)
