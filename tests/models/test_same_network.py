"""PACE's real LeNets: their published accuracies, and the same predictions from every format of the same network."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from testimate.models import open_model_file
from testimate.models.description import ModelDescription

PUBLISHED = {"LeNet-1": 0.9486, "LeNet-5": 0.9868, "mutant1": 0.7953}
"""Accuracy on the 10,000 test pictures of MNIST / 255 (PACE, Table 1)."""


def said(run, roles, images) -> dict[str, np.ndarray]:
    parts = [run(images[start : start + 500], list(roles.values())) for start in range(0, len(images), 500)]
    return {role: np.concatenate([part[layer] for part in parts]) for role, layer in roles.items()}


@pytest.mark.parametrize("name", PUBLISHED)
def test_paces_keras_2_files_have_their_published_accuracies(warm, real_data, mnist, name):
    facts = warm.open(real_data / "pace" / f"{name}.h5")
    values = said(warm.run, {"CON": facts.roles["CON"]}, mnist["x"])
    assert np.mean(values["CON"].argmax(axis=1) == mnist["y"]) == pytest.approx(PUBLISHED[name], abs=1e-9)
    assert facts.roles["LHL"] == {"LeNet-1": "flatten"}.get(name, "fc2"), "layers[-3], as PACE takes it"


def test_lenet5_opens_in_a_process_of_its_own_with_its_facts_and_says_the_same_bits_in_another(warm, real_data, mnist):
    opened = open_model_file(ModelDescription(real_data / "pace" / "LeNet-5.h5"))
    model = opened.model
    try:
        assert (opened.kind, opened.facts.parameters, opened.facts.input_shape) == ("Keras HDF5", 89_698, (28, 28, 1))
        values = model.run(mnist["x"][:300], list(model.roles.values()))
        assert values["fc2"].shape == (300, 84)
        assert np.mean(values["(probabilities)"].argmax(axis=1) == mnist["y"][:300]) > 0.95
        warm.open(real_data / "pace" / "LeNet-5.h5")
        again = warm.run(mnist["x"][:300], list(model.roles.values()))
        for layer, first in values.items():
            np.testing.assert_array_equal(again[layer], first)  # so that a killed run ends as one that was not
    finally:
        model.close()


@pytest.fixture(scope="module")
def keras_said(warm, real_data, mnist) -> dict[str, np.ndarray]:
    """What Keras says about 1,000 pictures."""
    return said(warm.run, warm.open(real_data / "pace" / "LeNet-5.h5").roles, mnist["x"][:1000])


def onnx(net: nn.Module, folder: Path, example: torch.Tensor) -> dict:
    axes = {"images": {0: "n"}}
    torch.onnx.export(net, (example,), str(folder / "m"), dynamo=False, input_names=["images"], dynamic_axes=axes)
    return {}


def weights(net: nn.Module, folder: Path, example: torch.Tensor) -> dict:
    torch.save(net.state_dict(), folder / "m")
    return {"architecture": "lenet-5"}


def safe_weights(net: nn.Module, folder: Path, example: torch.Tensor) -> dict:
    save_file(net.state_dict(), folder / "m")
    return {"architecture": "lenet-5"}


def exported(net: nn.Module, folder: Path, example: torch.Tensor) -> dict:
    shapes = ({0: torch.export.Dim("n", min=1)},)
    torch.export.save(torch.export.export(net, (example,), dynamic_shapes=shapes), folder / "m.pt2")
    (folder / "m.pt2").rename(folder / "m")
    return {"trust": True}


def script(net: nn.Module, folder: Path, example: torch.Tensor) -> dict:
    torch.jit.save(torch.jit.trace(net, example), str(folder / "m"))
    return {"trust": True, "example": example.numpy()}


def whole(net: nn.Module, folder: Path, example: torch.Tensor) -> dict:
    torch.save(net, folder / "m")
    return {"trust": True, "example": example.numpy()}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's older exporters, which testers still use
@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("save", [onnx, weights, safe_weights, exported, script, whole])
def test_every_format_of_the_same_network_says_the_same(warm, lenet5, keras_said, mnist, tmp_path, save):
    choices = save(lenet5, tmp_path, torch.tensor(mnist["x"][:2, None]))
    facts = warm.open(tmp_path / "m", **choices)
    values = said(warm.run, facts.roles, mnist["x"][:1000])
    np.testing.assert_array_equal(values["CON"].argmax(axis=1), keras_said["CON"].argmax(axis=1))
    for role in ("CON", "logits", "LHL", "ORI"):
        np.testing.assert_allclose(values[role], keras_said[role], rtol=1e-3, atol=1e-4)
    first = keras_said["FL"].reshape(-1, 28, 28, 8)  # colors are last in Keras
    np.testing.assert_allclose(values["FL"].reshape(-1, 8, 28, 28), np.moveaxis(first, 3, 1), rtol=1e-3, atol=1e-4)
    assert (facts.parameters, facts.widths["LHL"], facts.classes) == (89_698, 84, 10)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_program_exported_in_training_mode_runs_without_dropout_and_with_its_running_means(warm, tmp_path):
    net = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Dropout(0.5), nn.Linear(6, 3), nn.Softmax(1)).train()
    nn.init.constant_(net[1].running_mean, 0.7)
    rows = torch.rand(5, 4)
    program = torch.export.export(net, (rows,), dynamic_shapes=({0: torch.export.Dim("n", min=2)},))
    torch.export.save(program, tmp_path / "m.pt2")
    traced = torch.jit.script(net)
    torch.jit.save(traced, str(tmp_path / "m.ts"))
    with torch.no_grad():
        expected = net.eval()(rows).numpy()
    for name in ("m.pt2", "m.ts"):
        facts = warm.open(tmp_path / name, trust=True, example=rows.numpy())
        layer = facts.roles["CON"]
        np.testing.assert_allclose(warm.run(rows.numpy(), [layer])[layer], expected, rtol=1e-4)
        assert facts.output == "probabilities"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_pictures_with_their_colors_last_reach_a_torchscript_file_with_their_colors_first(warm, tmp_path):
    net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 5 * 4, 3)).eval()
    pictures = torch.rand(5, 3, 7, 6)
    with torch.no_grad():
        expected = net(pictures).numpy()
    torch.jit.save(torch.jit.script(net), str(tmp_path / "m.ts"))
    torch.save(net, tmp_path / "m.pt")
    for name in ("m.ts", "m.pt"):
        facts = warm.open(tmp_path / name, trust=True, example=np.moveaxis(pictures.numpy(), 1, 3))
        assert (facts.input_shape, facts.channels) == ((3, 7, 6), "first")
        layer = facts.roles["logits"]
        np.testing.assert_allclose(warm.run(np.moveaxis(pictures.numpy(), 1, 3), [layer])[layer], expected, rtol=1e-4)
