"""A study that was stopped goes on where it was; what is kept is never mistaken for something else."""

from dataclasses import replace

import pytest

from testimate.core.errors import BadInput, Canceled
from testimate.studies import study as study_module
from testimate.studies.study import study

QUICK = {"techniques": ["srs", "rrs"], "budgets": [40, 80], "repetitions": 6, "seed": 5, "workers": 1}


def campaigns_run(inputs, **settings):
    """The rows, and how many campaigns it took."""
    totals = []
    rows = study(inputs, **settings, progress=lambda done, total, what="": totals.append(total))
    return rows, totals[-1]


def test_a_second_run_reads_what_the_first_one_wrote(inputs, tmp_path):
    file = tmp_path / "study.jsonl"
    rows, run = campaigns_run(inputs, **QUICK, resume_file=file)
    again, run_again = campaigns_run(inputs, **QUICK, resume_file=file)
    assert (run, run_again) == (24, 0)
    assert again == rows == study(inputs, **QUICK)
    assert len(file.read_text().splitlines()) == 4


def test_a_study_that_was_canceled_goes_on_where_it_was(inputs, tmp_path):
    file = tmp_path / "study.jsonl"

    def cancel(done, total, what=""):
        if done >= 14:
            raise Canceled("The study was stopped at the person's wish. Start it again.")

    with pytest.raises(Canceled):
        study(inputs, **QUICK, resume_file=file, progress=cancel)
    kept = len(file.read_text().splitlines())
    assert 0 < kept < 4
    rows, run = campaigns_run(inputs, **QUICK, resume_file=file)
    assert run == 24 - 6 * kept
    assert rows == study(inputs, **QUICK)


def test_a_study_that_was_stopped_inside_a_row_goes_on_inside_it(inputs, tmp_path, monkeypatch):
    monkeypatch.setattr(study_module, "BATCH_SECONDS", 0.0)  # a campaign a batch
    file = tmp_path / "study.jsonl"
    settings = {**QUICK, "techniques": ["srs"], "budgets": [40], "repetitions": 9}

    def cancel(done, total, what=""):
        if done >= 5:
            raise Canceled("The study was stopped at the person's wish. Start it again.")

    with pytest.raises(Canceled):
        study(inputs, **settings, resume_file=file, progress=cancel)
    assert '"row"' not in file.read_text()
    reports = []
    rows = study(inputs, **settings, resume_file=file, progress=lambda done, total, what="": reports.append(done))
    assert reports[1] == 5  # four that were kept, and the first, which is always run
    assert rows == study(inputs, **settings)
    assert [line.count('"row"') for line in file.read_text().splitlines()] == [1]  # in the place of its campaigns


def test_a_line_that_was_cut_off_is_run_again(inputs, tmp_path):
    file = tmp_path / "study.jsonl"
    rows, _ = campaigns_run(inputs, **QUICK, resume_file=file)
    file.write_text(file.read_text()[:-30])
    again, run = campaigns_run(inputs, **QUICK, resume_file=file)
    assert (again, run) == (rows, 6)
    assert campaigns_run(inputs, **QUICK, resume_file=file)[1] == 0


@pytest.mark.parametrize(
    "change", [{"seed": 6}, {"repetitions": 7}, {"level": 0.9}, {"options": {"strata": 5, "replacement": True}}]
)
def test_rows_of_another_study_are_not_taken(inputs, tmp_path, change):
    file = tmp_path / "study.jsonl"
    study(inputs, **QUICK, resume_file=file)
    assert campaigns_run(inputs, **(QUICK | change), resume_file=file)[1] == 4 * (QUICK | change)["repetitions"]


def test_rows_of_other_losses_or_scores_are_not_taken(inputs, tmp_path):
    file = tmp_path / "study.jsonl"
    study(inputs, **QUICK, resume_file=file)
    others = replace(inputs, losses=inputs.losses[::-1].copy())
    assert campaigns_run(others, **QUICK, resume_file=file)[1] == 24
    scores = replace(inputs, scores={"confidence": inputs.scores["noise"]})
    assert campaigns_run(scores, **QUICK, resume_file=file)[1] == 12  # srs looks at no score


def test_a_file_that_no_study_wrote_is_refused_and_left_alone(inputs, tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("my notes\n")
    with pytest.raises(BadInput, match=r"Line 1 of notes.txt is not a row of a study"):
        study(inputs, **QUICK, resume_file=file)
    assert file.read_text() == "my notes\n"


def test_an_option_reaches_the_techniques_that_have_it(inputs):
    few = study(inputs, **QUICK, options={"strata": 2})
    rows = study(inputs, **QUICK)
    assert few[:2] == rows[:2]
    assert all(one.rmse != other.rmse for one, other in zip(few[2:], rows[2:], strict=True))
    with pytest.raises(BadInput, match="has an option 'color'"):
        study(inputs, **QUICK, options={"color": 1})


def test_an_engine_that_is_none_is_refused_by_name(inputs):
    with pytest.raises(BadInput, match=r"no engine 'spark'. Expected one of local, ray"):
        study(inputs, **QUICK, engine="spark")
