"""Preprocessing: the arithmetic to the last bit, the file beside a model, the usual ones and how right a model is with each."""

import dataclasses
import io
import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.datasets.open import open_dataset_file
from testimate.datasets.pictures import PictureDataset
from testimate.datasets.preprocessing import (
    Preprocessing,
    preprocessing_beside,
    processor_beside,
    read_preprocessing,
)
from testimate.datasets.usual_preprocessings import suggest_preprocessings, try_preprocessings
from tests.each import each

COLORS = np.random.default_rng(9).integers(0, 256, (8, 6, 5, 3), dtype=np.uint8)
GRAYS = np.random.default_rng(9).integers(0, 256, (8, 6, 5), dtype=np.uint8)


def pictures(tmp_path: Path, values: np.ndarray, labels: np.ndarray | None = None):
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.npz"
    np.savez(path, **({"x": values} if labels is None else {"x": values, "y": labels}))
    return open_dataset_file(path)


def prepared(opened, **settings) -> np.ndarray:
    dataset = opened.dataset.with_preprocessing(Preprocessing(**settings))
    return dataset.batch(np.arange(len(dataset)))


def test_every_byte_divided_by_255_is_what_exact_fractions_round_to(tmp_path):
    opened = pictures(tmp_path, np.arange(256, dtype=np.uint8).reshape(1, 16, 16))
    got = prepared(opened, scale=1 / 255).ravel()
    assert got.dtype == np.float32
    for byte in range(256):
        exact = Fraction(byte, 255)
        neighbors = [np.nextafter(got[byte], np.float32(direction)) for direction in (-1, 2)]
        assert all(abs(Fraction(float(got[byte])) - exact) <= abs(Fraction(float(n)) - exact) for n in neighbors)
    assert (got == np.arange(256, dtype=np.float32) / np.float32(255)).all(), "as Keras divides"


@pytest.mark.parametrize("kind", [np.uint8, np.float32, np.int16])
def test_scale_mean_and_deviation_act_per_channel_in_this_order(tmp_path, kind):
    mean, deviation = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
    got = prepared(pictures(tmp_path, COLORS.astype(kind)), scale=1 / 255, mean=mean, deviation=deviation)
    expected = (COLORS / np.float64(255) - mean) / deviation
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-7)


def test_channels_are_where_they_are_asked_for(tmp_path):
    color, gray = pictures(tmp_path, COLORS), pictures(tmp_path, GRAYS)
    assert (prepared(color, channels="first") == COLORS.transpose(0, 3, 1, 2)).all()
    assert (prepared(color, channels="flat") == COLORS.reshape(8, -1)).all()
    assert (prepared(color, color="bgr") == COLORS[..., ::-1]).all()
    with pytest.raises(BadInput, match="3 channels, and the model is to get none of them as an axis"):
        prepared(color, channels="none")
    gray = pictures(tmp_path, GRAYS)
    assert (prepared(gray) == GRAYS).all()
    assert (prepared(gray, channels="last") == GRAYS[..., None]).all()
    assert (prepared(gray, channels="first") == GRAYS[:, None]).all()
    assert (prepared(gray, color="rgb", channels="first") == GRAYS[:, None].repeat(3, axis=1)).all()
    assert (prepared(gray, color="rgb") == GRAYS[..., None].repeat(3, axis=3)).all()
    assert prepared(gray, channels="first").flags.c_contiguous


def test_colors_become_gray_as_pillow_makes_them(tmp_path):
    witness = np.stack([np.asarray(Image.fromarray(picture).convert("L")) for picture in COLORS])
    assert (prepared(pictures(tmp_path, COLORS), color="gray", channels="none") == witness).all()
    share = prepared(pictures(tmp_path, COLORS / np.float32(255)), color="gray", channels="none")
    np.testing.assert_allclose(share * 255, witness, atol=0.51)


