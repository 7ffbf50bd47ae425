"""What covering parts says about a model: of models whose answer hangs on parts that the test knows."""

import os
import signal
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from testimate.core.errors import BadInput, Canceled
from testimate.core.subject import Shown
from testimate.datasets.preprocessing import Preprocessing
from testimate.demos.png import gray_png
from testimate.models import open_model_file
from testimate.models.description import ModelDescription
from testimate.models.worker_process import ModelCrashed
from testimate.subjects.occlusion import explain
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import Regression
from tests.each import each
from tests.models.test_worker import WEIGHT, write_onnx

TASK = Classification(("dark", "bright"))


def subject(
    inputs: np.ndarray, say: Any, *, modality: str = "image", task: Any = TASK, role: str = "CON", cells: tuple = ()
) -> Any:
    """A subject of these inputs, whose model says ``say(batch)``, (n, C)."""

    def run(batch: np.ndarray, layers: list[str]) -> dict[str, np.ndarray]:
        return {layer: np.asarray(say(batch), dtype=np.float32) for layer in layers}

    def show(row: int) -> Shown:
        if modality != "image":
            return Shown("tabular", cells=cells)
        return Shown("image", image=gray_png(np.zeros((20, 30), dtype=np.uint8)))

    class Data:
        def __len__(self) -> int:
            return len(inputs)

    Data.modality, Data.batch, Data.show = modality, staticmethod(lambda rows: inputs[rows]), staticmethod(show)
    model = SimpleNamespace(roles={role: "last"}, layers=["last"], run=run)
    return SimpleNamespace(dataset=Data(), task=task, open_model=lambda: model)


def bright_spot(batch: np.ndarray) -> np.ndarray:
    """Bright where the mean of rows 4..7, columns 20..23 of a (20, 30) picture is above 1/2."""
    chance = batch.reshape(len(batch), 20, 30)[:, 4:8, 20:24].mean(axis=(1, 2))
    return np.stack([1 - chance, chance], axis=1)


def pictures() -> np.ndarray:
    """One picture with the spot, among 99 black ones."""
    found = np.zeros((100, 20, 30), dtype=np.float32)
    found[3, 4:8, 20:24] = 1.0
    return found


@each("shape", [(100, 20, 30), (100, 1, 20, 30), (100, 20, 30, 1), (100, 600)])
def test_only_squares_over_the_spot_the_model_looks_at_have_an_effect_and_the_one_that_is_enough_covers_it(shape):
    found = explain(subject(pictures().reshape(shape), bright_spot), 3)
    assert found.kind == "picture"
    assert found.effect.shape == (20, 30)
    assert np.unravel_index(found.effect.argmax(), (20, 30))[0] in range(4, 8)
    assert np.unravel_index(found.effect.argmax(), (20, 30))[1] in range(20, 24)
    far = np.ones((20, 30), dtype=bool)
    far[0:12, 16:28] = False  # no square of side 4 that touches the spot reaches beyond
    np.testing.assert_allclose(found.effect[far], 0, atol=1e-6)
    left, top, right, bottom = found.enough
    covered = max(0, min(right, 24) - max(left, 20)) * max(0, min(bottom, 8) - max(top, 4))
    assert covered >= 8  # half of the spot's 16 pixels
    assert found.share == (right - left) * (bottom - top) / 600
    assert found.then == "dark"


def test_the_square_that_is_enough_is_the_smallest_of_the_sides_tried():
    left, _, right, _ = explain(subject(pictures(), bright_spot), 3).enough
    assert right - left == 3  # 9 of the spot's 16 pixels; sides of 1, 3, 4, 6, 8 and 10 are tried
    for top in range(20):
        for column in range(30):
            one = pictures()[3:4]
            one[0, top, column] = 0
            assert bright_spot(one)[0].argmax() == 1  # no single pixel is enough


def test_an_answer_that_nothing_changes_has_no_square():
    found = explain(subject(pictures(), lambda batch: np.tile([0.2, 0.8], (len(batch), 1))), 3)
    assert found.enough is None
    assert found.then == ""
    np.testing.assert_allclose(found.effect, 0, atol=1e-7)


