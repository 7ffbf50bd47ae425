"""The failure codes that testers gave in a session, and the names that these have now."""

from collections.abc import Mapping

from testimate.core.failure_codes import checked_codes, spelled_alike
from testimate.core.session_record import CODES, NEW_NAME, OLD_NAME, Event
from testimate.core.spellings import counted_names, folded


class Codebook:
    """The codes of each row, the latest word on it, and what each code is called now.

    A renamed code keeps the name it was given with, so that codes that were merged can be split again, and what is given under
    the old name later has the new one, too.
    """

    def __init__(self) -> None:
        self._given: dict[int, tuple[str, ...]] = {}
        self._names: dict[str, str] = {}  # folded name it was given with -> name now
        self._codes: dict[int, tuple[str, ...]] | None = None  # as they are now, once somebody has asked

    def add(self, event: Event) -> None:
        """Counts an event that gives codes or a name; a name that nothing has by now changes nothing."""
        self._codes = None
        if event.kind == "codes":
            self._given[event.row] = checked_codes(event.detail[CODES])
            return
        old, new = folded(event.detail[OLD_NAME]), event.detail[NEW_NAME]
        for name in {folded(name) for codes in self._given.values() for name in codes}:
            if folded(self._names.get(name, name)) != old:
                continue
            if new:
                self._names[name] = new
            else:
                self._names.pop(name, None)

    def codes(self) -> dict[int, tuple[str, ...]]:
        """The codes of each row by the names they have now; rows without any are absent."""
        if self._codes is None:
            self._codes = spelled_alike(
                {row: [self._names.get(folded(name), name) for name in codes] for row, codes in self._given.items()}
            )
        return self._codes

    def merged(self) -> Mapping[str, tuple[str, ...]]:
        """Each code that was renamed, or merged of several: its name now, and those that it was given with."""
        given = counted_names(name for codes in self._given.values() for name in codes)
        found: dict[str, list[str]] = {}
        for name, _ in given:
            found.setdefault(folded(self._names.get(folded(name), name)), []).append(name)
        now = {folded(name): name for codes in self.codes().values() for name in codes}
        return {
            now[name]: tuple(of)
            for name, of in found.items()
            if name in now and any(folded(one) in self._names for one in of)
        }
