"""Sessions as every screen shows them: names by which people tell them apart, and a small picture of their first inputs.

Equal names in a list get a suffix. Every level of a demo's shift is a subject of its own, and its dial leads to each. A
picture is drawn once and kept in the project.
"""

import base64
import hashlib
import io
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.files import write_whole
from testimate.core.session_record import SessionRecord
from testimate.core.subject import Shown
from testimate.core.words import counted
from testimate.demos.catalog import dial_of, find_demo
from testimate.planning.build import titled
from testimate.project.project import Project
from testimate.project.selections import is_of_selection
from testimate.session.session import Session


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
        help="How far the inputs differ from the training data (turned, slanted, thicker, faded, noisy). Each level is a "
        "separate test set for the same model.",
    )
    return dial[level].name


INPUTS, HEIGHT, WIDEST, GAP = 3, 48, 200, 4
"""Most inputs in a picture; in pixels its height, its largest width, and the gap between two inputs."""

WORDS = 90
"""Characters shown of an input that is text."""


@dataclass(frozen=True)
class SessionPicture:
    """What a session's first inputs look like: a picture as a data URL, or words; untrusted text."""

    picture: str = ""
    words: str = ""


def keep_picture(project: Project, session: Session) -> None:
    """Draws the session's picture if there is none yet: of the inputs labeled first or, before any, of those to label.

    A folder that cannot be written to, or an input that cannot be drawn, does not hold up labeling.
    """
    seen, read = _places(project, session.session_record.id)
    if seen.exists() or read.exists():
        return
    rows = [event.row for event in session.history() if event.stream == "selection" and event.kind == "answer"][:INPUTS]
    rows = list(dict.fromkeys(rows)) or [draw.row for draw in session.upcoming(INPUTS)]
    if not rows:
        return
    try:
        first = session.show(rows[0])
        seen.parent.mkdir(exist_ok=True)
        if first.image is not None or first.audio is not None:
            write_whole(seen, _drawn([first, *(session.show(row) for row in rows[1:])]))
        else:
            write_whole(read, _words(first).encode())
    except (OSError, ValueError, TestimateError):
        return


def kept_picture(project: Project, session: str) -> SessionPicture:
    """The session's stored picture; None if there is none, for instance because nobody has opened the session yet."""
    seen, read = _places(project, session)
    try:
        if seen.exists():
            return SessionPicture(picture="data:image/png;base64," + base64.b64encode(seen.read_bytes()).decode())
        return SessionPicture(words=read.read_text(encoding="utf-8")) if read.exists() else SessionPicture()
    except OSError:
        return SessionPicture()


def _places(project: Project, session: str) -> tuple[Path, Path]:
    name = hashlib.blake2b(session.encode(), digest_size=12).hexdigest()  # an id may come from a file made elsewhere
    return project.folder / "pictures" / f"{name}.png", project.folder / "pictures" / f"{name}.txt"


def _drawn(inputs: list[Shown]) -> bytes:
    """The inputs side by side as PNG, as many as fit."""
    from PIL import Image

    pictures = []
    for shown in inputs:
        with Image.open(io.BytesIO(_png(shown))) as opened:
            picture = opened.convert("RGBA")
        method = Image.Resampling.NEAREST if picture.height < HEIGHT else Image.Resampling.BOX
        width = max(1, min(WIDEST, round(picture.width * HEIGHT / picture.height)))
        pictures.append(picture.resize((width, HEIGHT), method))
    while len(pictures) > 1 and sum(one.width + GAP for one in pictures) > WIDEST:
        pictures.pop()
    whole = Image.new("RGBA", (sum(one.width + GAP for one in pictures) - GAP, HEIGHT))
    place = 0
    for one in pictures:
        whole.paste(one, (place, 0))
        place += one.width + GAP
    kept = io.BytesIO()
    whole.save(kept, "PNG", optimize=True)
    return kept.getvalue()


def _png(shown: Shown) -> bytes:
    from testimate.ui.components.linked_pictures.small_views import look_to_json

    look = look_to_json(shown)
    return base64.b64decode(look.get("image") or look.get("spectrogram") or NOTHING)


def _words(shown: Shown) -> str:
    from testimate.ui.components.linked_pictures.small_views import shortened

    said = shown.text if shown.text is not None else " · ".join(f"{name} {value}" for name, value in shown.cells)
    return shortened(" ".join(said.split()), WORDS)


NOTHING = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
        "1f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
    )
).decode()
"""One transparent pixel, for a sound without a spectrogram."""
