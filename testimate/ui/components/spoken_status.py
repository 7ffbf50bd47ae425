"""The line above the plain buttons that says, for screen readers too, what was stored and which input comes next."""

from testimate.ui.components.bundle import component

_component = component("spoken_status")


def spoken_status(words: str, *, row: int | None, key: str) -> None:
    """Shows the words, untrusted text; takes the focus if ``row`` changed and the button that had the focus is gone."""
    _component(key=key, data=[{"words": words, "input": str(row)}])
