"""From the terminal: features of one's own model, the cache's verbs, and CIFAR's pickles turned into arrays."""

import hashlib
import json
import pickle
import platform

import numpy as np
import pytest
import torch
from torch import nn

from testimate.core.fingerprint import of_bytes
from testimate.subjects.prediction_table import read_table

pytestmark = pytest.mark.usefixtures("models_in_this_process")


def test_the_table_and_the_features_are_what_the_network_says_and_select_reads_them(own, tmp_path, command):
    table, features, project = tmp_path / "t.parquet", tmp_path / "f.npy", tmp_path / "project"
    status, out, _ = command(
        *("features", own.model, own.dataset, "--layers", "lhl,con", "--auxiliary", "dsa,lsa"),
        *("--out", table, "--out-features", features, "--project", project),
    )
    assert status == 0
    assert "Accuracy 80.00% on all 60 inputs" in out
    read = read_table(table, name="t.parquet").inputs
    np.testing.assert_array_equal(read.predictions, own.probabilities(own.x).argmax(axis=1))
    np.testing.assert_array_equal(read.truth, own.y)
    np.testing.assert_allclose(read.probabilities, own.probabilities(own.x), atol=1e-6)
    np.testing.assert_allclose(read.confidence, own.probabilities(own.x).max(axis=1), atol=1e-6)
    assert {"dsa", "lsa"} <= set(read.scores)
    said = np.hstack([own.hidden(own.x), own.probabilities(own.x)])
    np.testing.assert_allclose(np.load(features), said, atol=1e-5)
    plan = tmp_path / "plan.json"
    for technique in (("rrs", "--auxiliary", "dsa"), ("ces", "--features", features)):
        status, _, err = command(
            *("select", table, "--technique", *technique, "--budget", 30, "--seed", 1, "--out", plan)
        )
        assert (status, err.count("60 rows: ")) == (0, 1)
    assert len(json.loads(plan.read_text())["draws"]) == 30


def test_a_scale_on_which_the_network_is_far_too_sure_is_said(own, tmp_path, command):
    table, project = tmp_path / "t.parquet", tmp_path / "p"
    status, out, err = command(
        "features", own.model, own.dataset, "--scale", 10_000, "--out", table, "--project", project
    )
    assert (status, err.endswith(" · prepared: scale 10000\n")) == (0, True), err
    assert "of the confidences exceed 0.9999" in out


def test_the_same_command_again_runs_no_model_over_the_data_and_writes_the_same_bytes(
    own, tmp_path, command, monkeypatch
):
    written = []
    for name in ("a", "b"):
        table, features = tmp_path / f"{name}.parquet", tmp_path / f"{name}.npy"
        arguments = (
            "--auxiliary",
            "dsa",
            "--out",
            table,
            "--out-features",
            features,
            "--project",
            tmp_path / "project",
        )
        assert command("features", own.model, own.dataset, *arguments)[0] == 0
        written.append((table.read_bytes(), features.read_bytes()))
        monkeypatch.setattr("testimate.feature_cache.cache.fill", None)  # calling it would fail
    assert written[0] == written[1]


