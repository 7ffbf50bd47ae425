"""Names by which people tell sessions, choices and levels of a shift apart.

Names for sessions that people can tell apart.

Names for lists of choices: equal names get a suffix that tells them apart.

The dial of a demo's shift: every level is a subject of its own, with the same network.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import streamlit as st

from testimate.core.session_record import SessionRecord
from testimate.core.words import counted
from testimate.demos.catalog import dial_of, find_demo
from testimate.planning.build import titled
from testimate.project.labeled_parts import is_of_selection


def distinct_names(names: Mapping[str, str], more: Callable[[str], str] = str) -> dict[str, str]:
    """The name of each by its key, with ``more`` of the key after names that occur more
    than once. Streamlit finds a choice by its name: of two equal names it takes the last one, whichever was chosen.

        >>> distinct_names({"a": "net.onnx", "b": "net.onnx", "c": "other.onnx"})
        {'a': 'net.onnx · a', 'b': 'net.onnx · b', 'c': 'other.onnx'}
    """
    often = Counter(names.values())
    return {key: f"{name} · {more(key)}" if often[name] > 1 else name for key, name in names.items()}


def session_name(record: SessionRecord, names: Mapping[str, str], *, subject: bool = False) -> str:
    """A session's name, followed by its technique, its planned labels and when it was begun.

    ``names`` : the names given to sessions, by id. ``subject`` : whether to add its subject, if that may differ.
    """
    parts = [names[record.id]] if record.id in names else []
    parts += [record.subject_name] if subject else []
    of_selection = str(record.request.options.get("called", "")) if is_of_selection(record) else ""
    technique = titled(record.request.technique) + (f": {of_selection}" if of_selection else "")
    parts += [technique, counted(record.request.budget, "label"), moment(record.created)]
    return " · ".join(parts)


def session_names(
    records: Iterable[SessionRecord], names: Mapping[str, str], *, subject: bool = False
) -> dict[str, str]:
    """The name of each session by its id, with the id after names that several would have."""
    return distinct_names({record.id: session_name(record, names, subject=subject) for record in records})


def moment(created: str) -> str:
    """An ISO 8601 time in UTC as a person reads it, to the minute."""
    return f"{created[:16].replace('T', ' ')} UTC"


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
