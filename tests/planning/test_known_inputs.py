"""What is known of a model's inputs: read from disk by page, right for every task, and computed once."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from testimate.auxiliary import SLOW, slow
from testimate.auxiliary.slow import SlowVariable
from testimate.auxiliary.surprise import surprise_scores
from testimate.core.errors import BadInput
from testimate.core.subject import Modality, Shown, Subject
from testimate.core.task import Task
from testimate.feature_cache import FeatureCache
from testimate.planning import known_inputs as surprise
from testimate.planning.known_inputs import known_inputs
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import Regression
from testimate.ui.subject.inputs_panel import notes
from tests.own_files import open_files

pytestmark = pytest.mark.usefixtures("models_in_this_process")


class Rows:
    """Numbers as a dataset."""

    modality: Modality = "tabular"

    def __init__(self, values: np.ndarray) -> None:
        self.values, self.fingerprint = values, f"{hash(values.tobytes()):x}"

    def __len__(self) -> int:
        return len(self.values)

    def batch(self, rows: np.ndarray) -> np.ndarray:
        return self.values[rows]

    def show(self, row: int) -> Shown:
        return Shown(modality="tabular", cells=(("row", str(row)),))


class Says:
    """A model that says its input in some roles, changed by a function each."""

    fingerprint = "says"

    def __init__(self, **roles: Any) -> None:
        self.says = roles
        self.layers, self.roles = tuple(roles), {role: role for role in roles}

    def run(self, batch: np.ndarray, layers: Sequence[str]) -> Mapping[str, np.ndarray]:
        return {layer: np.asarray(self.says[layer](batch), dtype=np.float32) for layer in layers}


def subject_of(task: Task, values: np.ndarray, truth: Any = None, **roles: Any) -> Subject:
    return Subject(
        key="own",
        name="Own",
        task=task,
        dataset=Rows(values.astype(np.float32)),
        fingerprint="own",
        model_fingerprint="says",
        open_model=lambda: Says(**roles),
        truth=truth,
    )


def test_features_stay_on_disk_and_only_probabilities_become_float64(own, tmp_path):
    inputs = known_inputs(open_files(own.model, own.dataset).subject, FeatureCache(tmp_path / "cache"))
    assert set(inputs.features) == {"ORI", "FL", "LHL", "CON"}
    for part in (inputs, inputs.training):
        assert all(isinstance(values, np.memmap) for values in part.features.values())
        assert part.probabilities.dtype == np.float64


def test_surprise_is_measured_against_the_training_set_and_computed_once(own, tmp_path, monkeypatch):
    subject, cache = open_files(own.model, own.dataset).subject, FeatureCache(tmp_path / "cache")
    inputs = known_inputs(subject, cache)
    hidden = [own.hidden(part).astype(np.float32) for part in (own.x, own.x_train)]
    classes = [own.probabilities(part).argmax(axis=1) for part in (own.x, own.x_train)]
    expected = surprise_scores(hidden[0], classes[0], hidden[1], classes[1])
    for name in ("dsa", "lsa"):
        np.testing.assert_allclose(inputs.scores[name], expected[name].values, rtol=1e-3)
    itself = surprise_scores(hidden[1], classes[1])  # the training set has only itself
    np.testing.assert_allclose(inputs.training.scores["dsa"], itself["dsa"].values, rtol=1e-3)
    monkeypatch.setattr(surprise, "LayerOutputs", None)  # calling it would fail
    again = known_inputs(subject, cache)
    np.testing.assert_array_equal(again.scores["lsa"], inputs.scores["lsa"])


def test_without_a_training_set_the_inputs_are_compared_with_each_other_and_a_note_says_so(own, tmp_path):
    subject = open_files(own.model, own.dataset).subject
    bare = replace(subject, training=None, training_truth=None)
    inputs = known_inputs(bare, FeatureCache(tmp_path / "cache"))
    expected = surprise_scores(inputs.features["LHL"], inputs.predictions)
    np.testing.assert_array_equal(inputs.scores["dsa"], expected["dsa"].values)
    assert inputs.training is None
    assert "no training set" in surprise.note_on_references(bare, inputs)
    assert surprise.note_on_references(subject, known_inputs(subject, FeatureCache(tmp_path / "cache"))) == ""


def test_only_the_roles_and_scores_asked_for_are_computed(own, tmp_path):
    cache = FeatureCache(tmp_path / "cache")
    inputs = known_inputs(open_files(own.model, own.dataset).subject, cache, roles=("FL",), auxiliary=("dsa",))
    assert set(inputs.features) == {"FL", "LHL", "CON"}  # dsa is computed from LHL
    assert {"dsa", "confidence"} <= set(inputs.scores)
    assert "lsa" not in inputs.scores
    assert {record.roles for record in cache.list()} == {
        ("CON", "logits", "FL", "LHL"),
        ("CON", "logits", "LHL"),
        ("dsa",),
    }


def test_where_all_references_would_take_too_long_a_sample_is_compared_with_and_said(own, tmp_path, monkeypatch):
    subject, cache = open_files(own.model, own.dataset).subject, FeatureCache(tmp_path / "cache")
    whole = known_inputs(subject, cache)  # 60 inputs, 90 references of width 6
    monkeypatch.setattr(surprise, "MOST_PRODUCTS", 60 * 50 * 6)
    monkeypatch.setattr(surprise, "LEAST_REFERENCES", 40)
    inputs = known_inputs(subject, cache)
    assert not np.array_equal(inputs.scores["dsa"], whole.scores["dsa"])
    expected = surprise_scores(
        inputs.features["LHL"],
        inputs.predictions,
        inputs.training.features["LHL"],
        inputs.training.predictions,
        most_references=50,
        seed=0,
    )
    np.testing.assert_array_equal(inputs.scores["dsa"], expected["dsa"].values)
    assert surprise.note_on_references(subject, inputs) == expected["dsa"].note
    assert "of 90 reference inputs, drawn at random" in expected["dsa"].note
    all_of_them = known_inputs(subject, cache, auxiliary=("dsa",), references=0)
    np.testing.assert_array_equal(all_of_them.scores["dsa"], whole.scores["dsa"])


def test_scores_from_too_small_a_sample_are_left_out_with_a_sentence_unless_asked_for(own, tmp_path, monkeypatch):
    subject, cache = open_files(own.model, own.dataset).subject, FeatureCache(tmp_path / "cache")
    monkeypatch.setattr(surprise, "MOST_PRODUCTS", 60 * 50 * 6)
    inputs = known_inputs(subject, cache)
    assert "dsa" not in inputs.scores
    assert "dsa and lsa were not computed: for 60 inputs only 50 references" in surprise.note_on_references(
        subject, inputs
    )
    assert "dsa" in known_inputs(subject, cache, auxiliary=("dsa",)).scores


def test_autoencoders_learn_from_the_training_inputs(own, tmp_path):
    subject, cache = open_files(own.model, own.dataset).subject, FeatureCache(tmp_path / "cache")
    inputs = known_inputs(subject, cache, roles=(), auxiliary=("sae",))
    assert inputs.scores["sae"].shape == (60,)
    with pytest.raises(BadInput, match="sae learns from the training set and there is none"):
        known_inputs(replace(subject, training=None), cache, roles=(), auxiliary=("sae",))
    with pytest.raises(BadInput, match="no slow auxiliary variable 'luck'"):
        known_inputs(subject, cache, roles=(), auxiliary=("luck",))


def test_what_a_score_lacks_is_said_before_the_model_runs(own, tmp_path, monkeypatch):
    subject, cache = open_files(own.model, own.dataset).subject, FeatureCache(tmp_path / "cache")
    monkeypatch.setattr("testimate.core.plug_ins.is_there", lambda module: module != "torch")
    monkeypatch.setattr(FeatureCache, "outputs", lambda *_, **__: pytest.fail("the model was run"))
    with pytest.raises(
        BadInput, match=r"sae, an autoencoder, needs PyTorch.*pip install \"testimate\[torch\]\", or take another"
    ):
        known_inputs(subject, cache, roles=(), auxiliary=("dsa", "sae"))
    with pytest.raises(BadInput, match="no slow auxiliary variable 'luck'"):
        known_inputs(subject, cache, roles=(), auxiliary=("dsa", "luck"))


def test_a_network_that_ends_in_one_number_has_no_probabilities_and_needs_none(tmp_path):
    values = np.array([[0.5, 3.0], [1.0, 4.0], [2.0, 0.0]])
    subject = subject_of(
        Regression(tolerance=0.5), values, np.array([0.5, 2.0, 1.0]), LHL=lambda x: x, OUT=lambda x: x[:, :1]
    )
    inputs = known_inputs(subject, FeatureCache(tmp_path))
    np.testing.assert_array_equal(inputs.predictions, [0.5, 1.0, 2.0])
    np.testing.assert_array_equal(inputs.losses, [0.0, 1.0, 1.0])
    assert (inputs.confidence, inputs.probabilities) == (None, None)
    assert set(inputs.scores) == {"lsa"}  # there are no classes to compare


def test_a_classifier_without_logits_and_a_task_it_is_not_for(tmp_path):
    values = np.array([[0.75, 0.25], [0.125, 0.875]])
    subject = subject_of(Classification(("a", "b")), values, np.array([0, 0]), CON=lambda x: x)
    inputs = known_inputs(subject, FeatureCache(tmp_path))
    np.testing.assert_array_equal(inputs.losses, [0, 1])
    np.testing.assert_allclose(inputs.scores["confidence"], [0.25, 0.125])
    wrong = subject_of(Regression(tolerance=1.0), values, CON=lambda x: x)
    with pytest.raises(BadInput, match="gives no logits and the task is regression"):
        known_inputs(wrong, FeatureCache(tmp_path))


def test_the_confidence_of_several_labels_is_the_chance_that_all_are_right(tmp_path):
    values = np.array([[0.75, 0.25], [0.5, 0.875]])
    subject = subject_of(MultiLabel(("a", "b")), values, np.array([[1, 0], [0, 1]]), CON=lambda x: x)
    inputs = known_inputs(subject, FeatureCache(tmp_path))
    np.testing.assert_array_equal(inputs.predictions, [[1, 0], [1, 1]])
    np.testing.assert_array_equal(inputs.losses, [0, 1])
    np.testing.assert_allclose(inputs.confidence, [0.75 * 0.75, 0.5 * 0.875])
    np.testing.assert_allclose(inputs.scores["confidence"], 1 - inputs.confidence)


def test_the_confidence_of_the_first_two_classes_is_the_sum_of_their_probabilities(tmp_path):
    values = np.array([[0.5, 0.125, 0.375], [0.25, 0.25, 0.5]])
    task = Classification(("a", "b", "c"), top_k=2)
    inputs = known_inputs(
        subject_of(task, values, np.array([2, 1]), CON=lambda x: x, LHL=lambda x: x), FeatureCache(tmp_path)
    )
    np.testing.assert_array_equal(inputs.predictions, [[0, 2], [2, 0]])  # of equals the first
    np.testing.assert_array_equal(inputs.losses, [0, 1])
    np.testing.assert_allclose(inputs.confidence, [0.875, 0.75])
    np.testing.assert_allclose(inputs.scores["confidence"], [0.125, 0.25])


class Norm(SlowVariable):
    """The length of an input's trace, in lengths of the training set's; nothing of the product knows it."""

    name = "norm"
    layer = "LHL"
    learns = True
    lacking = "lengths"

    def values(self, outputs, **_):
        lengths, of_training = (
            np.linalg.norm(features, axis=1) for features in (outputs.features, outputs.training_features)
        )
        return (lengths / of_training.mean()).astype(np.float64)


def test_a_slow_variable_never_seen_before_is_one_class_and_one_entry(own, tmp_path, monkeypatch):
    monkeypatch.setattr(slow, "Norm", Norm, raising=False)
    monkeypatch.setitem(SLOW._places, "norm", "slow:Norm")
    subject, cache = open_files(own.model, own.dataset).subject, FeatureCache(tmp_path / "cache")
    inputs = known_inputs(subject, cache, roles=(), auxiliary=("norm",))
    lengths, of_training = (np.linalg.norm(own.hidden(part), axis=1) for part in (own.x, own.x_train))
    np.testing.assert_allclose(inputs.scores["norm"], lengths / of_training.mean(), rtol=1e-4)
    surprise.write_table(inputs, tmp_path / "table.parquet")
    assert "norm" in pq.read_schema(tmp_path / "table.parquet").names
    with pytest.raises(BadInput, match="norm learns from the training set and there is none"):
        known_inputs(replace(subject, training=None), cache, roles=(), auxiliary=("norm",))
    assert "sae and vae and norm need a training set" in " ".join(notes(replace(subject, training=None), inputs))
