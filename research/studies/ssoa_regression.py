"""SSOA's regression: table 5 beside ours."""

import numpy as np

from research.methods.exact_error import exact_error
from research.studies.jobs import FEWER_BUDGETS, ONE_BY_ONE
from research.studies.page_text import points, table
from research.studies.results import Results, srs_error
from research.studies.ssoa_published import PUBLISHED_DO
from research.studies.study_subjects import inputs_of
from testimate.core.selector import Request


def regression(results: Results) -> str:
    """The paper's table 5."""
    rows = []
    inputs = inputs_of("DO")
    for budget in FEWER_BUDGETS:
        cell = results.need("DO", "ssoa-c-p", "lsa", budget)
        place = (budget - 50) // 10
        said = [f"{PUBLISHED_DO[name][place]:.2f}" if budget <= 180 else "–" for name in ("srs", "ces", "ssoa-c-p")]
        rrs = exact_error(inputs, Request("rrs", budget, 1, auxiliary="lsa"))
        own = f"{points(cell.rmse)} (bias {100 * cell.bias:+.2f})"
        rows.append([str(budget), points(srs_error("DO", budget)), said[0], said[1], own, said[2], points(rrs)])
    swing = PUBLISHED_DO["srs"]
    head = ["n", "srs, exact", "srs, published", "ces, published", "ssoa-c-p", "ssoa-c-p, published", "rrs, exact"]
    return f"""## Regression (section 7.2)

Dave-orig, RMSE of 1 - MSE in points, strata from LSA; ssoa-c-p from {ONE_BY_ONE} campaigns (an RMSE carries
{100 / np.sqrt(2 * ONE_BY_ONE):.0f} %, more with such tails). The table holds no features for ces.

{table(head, rows)}
The paper's table 5 says "average MSE values (%)" and means its square root or something near it. Its figures for srs
swing from {min(swing):.2f} to {max(swing):.2f} and do not fall as 1 / sqrt(n): {swing[4]:.2f} at n = 90 beside
{swing[6]:.2f} at 110, where the exact error goes from {points(srs_error("DO", 90))} to {points(srs_error("DO", 110))}.
With 50 repetitions an RMSE carries 10 % (more with long tails), so that swing is not the error of simple random
sampling. That clusters of LSA help a regression agrees.
"""
