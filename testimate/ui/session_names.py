"""Names for sessions that people can tell apart."""

from collections.abc import Iterable, Mapping

from testimate.core.session_record import SessionRecord
from testimate.core.words import counted
from testimate.planning.build import titled
from testimate.project.labeled_parts import is_of_selection
from testimate.ui.distinct_names import distinct_names


def session_name(record: SessionRecord, names: Mapping[str, str], *, subject: bool = False) -> str:
    """A session's name, followed by its technique, its planned labels and when it was begun.

    ``names`` : the names given to sessions, by id. ``subject`` : whether to add its subject, if that may differ.
    """
    parts = [names[record.id]] if record.id in names else []
    parts += [record.subject_name] if subject else []
    of_selection = str(record.request.options.get("called", "")) if is_of_selection(record) else ""
    technique = titled(record.request.technique) + (f": {of_selection}" if of_selection else "")
    parts += [technique, counted(record.request.budget, "label"), moment(record.created)]
    return " · ".join(parts)


def session_names(
    records: Iterable[SessionRecord], names: Mapping[str, str], *, subject: bool = False
) -> dict[str, str]:
    """The name of each session by its id, with the id after names that several would have."""
    return distinct_names({record.id: session_name(record, names, subject=subject) for record in records})


def moment(created: str) -> str:
    """An ISO 8601 time in UTC as a person reads it, to the minute."""
    return f"{created[:16].replace('T', ' ')} UTC"
