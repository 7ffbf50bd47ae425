"""How the subject of an entry of the cache is opened again: by what is kept beside it, or as a subject of the project."""

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.files import replace_file
from testimate.core.progress import Progress
from testimate.core.subject import Subject
from testimate.feature_cache import FeatureCache, Recomputed
from testimate.feature_cache.shards import storing
from testimate.project.record_paths import allow, check_links
from testimate.project.subject_records import KeptSubjects, read_record

if TYPE_CHECKING:
    from testimate.subjects.uploaded.description import SubjectDescription
    from testimate.subjects.uploaded.subject import UploadedSubject

FILE_NAME = "subject.json"


def project_cache(project: Path) -> FeatureCache:
    """The cache in a project's folder; BadInput if a link in that folder leads out of it."""
    check_links(project)
    return FeatureCache(project / "cache")


def keep_opening(cache: FeatureCache, own: "UploadedSubject", chosen: "SubjectDescription", project: Path) -> None:
    """Stores with a subject's features how to open the subject again, without its training set.

    The files that the person named may be read again from then on, wherever they are.
    """
    from testimate.project.uploaded_subjects import record_of

    folder = cache.folder / cache.entry_of(own.subject)
    with storing(folder):
        replace_file(folder / FILE_NAME, json.dumps(record_of(own, chosen, project)).encode())
    with suppress(StoreUnavailable):  # no reason to lose what was computed: whoever opens it again sees what to allow
        for path in filter(None, (chosen.model.path, chosen.dataset, chosen.training)):
            allow(project, path)


def recompute(
    cache: FeatureCache, project: Path, count: int, *, seed: int, progress: Progress
) -> tuple[list[Recomputed], list[str]]:
    """At most ``count`` row ranges of each entry computed again, and a sentence on each that cannot be.

    Raises Cancelled where ``progress`` does.
    """
    found: list[Recomputed] = []
    unopened: list[str] = []
    own = [entry.key for entry in KeptSubjects(project).entries() if not entry.demo]
    for record in cache.list():
        if not record.roles:
            continue
        try:
            subject = _subject_of(cache, record.fingerprint, project, own, progress)
            found += cache.recompute(subject, count, seed=seed, progress=progress)
        except (BadInput, OSError, LookupError) as error:
            unopened.append(f"{record.name}: {error}")
    return found, unopened


def _subject_of(cache: FeatureCache, entry: str, project: Path, own: list[str], progress: Progress) -> Subject:
    """The subject of an entry. BadInput where nobody kept how it is opened."""
    kept = cache.folder / entry / FILE_NAME
    if kept.is_file():
        from testimate.project.uploaded_subjects import reopened

        record = read_record(kept)
        if record is None:
            raise BadInput(
                "how it was opened cannot be read; expected its subject.json as it was written. Run it again."
            )
        return reopened({**record, "training": None}, project, progress)
    subjects = KeptSubjects(project)
    for key in own:
        facts = subjects.facts_of(key)
        if facts is None or facts.get("kind") != "own":
            continue
        subject = subjects.open(key, _no_other, progress)
        if cache.entry_of(subject) == entry:
            return subject
    raise BadInput(
        "how it was opened is not recorded, as for training sets, demos and scores; it can be read, but not computed "
        "again."
    )


def _no_other(key: str) -> Subject:
    raise BadInput(f"The subject {key!r:.60} is not needed to compute features again.")
