"""`testimate clusters`: every input with its cluster and its place, the summary, the report, and what is refused."""

import csv
import json
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

import testimate
from testimate.core.progress import one_by_one
from testimate.feature_cache import ray_engine
from testimate.project import clusters
from testimate.structure import maps
from tests.each import each

GROUP = np.arange(240) % 4
BLOBS = 9 * np.eye(4, 6)[GROUP] + np.random.default_rng(0).normal(size=(240, 6))
COLUMNS = ["row", "cluster", "membership", "glosh", "x", "y", "prototype", "criticism"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setattr(maps, "EARLY", 20)
    monkeypatch.setattr(maps, "LATER", 20)
    np.save(tmp_path / "F.npy", BLOBS)
    lines = ["prediction,confidence", *(f"<b>{group},0.9" for group in GROUP)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_each_input_has_its_cluster_its_place_and_its_rank_and_python_finds_the_same(files, command):
    said = command.ok(
        *("clusters", files / "t.csv", "--features", files / "F.npy", "--seed", 1, "--out", files / "c.csv"),
        *("--report", files / "r.html", "--json", "-"),
        *("--map", "neighbours"),  # as earlier versions spelled it
    )
    with (files / "c.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == COLUMNS
    assert [int(row["row"]) for row in rows] == list(range(240))
    cluster = np.array([int(row["cluster"]) for row in rows])
    assert set(cluster) <= {-1, 1, 2, 3, 4}
    for one in (1, 2, 3, 4):
        inside = cluster == one
        assert len(set(GROUP[inside])) == 1  # a blob each
        ranks = sorted(
            int(row["prototype"]) for row, here in zip(rows, inside, strict=True) if here and row["prototype"]
        )
        assert ranks == [1, 2, 3, 4, 5, 6]
    outside = [row for row in rows if row["cluster"] == "-1"]
    assert all(float(row["membership"]) == 0 and not row["prototype"] for row in outside)

    result = json.loads(said)
    assert set(result) == {"settings", "clusters", "noise", "validity", "neighbours_kept", "notes"}
    assert [one["size"] for one in result["clusters"]] == [int((cluster == one).sum()) for one in (1, 2, 3, 4)]
    assert all(one["purity"] == 1 and 0 <= one["persistence"] <= 1 and one["mmd2"] > 0 for one in result["clusters"])
    assert result["noise"] == pytest.approx((cluster == -1).mean())

    subject = testimate.open_subject(files / "t.csv", features=files / "F.npy")
    found = testimate.clusters(subject, seed=1)
    assert found.to_csv() == (files / "c.csv").read_text()
    assert found.to_json() == result
    frame = found.to_frame()
    assert list(frame.columns) == COLUMNS
    assert frame["prototype"].notna().sum() == 24
    assert "4 clusters of 240 inputs" in repr(found)

    page = (files / "r.html").read_text()
    assert "<b>0" not in page  # what came from the table is text
    assert "&lt;b&gt;0" in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert page.count("h0") == 240  # a dot for each input


def test_a_model_with_its_data_is_run_and_clustered(command, own, tmp_path):
    said = command.ok(
        *("clusters", own.model, own.dataset, "--seed", 1, "--out", tmp_path / "c.csv", "--layers", "lhl,con"),
        *("--map", "pca", "--scale", "1", "--project", tmp_path / "p", "--json", "-"),
    )
    assert json.loads(said)["settings"]["features"] == "LHL+CON"
    assert len((tmp_path / "c.csv").read_text().splitlines()) == 61


@each(
    "options, words",
    [
        ([], "There are no features, so there is nothing to cluster"),
        (["--features", "F.npy", "--map", "umap"], "--map is 'umap'. Expected one of neighbors, fastica, pca"),
        (["--features", "F.npy", "--min-cluster-size", 1], "min_cluster_size is 1"),
        (["--features", "short.npy"], "they must match"),
        (["--features", "nan.npy"], "contains nan or infinity"),
        (["--features", "F.npy", "--scale", "2"], "A table is not prepared"),
        (["--features", "F.npy", "--report", "t.csv"], "would be overwritten"),
    ],
)
def test_what_cannot_be_clustered_is_refused_in_a_sentence_and_nothing_is_written(
    options, words, files, command, monkeypatch
):
    monkeypatch.chdir(files)
    np.save("short.npy", BLOBS[:7])
    np.save("nan.npy", np.where(BLOBS[3, 2] == BLOBS, np.nan, BLOBS))
    assert words in command.refusal("clusters", "t.csv", "--seed", 1, "--out", "no.csv", *options)
    assert not (files / "no.csv").exists()
    assert (files / "t.csv").read_text().startswith("prediction")


def test_the_prototypes_of_large_clusters_may_be_computed_elsewhere_and_are_the_same(files, command, monkeypatch):
    here = command.ok(
        *("clusters", files / "t.csv", "--features", files / "F.npy", "--seed", 1, "--out", files / "c.csv")
    )
    sent = []

    def elsewhere(work, blocks, progress, what):
        sent.append(what)
        return one_by_one(work, blocks, progress, what)

    monkeypatch.setattr(clusters, "WORTH_SENDING", 10)
    monkeypatch.setattr(ray_engine, "RayEngine", lambda tell: SimpleNamespace(blocks=elsewhere, kept_ready=nullcontext))
    asked = ("clusters", files / "t.csv", "--features", files / "F.npy", "--seed", 1, "--out", files / "d.csv")
    assert command.ok(*asked, "--engine", "ray").replace("d.csv", "c.csv") == here
    assert (files / "c.csv").read_bytes() == (files / "d.csv").read_bytes()
    assert sent == ["kernel"] * 4
    assert "no engine 'spark'" in command.refusal(*asked, "--engine", "spark")
