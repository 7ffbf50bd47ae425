"""Above which confidence enough inputs are right: by Clopper and Pearson's bounds, and by counting every possible campaign."""

from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import binomtest

from testimate.core.design import Purposive, SimpleRandom, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput
from testimate.estimators.right_above import of_ladder, right_above
from testimate.structure.confidence_ladder import LOOKS, RISK, Ladder, check_share, faultless_labels, rungs_of


def labels_of(rows, wrong, ring):
    """Verdicts on these rows, in this order, with the ring of each as its stratum."""
    return [Verdict(Draw(int(row), None, int(ring[row])), float(wrong[row])) for row in rows]


@pytest.mark.parametrize(("share", "needed"), [(0.9, 29), (0.95, 59), (0.99, 299)])
def test_faultless_labels_are_the_fewest_whose_exact_bound_reaches_the_share(share, needed):
    assert faultless_labels(share) == needed
    bounds = [binomtest(n, n, alternative="greater").proportion_ci(0.95).low for n in (needed - 1, needed)]
    assert bounds[0] < share <= bounds[1]


def test_a_certificate_is_clopper_and_pearsons_one_sided_bound():
    confidence = np.linspace(1, 0.5, 4000)
    ring = rungs_of(confidence).ring
    ladder = Ladder(0.9, rungs_of(confidence).rings, 195, 195)
    wrong = np.zeros(4000)
    wrong[[3, 410, 420]] = 1
    rows = [*range(78), *range(400, 478)]
    found = of_ladder(ladder, labels_of(rows, wrong, ring), confidence)
    assert (found.inputs, found.labeled, found.wrong) == (800, 156, 3)
    bound = binomtest(153, 156, alternative="greater").proportion_ci(1 - RISK / LOOKS).low
    assert found.low == pytest.approx(bound)
    assert "at least 90.0% of the inputs are right: 800 of 4,000 inputs (20.0%)." in repr(found)


@pytest.mark.parametrize(
    ("rings", "faults"),
    [
        ((30,), (16,)),
        ((14, 14), (8, 0)),
        ((14, 14), (10, 2)),
        ((14, 14), (3, 12)),
        ((14, 14), (2, 13)),
        ((14, 14), (7, 8)),
    ],
)
def test_every_campaign_counted_certifies_too_much_in_at_most_5_percent(rings, faults):
    """Rings with so many faults, of which at most half may be wrong: all random orders, by how many faults each look adds."""
    ladder = Ladder(0.5, rings, sum(rings), sum(rings))
    false_rung = next(at for at in range(1, 3) if sum(faults[:at]) > sum(rings[:at]) / 2)
    orders = [faults_by_look(ladder, *pair) for pair in zip(rings, faults, strict=True)]
    certified = sum(
        np.prod([often for _, often in both])
        for both in product(*orders)
        if ladder.climb([order for order, _ in both]).certified >= false_rung
    )
    every = np.prod([float(comb(size, count)) for size, count in zip(rings, faults, strict=True)])
    assert sum(often for _, often in orders[0]) == comb(rings[0], faults[0])
    assert certified / every <= RISK


def faults_by_look(ladder, size, total):
    """Orders of a ring's inputs, one for each way in which its faults fall among the looks, and how many are like it."""
    parts = np.diff([0, *(min(count, size) for count in ladder.looks), size]).tolist()
    found = []
    for counts in product(*(range(part + 1) for part in parts)):
        if sum(counts) == total:
            order = [at < count for part, count in zip(parts, counts, strict=True) for at in range(part)]
            found.append(
                (order, float(np.prod([comb(part, count) for part, count in zip(parts, counts, strict=True)])))
            )
    return found


def test_a_rung_that_is_labeled_whole_is_known():
    ladder = Ladder(0.95, (20, 20), 40, 40)
    assert ladder.climb([[True] + [False] * 19, [False] * 20]).certified == 2
    assert ladder.climb([[True] * 2 + [False] * 18, []]).ended == "failed"


def test_a_ladder_waits_for_labels_and_ends_with_its_budget():
    ladder = Ladder(0.9, (1000,) * 10, 195, 195)
    assert ladder.looks == (39, 78, 156)
    assert ladder.climb([[False] * 38]).wanted == (39,)
    assert ladder.climb([[False] * 39]).wanted == (39, 39)
    assert ladder.climb([[False] * 39] * 5).ended == "budget"
    assert ladder.climb([[True] * 156]).ended == "failed"
    short = Ladder(0.9, (1000,) * 10, 100, 100)
    assert short.looks == (39, 62, 100)


def test_equal_confidences_stay_together():
    found = rungs_of(np.repeat([0.9, 0.8, 0.7], [55, 25, 20]))
    assert (found.sizes.tolist(), found.least.tolist()) == ([55, 80, 100], [0.9, 0.8, 0.7])
    assert rungs_of(np.full(50, 0.5)).rings == (50,)


def test_a_random_sample_certifies_by_the_exact_bound_of_each_rung(verdicts_of):
    confidence = np.linspace(1, 0.5, 1000)
    rng = np.random.default_rng(4)
    wrong = (rng.random(1000) < np.linspace(0, 0.35, 1000)).astype(float)
    rows = rng.permutation(1000)[:300]
    found = right_above(SimpleRandom((1000,), 300), labels_of(rows, wrong, np.zeros(1000, int)), confidence, 0.9)
    inside = rows < found.inputs
    assert (found.labeled, found.wrong) == (inside.sum(), wrong[rows[inside]].sum())
    exact = binomtest(found.labeled - found.wrong, found.labeled, alternative="greater").proportion_ci(0.95).low
    assert found.low == pytest.approx(exact, abs=0.003)
    assert found.low >= 0.9


def test_an_answer_nobody_could_give_counts_as_wrong():
    confidence = np.linspace(1, 0.5, 400)
    verdicts = [Verdict(Draw(row, None, 0), None if row % 4 == 0 else 0.0) for row in range(200)]
    found = right_above(SimpleRandom((400,), 200), verdicts, confidence, 0.9)
    assert found.least is None
    assert right_above(SimpleRandom((400,), 200), [*map(known, verdicts)], confidence, 0.9).inputs > 0


def known(verdict):
    return Verdict(verdict.draw, 0.0)


def test_chosen_inputs_and_too_few_labels_certify_nothing():
    confidence = np.linspace(1, 0.5, 400)
    verdicts = [Verdict(Draw(row, None, 0), 0.0) for row in range(20)]
    assert "29 labels without a fault" in right_above(SimpleRandom((400,), 20), verdicts, confidence, 0.9).why
    assert "no honest bound" in right_above(Purposive((400,), 20), verdicts, confidence, 0.9).why
    empty = right_above(Stratified((200, 200), 20), [], confidence, 0.99)
    assert "299 labels without a fault" in empty.why


@pytest.mark.parametrize("share", [0.0, 0.49, 1.0, 1.2, float("nan")])
def test_a_share_that_cannot_be_certified_is_refused(share):
    with pytest.raises(BadInput, match="Expected at least one half"):
        check_share(share)
