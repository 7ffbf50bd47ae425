"""FGSM and BIM against a network whose gradient is known by hand, and on the demo's digits."""

import numpy as np
import pytest
import torch
from torch import nn

from testimate.core.errors import BadInput
from testimate.subjects.shifts.attacks import bim, fgsm


@pytest.fixture
def linear():
    """Two logits x and -x summed over three inputs with weights 1, -2 and 0: the loss of class 0 falls along them."""
    module = nn.Linear(3, 2)
    with torch.no_grad():
        module.weight.copy_(torch.tensor([[1.0, -2.0, 0.0], [-1.0, 2.0, 0.0]]))
        module.bias.zero_()
    return module


def test_one_step_is_epsilon_times_the_sign_of_the_gradient(linear):
    given = np.full((2, 3), 0.5, dtype=np.float32)
    found = fgsm(linear, given, np.array([0, 1]), epsilon=0.1)
    np.testing.assert_allclose(found, [[0.4, 0.6, 0.5], [0.6, 0.4, 0.5]], atol=1e-6)


def test_many_steps_stay_within_epsilon_and_the_range(linear):
    given = np.array([[0.5, 0.98, 0.2]], dtype=np.float32)
    found = bim(linear, given, np.array([0]), epsilon=0.1, step=0.03, steps=20)
    np.testing.assert_allclose(found, [[0.4, 1.0, 0.2]], atol=1e-6)


def test_weights_and_inputs_are_left_as_they_are(linear):
    before, given = linear.weight.detach().clone(), np.full((1, 3), 0.5, dtype=np.float32)
    bim(linear, given, np.array([0]), epsilon=0.2, step=0.1, steps=3)
    assert torch.equal(linear.weight, before)
    assert linear.weight.grad is None
    assert (given == 0.5).all()


def test_invalid_sizes_are_refused(linear):
    with pytest.raises(BadInput, match="above 0"):
        fgsm(linear, np.zeros((1, 3), dtype=np.float32), np.array([0]), epsilon=0.0)


def test_the_verb_moves_pictures_against_a_network_by_at_most_epsilon_a_value(tmp_path, command):
    from testimate.models.known_networks import ARCHITECTURES
    from testimate.subjects.shifts.attacks import EPSILON

    assert "lenet-1" in ARCHITECTURES
    torch.manual_seed(0)
    module = nn.Sequential(nn.Conv2d(1, 4, 5), nn.Conv2d(4, 12, 5), nn.Linear(192, 10))
    torch.save(module.state_dict(), tmp_path / "weights.pt")
    given = np.random.default_rng(0).integers(256, size=(6, 28, 28)).astype(np.uint8)
    np.save(tmp_path / "in.npy", given)
    options = ["--shift", "bim", "--severity", "3", "--seed", "1", "--architecture", "lenet-1", "--quiet"]
    files = [tmp_path / "in.npy", "--out", tmp_path / "out.npy"]
    command.ok("shift", *files, *options, "--model", tmp_path / "weights.pt")
    moved = np.load(tmp_path / "out.npy").astype(int) - given
    assert 0 < np.abs(moved).max() <= round(255 * EPSILON[2])
    assert "--model" in command.refusal("shift", *files, *options)
