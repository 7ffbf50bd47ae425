"""Components whose script, style and elements are one file of ``bundle/``, which the browser loads once and keeps.

``npm run bundle`` writes the folder, ``testimate/pyproject.toml`` tells Streamlit of it (decision 24). A file's name ends with
a digest of what is in it: a browser may keep it for good, and never takes that of another version.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

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
