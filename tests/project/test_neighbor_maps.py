"""A project's neighbor maps: PCA's at once, then points on their way, then the map; stopped, or from an earlier version's."""

import threading

import numpy as np
import pytest

from testimate.core.inputs import Inputs
from testimate.project import found_clusters
from testimate.project.found_clusters import NeighborMaps, map_job_of
from testimate.project.jobs import Jobs, PagesFirst
from testimate.structure import maps as module
from testimate.structure.maps import planar_map
from testimate.tasks.classification import Classification

FEATURES = np.random.default_rng(0).normal(size=(80, 5)).astype(np.float32)


def inputs_of(key: str, progress: object) -> Inputs:
    """Two versions, "a" and "b", of 80 inputs, and another subject of 40."""
    features = {"a": FEATURES, "b": FEATURES[:, ::-1].copy(), "other": FEATURES[:40]}[key]
    return Inputs(
        fingerprint=key * 4,
        task=Classification(("no", "yes")),
        predictions=np.zeros(len(features), dtype=np.intp),
        features={"LHL": features},
    )


@pytest.fixture
def jobs() -> Jobs:
    return Jobs()


@pytest.fixture
def maps(jobs, monkeypatch) -> NeighborMaps:
    monkeypatch.setattr(module, "EARLY", 20)
    monkeypatch.setattr(module, "LATER", 20)
    return NeighborMaps(inputs_of, lambda one, other: {one, other} == {"a", "b"}, jobs, threading.RLock(), PagesFirst())


def waited(maps: NeighborMaps, jobs: Jobs, key: str) -> None:
    maps.find(key, "LHL")
    jobs.wait(map_job_of(key * 4, "LHL"), 60)


def test_pcas_map_is_there_at_once_the_points_are_seen_on_their_way_and_the_map_stays(maps, jobs, monkeypatch):
    moving, go = threading.Event(), threading.Event()

    def watched(*args, moved, **named):
        moved(np.full((80, 2), 7.0))
        moving.set()
        assert go.wait(60)
        return real(*args, moved=moved, **named)

    real = module.neighbor_map
    monkeypatch.setattr(module, "neighbor_map", watched)
    before = maps.now("a", "LHL")
    assert not before.settled
    np.testing.assert_array_equal(before.planar.points, planar_map(FEATURES, seed=0).points)
    assert maps.find("a", "LHL").state == "running"
    assert moving.wait(60)
    on_the_way = maps.now("a", "LHL")
    assert (on_the_way.settled, on_the_way.planar.points[0, 0]) == (False, 7.0)
    assert on_the_way.turn != before.turn
    go.set()
    jobs.wait(map_job_of("aaaa", "LHL"), 60)
    assert maps.find("a", "LHL") is None
    assert maps.now("a", "LHL").settled
    np.testing.assert_array_equal(
        maps.now("a", "LHL").planar.points, real(FEATURES, seed=found_clusters.MAP_SEED).points
    )


def test_a_map_that_is_stopped_leaves_pcas_and_can_be_begun_again(maps, jobs, monkeypatch):
    begun, job = threading.Event(), map_job_of("aaaa", "LHL")

    def endless(*args, progress, **named):
        begun.set()
        while True:
            progress(1, 2, "the map settles")  # raises once it was stopped

    with monkeypatch.context() as replaced:
        replaced.setattr(module, "neighbor_map", endless)
        maps.find("a", "LHL")
        assert begun.wait(60)
        jobs.cancel(job)
        assert jobs.wait(job, 60).state == "canceled"
    assert maps.now("a", "LHL").planar.method == "pca"
    assert maps.find("a", "LHL").state == "canceled"  # a page that looks does not begin it again
    assert maps.find("a", "LHL", again=True).state == "running"
    jobs.wait(job, 60)
    assert maps.now("a", "LHL").settled


def test_a_versions_map_starts_from_the_earlier_ones_where_both_are_on_the_same_inputs(maps, jobs):
    waited(maps, jobs, "a")
    earlier = maps.now("a", "LHL").planar
    np.testing.assert_array_equal(maps.now("b", "LHL").planar.points, earlier.points)
    assert maps.now("other", "LHL").planar.method == "pca"
    waited(maps, jobs, "b")
    assert maps.now("b", "LHL").settled
    expected = module.neighbor_map(FEATURES[:, ::-1], seed=found_clusters.MAP_SEED, start=earlier.points)
    np.testing.assert_array_equal(maps.now("b", "LHL").planar.points, expected.points)


def test_a_map_that_settles_makes_way_for_pages_between_its_rounds(maps, jobs, monkeypatch):
    asked = []
    monkeypatch.setattr(PagesFirst, "make_way", lambda pages: asked.append(pages))
    maps.find("a", "LHL")
    jobs.wait(map_job_of("aaaa", "LHL"))
    assert len(asked) >= 4  # 40 rounds, and a look every ten
