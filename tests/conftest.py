"""What all tests share: the command line, the real data, a small table, a small network, an empty database of each kind."""

import functools
import gc
import os
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from filelock import FileLock
from hypothesis import settings

from tests.postgresql_server import PostgresqlServer, binaries

if TYPE_CHECKING:
    from argon2 import PasswordHasher
    from sqlalchemy import Connection

    from tests.command_line import CommandLine
    from tests.own_files import OwnFiles

ROOT = Path(__file__).parents[1]

settings.register_profile("no deadline", deadline=None)  # how long an example takes, the machine says, not the code
settings.load_profile("no deadline")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported to find the tests stays to the end: searching it for garbage took a twentieth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(20_000, 20, 20)


DRAWN: list[tuple[Any, Any]] = []
"""The generators of random numbers of the modules of tests, and their states before the first test."""


def pytest_collection_finish() -> None:
    """Keeps the state of each module's generator."""
    modules = [module for name, module in sys.modules.items() if name.partition(".")[0] == "tests"]
    found = {id(one): one for module in modules if (one := vars(module).get("RNG")) is not None}
    DRAWN.extend((one, one.bit_generator.state) for one in found.values())


@pytest.fixture(autouse=True)
def numbers_of_its_own() -> None:
    """A test draws what it draws alone, whichever ran before it."""
    for generator, state in DRAWN:
        generator.bit_generator.state = state


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data; TESTIMATE_DATA may name another place."""
    folder = Path(os.environ.get("TESTIMATE_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"The real data is not at {folder}; set TESTIMATE_DATA to the folder that holds it.")
    return folder


@pytest.fixture(scope="session", autouse=True)
def settings_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is allowed to a project is kept for the tests alone, also by the processes they start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("settings")))
        yield


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], None]], Path]:
    """A call that fills the folder of that name, ``made_once(name, fill)``, once also where several processes run the tests."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def made(name: str, fill: Callable[[Path], None]) -> Path:
        folder, whole = shared / name, shared / f"{name}.whole"
        with FileLock(shared / f"{name}.lock"):
            if not whole.exists():
                folder.mkdir()
                fill(folder)
                whole.touch()
        return folder

    return made


@pytest.fixture(scope="session")
def demo_ready(made_once: Callable[[str, Callable[[Path], None]], Path]) -> Callable[[str, Path], Path]:
    """A call that puts a demo into a project's folder, ``demo_ready("road", folder)``; its network runs once in all tests."""

    def put(name: str, folder: Path) -> Path:
        def run(made: Path) -> None:
            from testimate.project.project import Project

            project = Project(made)
            project.inputs(name)
            project.store.close()

        ready = made_once(f"demo-{name}", run)
        return Path(shutil.copytree(ready, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("labels.sqlite*")))

    return put


@pytest.fixture(scope="session", autouse=True)
def quick_stand_in_for_a_browser() -> Iterator[None]:
    """Streamlit's AppTest reads the packages' metadata and compiles a page once, asks no stand-in for cookies, and prints
    errors without colors; it waits for a script to end, and collects no garbage then, as .streamlit/config.toml says.

    Looking for the end a thousand times a second took a twentieth of the script's time. Of several
    processes some did collect after each run whatever the settings said, which took them 0.1 s, and up to four.
    """
    from streamlit import config
    from streamlit.components.v2 import manifest_scanner
    from streamlit.runtime import context
    from streamlit.runtime.scriptrunner import script_runner
    from streamlit.runtime.scriptrunner.script_cache import ScriptCache
    from streamlit.testing.v1 import local_script_runner

    look, compiled = local_script_runner.require_widgets_deltas, ScriptCache()

    def wait(runner: local_script_runner.LocalScriptRunner, timeout: float = 3) -> None:
        assert runner._script_thread is not None
        runner._script_thread.join(timeout)
        if not runner.script_stopped():
            look(runner, 0)  # says that it took too long

    with pytest.MonkeyPatch.context() as patch:
        scan = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        patch.setattr(local_script_runner, "require_widgets_deltas", wait)
        patch.setattr(local_script_runner, "ScriptCache", lambda: compiled)
        patch.setattr(context, "_get_client_context", lambda: None)
        config.set_option("logger.enableRich", False)
        patch.setattr(script_runner, "gc", SimpleNamespace(collect=lambda generation: 0))
        yield


