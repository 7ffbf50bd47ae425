"""The harbor demo: always the same, its truth that of what was drawn, and errors by the rule that it states."""

import io

import numpy as np
import pytest
from PIL import Image

from testimate.core.progress import silent
from testimate.demos.catalog import find_demo
from testimate.demos.harbor import truth_of
from testimate.demos.harbor_drawing import HEIGHT, WIDTH, drawn
from testimate.demos.harbor_scenes import CLASSES, LEAST_SCORE, FoundBox, Scene, Thing, made_scenes


@pytest.fixture(scope="module")
def subject(tmp_path_factory):
    return find_demo("harbour").open(tmp_path_factory.mktemp("demo"), silent)


def test_it_is_the_same_on_every_machine_and_says_what_it_is(subject, tmp_path):
    again = find_demo("harbour").open(tmp_path, silent)
    assert (again.fingerprint, len(again.dataset)) == (subject.fingerprint, 800)
    assert subject.fingerprint == "1e0dd29071749c54eb2df38e3fde89f2"
    assert "a rule that errs in place of a network" in dict(subject.facts)["made by"]
    assert not list(tmp_path.iterdir())


def test_a_box_is_wrong_that_is_around_nothing_or_another_class_or_the_second_and_what_has_no_right_box_is_missed():
    ship, rock, boat = (Thing(kind, 0.1, 0.5, 0.1, 0.1, 0.5, 0.5) for kind in ("ship", "rock", "boat"))
    boxes = (
        FoundBox("boat", 0.6, 0.5, 0.1, 0.1, 0.9, 0),  # calls the ship a boat
        FoundBox("buoy", 0.4, 0.5, 0.1, 0.1, 0.9, 1),
        FoundBox("boat", 0.1, 0.5, 0.1, 0.1, 0.9, 2),
        FoundBox("boat", 0.2, 0.5, 0.1, 0.1, 0.8, 2, again=True),
        FoundBox("ship", 0.0, 0.5, 0.1, 0.1, LEAST_SCORE - 0.01, 0),  # below the score: not judged
    )
    assert truth_of(Scene(0, "fog", (ship, rock, boat), boxes)) == [-1, 1, 2, 3]


def test_the_known_losses_are_those_of_the_scenes_and_of_every_class_some_are_missed(subject):
    scenes = made_scenes(800, seed=12)
    inputs = subject.inputs
    assert inputs.truth.tolist() == [truth_of(scene) for scene in scenes]
    counts = inputs.task.counts(inputs.predictions, dict(enumerate(inputs.truth.tolist())))
    there = [sum(thing.kind == name for scene in scenes for thing in scene.things) for name in CLASSES]
    assert counts.objects.sum(axis=0).tolist() == there
    for share in (counts.right.sum(axis=0) / counts.boxes.sum(axis=0), counts.right.sum(axis=0) / there):
        assert ((share > 0.8) & (share < 0.99)).all()


def test_fog_is_where_it_misses_most(subject):
    scenes = made_scenes(800, seed=12)
    missed = dict.fromkeys(("clear", "fog"), 0)
    there = dict(missed)
    for scene in scenes:
        if scene.weather in missed:
            missed[scene.weather] += len(scene.missed())
            there[scene.weather] += sum(thing.is_object for thing in scene.things)
    assert missed["fog"] / there["fog"] > 3 * missed["clear"] / there["clear"]


def test_every_picture_shows_its_things_where_their_boxes_are(subject):
    scenes = made_scenes(30, seed=12)
    scene = next(one for one in scenes if one.weather == "clear" and any(thing.kind == "ship" for thing in one.things))
    seen = np.asarray(Image.open(io.BytesIO(drawn(scene)))).astype(int)
    bare = np.asarray(Image.open(io.BytesIO(drawn(Scene(scene.number, scene.weather, (), ()))))).astype(int)
    changed = np.abs(seen - bare).sum(axis=2) > 30
    assert seen.shape == (HEIGHT, WIDTH, 3)
    for thing in scene.things:
        rows = slice(round(thing.top * HEIGHT), round((thing.top + thing.height) * HEIGHT))
        columns = slice(round(thing.left * WIDTH), round((thing.left + thing.width) * WIDTH))
        assert changed[rows, columns].mean() > 0.2
        changed[max(rows.start - 1, 0) : rows.stop + 1, max(columns.start - 1, 0) : columns.stop + 1] = False
    assert not changed.any()


def test_the_picture_that_a_tester_sees_has_the_boxes_but_not_their_scores(subject):
    row = next(row for row in range(800) if (subject.inputs.predictions[row] >= 0).sum() == 2)
    shown = subject.dataset.show(row)
    assert [box.left for box in shown.boxes] == sorted(box.left for box in shown.boxes)
    assert [box.name for box in shown.boxes] == [
        CLASSES[place] for place in subject.inputs.predictions[row] if place >= 0
    ]
    assert not hasattr(shown.boxes[0], "score")
