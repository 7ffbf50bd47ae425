"""What stands of the votes on one input, once what was taken back is gone."""

from dataclasses import dataclass, field

from testimate.core.vote import Event


@dataclass
class Ballot:
    """The votes and skips of one input, oldest first, less those that were taken back."""

    acts: list[Event] = field(default_factory=list)

    def add(self, event: Event) -> None:
        """Counts a vote or a skip, or takes back the latest one of the same tester; a tester without one undoes nothing."""
        if event.kind != "undo":
            self.acts.append(event)
            return
        own = [place for place, act in enumerate(self.acts) if act.tester == event.tester]
        if own:
            del self.acts[own[-1]]

    @property
    def standing(self) -> Event | None:
        """The latest "answer" or "cannot tell"; None while there is none. A skip takes no vote away."""
        return next((act for act in reversed(self.acts) if act.kind != "skip"), None)
