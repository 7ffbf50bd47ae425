"""Names of classes and their indices: the same map for everyone, and what an unknown name means said by who asks."""

import pytest

from testimate.core.class_index import UNKNOWN, ClassIndex


def test_a_name_finds_its_index_and_a_strange_one_what_was_asked_for():
    index = ClassIndex(["cat", "dog", "3"])
    assert [index[name] for name in index] == [0, 1, 2]
    assert index.get("owl") is None
    assert index.get("owl", len(index)) == 3
    assert index.indices(["dog", "owl", "cat"], UNKNOWN).tolist() == [1, -1, 0]
    assert index.first_unknown(["dog", "owl", "elk"]) == "owl"
    assert index.first_unknown(["dog"]) is None
    with pytest.raises(KeyError):
        index.indices(["dog", "owl"])


def test_a_typed_number_is_the_class_of_that_number_and_a_name_comes_first():
    assert ClassIndex(["1", "2"]).as_typed("2.0") == 1
    assert ClassIndex(["2", "2.0"]).as_typed("2.0") == 1
    assert ClassIndex(["1"]).as_typed("nan") is ClassIndex(["1"]).as_typed("x") is None


def test_names_that_fold_to_the_same_key_are_the_same_class():
    index = ClassIndex(["Ship", "Buoy"], str.casefold)
    assert "SHIP" in index
    assert index["buoy"] == 1
