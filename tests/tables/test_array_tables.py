"""An .npz with predictions is a table; one without is the data of a model, and what is no number or word is left out."""

import io
import zipfile

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.subjects.prediction_table import read_table
from testimate.tables.files import read_cells

TRUTH = np.arange(60) % 3
CHANCES = np.full((60, 3), 0.1)
CHANCES[np.arange(60), np.where(np.arange(60) < 48, TRUTH, (TRUTH + 1) % 3)] = 0.8
SAID = CHANCES.argmax(axis=1)


def npz(**arrays: np.ndarray) -> bytes:
    held = io.BytesIO()
    np.savez_compressed(held, **arrays)
    return held.getvalue()


def test_arrays_of_predictions_labels_and_chances_are_a_table(tmp_path):
    (tmp_path / "t.npz").write_bytes(npz(y_true=TRUTH, y_pred=SAID[:, None], y_prob=CHANCES, x=np.ones((60, 4, 4))))
    subject = read_table(tmp_path / "t.npz", name="t")
    assert np.array_equal(subject.inputs.predictions, SAID)
    assert np.array_equal(subject.truth, TRUTH)
    assert np.allclose(subject.inputs.probabilities, CHANCES)


def test_arrays_of_another_length_or_of_objects_are_left_out_and_none_is_run():
    cells = read_cells(
        npz(pred=SAID, ids=np.array([{"a": 1}] * 60, dtype=object), classes=np.array(["a", "b", "c"])), "t.npz"
    )
    assert ([*cells.columns], cells.left_out) == (["pred"], ("ids",))
    assert cells.notes == ("Of the arrays, those of the 60 rows are read. Not read: 'classes'.",)
    with pytest.raises(BadInput, match=r"'pred' cannot be read .*without Python objects"):
        read_cells(npz(pred=np.array(["a", None] * 30, dtype=object), y=TRUTH), "t.npz")


def test_of_several_splits_the_test_set_is_read_and_the_others_are_named(tmp_path):
    arrays = {
        f"{split}_{kind}": TRUTH[:size]
        for split, size in (("train", 60), ("val", 30), ("test", 30))
        for kind in ("pred", "true")
    }
    arrays["test_true"] = SAID[:30]
    (tmp_path / "t.npz").write_bytes(npz(**arrays))
    subject = read_table(tmp_path / "t.npz", name="t")
    assert np.array_equal(subject.inputs.predictions, TRUTH[:30])
    assert np.array_equal(subject.truth, SAID[:30])
    assert "Not read: 'train_pred', 'train_true', 'val_pred', 'val_true'" in " ".join(subject.reading.doubtful)


@pytest.mark.parametrize("names", [("pred_a", "pred_b"), ("train_pred", "pred"), ("train_pred", "holdout_pred")])
def test_predictions_for_different_inputs_that_no_name_tells_apart_are_refused(names):
    with pytest.raises(BadInput, match=rf"other inputs: '{names[0]}' 60, '{names[1]}' 30"):
        read_cells(npz(**dict(zip(names, (SAID, SAID[:30]), strict=True))), "t.npz")


def test_the_data_of_a_model_are_no_table():
    with pytest.raises(BadInput, match=r"'x', 'y', and none is called a prediction.*features MODEL t\.npz"):
        read_cells(npz(x=CHANCES, y=TRUTH), "t.npz")


def test_an_array_that_claims_more_than_it_has_is_refused_before_the_memory_is_taken():
    def npy(array: np.ndarray, claimed: tuple[int, ...]) -> bytes:
        held = io.BytesIO()
        np.lib.format.write_array_header_1_0(held, {"descr": array.dtype.str, "fortran_order": False, "shape": claimed})
        return held.getvalue() + array.tobytes()

    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("pred.npy", npy(SAID, (10**15,)))
        archive.writestr("y.npy", npy(TRUTH, (60,)))
    with pytest.raises(BadInput, match="'pred' cannot be read"):
        read_cells(held.getvalue(), "t.npz")