@pytest.mark.parametrize("resample", ["nearest", "bilinear", "bicubic"])
def test_pictures_are_resized_as_pillow_resizes_them(tmp_path, resample):
    got = prepared(pictures(tmp_path, COLORS), resize=(9, 4), resample=resample)
    size = Image.Resampling[resample.upper()]
    assert (got == np.stack([np.asarray(Image.fromarray(p).resize((4, 9), size)) for p in COLORS])).all()
    fractions = prepared(pictures(tmp_path, COLORS / np.float64(255)), resize=(9, 4), resample=resample)
    np.testing.assert_allclose(fractions * 255, got, atol={"nearest": 0.01, "bilinear": 1.01, "bicubic": 80}[resample])


def test_a_row_of_numbers_is_scaled_by_column(tmp_path):
    np.save(tmp_path / "d.npy", np.array([[1.0, 10.0], [3.0, 30.0]]))
    opened = open_dataset_file(tmp_path / "d.npy")
    assert prepared(opened, mean=(2.0, 20.0), deviation=(1.0, 10.0)).tolist() == [[-1, -1], [1, 1]]
    with pytest.raises(BadInput, match="3 numbers as mean and the inputs have 2 channels"):
        prepared(opened, mean=(1.0, 2.0, 3.0))


def test_each_setting_is_part_of_the_fingerprint_and_nothing_is_read_again(tmp_path):
    opened = pictures(tmp_path, COLORS)
    settings = [
        {},
        {"scale": 0.5},
        {"mean": (1.0,)},
        {"deviation": (2.0,)},
        {"resize": (2, 3)},
        {"resize": (3, 2)},
        {"resample": "nearest"},
        {"color": "bgr"},
        {"channels": "first"},
        {"tokens": "bytes"},
        {"vocabulary": ("a",)},
        {"unknown": 0},
        {"length": 5},
        {"pad": 1},
        {"padding": "before"},
    ]
    datasets = [opened.dataset.with_preprocessing(Preprocessing(**setting)) for setting in settings]
    assert len({dataset.fingerprint for dataset in datasets}) == len(settings)
    assert {dataset.content_fingerprint for dataset in datasets} == {opened.dataset.content_fingerprint}
    gray = Preprocessing(color="gray").fingerprint
    assert gray == "898c896fbe49679a259f1aa057f402d4"  # of colour = "grey", as versions until November 2026 spelled it
    assert open_dataset_file(tmp_path / "0.npz", preprocessing=Preprocessing(scale=0.5)).dataset.fingerprint == (
        datasets[1].fingerprint
    )


def test_the_training_set_is_prepared_like_the_operational_one(tmp_path):
    np.savez(tmp_path / "d.npz", x_train=COLORS, x_test=COLORS)
    opened = open_dataset_file(tmp_path / "d.npz").with_preprocessing(Preprocessing(scale=2.0))
    assert opened.training is not None
    assert (opened.training.dataset.batch(np.array([1])) == opened.dataset.batch(np.array([1]))).all()
    assert (opened.dataset.batch(np.array([1])) == 2.0 * COLORS[1]).all()


def test_a_preview_shows_what_the_model_gets_in_its_size_and_colors(tmp_path):
    settings = Preprocessing(scale=1 / 127.5, mean=(1.0,), resize=(3, 4), channels="first", color="bgr")
    dataset = pictures(tmp_path, COLORS).dataset.with_preprocessing(settings)
    preview = dataset.preview(2)
    given = dataset.batch(np.array([2]))[0]
    assert preview.shape == (3, 3, 4)
    assert (preview.low, preview.high) == (given.min(), given.max())
    assert preview.shown.image is not None
    seen = np.asarray(Image.open(io.BytesIO(preview.shown.image)))
    assert (seen == np.asarray(Image.fromarray(COLORS[2]).resize((4, 3), Image.Resampling.BILINEAR))).all()


@each(
    "setting",
    [
        {"scale": 0.0},
        {"scale": float("nan")},
        {"mean": (float("inf"),)},
        {"deviation": (0.0,)},
        {"deviation": (-1.0,)},
        {"channels": "middle"},
        {"color": "hsv"},
        {"resample": "magic"},
        {"tokens": "words"},
        {"padding": "around"},
        {"resize": (0, 5)},
        {"resize": (9_999, 9_999)},
        {"length": 0},
        {"length": 10**12},
        {"pad": -1},
    ],
)
def test_an_impossible_setting_is_refused_with_a_sentence(setting):
    with pytest.raises(BadInput, match=r"The preprocessing says .*. Expected .*\. Correct it"):
        Preprocessing(**setting)


