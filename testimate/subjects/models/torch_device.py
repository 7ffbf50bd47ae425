"""What a PyTorch model runs on: CUDA where PyTorch sees any, in full precision unless asked otherwise, else the CPU."""

from contextlib import AbstractContextManager, nullcontext

import torch

from testimate.subjects.models.devices import Device


def best_device() -> Device:
    """CUDA where PyTorch sees any, else the CPU, of which it takes all cores.

    TensorFloat-32 is turned off: its products have ten bits, and a close prediction could turn over.
    """
    if not torch.cuda.is_available():
        return "cpu"
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.deterministic = True
    return "cuda"


def precision(device: Device, *, mixed: bool) -> AbstractContextManager[object]:
    """Runs what is inside in mixed precision, or as it is."""
    return torch.autocast(device) if mixed else nullcontext()
