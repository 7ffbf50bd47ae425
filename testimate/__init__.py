"""Testimate: label a few inputs of a neural network, know the accuracy of all, and see its faults."""

TYPE_CHECKING = False  # typing's own would import typing, and that takes longer than everything else here
if TYPE_CHECKING:
    from testimate.core.errors import TestimateError as TestimateError
    from testimate.core.selector import Request as Request
    from testimate.estimators import ESTIMATORS as ESTIMATORS
    from testimate.planning.build import build as build
    from testimate.planning.plan import Plan as Plan
    from testimate.planning.reuse import drift as drift
    from testimate.planning.reuse import gate as gate
    from testimate.planning.reuse import grown as grown
    from testimate.planning.reuse import reuse as reuse
    from testimate.planning.votes import Votes as Votes
    from testimate.project.project import Project as Project
    from testimate.selectors import SELECTORS as SELECTORS
    from testimate.session.session import Session as Session
    from testimate.subjects.open import open_subject as open_subject
    from testimate.ui.notebook.label import label as label
    from testimate.verbs import clusters as clusters
    from testimate.verbs import estimate as estimate
    from testimate.verbs import prioritize as prioritize
    from testimate.verbs import rank as rank
    from testimate.verbs import select as select
    from testimate.verbs import study as study
    from testimate.verbs import top_up as top_up
    from testimate.verbs import with_criteria as with_criteria
    from testimate.verbs import with_history as with_history
    from testimate.verbs import with_labels as with_labels

_HOME = {
    "ESTIMATORS": "testimate.estimators",
    "Plan": "testimate.planning.plan",
    "Project": "testimate.project.project",
    "Request": "testimate.core.selector",
    "SELECTORS": "testimate.selectors",
    "Session": "testimate.session.session",
    "TestimateError": "testimate.core.errors",
    "Votes": "testimate.planning.votes",
    "build": "testimate.planning.build",
    "clusters": "testimate.verbs",
    "drift": "testimate.planning.reuse",
    "estimate": "testimate.verbs",
    "gate": "testimate.planning.reuse",
    "grown": "testimate.planning.reuse",
    "label": "testimate.ui.notebook.label",
    "open_subject": "testimate.subjects.open",
    "prioritize": "testimate.verbs",
    "rank": "testimate.verbs",
    "reuse": "testimate.planning.reuse",
    "select": "testimate.verbs",
    "study": "testimate.verbs",
    "top_up": "testimate.verbs",
    "with_criteria": "testimate.verbs",
    "with_history": "testimate.verbs",
    "with_labels": "testimate.verbs",
}
__all__ = list(_HOME)


def __dir__() -> list[str]:
    return sorted(__all__)


if not TYPE_CHECKING:  # type checkers see the imports above, and an unknown name as an error

    def __getattr__(name):
        """Each public name is imported when it is first asked for, so that ``import testimate`` stays quick."""
        from importlib import import_module

        if name not in _HOME:
            raise AttributeError(f"module 'testimate' has no attribute {name!r}")
        return getattr(import_module(_HOME[name]), name)
