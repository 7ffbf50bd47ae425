"""Usual preprocessings are compared in pairs on the same labels; a person is asked where these do not decide."""

from dataclasses import replace

import numpy as np
import pytest
import soundfile
from PIL import Image

from testimate.core.errors import BadInput
from testimate.datasets.open import open_dataset_file
from testimate.datasets.preprocessing import Preprocessing
from testimate.datasets.usual_preprocessings import TriedPreprocessing
from testimate.subjects.preparation import check_decided, chosen_preprocessing, trial_in_words
from testimate.subjects.ways_compared import Likelihood, likeliest_of_alike, possible_ways, tempered
from tests.each import each
from tests.own_files import PICTURE_FACTS


class Bright:
    """A network of two classes, trained on pictures from 0 to 1: bright ones are class 1."""

    fingerprint, layers, roles = "bright", ("p",), {"CON": "p"}

    def run(self, batch, _):
        bright = np.clip(batch.reshape(len(batch), -1).mean(axis=1), 0, 1)
        return {"p": np.stack([1 - bright, bright], 1).astype(np.float32)}


class OnlyFractions(Bright):
    """The same network, which refuses what is not from 0 to 1."""

    def run(self, batch, names):
        if batch.min() < 0 or batch.max() > 1:
            raise BadInput("Expected numbers from 0 to 1. Divide by 255.")
        return super().run(batch, names)


class OneClass(Bright):
    """A network that says the same of everything."""

    def run(self, batch, _):
        return {"p": np.tile(np.float32([0.9, 0.1]), (len(batch), 1))}


class OneClassOfFractions(OnlyFractions):
    """A network that takes numbers from 0 to 1 and says the same of everything."""

    def run(self, batch, names):
        super().run(batch, names)
        return OneClass().run(batch, names)


def pictures(tmp_path, values, known):
    """Gray pictures of one brightness each, from 0 to 255; -1 is no label."""
    values = np.asarray(values, dtype=np.uint8)
    truth = np.where(known, values > 127, -1)
    folder = tmp_path / "pictures"
    for row, (value, label) in enumerate(zip(values, truth, strict=True)):
        path = folder / f"{row:03}.png"
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(np.full((5, 5), value)).save(path)
        with (folder / "labels.csv").open("a") as file:
            file.write(f"{'file,label' if row == 0 else ''}{chr(10) if row == 0 else ''}")
            if label >= 0:
                file.write(f"{path.name},{label}\n")
    return open_dataset_file(folder)


@pytest.fixture(scope="module")
def all_known(tmp_path_factory):
    return pictures(tmp_path_factory.mktemp("all"), np.arange(0, 256, 2), np.ones(128, bool))


def test_the_way_that_is_right_more_often_in_a_paired_test_is_taken(all_known):
    chosen = chosen_preprocessing(Bright(), PICTURE_FACTS, all_known, given=None)
    assert chosen.tried[0].name == "0 to 1"
    assert chosen.tried[0].accuracy == 1
    assert chosen.source is not None
    assert "the most of" in chosen.source


def test_ten_labels_on_which_all_ways_are_right_ask_and_say_where_the_ways_differ(tmp_path):
    values = np.array([0] * 5 + [250] * 5 + list(range(20, 220, 2)))
    opened = pictures(tmp_path, values, np.arange(len(values)) < 10)
    chosen = chosen_preprocessing(Bright(), PICTURE_FACTS, opened, given=None)
    assert chosen.source is None
    unscaled, around_0 = values > 0.5, 2 * values / 255 - 1 > 0.5
    assert f"on {(unscaled != around_0).sum()} of 110 inputs" in chosen.doubt
    with pytest.raises(BadInput, match=r"of 10 labeled inputs, too close to tell them apart.*--scale 1/255"):
        check_decided(chosen, opened, Bright(), PICTURE_FACTS)


def test_ways_that_the_model_cannot_take_do_not_count_and_the_only_one_left_is_taken(all_known):
    chosen = chosen_preprocessing(OnlyFractions(), PICTURE_FACTS, all_known, given=None)
    assert chosen.preprocessing.scale == 1 / 255
    assert chosen.source == "0 to 1 is the only usual way the model takes"


@each("model", [OneClass, OneClassOfFractions])
def test_a_model_that_agrees_with_the_labels_by_chance_confirms_no_way_not_even_the_only_one(all_known, model):
    chosen = chosen_preprocessing(model(), PICTURE_FACTS, all_known, given=None)
    assert chosen.source is None
    assert "agrees with the labels no more often than chance" in chosen.doubt


def test_one_class_that_a_model_knows_needs_no_question_where_there_is_one_way(tmp_path):
    opened = pictures(tmp_path, np.arange(100), np.ones(100, bool))
    chosen = chosen_preprocessing(OnlyFractions(), PICTURE_FACTS, opened, given=None)
    assert chosen.source == "0 to 1 is the only usual way the model takes"


