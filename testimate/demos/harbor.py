"""The demo of a detector: drawn pictures of a harbor, with boxes that a rule of this project gives out, not a network.

What stands in every picture is known because the program put it there, so the truth is known; the mistakes follow the rule in
``harbor_scenes``. The pictures are drawn when they are asked for, always the same.
"""

import json
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from testimate.core import fingerprint
from testimate.core.progress import Progress
from testimate.core.subject import Subject
from testimate.demos.harbor_scenes import CLASSES, LEAST_SCORE, Scene, made_scenes
from testimate.tasks.boxes import Boxes

SIZE = 800
SEED = 12
KEY = "harbour"


class HarborPictures:
    """The pictures of the scenes, drawn when they are read."""

    def __init__(self, scenes: list[Scene]) -> None:
        self._scenes = scenes

    def read(self, row: int) -> bytes:
        """The row's picture as PNG."""
        return _drawn(self._scenes[row])

    def name(self, row: int) -> str:
        """As a file would be called."""
        return f"harbour-{row:04}.png"


@lru_cache(maxsize=64)
def _drawn(scene: Scene) -> bytes:
    from testimate.demos.harbor_drawing import drawn

    return drawn(scene)


def truth_of(scene: Scene) -> list[int]:
    """What is wrong in a scene, as an answer: its boxes numbered from left to right, as they are shown."""
    judged = sorted((box for box in scene.boxes if box.score >= LEAST_SCORE), key=lambda box: (box.left, box.top))
    missed = Counter(scene.missed())
    answer = [place for place, box in enumerate(judged) if scene.wrong(box)]
    return Boxes(CLASSES).check_answer(
        [*answer, *(-1 - place for place, name in enumerate(CLASSES) for _ in range(missed[name]))]
    )


def open_harbor(folder: Path, progress: Progress) -> Subject:  # noqa: ARG001 - as every demo: nothing is kept, nothing takes long
    """The demo's subject; its boxes are made each time it is opened, always the same."""
    from testimate.subjects.prediction_table import TableContent, read_table
    from testimate.subjects.table_choices import TableChoices
    from testimate.tables.cells import Cells, pa

    scenes = made_scenes(SIZE, seed=SEED)
    task = Boxes(CLASSES)
    columns = {
        "boxes": [
            json.dumps([[box.kind, box.left, box.top, box.width, box.height, box.score] for box in scene.boxes])
            for scene in scenes
        ],
        "label": [task.answer_text(truth_of(scene)) for scene in scenes],
        "weather": [scene.weather for scene in scenes],
    }
    cells = Cells(
        {name: pa.chunked_array([pa.array(words, pa.large_string())]) for name, words in columns.items()},
        SIZE,
        embedded={"image": HarborPictures(scenes)},
        class_names={"boxes": CLASSES},
    )
    content = TableContent(cells, fingerprint.of_bytes("\n".join(columns["boxes"]).encode()))
    subject = read_table(content, name="harbour", choices=TableChoices(least_score=LEAST_SCORE))
    facts = (
        *subject.facts,
        ("made by", "a program of this project: drawn scenes, and a rule that errs in place of a network"),
    )
    return replace(subject, key=KEY, name="Harbor", facts=facts)
