"""The demo of roads: the pictures and their ruler, the network's fault at night, and what predicts it."""

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.stats import chisquare

from testimate.auxiliary.surprise import lsa
from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.demos import road as road_pictures
from testimate.demos.catalog import DEMOS
from testimate.demos.road import COUNT, SHARES, TASK, RoadPictures, open_network, open_road, place_of
from testimate.demos.road_drawing import CONDITIONS, FARTHEST, LANE, SIDEWAYS, draw, scenes, scrambled
from testimate.structure.density_clusters import find_clusters
from testimate.studies.campaign import campaign

NIGHT = CONDITIONS.index("night")
HALF_LANE = LANE / SIDEWAYS * FARTHEST
"""Degrees on the ruler from the lane's middle to its mark."""


@pytest.fixture(scope="module")
def road(tmp_path_factory):
    """The demo as it is opened."""
    return open_road(tmp_path_factory.mktemp("road"))


@pytest.fixture(scope="module")
def said(road):
    """What the network says about every picture and its last hidden layer, of the training pictures too."""
    model, found = open_network(), {}
    for name, dataset in (("operational", road.dataset), ("training", road.training)):
        layers = [model.roles["OUT"], model.roles["LHL"]]
        blocks = np.array_split(np.arange(len(dataset)), 20)
        parts = [model.run(dataset.batch(rows), layers) for rows in blocks]
        found[name] = [np.concatenate([part[layer] for part in parts]) for layer in layers]
    return found


@pytest.fixture(scope="module")
def failed(road, said):
    """Which pictures the network fails on."""
    return TASK.failed(TASK.losses(said["operational"][0][:, 0], road.truth))


@pytest.fixture(scope="module")
def surprise(said):
    """LSA of every picture against the training pictures."""
    return lsa(said["operational"][1], None, said["training"][1], None)


def test_the_same_pictures_are_drawn_on_every_machine(road):
    drawn = fingerprint.of_array(draw(road.dataset.scenes[np.arange(200)], 40))
    assert (road.dataset.fingerprint, drawn) == ("0d6196482b8ce4483b8abebc526c99b6", "610bce3baa3e32b8c926739d0fba752a")


def test_a_picture_is_the_same_whatever_is_drawn_beside_it(road):
    rows = np.array([900, 3, 4_000])
    together = road.dataset.batch(rows)
    for place, row in enumerate(rows):
        np.testing.assert_array_equal(road.dataset.batch(np.array([row]))[0], together[place])


def test_the_conditions_are_as_frequent_as_they_should_be(road):
    counts = np.bincount(road.dataset.scenes.conditions)
    assert chisquare(counts, COUNT * np.array(SHARES)).pvalue > 0.001
    assert not (road.training.scenes.conditions == NIGHT).any()


@pytest.mark.parametrize("condition", ["clear", "night"])
def test_the_right_mark_crosses_the_ruler_half_a_lane_beside_the_true_angle(condition):
    """Found in the picture itself, as the brightest stretch of the ruler's row near where geometry has it."""
    height, shares = 240, tuple(float(one == condition) for one in CONDITIONS)
    some = scenes(40, shares, 8)
    pictures = draw(some, height).mean(axis=3)  # (n, height, width)
    off = []
    for picture, angle in zip(pictures, some.angles, strict=True):
        across, down = place_of(angle + HALF_LANE, height)
        row = np.convolve(picture[int(down)], np.ones(3) / 3, mode="same")
        near = slice(int(across) - 20, int(across) + 21)
        off.append((near.start + row[near].argmax() + 0.5 - across) / (place_of(1, height)[0] - height))
    assert np.abs(off).max() < 2  # degrees; a failure is 6
    assert abs(np.mean(off)) < 0.5


def test_the_network_gets_what_the_tester_sees_gray_and_smaller(road):
    height = 400
    seen = draw(road.dataset.scenes[np.arange(30)], height)
    for row, picture in enumerate(seen):
        gray = Image.fromarray(picture).convert("L").resize((80, 40), Image.Resampling.BOX)
        given = road.dataset.batch(np.array([row]))[0, 0]
        assert np.corrcoef((np.asarray(gray) / 255)[14:].ravel(), given.ravel())[0, 1] > 0.85
        assert abs(np.asarray(gray)[14:].mean() / 255 - given.mean()) < 0.02


def test_a_shown_picture_is_a_png_with_a_white_ruler(road):
    with Image.open(io.BytesIO(road.dataset.show(17).image), formats=["PNG"]) as picture:
        pixels = np.asarray(picture.convert("RGB"))
    assert pixels.shape == (240, 480, 3)
    assert len(road.dataset.show(17).image) < 90_000
    for degrees in (-30, -10, 0, 25):
        across, down = place_of(degrees, 240)
        assert pixels[round(down), round(across)].min() > 220
    with pytest.raises(BadInput, match="no row 5614"):
        road.dataset.show(COUNT)


