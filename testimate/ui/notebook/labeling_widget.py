"""The labeling surface as a widget of Jupyter; anywidget delivers the same modules that the app uses."""

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from testimate.planning.votes import Votes
from testimate.ui.components import labeling_surface
from testimate.ui.components.joined_modules import joined
from testimate.ui.components.labeling_surface.browser_events import PageMemory, read_message
from testimate.ui.components.labeling_surface.view import view_to_json
from testimate.ui.notebook.plan_labels import PlanLabels

_HERE = Path(labeling_surface.__file__).parent
_COLOURS = """
:host {
  --st-text-color: var(--jp-ui-font-color1, var(--vscode-editor-foreground, #222));
  --st-background-color: var(--jp-layout-color1, var(--vscode-editor-background, #fff));
  --st-secondary-background-color: var(--jp-layout-color2, var(--vscode-editorWidget-background, #f3f4f6));
  display: block;
  padding: 4px;
}
.surface:focus { outline: 2px solid var(--chosen); outline-offset: 4px; border-radius: 4px; }
"""


class LabelingWidget(anywidget.AnyWidget):
    """Asks for the labels of a plan in the cell's output; ``votes`` are those given until now."""

    _esm = joined(_HERE / "for_notebook.js")
    html = traitlets.Unicode((_HERE / "surface.html").read_text(encoding="utf-8")).tag(sync=True)
    css = traitlets.Unicode((_HERE / "surface.css").read_text(encoding="utf-8") + _COLOURS).tag(sync=True)
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
