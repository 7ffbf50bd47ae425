"""Ray writes what a local run writes, though a machine is killed; its cluster is heard by this computer alone."""

import importlib.util
import os
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from testimate.core.errors import BadInput
from testimate.engines import ray_cluster
from testimate.engines.host import package_digest
from testimate.feature_cache import FeatureCache, ray_engine
from testimate.feature_cache.filling import ENGINES

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("ray_run.py")

needs_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="Ray is not installed; install it with: pip install ray"
)


def said_by(folder: Path) -> str:
    home = {**os.environ, "HOME": str(folder / "home"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(folder)], capture_output=True, text=True, cwd=ROOT, env=home
    )
    assert (done.returncode, done.stderr) == (0, "")  # Ray's own log is not on the terminal
    return done.stdout


def files_in(folder: Path) -> dict[str, bytes]:
    """All that is the same whoever wrote it."""
    found = [path for path in folder.rglob("*") if path.is_file() and path.name != "writers.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@needs_ray
@pytest.mark.slow
def test_a_cluster_of_its_own_listens_to_this_computer_alone_and_leaves_nothing_at_home(tmp_path):
    (tmp_path / "home").mkdir()
    (line,) = [line for line in said_by(tmp_path).splitlines() if line.startswith("listened on")]
    addresses = set(line.removeprefix("listened on").split())
    assert addresses  # it did listen
    assert addresses <= {"0100007F", "0000000000000000FFFF00000100007F"}  # 127.0.0.1, also as IPv6 writes it
    assert list((tmp_path / "home").iterdir()) == []  # no token, no log


class StandIn:
    """Ray with three machines in this process, of which the one that is given the fifth shard is lost."""

    def __init__(self):
        self.exceptions = SimpleNamespace(RayTaskError=KeyError, RayError=ConnectionError)
        self.cloudpickle = SimpleNamespace(register_pickle_by_value=lambda module: None, Pickler=pickle.Pickler)
        self.hired = 0
        self.given: list[int] = []
        self.others: set[int] = set()

    def is_initialized(self):
        return True

    def put(self, part):
        return lambda: part

    def nodes(self):
        return [{"NodeID": str(one), "Alive": True, "Resources": {"CPU": 1.0}} for one in range(3)]

    def remote(self, made):
        def hire(*given):
            actor, machine = made(*given), self.hired % 3
            self.hired += 1

            def run(shard):
                self.given.append(machine)
                return self.lose if len(self.given) == 5 else lambda: actor.run(shard)

            def installed():
                return {**actor.installed(), **({"Testimate": "another"} if machine in self.others else {})}

            calls = {"installed": lambda: installed, "ready": lambda *said: lambda: actor.ready(*said), "run": run}
            return SimpleNamespace(**{name: SimpleNamespace(remote=call) for name, call in calls.items()})

        return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=hire))

    def lose(self):
        raise ConnectionError("the machine is gone")

    def wait(self, promises, **_):
        at = len(self.given) % len(promises)
        return promises[at : at + 1], [*promises[:at], *promises[at + 1 :]]

    def get(self, promise):
        return promise()

    def kill(self, _):
        pass


def test_a_shard_whose_machine_is_lost_is_run_by_another_and_the_bytes_are_those_of_a_local_run(
    stand_in, tmp_path, stand_in_cluster
):
    ray = stand_in_cluster
    subject = stand_in.subject_of(stand_in.Layers)
    for engine, folder in ((ENGINES["ray"](), "ray"), (None, "local")):
        FeatureCache(tmp_path / folder).outputs(subject, engine=engine, batch_size=20)
    assert ray.given.index(ray.given[4]) < 4  # it had done something before
    assert ray.given[4] not in ray.given[5:]
    assert len(set(ray.given)) == 3
    assert files_in(tmp_path / "ray") == files_in(tmp_path / "local")


@pytest.fixture
def stand_in_cluster(monkeypatch):
    ray = StandIn()
    affinity = SimpleNamespace(NodeAffinitySchedulingStrategy=lambda node, soft: node)
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setitem(sys.modules, "ray.util", SimpleNamespace(scheduling_strategies=affinity))
    monkeypatch.setitem(sys.modules, "ray.util.scheduling_strategies", affinity)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # which a machine of the cluster sets
    return ray


def test_a_machine_with_another_version_of_the_program_is_left_out_by_name(stand_in, tmp_path, stand_in_cluster):
    said: list[str] = []
    stand_in_cluster.others = {1}
    subject = stand_in.subject_of(stand_in.Layers)
    for engine, folder in ((ENGINES["ray"](said.append), "ray"), (None, "local")):
        FeatureCache(tmp_path / folder).outputs(subject, engine=engine, batch_size=20)
    assert set(stand_in_cluster.given) <= {0, 2}
    assert files_in(tmp_path / "ray") == files_in(tmp_path / "local")
    (sentence,) = said
    assert "The machine 1 of the cluster is left out" in sentence
    assert "Testimate: another there" in sentence