class TooLarge(Bright):
    """A network that is as right on numbers far too large, on which it is always sure."""

    def run(self, batch, _):
        bright = 1 / (1 + np.exp(np.clip(-9 * (batch.reshape(len(batch), -1).mean(axis=1)), -30, 30)))
        return {"p": np.stack([1 - bright, bright], 1).astype(np.float32)}


def test_of_ways_that_predict_alike_one_is_taken_in_which_the_model_is_not_always_sure(tmp_path):
    """Sounds as they are and as whole numbers of 16 bits: the classes are the same, and the confidences mean nothing."""
    folder = tmp_path / "sounds"
    folder.mkdir()
    levels = np.random.default_rng(4).uniform(0.02, 0.5, 60) * np.resize([-1, 1], 60)
    for row, level in enumerate(levels):
        soundfile.write(folder / f"{row:02}.wav", np.full(40, level, np.float32), 8_000, subtype="FLOAT")
    lines = "".join(f"{row:02}.wav,{int(level > 0)}\n" for row, level in enumerate(levels))
    (folder / "labels.csv").write_text(f"file,label\n{lines}")
    facts = replace(PICTURE_FACTS, input_shape=(40,), channels=None)
    chosen = chosen_preprocessing(TooLarge(), facts, open_dataset_file(folder), given=None)
    assert [one.accuracy for one in chosen.tried] == [1, 1]
    assert chosen.preprocessing.scale == 1


class Lighter:
    """A network that says whether the left half is lighter, by more than a hundredth."""

    fingerprint, layers, roles = "lighter", ("p",), {"CON": "p"}

    def run(self, batch, _):
        sides = batch.reshape(len(batch), 4, 4)
        left = sides[..., :2].mean(axis=(1, 2)) - sides[..., 2:].mean(axis=(1, 2)) > 0.01
        return {"p": np.where(left[:, None], np.float32([0.1, 0.9]), np.float32([0.9, 0.1]))}


@each("near", [1, 2, 3])
def test_of_ways_that_differ_on_a_hundredth_of_the_inputs_one_is_taken_and_said(tmp_path, near):
    """Halves that differ by one of 256 levels are the only ones about which the scale decides."""
    apart = np.resize([-60, 40, -20, 80], 200)
    apart[:near] = 1
    x = np.full((200, 4, 4), 100, np.uint8)
    x[..., :2] += apart[:, None, None].astype(np.int8).view(np.uint8)
    np.savez(tmp_path / "x.npz", x=x, y=(apart > 0).astype(int))
    facts = replace(PICTURE_FACTS, input_shape=(4, 4))
    chosen = chosen_preprocessing(Lighter(), facts, open_dataset_file(tmp_path / "x.npz"), given=None)
    said = f"they predict different classes on {near} of 200 inputs"
    if near == 3:
        assert (chosen.source, said in chosen.doubt) == (None, True)
        return
    assert chosen.source is not None
    assert chosen.source.endswith(f"{said}, so {chosen.tried[0].name} is taken")


class Level:
    """A network trained on pictures from 0 to 1 that gives ten times their brightness."""

    fingerprint, layers, roles = "level", ("p",), {"OUT": "p"}

    def run(self, batch, _):
        return {"p": (10 * batch.reshape(len(batch), -1).mean(axis=1))[:, None].astype(np.float32)}


@each("known", ["right", "other"])
def test_known_numbers_choose_the_way_whose_predictions_are_nearest_if_they_rise_with_them(tmp_path, known):
    folder = tmp_path / known
    folder.mkdir()
    values = np.arange(5, 245, 4)
    numbers = 10 * values / 255 + np.resize([-0.03, 0.04, 0.01], len(values))
    numbers = numbers if known == "right" else np.random.default_rng(5).permutation(numbers)
    for row, value in enumerate(values):
        Image.fromarray(np.full((5, 5), value, np.uint8)).save(folder / f"{row:02}.png")
    lines = "".join(f"{row:02}.png,{number:.3f}\n" for row, number in enumerate(numbers))
    (folder / "labels.csv").write_text(f"file,label\n{lines}")
    facts = replace(PICTURE_FACTS, output="numbers", roles={"OUT": "p"}, widths={"OUT": 1}, classes=0)
    chosen = chosen_preprocessing(Level(), facts, open_dataset_file(folder), given=None)
    if known == "other":
        assert chosen.source is None
        return
    assert chosen.preprocessing.scale == pytest.approx(1 / 255)
    assert chosen.source is not None
    assert chosen.source.startswith("0 to 1 is nearest to 60 known numbers, half of them within 0.03")


@each("labeled", [True, False])
def test_pictures_from_minus_1_to_1_are_taken_as_they_are_unless_labels_say_otherwise(tmp_path, labeled):
    values = np.linspace(0, 1, 120)
    x = np.broadcast_to((2 * values - 1)[:, None, None], (120, 5, 5)).astype(np.float32)
    path = tmp_path / f"{labeled}.npz"
    np.savez(path, x=x, **({"y": (values > 0.5).astype(int)} if labeled else {}))
    chosen = chosen_preprocessing(Bright(), PICTURE_FACTS, open_dataset_file(path), given=None)
    assert chosen.source is not None
    assert (chosen.preprocessing.scale, chosen.preprocessing.mean) == ((0.5, (-0.5,)) if labeled else (1.0, ()))


