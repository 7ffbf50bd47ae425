"""Blocks of work on machines, with a stand-in for Ray: every answer comes once, in whatever order, as it is here."""

import sys
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

from testimate.auxiliary.surprise import dsa, lsa
from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.progress import silent
from testimate.engines import crew as crew_module
from testimate.engines import ray_cluster
from testimate.engines.crew import Crew, OnCluster
from testimate.engines.ray_cluster import Proof, Ready
from testimate.structure.rbf_kernel import mean_kernel


class InThisProcess:
    """Ray with machines in this process; ``calls`` are what they do instead of their work, by the number of the call."""

    def __init__(self, machines=2):
        self.exceptions = SimpleNamespace(RayTaskError=Raised, RayError=ConnectionError)
        self.cloudpickle = SimpleNamespace(register_pickle_by_value=lambda module: None)
        self.machines, self.calls, self.done = machines, {}, 0
        self.hired, self.killed = 0, 0

    def is_initialized(self):
        return True

    def nodes(self):
        return [
            {"NodeID": str(n), "NodeName": f"m{n}", "Alive": True, "Resources": {"CPU": 1.0}}
            for n in range(self.machines)
        ]

    def put(self, part):
        return lambda: part

    def remote(self, made):
        def hire(*given):
            actor = made(*given)
            self.hired += 1

            def run(piece):
                self.done += 1
                return self.calls.pop(self.done, lambda: actor.run(piece))

            calls = {
                "installed": lambda: actor.installed,
                "ready": lambda sent: lambda: actor.ready(sent),
                "run": run,
                "rest": actor.rest,
            }
            return SimpleNamespace(**{name: SimpleNamespace(remote=call) for name, call in calls.items()})

        return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=hire))

    def wait(self, promises, **_):
        return promises[-1:], promises[:-1]

    def get(self, promise):
        return promise()

    def kill(self, _):
        self.killed += 1


class Raised(Exception):
    """How Ray hands over what was raised on a machine."""

    def __init__(self, cause):
        super().__init__(str(cause))
        self.cause = cause


def raising(error):
    def call():
        raise error

    return call


@pytest.fixture
def ray(monkeypatch):
    found = InThisProcess()
    affinity = SimpleNamespace(NodeAffinitySchedulingStrategy=lambda node, soft: node)
    monkeypatch.setitem(sys.modules, "ray", found)
    monkeypatch.setitem(sys.modules, "ray.util", SimpleNamespace(scheduling_strategies=affinity))
    monkeypatch.setitem(sys.modules, "ray.util.scheduling_strategies", affinity)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    return found


class Doubling:
    """A worker whose answers are known."""

    def ready(self):
        return Ready(Proof({"values": "the same"}), "on paper")

    def run(self, piece):
        return 2 * piece


def answers(ray, said, **kept):
    crew = Crew(ray, Doubling(), Proof({"values": "the same"}), said.append, **kept)
    return {one.place: one.answer for one in crew.run([5, 6, 7, 8], lambda what: None)}, crew


def test_scores_and_kernels_come_to_the_same_bits_wherever_their_blocks_are_done(ray):
    rng = np.random.default_rng(2)
    known, learned = rng.normal(size=(900, 5)).astype(np.float32), rng.normal(size=(700, 5)).astype(np.float32)
    classes, their = (known[:, 0] > 0).astype(int), (learned[:, 0] > 0).astype(int)
    there = OnCluster()
    for score in (dsa, lsa):
        here = score(known, classes, learned, their)
        np.testing.assert_array_equal(score(known, classes, learned, their, on_blocks=there), here)
    np.testing.assert_array_equal(mean_kernel(known, gamma=0.2, on_blocks=there), mean_kernel(known, gamma=0.2))
    assert list(there(abs, [], silent, "nothing")) == []


def test_a_machine_that_cannot_write_is_left_out_and_its_piece_is_done_by_another(ray):
    ray.calls = {2: raising(Raised(StoreUnavailable("The disk is full.")))}
    said: list[str] = []
    found, crew = answers(ray, said)
    assert found == {0: 10, 1: 12, 2: 14, 3: 16}
    assert len(said) == 1
    assert said[0].endswith("of the cluster is left out: The disk is full.")
    assert list(crew.where.values()) == ["on paper"]


def test_what_the_work_says_about_a_piece_ends_the_run(ray):
    ray.calls = {2: raising(Raised(BadInput("Row 7 is nan.")))}
    with pytest.raises(BadInput, match=r"Row 7 is nan\."):
        answers(ray, [])


def test_a_machine_that_is_lost_again_and_again_is_given_up(ray, monkeypatch):
    monkeypatch.setattr(crew_module, "HIRE_SECONDS", 0.0)
    ray.machines = 1
    ray.calls = dict.fromkeys((1, 2, 3), raising(ConnectionError("it is gone")))
    monkeypatch.setattr(crew_module, "ALONE_SECONDS", 0.0)
    with pytest.raises(BadInput, match=r"m0: It was lost 3 times in a row \(it is gone\)"):
        answers(ray, [])


def test_a_run_that_has_begun_and_has_nobody_left_says_how_to_go_on(ray, monkeypatch):
    monkeypatch.setattr(crew_module, "HIRE_SECONDS", 0.0)
    monkeypatch.setattr(crew_module, "ALONE_SECONDS", -1.0)
    ray.machines = 1

    def last():
        ray.machines = 0
        raise ConnectionError("it is gone")

    ray.calls = {2: last}
    with pytest.raises(StoreUnavailable, match=r"no machine to work .* goes on from what is finished"):
        answers(ray, [])


def test_machines_that_have_worked_are_taken_again_by_the_next_run_over_the_same_connection(ray):
    job = ["first"]
    ray.get_runtime_context = lambda: SimpleNamespace(get_job_id=lambda: job[0], gcs_address="")
    for _ in range(2):
        assert answers(ray, [])[0] == {0: 10, 1: 12, 2: 14, 3: 16}
    assert (ray.hired, ray.killed) == (2, 0)
    job[0] = "second"  # the connection ended, and with it whoever was kept
    assert answers(ray, [])[0] == {0: 10, 1: 12, 2: 14, 3: 16}
    assert (ray.hired, ray.killed) == (4, 0)


def test_where_another_run_is_at_work_nobody_keeps_the_cores_it_may_wait_for(ray):
    ray.get_runtime_context = lambda: SimpleNamespace(get_job_id=lambda: "job", gcs_address="")
    crew = Crew(ray, Doubling(), Proof({"values": "the same"}), list[str]().append)
    at_work = crew.run([1, 2], lambda what: None)
    next(at_work)
    answers(ray, [])
    assert ray.killed == 2
    assert sorted(one.answer for one in at_work) in ([2], [4])


def test_a_connection_that_is_kept_is_made_once_and_only_when_a_run_asks_for_it(monkeypatch):
    made = []

    @contextmanager
    def connected():
        made.append("opened")
        yield "ray"
        made.append("closed")

    monkeypatch.setattr(ray_cluster, "connected", connected)
    connection = ray_cluster.Connection()
    with connection.kept():
        assert made == []
        for _ in range(2):
            with connection.opened() as found, connection.kept():
                assert (found, made) == ("ray", ["opened"])
    assert made == ["opened", "closed"]
    with connection.opened():
        pass
    assert made == ["opened", "closed"] * 2
