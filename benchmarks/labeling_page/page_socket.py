"""The browser's side of the benchmark's page over its web socket: what is sent, and what comes back."""

import json
from dataclasses import dataclass
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg


@dataclass
class PageSocket:
    """What one page knows of its server; messages go out and come in as bytes."""

    tester: str
    component: str = ""
    fragment: str = ""
    script: str = ""

    def first_run(self) -> bytes:
        """The message that opens the page."""
        message = self._message()
        message.rerun_script.widget_states.SetInParent()
        return message.SerializeToString()

    def trigger(self, value: dict[str, Any]) -> bytes:
        """What the surface's component sends."""
        message = self._message()
        run = message.rerun_script
        run.fragment_id, run.page_script_hash = self.fragment, self.script
        state = run.widget_states.widgets.add()
        state.id = f"$$STREAMLIT_INTERNAL_KEY_{self.component}__events"
        state.json_trigger_value = json.dumps([{"event": "events", "value": value}])
        return message.SerializeToString()

    def received(self, data: bytes | str) -> tuple[dict[str, Any] | None, str]:
        """A delivery to the surface, or None; and the words of an error that a person would have seen."""
        message = ForwardMsg()
        message.ParseFromString(data if isinstance(data, bytes) else data.encode())
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind == "bidi_component":
            [delivery] = json.loads(element.bidi_component.json)
            if "queue" not in delivery:  # the component of answers left behind by earlier pages
                return None, ""
            self.component, self.fragment = element.bidi_component.id, message.delta.fragment_id or self.fragment
            self.script = message.metadata.active_script_hash
            return delivery, ""
        return None, str(element.exception.message) if kind == "exception" else ""

    def _message(self) -> BackMsg:
        message = BackMsg()
        message.rerun_script.query_string = f"tester={self.tester}"
        return message
