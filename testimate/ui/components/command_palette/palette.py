"""The palette itself: a dialog that Ctrl K opens on every page, and the keys that lead to a page at once."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import streamlit as st

from testimate.ui.components.joined_modules import joined
from testimate.ui.components.messages import arrival, plain_text

_HERE = Path(__file__).parent

_component = st.components.v2.component(
    "testimate.command_palette",
    html="""<dialog class="palette" aria-label="Go to or do">
<input type="text" role="combobox" aria-expanded="true" aria-controls="commands" aria-autocomplete="list"
 aria-label="Go to or do" placeholder="Go to a page, a session, a demo, or do something" autocomplete="off" spellcheck="false"
 maxlength="200">
<div id="commands" class="list" role="listbox" aria-label="What fits"></div>
<p class="said" role="status" aria-live="polite"></p>
</dialog>""",
    css=(_HERE / "palette.css").read_text(encoding="utf-8"),
    js=joined(_HERE / "palette.js"),
)


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
