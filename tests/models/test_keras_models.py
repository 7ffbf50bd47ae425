"""Keras files in both formats, against what Keras itself says about the models they were saved from."""

import json
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest
from scipy.special import log_softmax, softmax

from testimate.core.errors import BadInput
from testimate.datasets.class_lists import lists_beside
from testimate.models.texts import tokenizer_of

FORMATS = ("keras", "h5")


def roles_said(warm, facts, batch):
    said = warm.run(batch, list(facts.roles.values()))
    return {role: said[layer] for role, layer in facts.roles.items()}


@pytest.mark.parametrize("kind", FORMATS)
def test_layers_are_kerass_own_with_dropout_and_batch_normalization_in_evaluation_mode(warm, keras_files, kind):
    facts = warm.open(keras_files / f"images.{kind}")
    keras = np.load(keras_files / "images.npz")
    said = roles_said(warm, facts, keras["batch"])
    for role, part in {"FL": "conv", "LHL": "hidden", "logits": "scores"}.items():
        assert facts.roles[role] == part
        np.testing.assert_allclose(said[role], keras[part].reshape(6, -1), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(said["CON"], keras["output"], rtol=1e-4)
    assert (facts.input_shape, facts.channels, facts.classes, facts.parameters) == ((8, 8, 3), "last", 3, 403)
    assert "block/conv2d" in facts.layers, "layers of a model inside the model are listed by their path"
    first = np.moveaxis(keras["batch"], 3, 1)
    np.testing.assert_array_equal(warm.run(first, ["conv"])["conv"], said["FL"])


@pytest.mark.parametrize("kind", FORMATS)
def test_token_ids_stay_whole_and_log_softmax_becomes_probabilities(warm, keras_files, kind):
    facts = warm.open(keras_files / f"text.{kind}")
    keras = np.load(keras_files / "text.npz")
    said = roles_said(warm, facts, keras["batch"])
    np.testing.assert_allclose(said["CON"], np.exp(keras["output"]), rtol=1e-4)
    np.testing.assert_allclose(log_softmax(said["logits"], axis=1), keras["output"], rtol=1e-4)
    assert (facts.output, facts.roles["FL"], facts.widths["FL"]) == ("log-probabilities", "embedding", 30)
    with pytest.raises(BadInput, match="takes whole numbers"):
        warm.run(keras["batch"] + 0.5, ["embedding"])


def test_one_sigmoid_becomes_two_classes(warm, keras_files):
    facts = warm.open(keras_files / "one.keras")
    keras = np.load(keras_files / "one.npz")
    said = roles_said(warm, facts, keras["batch"])
    np.testing.assert_allclose(said["CON"], np.hstack([1 - keras["output"], keras["output"]]), rtol=1e-5)
    np.testing.assert_allclose(said["logits"], np.hstack([0 * keras["score"], keras["score"]]), rtol=1e-5)
    assert (facts.output, facts.classes) == ("one probability", 2)


def test_several_sigmoids_are_several_labels_and_one_number_a_regression(warm, keras_files):
    facts = warm.open(keras_files / "labels.keras")
    keras = np.load(keras_files / "labels.npz")
    np.testing.assert_allclose(roles_said(warm, facts, keras["batch"])["CON"], keras["output"], rtol=1e-5)
    assert facts.output == "several probabilities"
    facts = warm.open(keras_files / "regression.h5")
    keras = np.load(keras_files / "regression.npz")
    np.testing.assert_allclose(roles_said(warm, facts, keras["batch"])["OUT"], keras["output"], rtol=1e-5)
    assert (facts.output, facts.classes) == ("numbers", 0)


def test_layers_of_mixed_precision_are_still_one_chain_from_the_first(warm, keras_files):
    facts = warm.open(keras_files / "half.keras")
    keras = np.load(keras_files / "half.npz")
    said = roles_said(warm, facts, keras["batch"])
    np.testing.assert_allclose(said["CON"], keras["output"], rtol=1e-3)
    assert (said["FL"].shape, said["LHL"].shape) == ((6, 6), (6, 6))


def edited(source: Path, target: Path, change, version: str = "2.3.1") -> Path:
    """A copy of a legacy file with another description of its layers, and as if from that version of Keras."""
    target.write_bytes(source.read_bytes())
    with h5py.File(target, "r+") as file:
        config = json.loads(file.attrs["model_config"])
        file.attrs["model_config"] = json.dumps(change(config)).encode()
        file.attrs["keras_version"] = version.encode()
    return target


@pytest.mark.parametrize("way", ["in the first layer", "beside the layers", "nowhere", "nowhere, in a list"])
def test_a_sequential_model_of_keras_2_without_an_input_layer_gets_it_from_what_there_is(
    warm, keras_files, tmp_path, way
):
    def forget(config):
        layers = [layer for layer in config["config"]["layers"] if layer["class_name"] != "InputLayer"]
        if way == "in the first layer":
            layers[0]["config"]["batch_input_shape"] = [None, 28, 28, 1]
        whole = {"name": "s", "layers": layers}
        if way == "beside the layers":
            whole["build_input_shape"] = [None, 28, 28, 1]
        return {"class_name": "Sequential", "config": layers if way.endswith("list") else whole}

    facts = warm.open(edited(keras_files / "sequential.h5", tmp_path / "old.h5", forget))
    keras = np.load(keras_files / "sequential.npz")
    assert facts.input_shape == (28, 28, 1)
    np.testing.assert_allclose(roles_said(warm, facts, keras["batch"])["logits"], keras["output"], rtol=1e-4, atol=1e-6)


def test_paces_lenet5_as_a_sequential_model_without_an_input_shape_says_the_same(warm, real_data, mnist, tmp_path):
    def forget(config):
        layers = [
            {"class_name": layer["class_name"], "config": layer["config"]}
            for layer in config["config"]["layers"]
            if layer["class_name"] != "InputLayer"
        ]
        return {"class_name": "Sequential", "config": layers}

    source = real_data / "pace" / "LeNet-5.h5"
    facts = warm.open(edited(source, tmp_path / "old.h5", forget, "2.2.4"))
    whole = roles_said(warm, facts, mnist["x"][:500])
    assert facts.input_shape == (28, 28, 1)
    facts = warm.open(source)
    np.testing.assert_allclose(roles_said(warm, facts, mnist["x"][:500])["CON"], whole["CON"], rtol=1e-5, atol=1e-7)


def test_a_recurrent_layer_of_keras_2_says_that_its_time_comes_after_the_batch(warm, keras_files, tmp_path):
    def with_time(value):
        if isinstance(value, list):
            return [with_time(one) for one in value]
        if not isinstance(value, dict):
            return value
        changed = {name: with_time(one) for name, one in value.items()}
        if changed.get("class_name") == "LSTM":
            changed["config"]["time_major"] = False
        return changed

    path = edited(keras_files / "text.h5", tmp_path / "old.h5", with_time, "2.12.0")
    assert b"time_major" in path.read_bytes()
    keras = np.load(keras_files / "text.npz")
    said = roles_said(warm, warm.open(path), keras["batch"])
    np.testing.assert_allclose(np.log(said["CON"]), keras["output"], rtol=1e-4, atol=1e-5)


def test_the_hard_sigmoid_of_keras_2_keeps_its_old_slope(warm, keras_files, tmp_path):
    batch = np.load(keras_files / "hard.npz")["batch"]
    with np.load(keras_files / "hard_weights.npz") as kept:
        kernel, bias, kernel_2, bias_2 = (kept[name] for name in kept.files)
    inner = batch @ kernel + bias
    for version, hidden in (("2.2.4", np.clip(0.2 * inner + 0.5, 0, 1)), ("3.15.1", np.clip(inner / 6 + 0.5, 0, 1))):
        facts = warm.open(edited(keras_files / "hard.h5", tmp_path / "hard.h5", lambda config: config, version))
        said = roles_said(warm, facts, batch)
        np.testing.assert_allclose(said["LHL"], hidden, rtol=1e-5)
        np.testing.assert_allclose(said["CON"], softmax(hidden @ kernel_2 + bias_2, axis=1), rtol=1e-4)


def test_a_model_that_claims_thousands_of_millions_of_weights_is_refused_before_they_are_made(
    warm, real_data, keras_files, tmp_path
):
    def grow(config):
        text = json.dumps(config)
        assert '"units": 128' in text
        return json.loads(text.replace('"units": 128', '"units": 5000000000'))

    with pytest.raises(BadInput, match=r"claims 3,365,\d{3},\d{3},\d{3} weights"):
        warm.open(edited(real_data / "pace" / "LeNet-5.h5", tmp_path / "huge.h5", grow, "2.2.4"))
    assert warm.open(keras_files / "one.keras").classes == 2, "the process lives on"


def test_a_saved_model_that_a_person_vouches_for_has_its_layers_found(warm, keras_files):
    facts = warm.open(keras_files / "saved_model", trust=True)
    batch = np.load(keras_files / "regression.npz")["batch"]
    said = roles_said(warm, facts, batch)
    assert (facts.output, facts.parameters, facts.widths["FL"], facts.widths["LHL"]) == ("probabilities", 43, 5, 5)
    np.testing.assert_array_equal(said["LHL"], np.maximum(said["FL"], 0))
    np.testing.assert_allclose(softmax(said["logits"], axis=1), said["CON"], rtol=1e-5)
    assert (said["CON"] < 1).all()


def test_a_lambda_layer_runs_only_for_a_person_who_vouches_for_it(warm, keras_files):
    for kind in FORMATS:
        with pytest.raises(BadInput, match=r"Lambda layer \(hidden Python code\)"):
            warm.open(keras_files / f"lambda.{kind}")
    assert warm.open(keras_files / "lambda.keras", trust=True).parameters == 10


def test_teachable_machines_zip_is_its_model_with_the_names_of_its_classes(warm, keras_files, tmp_path):
    whole = tmp_path / "converted_keras.zip"
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("keras_model.h5", (keras_files / "teachable.h5").read_bytes())
        archive.writestr("labels.txt", "0 Paper\n1 Rock\n2 Scissors\n")
    facts, alone = warm.open(whole), warm.open(keras_files / "teachable.h5")
    batch = np.load(keras_files / "teachable.npz")["batch"]
    np.testing.assert_array_equal(roles_said(warm, facts, batch)["CON"], roles_said(warm, alone, batch)["CON"])
    assert next(lists_beside(whole, tmp_path)).names == ("Paper", "Rock", "Scissors")
    assert tokenizer_of(whole) == b""  # asked before the kind of the model is known


def test_a_teachable_machine_file_gives_the_answers_of_the_network_it_describes(warm, keras_files):
    facts = warm.open(keras_files / "teachable.h5")
    keras = np.load(keras_files / "teachable.npz")
    assert (facts.input_shape, facts.classes, facts.output) == ((8, 8, 3), 3, "probabilities")
    np.testing.assert_allclose(roles_said(warm, facts, keras["batch"])["CON"], keras["output"], rtol=1e-5)
