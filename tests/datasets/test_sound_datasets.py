"""Sounds: samples as the standard library wrote them, one rate and one length for the model, a clean file for a person."""

import io
import struct
import wave
from pathlib import Path

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.datasets.open import open_dataset_file
from testimate.datasets.preprocessing import Preprocessing
from tests.each import each


def wav(frames: bytes, *, channels: int = 1, width: int = 2, rate: int = 8_000) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(channels)
        writer.setsampwidth(width)
        writer.setframerate(rate)
        writer.writeframes(frames)
    return file.getvalue()


def folder_of(tmp_path: Path, **sounds: bytes) -> Path:
    for name, content in sounds.items():
        path = tmp_path / "sounds" / f"{name.replace('__', '/')}.wav"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "sounds"


def everything(dataset) -> np.ndarray:
    return dataset.batch(np.arange(len(dataset)))


@pytest.mark.parametrize(
    ("width", "numbers"),
    [(1, [-128, 0, 127]), (2, [-(2**15), 0, 2**14]), (3, [-(2**23), 1, 5]), (4, [-(2**31), 0, 2**30])],
)
def test_samples_of_every_width_are_between_minus_1_and_1(tmp_path, width, numbers):
    if width == 1:
        frames = bytes(number + 128 for number in numbers)
    else:
        frames = b"".join(number.to_bytes(width, "little", signed=True) for number in numbers)
    batch = everything(open_dataset_file(folder_of(tmp_path, a=wav(frames, width=width))).dataset)
    assert batch.dtype == np.float32
    assert batch[0].tolist() == [number / 2 ** (8 * width - 1) for number in numbers]


def test_two_channels_are_averaged_for_the_model_and_kept_for_listening(tmp_path):
    frames = struct.pack("<4h", 1_000, 3_000, -500, 500)
    dataset = open_dataset_file(folder_of(tmp_path, a=wav(frames, channels=2))).dataset
    assert (everything(dataset) * 32_768).tolist() == [[2_000, 0]]
    heard = dataset.show(0).audio
    assert heard is not None
    with wave.open(io.BytesIO(heard)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (2, 2, 8_000)
        assert file.readframes(9) == frames


def test_sounds_of_16_bits_are_heard_as_they_are_stored_without_what_else_lies_in_the_file(tmp_path):
    frames = np.random.default_rng(1).integers(-(2**15), 2**15, 500).astype("<i2").tobytes()
    plain = wav(frames)
    size = struct.pack("<I", len(plain) - 8 + 14)
    hidden = b"RIFF" + size + b"WAVE" + b"LIST" + struct.pack("<I", 6) + b"secret" + plain[12:]
    dataset = open_dataset_file(folder_of(tmp_path, a=hidden)).dataset
    heard = dataset.show(0).audio
    assert heard == plain


def test_classes_come_from_folders_and_lengths_are_cut_and_filled(tmp_path):
    short, long = struct.pack("<2h", 1, 2), struct.pack("<4h", 1, 2, 3, 4)
    opened = open_dataset_file(folder_of(tmp_path, yes__a=wav(long), no__b=wav(short)))
    assert opened.classes == ("no", "yes")
    with pytest.raises(BadInput, match=r"sounds are of different lengths \(2 to 4\)"):
        everything(opened.dataset)
    three = opened.dataset.with_preprocessing(Preprocessing(length=3, scale=32_768))
    assert everything(three).tolist() == [[1, 2, 0], [1, 2, 3]]
    before = opened.dataset.with_preprocessing(Preprocessing(length=3, scale=32_768, padding="before"))
    assert everything(before).tolist() == [[0, 1, 2], [2, 3, 4]]


def test_sounds_of_two_rates_are_refused(tmp_path):
    folder = folder_of(tmp_path, a=wav(b"\0\0"), b=wav(b"\0\0", rate=44_100))
    with pytest.raises(BadInput, match="have 8\u202f000, 44\u202f100 samples per second; expected one rate"):
        everything(open_dataset_file(folder).dataset)


@each(
    "content",
    [
        b"RIFF",
        b"ID3 an mp3",
        wav(b""),
        wav(b"\0\0")[:30],
        wav(b"\0\0").replace(b"\x01\0\x01\0\x40\x1f", b"\x55\0\x01\0\x40\x1f"),
        wav(b"\0\0").replace(b"\x01\0\x01\0\x40\x1f", b"\x01\0\0\0\x40\x1f"),
        wav(b"\0\0").replace(b"\x10\0data", b"\0\0data"),
        wav(b"\0\0").replace(b"\x10\0data", b"\xff\0data"),
    ],
)
def test_what_is_not_a_plain_wav_is_refused_with_a_sentence(tmp_path, content):
    with pytest.raises(BadInput, match=r"'a.wav' (is not a plain WAV|has no samples)"):
        open_dataset_file(folder_of(tmp_path, a=content))


def test_a_sound_with_an_impossible_rate_is_refused_with_that_rate(tmp_path):
    with pytest.raises(BadInput, match=r"'a.wav' has 2.000.000 samples per second of 16 bits; expected 1 to 1.000.000"):
        open_dataset_file(folder_of(tmp_path, a=wav(b"\0\0" * 4, rate=2_000_000)))


def test_a_header_that_claims_more_than_the_file_holds_gives_what_is_there(tmp_path):
    frames = struct.pack("<2h", 5, 6)
    lying = wav(frames).replace(b"data\x04\0\0\0", b"data\xf0\xff\xff\x7f")
    batch = everything(open_dataset_file(folder_of(tmp_path, a=lying)).dataset)
    assert (batch * 32_768).tolist() == [[5, 6]]
