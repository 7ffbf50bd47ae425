"""What a PyTorch model runs on: CUDA where there is one, in full precision, else the CPU with all its cores."""

import torch
from torch import nn


def on_best_device(module: nn.Module) -> nn.Module:
    """The module on CUDA where PyTorch sees any, else where it is: the CPU, of which PyTorch takes all cores.

    Mixed precision stays off, TensorFloat-32 too: its products have ten bits, and a close prediction could turn over.
    """
    if not torch.cuda.is_available():
        return module
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    return module.to("cuda")
