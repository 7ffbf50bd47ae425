"""A session over 50,000 inputs whose answers are known, for the labeling benchmark."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.session_record import SessionRecord
from testimate.core.subject import Shown
from testimate.labels import SqlStore
from testimate.planning.build import build, resolve
from testimate.planning.criteria import with_criteria
from testimate.planning.needs import CRITERIA as TOGETHER
from testimate.session.next_inputs import HAND, HAND_KEPT_OPEN
from testimate.session.session import Session
from testimate.tasks.classification import Classification
from testimate.tasks.verdict import Criterion, Judgment

SIZE = 50_000
CLASSES = ("0", "1", "2", "3")


def true_answer(row: int) -> int:
    """What the input is."""
    return row % len(CLASSES)


def inputs() -> Inputs:
    """50,000 inputs of four classes; one is wrong with the chance 1 - confidence."""
    rng = np.random.default_rng(5)
    confidence = 1 - rng.beta(0.5, 4.0, SIZE)
    truth = np.arange(SIZE) % len(CLASSES)
    predictions = np.where(rng.random(SIZE) > confidence, (truth + 1) % len(CLASSES), truth)
    task = Classification(CLASSES)
    scores: dict[str, Any] = {"confidence": 1 - confidence}
    return Inputs(
        "f" * 32, task, predictions, confidence, None, scores, truth=truth, losses=task.losses(predictions, truth)
    )


CRITERIA = tuple(Criterion(f"criterion {place}", judge=f"judge {place}") for place in range(6))


def outputs() -> Inputs:
    """50,000 outputs of which six things are asked, each with a judge of its own."""
    rng = np.random.default_rng(5)
    judges = {one.judge: rng.beta(4, 1, SIZE) for one in CRITERIA}
    return with_criteria(Inputs("f" * 32, Judgment(), np.zeros(SIZE, dtype=np.intp), judges=judges), CRITERIA)


def shown(row: int) -> Shown:
    """What a tester sees."""
    return Shown("text", text=f"input {row}")


def new_session(
    database: str | SqlStore,
    technique: str,
    budget: int,
    votes_per_input: int | None = None,
    clock: Callable[[], float] = time.time,
    of: Inputs | None = None,
) -> Session:
    """A session in that database, planned the first time and opened again after.

    ``clock`` : of the turns. ``of`` : other inputs than ``inputs()``.
    """
    store, of = SqlStore(database) if isinstance(database, str) else database, inputs() if of is None else of
    score = {"auxiliary": TOGETHER} if of.task.criteria else {}
    request = Request(technique, budget, 1, **score)
    if not store.records():
        settings = {} if votes_per_input is None else {**resolve(of, request), HAND_KEPT_OPEN: HAND}
        record = SessionRecord(
            "s",
            "set",
            "The set",
            of.fingerprint,
            request,
            "2026-01-01T00:00:00+00:00",
            votes_per_input=votes_per_input,
            resolved=settings,
        )
        store.create(record)
    record = store.record("s")
    return Session(record, of, build(of, request, record.resolved), store, shown, clock)
