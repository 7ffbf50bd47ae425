"""Results of earlier models become the chance of failure that a plan follows, and part of what it was made for."""

from dataclasses import replace

import numpy as np

from testimate.auxiliary.history import chances_of_failure, difficulties
from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.inputs import EarlierResults, Inputs
from testimate.core.words import commas, counted, is_or_are, percent
from testimate.planning.needs import HISTORY


def with_history(inputs: Inputs, history: EarlierResults) -> Inputs:
    """Return the inputs with the chance of failure by earlier models' results, and another fingerprint than without.

    Raises BadInput where the results are of another number of inputs or alike for all, or the loss is no share.
    """
    if inputs.history is not None:
        raise BadInput(
            "There are results of earlier models already. Expected one table of them. Put all models in one table."
        )
    digest = fingerprint.of_bytes(inputs.fingerprint.encode(), history.fingerprint.encode())
    return with_history_scores(replace(inputs, fingerprint=digest, history=history))


def with_history_scores(inputs: Inputs) -> Inputs:
    """Return the inputs with the score that their own history gives; themselves where they have none."""
    history = inputs.history
    if history is None:
        return inputs
    _check(inputs, history)
    found = chances_of_failure(difficulties(history.losses), inputs.scores.get("confidence"))
    return replace(inputs, scores={**inputs.scores, HISTORY: found})


def _check(inputs: Inputs, history: EarlierResults) -> None:
    task = inputs.task
    if task.numeric or task.boxed or task.compares:
        raise BadInput(
            f"{history.name!r:.60} has results of earlier models, and this is a {task.kind} task. Expected right or wrong, "
            "or grades. Leave the results out."
        )
    if len(history.losses) != len(inputs):
        raise BadInput(
            f"{history.name!r:.60} has results of {commas(len(history.losses))} inputs and there are {commas(len(inputs))}. "
            "Expected one row for each. Export them again."
        )
    if HISTORY in inputs.scores:
        raise BadInput(
            f"The table has a column {HISTORY!r} of its own, the name for what earlier models got wrong. Expected another "
            "name. Rename the column."
        )
    known = np.isfinite(history.losses)
    if not known.any() or np.ptp(history.losses[known]) == 0:
        what = "no result" if not known.any() else "the same result everywhere"
        raise BadInput(f"{history.name!r:.60} has {what}. Expected results that differ between inputs. Leave it out.")


def history_words(history: EarlierResults) -> str:
    """Return what the results are, in a sentence or two.

    >>> history_words(EarlierResults("old.csv", np.array([[0.0, 1.0], [0.0, np.nan], [1.0, 0.0]])))
    'old.csv: results of 2 earlier models, wrong on 33.3% to 50.0%. 1 of 6 results is blank.'
    """
    losses = history.losses
    wrong = np.nanmean(losses[:, np.isfinite(losses).any(axis=0)], axis=0)
    between = percent(wrong.min()) if np.ptp(wrong) == 0 else f"{percent(wrong.min())} to {percent(wrong.max())}"
    said = f"{history.name}: results of {counted(losses.shape[1], 'earlier model')}, wrong on {between}."
    if blank := int((~np.isfinite(losses)).sum()):
        said += f" {commas(blank)} of {commas(losses.size)} results {is_or_are(blank)} blank."
    return said
