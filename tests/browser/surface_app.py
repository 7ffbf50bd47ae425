"""A page with nothing but the labeling surface, over a session that lives in a file; started by the browser tests.

``?case=NAME`` names the file the events go to and the kind of inputs, ``kind-anything``; ``?rows=N`` how many there are.
"""

import io
import json
import os
import time
import wave
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import streamlit as st
from PIL import Image

from testimate.core.classification import Classification, MultiLabel
from testimate.core.errors import BadInput
from testimate.core.regression import Regression
from testimate.core.subject import Shown
from testimate.core.vote import Event
from testimate.session.admission import check_event
from testimate.ui.components.labeling_surface.fallback_buttons import fallback_buttons
from testimate.ui.components.labeling_surface.surface import labeling_surface
from testimate.ui.components.labeling_surface.view import Past, QueuedInput, SurfaceView

HOSTILE = (
    "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'> "
    "![picture](https://evil.example/leak.png) [link](https://evil.example) :red[red] $x^2$ :smile:"
)
DIGITS = tuple("0123456789")
WORDS = (
    "airplane",
    "automobile",
    "bird",
    "cat",
    "deer",
    "dog",
    "frog",
    "horse",
    "ship",
    "truck",
    "street sign",
    "traffic light",
    "pedestrian",
    "bicycle",
    "something else",
)


@st.cache_data
def picture(row: int, size: int) -> bytes:
    """A seeded drawing: a bright stroke on black for small sizes, a striped scene for large ones."""
    rng = np.random.default_rng(row)
    if size <= 32:
        pixels = np.zeros((size, size))
        for step in np.linspace(0, 2 * np.pi, 200):
            x = size / 2 + size * 0.28 * np.cos(step) * (1 + 0.2 * np.sin(step * rng.integers(1, 3)))
            y = size / 2 + size * 0.38 * np.sin(step)
            pixels[int(np.clip(y, 0, size - 1)), int(np.clip(x, 0, size - 1))] += 20
        image = Image.fromarray(np.clip(pixels * 3, 0, 255).astype(np.uint8))
    else:
        across, down = np.meshgrid(np.linspace(0, 1, size), np.linspace(0, 1, int(size * 0.66)))
        waves = np.sin(across * rng.uniform(10, 40)) * np.cos(down * rng.uniform(10, 40))
        layers = np.stack([90 + 90 * waves, 120 + 80 * down, 200 - 120 * across], axis=-1)
        image = Image.fromarray(layers.astype(np.uint8))
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    return file.getvalue()


@st.cache_data
def tone(row: int) -> bytes:
    """Two seconds of a tone that grows louder, as a WAV file."""
    time_axis = np.linspace(0, 2, 16_000, endpoint=False)
    samples = 20_000 * time_axis / 2 * np.sin(2 * np.pi * (200 + row) * time_axis)
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(8_000)
        writer.writeframes(samples.astype("<i2").tobytes())
    return file.getvalue()


def shown(kind: str, row: int) -> Shown:
    if kind == "digit":
        return Shown("image", image=picture(row, 8))
    if kind == "photo":
        return Shown("image", image=picture(row, 900))
    if kind == "sound":
        return Shown("audio", audio=b"RIFF and nothing more" if row == 102 else tone(row))
    if kind == "table":
        cells = [("age", 30 + row), ("income", "48,200"), ("married", "yes"), ("town", "<b>Porto</b>"), ("children", 2)]
        return Shown("tabular", cells=tuple((name, str(value)) for name, value in cells))
    if kind == "code":
        return Shown("text", text=f"def mean_{row}(values):\n    total = sum(values)\n    return total / len(values)\n")
    if kind == "long":
        return Shown("text", text=f"input {row} \x00\x07\u202e {HOSTILE} " + "x" * 100_000)
    return Shown("text", text=f"input {row} {HOSTILE}" if kind == "hostile" else f"input {row}")


