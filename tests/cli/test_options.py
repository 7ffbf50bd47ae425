"""Records of options: a verb's parameters that are dataclasses are options of the terminal, each in its place."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from testimate.cli.options import Verbs


@dataclass(frozen=True)
class Light:
    lamp: Annotated[str, typer.Option(help="Which lamp.")] = "desk"
    dim: Annotated[bool, typer.Option("--dim", help="Less of it.")] = False


@dataclass(frozen=True)
class Room:
    name: Annotated[str, typer.Argument(metavar="ROOM")]
    light: Light = Light()
    chairs: Annotated[list[int] | None, typer.Option("--chair", help="May be repeated.")] = None


@dataclass(frozen=True)
class Sound:
    tune: Annotated[str, typer.Option(help="Which tune.")] = "none"
    volume: Annotated[int, typer.Option(help="How loud.")] = 5


def app(taken: list[object]) -> Verbs:
    verbs = Verbs()

    @verbs.command()
    def paint(
        *,
        first: Annotated[int, typer.Option(help="Before the record.")] = 1,
        room: Room,
        sound: Annotated[Sound, "volume"],
        last: Annotated[int, typer.Option(help="After it.")] = 9,
    ) -> None:
        """Paint a room."""
        taken.extend([first, room, sound, last])

    return verbs


def test_a_verb_gets_its_records_made_of_the_options_typed_and_of_their_defaults():
    taken: list[object] = []
    CliRunner().invoke(app(taken), ["kitchen", "--chair", "3", "--chair", "4", "--dim", "--volume", "8"])
    assert taken == [1, Room("kitchen", Light("desk", dim=True), [3, 4]), Sound("none", 8), 9]


def test_the_help_of_a_verb_lists_the_fields_of_a_record_in_its_place():
    lines = CliRunner().invoke(app([]), ["--help"]).output.splitlines()
    options = [line.split()[0] for line in lines if line.startswith("  --")]
    assert options[:6] == ["--first", "--lamp", "--dim", "--chair", "--volume", "--last"]


@pytest.mark.parametrize(("typed", "missing"), [([], "ROOM"), (["hall", "--tune", "waltz"], "--tune")])
def test_what_is_missing_or_unknown_in_a_record_is_refused_as_in_any_verb(typed, missing):
    refused = CliRunner().invoke(app([]), typed)
    assert refused.exit_code == 2
    assert missing in refused.output
