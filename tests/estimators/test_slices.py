"""Parts of a set: closed forms, the published definition of the scores, and how often the intervals hold."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from testimate.core.design import Purposive, SimpleRandom, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput
from testimate.estimators.intervals import fewest_failures, wilson
from testimate.estimators.parts import class_scores, slice_estimates
from testimate.selectors.adaptive_rounds import AdaptiveRounds
from tests.each import each


def test_a_slice_of_a_whole_census_is_exactly_its_accuracy(verdicts_of):
    losses = np.arange(60) % 4 == 0
    groups = np.arange(60) // 30
    found = slice_estimates(SimpleRandom((60,), 60), verdicts_of(losses), groups, 2)
    for place, one in enumerate(found):
        exact = 1 - losses[groups == place].mean()
        assert (one.value, one.low, one.high, one.standard_error) == (exact, exact, exact, 0.0)


def test_slices_of_none_and_of_one_say_too_few_and_a_slice_of_all_is_the_estimate(verdicts_of):
    verdicts = verdicts_of([0, 1] * 20)
    one_input = np.zeros(400, dtype=int)
    one_input[0] = 1
    everything, one, none = slice_estimates(SimpleRandom((400,), 40), verdicts, one_input, 3)
    assert (one.value, one.labeled, none.value, none.labeled) == (None, 1, None, 0)
    assert one.why == "1 label, 10 needed"
    whole = slice_estimates(SimpleRandom((400,), 40), verdicts, np.zeros(400, dtype=int), 1)[0]
    assert whole.value == pytest.approx(0.5)
    assert everything.labeled == 39
    assert whole.standard_error == pytest.approx(np.sqrt(0.25 / 39 * (1 - 40 / 400)))  # Cochran 1977, eq. 3.8


def test_an_input_nobody_could_settle_counts_in_no_slice(verdicts_of):
    settled = verdicts_of([0, 1, 0] * 8)
    skipped = [*settled, Verdict(Draw(30), None)]
    groups = np.zeros(500, dtype=int)
    design = SimpleRandom((500,), 40)
    assert slice_estimates(design, skipped, groups, 1) == slice_estimates(design, settled, groups, 1)


def test_a_chosen_sample_has_counts_and_no_number(verdicts_of):
    found = slice_estimates(Purposive((100,), 30), verdicts_of([0] * 30), np.arange(100) % 2, 2)
    assert [(one.labeled, one.value) for one in found] == [(15, None), (15, None)]
    assert "no honest interval" in found[0].why


def test_groups_that_do_not_fit_the_inputs_are_refused(verdicts_of):
    with pytest.raises(BadInput, match="shape"):
        slice_estimates(SimpleRandom((100,), 30), verdicts_of([0] * 30), np.zeros(99, dtype=int), 1)


def test_scores_of_a_simple_random_sample_are_those_of_scikit_learn(verdicts_of):
    rng = np.random.default_rng(5)
    true = rng.integers(0, 4, 400)
    said = np.where(rng.random(400) < 0.7, true, rng.integers(0, 4, 400))
    verdicts = verdicts_of((true != said).astype(float))
    found = class_scores(SimpleRandom((5000,), 400), verdicts, said, true, 4)
    expected = precision_recall_fscore_support(true, said)
    for place, one in enumerate(found.classes):
        assert [one.precision.value, one.recall.value, one.f1.value] == pytest.approx(
            [of[place] for of in expected[:3]]
        )
    macro = precision_recall_fscore_support(true, said, average="macro")
    assert [found.macro.precision.value, found.macro.recall.value, found.macro.f1.value] == pytest.approx(macro[:3])
    assert found.micro.f1.value == pytest.approx((true == said).mean())
    matrix = np.zeros((4, 4))
    for cell in found.confusion:
        matrix[cell.true, cell.predicted] = cell.share.value
    assert matrix == pytest.approx(confusion_matrix(true, said) / 400)


def test_weights_undo_a_sample_that_looks_where_failures_are(verdicts_of):
    # Stratum 0 has 900 inputs and 10 labels, stratum 1 has 100 and 50: of class 1 predicted, 990 of 1000 weigh as said.
    said, true = np.ones(60, dtype=int), np.r_[np.ones(10), np.zeros(50)].astype(int)
    verdicts = verdicts_of((said != true).astype(float), np.repeat([0, 1], [10, 50]))
    found = class_scores(Stratified((900, 100), 60), verdicts, said, true, 2)
    assert found.classes[1].precision.value == pytest.approx(0.9)  # 900 right of 1000, by enumeration of the strata
    assert [one.share.value for one in found.confusion] == pytest.approx([0.1, 0.9])


def test_simultaneous_intervals_are_wider_by_bonferroni(verdicts_of):
    verdicts, groups = verdicts_of([0, 0, 1] * 30), np.arange(900) % 2
    design = SimpleRandom((900,), 90)
    together = slice_estimates(design, verdicts, groups, 2, simultaneous=True)
    alone = slice_estimates(design, verdicts, groups, 2, level=0.975)
    assert together == alone


@each("kind", ["srs", "rrs", "rra"])
def test_intervals_of_slices_hold_as_often_as_they_say(kind):
    rng = np.random.default_rng(18)
    size, labels = 3000, 200
    doubt = rng.beta(0.4, 2.2, size)
    losses = (rng.random(size) < doubt).astype(float)
    groups = rng.integers(0, 5, size)
    truth = [1 - losses[groups == place].mean() for place in range(5)]
    strata = np.array_split(np.argsort(doubt), 10)
    held = shown = 0
    for campaign in range(12 if kind == "rra" else 120):
        if kind == "rra":
            selector, verdicts = AdaptiveRounds(doubt, True, budget=labels, seed=campaign), []
            while selector.remaining:
                new = [Verdict(draw, losses[draw.row]) for draw in selector.ask(selector.remaining)]
                selector.tell(new)
                verdicts += new
            design = selector.design
        elif kind == "srs":
            design = SimpleRandom((size,), labels)
            verdicts = [Verdict(Draw(int(row)), losses[row]) for row in rng.choice(size, labels, replace=False)]
        else:
            design = Stratified(tuple(map(len, strata)), labels)
            verdicts = [
                Verdict(Draw(int(row), None, place), losses[row])
                for place, stratum in enumerate(strata)
                for row in rng.choice(stratum, labels // 10, replace=False)
            ]
        found = slice_estimates(design, verdicts, groups, 5)
        shown += sum(one.labeled >= 20 and one.value is not None for one in found)
        held += sum(
            one.labeled >= 20 and one.low <= exact <= one.high
            for one, exact in zip(found, truth, strict=True)
            if one.low
        )
    # pooled over 2,000 campaigns it holds 93 to 97%; three standard deviations of this few below and above
    margin = 3 * np.sqrt(0.05 * 0.95 / shown)
    assert shown > 50
    assert 0.94 - margin <= held / shown <= min(0.975 + margin, 1.0)


@pytest.mark.parametrize("failures", [0, 3, 6])
def test_a_slice_of_a_random_sample_ends_toward_one_half_where_wilsons_interval_does(verdicts_of, failures):
    verdicts = verdicts_of([1] * failures + [0] * (12 - failures))
    one = slice_estimates(SimpleRandom((10**6,), 12), verdicts, np.zeros(10**6, dtype=int), 1)[0]
    # Wilson 1927 at 12 labels, but for the 12 known of a million; wider by the n / (n - 1) of the sample's variance alone
    exact, widest = wilson(1 - failures / 12, 12), wilson(1 - failures / 12, 11)
    assert widest.low <= one.low <= exact.low + 1e-5
    assert exact.high - 1e-5 <= one.high


@each(("failures", "n"), [(1, 20), (3, 20), (12, 40), (20, 20)])
def test_the_fewest_failures_are_those_whose_mid_p_chance_is_the_tail(failures, n):
    rate = fewest_failures(failures, n, 0.01)
    assert stats.binom.sf(failures, n, rate) + stats.binom.pmf(failures, n, rate) / 2 == pytest.approx(0.01, rel=1e-6)
    assert rate > stats.beta.ppf(0.01, failures, n - failures + 1)  # Clopper and Pearson's


@each("rate", [0.05, 0.3])
def test_the_lowest_slice_has_an_interval_that_allows_for_being_picked(rate):
    rng, size = np.random.default_rng(4), 4000
    groups, losses = np.arange(size) % 10, (rng.random(size) < rate).astype(float)
    true = 1 - np.array([losses[groups == group].mean() for group in range(10)])
    design, held, widths = SimpleRandom((size,), 300), np.zeros(2), np.zeros(2)
    for _ in range(60):
        verdicts = [Verdict(Draw(int(row)), float(losses[row])) for row in rng.permutation(size)[:300]]
        alone, picked = (slice_estimates(design, verdicts, groups, 10, looked_at=way) for way in ("one", "lowest"))
        lowest = min((one.value, place) for place, one in enumerate(alone))[1]
        for way, found in enumerate((alone, picked)):
            held[way] += found[lowest].low <= true[lowest] <= found[lowest].high
            widths[way] += found[lowest].high - found[lowest].low
        assert [one for place, one in enumerate(alone) if place != lowest] == [
            one for place, one in enumerate(picked) if place != lowest
        ]
    assert held[0] < 51 < 57 <= held[1]
    assert widths[1] < 1.2 * widths[0]


def test_intervals_that_hold_together_are_those_of_counts_too_where_few_fail(verdicts_of):
    groups, verdicts, design = np.arange(1000) % 2, verdicts_of([1] + [0] * 99), SimpleRandom((1000,), 100)
    together, alone = (
        slice_estimates(design, verdicts, groups, 2, level=0.995, looked_at=way) for way in ("all", "one")
    )
    for one, other in zip(together, alone, strict=True):
        assert one.low <= other.low <= other.high <= one.high
    failing = (
        1 - together[0].high
    )  # Clopper and Pearson's of one failure among 50, less where part of the set is labeled
    assert 0 < failing < 2 * stats.beta.ppf(0.0025, 1, 50) < 1 - alone[0].high
