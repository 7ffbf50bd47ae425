import subprocess
import sys

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from testimate.auxiliary import autoencoder
from testimate.auxiliary.autoencoder import sae, vae
from testimate.core.errors import BadInput, Canceled
from tests.each import each

DIGITS = load_digits().data.astype(np.float32)
TRAINING, INPUTS = DIGITS[:1200], DIGITS[1200:]


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(autoencoder, "_STEPS", 300)


@pytest.mark.parametrize("score", [sae, vae])
def test_what_is_unlike_the_training_inputs_is_reconstructed_worse(score):
    upside_down = INPUTS.reshape(-1, 8, 8)[:, ::-1].reshape(-1, 64)
    noise = np.random.default_rng(0).uniform(0, 16, INPUTS.shape).astype(np.float32)
    found = score(np.concatenate([INPUTS, upside_down, noise]), TRAINING, seed=1).reshape(3, -1)
    assert found.shape == (3, len(INPUTS))
    ordinary, turned, noisy = np.median(found, axis=1)
    assert ordinary < 0.8 * turned < turned < noisy
    assert ordinary < 0.6  # 1 would be the mean picture


def test_a_plain_one_comes_near_the_best_linear_code_of_its_size(monkeypatch):
    """Principal components are the best code without a nonlinearity; 6 units must not be far from 6 components."""
    monkeypatch.setattr(autoencoder, "_SAE_CODE", 6)
    monkeypatch.setattr(autoencoder, "_STEPS", 2500)
    components = PCA(6).fit(TRAINING)
    best = ((components.inverse_transform(components.transform(TRAINING)) - TRAINING) ** 2).mean()
    found = sae(TRAINING, TRAINING, seed=0).mean() * TRAINING.var(axis=0).mean()
    assert 0.7 * best < found < 1.4 * best


def test_the_variational_loss_is_minus_the_evidence_bound():
    """With a linear decoder W the expected squared error is that of the mean code plus the trace of W S W'."""
    torch.manual_seed(0)
    network = autoencoder._Variational(5)
    network.decoder = torch.nn.Linear(autoencoder._VAE_CODE, 5)
    point = torch.randn(1, 5)
    with torch.no_grad():
        found = network.loss(point.repeat(40_000, 1)).mean()
        mean, log_variance = network.encoder(point).chunk(2, dim=1)
        variance = log_variance.exp()
        error = (network.decoder(mean) - point).square().sum() + (network.decoder.weight.square() * variance).sum()
        normal = torch.distributions.Normal
        divergence = torch.distributions.kl_divergence(normal(mean, variance.sqrt()), normal(0.0, 1.0)).sum()
    assert found.item() == pytest.approx((error / 2 + divergence).item(), rel=0.02)


@pytest.mark.parametrize("score", [sae, vae])
def test_the_same_seed_gives_the_same_scores_and_leaves_the_callers_numbers_alone(score):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    threads = torch.get_num_threads()
    first, again, other = (score(INPUTS[:50], TRAINING, seed=seed) for seed in (1, 1, 2))
    assert torch.equal(torch.rand(3), expected)
    assert torch.get_num_threads() == threads
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("score", [sae, vae])
def test_the_unit_does_not_matter(score):
    np.testing.assert_allclose(
        score(INPUTS[:50], TRAINING, seed=1), score(INPUTS[:50] / 1024, TRAINING / 1024, seed=1), rtol=1e-4
    )


@each("score", [sae, vae])
@each(
    ("inputs", "training"),
    [
        (np.ones((3, 2)), np.ones((4, 2))),
        (np.array([[1.7e308, -1.7e308]]), np.array([[0.0, 1e-300], [1e-310, 0.0]])),
        (np.zeros((2, 1)), np.array([[1.7e308], [-1.7e308], [0.0]])),
        (np.array([[5.0]], dtype=np.float32), np.array([[3e38], [1e-40]], dtype=np.float32)),
        (np.ones((1, 3)), np.eye(300, 3, k=-299) * 1e6),
    ],
)
def test_every_score_is_finite_and_at_least_0_whatever_the_inputs(score, inputs, training):
    found = score(inputs, training, seed=0)
    assert found.shape == (len(inputs),)
    assert np.isfinite(found).all()
    assert (found >= 0).all()


def test_progress_is_reported_and_can_stop_the_work():
    reports = []
    sae(INPUTS[:5], TRAINING, seed=0, progress=lambda done, total, what: reports.append((done, total)))
    assert reports == [(0, 300), (100, 300), (200, 300), (300, 300)]

    def stop(done, total, what):
        raise Canceled("Stopped.")

    with pytest.raises(Canceled):
        vae(INPUTS[:5], TRAINING, seed=0, progress=stop)


def test_inputs_of_another_width_are_refused():
    with pytest.raises(BadInput, match="63 wide"):
        sae(INPUTS[:, 1:], TRAINING, seed=0)


def test_torch_is_imported_for_the_autoencoders_alone():
    code = "import sys, testimate.auxiliary.surprise, testimate.auxiliary.leak; print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
