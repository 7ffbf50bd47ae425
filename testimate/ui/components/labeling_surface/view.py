"""What the labeling surface shows: the next inputs, the last answers and what is known to be stored."""

import base64
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from testimate.core.errors import BadInput
from testimate.core.spellings import counted_names
from testimate.core.subject import Pane, Series, Shown
from testimate.core.task import Task
from testimate.core.words import class_order
from testimate.ui.components.labeling_surface.class_keys import action_keys, class_keys
from testimate.ui.components.spectrogram import spectrogram
from testimate.ui.components.untrusted_text import shown_text


@dataclass(frozen=True)
class QueuedInput:
    """An input waiting for its answer.

    Attributes
    ----------
    row : place in the dataset.
    position : place of its draw in the plan, 0..
    shown : what the tester sees of it.
    why : one phrase on why it was picked, untrusted text; empty where it has to wait for the answer, at which it hints.
    prediction : the model's answer in words; it leaves the server only where the view's ``predictions_shown`` is set.
    """

    row: int
    position: int
    shown: Shown
    why: str = ""
    prediction: str | None = None


@dataclass(frozen=True)
class Past:
    """An input this tester has answered.

    Attributes
    ----------
    row, position : as of the queued input.
    answer : class place, list of class places, number or name of what is none of the classes; None for "cannot tell".
    label : the answer in words, such as "3" or "can't tell"; untrusted text.
    failed : whether what was judged failed, see ``failed_as_shown``; None where that is not known or must not be.
    shown : what was seen; None where it is not available, and the answer then cannot be changed from the strip.
    why : one phrase on why it was picked; untrusted text.
    codes : why it failed, as codes; untrusted text.
    """

    row: int
    position: int
    answer: Any | None
    label: str
    failed: bool | None = None
    shown: Shown | None = None
    why: str = ""
    codes: Sequence[str] = ()


@dataclass(frozen=True)
class SurfaceView:
    """One drawing of the labeling surface.

    Attributes
    ----------
    session, tester : whose labels these are; labels not stored yet are kept in the browser under this pair.
    task : what an answer is.
    queue : the next 8 to 16 unanswered inputs in the order to label; each row once. Inputs put off by "skip" come last.
    history : the last dozen answers still standing, oldest first.
    acknowledged : ids of events now on disk; the whole set may be given, only those asked for go to the browser.
    refused : by event id, why it was not stored; the browser shows the sentence and forgets the event.
    done, planned : inputs that are answered or cannot be told, and inputs the plan holds.
    waiting : the next inputs are being chosen; the surface asks again by itself, every two seconds.
    waiting_words : what the tester reads meanwhile.
    finished : nothing is left to label. finished_words : what the tester reads then.
    usual : the numbers, least and most, beyond which an answer is far from all predictions and gets a cue; see
        ``usual_numbers``. None if that is not known, or answers are not numbers.
    reasons : places of the classes, or grades, that are answered with a reason.
    colors : of the classes' buttons, #rrggbb by class name; those without one are as usual.
    names : those that testers gave to what is none of the classes, offered again; see ``names_given``.
    codes : those given in this session, offered again for failures, the first one in front; None where none can be given.
    predictions_shown : the session shows the model's prediction before the answer; logged with each event.
    offline_error : one sentence on why labels cannot be stored now; empty where they can.
    ask_again : seconds after which the surface asks for the page to run again, because another part of it
        is waiting; 0 if nothing is.
    """

    session: str
    tester: str
    task: Task
    queue: Sequence[QueuedInput] = ()
    history: Sequence[Past] = ()
    acknowledged: Collection[str] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    done: int = 0
    planned: int = 0
    waiting: bool = False
    waiting_words: str = "The next inputs are being chosen…"
    finished: bool = False
    finished_words: str = "All planned inputs are done. Backspace undoes the last answer."
    usual: tuple[float, float] | None = None
    reasons: Collection[int] = ()
    colors: Mapping[str, str] = field(default_factory=dict)
    names: Sequence[str] = ()
    codes: Sequence[str] | None = None
    predictions_shown: bool = False
    offline_error: str = ""
    ask_again: float = 0.0


