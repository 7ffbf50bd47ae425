"""What the tests of the labeling surface show on it: kinds of inputs by name, and a session of each that lives in a file."""

import io
import json
import wave
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image

from testimate.core.errors import BadInput
from testimate.core.session_record import Event
from testimate.core.subject import Shown
from testimate.session.admission import check_event
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import Regression
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


@cache
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


@cache
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
        return Shown(
            "text",
            text=f"def mean_{row}(values):\n    total = sum(values)\n    return total / len(values)\n",
            code=True,
        )
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


@dataclass
class CaseSession:
    """The session of a case, ``kind-anything``: rows 100 to 100 + ``rows``, its events in a file of the folder."""

    folder: Path
    case: str
    rows: int
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        return self.case.split("-")[0]

    @property
    def file(self) -> Path:
        return self.folder / f"{self.case}.jsonl"

    @property
    def broken(self) -> bool:
        """Whether nothing can be stored: while a test keeps a file of that name there."""
        return self.file.with_suffix(".broken").exists()

    def store(self, events: Sequence[Event]) -> None:
        if self.broken:
            return
        known = {event["id"] for event in events_of(self.file)}
        with self.file.open("a") as out:
            for event in events:
                try:
                    check_event(event, task(self.kind), self.rows + 100)
                except BadInput as error:  # as a session refuses it
                    self.refused[event.id] = str(error)
                    continue
                if event.id not in known:
                    out.write(json.dumps(asdict(replace(event, detail=dict(event.detail)))) + "\n")
                    known.add(event.id)

    def view(self, *, waiting: bool = False) -> SurfaceView:
        events, the_task = events_of(self.file), task(self.kind)
        answered, open_rows = standing(events, self.rows)
        classes = getattr(the_task, "classes", ())
        past = [
            Past(
                row,
                row - 100,
                event["answer"],
                "can't tell" if event["answer"] is None else words(event["answer"], classes),
                failed=None if event["answer"] is None else row % 3 == 0,
                shown=shown(self.kind, row),
            )
            for row, event in list(answered.items())[-12:]
        ]
        queue = [
            QueuedInput(row, row - 100, shown(self.kind, row), f"zone {row % 10} of 10, chance 0.0021", "7")
            for row in ([] if waiting else open_rows[:16])
        ]
        return SurfaceView(
            session=self.case,
            tester="tester",
            task=the_task,
            queue=queue,
            history=past,
            acknowledged={event["id"] for event in events},
            refused=self.refused,
            done=len(answered),
            planned=self.rows,
            finished=not open_rows,
            waiting=waiting,
            waiting_words="Waiting for the other testers."
            if "team" in self.case
            else "The next inputs are being chosen…",
            offline_error="The disk is full. Free some room." if self.broken else "",
            colors={"accept": "#009e73"} if self.kind == "pair" else {},
            predictions_shown="shown" in self.case,
        )
