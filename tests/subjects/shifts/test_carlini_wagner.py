"""Carlini and Wagner's attack against a network whose nearest other class is known, and from the command line."""

import numpy as np
import pytest
import torch
from torch import nn

from testimate.core.errors import BadInput
from testimate.subjects.shifts.attacks import MARGIN, carlini_wagner

WEIGHTS = np.array([3.0, -4.0, 0.0])
"""Logits are 0 and WEIGHTS . x: class 1 leads on one side of a plane at a distance known by hand."""


@pytest.fixture
def linear():
    module = nn.Linear(3, 2)
    with torch.no_grad():
        module.weight.copy_(torch.tensor(np.stack([0 * WEIGHTS, WEIGHTS])))
        module.bias.zero_()
    return module


def test_it_ends_just_behind_the_nearest_point_of_another_class(linear):
    given = np.array([[0.6, 0.3, 0.5], [0.4, 0.5, 0.9]], dtype=np.float32)  # leads of 0.6 and -0.8
    found = carlini_wagner(linear, given, np.array([1, 0]), searches=5, steps=80, rate=0.03)
    nearest = given - (given @ WEIGHTS / 25)[:, None] * WEIGHTS
    lead = found @ WEIGHTS
    assert lead[0] < 0 < lead[1]
    np.testing.assert_allclose(found, nearest, atol=0.02)


def test_a_margin_goes_farther_and_nothing_leaves_the_range(linear):
    given = np.array([[0.6, 0.3, 0.5]], dtype=np.float32)
    found = carlini_wagner(linear, given, np.array([1]), margin=2.0, searches=3, steps=60)
    assert found @ WEIGHTS < -2
    assert found.min() >= 0
    assert found.max() <= 1


def test_what_cannot_be_moved_is_left_as_it_is_and_so_are_the_weights(linear):
    before, given = linear.weight.detach().clone(), np.full((1, 3), 0.5, dtype=np.float32)
    found = carlini_wagner(linear, given, np.array([0]), margin=100.0, searches=2, steps=5)
    assert (found == given).all()
    assert torch.equal(linear.weight, before)
    assert linear.weight.grad is None


def test_invalid_settings_are_refused(linear):
    with pytest.raises(BadInput, match="at least 1 search"):
        carlini_wagner(linear, np.zeros((1, 3), dtype=np.float32), np.array([0]), searches=0)


def test_the_verb_moves_the_demo_s_letters_to_other_answers(tmp_path, command):
    from testimate.demos.glyphs import operational, weights_in
    from testimate.models.torch_graph import build

    weights = {name: torch.tensor(value) for name, value in weights_in("lenet-5.safetensors").items()}
    torch.save(weights, tmp_path / "weights.pt")
    given = operational(65).drawn(np.arange(12))
    np.save(tmp_path / "in.npy", given)
    options = ["--shift", "carlini-wagner", "--severity", "3", "--seed", "1", "--quiet"]
    model = ["--model", tmp_path / "weights.pt", "--architecture", "lenet-5"]
    command.ok("shift", tmp_path / "in.npy", "--out", tmp_path / "out.npy", *options, *model)
    moved, module = np.load(tmp_path / "out.npy"), build(weights, "lenet-5").module
    with torch.no_grad():
        answers = [module(torch.tensor(one, dtype=torch.float32)[:, None] / 255) for one in (given, moved)]
    own = answers[0].argmax(dim=1)
    assert (answers[1].argmax(dim=1) != own).all()
    lead = answers[1].max(dim=1).values - answers[1][torch.arange(12), own]
    assert lead.min() > MARGIN[2] / 2  # rounding to bytes costs a little of it
    assert np.abs(moved.astype(float) - given).mean() < 40
