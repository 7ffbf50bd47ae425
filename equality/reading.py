"""Read a table or a demo as ``testimate.open_subject`` gives it: the attributes that a restructuring may not change."""

import importlib
from typing import Any

OF_SUBJECT = ("name", "key", "task", "truth", "facts", "readable_as", "prepared", "fingerprint", "model_fingerprint")
OF_INPUTS = (
    *("fingerprint", "task", "predictions", "confidence", "probabilities", "truth", "losses", "compared"),
    *("compared_predictions", "names", "groups", "looks_grouped", "known_accuracy"),
)
OF_TASK = (
    *(
        "kind",
        "classes",
        "no_class",
        "scale",
        "unit",
        "tolerance",
        "relative",
        "within_words",
        "top_k",
        "best",
        "fault_grades",
    ),
    *("fault_words", "measure", "loss_bound", "outcome_bound", "numeric"),
)
SHOWN = (0, 1, -1)
"""Inputs that are shown; -1 is the last."""


def read(source: str, task: str | None = None, **options: Any) -> dict[str, Any]:
    """Return what is read of a source."""
    package: Any = importlib.import_module("testimate")
    subject = package.open_subject(source, task=task, **options)
    said = {name: getattr(subject, name, "no such attribute") for name in OF_SUBJECT}
    said["task"] = task_of(subject.task)
    said["inputs"] = None if subject.inputs is None else inputs_of(subject.inputs)
    size = len(subject.dataset)
    said["shown"] = {row: subject.dataset.show(row % size) for row in SHOWN}
    return said


def inputs_of(inputs: Any) -> dict[str, Any]:
    """Return what is known of inputs, with every score and feature."""
    said = {name: getattr(inputs, name, "no such attribute") for name in OF_INPUTS}
    said["task"] = task_of(inputs.task)
    said["scores"] = dict(inputs.scores)
    said["features"] = {role: inputs.features[role] for role in inputs.features}
    said["training"] = None if inputs.training is None else inputs_of(inputs.training)
    return said


def task_of(task: Any) -> dict[str, Any]:
    """Return what was public in a task before its kinds had one base, where it is neither empty nor 0."""
    said = {name: getattr(task, name, None) for name in OF_TASK}
    return {name: value for name, value in said.items() if value is not None and value not in ("", (), 0, 1)}
