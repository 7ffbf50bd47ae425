"""Sounds as a dataset: plain WAV files by the standard library, one channel of numbers from -1 to 1 for the model."""

import io
import struct
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.subject import Modality, Shown
from testimate.core.words import spaced
from testimate.datasets.pictures import scaled
from testimate.datasets.preprocessing import Preprocessing, prepared_fingerprint
from testimate.datasets.rows import Contents, checked_row, checked_rows
from testimate.datasets.texts import filled

MAX_RATE = 1_000_000
"""Samples per second."""


@dataclass(frozen=True, slots=True)
class SoundSize:
    """Samples per second and samples in each channel."""

    rate: int
    samples: int


@dataclass(frozen=True, eq=False)
class Sound:
    """Samples (count, channels) float32 from -1 to 1, and the number per second."""

    rate: int
    samples: NDArray[np.float32]


def sound_size(content: bytes, name: str) -> SoundSize:
    """The size of a WAV file; BadInput where it is not an uncompressed one."""
    sound = read_sound(content, name)
    return SoundSize(sound.rate, len(sound.samples))


def read_sound(content: bytes, name: str) -> Sound:
    """The samples of a WAV file of 8, 16, 24 or 32 bits; BadInput where it is damaged, packed or empty."""
    try:
        with wave.open(io.BytesIO(content)) as file:
            channels, width, rate = file.getnchannels(), file.getsampwidth(), file.getframerate()
            frames = file.readframes(min(file.getnframes(), len(content)))
    except (wave.Error, EOFError, struct.error, ValueError, RuntimeError, ZeroDivisionError) as error:
        raise BadInput(
            f"{name!r:.100} is not a plain WAV file ({error!s:.80}); expected PCM of 8 to 32 bits. Convert it or take it out."
        ) from error
    whole = len(frames) // max(channels * width, 1) * channels * width
    if not whole:
        raise BadInput(f"{name!r:.100} has no samples; expected at least one. Record it again or take it out.")
    if not 1 <= rate <= MAX_RATE or width > 4:
        raise BadInput(
            f"{name!r:.100} has {spaced(rate)} samples per second of {8 * width} bits; expected 1 to {spaced(MAX_RATE)} per "
            "second of at most 32 bits. Convert it or take it out."
        )
    return Sound(rate, _numbers(frames[:whole], width).reshape(-1, channels))


def _numbers(frames: bytes, width: int) -> NDArray[np.float32]:
    """Whole numbers of ``width`` bytes as float32 from -1 to 1; 8 bits are unsigned (WAVE, 1991, section 3)."""
    if width == 1:
        return ((np.frombuffer(frames, np.uint8).astype(np.int16) - 128) / 128).astype(np.float32)
    if width == 3:
        wide = np.zeros((len(frames) // 3, 4), np.uint8)
        wide[:, 1:] = np.frombuffer(frames, np.uint8).reshape(-1, 3)
        return (wide.view("<i4")[:, 0] / 2.0**31).astype(np.float32)
    return (np.frombuffer(frames, f"<i{width}") / 2.0 ** (8 * width - 1)).astype(np.float32)


def sound_bytes(sound: Sound) -> bytes:
    """The sound as a WAV file of 16 bits, with nothing else in it."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(sound.samples.shape[1])
        writer.setsampwidth(2)
        writer.setframerate(sound.rate)
        writer.writeframes(np.rint(sound.samples * 32_768).clip(-32_768, 32_767).astype("<i2").tobytes())
    return file.getvalue()


class SoundDataset:
    """Sounds prepared for a model; several channels are averaged into one."""

    modality: Modality = "audio"

    def __init__(self, contents: Contents, sizes: Sequence[SoundSize], preprocessing: Preprocessing) -> None:
        self._contents, self.sizes, self.preprocessing = contents, sizes, preprocessing
        self.content_fingerprint = contents.fingerprint
        self.fingerprint = prepared_fingerprint(contents.fingerprint, preprocessing)

    def __len__(self) -> int:
        return len(self._contents)

    def with_preprocessing(self, preprocessing: Preprocessing) -> "SoundDataset":
        """The same sounds with another preprocessing."""
        return SoundDataset(self._contents, self.sizes, preprocessing)

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The samples, (len(rows), length) float32, with an axis of one channel before or after the length if one is set.

        Raises BadInput where rates differ, or where lengths differ and no length is set.
        """
        rows = checked_rows(rows, len(self))
        rates = sorted({size.rate for size in self.sizes})
        if len(rates) > 1:
            raise BadInput(
                f"The sounds have {', '.join(map(spaced, rates))!s:.100} samples per second; expected one "
                "rate. Convert them to the model's."
            )
        sounds = [self._sound(int(row)).samples.mean(axis=1) for row in rows]
        table = filled(sounds, self.preprocessing, "sounds").astype(np.float32)
        if not self.preprocessing.is_identity:
            table = scaled(table[..., None], self.preprocessing)[..., 0]
        axis = {"first": 1, "last": 2}.get(self.preprocessing.channels)
        return table if axis is None else np.expand_dims(table, axis)

    def show(self, row: int) -> Shown:
        """The sound as a WAV file, written again."""
        return Shown(modality="audio", audio=sound_bytes(self._sound(checked_row(row, len(self)))))

    def _sound(self, row: int) -> Sound:
        return read_sound(self._contents.read(row), self._contents.name(row))
