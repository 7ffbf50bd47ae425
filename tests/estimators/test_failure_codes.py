"""Failure codes: their chances enumerated, every second half of a small population, and campaigns of adaptive rounds."""

from itertools import permutations, product
from math import factorial, prod

import numpy as np
import pytest
from scipy.stats import beta

from testimate import open_subject
from testimate.core.design import Purposive, SimpleRandom, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.selector import Request
from testimate.estimators import weights
from testimate.estimators.failure_codes import failure_codes
from testimate.planning.build import build

CODES = ("blur", "dark", "small")
CHANCES = (0.1, 0.06, 0.02)


def labels_with(counts: tuple[int, ...], labels: int) -> tuple[list[Verdict], dict[int, list[str]]]:
    named = [name for name, count in zip(CODES, counts, strict=True) for _ in range(count)]
    verdicts = [Verdict(Draw(row), float(row < len(named))) for row in range(labels)]
    return verdicts, {row: [name] for row, name in enumerate(named)}


def test_over_all_outcomes_the_intervals_of_all_codes_hold_together():
    labels, design = 40, SimpleRandom((10**7,), 40)
    chance_of, held, held_alone = 0.0, 0.0, 0.0
    for counts in product(range(14), range(11), range(6)):
        rest = labels - sum(counts)
        ways = factorial(labels) / prod(map(factorial, (*counts, rest)))
        chance = ways * prod(p**count for p, count in zip((*CHANCES, 1 - sum(CHANCES)), (*counts, rest), strict=True))
        if chance < 2e-5:
            continue
        chance_of += chance
        verdicts, codes = labels_with(counts, labels)
        seen = sum(count > 0 for count in counts)
        for level, joint in ((0.95, True), (1 - 0.05 * (seen + 1), False)):
            found = failure_codes(design, verdicts, codes, level=max(level, 0.5))
            ends = {one.code: (one.share.low, one.share.high) for one in found.codes}
            of = [ends.get(code, (0.0, found.unseen.high)) for code in CODES]
            holds = chance * all(low <= p <= high for p, (low, high) in zip(CHANCES, of, strict=True))
            held, held_alone = held + holds * joint, held_alone + holds * (not joint)
    assert chance_of > 0.98
    assert held / chance_of >= 0.95
    assert held_alone / chance_of < 0.95


def test_the_lower_end_of_a_code_in_a_long_tail_is_not_above_the_exact_one():
    design, labels = SimpleRandom((10**7,), 400), [Verdict(Draw(row), float(row < 160)) for row in range(400)]
    found = failure_codes(design, labels, {row: [f"kind {row // 5}"] for row in range(160)})
    exact = beta.ppf(
        0.05 / 33 / 2, 5, 396
    )  # Clopper and Pearson's limit at 5 of 400, for 32 codes seen and one not seen
    assert len(found.codes) == 32
    assert {one.share.low <= 1.001 * exact for one in found.codes} == {True}


def test_no_code_that_was_not_seen_is_commoner_than_no_labels_of_it_allow():
    found = failure_codes(SimpleRandom((10**7,), 60), *labels_with((3, 0, 0), 60))
    exact = 1 - (0.05 / 2 / 2) ** (1 / 60)  # Clopper and Pearson's limit at 0 of 60, for a code seen and one not seen
    assert exact <= found.unseen.high <= 1.1 * exact


@pytest.mark.parametrize("stratified", [False, True])
def test_over_all_second_halves_the_share_of_new_kinds_is_unbiased(stratified, monkeypatch):
    monkeypatch.setattr(weights, "FEWEST", 1)
    sizes = (6, 4) if stratified else (10,)
    strata = np.repeat(range(len(sizes)), sizes)
    kinds = ["old", "", "new", "", "old", "newer", "", "new", "", ""]
    first = [0, 1, 6, 8] if stratified else [0, 1, 8]
    left = [[row for row in range(10) if strata[row] == h and row not in first] for h in range(len(sizes))]
    counts = (3, 1) if stratified else (3,)
    design = Stratified(sizes, 8) if stratified else SimpleRandom(sizes, 6)
    shares = []
    for picked in product(*(permutations(rows, count) for rows, count in zip(left, counts, strict=True))):
        rows = [*first, *(row for part in picked for row in part)]
        verdicts = [Verdict(Draw(row, stratum=int(strata[row])), float(kinds[row] != "")) for row in rows]
        found = failure_codes(design, verdicts, {row: [kinds[row]] for row in rows if kinds[row]}).new_kinds
        assert found.first == len(first)
        shares.append(found.share.value)
    truth = sum(kinds[row] in ("new", "newer") for row in range(10) if row not in first) / 10
    assert np.mean(shares) == pytest.approx(truth)


def test_new_kinds_of_adaptive_rounds_are_found_at_their_share():
    rng = np.random.default_rng(3)
    size, kinds = 400, 12
    fails = rng.random(size) < np.linspace(0.6, 0.02, size)
    kind = rng.integers(0, kinds, size)
    inputs = open_subject(
        {"prediction": ["a", "b"] * (size // 2), "confidence": np.linspace(0.5, 1, size)}, classes=["c"]
    ).inputs
    off, held = [], []
    for seed in range(60):
        selector, verdicts = build(inputs, Request("rra", 80, seed)), []
        while len(verdicts) < 80:
            asked = [Verdict(draw, float(fails[draw.row])) for draw in selector.ask(80 - len(verdicts))]
            selector.tell(asked)
            verdicts += asked
        codes = {one.draw.row: [str(kind[one.draw.row])] for one in verdicts if one.loss}
        found = failure_codes(selector.design, verdicts, codes).new_kinds
        known = {codes[one.draw.row][0] for one in verdicts[: found.first] if one.loss}
        truth = np.mean([bool(fails[row]) and str(kind[row]) not in known for row in range(size)])
        off.append(found.share.value - truth)
        held.append(found.share.low <= truth <= found.share.high)
    assert abs(np.mean(off)) < 3 * np.std(off) / np.sqrt(len(off))
    assert np.mean(held) >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / len(held))  # .963 over 300 campaigns


def test_inputs_that_nobody_could_settle_may_or_may_not_have_a_code():
    verdicts, codes = labels_with((8, 4, 0), 60)
    skipped = [*verdicts[:50], *(Verdict(one.draw, None) for one in verdicts[50:])]
    ends = []
    for filled in (verdicts, [*verdicts[:50], *(Verdict(one.draw, 1.0) for one in verdicts[50:])]):
        given = codes | {one.draw.row: ["blur"] for one in filled[50:] if one.loss}
        share = failure_codes(SimpleRandom((5000,), 60), filled, given).codes[0].share
        ends += [share.low, share.high]
    found = failure_codes(SimpleRandom((5000,), 60), skipped, codes).codes[0].share
    assert (found.low, found.high) == pytest.approx((min(ends), max(ends)))


def test_inputs_that_were_chosen_and_not_drawn_give_counts_alone():
    verdicts, codes = labels_with((8, 4, 0), 60)
    found = failure_codes(Purposive((500,), 60), verdicts, codes)
    assert [(one.code, len(one.rows), one.share.value, one.share.low) for one in found.codes] == [
        ("blur", 8, None, None),
        ("dark", 4, None, None),
    ]
    assert found.new_kinds.share.value is None
    assert "no honest interval" in found.heading
