"""What all tests share: where the real data lies, a small prediction table, and an empty database of each kind."""

import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data; TESTIMATE_DATA may name another place."""
    folder = Path(os.environ.get("TESTIMATE_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"The real data is not at {folder}; set TESTIMATE_DATA to the folder that holds it.")
    return folder


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


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of a server of our own, without a database; it refuses to run as root, so it runs as postgres there."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    found = shutil.which("initdb")
    binaries = folders[-1] if folders else Path(found).parent if found else None
    if binaries is None:
        pytest.skip("PostgreSQL is not installed; apt install postgresql, then its tests run too.")
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory(prefix="testimate-postgresql-") as folder:
        if as_user:
            shutil.chown(folder, "postgres")
        data = Path(folder) / "data"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]

        def run(program: str, *arguments: str) -> None:
            subprocess.run([*as_user, str(binaries / program), *arguments], check=True, capture_output=True, cwd=folder)

        run("initdb", "-D", str(data), "-U", "testimate", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
        run("pg_ctl", "-D", str(data), "-w", "-l", str(Path(folder) / "log"), "-o", options, "start")
        try:
            yield f"postgresql+psycopg://testimate@127.0.0.1:{port}"
        finally:
            run("pg_ctl", "-D", str(data), "-m", "immediate", "stop")


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
