"""Designs of every kind: what they refuse, and that each comes back from JSON as it was."""

import json

import pytest

from testimate.core.design import (
    DESIGNS,
    PerDraw,
    Purposive,
    Round,
    Rounds,
    SimpleRandom,
    Stratified,
    WholeGroups,
    design_from_json,
    design_to_json,
)
from testimate.core.errors import BadInput
from tests.each import each

ROUND = Round(zones=12, exploit=8, guessed=3.5, smallest=-2.0, largest=9.0, variance=0.25)


@each(
    "design",
    [
        SimpleRandom((5,), 3, replacement=True),
        Stratified((3, 2), 3, prior_failure=(0.1, 0.5), in_rounds=True),
        PerDraw((5,), 3, smallest_probability=0.01),
        Rounds((50,), 20, rounds=(ROUND, ROUND)),
        WholeGroups((30, 6), 7, stratum_groups=(9, 2), group_sizes=(4, 3)),
        Purposive((5,), 3),
    ],
)
def test_a_design_read_back_is_the_one_that_was_written(design):
    assert design_from_json(json.loads(json.dumps(design_to_json(design)))) == design


@each("kind", DESIGNS)
def test_every_design_counts_its_inputs_and_refuses_empty_strata_and_plans(kind):
    design = DESIGNS[kind]
    assert design((3, 4), 2).size == 7
    for sizes in ((), (3, 0), (3, -1)):
        with pytest.raises(BadInput, match="empty stratum"):
            design(sizes, 2)
    with pytest.raises(BadInput, match="plans 0 draws"):
        design((3, 4), 0)


@each("smallest", [0.0, -0.1, 0.21, float("nan")])
def test_the_smallest_of_five_chances_that_sum_to_one_is_above_zero_and_at_most_a_fifth(smallest):
    assert PerDraw((5,), 2, smallest_probability=0.2).smallest_probability == 0.2
    with pytest.raises(BadInput, match="at most 1 / 5"):
        PerDraw((5,), 2, smallest_probability=smallest)


@each(
    "change",
    [{"zones": 0}, {"exploit": -1}, {"variance": -0.1}, {"guessed": float("nan")}, {"largest": float("inf")}],
)
def test_a_round_that_cannot_be_is_refused(change):
    with pytest.raises(BadInput, match="Make the plan again"):
        Round(**{**vars(ROUND), **change})


@each(
    ("record", "words"),
    [
        ({"kind": "dreamt"}, "Expected one of simple random, stratified"),
        ({}, "Expected one of simple random"),
        ({"kind": "simple random", "stratum_sizes": [5]}, "planned"),
        ({"kind": "simple random", "stratum_sizes": [5], "planned": 2, "extra": 1}, "extra"),
        ({"kind": "adaptive rounds", "stratum_sizes": [5], "planned": 2}, "rounds"),
        ({"kind": "adaptive rounds", "stratum_sizes": [5], "planned": 2, "rounds": [{"zones": 1}]}, "exploit"),
    ],
)
def test_a_record_of_no_design_is_refused_by_what_it_lacks(record, words):
    with pytest.raises(BadInput, match=words):
        design_from_json(record)
