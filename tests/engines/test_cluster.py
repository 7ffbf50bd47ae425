"""A real Ray cluster of processes in different folders: what it writes is what is written here, whatever befalls a machine."""

import importlib.util
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from testimate.core.errors import BadInput
from testimate.engines.ray_cluster import connected
from tests.engines.nodes import ROOT, Nodes, changed_copy

PROGRAM = Path(__file__).with_name("cluster_run.py")

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="Ray is not installed; install it with: pip install ray"
)

LIMITED = """
import sys
if "default_worker.py" in " ".join(sys.orig_argv):
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
"""
"""What a machine imports first whose processes may not write large files: to them the disk is full."""

HIDING = """
import os
import sys
if "default_worker.py" in " ".join(sys.orig_argv):
    hidden, stat = os.environ["HIDDEN"].split(os.pathsep), os.stat

    def check(path):
        if isinstance(path, (str, os.PathLike)) and os.fspath(path).startswith(tuple(hidden)):
            raise FileNotFoundError(2, "No such file or directory", os.fspath(path))

    def seen(path, *more, **others):
        check(path)
        return stat(path, *more, **others)

    os.stat = seen
    sys.addaudithook(lambda event, about: check(about[0]) if event == "open" else None)
"""
"""What a machine imports first that has no disk in common with the others: HIDDEN are folders that are not there."""

OTHER_VERSION = """
import ray
ray.__version__ = "2.59.0"
"""