def test_a_model_that_runs_code_needs_the_word_of_the_person_at_the_terminal(own, tmp_path, command):
    model, project = tmp_path / "whole.pt", tmp_path / "project"
    torch.save(nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3)), model)
    status, _, err = command("features", model, own.dataset, "--project", project)
    assert (status, err.count("\n")) == (2, 1)
    assert "whole Python object" in err
    status, _, err = command("features", model, own.dataset, "--project", project, "--trust", own.model)
    assert status == 2
    assert "Expected the same path" in err
    assert not project.exists()
    status, out, err = command("features", model, own.dataset, "--project", project, "--trust", model)
    assert status == 0
    digest = hashlib.sha256(model.read_bytes()).hexdigest()
    assert digest in err
    assert digest in (project / "trust.log").read_text()
    assert "60 inputs, classification" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--layers", "third"), "no layer 'third'"),
        (("--auxiliary", "luck", "--project", "{folder}"), "no slow auxiliary variable 'luck'"),
        (("--engine", "spark"), "no engine 'spark'"),
        (("--out", "{folder}/table.csv"), "ends in .parquet"),
        (("--out", "{folder}/no/table.parquet", "--project", "{folder}"), "could not be written"),
        (("--out-features", "{folder}/f.npy", "--layers", "", "--project", "{folder}"), "No layer was named"),
        (("--split", "holdout"), "no split 'holdout'"),
        (("--training", "nowhere.npz"), "nowhere.npz"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(own, tmp_path, command, arguments, sentence):
    folder = tmp_path / "out"
    folder.mkdir()
    given = [str(part).format(folder=folder) for part in arguments]
    status, out, err = command("features", own.model, own.dataset, *given)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert sentence in err
    left = {path.suffix for path in folder.rglob("*") if "cache" not in path.parts}
    assert not left & {".csv", ".parquet", ".npy", ".part"}


def test_a_sample_of_the_cache_is_computed_again_and_what_comes_out_otherwise_is_said_with_its_writer(
    own, tmp_path, command
):
    project = tmp_path / "project"
    command.ok("features", own.model, own.dataset, "--project", project)
    verify = ("cache", "verify", "--recompute", 2, "--project", project)
    assert f"rows 0 to 59 came out the same again, written by {platform.node()} (Testimate " in command.ok(*verify)
    (values,) = (project / "cache").rglob("LHL.npy")
    array = np.load(values)
    array[3, 0] += 1  # as a machine with another program would have written it, checksum and all
    np.save(values, array)
    manifest = json.loads((values.parent / "manifest.json").read_bytes())
    manifest["roles"]["LHL"]["digests"]["0"] = of_bytes(array.tobytes())
    (values.parent / "manifest.json").write_text(json.dumps(manifest))
    assert command("cache", "verify", "--project", project)[0] == 0
    status, out, _ = command(*verify)
    assert (status, "rows 0 to 59 LHL came out differently, written by" in out) == (1, True)
    command.ok("features", own.model, own.dataset, "--project", project)
    assert "came out the same again" in command.ok(*verify)


def test_the_cache_is_listed_verified_and_pruned(own, tmp_path, command):
    project = tmp_path / "project"
    command("features", own.model, own.dataset, "--auxiliary", "dsa", "--project", project)
    status, out, _ = command("cache", "list", "--project", project, "--json", "-")
    records = json.loads(out)
    assert status == 0
    assert {record["size"] for record in records} == {60, 90}
    assert sum(record["bytes"] for record in records) == sum(
        path.stat().st_size for path in (project / "cache").rglob("*") if path.is_file()
    )
    assert "0.000 GB in 3 entries" in command("cache", "list", "--project", project)[1]
    assert command("cache", "verify", "--project", project)[:2] == (0, "Every file is as it was written.\n")
    damaged = sorted((project / "cache").rglob("LHL.npy"))[0]
    content = bytearray(damaged.read_bytes())
    content[-1] ^= 1
    damaged.write_bytes(content)
    status, out, _ = command("cache", "verify", "--project", project, "--json", "-")
    assert status == 1
    assert [(found["fingerprint"], found["role"]) for found in json.loads(out)] == [(damaged.parent.name, "LHL")]
    command("features", own.model, own.dataset, "--auxiliary", "dsa", "--project", project)
    assert command("cache", "verify", "--project", project)[0] == 0  # computed again
    assert command("cache", "prune", "--project", project, "--limit", 1)[1] == "0.000 GB are kept\n"
    assert "--limit is inf. Expected" in command.refusal("cache", "prune", "--project", project, "--limit", "inf")
    status, out, _ = command("cache", "prune", "--project", project, "--limit", 0, "--json", "-")
    assert (status, len(json.loads(out)["removed"]), json.loads(out)["bytes"]) == (0, 3, 0)
    assert command("cache", "list", "--project", tmp_path / "nowhere")[0] == 2


def test_a_label_that_no_array_is_called_is_refused(own, tmp_path, command):
    arguments = ("features", own.model, own.dataset, "--label", "nope", "--project", tmp_path / "project")
    status, _, err = command(*arguments)
    assert (status, err.count("\n")) == (2, 1)
    assert "has no array of that name beside its inputs" in err


def test_cifars_pickles_become_arrays_that_open_as_a_dataset(tmp_path, command):
    folder, out = tmp_path / "cifar-10-batches-py", tmp_path / "cifar.npz"
    folder.mkdir()
    pictures = np.random.default_rng(1).integers(0, 256, (3, 3072), dtype=np.uint8)
    for name in ("data_batch_1", "test_batch"):
        batch = {b"data": pictures, b"labels": [2, 0, 1], b"filenames": [b"a", b"b", b"c"]}
        (folder / name).write_bytes(pickle.dumps(batch, protocol=2))
    status, said, err = command("convert", "cifar", folder, "--out", out)
    assert (status, err) == (0, "")
    assert said.startswith(f"Wrote {out}: 3 training and 3 test pictures")
    with np.load(out) as arrays:
        np.testing.assert_array_equal(arrays["x_test"], pictures.reshape(3, 3, 32, 32).transpose(0, 2, 3, 1))
        np.testing.assert_array_equal(arrays["y_test"], [2, 0, 1])
    (tmp_path / "empty").mkdir()
    status, _, err = command("convert", "cifar", tmp_path / "empty", "--out", tmp_path / "x.npz")
    assert (status, err.count("\n")) == (2, 1)


def test_texts_without_tokens_are_refused_with_what_to_write_beside_the_model(own, tmp_path, command):
    texts = tmp_path / "texts.csv"
    texts.write_text("text,label\n" + "".join(f"a text of row {row},{row % 3}\n" for row in range(9)))
    status, _, err = command("features", own.model, texts, "--project", tmp_path / "project")
    assert (status, err.count("\n")) == (2, 1)
    assert "Write how it was trained into network.toml" in err
    own.model.with_suffix(".toml").write_text('[preprocessing]\ntokens = "bytes"\nlength = 4\n')
    assert command("features", own.model, texts, "--project", tmp_path / "project")[0] == 0


def test_the_first_k_classes_count_as_scikit_learn_counts_them(own, tmp_path, command):
    from sklearn.metrics import top_k_accuracy_score

    table = tmp_path / "t.parquet"
    out = command.ok("features", own.model, own.dataset, "--top-k", 2, "--out", table, "--project", tmp_path / "p")
    chances = own.probabilities(own.x)
    expected = top_k_accuracy_score(own.y, chances, k=2)
    assert expected > 0.8
    assert f"Top-2 accuracy {100 * expected:.2f}% on all 60 inputs" in out
    read = read_table(table, name="t.parquet").inputs  # the table is of the first class until it is asked for two
    np.testing.assert_allclose(read.confidence, chances.max(axis=1), atol=1e-6)
