"""Sounds: samples as the standard library wrote them, one rate and one length for the model, a clean file for a person."""

import io
import struct
import wave
from pathlib import Path

import numpy as np
import pytest
import soundfile

from testimate.core.errors import BadInput
from testimate.datasets.open import open_dataset_file
from testimate.datasets.preprocessing import Preprocessing
from testimate.datasets.sounds import read_sound
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


def tone(rate: int, frequency: int = 440) -> np.ndarray:
    return np.sin(2 * np.pi * frequency * np.arange(rate) / rate) / 2


def test_sounds_of_two_rates_are_refused_until_one_is_said_and_then_they_are_the_same_tone(tmp_path):
    folder = folder_of(
        tmp_path,
        a=wav((tone(8_000) * 32_768).astype("<i2").tobytes()),
        b=wav((tone(44_100) * 32_768).astype("<i2").tobytes(), rate=44_100),
    )
    dataset = open_dataset_file(folder).dataset
    with pytest.raises(BadInput, match=r"have 8,000, 44,100 samples per second. Expected one rate"):
        everything(dataset)
    batch = everything(dataset.with_preprocessing(Preprocessing(rate=8_000)))
    assert batch.shape == (2, 8_000)
    assert np.abs(batch - tone(8_000))[:, 100:-100].max() < 1e-3


def test_floats_extensible_headers_and_packed_sounds_are_read_as_what_was_put_in(tmp_path):
    samples = tone(8_000).astype(np.float32)
    header = struct.pack(
        "<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + 32_000, b"WAVE", b"fmt ", 16, 3, 1, 8_000, 32_000, 4, 32, b"data", 32_000
    )
    floats = header + samples.tobytes()
    whole = np.rint(tone(8_000) * 2**23).astype("<i4")
    packed = whole.view(np.uint8).reshape(-1, 4)[:, :3].tobytes()
    pcm = b"\x01\0\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71"  # KSDATAFORMAT_SUBTYPE_PCM
    form = struct.pack("<HHIIHHHHI", 0xFFFE, 1, 8_000, 24_000, 3, 24, 22, 24, 0) + pcm
    parts = b"fmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", len(packed)) + packed
    extensible = b"RIFF" + struct.pack("<I", 4 + len(parts)) + b"WAVE" + parts
    assert np.array_equal(read_sound(floats, "a.wav").samples[:, 0], samples)
    assert np.array_equal(read_sound(extensible, "a.wav").samples[:, 0], (whole / 2**23).astype(np.float32))
    for kind, close in (("FLAC", 1e-4), ("OGG", 0.02), ("MP3", 0.02)):
        file = io.BytesIO()
        soundfile.write(file, tone(44_100), 44_100, format=kind)
        (tmp_path / f"{kind}").mkdir()
        (tmp_path / kind / f"a.{kind.lower()}").write_bytes(file.getvalue())
        [read] = everything(open_dataset_file(tmp_path / kind).dataset)
        assert np.abs(read[5_000:30_000] - tone(44_100)[5_000:30_000]).max() < close, kind


def test_a_preprocessing_without_a_rate_has_the_fingerprint_that_sessions_stored():
    assert Preprocessing(length=3, scale=32_768).fingerprint == "61ef34a9c6794daab614bc786596bfc8"
    assert Preprocessing(length=3, scale=32_768, rate=8_000).fingerprint != "61ef34a9c6794daab614bc786596bfc8"


def test_a_packed_sound_that_says_it_is_endless_is_refused_before_it_is_unpacked(tmp_path):
    file = io.BytesIO()
    soundfile.write(file, np.zeros(8_000), 8_000, format="FLAC")
    content = bytearray(file.getvalue())
    content[21] |= 0x0F  # the upper bits of the number of samples in STREAMINFO (RFC 9639, section 8.2)
    with pytest.raises(BadInput, match=r"samples in 'a.flac'. Expected at most"):
        read_sound(bytes(content), "a.flac")


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
def test_what_is_no_sound_is_refused_with_a_sentence(tmp_path, content):
    with pytest.raises(BadInput, match=r"'a.wav' (cannot be read as a sound|has no samples)"):
        open_dataset_file(folder_of(tmp_path, a=content))


def test_a_sound_with_an_impossible_rate_is_refused_with_that_rate(tmp_path):
    with pytest.raises(BadInput, match=r"'a.wav' has 2.000.000 samples per second. Expected 1 to 1.000.000"):
        open_dataset_file(folder_of(tmp_path, a=wav(b"\0\0" * 4, rate=2_000_000)))


def test_a_header_that_claims_more_than_the_file_holds_gives_what_is_there(tmp_path):
    frames = struct.pack("<2h", 5, 6)
    lying = wav(frames).replace(b"data\x04\0\0\0", b"data\xf0\xff\xff\x7f")
    batch = everything(open_dataset_file(folder_of(tmp_path, a=lying)).dataset)
    assert (batch * 32_768).tolist() == [[5, 6]]
