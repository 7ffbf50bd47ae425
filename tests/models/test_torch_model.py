"""Recorded layers against forward passes written by hand with torch's functions."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from testimate.core.errors import BadInput
from testimate.models.torch_graph import TorchModel
from tests.each import each

RNG = np.random.default_rng(5)
IMAGES = RNG.random((6, 1, 8, 8), dtype=np.float32)


class SmallNet(nn.Module):
    """A convolution with an in-place ReLU that runs twice, dropout, batch normalization and two dense layers."""

    def __init__(self, last: nn.Module) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(1)
        self.conv = nn.Conv2d(1, 3, 3)
        self.relu = nn.ReLU(inplace=True)
        self.drop = nn.Dropout(0.5)
        self.hidden = nn.Linear(3 * 36, 7)
        self.out = nn.Linear(7, 4)
        self.last = last

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.relu(self.conv(self.norm(x)))
        x = self.drop(self.relu(self.hidden(x.flatten(1))))
        return self.last(self.out(x))


def small_net(last: nn.Module | None = None) -> SmallNet:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        net = SmallNet(last or nn.Identity())
        nn.init.uniform_(net.norm.running_mean, 0.2, 0.4)
        return net


def by_hand(net: SmallNet, images: np.ndarray) -> dict[str, np.ndarray]:
    with torch.no_grad():
        x = torch.tensor(images)
        mean, variance = net.norm.running_mean, net.norm.running_var
        x = (x - mean) / (variance + net.norm.eps).sqrt() * net.norm.weight + net.norm.bias
        first = functional.conv2d(x, net.conv.weight, net.conv.bias)
        hidden = functional.relu(functional.relu(first).flatten(1) @ net.hidden.weight.T + net.hidden.bias)
        logits = hidden @ net.out.weight.T + net.out.bias
    outputs = {"FL": first.flatten(1), "LHL": hidden, "logits": logits, "CON": logits.softmax(1)}
    return {"ORI": images.reshape(len(images), -1), **{role: value.numpy() for role, value in outputs.items()}}


@each("last", [None, nn.Softmax(1), nn.LogSoftmax(1)])
def test_every_role_is_what_a_forward_pass_by_hand_gives_with_softmax_applied_once(last):
    net = small_net(last)
    model = TorchModel(net, example=IMAGES[:1], fingerprint="f")
    said = model.run(IMAGES, list(model.roles.values()))
    for role, expected in by_hand(net, IMAGES).items():
        assert said[model.roles[role]].dtype == np.float32
        np.testing.assert_allclose(said[model.roles[role]], expected, rtol=1e-5, atol=1e-6)


def test_layers_are_listed_in_the_order_they_run_and_a_second_run_is_numbered():
    model = TorchModel(small_net(), example=IMAGES[:1], fingerprint="f")
    assert model.layers == (
        *("(input)", "norm", "conv", "relu", "input of hidden", "hidden", "relu#2", "drop", "out", "last"),
        "(probabilities)",
    )
    assert model.roles == {
        "ORI": "(input)",
        "FL": "conv",
        "LHL": "drop",
        "logits": "out",
        "CON": "(probabilities)",
    }


def test_an_in_place_relu_does_not_overwrite_what_the_layer_before_it_said():
    net = small_net()
    said = TorchModel(net, example=IMAGES[:1], fingerprint="f").run(IMAGES, ["conv", "relu"])
    assert said["conv"].min() < 0
    np.testing.assert_array_equal(np.maximum(said["conv"], 0), said["relu"])


def test_a_run_leaves_no_hook_behind_even_when_it_fails():
    net = small_net()
    model = TorchModel(net, example=IMAGES[:1], fingerprint="f")
    model.run(IMAGES, ["conv"])
    net.hidden = nn.Linear(5, 7)
    with pytest.raises(BadInput, match=r"cannot run inputs of shape \(6, 1, 8, 8\)"):
        model.run(IMAGES, ["conv"])
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in net.modules())


def test_a_module_left_in_training_mode_still_runs_in_evaluation_mode_and_repeats_itself():
    net = small_net()
    model = TorchModel(net, example=IMAGES[:1], fingerprint="f")
    first = model.run(IMAGES, ["out"])["out"]
    net.train()
    np.testing.assert_array_equal(model.run(IMAGES, ["out"])["out"], first)
    assert net.norm.num_batches_tracked == 0


def test_a_module_that_always_draws_random_numbers_repeats_itself_and_leaves_the_callers_generator_alone():
    class Noisy(nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return super().forward(x) + torch.randn(len(x), 3)

    model = TorchModel(Noisy(4, 3), example=np.ones((1, 4), dtype=np.float32), fingerprint="f")
    batch = np.ones((5, 4), dtype=np.float32)
    state = torch.get_rng_state()
    np.testing.assert_array_equal(
        model.run(batch, model.layers[-1:])["(probabilities)"], model.run(batch, model.layers)["(probabilities)"]
    )
    assert torch.equal(torch.get_rng_state(), state)


def test_the_batch_is_not_changed_by_a_module_that_works_in_place():
    net = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(4, 2))
    batch = -np.ones((3, 4), dtype=np.float32)
    batch.flags.writeable = False
    said = TorchModel(net, example=batch, fingerprint="f").run(batch, ["(input)", "0"])
    assert said["(input)"].tolist() == batch.tolist()
    assert not said["0"].any()


def test_one_sigmoid_becomes_two_probabilities_and_one_plain_number_none():
    batch = RNG.random((5, 4), dtype=np.float32)
    linear = nn.Linear(4, 1)
    model = TorchModel(nn.Sequential(linear, nn.Sigmoid()), example=batch, fingerprint="f")
    with torch.no_grad():
        logit = linear(torch.tensor(batch)).numpy()
    p = 1 / (1 + np.exp(-logit))
    np.testing.assert_allclose(
        model.run(batch, ["(probabilities)"])["(probabilities)"], np.hstack([1 - p, p]), rtol=1e-5
    )
    assert "CON" not in TorchModel(nn.Sequential(linear), example=batch, fingerprint="f").roles


def test_several_sigmoids_stay_as_they_are():
    batch = RNG.random((5, 4), dtype=np.float32)
    linear = nn.Linear(4, 3)
    model = TorchModel(nn.Sequential(linear, nn.Sigmoid()), example=batch[:1], fingerprint="f")
    with torch.no_grad():
        expected = linear(torch.tensor(batch)).sigmoid().numpy()
    np.testing.assert_allclose(model.run(batch, ["(probabilities)"])["(probabilities)"], expected, rtol=1e-6)


def test_token_ids_stay_whole_numbers_and_the_embedding_is_the_first_layer():
    net = nn.Sequential(nn.Embedding(10, 3), nn.Flatten(), nn.Linear(6, 2))
    tokens = np.array([[1, 9], [0, 3]])
    model = TorchModel(net, example=tokens, fingerprint="f")
    said = model.run(tokens, [model.roles["FL"]])["0"]
    np.testing.assert_array_equal(said, net[0].weight.detach().numpy()[tokens].reshape(2, 6))


@pytest.mark.parametrize(
    ("net", "sentence"),
    [
        (nn.Conv2d(2, 1, 3), "cannot run inputs of shape"),
        (nn.Sequential(nn.Linear(8, 2)), "Expected one row of numbers per input"),
    ],
)
def test_a_module_that_cannot_be_used_is_refused_with_a_sentence(net, sentence):
    with pytest.raises(BadInput, match=sentence):
        TorchModel(net, example=IMAGES, fingerprint="f")


def test_an_unknown_layer_is_refused_by_name():
    model = TorchModel(small_net(), example=IMAGES[:1], fingerprint="f")
    with pytest.raises(BadInput, match=r"no layer 'fc9'\. Expected one of"):
        model.run(IMAGES, ["fc9"])


def test_a_softmax_that_is_a_function_and_not_a_module_is_noticed_and_not_applied_twice():
    class Functional(nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return functional.softmax(super().forward(x), dim=1)

    class Wrapped(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(4, 3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return functional.softmax(self.inner(functional.relu(x)), dim=1)

    batch = RNG.random((5, 4), dtype=np.float32)
    for net in (Functional(4, 3), Wrapped()):
        model = TorchModel(net, example=batch, fingerprint="f")
        with torch.no_grad():
            np.testing.assert_allclose(
                model.run(batch, ["(probabilities)"])["(probabilities)"], net(torch.tensor(batch))
            )
        assert model.facts.output == "probabilities"
    assert model.roles["logits"] == "inner"
    assert model.roles["LHL"] == "input of inner"


def test_both_branches_of_a_sum_count_as_the_way_to_the_output():
    class Residual(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.aside, self.out = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.out(self.first(x) + self.aside(x))

    model = TorchModel(Residual(), example=np.ones((2, 4), dtype=np.float32), fingerprint="f")
    assert model.roles["FL"] == "first"


def test_pictures_without_colors_or_with_colors_last_are_turned_as_the_module_takes_them():
    net = nn.Sequential(nn.Conv2d(3, 2, 3), nn.Flatten(), nn.Linear(2 * 36, 4))
    images = RNG.random((2, 8, 8, 3), dtype=np.float32)
    model = TorchModel(net, example=np.moveaxis(images, 3, 1), fingerprint="f")
    with torch.no_grad():
        expected = net(torch.tensor(images).permute(0, 3, 1, 2)).numpy()
    np.testing.assert_allclose(model.run(images, ["2"])["2"], expected, rtol=1e-5)
