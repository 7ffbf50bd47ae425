"""Every part to the same width: the closed form, and campaigns whose parts come out as narrow as was expected."""

import tracemalloc

import numpy as np
import pytest

from testimate.core.draw import Verdict
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.estimators import estimator_of
from testimate.planning.build import build
from testimate.planning.parts import (
    PartLabels,
    each_part_request,
    each_part_with,
    each_part_within,
    grouping_of_words,
    slices_of,
)
from testimate.tasks.classification import Classification

SIZE, PARTS = 6000, 5
FAILING = np.array([0.02, 0.08, 0.2, 0.35, 0.5])


def made(seed=3, confident=True):
    """Inputs in five parts that fail as often as their confidence says, the last part of 15 inputs alone."""
    rng = np.random.default_rng(seed)
    groups = np.where(np.arange(SIZE) < 15, 4, rng.integers(0, 4, SIZE))
    doubt = FAILING[groups]
    losses = (rng.random(SIZE) < doubt).astype(float)
    task = Classification(classes=("a", "b"))
    inputs = Inputs(
        task=task,
        predictions=np.zeros(SIZE, dtype=np.intp),
        fingerprint="made",
        confidence=1 - doubt if confident else None,
        scores={"confidence": doubt} if confident else {},
    )
    return inputs, losses, grouping_of_words("part", [f"p{one}" for one in groups])


def test_a_very_large_part_of_unknown_accuracy_needs_what_cochran_says():
    inputs, _, _ = made(confident=False)
    one = grouping_of_words("all", ["all"] * SIZE)
    plan = each_part_within(inputs, one, 0.05)
    infinite = 1.96**2 * 0.25 / 0.05**2  # Cochran 1977, eq. 4.2, then with the correction for a finite set, eq. 4.4
    assert plan.total == pytest.approx(infinite / (1 + infinite / SIZE), abs=6)
    assert plan.at_most == plan.total


def test_parts_come_out_as_narrow_as_was_asked_and_the_estimate_of_all_is_unbiased():
    inputs, losses, grouping = made()
    plan = each_part_within(inputs, grouping, 0.08)
    assert 10 <= plan.labels[4] <= plan.sizes[4] == 15
    assert (np.diff(plan.labels[:4]) > 0).all()  # the more often a part fails, the more labels it needs
    widths, errors, held, campaigns = [], [], 0, 40
    for seed in range(campaigns):
        selector = build(inputs, each_part_request(plan, seed))
        draws = selector.ask(plan.total)
        assert len({draw.row for draw in draws}) == plan.total
        verdicts = [Verdict(draw, losses[draw.row]) for draw in draws]
        parts = slices_of([grouping], PartLabels(selector.design, verdicts, "each-part"))
        widths += [(one.estimate.high - one.estimate.low) / 2 for one in parts]
        truth = [1 - losses[grouping.groups == place].mean() for place in range(PARTS)]
        held += sum(one.estimate.low <= exact <= one.estimate.high for one, exact in zip(parts, truth, strict=True))
        whole = estimator_of(selector.design).estimate(selector.design, verdicts)
        errors.append(whole.accuracy - (1 - losses.mean()))
    assert np.mean(widths) <= 0.08
    assert np.mean(np.array(widths) <= 0.08 * 1.15) > 0.95
    count = campaigns * PARTS
    assert held > count * 0.95 - 3 * np.sqrt(count * 0.95 * 0.05)
    assert abs(np.mean(errors)) < 3 * np.std(errors) / np.sqrt(campaigns)


def test_a_budget_gives_the_narrowest_width_it_reaches_and_one_too_small_is_refused():
    inputs, _, grouping = made()
    plan = each_part_with(inputs, grouping, 400)
    assert plan.total <= 400
    assert each_part_within(inputs, grouping, 0.98 * plan.half_width).total > 400
    with pytest.raises(BadInput, match="Expected at least 50, 10 in each part"):
        each_part_with(inputs, grouping, 30)


def test_what_costs_more_than_half_of_the_inputs_is_said():
    inputs, _, grouping = made()
    assert "more than half of all" in each_part_within(inputs, grouping, 0.01).words()
    assert "more than half" not in each_part_within(inputs, grouping, 0.1).words()


def test_one_long_word_does_not_widen_the_memory_of_all_others():
    words = ["x" * 100_000, *["y"] * 2_000]
    tracemalloc.start()
    try:
        grouped = grouping_of_words("note", words)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()
    assert (len(grouped.values), grouped.groups.tolist()) == (2, [0, *[1] * 2_000])
