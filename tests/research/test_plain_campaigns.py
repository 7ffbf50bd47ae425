"""How many plain campaigns an exactly known variance is worth, and that it is the variance of plain campaigns."""

import numpy as np
import pytest

from research.methods.exact import rounds_error
from research.studies.campaign_pages import plain_campaigns
from testimate.core.selector import Request
from testimate.studies.campaign import campaign


@pytest.mark.parametrize("count", [100, 2000])
def test_the_spread_of_root_mean_squared_errors_says_how_many_errors_are_in_each(count):
    errors = np.random.default_rng(7).normal(0, 0.03, (3000, count))
    found = np.sqrt((errors**2).mean(axis=1))
    assert plain_campaigns(0.03, found.std()) == pytest.approx(count, rel=0.1)  # 3000 of them: 1 / sqrt(6000) is 1.3%


def test_the_error_of_adaptive_rounds_from_their_variances_is_that_of_plain_campaigns(inputs):
    request = Request("rra", 60, 1)
    exact, scatter = rounds_error(inputs, request, campaigns=20)
    truth = 1 - inputs.losses.mean()
    errors = np.array([campaign(inputs, Request("rra", 60, 500 + seed)).accuracy - truth for seed in range(150)])
    assert np.sqrt((errors**2).mean()) == pytest.approx(exact, rel=4 / np.sqrt(2 * 150))
    assert plain_campaigns(exact, scatter) > 20 * 20  # each campaign tells as much as twenty plain ones, and more
