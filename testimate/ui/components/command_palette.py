"""The command palette: everything one can go to or do, found by typing a few letters of it, without a mouse.

It is a dialog that Ctrl K opens on every page; some keys lead to a page at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from testimate.ui.components.bundle import component
from testimate.ui.components.messages import arrival, plain_text

_component = component("command_palette")


@dataclass(frozen=True)
class Command:
    """One thing to go to or to do.

    Attributes
    ----------
    id : told to ``on_choose``.
    title : what is typed to find it; untrusted text.
    group : what kind of thing it is, in a word.
    digit : with Alt and Shift it chooses this at once, "0" to "9"; "" where no key does.
    """

    id: str
    title: str
    group: str
    digit: str = ""


def command_palette(
    commands: Sequence[Command], *, key: str, on_choose: Callable[[str], None], on_open: Callable[[], None]
) -> None:
    """Draws nothing until Ctrl K (Cmd K on a Mac) is pressed. Draw it in a fragment of its own.

    Parameters
    ----------
    commands : in the order in which they are listed while nothing is typed.
    on_choose : called with the id of the one chosen, before the fragment runs; ids that are not among the ``commands`` are
        passed over.
    on_open : called when the dialog opens, so that more commands can be sent along. What it holds stays until it is closed.
    """
    known = {command.id for command in commands}

    def choose(one: str) -> None:
        if one in known:
            on_choose(one)

    _component(
        key=key,
        data={"commands": [asdict(command) for command in commands]},
        on_chosen_change=arrival(key, "chosen", plain_text, choose),
        on_opened_change=on_open,
    )
