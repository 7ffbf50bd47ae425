"""Sound files spoiled as a disk, a network or an enemy may: cut, bent, stretched, lying about sizes, carrying a program."""

import io
import json
import os
import pickle
import random
import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from tests.own_files import write_network

Damage = Callable[[bytes, random.Random], bytes]


class Marks:
    """Leaves a folder where it is unpickled."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self):
        return os.mkdir, (str(self.place),)


def sound_files(folder: Path, keras: Path) -> dict[str, bytes]:
    """Files that Testimate opens, by name: models and data."""
    draw = np.random.default_rng(5)
    write_network(
        folder / "m.onnx", *(draw.normal(size=size).astype(np.float32) for size in ((4, 8), (8, 3))), "Softmax"
    )
    weights = {"0.weight": torch.ones(3, 4), "0.bias": torch.zeros(3)}
    torch.save(weights, folder / "m.pt")
    save_file(weights, folder / "m.safetensors")
    np.save(folder / "d.npy", draw.normal(size=(20, 4)))
    np.savez_compressed(folder / "d.npz", x=draw.normal(size=(20, 4)), y=np.arange(20) % 3)
    made = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    models = [path for path in sorted(keras.iterdir()) if path.suffix in (".keras", ".h5")]
    return made | {f"keras{path.suffix}": path.read_bytes() for path in models}


def cut(content: bytes, draw: random.Random) -> bytes:
    return content[: draw.randrange(len(content))]


def bent(content: bytes, draw: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(draw.choice((1, 4, 64))):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed)


def bent_at_the_start(content: bytes, draw: random.Random) -> bytes:
    start = bytearray(content[:256])
    for _ in range(8):
        start[draw.randrange(len(start))] = draw.choice((0, 0x7F, 0x80, 0xFF))
    return bytes(start) + content[256:]


def stretched(content: bytes, draw: random.Random) -> bytes:
    place, length = draw.randrange(len(content)), draw.choice((1, 1_000, 100_000))
    return content[:place] + draw.randbytes(length) + content[place:]


def lying(content: bytes, draw: random.Random) -> bytes:
    """Some number of eight or four bytes claims far more than there is."""
    kind, place = draw.choice(("<Q", "<I", ">I")), draw.randrange(max(1, min(len(content) - 8, 4_000)))
    claimed = struct.pack(kind, draw.choice((2**31 - 1, 2**31, 2**32 - 1)))
    return content[:place] + claimed + content[place + len(claimed) :]


def twice(content: bytes, draw: random.Random) -> bytes:
    half = draw.randrange(len(content))
    return content[:half] + content


DAMAGES: tuple[Damage, ...] = (cut, bent, bent_at_the_start, stretched, lying, twice)


def carrying(canary: Path) -> Iterator[tuple[str, bytes]]:
    """A pickle that leaves a mark, by every name and in every wrapping that files have."""
    harm = pickle.dumps(Marks(canary))
    for ending in ("onnx", "pt", "safetensors", "keras", "h5", "npy", "npz"):
        yield f"named.{ending}", harm
    for member in (
        "data.pkl",
        "archive/data.pkl",
        "config.json",
        "../out",
        "/abs",
        "x.npy",
        "model.weights.h5",
        "tokenizer.json",
    ):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr(member, harm)
        for ending in ("pt", "keras", "npz", "zip"):
            yield f"{member.strip('./').replace('/', '-')} in.{ending}", packed.getvalue()
    header = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, "__metadata__": {"x": "y" * 100}})
    for claimed in (len(header), 2**63, 17_000_000, 0):
        yield f"claims {claimed}.safetensors", struct.pack("<Q", claimed) + header.encode() + b"\0" * 8
    objects = io.BytesIO()
    np.save(objects, np.array([Marks(canary)], dtype=object), allow_pickle=True)
    yield "objects.npy", objects.getvalue()
    for text in (b"(" * 200_000, b"\x80\x05" + b"\x8f" * 1000 + b".", b"cos\nsystem\n(S'true'\ntR."):
        yield f"odd pickle {len(text)}.pt", text


def malicious_files(folder: Path, keras: Path, canary: Path, count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Those that carry a program, and ``count`` damaged ones, each by its name; the same ones for the same seed."""
    yield from carrying(canary)
    draw = random.Random(seed)
    known = sorted(sound_files(folder, keras).items())
    for number in range(count):
        name, content = draw.choice(known)
        damage = draw.choice(DAMAGES)
        yield f"{number} {damage.__name__} {name}", damage(content, draw)
