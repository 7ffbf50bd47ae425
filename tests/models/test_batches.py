"""Batches as models take them."""

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.models.graph import InputSpec, arranged, in_chunks

IMAGES = np.random.default_rng(0).random((3, 4, 5, 3))


def test_colors_move_where_the_models_input_shape_has_them_and_nothing_is_scaled():
    first = arranged(IMAGES, InputSpec((3, 4, 5), "float32"))
    assert first.dtype == np.float32
    np.testing.assert_allclose(first[1, 2], IMAGES[1, :, :, 2], rtol=1e-7)
    np.testing.assert_array_equal(arranged(first, InputSpec((None, None, 3), "float32")), IMAGES.astype(np.float32))


def test_gray_pictures_get_the_axis_they_lack_and_are_flattened_for_a_dense_network():
    gray = IMAGES[..., 0]
    assert arranged(gray, InputSpec((1, 4, 5), "float32")).shape == (3, 1, 4, 5)
    assert arranged(gray, InputSpec((4, 5, 1), "float32")).shape == (3, 4, 5, 1)
    np.testing.assert_array_equal(arranged(gray, InputSpec((20,), "float64")), gray.reshape(3, 20))


def test_a_shape_that_fits_as_it_is_is_never_turned():
    square = np.arange(27.0).reshape(1, 3, 3, 3)
    np.testing.assert_array_equal(arranged(square, InputSpec((3, 3, 3), "float32")), square)


def test_inputs_of_another_size_are_refused_with_both_shapes():
    with pytest.raises(BadInput, match=r"28 x 28 x 1 and these have 4 x 5 x 3"):
        arranged(IMAGES, InputSpec((28, 28, 1), "float32"))


def test_token_ids_stay_whole_and_fractions_are_not_token_ids():
    spec = InputSpec((None,), "int64")
    tokens = np.array([[1, 2**40]])
    np.testing.assert_array_equal(arranged(tokens, spec), tokens)
    for wrong in (np.array([[0.5, 1.0]]), np.array([[np.nan, 1.0]])):
        with pytest.raises(BadInput, match="takes whole numbers"):
            arranged(wrong, spec)


def test_a_model_that_takes_four_at_a_time_answers_any_number_of_inputs():
    def run(batch, names):
        assert len(batch) == 4
        return {names[0]: batch.sum(axis=1)}

    batch = np.arange(22.0).reshape(11, 2)
    np.testing.assert_array_equal(in_chunks(run, batch, ["sum"], 4)["sum"], batch.sum(axis=1))


def test_numbers_in_a_row_get_axes_of_length_1_and_no_other_shape():
    rows = np.arange(24, dtype=np.float32).reshape(3, 8)
    for shape in ((1, 8), (8, 1), (1, 1, 8), (1, None)):
        found = arranged(rows, InputSpec(shape, "float32"))
        assert found.shape == (3, *(side or 8 for side in shape))
        np.testing.assert_array_equal(found.reshape(3, 8), rows)
    for shape in ((2, 4), (1, 2, 4), (1, 9)):
        with pytest.raises(BadInput, match="The model takes inputs of shape"):
            arranged(rows, InputSpec(shape, "float32"))