def test_the_hash_gives_every_byte_as_often_as_any_other():
    counts = np.bincount(scrambled(np.arange(100_000, dtype=np.uint32)).view(np.uint8), minlength=256)
    assert chisquare(counts).pvalue > 0.001


def test_half_of_the_nights_fail_and_nothing_else_does_but_a_little_fog(road, said, failed):
    conditions = road.dataset.scenes.conditions
    shares = {name: failed[conditions == place].mean() for place, name in enumerate(CONDITIONS)}
    assert 0.42 < shares["night"] < 0.52
    assert shares["clear"] == shares["rain"] == 0
    assert 0 < shares["fog"] < 0.03
    assert shares["dusk"] < 0.005
    errors = np.abs(said["operational"][0][:, 0] - road.truth)
    assert 1.4 < errors.mean() < 2.0
    assert errors[conditions == 0].mean() < 0.6


def test_at_night_it_turns_too_little_whichever_way_the_road_bends(road, said):
    night = road.dataset.scenes.conditions == NIGHT
    truth, steered = road.truth[night], said["operational"][0][night, 0]
    assert 0.2 < np.polyfit(truth, steered, 1)[0] < 0.45
    for bend in (truth > 12, truth < -12):
        assert (np.abs(steered[bend]) < np.abs(truth[bend])).mean() > 0.95


def test_the_two_clusters_are_night_and_everything_else(road, said):
    night = road.dataset.scenes.conditions == NIGHT
    found = find_clusters(said["operational"][1], min_cluster_size=80, min_samples=4, seed=0)
    shares = sorted(float(night[found.labels == place].mean()) for place in range(found.count))
    assert found.count == 2
    assert shares[0] < 0.01
    assert shares[1] > 0.98
    assert found.noise_share < 0.02


def test_surprise_tells_night_from_day_and_with_it_rrs_needs_far_fewer_labels(road, said, surprise):
    night = road.dataset.scenes.conditions == NIGHT
    assert np.quantile(surprise[night], 0.01) > np.quantile(surprise[~night], 0.999)
    predictions = said["operational"][0][:, 0].astype(np.float64)
    inputs = Inputs(
        road.fingerprint,
        TASK,
        predictions,
        scores={"lsa": surprise},
        truth=road.truth,
        losses=TASK.losses(predictions, road.truth),
    )
    truth = 1 - inputs.losses.mean()
    found = {
        technique: [campaign(inputs, Request(technique, 100, seed, auxiliary=auxiliary)) for seed in range(60)]
        for technique, auxiliary in (("srs", ""), ("rrs", "lsa"))
    }
    errors = {name: np.sqrt(np.mean([(one.accuracy - truth) ** 2 for one in some])) for name, some in found.items()}
    failures = {name: np.mean([one.failures for one in some]) for name, some in found.items()}
    assert errors["rrs"] < 0.7 * errors["srs"]
    assert failures["rrs"] > 2 * failures["srs"]


def test_no_answer_and_no_prediction_can_cost_more_than_one(road, said):
    assert np.abs(said["operational"][0]).max() <= FARTHEST
    assert np.abs(road.truth).max() <= FARTHEST
    assert TASK.losses([FARTHEST], [-FARTHEST]) == TASK.loss_bound == 1
    with pytest.raises(BadInput, match="from -25 to 25"):
        TASK.check_answer(26.0)


def test_a_view_that_was_looked_at_is_not_drawn_again_by_the_next_who_opens_the_demo(tmp_path, monkeypatch):
    shown = open_road(tmp_path).dataset.show(17).image
    again = open_road(tmp_path).dataset
    monkeypatch.setattr(road_pictures, "draw", lambda *_: pytest.fail("drawn again"))
    assert again.show(17).image == shown
    monkeypatch.undo()
    assert RoadPictures(again.scenes).show(17).image == shown  # as it is drawn where nothing is kept


def test_views_drawn_in_another_way_are_not_shown(tmp_path, monkeypatch):
    shown = open_road(tmp_path).dataset.show(17).image
    monkeypatch.setattr(road_pictures, "VIEW", "view-2")
    monkeypatch.setattr(road_pictures, "ruled_png", lambda picture: b"another view")
    assert open_road(tmp_path).dataset.show(17).image == b"another view" != shown


def test_opening_the_demo_draws_nothing_and_imports_no_framework():
    program = (
        "import sys; from pathlib import Path; from testimate.demos.catalog import DEMOS;"
        "DEMOS['road'].open(Path(), lambda done, total, what='': None);"
        "assert not {'torch', 'sklearn', 'pandas', 'PIL'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[2])
    assert list(DEMOS)[-1] == "road"