@pytest.fixture(scope="session", autouse=True)
def careful_hasher() -> "Iterator[PasswordHasher]":
    """Passwords are hashed in a thousandth of the time that keeps guessers away; this is the hasher that takes it."""
    from argon2 import PasswordHasher

    from testimate.labels import testers

    with pytest.MonkeyPatch.context() as patch:
        careful = testers._HASHER
        patch.setattr(testers, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        testers._nobodys_hash.cache_clear()
        yield careful


@pytest.fixture(scope="session", autouse=True)
def durable() -> Iterator[str]:
    """No commit and no file waits for the disk: no test cuts the power. The value is what SQLite gets otherwise."""
    from testimate.labels import database

    with pytest.MonkeyPatch.context() as patch:
        otherwise = database.SYNCHRONOUS
        patch.setattr(database, "SYNCHRONOUS", "OFF")
        patch.setattr(os, "fsync", lambda _: None)
        yield otherwise


MADE: list[str] = []
"""What the tables of an empty SQLite database are made by, once one was made."""


@pytest.fixture(autouse=True)
def the_tables_of_one_empty_database_are_those_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Alembic takes its steps once in a process; the other empty SQLite databases get the tables it made.

    The steps themselves are for ``tests/labels``, whose every database is made by them.
    """
    from testimate.labels import sql_store
    from testimate.labels.database import bring_up_to_date, version_of

    def made(connection: "Connection", name: str) -> None:
        if connection.dialect.name != "sqlite" or version_of(connection, name) is not None:
            bring_up_to_date(connection, name)
            return
        for statement in MADE:
            connection.exec_driver_sql(statement)
        if not MADE:
            bring_up_to_date(connection, name)
            tables = connection.exec_driver_sql(
                "SELECT sql FROM sqlite_master WHERE sql > '' AND name NOT LIKE 'sqlite_%'"
            )
            MADE.extend(tables.scalars())
            MADE.append(f"INSERT INTO alembic_version VALUES ('{version_of(connection, name)}')")

    monkeypatch.setattr(sql_store, "bring_up_to_date", made)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A prediction table of 60 inputs: classes 0..2, every fifth input wrong, confidence falling with the row."""
    path = tmp_path / "table.csv"
    lines = ["label,prediction,confidence,dsa"]
    for row in range(60):
        wrong = row % 5 == 4
        lines.append(f"{row % 3},{(row + wrong) % 3},{0.99 - row / 100:.2f},{row * 0.1:.1f}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> "CommandLine":
    """The command line: ``command("techniques", "--json", "-")`` gives what it said."""
    from tests.command_line import CommandLine

    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def own(tmp_path: Path) -> "OwnFiles":
    """A tester's own network and data, as files."""
    from tests.own_files import write_own_files

    return write_own_files(tmp_path)


@pytest.fixture(scope="session")
def network() -> Callable[..., Path]:
    """What writes a network's file: path, first and last weights, closing operation."""
    from tests.own_files import write_network

    return write_network


@pytest.fixture(name="models_in_this_process")
def _models_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models in ONNX get no process of their own; for tests of what is done with their outputs."""
    from tests.models_in_this_process import models_in_this_process

    models_in_this_process(monkeypatch)


@pytest.fixture(scope="session")
def keras_files(made_once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """A folder of Keras files, each beside what Keras says about it."""

    def make(folder: Path) -> None:
        program = ROOT / "tests/models/keras_files.py"
        made = subprocess.run([sys.executable, program, folder], capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stderr[-2000:]

    return made_once("keras", make)


@pytest.fixture
def own_postgresql() -> Iterator[PostgresqlServer]:
    """A server that runs for one test alone, which may stop it."""
    yield from _server()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of a server of our own, without a database."""
    for server in _server():
        yield server.url


def _server() -> Iterator[PostgresqlServer]:
    programs = binaries()
    if programs is None:
        pytest.skip("PostgreSQL is not installed; apt install postgresql, then its tests run too.")
    with tempfile.TemporaryDirectory(prefix="testimate-postgresql-") as folder:
        server = PostgresqlServer(Path(folder), programs)
        server.start()
        yield server
        server.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'labels.sqlite'}"
        return
    server, name = request.getfixturevalue("postgresql"), f"t{uuid.uuid4().hex}"
    from sqlalchemy import create_engine, text

    engine = create_engine(f"{server}/postgres", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield f"{server}/{name}"
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()
