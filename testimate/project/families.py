"""The subjects of a project by the inputs they are on, so that versions of a model stand together; none is opened for it."""

from collections import defaultdict
from dataclasses import dataclass

from testimate.project.project import Project, SubjectEntry
from testimate.project.versions import place_in_order


@dataclass(frozen=True)
class FamilyMember:
    """A subject in a list of versions: its entry, and what testers call it."""

    entry: SubjectEntry
    name: str


@dataclass(frozen=True)
class Family:
    """The subjects on the same inputs, in their order; one alone where there is no other."""

    members: tuple[FamilyMember, ...]

    @property
    def name(self) -> str:
        """The name of the inputs: that of the first subject on them."""
        return self.members[0].name


def families(project: Project) -> list[Family]:
    """The subjects that were added, by the data they are on, each family in the order of the page Versions.

    A demo is among them where versions were added to it. Models that were joined with the same dataset's file are on the same
    data; whether they are read alike is seen when they are opened.
    """
    grouped: dict[str, list[SubjectEntry]] = defaultdict(list)
    for entry in project.entries():
        grouped[project.data_named(entry.key)].append(entry)
    begun = {record.subject: record.created for record in project.sessions()}  # newest first, so the earliest stays
    found = []
    for entries in grouped.values():
        if all(one.demo for one in entries):
            continue
        members = []
        for one in entries:
            facts = project.version_facts.of(one.key)
            name = facts.name or one.name
            members.append((place_in_order(facts, begun.get(one.key), name), FamilyMember(one, name)))
        found.append(Family(tuple(member for _, member in sorted(members, key=lambda pair: pair[0]))))
    return sorted(found, key=lambda one: one.name)