def linear(weights: list[float], bias: float) -> Any:
    """A logistic model of a row of numbers."""

    def say(batch: np.ndarray) -> np.ndarray:
        chance = 1 / (1 + np.exp(-(batch @ np.array(weights) + bias)))
        return np.stack([1 - chance, chance], axis=1)

    return say


def test_the_effect_of_a_column_is_what_the_model_says_with_its_mean_in_place():
    rows = np.random.default_rng(0).normal(size=(64, 4)).astype(np.float32)
    rows[7] = [2, -1, 3, 0]
    weights, cells = [1.0, 0.5, 2.0, -1.0], (("a", ""), ("b", ""), ("c", ""), ("d", ""))
    found = explain(subject(rows, linear(weights, 0.1), modality="tabular", cells=cells), 7)
    say = linear(weights, 0.1)
    for place in range(4):
        copy = rows[7:8].copy()
        copy[0, place] = rows.mean(axis=0, dtype=np.float64)[place]
        assert found.effect[place] == pytest.approx(say(rows[7:8])[0, 1] - say(copy)[0, 1], abs=1e-6)
    assert found.parts == ("a", "b", "c", "d")


def test_columns_that_change_the_answer_only_together_are_found_and_none_of_them_can_be_spared():
    rows = np.zeros((64, 5), dtype=np.float32)
    rows[2] = [4, 4, 4, 0, 0.5]
    say = linear([1.0, 1.0, 1.0, 1.0, 0.1], -5.0)  # two of the three fours have to go
    found = explain(subject(rows, say, modality="tabular", cells=tuple((name, "") for name in "abcde")), 2)
    assert len(found.enough) == 2
    assert set(found.enough) <= {0, 1, 2}
    assert found.then == "dark"
    assert found.share == 2 / 5


def test_many_numbers_are_covered_in_stretches_that_hold_each_number_once():
    rows = np.zeros((10, 1_000), dtype=np.float32)
    rows[4, 500] = 9.0
    found = explain(subject(rows, lambda batch: linear([1.0] * 1_000, -2.0)(batch), modality="tabular"), 4)
    assert len(found.parts) == 60
    [place] = found.enough
    first, last = map(int, found.parts[place].split(" to "))
    assert first <= 500 <= last


class Texts:
    """A dataset of texts, which its model takes as they are."""

    modality = "text"

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts

    def __len__(self) -> int:
        return len(self.texts)

    def batch(self, rows: np.ndarray) -> np.ndarray:
        return self.batch_of([self.texts[row] for row in rows])

    def batch_of(self, texts: list[str]) -> np.ndarray:
        return np.array(texts)

    def show(self, row: int) -> Shown:
        return Shown("text", text=self.texts[row])


def test_the_word_the_model_reads_is_found_and_what_it_says_without_it():
    def say(texts: np.ndarray) -> np.ndarray:
        return np.array([[0.1, 0.9] if "good" in text.split() else [0.7, 0.3] for text in texts])

    made = subject(np.zeros((1, 1)), say)
    made.dataset = Texts(["not so\tgood <b>today</b>", ""])
    found = explain(made, 0)
    assert found.parts == ("not", "so", "good", "<b>today</b>")
    np.testing.assert_allclose(found.effect, [0, 0, 0.6, 0], atol=1e-6)
    assert (found.enough, found.then) == ((2,), "dark")
    assert explain(made, 1).parts == ()


def test_a_text_cut_into_tokens_is_cut_again_without_each_word(tmp_path):
    from testimate.datasets.texts import TextDataset

    source = SimpleNamespace(fingerprint="f", text=lambda row: "a bad day", __len__=lambda: 1)
    data = TextDataset(source, Preprocessing(tokens="words", vocabulary=("a", "bad", "day"), unknown=9, length=3))
    np.testing.assert_array_equal(data.batch_of(["a day"]), data.batch_of(["a  day "]))
    assert set(data.batch_of(["a bad day"])[0].tolist()) - set(data.batch_of(["a day"])[0].tolist()) == {1}


