"""A component: its script, style and elements as one file of ``bundle/``, and the messages that a browser sends from it.

``npm run bundle`` writes the folder, ``testimate/pyproject.toml`` tells Streamlit of it (decision 24). A file's name ends with
a digest of what is in it: a browser may keep it for good, and never takes that of another version. A message is read as a
stranger's: plain JSON of the expected kind, or a sentence.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast

import streamlit as st
from msgspec import Meta

from testimate.core.bounded_json import check_plain
from testimate.core.errors import BadInput
from testimate.core.stored_record import WrongValue, read_value
from testimate.ui.components.untrusted_text import escape_markdown

_FOLDER = Path(__file__).parent / "bundle"


def component(name: str) -> Callable[..., Any]:
    """Returns what mounts the component of that name.

    It is registered with its first mount: only a server that runs knows what is installed.
    """

    def mount(**arguments: Any) -> Any:
        return _registered(name)(**arguments)

    return mount


def preloads(*names: str) -> str:
    """Returns the links by which a page gets these components before Streamlit asks for them, behind the scripts of charts."""
    addresses = (f"_stcore/bidi-components/testimate.{name}/{_file(name).name}" for name in names)
    return "".join(f'<link rel="modulepreload" href="./{address}">' for address in addresses)


def _file(name: str) -> Path:
    [file] = _FOLDER.glob(f"{name}-*.js")
    return file


@cache
def _registered(name: str) -> Callable[..., Any]:
    mount: Callable[..., Any] = st.components.v2.component(f"testimate.{name}", js=f"{name}-*.js")
    return mount


Read = TypeVar("Read")


def arrival(key: str, name: str, read: Callable[[object], Read], act: Callable[[Read], None]) -> Callable[[], None]:
    """Returns the callback for the message ``name`` of the component ``key``: it is read, then acted on.

    What no script of ours sends is refused: ``read`` raises BadInput, and a toast says why. Nothing is called if the tester
    has just left the page: Streamlit then calls back although it keeps nothing of the component any more.
    """

    def arrived() -> None:
        try:
            sent = _sent(key, name)
            if sent is None:
                return
            message = read(sent)
        except BadInput as error:
            st.toast(escape_markdown(str(error)), icon=":material/report:")
            return
        act(message)

    return arrived


def _sent(key: str, name: str) -> object:
    """The message; None if there is none. BadInput if it cannot be read as JSON."""
    try:
        state = st.session_state.get(key)
    except (ValueError, RecursionError):  # Streamlit parses it only now
        raise refused("something else", "JSON") from None
    return state.get(name) if isinstance(state, dict) else None


Row = Annotated[int, Meta(ge=0, description="the row of an input")]


def plain(kind: Any, sent: object) -> Any:
    """The message as a value of that type; BadInput if it is none."""
    try:
        return read_value(kind, check_plain(sent, "message"))
    except WrongValue as error:
        raise refused(repr(error.found), error.expected) from None


def plain_row(sent: object) -> int:
    """The row of an input; BadInput unless it is a whole number from 0 on."""
    return cast(int, plain(Row, sent))


def plain_text(sent: object) -> str:
    """The text; BadInput if it is none."""
    return cast(str, plain(str, sent))


def plain_object(sent: object) -> dict[str, object]:
    """The object; BadInput if it is none. What is in it is for the reader to check, field by field."""
    if not isinstance(sent, dict):
        raise refused("a message of another kind", "an object")
    return sent


def plain_list(sent: object) -> list[object]:
    """The list; BadInput if it is none. What is in it is for the reader to check, one by one."""
    if not isinstance(sent, list):
        raise refused("a message of another kind", "a list")
    return sent


def refused(found: str, expected: str) -> BadInput:
    """The error for a message that no script of ours sends."""
    return BadInput(f"This page sent {found:.60}. Expected {expected}. Reload the page.")
