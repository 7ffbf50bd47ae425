"""A lazy mapping names things without importing them."""

import subprocess
import sys

import pytest

from testimate.core.errors import BadInput
from testimate.core.plug_ins import LazyMapping


def test_looking_up_is_what_imports():
    code = (
        "import sys; from testimate.core.plug_ins import LazyMapping;"
        "m = LazyMapping('wsgiref', {'a': 'headers:Headers'}, 'header');"
        "len(m), list(m), 'a' in m; before = 'wsgiref.headers' in sys.modules; m['a'];"
        "print(before, 'wsgiref.headers' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "True"]


def test_keys_keep_their_order_and_values_are_the_things_named():
    mapping = LazyMapping[str, type]("email", {"text": "parser:Parser", "bytes": "parser:BytesParser"}, "parser")
    assert list(mapping) == ["text", "bytes"]
    assert [value.__name__ for value in mapping.values()] == ["Parser", "BytesParser"]


def test_an_unknown_name_is_answered_with_those_that_are_known():
    mapping = LazyMapping[str, type]("email", {"text": "parser:Parser"}, "parser")
    with pytest.raises(BadInput, match=r"^There is no parser 'html'. Expected one of text\. Choose one of these\.$"):
        mapping["html"]
    with pytest.raises(KeyError):
        mapping["html"]
    assert mapping.get("html") is None
    assert "html" not in mapping
