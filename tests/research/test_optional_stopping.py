"""Watching an interval and stopping when it is narrow."""

from dataclasses import replace

import numpy as np
import pytest

from research.methods.optional_stopping import stopping, watch
from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.tasks.regression import Regression
from tests.each import each

LOOKS = (20, 40, 60, 80, 120, 180)


@pytest.fixture(scope="module")
def by_srs(inputs):
    return watch(inputs, Request("srs", 180, 3), campaigns=150, looks=LOOKS)


def test_at_a_fixed_look_the_ordinary_interval_covers_and_watched_it_misses_more_often(by_srs):
    held = (by_srs.ordinary[..., 0] <= by_srs.truth) & (by_srs.truth <= by_srs.ordinary[..., 1])
    assert held.mean(axis=0) == pytest.approx(np.full(6, 0.95), abs=0.06)
    watched = stopping(by_srs.ordinary, by_srs.looks, by_srs.truth, 0.05)
    assert watched.ever_missed > 0.08  # six looks; each alone misses in 5 of 100


def test_the_always_valid_interval_seldom_misses_however_often_one_looks(by_srs):
    watched = stopping(by_srs.always_valid, by_srs.looks, by_srs.truth, 0.05)
    assert watched.ever_missed <= 0.1  # at most 0.05 by Ville; 150 campaigns carry 0.018
    at_the_end = by_srs.always_valid[:, -1]
    missed = (at_the_end[:, 0] > by_srs.truth) | (at_the_end[:, 1] < by_srs.truth)
    assert missed.mean() == watched.ever_missed  # nested: what it ever misses it misses at the end


def test_the_tester_stops_at_the_first_narrow_interval_or_at_the_end():
    ends = np.array([[[0.0, 1.0], [0.4, 0.6], [0.45, 0.5]], [[0.0, 1.0], [0.0, 0.9], [0.0, 0.8]]])
    found = stopping(ends, np.array([10, 20, 30]), 0.55, 0.1)
    assert (found.stopped, found.labels_mean) == (0.5, 25)
    assert (found.missed_at_stop, found.ever_missed) == (0, 0.5)


def test_the_same_seed_gives_the_same_campaigns(inputs):
    one, again = (watch(inputs, Request("rrs", 60, 8), campaigns=3, looks=(30, 60)) for _ in range(2))
    assert (one.ordinary == again.ordinary).all()
    assert one.always_valid.shape == (3, 2, 2)


def test_without_a_bound_there_is_no_always_valid_interval(inputs):
    regression = replace(inputs, task=Regression(tolerance=1), losses=inputs.losses + inputs.scores["noise"])
    assert watch(regression, Request("srs", 60, 8), campaigns=2, looks=(30, 60)).always_valid is None


@each(
    ("change", "sentence"),
    [
        ({"looks": (0, 10)}, "looks are"),
        ({"looks": (20, 10)}, "looks are"),
        ({"looks": (10, 61)}, "looks are"),
        ({"campaigns": 0}, "campaigns is 0"),
        ({"looks": (3, 60)}, "At 3 labels there is no estimate yet"),
    ],
)
def test_what_cannot_be_watched_is_refused(inputs, change, sentence):
    with pytest.raises(BadInput, match=sentence):
        watch(inputs, Request("rrs", 60, 8), **({"campaigns": 2, "looks": (30, 60)} | change))


def test_a_half_width_of_0_is_refused(by_srs):
    with pytest.raises(BadInput, match="half-width is 0"):
        stopping(by_srs.ordinary, by_srs.looks, by_srs.truth, 0)
