"""PyTorch models run on CUDA where there is one, in full precision, and say there what they say on the CPU."""

from collections.abc import Iterator
from typing import Self

import numpy as np
import pytest
import torch
from torch import nn

from testimate.subjects.models.device import on_best_device
from testimate.subjects.models.torch_model import TorchModel


class Moved(nn.Module):
    """Remembers where it was sent."""

    place = ""

    def to(self, place: str) -> Self:
        self.place = place
        return self


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    """Gives the settings back after each test."""
    matmul, cudnn = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    yield
    torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = matmul, cudnn


def test_with_cuda_a_module_goes_there_and_keeps_its_precision(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    assert on_best_device(Moved()).place == "cuda"
    assert not torch.backends.cuda.matmul.allow_tf32
    assert not torch.backends.cudnn.allow_tf32


def test_without_cuda_a_module_stays_where_it_is(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert on_best_device(Moved()).place == ""


@pytest.mark.skipif(not torch.cuda.is_available(), reason="There is no CUDA here; the test needs an accelerator.")
def test_cuda_says_what_the_cpu_says(monkeypatch):
    torch.manual_seed(0)
    module = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, 5))
    pictures = np.random.default_rng(0).random((16, 1, 8, 8), dtype=np.float32)
    said = {}
    for there_is in (False, True):
        monkeypatch.setattr(torch.cuda, "is_available", lambda answer=there_is: answer)
        model = TorchModel(module, example=pictures, fingerprint="both")
        said[there_is] = model.run(pictures, list(model.roles.values()))
    for layer, values in said[False].items():
        np.testing.assert_allclose(said[True][layer], values, atol=1e-5)