def test_a_cluster_of_nothing_but_other_machines_ends_the_run_with_a_sentence(stand_in, tmp_path, stand_in_cluster):
    stand_in_cluster.others = {0, 1, 2}
    subject = stand_in.subject_of(stand_in.Layers)
    with pytest.raises(BadInput, match=r"No machine of the cluster can be used .*Testimate: another there"):
        FeatureCache(tmp_path).outputs(subject, engine=ENGINES["ray"](list[str]().append), batch_size=20)
    assert stand_in_cluster.given == []


@pytest.mark.parametrize(
    ("most_sent", "sees_folder", "lacks"),
    [
        (0, True, "does not see the data. Its inputs are sent to it batch by batch, one at a time"),
        (1_000, False, "does not see the project's folder. What the model says there comes back batch by batch"),
        (0, False, "does not see the data and the project's folder. Its inputs are sent to it batch by batch"),
    ],
)
def test_machines_that_do_not_see_data_or_folder_are_given_batches_and_the_bytes_are_those_of_a_local_run(
    stand_in, tmp_path, stand_in_cluster, monkeypatch, most_sent, sees_folder, lacks
):
    monkeypatch.setattr(ray_engine, "MOST_SENT", most_sent)
    if not sees_folder:
        monkeypatch.setattr(Path, "touch", lambda path: None)  # the mark by which a machine knows the folder
    said: list[str] = []
    subject = stand_in.subject_of(stand_in.Layers)
    for engine, folder in ((ENGINES["ray"](said.append), "ray"), (None, "local")):
        FeatureCache(tmp_path / folder).outputs(subject, engine=engine, batch_size=20)
    assert files_in(tmp_path / "ray") == files_in(tmp_path / "local")
    assert (
        len(stand_in_cluster.given) == 52
    )  # 50 batches; a piece has two, and one machine is lost at the second of one
    assert [f"The machine {one} of the cluster {lacks}" in " ".join(said) for one in range(3)] == [True] * 3
    assert len(said) == 3


def test_a_machine_that_is_lost_within_a_piece_costs_that_piece_and_its_batches_are_sent_again(
    stand_in, tmp_path, stand_in_cluster, monkeypatch
):
    monkeypatch.setattr(ray_engine, "MOST_SENT", 0)
    subject = stand_in.subject_of(stand_in.Layers)
    engine = ENGINES["ray"](list[str]().append)
    FeatureCache(tmp_path / "ray").outputs(subject, roles=("LHL",), engine=engine, batch_size=4)
    FeatureCache(tmp_path / "local").outputs(subject, roles=("LHL",), batch_size=4)
    assert files_in(tmp_path / "ray") == files_in(tmp_path / "local")
    lost = stand_in_cluster.given[4]
    assert lost not in stand_in_cluster.given[5:]
    assert 250 < len(stand_in_cluster.given) <= 255  # four batches make a piece


class ToldByRay(KeyError):
    """How the stand-in hands over what a machine raised."""

    def __init__(self, cause):
        self.cause = cause


def test_a_machine_without_the_model_is_left_out_by_name(stand_in, tmp_path, stand_in_cluster):
    there = {"opened": 0}

    def open_model():
        there["opened"] += 1
        if there["opened"] == 3:  # here, then on the machines in turn
            raise ToldByRay(FileNotFoundError(2, "No such file or directory", "/models/net.onnx"))
        return stand_in.Layers()

    said: list[str] = []
    subject = stand_in.subject_of(open_model)
    FeatureCache(tmp_path / "ray").outputs(subject, roles=("LHL",), engine=ENGINES["ray"](said.append), batch_size=20)
    FeatureCache(tmp_path / "local").outputs(stand_in.subject_of(stand_in.Layers), roles=("LHL",), batch_size=20)
    assert files_in(tmp_path / "ray") == files_in(tmp_path / "local")
    (sentence,) = said
    assert "of the cluster is left out: [Errno 2] No such file or directory: '/models/net.onnx'" in sentence


def test_one_changed_letter_of_the_program_changes_its_digest(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name / "inside").mkdir(parents=True)
        (tmp_path / name / "inside" / "a.py").write_text("x = 1\n")
    assert package_digest(tmp_path / "one") == package_digest(tmp_path / "other")
    (tmp_path / "other" / "inside" / "a.py").write_text("x = 2\n")
    assert package_digest(tmp_path / "one") != package_digest(tmp_path / "other")


def test_without_ray_the_engine_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BadInput, match=r'pip install "testimate\[ray\]"'), ray_cluster.connected():
        pass


def test_an_unknown_engine_is_refused_by_name():
    with pytest.raises(BadInput, match=r"no engine 'spark'. Expected one of local, ray"):
        ENGINES["spark"]
