"""What is said of prototypes that were chosen by a sample of the inputs."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from testimate.core.errors import BadInput
from testimate.structure import prototypes as module
from testimate.structure.prototypes import prototypes, sampled_objective
from testimate.structure.rbf_kernel import sampled_mean_kernel

FEATURES = np.random.default_rng(3).normal(size=(900, 3))
GAMMA = 0.3
KERNEL = rbf_kernel(FEATURES, gamma=GAMMA)


def discrepancy(rows):
    """MMD^2 by its definition, from the whole kernel matrix."""
    return KERNEL.mean() - 2 * KERNEL[rows].mean() + KERNEL[np.ix_(rows, rows)].mean()


def judged(seed, drawn=150):
    means = sampled_mean_kernel(FEATURES, drawn, gamma=GAMMA, seed=seed)
    chosen = prototypes(FEATURES, 6, gamma=GAMMA, means=means)
    said = sampled_objective(FEATURES, chosen, means, drawn, gamma=GAMMA, seed=seed)
    return said, chosen, means


def test_what_is_said_of_sampled_prototypes_is_their_discrepancy_to_all_rows_within_its_error(monkeypatch):
    monkeypatch.setattr(module, "JUDGES", 90)
    off = []
    for seed in range(60):
        said, chosen, means = judged(seed)
        off.append((said.found - discrepancy(chosen)) / said.error)
        whole = KERNEL.mean(axis=0)
        favor = (means[chosen].mean() - means.mean()) - (whole[chosen].mean() - whole.mean())
        assert said.overrated == pytest.approx(2 * favor, abs=8 * said.error)
    assert np.mean(np.abs(off) < 2) >= 0.9  # 95% of a normal error
    assert abs(np.mean(off)) < 3 / np.sqrt(60)


def test_where_every_row_judges_it_is_exact_and_chance_is_what_random_rows_leave_on_average():
    said, chosen, _ = judged(1)
    assert (said.found, said.error) == (pytest.approx(discrepancy(chosen), rel=1e-9), 0.0)
    rng = np.random.default_rng(8)
    random = [discrepancy(rng.choice(900, 6, replace=True)) for _ in range(2_000)]
    assert said.by_chance == pytest.approx(np.mean(random), abs=4 * np.std(random) / np.sqrt(2_000))
    assert judged(1, drawn=900)[0].overrated == pytest.approx(0, abs=1e-12)  # the means are those of all


def test_the_words_name_the_sample_what_is_left_and_how_much_better_it_could_be():
    said, _, _ = judged(1)
    found = said.words()
    assert "means over 150 of 900 inputs, drawn by the seed" in found
    assert f"(MMD²) of {said.found:.2g} ± 0" in found
    assert found.endswith(f"could leave {said.found:.2g} less at most.")


def test_no_prototype_is_refused():
    with pytest.raises(BadInput, match=r"no prototype. Expected at least one"):
        sampled_objective(FEATURES, np.empty(0, int), np.zeros(900), 10, gamma=GAMMA, seed=1)
