"""What the labeling surface relies on in Streamlit: a component's list goes to the browser as it is."""

import json
import subprocess
import sys

from streamlit.components.v2.bidi_component.serialization import serialize_mixed_data
from streamlit.proto.BidiComponent_pb2 import BidiComponent


def test_a_list_reaches_the_browser_as_json():
    message = BidiComponent()
    serialize_mixed_data([{"queue": [{"row": 3}], "refused": {}}], message)
    assert json.loads(message.json) == [{"queue": [{"row": 3}], "refused": {}}]


def test_a_list_is_not_looked_through_for_tables_and_a_dictionary_is():
    program = """
import sys
from streamlit.components.v2.bidi_component.serialization import serialize_mixed_data
from streamlit.proto.BidiComponent_pb2 import BidiComponent
serialize_mixed_data([{"queue": []}], BidiComponent())
assert not {"pandas", "pyarrow"} & set(sys.modules)
serialize_mixed_data({"queue": []}, BidiComponent())
assert {"pandas", "pyarrow"} <= set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True)
