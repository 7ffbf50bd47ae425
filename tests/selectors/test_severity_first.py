"""Severity first: the static order by its formula, and the order that learns."""

import numpy as np
import pytest
from scipy.special import expit, logit, ndtri
from scipy.stats import rankdata

from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput, UnknownRow
from testimate.selectors.severity_first import SeverityFirst, ranking
from tests.each import each


def made(size=1500, seed=4):
    """Inputs of six classes; overconfident, class 5 far more so, and surprise predicts the failures."""
    rng = np.random.default_rng(seed)
    confidence = 1 - rng.beta(0.4, 2.5, size)
    classes = rng.integers(6, size=size)
    odds = 0.8 * logit(np.clip(1 - confidence, 1e-4, 1 - 1e-4)) - 0.2 + 2.5 * (classes == 5)
    failed = rng.random(size) < expit(odds)
    dsa = rng.normal(size=size) + 1.2 * failed
    return confidence, dsa, classes, failed


def label(selector, failed, unsure=()):
    """Every row, in draw order; the ``unsure`` ones nobody can tell."""
    rows = []
    while selector.remaining:
        draws = selector.ask(selector.remaining)
        assert draws
        selector.tell([Verdict(one, None if one.row in unsure else float(failed[one.row])) for one in draws])
        rows += [draw.row for draw in draws]
    return rows


def severe_found(rows, confidence, failed):
    return int((failed[rows] & (confidence[rows] >= 0.8)).sum())


def normal(scores):
    return ndtri((rankdata(scores) - 0.5) / len(scores))


def test_the_static_order_is_its_formula():
    confidence, dsa, classes, _ = made(400)
    lsa = np.random.default_rng(2).gamma(2.0, size=400)
    x = logit(np.clip(1 - confidence, 1e-4, 1 - 1e-4))
    chance = expit(0.7 + 0.6 * x + 0.8 * normal(dsa) + 0.4 * normal(lsa))
    worth = sorted(range(400), key=lambda row: -chance[row] * np.sqrt(confidence[row]))
    expected = sorted(worth[:60], key=lambda row: -confidence[row])
    selector = SeverityFirst(confidence, dsa, lsa, classes, budget=60, seed=1, variant="static")
    assert [draw.row for draw in selector.ask(60)] == expected
    assert selector.remaining == 0


def test_of_the_whole_set_the_static_order_puts_as_many_first_as_may_fail():
    confidence, dsa, _, _ = made(400)
    x = logit(np.clip(1 - confidence, 1e-4, 1 - 1e-4))
    count = round(expit(0.7 + 0.6 * x + 0.8 * normal(dsa)).sum())
    rows = [draw.row for draw in SeverityFirst(confidence, dsa, budget=400, seed=1, variant="static").ask(400)]
    assert (np.diff(confidence[rows[:count]]) <= 0).all()
    assert confidence[rows[count]] > confidence[rows[count - 1]]
    assert sorted(rows) == list(range(400))


def test_the_next_is_always_the_best_of_those_still_worth_a_label():
    rng = np.random.default_rng(8)
    chances, confidence = rng.random(40), rng.random(40)
    left, expected = list(range(40)), []
    for placed in range(15):
        best = sorted(left, key=lambda row: -chances[row] * confidence[row] ** 0.5)[: 15 - placed]
        expected.append(max(best, key=lambda row: chances[row] ** (1 / 8) * confidence[row]))
        left.remove(expected[-1])
    expected += sorted(left, key=lambda row: -chances[row] * confidence[row] ** 0.5)
    assert ranking(chances, confidence, wanted=15, severity=0.5).tolist() == expected


def test_it_finds_more_severe_faults_than_low_confidence_and_as_many_faults():
    confidence, dsa, classes, failed = made()
    budget = int(failed.sum())
    rows = label(SeverityFirst(confidence, dsa, None, classes, budget=budget, seed=1), failed)
    by_doubt = np.argsort(confidence)[:budget]
    assert severe_found(rows, confidence, failed) > 2 * severe_found(by_doubt, confidence, failed)
    assert failed[rows].sum() > 0.9 * failed[by_doubt].sum()


def test_it_learns_which_class_fails_though_nothing_else_shows_it():
    rng = np.random.default_rng(6)
    confidence, classes = 1 - rng.beta(1.0, 6.0, 2000), rng.integers(10, size=2000)
    failed = (classes == 3) & (rng.random(2000) < 0.8)
    rows = label(SeverityFirst(confidence, None, None, classes, budget=200, seed=1), failed)
    late = classes[rows[100:]]
    assert (classes[rows[:10]] == 3).mean() < 0.5
    assert (late == 3).mean() > 0.8


def test_what_training_says_about_a_class_is_known_before_any_label():
    rng = np.random.default_rng(6)
    confidence, classes = 1 - rng.beta(1.0, 6.0, 2000), rng.integers(10, size=2000)
    trained = rng.integers(10, size=5000)
    losses = ((trained == 3) & (rng.random(5000) < 0.9)).astype(float)
    selector = SeverityFirst(confidence, None, None, classes, trained, losses, budget=100, seed=1)
    assert {classes[draw.row] for draw in selector.ask(10)} == {3}


def test_more_weight_on_severity_finds_severer_faults():
    confidence, dsa, classes, failed = made()
    found = []
    for severity in (0.0, 0.5, 2.0):
        selector = SeverityFirst(confidence, dsa, None, classes, budget=200, seed=1, severity=severity)
        rows = np.array(label(selector, failed))
        found.append((confidence[rows][failed[rows]].mean(), failed[rows].sum()))
    assert [sure for sure, _ in found] == sorted(sure for sure, _ in found)
    assert found[0][1] > found[2][1]


