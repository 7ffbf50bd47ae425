"""PyTorch weight files: read without running anything, and only for networks known by heart."""

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save
from torch import nn

from testimate.core.errors import BadInput
from testimate.demos.digits_network import network as digits_network
from testimate.models.description import ModelDescription, ModelToOpen
from testimate.models.graph import NeedsExample
from testimate.models.torch_files import open_safetensors, open_torch_file
from testimate.models.worker import open_model
from tests.each import each


def net(tanh: bool = False, classes: int = 7, colors: int = 1) -> nn.Sequential:
    """A LeNet-5 for 28 x 28 with padding, or for colored 32 x 32 without."""
    act = nn.Tanh if tanh else nn.ReLU
    pool = nn.AvgPool2d if tanh else nn.MaxPool2d
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(4)
        return nn.Sequential(
            *(
                nn.Conv2d(colors, 6, 5, padding=2 if colors == 1 else 0),
                act(),
                pool(2),
                nn.Conv2d(6, 16, 5),
                act(),
                pool(2),
            ),
            *(nn.Flatten(), nn.Linear(400, 120), act(), nn.Linear(120, 84), act(), nn.Linear(84, classes)),
        ).eval()


def request(content: bytes, **choices: object) -> ModelToOpen:
    trust, example = bool(choices.pop("trust", False)), choices.pop("example", None)
    return ModelToOpen("PyTorch", content, "f", trust, ModelDescription(Path("m.pt"), **choices), example)


def saved(thing: object, **options: object) -> bytes:
    content = io.BytesIO()
    torch.save(thing, content, **options)
    return content.getvalue()


@each("tanh", [False, True])
@each("colors", [1, 3])
@each("wrapped", ["plain", "checkpoint", "another key", "parallel", "old format", "safetensors"])
def test_weights_of_a_lenet5_say_what_the_module_they_came_from_says(tanh, colors, wrapped):
    module = net(tanh, colors=colors)
    weights = module.state_dict()
    choice = "lenet-5-tanh" if tanh else "lenet-5"
    if wrapped == "safetensors":
        model = open_safetensors(request(save(weights), architecture=choice))
    else:
        content = {
            "plain": saved(weights),
            "checkpoint": saved({"epoch": 3, "state_dict": weights}),
            "another key": saved({"net": weights, "acc": 91.5, "epoch": 3}),
            "parallel": saved({f"module.{name}": weight for name, weight in weights.items()}),
            "old format": saved(weights, _use_new_zipfile_serialization=False),
        }[wrapped]
        model = open_torch_file(request(content, architecture=choice))
    side = 28 if colors == 1 else 32
    images = np.random.default_rng(1).random((3, colors, side, side), dtype=np.float32)
    with torch.no_grad():
        expected = module(torch.tensor(images)).softmax(1).numpy()
    np.testing.assert_allclose(model.run(images, ["(probabilities)"])["(probabilities)"], expected, rtol=1e-5)
    assert model.facts.widths == {"ORI": images[0].size, "FL": 6 * 28 * 28, "LHL": 84, "logits": 7, "CON": 7}


def test_the_datasets_pictures_decide_between_28_with_padding_and_32_without():
    images = np.zeros((2, 32, 32), dtype=np.float32)
    model = open_torch_file(request(saved(net().state_dict()), architecture="lenet-5", example=images))
    assert model.facts.input_shape == (1, 32, 32)


def test_the_digits_network_and_a_lenet1_are_known_by_their_shapes():
    module = digits_network().eval()
    model = open_torch_file(request(saved(module.state_dict())))
    images = np.random.default_rng(1).random((3, 8, 8), dtype=np.float32)
    with torch.no_grad():
        expected = module(torch.tensor(images[:, None])).numpy()
    np.testing.assert_allclose(model.run(images, [model.roles["logits"]])[model.roles["logits"]], expected, rtol=1e-5)
    lenet1 = nn.Sequential(nn.Conv2d(1, 4, 5), nn.Conv2d(4, 12, 5), nn.Linear(192, 10)).state_dict()
    assert open_torch_file(request(saved(lenet1), architecture="lenet-1")).facts.widths["LHL"] == 192