def test_the_file_beside_a_model_is_read_its_own_before_the_folders(tmp_path):
    (tmp_path / "model.toml").write_text("[preprocessing]\nscale = 2\n")
    assert preprocessing_beside(tmp_path / "LeNet-5.h5") == (Preprocessing(scale=2.0), "model.toml")
    (tmp_path / "vocab.txt").write_text("<pad>\nthe\n")
    settings = (
        "[layers]\nFL = 'conv'\n[preprocessing]\nscale = '1/255'\nmean = [0.5, 0.25]\ndeviation = 2\nresize = [28, 14]\n"
        "channels = 'first'\ncolor = 'gray'\nlength = 7\nvocabulary = 'vocab.txt'\ntokens = 'words'\n"
    )
    own = Preprocessing(
        scale=1 / 255,
        mean=(0.5, 0.25),
        deviation=(2.0,),
        resize=(28, 14),
        channels="first",
        color="gray",
        length=7,
        vocabulary=("<pad>", "the"),
        tokens="words",
    )
    for spelled in (
        settings,
        settings.replace("color = 'gray'", "colour = 'grey'"),
    ):  # the second as earlier versions had it
        (tmp_path / "LeNet-5.toml").write_text(spelled)
        assert preprocessing_beside(tmp_path / "LeNet-5.h5") == (own, "LeNet-5.toml")
    assert preprocessing_beside(tmp_path / "elsewhere" / "x.h5") is None
    assert preprocessing_beside(Path()) is None
    (tmp_path / "LeNet-5.toml").write_text("[layers]\nFL = 'conv'\n")
    assert preprocessing_beside(tmp_path / "LeNet-5.h5") == (Preprocessing(scale=2.0), "model.toml")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("scale = ", "is not valid TOML"),
        ("skale = 1", "says 'skale' = 1 under"),
        ("scale = true", "says 'scale' = True"),
        ("scale = '1/0'", "scale = '1/0'. Expected a number"),
        ("scale = '__import__(\"os\")'", "Expected a number"),
        ("scale = 1e300", "says 'scale'"),
        ("mean = ['a']", "says 'mean'"),
        ("resize = [1.5, 2]", "says 'resize'"),
        ("length = 2.5", "says 'length'"),
        ("channels = 'middle'", "Expected one of as stored, first"),
        ("vocabulary = '../secret'", "without a folder"),
        ("vocabulary = 'none.txt'", "could not be read"),
        ("vocabulary = 'link.txt'", "not a link"),
    ],
)
def test_an_impossible_preprocessing_file_is_refused(tmp_path, line, sentence):
    (tmp_path.parent / "secret").write_text("a")
    (tmp_path / "link.txt").symlink_to(tmp_path.parent / "secret")
    (tmp_path / "m.toml").write_text(f"[preprocessing]\n{line}\n")
    with pytest.raises(BadInput) as refused:
        read_preprocessing(tmp_path / "m.toml")
    assert sentence in str(refused.value)


class LikesOne:
    """A model that is right just where its inputs are prepared in one way: it compares them with what it wants."""

    fingerprint, layers, roles = "likes", ("softmax",), {"CON": "softmax"}

    def __init__(self, wanted: np.ndarray, classes: np.ndarray) -> None:
        self.wanted, self.classes = wanted, classes

    def run(self, batch, layers):
        assert layers == ["softmax"]
        matches = np.array([np.flatnonzero([np.allclose(one, want) for want in self.wanted]) for one in batch], object)
        said = np.zeros((len(batch), 3), np.float32)
        for place, match in enumerate(matches):
            said[place, self.classes[match[0]] if len(match) else 0] = 1
        return {"softmax": said}


