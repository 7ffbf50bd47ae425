"""The Dockerfile and compose.yaml agree with each other, the app and the page; .ci/container-steps runs them."""

import json
import shlex
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def said():
    """(NAME, rest) of every instruction, as the program that runs them reads them."""
    loader = SourceFileLoader("container_steps", str(ROOT / ".ci" / "container-steps"))
    module = module_from_spec(spec_from_loader("container_steps", loader))
    loader.exec_module(module)
    return module.instructions((ROOT / "Dockerfile").read_text())


def test_the_image_runs_as_a_user_of_its_own_from_files_that_are_there(said):
    names = [name for name, _ in said]
    users = [rest for name, rest in said if name == "USER"]
    assert users == ["testimate"]
    assert names.index("USER") < names.index("ENTRYPOINT")
    copied = [rest.split()[:-1] for name, rest in said if name == "COPY" and not rest.startswith("--from")]
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for file in (file for files in copied for file in files):
        assert (ROOT / file).exists()
        assert file in allowed, f".dockerignore keeps {file} from the builder"


def test_what_the_image_starts_is_a_command_of_the_program(said, command, tmp_path):
    entry, start = (json.loads(rest) for name, rest in said if name in ("ENTRYPOINT", "CMD"))
    assert entry == ["testimate"]
    sentence = command.refusal(*start, "--project", str(tmp_path))  # it has no lead yet
    assert "The team has no lead." in sentence


def test_compose_waits_for_the_database_and_opens_the_app_to_this_computer_alone(said):
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    app, database = services["app"], services["database"]
    assert all(port.startswith("127.0.0.1:") for port in app["ports"])
    assert "ports" not in database
    url = app["environment"]["TESTIMATE_DATABASE"]
    user, name = database["environment"]["POSTGRES_USER"], database["environment"]["POSTGRES_DB"]
    assert url == f"postgresql+psycopg://{user}@database/{name}"
    assert app["environment"]["PGPASSWORD"] == database["environment"]["POSTGRES_PASSWORD"]
    assert app["depends_on"]["database"]["condition"] == "service_healthy"
    volumes = [volume.partition(":") for service in services.values() for volume in service["volumes"]]
    assert (said_of(said, "VOLUME"), "/var/lib/postgresql/data") == tuple(path for _, _, path in volumes)
    (port,) = app["ports"]
    assert port.endswith(f":{said_of(said, 'EXPOSE')}")


def said_of(said: list[tuple[str, str]], name: str) -> str:
    (found,) = [shlex.split(rest)[0] for one, rest in said if one == name]
    return found