@each(
    ("misses", "left"),
    [
        ((7, 30, 30, 30, 30), 1),
        ((7, 7, 7, 7, 7), 6),
        ((7, 8, 30, 30, 30), 1),
        ((6, 30, 30, 30, 30), 1),
        ((5, 30, 30, 30, 30), 2),
    ],
)
def test_ways_are_set_apart_from_the_best_one_by_the_level_shared_among_those_that_are_left(misses, left):
    """By hand after Holm (1979): 7, 6 and 5 to 0 have p = 0.0156, 0.0313 and 0.0625; all ways together have the level 0.05."""
    known = np.zeros(100, np.intp)
    ways = [
        TriedPreprocessing(
            f"{place}", Preprocessing(), 1 - count / 100, 100, known, (np.arange(100) < count).astype(np.intp)
        )
        for place, count in enumerate((0, *misses))
    ]
    assert len(possible_ways(tuple(ways))) == left


def said_likelihood(right, count=60, *, certain=False):
    """Of a way in which all classes are right and the right one has about this chance."""
    chances = right + np.resize([-0.01, 0.0, 0.01], count)
    own = tempered(np.stack([chances, 1 - chances], 1), np.zeros(count, np.intp))
    return Likelihood(own, np.log(chances), underflows=False, certain=certain)


@each(
    ("first", "second", "taken"),
    [
        (said_likelihood(0.98), said_likelihood(0.94), "first"),
        (said_likelihood(0.94), said_likelihood(0.98), "second"),
        (said_likelihood(0.94), said_likelihood(0.94), "usual"),
        (said_likelihood(0.94), said_likelihood(0.98, certain=True), "first"),
    ],
)
def test_of_ways_that_are_right_on_all_labels_the_log_loss_as_said_decides_and_else_the_usual_one(first, second, taken):
    known = np.zeros(60, np.intp)
    ways = [TriedPreprocessing(name, Preprocessing(), 1.0, 60, known, known) for name in ("first", "second")]
    likely = {"first": first, "second": second}
    found = likeliest_of_alike(likely, ways, ["second", "first"])
    assert found.name == {"usual": "second"}.get(taken, taken)
    said = trial_in_words((found, *(one for one in ways if one is not found)), likely)
    reason = "not nearly always sure" if second.certain else "usual one" if taken == "usual" else "classes are likelier"
    assert reason in said


class Soft(Bright):
    """A network trained on sounds from -1 to 1 that is less sure, and as right, on whole numbers."""

    def run(self, batch, _):
        level = batch.reshape(len(batch), -1).mean(axis=1)
        sure = np.where(np.abs(level) <= 1, 0.98, 0.94) + np.resize([-0.005, 0.0, 0.005], len(level))
        high = np.where(level > 0, sure, 1 - sure)
        return {"p": np.stack([1 - high, high], 1).astype(np.float32)}


def test_sounds_are_taken_in_the_way_in_which_the_model_gives_the_right_classes_the_larger_chance(tmp_path):
    levels = np.linspace(0.1, 0.6, 60) * np.resize([-1, 1], 60)
    for row, level in enumerate(levels):
        soundfile.write(tmp_path / f"{row:02}.wav", np.full(40, level, np.float32), 8_000, subtype="FLOAT")
    lines = "".join(f"{row:02}.wav,{int(level > 0)}\n" for row, level in enumerate(levels))
    (tmp_path / "labels.csv").write_text(f"file,label\n{lines}")
    facts = replace(PICTURE_FACTS, input_shape=(40,), channels=None)
    chosen = chosen_preprocessing(Soft(), facts, open_dataset_file(tmp_path), given=None)
    assert chosen.preprocessing.scale == 1
    assert chosen.source == (
        "-1 to 1 is right on 100.0% of 60 labeled inputs and -32,768 to 32,767 on 100.0%, within chance; taken because the "
        "right classes are likelier"
    )


def test_ways_too_close_are_named_with_their_options_the_most_often_right_first(tmp_path):
    apart = np.resize([-60, 40, -20, 80], 200)
    apart[:4] = 1
    x = np.full((200, 4, 4), 100, np.uint8)
    x[..., :2] += apart[:, None, None].astype(np.int8).view(np.uint8)
    truth = (apart > 0).astype(int)
    truth[:3] = 0
    np.savez(tmp_path / "x.npz", x=x, y=truth)
    facts = replace(PICTURE_FACTS, input_shape=(4, 4))
    opened = open_dataset_file(tmp_path / "x.npz")
    chosen = chosen_preprocessing(Lighter(), facts, opened, given=None)
    assert chosen.doubt.startswith("0 to 1 is right on 99.5% and ")
    assert "0 to 255 on 98.5% " in chosen.doubt
    with pytest.raises(BadInput, match=r"On 48 inputs: --scale 1/255 \(0 to 1, right on 99.5%\) predicts"):
        check_decided(chosen, opened, Lighter(), facts)