class Run:
    """A program at work on the cluster; ``lines`` : what it has said."""

    def __init__(self, nodes: Nodes, what: str, folder: Path, **more: str) -> None:
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, str(PROGRAM), what, str(folder)],
            cwd=folder,
            env={**nodes.environment(), "RAY_ADDRESS": nodes.address, **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def until(self, share: float) -> None:
        """Waits until so much is done."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.strip())
            if line.startswith("done"):
                _, done, _, total = line.split()
                if int(done) >= share * int(total):
                    return
        raise AssertionError(f"it ended before: {self.lines[-3:]} {self.error()}")

    def end(self) -> list[str]:
        """All it said, once it has ended; it may have written nothing else on the terminal."""
        assert self.rest() == ""
        assert self.process.wait() == 0
        return self.lines

    def rest(self) -> str:
        """Reads on to its end, and returns what it wrote on the terminal besides."""
        assert self.process.stdout is not None
        with self.process.stdout as said:
            self.lines += [line.strip() for line in said]
        return self.error()

    def error(self) -> str:
        assert self.process.stderr is not None
        with self.process.stderr as said:
            return said.read()


@pytest.fixture
def nodes(tmp_path) -> Iterator[Nodes]:
    started = Nodes(tmp_path / "machines")
    yield started
    started.close()


def files_in(folder: Path) -> dict[str, bytes]:
    """All that is the same whoever wrote it."""
    found = [path for path in folder.rglob("*") if path.is_file() and path.name != "writers.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def writers_in(folder: Path) -> set[str]:
    (file,) = folder.rglob("writers.json")
    return {writer["name"] for writer in json.loads(file.read_bytes())["known"]}


def sentences_in(lines: list[str]) -> list[str]:
    return [line.removeprefix("told ") for line in lines if line.startswith("told")]


@pytest.mark.slow  # a minute: four machines are started
def test_machines_write_what_is_written_here_though_one_is_changed_one_killed_and_one_late(nodes, tmp_path):
    nodes.start("head", cpus=0)  # leads, and does no work
    nodes.start("second")
    nodes.start("changed", package=changed_copy(tmp_path / "copy"))
    run = Run(nodes, "features", tmp_path)
    run.until(0.3)
    nodes.kill("second")
    nodes.start("late")
    lines = run.end()
    subprocess.run([sys.executable, str(PROGRAM), "here", str(tmp_path)], check=True, env=nodes.environment())
    assert {Path(name).name for name in files_in(tmp_path / "local")} >= {"LHL.npy", "CON.npy", "manifest.json"}
    assert files_in(tmp_path / "ray") == files_in(tmp_path / "local")
    assert writers_in(tmp_path / "ray") == {"second", "late"}
    (sentence,) = sentences_in(lines)
    assert "The machine changed of the cluster is left out: It would not write the same values (Testimate: " in sentence
    said = Run(nodes, "numbers", tmp_path).end()
    assert [line for line in said if line.endswith(("True", "False"))] == [
        "dsa True",
        "lsa True",
        "kernel True",
        "study True",
    ]


@pytest.mark.slow
def test_a_machine_that_falls_silent_or_cannot_write_is_left_out_by_name(nodes, tmp_path):
    nodes.start("first")
    nodes.start("silent")
    (tmp_path / "limited").mkdir()
    (tmp_path / "limited" / "sitecustomize.py").write_text(LIMITED)
    nodes.start("full", more={"PYTHONPATH": f"{tmp_path / 'limited'}{os.pathsep}{ROOT}"})
    run = Run(nodes, "features", tmp_path)
    run.until(0.5)
    nodes.halt("silent")
    silent, full = sorted(sentences_in(run.end()), key=lambda sentence: "full" in sentence)
    assert silent.startswith("The machine silent of the cluster is left out: It has not answered for")
    assert full.startswith("The machine full of the cluster is left out: The feature cache in ")
    assert "File too large" in full
    subprocess.run([sys.executable, str(PROGRAM), "here", str(tmp_path)], check=True, env=nodes.environment())
    assert files_in(tmp_path / "ray") == files_in(tmp_path / "local")


@pytest.mark.slow
def test_machines_that_see_neither_data_nor_project_are_sent_batches_and_the_bytes_are_the_local_ones(nodes, tmp_path):
    (tmp_path / "hiding").mkdir()
    (tmp_path / "hiding" / "sitecustomize.py").write_text(HIDING)
    path = f"{tmp_path / 'hiding'}{os.pathsep}{ROOT}"
    nodes.start("seeing")
    for name, folders in (("blind", ("data", "project")), ("apart", ("project",))):
        hidden = os.pathsep.join(str(tmp_path / folder) for folder in folders)
        nodes.start(name, more={"PYTHONPATH": path, "HIDDEN": hidden})
    lines = Run(nodes, "hidden", tmp_path).end()
    assert files_in(tmp_path / "project" / "ray") == files_in(tmp_path / "local")
    assert writers_in(tmp_path / "project" / "ray") == {"seeing", "blind", "apart"}
    apart, blind = sorted(sentences_in(lines))
    assert apart.startswith(
        "The machine apart of the cluster does not see the project's folder. What the model says there"
    )
    assert blind.startswith(
        "The machine blind of the cluster does not see the data and the project's folder. Its inputs are"
    )


@pytest.mark.slow
def test_when_the_head_is_killed_the_run_says_how_to_go_on_and_the_next_one_goes_on(nodes, tmp_path):
    nodes.start("first")
    run = Run(nodes, "features", tmp_path)
    run.until(0.4)
    nodes.kill("first")
    assert run.rest().endswith(
        "the same command goes on from what is finished.\n"
    )  # Ray ends the process without a word
    assert run.process.wait() != 0
    nodes.address = ""
    nodes.start("again")
    lines = Run(nodes, "features", tmp_path).end()
    first = next(line for line in lines if line.startswith("done"))
    assert int(first.split()[1]) > 0  # what was finished is not run again
    subprocess.run([sys.executable, str(PROGRAM), "here", str(tmp_path)], check=True, env=nodes.environment())
    assert files_in(tmp_path / "ray") == files_in(tmp_path / "local")


@pytest.mark.slow
def test_a_cluster_of_another_ray_or_with_another_token_is_refused_in_a_sentence(nodes, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "sitecustomize.py").write_text(OTHER_VERSION)
    nodes.start("first", more={"PYTHONPATH": f"{tmp_path / 'other'}{os.pathsep}{ROOT}"})
    lines = Run(nodes, "features", tmp_path).end()
    assert lines[-2].startswith("refused The cluster runs Ray: 2.59.0")
    lines = Run(nodes, "features", tmp_path, RAY_AUTH_TOKEN="f" * 64).end()
    assert lines[-2].startswith("refused The Ray cluster asks for another token than this computer has")


def test_an_address_at_which_nothing_answers_is_refused_at_once_and_by_name(monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    monkeypatch.setenv("RAY_ADDRESS", address)
    with pytest.raises(BadInput, match=f"RAY_ADDRESS is '{address}' and nothing answers there"), connected():
        pass
