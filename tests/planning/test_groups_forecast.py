"""How wide the interval of groups will be, said before any label, against campaigns on groups made as supposed."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtri

from testimate.core.draw import Verdict
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs, groups_of
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.planning.build import build
from testimate.planning.forecast import group_half_widths, has_group_forecast
from testimate.tasks.classification import Classification

ALIKE = 0.4


@pytest.fixture(scope="module")
def visits():
    """1,100 inputs in groups of 1 to 11 and their chances of failure."""
    random = np.random.default_rng(4)
    codes = np.repeat(np.arange(180), random.integers(1, 12, 180))
    chance = random.beta(1.0, 4.0, len(codes))
    return Inputs(
        "f" * 32,
        Classification(("a", "b")),
        np.zeros(len(codes), dtype=np.intp),
        confidence=1 - chance,
        scores={"confidence": chance},
        groups=groups_of([str(code) for code in codes]),
    )


def found_half_width(inputs, technique, budget):
    """The mean over campaigns on sets whose groups fail as alike as supposed."""
    widths = []
    for seed in range(40):
        random = np.random.default_rng([7, seed])
        codes = inputs.groups.codes
        luck = np.sqrt(ALIKE) * random.normal(size=180)[codes] + np.sqrt(1 - ALIKE) * random.normal(size=len(codes))
        losses = luck < ndtri(inputs.scores["confidence"])
        selector = build(inputs, Request(technique, budget, 1000 + seed))
        verdicts = [Verdict(draw, float(losses[draw.row])) for draw in selector.ask(budget)]
        found = estimator_of(selector.design).estimate(selector.design, verdicts)
        widths.append((found.high - found.low) / 2)
    return np.mean(widths)


@pytest.mark.parametrize("technique", ["srs-groups", "rrs-groups"])
def test_the_interval_comes_out_about_as_wide_as_forecast(visits, technique):
    [expected] = group_half_widths(visits, [300], Request(technique, 1, 0), alike=ALIKE)
    assert expected == pytest.approx(found_half_width(visits, technique, 300), rel=0.1)


def test_the_more_alike_a_group_fails_the_wider_and_the_more_labels_the_narrower(visits):
    request = Request("srs-groups", 1, 0)
    apart, alike = (group_half_widths(visits, [100, 400], request, alike=share) for share in (0.0, 0.9))
    assert (alike > 1.2 * apart).all()
    assert apart[1] < apart[0]


def test_two_labels_are_of_one_group_and_have_no_interval(visits):
    assert np.isnan(group_half_widths(visits, [1], Request("srs-groups", 1, 0), alike=0.3)).all()


def test_what_has_no_forecast_is_refused_in_a_sentence(visits):
    assert not has_group_forecast(visits, "srs")
    with pytest.raises(BadInput, match="draws no groups"):
        group_half_widths(visits, [50], Request("srs", 1, 0), alike=0.3)
    with pytest.raises(BadInput, match="Expected 0 to 1"):
        group_half_widths(visits, [50], Request("srs-groups", 1, 0), alike=30)
    bare = replace(visits, confidence=None, scores={})
    with pytest.raises(BadInput, match="nothing to forecast from"):
        group_half_widths(bare, [50], Request("srs-groups", 1, 0), alike=0.3)
