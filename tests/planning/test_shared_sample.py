"""One sample for several models: its strata are the set, every model is judged without bias, and bad requests are refused."""

import itertools

import numpy as np
import pytest

from testimate.core.design import Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.estimators import estimator_of
from testimate.planning import top_up as planned
from testimate.planning.top_up import drawn_where_they_may_fail, evenly_shared, shared_sample
from testimate.selectors.following import SharedSample
from testimate.tasks.classification import Classification
from tests.each import each

SIZE, TASK = 500, Classification(("a", "b", "c"))
RNG = np.random.default_rng(4)
TRUTH = RNG.integers(3, size=SIZE)


def model(share: float) -> Inputs:
    wrong = RNG.random(SIZE) < share
    sure = np.where(wrong, 0.6, 0.95) - RNG.random(SIZE) / 20
    said = np.where(wrong, (TRUTH + 1) % 3, TRUTH)
    return Inputs("f" * 32, TASK, said, sure, scores={"confidence": 1 - sure})


MODELS = [model(share) for share in (0.05, 0.15, 0.3)]


def test_the_strata_are_the_whole_set_and_each_round_visits_every_one_of_them():
    drawn = shared_sample(MODELS, 200, seed=1)
    assert sum(drawn["sizes"]) == SIZE
    assert len(set(drawn["rows"])) == 200
    count = len(drawn["sizes"])
    assert 18 <= count <= 22
    for first in range(0, 200 - count, count):
        assert sorted(drawn["strata"][first : first + count]) == list(range(count))
    assert shared_sample(MODELS, 200, seed=1) == drawn
    assert shared_sample(MODELS, 200, seed=2) != drawn


def test_inputs_where_any_model_may_fail_are_drawn_more_often():
    chances = np.full((2, SIZE), 0.02)
    chances[0, :50], chances[1, 50:100] = 0.5, 0.5
    counts = np.zeros(SIZE)
    for seed in range(60):
        counts[drawn_where_they_may_fail(chances, 60, seed)["rows"]] += 1
    assert counts[:50].mean() == pytest.approx(counts[50:100].mean(), rel=0.15)
    root = np.sqrt([(0.25 + 0.0196) / 2, 0.0196])  # of the mean of p (1 - p), where one may fail and elsewhere
    expected = 0.7 * root / (0.2 * root[0] + 0.8 * root[1]) + 0.3
    assert counts[:100].mean() / counts[100:].mean() == pytest.approx(expected[0] / expected[1], rel=0.1)


def test_where_one_model_stands_alone_the_strata_hold_no_other_inputs():
    drawn = shared_sample(MODELS, 200, seed=3)
    said = np.array([one.predictions for one in MODELS])
    alone = {place: {row for row in range(SIZE) if is_alone(said[:, row], place)} for place in (1, 2)}
    assert all(len(rows) > 20 for rows in alone.values())
    of_stratum = {}
    for row, stratum in zip(drawn["rows"], drawn["strata"], strict=True):
        of_stratum.setdefault(stratum, set()).add(row)
    for rows in of_stratum.values():
        for those in alone.values():
            assert rows <= those or not rows & those


def is_alone(said: np.ndarray, place: int) -> bool:
    """Whether one of three models predicts what no other does, and the other two agree."""
    rest = np.delete(said, place)
    return bool(rest[0] == rest[1] != said[place])


def test_a_model_that_fails_seldom_counts_by_what_its_own_best_sample_would_have_for_its_variance():
    chances = np.full((2, SIZE), 0.001)
    chances[0, :50], chances[1, 50:100] = 0.02, 0.4
    counts = np.zeros(SIZE)
    for seed in range(60):
        counts[drawn_where_they_may_fail(chances, 100, seed)["rows"]] += 1
    few, rare, many = 0.02 * 0.98, 0.001 * 0.999, 0.4 * 0.6
    best = [(0.1 * np.sqrt(of) + 0.9 * np.sqrt(rare)) ** 2 for of in (few, many)]
    root = np.sqrt([few / best[0] + rare / best[1], rare / best[0] + many / best[1], rare / best[0] + rare / best[1]])
    expected = 0.7 * root / (root @ [0.1, 0.1, 0.8]) + 0.3
    found = np.array([counts[:50].mean(), counts[50:100].mean(), counts[100:].mean()])
    assert found[:2] / found[2] == pytest.approx(expected[:2] / expected[2], rel=0.15)


