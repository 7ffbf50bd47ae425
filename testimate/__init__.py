"""Testimate: label a few inputs of a neural network, know the accuracy of all, and see its faults."""

TYPE_CHECKING = False  # typing's own would import typing, and that takes longer than everything else here
if TYPE_CHECKING:
    from typing import Any

_HOME = {
    "ESTIMATORS": "testimate.estimators",
    "Project": "testimate.project.project",
    "Request": "testimate.core.selector",
    "SELECTORS": "testimate.selectors",
    "Session": "testimate.session.session",
    "build": "testimate.planning.build",
    "drift": "testimate.planning.set_files",
    "grown": "testimate.planning.set_files",
    "open_subject": "testimate.demos",
    "rank": "testimate.comparison.ranking",
    "reuse": "testimate.planning.reuse",
    "study": "testimate.studies.study",
}
__all__ = list(_HOME)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> "Any":
    """Each public name is imported when it is first asked for, so that ``import testimate`` stays quick."""
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module 'testimate' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
