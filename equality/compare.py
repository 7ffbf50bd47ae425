"""Compare two folders of recordings, and name every difference that nobody intended."""

import difflib
import fnmatch
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SHOWN = 12
"""Lines of a difference that are printed."""
WIDEST = 240


@dataclass(frozen=True)
class Intended:
    """Name differences that are meant.

    ``case`` and ``field`` are patterns with ``*``. With ``was`` and ``now`` only the exchange of these texts is meant, and
    everything else in the field has to stay. ``adds`` is a regular expression, ``^`` the beginning of a line: what it matches
    may be there now, and everything else has to stay. Without any of them the field may be anything.
    """

    case: str
    field: str
    reason: str
    was: str = ""
    now: str = ""
    adds: str = ""

    def names(self, case: str, field: str) -> bool:
        """Whether the field of the case is among those that are named."""
        return fnmatch.fnmatchcase(case, self.case) and fnmatch.fnmatchcase(field, self.field)


@dataclass(frozen=True)
class Difference:
    """Hold one difference: a field's text at the base and now; None if it is absent there."""

    case: str
    field: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        if self.before is None or self.after is None:
            there = "is new" if self.before is None else "is missing"
            return f"{self.case}: {self.field or 'the case'} {there}."
        lines = list(
            difflib.unified_diff(self.before.splitlines(), self.after.splitlines(), "base", "now", lineterm="", n=1)
        )
        more = [f"... {len(lines) - SHOWN} more lines"] if len(lines) > SHOWN else []
        shown = [line if len(line) <= WIDEST else f"{line[:WIDEST]}..." for line in lines[:SHOWN]]
        return "\n".join([f"{self.case}: {self.field}", *(f"    {line}" for line in [*shown, *more])])


def read_intended(path: Path) -> list[Intended]:
    """Read the list of intended differences; each needs case, field and reason."""
    return [Intended(**one) for one in tomllib.loads(path.read_text(encoding="utf-8")).get("difference", [])]


def differences(base: Path, now: Path) -> Iterator[Difference]:
    """Yield what differs between two folders of recordings, by case and field."""
    names = {
        str(path.relative_to(folder))[: -len(".json")] for folder in (base, now) for path in folder.rglob("*.json")
    }
    for name in sorted(names):
        before, after = (_fields(folder / f"{name}.json") for folder in (base, now))
        if before is None or after is None:
            yield Difference(name, "", None if before is None else "", None if after is None else "")
            continue
        for field in [*before, *(field for field in after if field not in before)]:
            if before.get(field) != after.get(field):
                yield Difference(name, field, before.get(field), after.get(field))


def _fields(path: Path) -> dict[str, str] | None:
    fields: dict[str, str] | None = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
    return fields


def is_intended(difference: Difference, intended: Sequence[Intended]) -> bool:
    """Whether the entries of the list together explain a difference, with nothing left that nobody named."""
    named = [one for one in intended if one.names(difference.case, difference.field)]
    if any(not one.was and not one.now and not one.adds for one in named):
        return True
    if difference.before is None or difference.after is None:
        return False
    expected, found = difference.before, difference.after
    for one in named:
        if one.adds:
            found = re.sub(one.adds, "", found, flags=re.MULTILINE | re.DOTALL)
            expected = re.sub(one.adds, "", expected, flags=re.MULTILINE | re.DOTALL)
        else:
            expected = expected.replace(one.was, one.now)
    return bool(named) and expected.strip() == found.strip()


def compare(base: Path, now: Path, intended: Sequence[Intended], of_pictures: Iterable[Difference] = ()) -> list[str]:
    """Return a text for every difference that is not intended, and for every intended one that did not occur.

    An entry has to occur if a case that it names was recorded; so the list holds nothing that is over.
    """
    texts: list[str] = []
    met: set[Intended] = set()
    for difference in (*differences(base, now), *of_pictures):
        met.update(one for one in intended if one.names(difference.case, difference.field))
        if not is_intended(difference, intended):
            texts.append(str(difference))
    recorded = {str(path.relative_to(now))[: -len(".json")] for path in now.rglob("*.json")}
    for one in intended:
        if one not in met and any(fnmatch.fnmatchcase(name, one.case) for name in recorded):
            texts.append(f"{one.case}: {one.field} was to differ and does not ({one.reason}). Take it out of the list.")
    return texts


def summary(texts: Sequence[str]) -> Mapping[str, int]:
    """Count the differences by the first part of their case's name."""
    counts: dict[str, int] = {}
    for text in texts:
        group = text.split(":")[0].split("/")[0]
        counts[group] = counts.get(group, 0) + 1
    return counts