def test_a_number_moves_by_its_change_and_changes_beyond_the_tolerance():
    rows = np.zeros((64, 3), dtype=np.float32)
    rows[1] = [5, 1, 0]
    task = Regression(tolerance=2.0)
    made = subject(
        rows,
        lambda batch: batch.sum(axis=1, keepdims=True),
        modality="tabular",
        task=task,
        role="OUT",
        cells=(("a", ""), ("b", ""), ("c", "")),
    )
    found = explain(made, 1)
    np.testing.assert_allclose(found.effect, [5 - 5 / 64, 1 - 1 / 64, 0], atol=1e-5)
    assert found.enough == (0,)


def test_of_several_labels_the_whole_set_is_the_answer():
    rows = np.zeros((64, 2), dtype=np.float32)
    rows[1] = [1, 1]
    task = MultiLabel(("cat", "dog"))
    made = subject(rows, lambda batch: 0.1 + 0.8 * batch, modality="tabular", task=task, cells=(("a", ""), ("b", "")))
    found = explain(made, 1)
    near = 0.9 - (0.1 + 0.8 / 64)
    np.testing.assert_allclose(found.effect, [0.9 * near, 0.9 * near], atol=1e-5)
    assert len(found.enough) == 1


def test_what_cannot_be_explained_is_refused_in_a_sentence():
    table = subject(np.zeros((3, 2)), bright_spot)
    table.open_model = None
    with pytest.raises(BadInput, match="A prediction table has no model to ask"):
        explain(table, 0)
    with pytest.raises(BadInput, match="The model takes pictures as 7 x 8 x 9 numbers"):
        explain(subject(np.zeros((3, 7, 8, 9), dtype=np.float32), bright_spot), 0)
    tokens = subject(np.zeros((3, 4), dtype=np.int64), bright_spot)
    tokens.dataset.modality = "text"  # of another package, which gives no texts
    with pytest.raises(BadInput, match=r"The texts of this dataset came as token numbers.*with the model's tokenizer"):
        explain(tokens, 0)
    with pytest.raises(BadInput, match="The model gives no CON"):
        explain(subject(np.zeros((3, 4), dtype=np.float32), bright_spot, modality="tabular", role="LHL"), 0)


def test_a_worker_that_dies_while_it_explains_is_reported_and_the_next_call_asks_again():
    calls = []

    def dies_once(batch: np.ndarray) -> np.ndarray:
        calls.append(len(batch))
        if len(calls) == 2:
            raise ModelCrashed(
                "The model's process ended in the middle of its work. Expected a smaller batch. Try again."
            )
        return bright_spot(batch)

    made = subject(pictures(), dies_once)
    with pytest.raises(ModelCrashed, match="Try again"):
        explain(made, 3)
    assert explain(made, 3).then == "dark"


def test_progress_is_reported_and_the_work_can_be_stopped():
    done = []

    def stop(so_far: int, total: int, what: str = "") -> None:
        done.append((so_far, total))
        if so_far > 1:
            raise Canceled("as asked")

    with pytest.raises(Canceled):
        explain(subject(pictures(), bright_spot), 3, progress=stop)
    assert done[0][0] == 1
    assert done[0][1] > 50


def test_a_model_in_its_own_process_is_explained_as_its_formula_says_and_again_after_it_was_killed(tmp_path):
    opened = open_model_file(ModelDescription(write_onnx(tmp_path / "model.onnx"))).model
    rows = np.random.default_rng(2).normal(size=(64, 4)).astype(np.float32)

    def says(batch: np.ndarray) -> np.ndarray:
        scores = batch @ WEIGHT
        said = np.exp(scores - scores.max(axis=1, keepdims=True))  # what is added to all classes changes nothing
        return said / said.sum(axis=1, keepdims=True)

    made = subject(
        rows, says, modality="tabular", task=Classification(("a", "b", "c")), cells=tuple((one, "") for one in "wxyz")
    )
    expected = explain(made, 7)
    made.open_model = lambda: opened
    np.testing.assert_allclose(explain(made, 7).effect, expected.effect, atol=1e-5)
    os.kill(opened.process_id, signal.SIGKILL)
    deadline = time.monotonic() + 30
    while opened.process_id is not None:
        assert time.monotonic() < deadline
        time.sleep(0.01)  # between two looks
    again = explain(made, 7)
    assert again.enough == expected.enough
    np.testing.assert_allclose(again.effect, expected.effect, atol=1e-5)
    opened.close()