MOST_NAMES = 200
"""Names that are offered again, those given most often."""


def names_given(task: Task, answers: Iterable[Any]) -> tuple[str, ...]:
    """The names in these answers of what is none of the classes, the commonest first; spellings of one name are one.

    >>> from testimate.tasks.classification import Classification
    >>> names_given(Classification(("cat",)), [0, "owl", "fox", "Fox", "fox", None, ""])
    ('fox', 'owl')
    """
    given = (name for one in answers if one is not None for name in task.names_outside(one) if name)
    return tuple(name for name, _ in counted_names(given)[:MOST_NAMES])


def usual_numbers(predictions: ArrayLike) -> tuple[float, float] | None:
    """The range outside which an answer is far from all predictions, shape (N,); None where there are none.

    It is the range of the predictions, widened by a tenth at both ends. If all predictions have one sign, less than half the
    smallest is far as well, so that a missing digit is noticed.

    >>> usual_numbers([100.0, 900.0]), usual_numbers([-1.0, 1.0])
    ((50.0, 980.0), (-1.2, 1.2))
    """
    numbers = np.asarray(predictions, dtype=np.float64).ravel()
    numbers = numbers[np.isfinite(numbers)]
    if not numbers.size:
        return None
    low, high = float(numbers.min()), float(numbers.max())
    margin = 0.1 * (high - low)
    least = max(low - margin, low / 2) if low > 0 else low - margin
    most = min(high + margin, high / 2) if high < 0 else high + margin
    return least, most


def view_to_json(
    view: SurfaceView, *, held: Collection[int] = (), asked: Collection[str] = (), refused: Mapping[str, str]
) -> dict[str, Any]:
    """The view as plain JSON for the browser.

    ``held`` : rows whose content the browser already has; it is left out for them.
    ``asked`` : ids of the events the browser sent lately; only these are acknowledged or refused.
    ``refused`` : refusals of the surface itself, beside the view's.
    """
    reasons, boxed = {**view.refused, **refused}, view.task.boxed
    return {
        "session": view.session,
        "tester": view.tester,
        "task": task_to_json(view.task, sounds=_holds_sounds(view), codes=view.codes is not None)
        | {"usual": view.usual, "reasons": sorted(view.reasons)}
        | {"colors": [view.colors.get(name, "") for name in view.task.choices]},
        "sounds": _holds_sounds(view),
        "queue": [
            {
                "row": item.row,
                "position": item.position,
                "why": item.why,
                "prediction": item.prediction if view.predictions_shown else None,
                "at_hand": True,
                "shown": None if item.row in held else shown_to_json(item.row, item.shown, boxed=boxed),
            }
            for item in view.queue
        ],
        "history": [
            {
                "row": past.row,
                "position": past.position,
                "answer": past.answer,
                "label": past.label,
                "failed": past.failed,
                "why": past.why,
                "codes": list(past.codes),
                "at_hand": past.shown is not None,
                "shown": None
                if past.shown is None or past.row in held
                else shown_to_json(past.row, past.shown, boxed=boxed),
            }
            for past in view.history
        ],
        "acknowledged": [id for id in asked if id in view.acknowledged],
        "refused": {id: reasons[id] for id in asked if id in reasons},
        "done": view.done,
        "planned": view.planned,
        "waiting": view.waiting,
        "waiting_words": view.waiting_words,
        "finished": view.finished,
        "finished_words": view.finished_words,
        "names": list(view.names),
        "codes": None if view.codes is None else list(view.codes),
        "offline_error": view.offline_error,
        "ask_again": view.ask_again,
    }


