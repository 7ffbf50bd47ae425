"""Adaptive rounds say when faults hide where the network is sure: there their interval holds least often."""

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from research.studies.interval_suite import inputs_of
from testimate.core.selector import Request
from testimate.planning.build import ENOUGH, build, faults_hide_words
from testimate.planning.draws import verdicts_to_the_end
from testimate.studies.campaign import LabeledCampaign, known_losses


def labeled(population: str, seed: int, technique: str = "rra") -> LabeledCampaign:
    inputs = inputs_of(population, 1_000)
    selector = build(inputs, Request(technique, 200, seed))
    return LabeledCampaign(selector.design, [*chain.from_iterable(verdicts_to_the_end(selector, known_losses(inputs)))])


def said(population: str, technique: str = "rra") -> int:
    inputs, found = inputs_of(population, 1_000), (labeled(population, seed, technique) for seed in range(6))
    return sum(bool(faults_hide_words(inputs, one.design, one.verdicts)) for one in found)


@pytest.mark.parametrize(
    ("population", "least", "most"),
    [("surest tenth fails", 5, 6), ("inverted", 6, 6), ("calibrated, 0.9", 0, 0), ("overconfident", 0, 0)],
)
def test_it_is_said_where_only_sure_inputs_fail_and_not_where_doubt_tells(population, least, most):
    assert least <= said(population) <= most


def test_lists_whose_interval_holds_there_say_nothing():
    assert said("surest tenth fails", "rrs") == said("surest tenth fails", "srs") == 0


def test_few_labels_no_fault_and_one_confidence_for_all_say_nothing():
    inputs, one = inputs_of("inverted", 1_000), labeled("inverted", 1)
    assert faults_hide_words(inputs, one.design, one.verdicts)
    assert not faults_hide_words(inputs, one.design, one.verdicts[: ENOUGH - 1])
    assert not faults_hide_words(inputs, one.design, [replace(verdict, loss=0.0) for verdict in one.verdicts])
    alike = replace(inputs, confidence=np.full(1_000, 0.9), scores={"confidence": np.full(1_000, 0.1)})
    assert not faults_hide_words(alike, one.design, one.verdicts)


def test_a_session_that_keeps_its_earlier_interval_says_nothing():
    one = labeled("inverted", 1)
    assert not faults_hide_words(inputs_of("inverted", 1_000), replace(one.design, interval_version=1), one.verdicts)
