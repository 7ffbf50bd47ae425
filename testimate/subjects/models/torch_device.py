"""The device PyTorch runs on: CUDA if it sees one, in full precision unless requested otherwise, else the CPU."""

from contextlib import AbstractContextManager, nullcontext

import torch

from testimate.subjects.models.devices import Device


def best_device() -> Device:
    """CUDA if PyTorch sees one, else the CPU with all its cores.

    TensorFloat-32 is turned off: its products have ten bits, which could change a close prediction.
    """
    if not torch.cuda.is_available():
        return "cpu"
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.deterministic = True
    return "cuda"


def precision(device: Device, *, mixed: bool) -> AbstractContextManager[object]:
    """Runs the block in mixed precision, or unchanged."""
    return torch.autocast(device) if mixed else nullcontext()