@each(
    ("thing", "choices", "sentence"),
    [
        (net().state_dict(), {}, "fit lenet-5 and lenet-5-tanh"),
        (net().state_dict(), {"architecture": "lenet-1"}, "by the name lenet-1"),
        (net().state_dict(), {"architecture": "resnet"}, "no architecture 'resnet'"),
        (nn.Linear(3, 2).state_dict(), {}, "fit no network Testimate knows"),
        (nn.BatchNorm1d(3).state_dict(), {}, "fit no network Testimate knows"),
        ([torch.ones(2)], {}, "contains a list, not weights"),
        ({"weight": 3}, {}, r"contains a dict with 'weight', not weights.*torch\.save\(model\.state_dict"),
        (
            {"ema": net().state_dict(), "raw": net().state_dict()},
            {},
            r"the weights of 2 models, 'ema', 'raw'.*\[\"ema\"\]",
        ),
        ({"weight": torch.zeros(1).expand(10**6, 10**6)}, {}, "claims 1,000,000,000,000 numbers"),
        ({"weight": torch.eye(3).to_sparse()}, {}, "claims 9 numbers"),
        (net(), {}, "contains a whole Python object, which can run any program"),
    ],
)
def test_what_does_not_fit_or_claims_too_much_is_refused_with_a_sentence(thing, choices, sentence):
    with pytest.raises(BadInput, match=sentence):
        open_torch_file(request(saved(thing), **choices))


def test_a_packed_archive_and_a_cut_file_are_refused():
    content = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(saved(net().state_dict()))) as plain,
        zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed,
    ):
        for name in plain.namelist():
            packed.writestr(name, plain.read(name))
    with pytest.raises(BadInput, match="not packed the way PyTorch packs it"):
        open_torch_file(request(content.getvalue()))
    old = saved(net().state_dict(), _use_new_zipfile_serialization=False)
    with pytest.raises(BadInput, match=r"cannot be read|whole Python object"):
        open_torch_file(request(old[: len(old) // 2]))
    with pytest.raises(BadInput, match="safetensors file cannot be read"):
        open_safetensors(request(save({"a": torch.ones(3)})[:-4]))


def test_a_whole_module_that_a_person_vouches_for_needs_an_input_of_its_dataset():
    content = saved(net())
    with pytest.raises(NeedsExample, match="together with its dataset"):
        open_torch_file(request(content, trust=True))
    images = np.zeros((2, 1, 28, 28), dtype=np.float32)
    assert open_torch_file(request(content, trust=True, example=images)).facts.classes == 7


class Gray(nn.Module):
    """Takes one color alone, as a network of handwriting does."""

    def __init__(self, colors: int) -> None:
        super().__init__()
        self.conv, self.dense = nn.Conv2d(colors, 2, 3), nn.Linear(2 * 6 * 6, 3)

    def forward(self, x):
        return self.dense(self.conv(x).flatten(1))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch would rather write .pt2
@each(
    ("network", "stored", "taken"),
    [
        (Gray(1), (4, 8, 8, 3), (1, 8, 8)),
        (Gray(3), (4, 8, 8, 3), (3, 8, 8)),
        (Gray(3), (4, 8, 8), (3, 8, 8)),
        (nn.Linear(64, 3), (4, 8, 8), (64,)),
    ],
)
def test_a_torchscript_file_takes_pictures_in_the_colors_and_axes_it_runs_with(network, stored, taken):
    content = io.BytesIO()
    torch.jit.save(torch.jit.script(network.eval()), content)
    given = replace(request(content.getvalue(), example=np.ones(stored, dtype=np.float32)), kind="TorchScript")
    assert open_model(given).facts.input_shape == taken
