"""The slow step: which pairs of two blocks may be near, by NumPy, or by PyTorch if there is CUDA."""

import ctypes
import sys
import threading
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from testimate.core.plug_ins import is_there

_WORTH_IT = 20_000  # fewer inputs do not repay the start of CUDA


class BlockProduct(Protocol):
    """Products of two blocks and their comparison with limits.

    ``name`` : for the report. ``rows``, ``columns`` : the best size of a block. ``narrows`` : whether it is worth while to
    leave out rows and columns of a block.
    """

    name: str
    narrows: bool
    rows: int
    columns: int

    def hold(self, block: NDArray[np.float32]) -> Any:
        """The block in the memory in which products are computed."""
        ...

    def above(
        self, left: Any, right: Any, row_limits: NDArray[np.float32], column_limits: NDArray[np.float32]
    ) -> NDArray[np.intp]:
        """Flat places, rising, where ``left @ right.T`` reaches its row's or its column's limit (the lower of the two)."""
        ...


class NumpyProduct:
    """By NumPy, a buffer per thread."""

    name = "NumPy"
    narrows = True
    rows = 512
    columns = 1024

    def __init__(self) -> None:
        self._kept = threading.local()

    def hold(self, block: NDArray[np.float32]) -> NDArray[np.float32]:
        """The block itself."""
        return block

    def above(
        self,
        left: NDArray[np.float32],
        right: NDArray[np.float32],
        row_limits: NDArray[np.float32],
        column_limits: NDArray[np.float32],
    ) -> NDArray[np.intp]:
        """See ``BlockProduct``."""
        shape, size = (len(left), len(right)), len(left) * len(right)
        if len(getattr(self._kept, "scores", ())) < size:
            self._kept.scores = np.empty(size, dtype=np.float32)
            self._kept.near, self._kept.other = np.empty(size, dtype=bool), np.empty(size, dtype=bool)
        held = (self._kept.scores, self._kept.near, self._kept.other)
        scores, near, other = (buffer[:size].reshape(shape) for buffer in held)
        np.matmul(left, right.T, out=scores)
        np.greater_equal(scores, row_limits[:, None], out=near)
        np.greater_equal(scores, column_limits[None, :], out=other)
        np.logical_or(near, other, out=near)
        return np.flatnonzero(near)


class TorchProduct:
    """By PyTorch on a device, in full float32: TensorFloat-32's ten bits would break the bounds on rounding."""

    narrows = False
    rows = 4096
    columns = 8192

    def __init__(self, device: str) -> None:
        import torch

        self._torch, self._device = torch, device
        self.name = f"PyTorch on {device}"
        torch.backends.cuda.matmul.allow_tf32 = False

    def hold(self, block: NDArray[np.float32]) -> Any:
        """The block on the device."""
        return self._torch.as_tensor(block, device=self._device)

    def above(
        self, left: Any, right: Any, row_limits: NDArray[np.float32], column_limits: NDArray[np.float32]
    ) -> NDArray[np.intp]:
        """See ``BlockProduct``."""
        scores = left @ right.T
        near = scores >= self.hold(row_limits)[:, None]
        near |= scores >= self.hold(column_limits)[None, :]
        places: NDArray[np.intp] = self._torch.nonzero(near.view(-1)).view(-1).cpu().numpy()
        return places


def best_product(size: int) -> BlockProduct:
    """PyTorch on CUDA where there is one and ``size`` inputs are worth starting it, else NumPy."""
    if size >= _WORTH_IT and _cuda():
        return TorchProduct("cuda")
    return NumpyProduct()


def _cuda() -> bool:
    """Whether PyTorch sees a CUDA device; without a driver, PyTorch is not even imported (over a second)."""
    try:
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    if not is_there("torch"):
        return False
    import torch

    return torch.cuda.is_available()
