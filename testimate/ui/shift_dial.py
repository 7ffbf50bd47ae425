"""The dial of a demo's shift: every level is a subject of its own, with the same network."""

import streamlit as st

from testimate.demos.catalog import dial_of, find_demo

WIDTH = 320
"""Width of the slider in pixels."""


def shift_dial(key: str, *, place: str) -> str:
    """The slider of the demo of that key; returns the key of the demo at the chosen level, the same if it has no dial.

    ``place`` : where the slider is shown, because no two may be the same widget.
    """
    dial, here = dial_of(key), find_demo(key)
    if here is None or here.level is None:
        return key
    level = st.select_slider(
        "Shift",
        list(dial),
        here.level,
        format_func=lambda percent: f"{percent / 100:.2f}",
        key=f"shift {place} {key}",
        width=WIDTH,
        help="How far the inputs differ from those the network was trained on: they are turned, slanted, thickened, "
        "faded and noisy. Each level is a subject of its own, with the same network.",
    )
    return dial[level].name
