"""The labeling surface on a bare page, its messages read and answered by Python at once: many keys in little time.

Streamlit's own scripts are most of what a page with it costs a browser. What only the surface does is tested here; what
Streamlit does to it (its shortcuts, its runs, a server that is gone) on the pages that it serves.
"""

import json
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from testimate.core.errors import BadInput
from testimate.core.session_record import Event
from testimate.core.subject import Shown
from testimate.core.task import Task
from testimate.session.admission import check_event
from testimate.tasks.classification import Classification
from testimate.tasks.verdict import Judgment
from testimate.ui import components
from testimate.ui.components.labeling_surface.browser_events import PageMemory, read_message
from testimate.ui.components.labeling_surface.view import (
    Past,
    QueuedInput,
    SurfaceView,
    failed_as_shown,
    view_to_json,
)
from tests.browser.surface_cases import CaseSession

ORIGIN = "http://127.0.0.1:9/"  # answered by the test itself
SETTLED = 300  # milliseconds: an input that came by itself takes no key for the first 200
AHEAD = 48  # inputs the page has before it, fewer than it holds: one that comes late takes no key for 200 ms

[BUNDLED] = (Path(components.__file__).parent / "bundle").glob("labeling_surface-*.js")
SCRIPT = BUNDLED.read_text(encoding="utf-8")
MOUNT = """async ([js, first, server]) => {
  const host = document.body.appendChild(document.createElement("div"));
  host.dataset.testid = "stBidiComponentIsolated";  // as on a page of Streamlit
  const root = host.attachShadow({ mode: "open" });
  const module = await import(URL.createObjectURL(new Blob([js], { type: "text/javascript" })));
  const deliver = (data) => module.default({ parentElement: root, data: [data], setTriggerValue });
  async function setTriggerValue(name, message) { deliver(JSON.parse(await window[server](JSON.stringify(message)))); }
  window.pressed = [];
  window.surfaceRoot = root;
  // before the surface sees the key: the input that the tester has before their eyes
  window.addEventListener("keydown", () => window.pressed.push(root.querySelector(".surface").dataset.row), true);
  deliver(first ?? JSON.parse(await window[server]("null")));
}"""


def numbered(row: int) -> Shown:
    """A text that says which input it is."""
    return Shown("text", text=f"input {row}")


@dataclass
class BareSurface:
    """A session of endless inputs that lives in memory; ``events`` are those it stored, in order."""

    task: Task
    usual: tuple[float, float] | None = None
    events: list[Event] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)
    answered: dict[int, Event] = field(default_factory=dict)
    put_off: set[int] = field(default_factory=set)
    reasons: tuple[int, ...] = ()
    shown: Callable[[int], Shown] = numbered
    ahead: int = AHEAD
    codes: dict[int, list[str]] | None = None

    def open(self, page: Any) -> None:
        """Shows the surface on the page."""
        page.route(ORIGIN, lambda route: route.fulfill(content_type="text/html", body="<!doctype html><body></body>"))
        page.goto(ORIGIN)
        page.evaluate("() => localStorage.clear()")  # of a surface opened before
        page.expose_function("toPython", self.take)
        page.evaluate(MOUNT, [SCRIPT, self.view([]), "toPython"])
        page.wait_for_timeout(SETTLED)

    def take(self, message: str) -> str:
        """Stores what the browser sent, as the app does, and returns the next view."""
        read = read_message(json.loads(message), SurfaceView("s", "ada", self.task))
        assert read is not None
        for event in read.events:
            if event.id in self.ids:
                continue
            try:
                check_event(event, self.task, 10**6)
            except BadInput as error:
                self.refused[event.id] = str(error)
                continue
            self.ids.add(event.id)
            self.store(event)
        self.refused.update(read.refused)
        return json.dumps(self.view([*(event.id for event in read.events), *read.refused], read.held))

    def store(self, event: Event) -> None:
        self.events.append(event)
        if event.kind == "flag":
            return
        if event.kind == "codes" and self.codes is not None:
            self.codes[event.row] = list(event.detail["codes"])
            return
        self.answered.pop(event.row, None)
        self.put_off.discard(event.row)
        if event.kind == "skip":
            self.put_off.add(event.row)
        elif event.kind != "undo":
            self.answered[event.row] = event

    def view(self, asked: list[str], held: Collection[int] = ()) -> dict[str, Any]:
        fresh = (row for row in count(100) if row not in self.answered and row not in self.put_off)
        queue = [QueuedInput(row, row - 100, self.shown(row)) for row in islice(fresh, self.ahead)]
        last = list(self.answered.items())[-12:]
        past = [
            Past(
                row,
                row - 100,
                event.answer,
                self.words(event),
                self.failed(event),
                self.shown(row),
                codes=(self.codes or {}).get(row, ()),
            )
            for row, event in last
        ]
        view = SurfaceView(
            "s",
            "ada",
            self.task,
            queue,
            past,
            self.ids,
            done=len(self.answered),
            planned=10**6,
            usual=self.usual,
            reasons=self.reasons,
            codes=None if self.codes is None else [name for names in self.codes.values() for name in names],
        )
        return view_to_json(view, held=held, asked=asked, refused=self.refused)

    def failed(self, event: Event) -> bool | None:
        """Of one system's outputs, which need no prediction, and of classes against the first one; None of all else."""
        if event.kind == "cannot tell":
            return None
        if isinstance(self.task, Classification) and self.codes is not None:
            return event.answer != 0
        if not isinstance(self.task, Judgment):
            return None
        return failed_as_shown(self.task, float(self.task.losses([self.task.best], [event.answer])[0]))

    def words(self, event: Event) -> str:
        return "can't tell" if event.kind == "cannot tell" else self.task.answer_text(event.answer) or "none"

    def settled(self, page: Any) -> None:
        """Waits until the page keeps no event that is not stored."""
        page.wait_for_function("() => Object.keys(localStorage).every((name) => !name.startsWith('testimate s ada'))")


class BareApp:
    """The cases of ``surface_app.py`` on bare pages of one visitor, by the same addresses; they may be loaded again."""

    url = ORIGIN.rstrip("/")

    def __init__(self, context: Any, folder: Path) -> None:
        self.folder = folder
        self._of_pages: dict[Any, tuple[CaseSession, PageMemory]] = {}
        parts = json.dumps([SCRIPT, None, "toSession"]).replace("</", "<\\/")
        self._page = f'<!doctype html><meta charset="utf-8"><body><script>({MOUNT})({parts})</script>'
        context.route(re.compile(re.escape(ORIGIN) + r"\?case="), self._serve)
        context.expose_binding("toSession", lambda source, message: self._take(source["page"], json.loads(message)))

    def _serve(self, route: Any) -> None:
        route.fulfill(content_type="text/html", body=self._page)

    def _take(self, page: Any, message: Any) -> str:
        """Stores what the page sent; a page that has just been loaded sends nothing and is shown the session."""
        if message is None:
            asked = parse_qs(urlsplit(page.url).query)
            session = CaseSession(self.folder, asked["case"][0], int(asked.get("rows", ["200"])[0]))
            self._of_pages[page] = session, PageMemory((session.case, "tester"))
        session, memory = self._of_pages[page]
        read = None if message is None else read_message(message, session.view())
        if read is not None:
            memory.take(read)
            session.store(read.events)
        return json.dumps(view_to_json(session.view(), held=memory.held, asked=memory.asked, refused=memory.refused))