@pytest.mark.parametrize("name", ["0 to 255", "0 to 1", "-1 to 1", "ImageNet's mean and deviation"])
def test_the_preprocessing_a_model_was_trained_with_is_found_by_its_accuracy(tmp_path, name):
    labels = np.array([1, 2, 1, 2, 1, 2, 1, 2])
    opened = pictures(tmp_path, COLORS, labels)
    usual = suggest_preprocessings(opened.dataset, (3, 6, 5))
    wanted = next(one for one in usual if one.name == name)
    model = LikesOne(prepared(opened, **vars(wanted.preprocessing)), labels)
    tried = try_preprocessings(model, opened, usual)
    assert (tried[0].name, tried[0].accuracy, tried[0].count) == (name, 1.0, 8)
    assert all(one.accuracy == 0.0 for one in tried[1:])
    some = try_preprocessings(model, opened, usual, rows=np.array([0, 3]))
    assert (some[0].name, some[0].count) == (name, 2)


def test_without_a_label_no_preprocessing_is_tried(tmp_path):
    opened = pictures(tmp_path, COLORS)
    with pytest.raises(NotEnoughLabels, match="Expected some labels"):
        try_preprocessings(LikesOne(COLORS, np.zeros(8)), opened, suggest_preprocessings(opened.dataset))


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (GRAYS, ["0 to 255", "0 to 1", "-1 to 1", "MNIST's mean and deviation"]),
        (GRAYS / 255, ["0 to 1", "0 to 255", "-1 to 1", "MNIST's mean and deviation"]),
        (GRAYS / 127.5 - 1, ["as stored", "0 to 1", "0 to 255"]),
        (GRAYS * 1_000.0, ["as stored"]),
    ],
)
def test_the_usual_ones_fit_the_numbers_of_the_pictures_and_begin_with_none(tmp_path, values, names):
    usual = suggest_preprocessings(pictures(tmp_path, values).dataset)
    assert [one.name for one in usual] == names
    ranges = {"0 to 255": (0, 255), "0 to 1": (0, 1), "-1 to 1": (-1, 1)}
    opened = pictures(tmp_path, values)
    for one in usual:
        if one.name in ranges:
            got = prepared(opened, **vars(one.preprocessing))
            assert ranges[one.name][0] <= got.min()
            assert got.max() <= ranges[one.name][1]
            assert got.max() - got.min() > 0.8 * (ranges[one.name][1] - ranges[one.name][0])


@each(
    ("values", "shape"),
    [
        (COLORS, (3, 6, 5)),
        (COLORS, (6, 5, 3)),
        (COLORS, (1, 12, 12)),
        (COLORS, (6, 5, 1)),
        (COLORS, (90,)),
        (COLORS, (6, 5)),
        (GRAYS, (3, 32, 32)),
        (GRAYS, (6, 5, 1)),
        (GRAYS, (6, 5)),
        (GRAYS, (30,)),
        (GRAYS, (8, 9)),
    ],
)
def test_size_color_and_channel_order_follow_from_the_models_input(tmp_path, values, shape):
    dataset = pictures(tmp_path, values).dataset
    assert isinstance(dataset, PictureDataset)
    for one in suggest_preprocessings(dataset, shape):
        assert dataset.with_preprocessing(one.preprocessing).batch(np.arange(2)).shape == (2, *shape)


def test_an_open_size_of_the_models_input_leaves_the_pictures_theirs(tmp_path):
    dataset = pictures(tmp_path, COLORS).dataset
    usual = suggest_preprocessings(dataset, (None, None, 3))
    assert dataset.with_preprocessing(usual[0].preprocessing).batch(np.arange(2)).shape == (2, 6, 5, 3)


