"""Background jobs: begun once, watched, stopped, and their ends reported."""

import threading

import pytest

from testimate.core.errors import BadInput, Canceled
from testimate.project.jobs import Jobs


def test_a_job_runs_in_another_thread_and_hands_over_its_result():
    jobs = Jobs()
    jobs.start("square", lambda _: (threading.current_thread().name, 49))
    assert jobs.wait("square", 5).state == "done"
    name, square = jobs.result("square")
    assert square == 49
    assert name != threading.current_thread().name
    assert jobs.status("square").seconds_left == 0


def test_a_job_is_begun_once_however_often_a_page_asks_for_it():
    jobs, runs, go = Jobs(), [], threading.Event()

    def work(progress):
        runs.append(1)
        go.wait(5)
        return len(runs)

    for _ in range(3):
        assert jobs.start("features", work).state == "running"
    with pytest.raises(BadInput, match="still running"):
        jobs.result("features")
    with pytest.raises(BadInput, match="still running"):
        jobs.forget("features")
    go.set()
    jobs.wait("features", 5)
    assert jobs.start("features", work).state == "done"
    assert jobs.result("features") == 1
    jobs.forget("features")
    assert jobs.status("features") is None
    jobs.start("features", work)
    jobs.wait("features", 5)
    assert jobs.result("features") == 2


def test_progress_is_what_the_work_reported_last_and_the_time_left_follows_from_what_this_run_did():
    jobs, reported, go = Jobs(), threading.Barrier(2), threading.Event()

    def work(progress):
        progress(30, 120, "running the model")  # an earlier run did these, in another time
        reported.wait(5)
        reported.wait(5)
        progress(60, 120, "running the model")
        reported.wait(5)
        go.wait(5)

    jobs.start("features", work)
    reported.wait(5)
    assert jobs.status("features").seconds_left is None
    reported.wait(5)
    reported.wait(5)
    status = jobs.status("features")
    assert (status.state, status.done, status.total, status.what) == ("running", 60, 120, "running the model")
    assert 0 < status.seconds_left <= 2 * status.seconds + 1e-6  # 30 of 90 are done: twice as long again
    go.set()
    jobs.wait("features", 5)


def test_a_canceled_job_stops_at_its_next_report_and_can_be_begun_again():
    jobs, started, go = Jobs(), threading.Event(), threading.Event()
    steps = []

    def work(progress):
        for step in range(100):
            progress(step, 100, "clustering")
            steps.append(step)
            started.set()
            go.wait(5)
        return "all"

    jobs.start("clusters", work)
    assert started.wait(5)
    jobs.cancel("clusters")
    go.set()
    assert jobs.wait("clusters", 5).state == "canceled"
    assert steps == [0]
    with pytest.raises(Canceled, match="clustering was stopped"):
        jobs.result("clusters")
    jobs.start("clusters", work)
    jobs.wait("clusters", 5)
    assert jobs.result("clusters") == "all"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (BadInput("The features hold nan."), "The features hold nan."),
        (ZeroDivisionError("division by zero"), "features failed (ZeroDivisionError: division by zero)"),
    ],
)
def test_a_job_that_fails_says_why_and_raises_its_own_error_where_the_result_is_asked_for(error, sentence):
    jobs = Jobs()

    def work(progress):
        raise error

    jobs.start("features", work)
    status = jobs.wait("features", 5)
    assert status.state == "failed"
    assert status.error.startswith(sentence)
    with pytest.raises(type(error)):
        jobs.result("features")
    jobs.start("features", lambda _: "mended")
    assert jobs.wait("features", 5).error == ""
    assert jobs.result("features") == "mended"


def test_a_job_nobody_started_is_named():
    jobs = Jobs()
    assert jobs.status("nothing") is None
    for call in (jobs.result, jobs.cancel, jobs.wait, jobs.forget):
        with pytest.raises(BadInput, match="no job 'nothing'"):
            call("nothing")
