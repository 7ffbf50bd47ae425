"""A small set whose answers are known, a store on disk, and how a session of a technique is opened on them."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from testimate.core.inputs import Inputs, groups_of
from testimate.core.selector import Request
from testimate.core.session_record import Event, SessionRecord
from testimate.core.subject import Shown
from testimate.labels import SqlStore
from testimate.planning.build import build, resolve
from testimate.session.session import Session
from testimate.tasks.classification import Classification

SIZE = 300


def shown(row: int) -> Shown:
    return Shown("text", text=f"input {row}")


@pytest.fixture(scope="session")
def inputs() -> Inputs:
    """300 inputs of four classes; an input is wrong with the chance 1 - confidence."""
    rng = np.random.default_rng(5)
    confidence = 1 - rng.beta(0.5, 2.0, SIZE)
    predictions = rng.integers(4, size=SIZE)
    wrong = rng.random(SIZE) > confidence
    truth = np.where(wrong, (predictions + 1 + rng.integers(3, size=SIZE)) % 4, predictions)
    task = Classification(("a", "b", "c", "d"))
    features = (rng.normal(size=(SIZE, 4)) + 12.0 * np.eye(4)[rng.integers(3, size=SIZE)]).astype(np.float32)
    return Inputs(
        fingerprint="f" * 32,
        task=task,
        predictions=predictions,
        confidence=confidence,
        scores=dict.fromkeys(("confidence", "gini", "entropy", "margin", "dsa", "lsa"), 1 - confidence),
        features={"LHL": features},
        truth=truth,
        losses=task.losses(predictions, truth),
        training=trained_on(task),
        groups=groups_of([str(row // 4) for row in range(len(predictions))]),
    )


def trained_on(task: Classification) -> Inputs:
    """100 training inputs, surer and more often right, for the techniques that look at them."""
    rng = np.random.default_rng(6)
    confidence = 1 - rng.beta(0.5, 4.0, 100)
    predictions = rng.integers(4, size=100)
    truth = np.where(rng.random(100) > confidence, (predictions + 1) % 4, predictions)
    return Inputs(
        fingerprint="e" * 32,
        task=task,
        predictions=predictions,
        confidence=confidence,
        scores={"confidence": 1 - confidence},
        features={"LHL": (rng.normal(size=(100, 4)) + 12.0 * np.eye(4)[predictions]).astype(np.float32)},
        truth=truth,
        losses=task.losses(predictions, truth),
    )


@pytest.fixture
def store(tmp_path: Path) -> SqlStore:
    return SqlStore(f"sqlite:///{tmp_path / 'labels.sqlite'}")


@pytest.fixture
def open_session(store, inputs) -> Callable[..., Session]:
    """Opens a session of a technique, stored the first time; ``of`` may be other inputs, ``on`` another store."""

    def opened(technique="srs", budget=40, *, seed=3, id="s", of=None, on=None, options=None, **settings) -> Session:
        of, on = of or inputs, on or store
        request = Request(technique, budget, seed, options=options or {})
        settings.setdefault("resolved", resolve(of, request))
        record = SessionRecord(id, "set", "The set", of.fingerprint, request, "2024-05-01T10:00:00+00:00", **settings)
        if id not in [known.id for known in on.records()]:
            on.create(record)
        return Session(on.record(id), of, build(of, request, settings["resolved"]), on, shown)

    return opened


@pytest.fixture(scope="session")
def say() -> Callable[..., Event]:
    """Makes an event with an id of its own: an answer, or ``kind=...``."""
    numbers = itertools.count()

    def said(row: int, answer: Any = None, **fields: Any) -> Event:
        kind = "cannot tell" if answer is None else "answer"
        known = {"id": f"e{next(numbers)}", "kind": kind, "row": row, "tester": "Ann", "at": "2024-05-01T10:00:00Z"}
        return Event(**{**known, "answer": answer, **fields})

    return said
