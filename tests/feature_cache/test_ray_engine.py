"""Ray writes what a local run writes, though a machine is killed; its cluster is heard by this computer alone."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from testimate.core.errors import BadInput
from testimate.feature_cache.engines import ENGINES

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("ray_run.py")

needs_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="Ray is not installed; install it with: pip install ray"
)


def said_by(what: str, folder: Path) -> str:
    done = subprocess.run([sys.executable, str(PROGRAM), what, str(folder)], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-3_000:]
    return done.stdout


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow  # half a minute to start two nodes
@needs_ray
def test_two_nodes_of_which_one_is_killed_write_the_bytes_of_a_local_run(tmp_path):
    assert "processes before 2 and at the end 1" in said_by("killed", tmp_path)
    local = files_in(tmp_path / "local")
    assert {Path(name).name for name in local} >= {"LHL.npy", "CON.npy", "manifest.json"}
    assert files_in(tmp_path / "ray") == local


@needs_ray
@pytest.mark.slow
def test_a_cluster_of_its_own_listens_to_this_computer_alone(tmp_path):
    (line,) = [line for line in said_by("alone", tmp_path).splitlines() if line.startswith("listened on")]
    addresses = set(line.removeprefix("listened on").split())
    assert addresses  # it did listen
    assert addresses <= {"0100007F", "0000000000000000FFFF00000100007F"}  # 127.0.0.1, also as IPv6 writes it


def test_without_ray_the_engine_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    from testimate.feature_cache.ray_engine import _connected

    with pytest.raises(BadInput, match=r'pip install "testimate\[ray\]"'), _connected():
        pass


def test_an_unknown_engine_is_refused_by_name():
    with pytest.raises(BadInput, match="no engine 'spark'; expected one of local, ray"):
        ENGINES["spark"]