def variances_of(count: int, seed: int) -> np.ndarray:
    """p (1 - p) of models that fail differently often and in different places, (M, 2000)."""
    rng = np.random.default_rng(seed)
    chances = rng.beta(0.2, np.linspace(2, 12, count)[:, None], (count, 2_000))
    return chances * (1 - chances)


def losses_by(shares: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """Mean of v / w of each model by these shares, over that by its own weights."""

    def left(roots: np.ndarray, v: np.ndarray) -> float:
        return float((v / (0.7 * roots / roots.mean() + 0.3)).mean())

    scaled = [v / np.sqrt(v).mean() ** 2 for v in variances]
    both = np.sqrt(sum(share * v for share, v in zip(shares, scaled, strict=True)))
    return np.array([left(both, v) / left(np.sqrt(v), v) for v in scaled])


@each("seed", range(4))
@each("count", [2, 3])
def test_no_shares_of_a_fine_grid_make_the_largest_loss_of_a_model_smaller(count, seed):
    variances = variances_of(count, seed)
    steps = itertools.product(range(31), repeat=count - 1)
    grid = [(*some, 30 - sum(some)) for some in steps if sum(some) <= 30]
    smallest = min(losses_by(np.array(shares) / 30, variances).max() for shares in grid)
    weights = evenly_shared(variances, 0)
    assert weights.mean() == pytest.approx(1)
    largest = max(
        (v / weights).mean() / ((v / w).mean()) for v, w in zip(variances, map(alone, variances), strict=True)
    )
    assert largest <= smallest + 1e-3


def alone(variances: np.ndarray) -> np.ndarray:
    roots = np.sqrt(variances)
    return np.asarray(0.7 * roots / roots.mean() + 0.3)


def test_a_sample_of_very_many_inputs_settles_the_shares_and_models_that_never_fail_take_none(monkeypatch):
    variances = variances_of(3, 1)
    whole = evenly_shared(variances, 0)
    monkeypatch.setattr(planned, "SETTLED_BY", 1_000)
    assert evenly_shared(variances, 0) == pytest.approx(whole, rel=0.1)
    assert evenly_shared(np.zeros((2, 50)), 0).tolist() == [1.0] * 50
    faultless = np.vstack([variances[0], np.zeros(2_000)])
    assert evenly_shared(faultless, 0) == pytest.approx(alone(variances[0]), rel=1e-6)


def test_each_model_is_judged_without_bias_by_the_same_draws():
    right = np.array([(one.predictions == TRUTH).mean() for one in MODELS])
    found = []
    for seed in range(150):
        drawn = shared_sample(MODELS, 60, seed)
        sample = SharedSample(SIZE, budget=60, seed=seed, models=("x", "y"), **drawn)
        draws = sample.ask(60)
        found.append(
            [
                estimator_of(sample.design)
                .estimate(
                    sample.design,
                    [Verdict(one, float(m.predictions[one.row] != TRUTH[one.row])) for one in draws],
                    always_valid=False,
                )
                .accuracy
                for m in MODELS
            ]
        )
    table = np.array(found)
    errors = table.std(axis=0) / np.sqrt(len(table))
    assert (np.abs(table.mean(axis=0) - right) < 3 * errors).all()


def test_a_stored_sample_gives_its_draws_again():
    drawn = shared_sample(MODELS, 30, seed=1)
    made = SharedSample(SIZE, budget=30, seed=1, models=("x", "y"), aimed_at=30, **drawn)
    assert isinstance(made.design, Stratified)
    assert made.design.always_valid
    draws = made.ask(30)
    assert [one.row for one in draws] == drawn["rows"]
    assert [one.stratum for one in draws] == drawn["strata"]
    assert isinstance(draws[0], Draw)


def test_one_model_eleven_models_other_inputs_and_a_damaged_sample_are_refused():
    with pytest.raises(BadInput, match=r"was to serve 1 models. Expected 2 to 10"):
        shared_sample(MODELS[:1], 30, seed=1)
    with pytest.raises(BadInput, match="was to serve 12 models"):
        shared_sample(MODELS * 4, 30, seed=1)
    shorter = Inputs("e" * 32, TASK, MODELS[0].predictions[:90])
    with pytest.raises(BadInput, match="predict for 500, 90 inputs"):
        shared_sample([MODELS[0], shorter], 30, seed=1)
    drawn = shared_sample(MODELS, 30, seed=1)
    with pytest.raises(BadInput, match="came with 29 inputs"):
        SharedSample(SIZE, budget=30, seed=1, models=("x", "y"), **{**drawn, "rows": drawn["rows"][1:]})