def test_a_subject_keeps_its_training_set_beside_the_operational_one(tmp_path):
    from testimate.core.subject import Subject
    from testimate.tasks.classification import Classification

    np.savez(tmp_path / "d.npz", x_train=COLORS, y_train=np.arange(8) % 2, x_test=COLORS[:3], y_test=np.arange(3) % 2)
    opened = open_dataset_file(tmp_path / "d.npz")
    assert opened.training is not None
    subject = Subject(
        key="d",
        name="d",
        task=Classification(opened.classes),
        dataset=opened.dataset,
        fingerprint=opened.fingerprint,
        truth=opened.truth,
        training=opened.training.dataset,
        training_truth=opened.training.truth,
    )
    assert subject.training is not None
    assert len(subject.training) == 8
    assert subject.training_truth is not None
    assert subject.training_truth.tolist() == [0, 1] * 4


def test_the_page_on_the_file_beside_a_model_has_a_line_for_every_key_and_its_lines_are_read(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "preprocessing.md").read_text()
    blocks = [block for block in re.findall(r"```toml\n(.*?)```", page, re.DOTALL) if "[preprocessing]" in block]
    said = {key for block in blocks for key in re.findall(r"^(\w+) =", block, re.MULTILINE)}
    assert said == {field.name for field in dataclasses.fields(Preprocessing)}
    (tmp_path / "vocab.txt").write_text("a\nb\n")
    for place, block in enumerate(blocks):
        file = tmp_path / f"{place}.toml"
        file.write_text(block)
        assert read_preprocessing(file) != Preprocessing()


PROCESSOR = {
    "do_resize": True,
    "size": {"height": 24, "width": 32},
    "resample": 3,
    "do_rescale": True,
    "rescale_factor": 1 / 255,
    "do_normalize": True,
    "image_mean": [0.5, 0.4, 0.3],
    "image_std": [0.2, 0.2, 0.1],
}
"""As transformers' ViTImageProcessor.save_pretrained writes it."""


@each("says", [{}, {"do_normalize": False}, {"size": 24}, {"do_rescale": False, "do_resize": False}])
def test_an_image_processor_beside_a_model_says_how_pictures_are_prepared(tmp_path, says):
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(PROCESSOR | says))
    found = processor_beside(tmp_path / "model.onnx")
    assert processor_beside(tmp_path) == found  # the model is the folder
    assert found is not None
    assert found.scale == (1 if "do_rescale" in says else pytest.approx(1 / 255))
    assert found.mean == (() if "do_normalize" in says else (0.5, 0.4, 0.3))
    assert found.deviation == (() if "do_normalize" in says else (0.2, 0.2, 0.1))
    assert found.resize == (None if "do_resize" in says else (24, 24) if "size" in says else (24, 32))
    assert found.resample == "bicubic"


@each("says", [{"do_center_crop": True}, {"size": {"shortest_edge": 24}}, {"resample": 1}, {"image_mean": "x"}])
def test_an_image_processor_that_does_what_is_not_done_here_decides_nothing(tmp_path, says):
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(PROCESSOR | says))
    assert processor_beside(tmp_path / "model.onnx") is None
    (tmp_path / "preprocessor_config.json").write_text("{")
    assert processor_beside(tmp_path / "model.onnx") is None


def test_lines_that_a_model_takes_the_other_way_round_are_swapped_and_those_of_another_length_stay(tmp_path):
    lines = np.random.default_rng(8).normal(size=(12, 128, 3)).astype(np.float32)
    np.savez(tmp_path / "lines.npz", x=lines)
    dataset = open_dataset_file(tmp_path / "lines.npz").dataset

    def given(shape):
        return dataset.with_preprocessing(suggest_preprocessings(dataset, shape)[0].preprocessing).batch(np.arange(12))

    np.testing.assert_array_equal(given((3, 128)), lines.transpose(0, 2, 1))
    np.testing.assert_array_equal(given((3, None)), lines.transpose(0, 2, 1))
    np.testing.assert_array_equal(given((128, 3)), lines)
    assert given((3, 100)).shape == (12, 128, 3), "numbers of a sensor are not resized like a picture"
    np.savez(tmp_path / "bytes.npz", x=(lines[:, :8] * 9).astype(np.uint8))
    pictures = open_dataset_file(tmp_path / "bytes.npz").dataset
    assert suggest_preprocessings(pictures, (3, 8))[0].preprocessing.resize == (3, 8), "gray pictures are"