def task_to_json(task: Task, *, sounds: bool = False, codes: bool = False) -> dict[str, Any]:
    """The task's answers and their keys, as JSON.

    Kind, class names with the key of each, their order on the screen, and the keys of all else; which two of them a swipe to
    the left and to the right answers, and which two accept and reject, or None; of a regression the unit, and the least and
    the most where they are known; what is said about an answer that shows no failure, and of one that does. Which grades are
    faults is given, as it needs no prediction. ``codes`` : whether a failure may have codes.
    """
    classes = task.choices
    keys = class_keys(classes, sounds=sounds)
    return {
        "kind": task.form or task.kind,
        "classes": list(classes),
        "objects": list(task.objects),
        "order": list(class_order(classes)),
        "keys": list(keys),
        "actions": action_keys(keys, outside=bool(task.outside), why=codes),
        "accepts": task.accepts,
        "swipes": task.swipes,
        "no_class": task.no_class,
        "outside": task.outside,
        "unit": task.unit,
        "criteria": [
            {
                "name": one.name,
                "grades": list(one.task.classes),
                "faults": list(one.task.fault_grades),
                "rubric": one.rubric,
            }
            for one in task.criteria
        ],
        "faults": list(task.fault_grades) if task.graded and not task.compares and not task.criteria else [],
        "range": task.answers,
        "outcomes": list(task.outcome_words),
    }


def failed_as_shown(task: Task, loss: float | None) -> bool | None:
    """Whether an answer shows a failure; None where nobody could tell, and of two systems, whose sides it would give away."""
    if loss is None or task.compares:
        return None
    return bool(task.failed([loss])[0])


def _holds_sounds(view: SurfaceView) -> bool:
    shown = [*(item.shown for item in view.queue), *(past.shown for past in view.history)]
    panes = [pane.shown for one in shown if one is not None for pane in one.panes]
    return any(one is not None and one.audio is not None for one in (*shown, *panes))


def shown_to_json(row: int, shown: Shown, *, boxed: bool = False) -> dict[str, Any]:
    """An image or a sound as base64, a text, a series, or the cells of a table row; BadInput where there is none of them.

    ``boxed`` : whether a detector's boxes are judged, so that a picture without any comes with an empty list of them.
    A sound comes with its spectrogram, a PNG of base64 and its title; both are None where it cannot be drawn.
    """
    if shown.panes:
        return {"panes": [_pane_to_json(row, pane) for pane in shown.panes]}
    if shown.image is not None:
        image = {"image": base64.b64encode(shown.image).decode("ascii")}
        return {**image, "boxes": [asdict(box) for box in shown.boxes]} if boxed else image
    if shown.audio is not None:
        drawn = spectrogram(shown.audio)
        picture = None if drawn is None else base64.b64encode(drawn.png()).decode("ascii")
        sound = base64.b64encode(shown.audio).decode("ascii")
        return {"audio": sound, "spectrogram": picture, "title": None if drawn is None else drawn.title}
    if shown.text is not None:
        return {"text": shown_text(shown.text), **({"code": True} if shown.code else {})}
    if shown.series is not None:
        return {"series": series_to_json(shown.series)}
    if shown.cells:
        code = shown.code_cells
        return {
            "cells": [
                [str(name), shown_text(str(value)), *([True] if name in code else [])] for name, value in shown.cells
            ]
        }
    raise not_displayable(row, shown)


def _pane_to_json(row: int, pane: Pane) -> dict[str, Any]:
    """One of the panes side by side; of a text in pieces only the pieces, which are all of it."""
    if pane.pieces:
        return {
            "title": pane.title,
            "shown": {"text": "", **({"code": True} if pane.shown.code else {})},
            "pieces": [list(one) for one in pane.pieces],
            "note": pane.note,
        }
    shown = shown_to_json(row, pane.shown)
    title = shown_text(pane.title) if pane.further else pane.title  # the name of a column is the owner's
    return {"title": title, "shown": shown, "pieces": None, "note": pane.note, "further": pane.further}


def series_to_json(series: Series) -> dict[str, Any]:
    """The channels of a series, each with six digits, None for non-finite values; their places if it is thinned."""
    channels = [
        [float(f"{value:.6g}") if np.isfinite(value) else None for value in channel.tolist()]
        for channel in series.values.T
    ]
    thinned = len(series.at) != series.length
    return {"channels": channels, "at": series.at.tolist() if thinned else None, "length": series.length}


def not_displayable(row: int, shown: Shown) -> BadInput:
    """The refusal for an input a person cannot see on these screens."""
    return BadInput(
        f"Input {row} is of the kind {shown.modality} and contains no picture, sound, text or table row; the labeling "
        "surface shows one of these. Label this dataset elsewhere and read the answers as a prediction table."
    )
