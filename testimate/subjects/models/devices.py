"""Which device a model's process gets: CUDA if this computer has it, else the processor with all its cores.

Decided before the process starts, only from files and the environment; the framework itself reports whether it can use
CUDA.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from testimate.core.errors import BadInput

Device = Literal["cpu", "cuda"]
DeviceName = Literal["auto", "cpu", "cuda"]
ASKED: tuple[DeviceName, ...] = get_args(DeviceName)

VISIBLE = "CUDA_VISIBLE_DEVICES"
KEPT_FOR_CUDA = (VISIBLE, "CUDA_DEVICE_ORDER", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")
"""Variables that a process on CUDA gets from this program's environment; in the first Ray names an actor's accelerators."""

FULL_PRECISION = {"NVIDIA_TF32_OVERRIDE": "0"}
"""No TensorFloat-32 in any library of NVIDIA's: its products have ten bits, which could change a close prediction."""

ROOT = Path(os.sep)


@dataclass(frozen=True)
class Wish:
    """The device the person wants for a model; ``mixed`` : in mixed precision, which only CUDA has."""

    device: DeviceName = "auto"
    mixed: bool = False


ANY = Wish()


def choose_device(wish: Wish, *, cuda: bool) -> Device:
    """The device that fulfils the wish; ``cuda`` : whether there is one.

    Raises BadInput for a missing or unknown device, and for mixed precision without CUDA.
    """
    checked_device(wish.device)
    if wish.device == "cuda" and not cuda:
        raise BadInput(
            "CUDA was asked for and this computer shows none; expected an NVIDIA accelerator with its driver, not "
            f"hidden by {VISIBLE}. Choose auto or cpu."
        )
    device: Device = "cuda" if cuda and wish.device != "cpu" else "cpu"
    if wish.mixed and device == "cpu":
        raise BadInput(
            "Mixed precision was asked for but the model would run on the processor, which does not have it; expected "
            "CUDA. Leave mixed precision out."
        )
    return device


def device_that_ran(said: object) -> Device:
    """The device that a model's process reports; ValueError where there is none of that name."""
    for device in get_args(Device):
        if said == device:
            found: Device = device
            return found
    raise ValueError(f"it ran on {said!r:.40}")


def checked_device(name: str) -> DeviceName:
    """The device of that name; BadInput where there is none."""
    for known in ASKED:
        if known == name:
            return known
    raise BadInput(f"There is no device {name!r:.40}; expected one of {', '.join(ASKED)}. Choose one of these.")


def has_cuda(environment: Mapping[str, str], root: Path = ROOT) -> bool:
    """Whether the system shows an NVIDIA accelerator and its driver, and the environment does not hide it."""
    if not is_visible(environment):
        return False
    files = root / "dev"
    own_driver = (files / "nvidiactl").exists() and any(files.glob("nvidia[0-9]*"))
    return own_driver or (files / "dxg").exists()  # the second is Windows's device for Linux


def is_visible(environment: Mapping[str, str]) -> bool:
    """Whether the environment lets programs see accelerators; an empty list, or one that begins with -1, hides all."""
    shown = environment.get(VISIBLE)
    return shown is None or (bool(shown.strip()) and not shown.strip().startswith("-1"))


def settings_for(device: Device, *, mixed: bool, environment: Mapping[str, str]) -> dict[str, str]:
    """The part of a process's environment that depends on its device."""
    if device == "cpu":
        return {VISIBLE: ""}
    kept = {name: environment[name] for name in KEPT_FOR_CUDA if name in environment}
    own = {"CUDA_CACHE_DISABLE": "1", "TF_FORCE_GPU_ALLOW_GROWTH": "true"}  # no file can be written; others share it
    return {**kept, **own, **({} if mixed else FULL_PRECISION)}


def files_for(device: Device, environment: Mapping[str, str], root: Path = ROOT) -> list[Path]:
    """Folders that a process on that device reads besides those for every process."""
    if device == "cpu":
        return []
    said = ("proc/driver", "proc/devices", "proc/modules", "etc/nvidia")
    libraries = [Path(place) for place in environment.get("LD_LIBRARY_PATH", "").split(os.pathsep) if place]
    return [*(root / place for place in said), *libraries]


def own_entries(device: Device, root: Path = ROOT) -> list[Path]:
    """Where the driver writes about the process itself: it names its threads there, and fails to start if it cannot."""
    return [] if device == "cpu" else [root / "proc/self/task"]


def device_files(device: Device, root: Path = ROOT) -> list[Path]:
    """Device files through which a process on that device talks to the driver, which it may write to and control."""
    if device == "cpu":
        return []
    return sorted([*(root / "dev").glob("nvidia*"), *(root / "dev").glob("dxg")])