def task(kind: str) -> Classification | MultiLabel | Regression:
    if kind == "multi":
        return MultiLabel(("cat", "dog", "bird"))
    if kind == "pair":
        return Classification(("accept", "reject"))
    if kind == "number":
        return Regression(tolerance=0.1, unit="degrees", answers=(-5, 5))
    if kind in ("photo", "code"):
        return Classification(WORDS)
    if kind == "letters":
        return Classification(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    if kind == "many":
        return Classification(tuple(f"kind {place}" for place in range(60)))
    if kind == "hostile":
        return Classification((HOSTILE, "harmless"))
    if kind == "long":
        return Classification((HOSTILE + "y" * 100_000, "a\x00b\x1b[31m\u202ec"))
    return Classification(DIGITS)


def events_of(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def standing(events: list[dict], rows: int) -> tuple[dict[int, dict], list[int]]:
    """The answers that stand, in order, and the rows still open: those put off at the end."""
    answered: dict[int, dict] = {}
    put_off: dict[int, None] = {}
    for event in events:
        row = event["row"]
        if event["kind"] == "flag":
            continue
        answered.pop(row, None)
        put_off.pop(row, None)
        if event["kind"] in ("answer", "cannot tell"):
            answered[row] = event
        elif event["kind"] == "skip":
            put_off[row] = None
    fresh = [row for row in range(100, 100 + rows) if row not in answered and row not in put_off]
    return answered, [*fresh, *put_off]


def words(answer: object, classes: tuple[str, ...]) -> str:
    if isinstance(answer, list):
        return ", ".join(classes[place] for place in answer) or "none"
    return classes[answer] if classes and isinstance(answer, int) else str(answer)


def main() -> None:
    st.set_page_config(layout="wide", page_title="Labeling surface")
    case = st.query_params.get("case", "text")
    kind, rows = case.split("-")[0], int(st.query_params.get("rows", "200"))
    file = Path(os.environ["SURFACE_FOLDER"]) / f"{case}.jsonl"

    broken = file.with_suffix(".broken")  # while this file is there, nothing can be stored

    def store(events: list[Event]) -> None:
        if broken.exists():
            return
        known = {event["id"] for event in events_of(file)}
        refused = st.session_state.setdefault("refused", {})
        with file.open("a") as out:
            for event in events:
                try:
                    check_event(event, task(kind), rows + 100)
                except BadInput as error:  # as a session refuses it
                    refused[event.id] = str(error)
                    continue
                if event.id not in known:
                    out.write(json.dumps(asdict(replace(event, detail=dict(event.detail)))) + "\n")
                    known.add(event.id)

    def view() -> SurfaceView:
        events = events_of(file)
        answered, open_rows = standing(events, rows)
        the_task = task(kind)
        classes = getattr(the_task, "classes", ())
        past = [
            Past(
                row,
                row - 100,
                event["answer"],
                "cannot tell" if event["answer"] is None else words(event["answer"], classes),
                failed=None if event["answer"] is None else row % 3 == 0,
                shown=shown(kind, row),
            )
            for row, event in list(answered.items())[-12:]
        ]
        st.session_state.looks = st.session_state.get("looks", 0) + 1
        waiting = "waiting" in case and st.session_state.looks < 3
        queue = (
            []
            if waiting
            else [
                QueuedInput(row, row - 100, shown(kind, row), f"zone {row % 10} of 10, chance 0.0021", "7")
                for row in open_rows[:16]
            ]
        )
        return SurfaceView(
            session=case,
            tester="tester",
            task=the_task,
            queue=queue,
            history=past,
            acknowledged={event["id"] for event in events},
            refused=st.session_state.get("refused", {}),
            done=len(answered),
            planned=rows,
            finished=not open_rows,
            waiting=waiting,
            waiting_words="Waiting for the other testers." if "team" in case else "The next inputs are being chosen…",
            offline_error="The disk is full. Free some room." if broken.exists() else "",
            colours={"accept": "#009e73"} if kind == "pair" else {},
            predictions_shown="shown" in case,
        )

    @st.fragment
    def label() -> None:
        if "plain" in case:
            fallback_buttons(view(), key="plain", on_event=lambda event: store([event]))
        else:
            labeling_surface(view(), key="surface", on_events=store)

    left, right = st.columns([55, 45])
    with left:
        if not st.checkbox("Hide the surface"):
            label()
    with right:
        st.text_input("A field of the page")
        if st.button("Slow rerun"):
            time.sleep(0.5)  # a run that is still going on while keys are pressed
        if "rerun" in case:  # drawn again beside the surface
            st.line_chart(np.random.default_rng(1).normal(size=(50, 2)))


if __name__ == "__main__":
    main()
