"""What one browser page holds of a session, and what became of the events that it sent last."""

from dataclasses import dataclass, field
from uuid import uuid4

from testimate.ui.components.labeling_surface.browser_events import MOST_EVENTS, BrowserMessage


@dataclass
class PageMemory:
    """What one browser page holds and has recently asked for; lost with the page, which then sends everything again."""

    owner: tuple[str, str]
    held: frozenset[int] = frozenset()
    asked: dict[str, None] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    clock_reported: bool = False
    page: str = field(default_factory=lambda: uuid4().hex)
    """Lets a page notice that the server knows nothing about what it sent before."""

    def take(self, message: BrowserMessage) -> None:
        """Remembers what the page has and the last ids it sent."""
        self.held = message.held
        self.refused.update(message.refused)
        for id in [*(event.id for event in message.events), *message.refused]:
            self.asked.pop(id, None)
            self.asked[id] = None
        for id in list(self.asked)[:-MOST_EVENTS]:
            del self.asked[id]
            self.refused.pop(id, None)
