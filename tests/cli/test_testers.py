"""The team from the terminal: testers added, listed and removed, and an app that serves others only to those."""

import json
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.project.project import Project

ROOT = Path(__file__).parents[2]


def test_testers_are_added_listed_and_removed(tmp_path, command):
    here = ("--project", tmp_path)
    command.ok("testers", "add", "Lea", "--lead", *here, typed="long enough\n")
    command.ok("testers", "add", "Ann", *here, typed="another one\n")
    listed = json.loads(command.ok("testers", "list", "--json", "-", *here))
    assert [(member["name"], member["role"]) for member in listed] == [("Ann", "tester"), ("Lea", "lead")]
    assert Project(tmp_path).testers.check("Lea", "long enough").leads
    command.ok("testers", "remove", "Ann", *here)
    assert [member.name for member in Project(tmp_path).testers.list()] == ["Lea"]


def test_a_new_password_ends_the_logins_with_the_old_one(tmp_path, command):
    testers = Project(tmp_path).testers
    token = testers.open_login(testers.add("Ann", "long enough"))
    command.ok("testers", "password", "Ann", "--project", tmp_path, typed="another one\n")
    assert testers.check("Ann", "long enough") is None
    assert testers.check("Ann", "another one").name == "Ann"
    assert testers.logged_in(token) is None


@pytest.mark.parametrize(
    ("arguments", "typed", "sentence"),
    [
        (("testers", "add", "Ann"), "short\n", "Expected 8"),
        (("testers", "password", "Ann"), "long enough\n", "no tester"),
        (("testers", "remove", "Nobody"), "", "no tester"),
        (("app", "--team"), "", "has no lead"),
        (("app", "--address", "0.0.0.0"), "", "Add --team"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(tmp_path, arguments, typed, sentence, command):
    assert sentence in command.refusal(*arguments, "--project", tmp_path, typed=typed)


@pytest.fixture
def served(monkeypatch):
    """Every app that a command starts, as (arguments, environment), none of them really."""
    started = []

    def start(program, arguments, environment):
        assert program == arguments[0]
        started.append((arguments, environment))
        sys.exit(0)

    monkeypatch.setattr("testimate.cli.start.os.execve", start)
    return started


@pytest.mark.parametrize("address", ["0.0.0.0", "192.0.2.7", "::"])
def test_an_address_that_others_reach_is_served_to_a_team_and_to_nobody_else(tmp_path, served, command, address):
    Project(tmp_path).testers.add("Lea", "long enough", "lead")
    here = ("--project", tmp_path, "--address", address)
    assert "Add --team" in command.refusal("app", *here)
    assert served == []
    command.ok("app", "--team", *here)
    [(arguments, environment)] = served
    assert arguments[arguments.index("--server.address") + 1] == address
    assert environment["TESTIMATE_TEAM"] == "yes"


def test_names_of_the_server_reach_it_from_options_or_the_environment(tmp_path, served, command, monkeypatch):
    command.ok("app", "--project", tmp_path, "--host", "one.example", "--host", "192.0.2.7")
    monkeypatch.setenv("TESTIMATE_HOSTS", "two.example three.example")
    command.ok("app", "--project", tmp_path)
    monkeypatch.setenv("TESTIMATE_HOSTS", "")
    command.ok("app", "--project", tmp_path)
    assert [environment["TESTIMATE_HOSTS"] for _, environment in served] == [
        "one.example 192.0.2.7",
        "two.example three.example",
        "",
    ]


@pytest.mark.parametrize("name", ["https://testimate.example.org", "testimate.example.org:443", "a b", "*"])
def test_a_host_that_is_no_name_alone_is_refused(tmp_path, served, command, name):
    assert "Expected a name alone" in command.refusal("app", "--project", tmp_path, "--host", name)
    assert served == []


def test_every_command_of_the_page_on_teams_runs(tmp_path, served, monkeypatch, command):
    """In its order, in a fresh folder; another SQLite file stands for the PostgreSQL database."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("testimate.cli.testers._password", lambda: "long enough")
    blocks = re.findall(
        r"^```\w*\n(.*?)^```$", (ROOT / "docs" / "how-to" / "team.md").read_text(), re.DOTALL | re.MULTILINE
    )
    lines = [line for block in blocks for line in block.splitlines() if line.startswith(("testimate ", "export "))]
    session, failed = "", []
    for line in lines:
        if line.startswith("export "):
            monkeypatch.setenv("TESTIMATE_DATABASE", f"sqlite:///{tmp_path / 'another.sqlite'}")
            continue
        if "session" in line.lower() and not session:
            monkeypatch.delenv("TESTIMATE_DATABASE")
            session = labeled_session(Project(tmp_path / "testimate-project"))
            files = shutil.ignore_patterns("labels.sqlite*")
            shutil.copytree(tmp_path / "testimate-project", tmp_path / "elsewhere", ignore=files)
        failed += [line] if command(*shlex.split(line.replace("SESSION", session))[1:]).status else []
    assert failed == []
    assert len(served) == sum(line.startswith("testimate app") for line in lines) == 5
    assert len(Project(Path("elsewhere")).sessions()) == 1
    assert Path("session.testimate").exists()


def labeled_session(project: Project) -> str:
    """A session of a team with a vote, and beside it the files of votes that the page takes in."""
    from testimate.reports.exports import label_studio_json, labels_csv

    session = project.start_session("digits", Request("srs", 20, 1), votes_per_input=1)
    session.record([Event("vote-001", "answer", session.draws[0].row, "Ann", "2024-05-01T10:00:00Z", answer=3)])
    Path("votes.csv").write_text(labels_csv(session))
    Path("label-studio.json").write_text(label_studio_json(session))
    return session.session_record.id


def test_a_database_that_cannot_be_opened_is_refused_before_a_password_is_typed(tmp_path, monkeypatch, command):
    monkeypatch.setattr("testimate.cli.testers._password", lambda: pytest.fail("it was asked for"))
    elsewhere = f"sqlite:///{tmp_path / 'no folder' / 'labels.sqlite'}"
    assert "cannot be reached" in command.refusal("testers", "add", "Ann", "--database", elsewhere)