def test_a_row_that_nobody_can_settle_teaches_nothing():
    confidence, dsa, classes, failed = made(300)
    selector = SeverityFirst(confidence, dsa, None, classes, budget=80, seed=1)
    first = selector.ask(5)
    other = failed.copy()
    unsure = {first[0].row, first[3].row}
    other[list(unsure)] = ~other[list(unsure)]
    one, two = (
        label(SeverityFirst(confidence, dsa, None, classes, budget=80, seed=1), truth, unsure)
        for truth in (failed, other)
    )
    assert one == two
    assert one != label(SeverityFirst(confidence, dsa, None, classes, budget=80, seed=1), other)


def test_a_block_waits_for_the_block_before_the_last():
    confidence, dsa, _, failed = made(300)
    selector = SeverityFirst(confidence, dsa, budget=80, seed=1)
    open_ = list(selector.ask(80))
    assert len(open_) == 10
    selector.tell([Verdict(draw, 0.0) for draw in open_[1:5]])
    assert selector.ask(80) == []
    selector.tell([Verdict(open_[0], None)])
    assert len(selector.ask(80)) == 5
    assert failed.any()


def test_a_verdict_on_a_row_not_drawn_is_refused():
    confidence, dsa, _, _ = made(300)
    selector = SeverityFirst(confidence, dsa, budget=20, seed=1)
    drawn = {draw.row for draw in selector.ask(20)}
    other = next(row for row in range(300) if row not in drawn)
    with pytest.raises(UnknownRow, match=str(other)):
        selector.tell([Verdict(Draw(other), 1.0)])


def test_equal_inputs_come_in_any_order_with_the_same_chance():
    confidence = np.repeat([0.9, 0.6], 30)
    firsts = [SeverityFirst(confidence, budget=1, seed=seed).ask(1)[0].row for seed in range(300)]
    inside = [row for row in firsts if row >= 30]
    assert len(inside) == 300  # the doubtful half is likelier to fail
    assert abs(np.mean(inside) - 44.5) < 4 * np.sqrt((30**2 - 1) / 12 / 300)  # uniform on 30..59, 4 standard errors


def test_a_reason_says_the_chance_the_severity_and_what_raises_it():
    confidence, dsa, classes, failed = made()
    selector = SeverityFirst(confidence, dsa, None, classes, budget=300, seed=1)
    label(selector, failed)
    reasons = [draw.reason for draw in selector._blocks.draws]
    assert all("chance of failure" in reason and "severity if it fails" in reason for reason in reasons)
    assert any("because of its surprise (DSA)" in reason for reason in reasons)
    of_class_5 = [draw.reason for draw in selector._blocks.draws if classes[draw.row] == 5][-20:]
    assert any("because of its predicted class" in reason for reason in of_class_5)


def test_predicted_chances_come_nearer_to_the_true_ones():
    confidence, dsa, classes, failed = made(4000)
    selector = SeverityFirst(confidence, dsa, None, classes, budget=800, seed=1)
    before = selector.predicted()
    rows = label(selector, failed)
    rest = np.setdiff1d(np.arange(4000), rows)
    truth = failed[rest].sum()
    assert abs(selector.predicted()[rest].sum() - truth) < 0.6 * abs(before[rest].sum() - truth)


@each("truth", [0.0, 1.0])
@each("variant", [None, "static"])
def test_a_set_without_faults_and_one_of_faults_alone_are_labeled_to_the_end(truth, variant):
    confidence, dsa, classes, _ = made(200)
    selector = SeverityFirst(confidence, dsa, None, classes, budget=200, seed=1, variant=variant)
    assert sorted(label(selector, np.full(200, truth))) == list(range(200))


def test_a_class_never_predicted_and_a_training_set_of_other_classes_change_nothing():
    confidence, dsa, classes, failed = made(300)
    classes = np.where(classes == 2, 4, classes)  # 2 is never predicted
    plain = label(SeverityFirst(confidence, dsa, None, classes, budget=100, seed=1), failed)
    other = SeverityFirst(
        confidence, dsa, None, classes, np.repeat([40, 41], 50), np.tile([0.0, 1.0], 50), budget=100, seed=1
    )
    assert label(other, failed) == plain


@each(
    ("change", "sentence"),
    [
        ({"confidence": [0.5, 1.2, 0.1]}, r"confidence\[1\] is 1.2"),
        ({"confidence": [0.5, -0.1, 0.1]}, r"confidence\[1\] is -0.1"),
        ({"confidence": [0.5, np.nan, 0.1]}, r"confidence\[1\] is nan"),
        ({"dsa": [1.0, 2.0]}, "2 DSA values and 3"),
        ({"lsa": [1.0, np.inf, 0.0]}, r"LSA\[1\] is inf"),
        ({"classes": [0]}, "1 predicted classes and 3"),
        ({"training_classes": [0, 1], "training_losses": [0.0, 1.0, 1.0]}, "3 training losses and 2"),
    ],
)
def test_what_contradicts_itself_is_refused(change, sentence):
    known = {"confidence": [0.5, 0.6, 0.7], "classes": [0, 1, 1]}
    with pytest.raises(BadInput, match=sentence):
        SeverityFirst(**(known | change), budget=2, seed=1)


def test_surprise_can_be_left_out():
    confidence, dsa, classes, failed = made(300)
    without = SeverityFirst(confidence, None, None, classes, budget=60, seed=1)
    left_out = SeverityFirst(confidence, dsa, dsa, classes, budget=60, seed=1, surprise="none")
    assert label(left_out, failed) == label(without, failed)
