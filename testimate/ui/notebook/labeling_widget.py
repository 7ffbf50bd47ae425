"""The labeling surface as a widget of Jupyter; anywidget delivers the same modules that the app uses."""

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from testimate.planning.votes import Votes
from testimate.ui import components
from testimate.ui.components.labeling_surface.browser_events import PageMemory, read_message
from testimate.ui.components.labeling_surface.view import view_to_json
from testimate.ui.notebook.plan_labels import PlanLabels

[_SCRIPT] = (Path(components.__file__).parent / "bundle").glob("notebook-*.js")


class LabelingWidget(anywidget.AnyWidget):
    """Asks for the labels of a plan in the cell's output; ``votes`` are those given until now."""

    _esm = _SCRIPT.read_text(encoding="utf-8")
    view = traitlets.Dict().tag(sync=True)

    def __init__(self, labels: PlanLabels) -> None:
        super().__init__()
        self._labels = labels
        self._memory, self._turn = PageMemory(("", "")), 0
        self.on_msg(self._arrived)
        self._deliver()

    @property
    def votes(self) -> Votes:
        """The labels until now, as ``estimate`` takes them."""
        return self._labels.votes

    @property
    def notes(self) -> dict[int, list[str]]:
        """What was written when an input was flagged, by row."""
        return self._labels.notes

    def __repr__(self) -> str:
        return repr(self._labels)

    def _arrived(self, _widget: Any, message: Any, _buffers: Any) -> None:
        read = read_message(message.get("message") if isinstance(message, dict) else None, self._labels.view())
        if read is None:
            return
        self._memory.take(read)
        self._labels.take(read)
        self._deliver()

    def _deliver(self) -> None:
        memory, self._turn = self._memory, self._turn + 1
        said = view_to_json(self._labels.view(), held=memory.held, asked=memory.asked, refused=memory.refused)
        self.view = {**said, "delivery": self._turn}  # an equal value would not be sent again
